/* Tests of four triangles of a surface at a time. Compiled once per instruction set. */
#include "contact/surface/gathered.h"
#include "math/four.h"

/* The corners of four triangles relative to a point (see mo_surface_corners). */
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

static inline mo_d4 sum_of_magnitudes(const mo_d4vec *a) {
  return mo_d4_abs(a->x) + mo_d4_abs(a->y) + mo_d4_abs(a->z);
}

uint32_t MO_ISA_FN(mo_triangles_beyond)(const mo_surface *surface, const uint32_t triangle[4],
                                        const mo_gather_culling_extents *e) {
  mo_d4vec c[3];
  corners_of(surface, triangle, e->reference, c);
  uint32_t beyond = 0;
  for (int i = 0; i < e->count; i++) {
    const mo_d4vec axis = mo_d4vec_splat(e->axis[i]);
    const mo_d4 low = mo_d4_splat(e->low[i]), high = mo_d4_splat(e->high[i]);
    const mo_d4 p = mo_d4vec_dot(&axis, &c[0]), q = mo_d4vec_dot(&axis, &c[1]),
                r = mo_d4vec_dot(&axis, &c[2]);
    beyond |= (mo_d4_less_bits(p, low) & mo_d4_less_bits(q, low) & mo_d4_less_bits(r, low)) |
              (mo_d4_less_bits(high, p) & mo_d4_less_bits(high, q) & mo_d4_less_bits(high, r));
  }
  return beyond;
}

uint32_t MO_ISA_FN(mo_triangles_sides)(const mo_surface *surface, const uint32_t triangle[4],
                                       mo_dvec3 point) {
  mo_d4vec c[3];
  corners_of(surface, triangle, point, c);
  const mo_d4vec e = mo_d4vec_sub(&c[1], &c[0]), g = mo_d4vec_sub(&c[2], &c[0]),
                 normal = mo_d4vec_cross(&e, &g);
  const mo_d4 below = mo_d4vec_dot(&normal, &c[0]),
              error_bound = MO_SIGNED_VOLUME_ERROR * sum_of_magnitudes(&e) * sum_of_magnitudes(&g) *
                            sum_of_magnitudes(&c[0]);
  return mo_d4_less_bits(error_bound, -below) | mo_d4_less_bits(error_bound, below) << 4;
}
