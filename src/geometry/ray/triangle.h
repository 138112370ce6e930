/* Ray against triangle, one and eight at a time, with bit-identical results. The idea is explained
 * in ray.h.
 *
 * The signs of the edge functions U, V, W decide whether there is a hit. They are twice the signed
 * areas of the triangles between the ray and each edge, projected along the ray, and are computed
 * as differences of products of floats. A rounded difference of rounded products never has the
 * wrong sign but may be 0. So zero (and overflow) are recomputed in double precision, where the
 * products are exact: the sign is then exact too, and 0 means that the ray meets the edge, which
 * counts as a hit for both sides. The barycentric weights U, V, W / (U + V + W) also give t. If
 * cancellation could give them an error above 16 u (thin triangles, grazing rays), they are
 * computed in double precision as well.
 *
 * If rounding could put t on the wrong side of 0 or 1, geometry/ray/ends.h decides. Scaled rays are
 * rare and always take that path. */
#ifndef MO_GEOMETRY_RAY_TRIANGLE_H
#define MO_GEOMETRY_RAY_TRIANGLE_H

#include <stdalign.h>

#include "base/inline.h"
#include "geometry/ray/ends.h"
#include "geometry/ray/ray.h"
#include "math/lanes/lanes.h"

typedef struct mo_triangle_hit {
  float t;
  float u, v; /* barycentric weights of the second and the third corner */
  bool front; /* the ray comes from the side of the right-hand normal */
} mo_triangle_hit;

/* Single precision suffices for barycentric weights if their sum is at least 1/16 of the magnitudes
 * that were subtracted from each other (MO_MIN_RELATIVE_WEIGHT_SUM), and not so small that products
 * may have lost bits to underflow (MO_MIN_WEIGHT_SUM). */
#define MO_MIN_RELATIVE_WEIGHT_SUM 0.0625f
#define MO_MIN_WEIGHT_SUM 0x1p-100f
/* t times the sum of the weights is a sum of three products. If the largest is at least this,
 * underflow has cost them no bits that matter. */
#define MO_MIN_T_TERM 0x1p-122f

/* Which triangles rays ignore. */
typedef enum mo_cull {
  MO_CULL_NONE,
  MO_CULL_BACK,  /* triangles hit from behind */
  MO_CULL_FRONT, /* triangles hit from the front: back-face culling if a map mirrors */
} mo_cull;

/* Whether the ray hits the triangle at min_t <= t <= max_t (and t finite). False for a degenerate
 * triangle (geometry/triangle/degenerate.h). */
bool mo_ray_test_triangle(const mo_ray *ray, const mo_vec3 corners[3], float max_t, mo_cull cull,
                          mo_triangle_hit *hit);

/* As mo_ray_test_triangle, for a triangle that is not degenerate. (Because of rounding, this
 * function could report a hit of a degenerate one.) */
bool mo_ray_test_nondegenerate_triangle(const mo_ray *ray, const mo_vec3 corners[3], float max_t,
                                        mo_cull cull, mo_triangle_hit *hit);

/* mo_ray_test_nondegenerate_triangle for eight triangles, corner[i][axis][lane], in two steps. */

/* The members of a ray that mo_ray_test_edges8 needs, broadcast to lanes once. */
typedef struct mo_shear_lanes {
  mo_f8 origin_x, origin_y, origin_z; /* the origin along kx, ky and kz */
  mo_f8 sx, sy;                       /* the shear along x and y */
  size_t x_row, y_row, z_row; /* offsets of the axes kx, ky and kz in the floats of a corner */
} mo_shear_lanes;

static inline mo_shear_lanes mo_broadcast_shear(const mo_ray *ray) {
  return (mo_shear_lanes){
      .origin_x = mo_f8_splat(ray->origin[ray->kx]),
      .origin_y = mo_f8_splat(ray->origin[ray->ky]),
      .origin_z = mo_f8_splat(ray->origin[ray->kz]),
      .sx = mo_f8_splat(ray->sx),
      .sy = mo_f8_splat(ray->sy),
      .x_row = (size_t)ray->kx * 8,
      .y_row = (size_t)ray->ky * 8,
      .z_row = (size_t)ray->kz * 8,
  };
}

/* The edge functions of eight triangles, before the subtraction of the two products of each.
 * Comparing the products gives the sign of the difference, which rejects most blocks of eight. */
