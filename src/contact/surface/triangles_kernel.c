/* Tests of four triangles of a surface at a time. Compiled once per instruction set. */
#include "contact/surface/near.h"
#include "math/four.h"

/* The corners relative to a point, as mo_surface_corners. */
static inline void corners_of(const mo_surface *s, const uint32_t triangle[4], mo_dvec3 reference,
                              mo_d4vec corner[3]) {
  mo_vec3 local[4][3];
  for (int k = 0; k < 4; k++) {
    mo_mesh_corners(s->mesh, triangle[k], local[k]);
  }
  const mo_dvec3 origin = mo_dsub(mo_widen(s->affine->to_world.origin), reference),
                 *column = s->column;
  for (int i = 0; i < 3; i++) {
    const mo_vec3 a = local[0][i], b = local[1][i], c = local[2][i], d = local[3][i];
    const mo_d4 x = mo_d4_of((double)a.x, (double)b.x, (double)c.x, (double)d.x),
                y = mo_d4_of((double)a.y, (double)b.y, (double)c.y, (double)d.y),
                z = mo_d4_of((double)a.z, (double)b.z, (double)c.z, (double)d.z);
    corner[i].x = origin.x + (column[0].x * x + column[1].x * y + column[2].x * z);
    corner[i].y = origin.y + (column[0].y * x + column[1].y * y + column[2].y * z);
    corner[i].z = origin.z + (column[0].z * x + column[1].z * y + column[2].z * z);
  }
}

static inline mo_d4vec minus(const mo_d4vec *a, const mo_d4vec *b) {
  return (mo_d4vec){a->x - b->x, a->y - b->y, a->z - b->z};
}

static inline mo_d4 dot(const mo_d4vec *a, const mo_d4vec *b) {
  return a->x * b->x + a->y * b->y + a->z * b->z;
}

static inline mo_d4 sum_of_magnitudes(const mo_d4vec *a) {
  return mo_d4_abs(a->x) + mo_d4_abs(a->y) + mo_d4_abs(a->z);
}

/* The distance between the interval of three numbers and that from -half to half around `center`.
 */
static inline mo_d4 gap_to(mo_d4 a, mo_d4 b, mo_d4 c, double center, double half) {
  const mo_d4 low = mo_d4_min(a, mo_d4_min(b, c)) - center,
              high = mo_d4_max(a, mo_d4_max(b, c)) - center;
  return mo_d4_max(mo_d4_max(low - half, -half - high), mo_d4_all(0.0));
}

uint32_t MO_ISA_FN(mo_triangles_beyond)(const mo_surface *surface, const uint32_t triangle[4],
                                        const mo_near_extents *e) {
  mo_d4vec c[3];
  corners_of(surface, triangle, e->reference, c);
  const mo_d4vec gap = {gap_to(c[0].x, c[1].x, c[2].x, e->center.x, e->half.x),
                        gap_to(c[0].y, c[1].y, c[2].y, e->center.y, e->half.y),
                        gap_to(c[0].z, c[1].z, c[2].z, e->center.z, e->half.z)};
  uint32_t beyond = mo_d4_less(mo_d4_all(e->rounding2), dot(&gap, &gap));
  for (int i = 0; i < e->count; i++) {
    const mo_d4vec axis = mo_d4vec_all(e->axis[i]);
    const mo_d4 low = mo_d4_all(e->low[i]), high = mo_d4_all(e->high[i]);
    const mo_d4 p = dot(&axis, &c[0]), q = dot(&axis, &c[1]), r = dot(&axis, &c[2]);
    beyond |= (mo_d4_less(p, low) & mo_d4_less(q, low) & mo_d4_less(r, low)) |
              (mo_d4_less(high, p) & mo_d4_less(high, q) & mo_d4_less(high, r));
  }
  return beyond;
}

uint32_t MO_ISA_FN(mo_triangles_sides)(const mo_surface *surface, const uint32_t triangle[4],
                                       mo_dvec3 point) {
  mo_d4vec c[3];
  corners_of(surface, triangle, point, c);
  const mo_d4vec e = minus(&c[1], &c[0]), g = minus(&c[2], &c[0]);
  const mo_d4vec normal = {e.y * g.z - e.z * g.y, e.z * g.x - e.x * g.z, e.x * g.y - e.y * g.x};
  const mo_d4 below = dot(&normal, &c[0]), noise = MO_PLANE_NOISE * sum_of_magnitudes(&e) *
                                                   sum_of_magnitudes(&g) * sum_of_magnitudes(&c[0]);
  return mo_d4_less(noise, -below) | mo_d4_less(noise, below) << 4;
}
