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

static inline mo_d4vec subtract(const mo_d4vec *a, const mo_d4vec *b) {
  return (mo_d4vec){a->x - b->x, a->y - b->y, a->z - b->z};
}

static inline mo_d4 sum_of_magnitudes(const mo_d4vec *a) {
  return mo_d4_abs(a->x) + mo_d4_abs(a->y) + mo_d4_abs(a->z);
}

static inline mo_d4vec select_vectors(mo_l4 mask, const mo_d4vec *a, const mo_d4vec *b) {
  return (mo_d4vec){mo_d4_select(mask, a->x, b->x), mo_d4_select(mask, a->y, b->y),
                    mo_d4_select(mask, a->z, b->z)};
}

static inline mo_d4vec point_along(const mo_d4vec *start, mo_d4 part, const mo_d4vec *edge) {
  return (mo_d4vec){start->x + part * edge->x, start->y + part * edge->y,
                    start->z + part * edge->z};
}

/* For each of four triangles, the vector to a point from the triangle's closest point, up to
 * rounding. */
static inline mo_d4vec vectors_from_triangles(const mo_d4vec c[3], const mo_d4vec *point) {
  const mo_d4 none = mo_d4_splat(0.0);
  const mo_d4vec e = subtract(&c[1], &c[0]), g = subtract(&c[2], &c[0]),
                 normal = mo_d4vec_cross(&e, &g);
  mo_d4vec found = {none, none, none};
  mo_d4 closest = mo_d4_splat(INFINITY);
  const mo_d4 area2 = mo_d4vec_dot(&normal, &normal);
  mo_l4 inside = area2 > none;
  for (int i = 0; i < 3; i++) {
    const mo_d4vec edge = subtract(&c[(i + 1) % 3], &c[i]), to = subtract(point, &c[i]),
                   inward = mo_d4vec_cross(&normal, &edge);
    const mo_d4 part = mo_d4_max(
        mo_d4_min(mo_d4vec_dot(&to, &edge) / mo_d4vec_dot(&edge, &edge), mo_d4_splat(1.0)), none);
    const mo_d4vec out = point_along(&to, -part, &edge);
    const mo_d4 distance2 = mo_d4vec_dot(&out, &out);
    inside &= mo_d4vec_dot(&inward, &to) >= none;
    found = select_vectors(distance2 < closest, &out, &found);
    closest = mo_d4_min(distance2, closest);
  }
  const mo_d4vec to = subtract(point, &c[0]);
  const mo_d4 height = mo_d4vec_dot(&normal, &to) / area2;
  const mo_d4vec up = {height * normal.x, height * normal.y, height * normal.z};
  return select_vectors(inside, &up, &found);
}

/* Returns a bit for each of four triangles of which its vector n proves that it is farther than
 * `max_distance` from the core, a segment. */
static inline uint32_t triangles_beyond_core_along(const mo_d4vec c[3],
                                                   const mo_gather_culling_extents *e,
                                                   const mo_d4vec *n) {
  const mo_d4vec center = mo_d4vec_splat(e->center), half = mo_d4vec_splat(e->half);
  const mo_d4 top =
      mo_d4_max(mo_d4vec_dot(n, &c[0]), mo_d4_max(mo_d4vec_dot(n, &c[1]), mo_d4vec_dot(n, &c[2])));
  return mo_d4_less_bits(top + e->max_distance * mo_d4_length(n),
                         mo_d4vec_dot(n, &center) - mo_d4_abs(mo_d4vec_dot(n, &half)));
}

/* Returns a bit for each of four triangles that is farther than `max_distance` from the core, a
 * segment. For each triangle two directions are tried: to the point P of the core that is
 * closest to the middle of the triangle, then to the point of the core that is closest to the
 * triangle's closest point to P. */
static inline uint32_t triangles_beyond_core(const mo_d4vec c[3],
                                             const mo_gather_culling_extents *e) {
  const mo_d4vec center = mo_d4vec_splat(e->center), half = mo_d4vec_splat(e->half);
  const mo_d4 length2 = mo_d4_splat(mo_dmax(mo_ddot(e->half, e->half), 0x1p-1000));
  mo_d4vec there = {(c[0].x + c[1].x + c[2].x) / 3.0, (c[0].y + c[1].y + c[2].y) / 3.0,
                    (c[0].z + c[1].z + c[2].z) / 3.0};
  uint32_t found = 0;
  for (int i = 0; i < 2; i++) {
    there = subtract(&there, &center);
    const mo_d4 part = mo_d4_min(
        mo_d4_max(mo_d4vec_dot(&there, &half) / length2, mo_d4_splat(-1.0)), mo_d4_splat(1.0));
    const mo_d4vec here = point_along(&center, part, &half), n = vectors_from_triangles(c, &here);
    found |= triangles_beyond_core_along(c, e, &n);
    there = subtract(&here, &n);
  }
  return found;
}

uint32_t MO_ISA_FN(mo_triangles_beyond)(const mo_surface *surface, const uint32_t triangle[4],
                                        const mo_gather_culling_extents *e) {
  mo_d4vec c[3];
  corners_of(surface, triangle, e->reference, c);
  uint32_t beyond = e->max_distance < INFINITY ? triangles_beyond_core(c, e) : 0;
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
  const mo_d4vec e = subtract(&c[1], &c[0]), g = subtract(&c[2], &c[0]),
                 normal = mo_d4vec_cross(&e, &g);
  const mo_d4 below = mo_d4vec_dot(&normal, &c[0]),
              error_bound = MO_SIGNED_VOLUME_ERROR * sum_of_magnitudes(&e) * sum_of_magnitudes(&g) *
                            sum_of_magnitudes(&c[0]);
  return mo_d4_less_bits(error_bound, -below) | mo_d4_less_bits(error_bound, below) << 4;
}