typedef struct mo_edge_products8 {
  mo_f8 u1, u2, v1, v2, w1, w2; /* U = u1 - u2, and so on */
  mo_f8 z[3];                   /* z coordinates of the sheared corners */
} mo_edge_products8;

/* Computes the corners of eight triangles, relative to the ray's origin and sheared. */
MO_INLINE void mo_ray_shear_corners8(const mo_shear_lanes *ray, const float (*corner)[3][8],
                                     mo_f8 x[3], mo_f8 y[3], mo_f8 z[3]) {
  for (int i = 0; i < 3; i++) {
    const float *rows = corner[i][0];
    z[i] = mo_f8_sub(mo_f8_load(rows + ray->z_row), ray->origin_z);
    x[i] = mo_f8_sub(mo_f8_sub(mo_f8_load(rows + ray->x_row), ray->origin_x),
                     mo_f8_mul(ray->sx, z[i]));
    y[i] = mo_f8_sub(mo_f8_sub(mo_f8_load(rows + ray->y_row), ray->origin_y),
                     mo_f8_mul(ray->sy, z[i]));
  }
}

/* The first step of the test. Returns a bit for each triangle that may be hit: whose edge functions
 * have no opposite signs. */
MO_INLINE uint32_t mo_ray_test_edges8(const mo_shear_lanes *ray, const float (*corner)[3][8],
                                      mo_cull cull, mo_edge_products8 *e) {
  mo_f8 x[3], y[3];
  mo_ray_shear_corners8(ray, corner, x, y, e->z);
  e->u1 = mo_f8_mul(x[2], y[1]);
  e->u2 = mo_f8_mul(y[2], x[1]);
  e->v1 = mo_f8_mul(x[0], y[2]);
  e->v2 = mo_f8_mul(y[0], x[2]);
  e->w1 = mo_f8_mul(x[1], y[0]);
  e->w2 = mo_f8_mul(y[1], x[0]);
  mo_m8 negative =
      mo_m8_or(mo_m8_or(mo_f8_lt(e->u1, e->u2), mo_f8_lt(e->v1, e->v2)), mo_f8_lt(e->w1, e->w2));
  mo_m8 positive =
      mo_m8_or(mo_m8_or(mo_f8_lt(e->u2, e->u1), mo_f8_lt(e->v2, e->v1)), mo_f8_lt(e->w2, e->w1));
  /* A NaN is neither negative nor positive, so its lane is kept, and double precision decides. */
  uint32_t excluded = mo_m8_bits(mo_m8_and(negative, positive));
  if (cull != MO_CULL_NONE) {
    excluded |= mo_m8_bits(cull == MO_CULL_BACK ? negative : positive);
  }
  return ~excluded & 0xff;
}

/* As mo_triangle_spans_ray_end, for eight triangles. `along`: the direction on the main axis. */
MO_INLINE uint32_t mo_triangles_span_ray_end8(const mo_f8 z[3], mo_f8 along) {
  mo_f8 min = mo_f8_min(mo_f8_min(z[0], z[1]), z[2]);
  mo_f8 max = mo_f8_max(mo_f8_max(z[0], z[1]), z[2]), zero = mo_f8_splat(0.0f);
  mo_m8 at_start = mo_m8_and(mo_f8_le(min, zero), mo_f8_le(zero, max));
  mo_m8 at_end = mo_m8_and(mo_f8_le(min, along), mo_f8_le(along, max));
  return mo_m8_bits(mo_m8_or(at_start, at_end));
}

MO_INLINE mo_f8 mo_extent_of_three8(const mo_f8 x[3]) {
  return mo_f8_sub(mo_f8_max(mo_f8_max(x[0], x[1]), x[2]), mo_f8_min(mo_f8_min(x[0], x[1]), x[2]));
}

/* As mo_ray_t_is_uncertain, for eight triangles whose weights are accurate in single precision. */
MO_INLINE uint32_t mo_ray_t_is_uncertain8(const mo_f8 x[3], const mo_f8 y[3], const mo_f8 z[3],
                                          mo_f8 slope, mo_f8 sz, mo_f8 sum, mo_f8 t) {
  mo_f8 across = mo_f8_add(mo_extent_of_three8(x), mo_extent_of_three8(y));
  mo_f8 depth = mo_f8_max(mo_f8_max(mo_f8_abs(z[0]), mo_f8_abs(z[1])), mo_f8_abs(z[2]));
  mo_f8 reach = mo_f8_add(across, mo_f8_mul(slope, depth));
  mo_f8 range = mo_f8_mul(mo_extent_of_three8(z), mo_f8_abs(sz));
  mo_f8 one = mo_f8_splat(1.0f);
  mo_f8 grazing = mo_f8_add(one, mo_f8_div(mo_f8_mul(reach, across), mo_f8_abs(sum)));
  mo_f8 doubt = mo_f8_add(mo_f8_mul(mo_f8_mul(range, grazing), mo_f8_splat(MO_RAY_T_ERROR)),
                          mo_f8_splat(MO_RAY_T_MIN_ERROR));
  mo_f8 off = mo_f8_min(mo_f8_abs(t), mo_f8_abs(mo_f8_sub(t, one)));
  return ~mo_m8_bits(mo_f8_lt(doubt, off));
}

/* A bit for each triangle of which all sheared corners have x = 0, or all have y = 0. Its plane
 * contains the ray, and its edge functions are exactly 0, so the ray does not hit it. Not inlined,
 * to save registers.
 */
static __attribute__((noinline, unused)) uint32_t
mo_ray_find_coplanar_triangles8(const mo_ray *ray, const float (*corner)[3][8]) {
  const mo_shear_lanes shear = mo_broadcast_shear(ray);
  mo_f8 x[3], y[3], z[3], zero = mo_f8_splat(0.0f);
  mo_ray_shear_corners8(&shear, corner, x, y, z);
  mo_f8 max_x = mo_f8_max(mo_f8_max(mo_f8_abs(x[0]), mo_f8_abs(x[1])), mo_f8_abs(x[2]));
  mo_f8 max_y = mo_f8_max(mo_f8_max(mo_f8_abs(y[0]), mo_f8_abs(y[1])), mo_f8_abs(y[2]));
  return mo_m8_bits(mo_m8_or(mo_f8_le(max_x, zero), mo_f8_le(max_y, zero)));
}

/* The hits that mo_ray_find_hits8 found, by lane. */
typedef struct mo_triangle_hits {
  alignas(32) float t[8];
  float u[8], v[8];
  uint32_t front; /* a bit per lane, as mo_triangle_hit.front */
} mo_triangle_hits;

/* The second step of the test, for the lanes of `candidates` (not 0). Returns a bit per lane that
 * is hit; other lanes of `found` are undefined. `found` is only written if there are hits, and
 * without `want_weights` only its `t`. `unscaled`: the ray is not scaled. */
MO_INLINE uint32_t mo_ray_find_hits8(const mo_ray *ray, const float (*corner)[3][8],
                                     const mo_edge_products8 *e, uint32_t candidates, float max_t,
                                     mo_cull cull, bool want_weights, bool unscaled,
                                     mo_triangle_hits *found) {
  mo_f8 zero = mo_f8_splat(0.0f);
  mo_f8 u = mo_f8_sub(e->u1, e->u2), v = mo_f8_sub(e->v1, e->v2), w = mo_f8_sub(e->w1, e->w2);
  mo_f8 sum = mo_f8_add(mo_f8_add(u, v), w);
  mo_f8 size = mo_f8_abs(sum);
  mo_f8 magnitude = mo_f8_add(mo_f8_add(mo_f8_add(mo_f8_abs(e->u1), mo_f8_abs(e->u2)),
                                        mo_f8_add(mo_f8_abs(e->v1), mo_f8_abs(e->v2))),
                              mo_f8_add(mo_f8_abs(e->w1), mo_f8_abs(e->w2)));
  mo_f8 smallest = mo_f8_min(mo_f8_min(mo_f8_abs(u), mo_f8_abs(v)), mo_f8_abs(w));
  mo_f8 needed = mo_f8_max(mo_f8_mul(mo_f8_splat(MO_MIN_RELATIVE_WEIGHT_SUM), magnitude),
                           mo_f8_splat(MO_MIN_WEIGHT_SUM));
  mo_f8 sz = mo_f8_splat(ray->sz);
  mo_f8 sum_t = mo_f8_add(
      mo_f8_add(mo_f8_mul(u, mo_f8_mul(sz, e->z[0])), mo_f8_mul(v, mo_f8_mul(sz, e->z[1]))),
      mo_f8_mul(w, mo_f8_mul(sz, e->z[2])));
  uint32_t precise =
      mo_m8_bits(mo_m8_and(mo_m8_and(mo_f8_lt(zero, smallest), mo_f8_le(needed, size)),
                           mo_m8_and(mo_f8_lt(mo_f8_abs(sum_t), mo_f8_splat(INFINITY)),
                                     mo_f8_lt(magnitude, mo_f8_splat(INFINITY)))));
  /* Where the sum is tiny, mo_ray_test_nondegenerate_triangle looks at the largest product. */
  precise &= mo_m8_bits(mo_f8_le(mo_f8_splat(3.0f * MO_MIN_T_TERM), mo_f8_abs(sum_t)));
  mo_f8 t = mo_f8_div(sum_t, sum);
  if (!unscaled && ray->t_scale != 1.0f) {
    precise = 0;
  } else {
    uint32_t near =
        candidates & mo_triangles_span_ray_end8(e->z, mo_f8_splat(ray->direction[ray->kz]));
    if (__builtin_expect(near != 0, 0)) {
      /* The corners are sheared again: keeping x and y would take registers from the common case,
       * in which no triangle is near an end of the ray. */
      const mo_shear_lanes shear = mo_broadcast_shear(ray);
      mo_f8 slope = mo_f8_max(mo_f8_abs(shear.sx), mo_f8_abs(shear.sy)), x[3], y[3], z[3];
      mo_ray_shear_corners8(&shear, corner, x, y, z);
      precise &= ~(near & mo_ray_t_is_uncertain8(x, y, z, slope, sz, sum, t));
    }
  }
  mo_m8 within =
      mo_m8_and(mo_m8_and(mo_f8_le(mo_f8_splat(ray->min_t), t), mo_f8_le(t, mo_f8_splat(max_t))),
                mo_f8_lt(t, mo_f8_splat(INFINITY)));
  uint32_t hits = candidates & precise & mo_m8_bits(within);
  uint32_t imprecise = candidates & ~precise;
  if ((hits | imprecise) == 0) {
    return 0;
  }
  mo_f8_store(found->t, mo_f8_add(t, zero)); /* adding 0 removes -0 */
  found->front = 0;
  if (want_weights) {
    mo_f8_store(found->u, mo_f8_div(v, sum));
    mo_f8_store(found->v, mo_f8_div(w, sum));
    found->front = mo_m8_bits(mo_f8_lt(zero, sum));
  }
  if (__builtin_expect((imprecise & (imprecise - 1)) != 0, 0)) {
    /* Several imprecise triangles at once may all lie in a plane that contains the ray. */
    imprecise &= ~mo_ray_find_coplanar_triangles8(ray, corner);
  }
  for (; __builtin_expect(imprecise != 0, 0); imprecise &= imprecise - 1) {
    int lane = __builtin_ctz(imprecise);
    mo_vec3 corners[3];
    for (int i = 0; i < 3; i++) {
      corners[i] = mo_vec(corner[i][0][lane], corner[i][1][lane], corner[i][2][lane]);
    }
    mo_triangle_hit hit;
    if (mo_ray_test_nondegenerate_triangle(ray, corners, max_t, cull, &hit)) {
      found->t[lane] = hit.t;
      found->u[lane] = hit.u;
      found->v[lane] = hit.v;
      found->front = (found->front & ~(1u << lane)) | (uint32_t)hit.front << lane;
      hits |= 1u << lane;
    }
  }
  return hits;
}

/* As mo_ray_test_nondegenerate_triangle, for the given lanes of eight triangles: both steps. */
static inline uint32_t mo_ray_test_triangles8(const mo_ray *ray, const float (*corner)[3][8],
                                              uint32_t lanes, float max_t, mo_cull cull,
                                              bool want_weights, mo_triangle_hits *found) {
  mo_shear_lanes shear = mo_broadcast_shear(ray);
  mo_edge_products8 edges;
  uint32_t candidates = lanes & mo_ray_test_edges8(&shear, corner, cull, &edges);
  return candidates == 0 ? 0
                         : mo_ray_find_hits8(ray, corner, &edges, candidates, max_t, cull,
                                             want_weights, false, found);
}

#endif
