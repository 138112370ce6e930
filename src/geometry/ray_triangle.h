/* Ray against triangle, one and eight at a time, with the same bits: see ray.h for the idea.
 *
 * The edge functions U, V, W (twice the areas that the ray cuts off) are differences of products of
 * floats. Their signs decide. A rounded difference of rounded products never has the wrong sign but
 * may be 0, so zero (and overflow) go to double precision, where the products are exact: the sign
 * is then exact too, and 0 means that the ray meets the edge, which counts as a hit for both sides.
 * The weights U, V, W / (U + V + W) also give t. Where cancellation could put more than 16 u of
 * error into them (thin triangles, grazing rays) they are computed in double as well. */
#ifndef MO_GEOMETRY_RAY_TRIANGLE_H
#define MO_GEOMETRY_RAY_TRIANGLE_H

#include <stdalign.h>

#include "geometry/ray.h"
#include "math/lanes.h"

typedef struct mo_triangle_hit {
  float t;
  float u, v; /* weights of the second and third corner */
  bool front; /* the ray comes from the side of the right-hand normal */
} mo_triangle_hit;

/* Single precision suffices for the weights if their sum is at least 1/16 of the magnitudes that
 * were subtracted from each other, and not so small that products may have lost bits to underflow.
 */
#define MO_WEIGHT_PRECISION 0.0625f
#define MO_WEIGHT_LEAST 0x1p-100f

/* Which triangles are missed on purpose: those met from behind, or (where a map that mirrors has
 * turned the winding around) those that look as if they were met from the front. */
typedef enum mo_cull { MO_CULL_NONE, MO_CULL_BACK, MO_CULL_FRONT } mo_cull;

/* Whether the ray meets the triangle at min_t <= t <= max_t (and t finite). */
bool mo_ray_triangle(const mo_ray *ray, const mo_vec3 corners[3], float max_t, mo_cull cull,
                     mo_triangle_hit *hit);

/* What mo_ray_triangle8 found, by lane. */
typedef struct mo_triangle_hits {
  alignas(32) float t[8];
  float u[8], v[8];
  uint32_t front; /* a bit per lane */
} mo_triangle_hits;

/* The same for eight triangles: corner[i][axis][lane]. `lanes`: a bit for each that is wanted.
 * Returns a bit per lane that is hit; others are undefined in `found`, which is written only for
 * hits. */
static inline uint32_t mo_ray_triangle8(const mo_ray *ray, const float (*corner)[3][8],
                                        uint32_t lanes, float max_t, mo_cull cull, bool weights,
                                        mo_triangle_hits *found) {
  mo_f8 ox = mo_f8_all(ray->origin[ray->kx]);
  mo_f8 oy = mo_f8_all(ray->origin[ray->ky]);
  mo_f8 oz = mo_f8_all(ray->origin[ray->kz]);
  mo_f8 sx = mo_f8_all(ray->sx);
  mo_f8 sy = mo_f8_all(ray->sy);
  mo_f8 x[3], y[3], z[3];
  for (int i = 0; i < 3; i++) {
    z[i] = mo_f8_sub(mo_f8_load(corner[i][ray->kz]), oz);
    x[i] = mo_f8_sub(mo_f8_sub(mo_f8_load(corner[i][ray->kx]), ox), mo_f8_mul(sx, z[i]));
    y[i] = mo_f8_sub(mo_f8_sub(mo_f8_load(corner[i][ray->ky]), oy), mo_f8_mul(sy, z[i]));
  }
  mo_f8 u1 = mo_f8_mul(x[2], y[1]), u2 = mo_f8_mul(y[2], x[1]);
  mo_f8 v1 = mo_f8_mul(x[0], y[2]), v2 = mo_f8_mul(y[0], x[2]);
  mo_f8 w1 = mo_f8_mul(x[1], y[0]), w2 = mo_f8_mul(y[1], x[0]);
  mo_f8 u = mo_f8_sub(u1, u2), v = mo_f8_sub(v1, v2), w = mo_f8_sub(w1, w2);

  mo_f8 zero = mo_f8_all(0.0f);
  mo_f8 least = mo_f8_min(mo_f8_min(u, v), w);
  mo_f8 most = mo_f8_max(mo_f8_max(u, v), w);
  /* Written so that a NaN lane is not lost: it is then decided in double. */
  uint32_t mixed = mo_m8_bits(mo_m8_and(mo_f8_lt(least, zero), mo_f8_lt(zero, most)));
  uint32_t candidates = ~mixed & lanes;
  if (cull != MO_CULL_NONE) {
    candidates &= ~mo_m8_bits(cull == MO_CULL_BACK ? mo_f8_lt(least, zero) : mo_f8_lt(zero, most));
  }
  if (candidates == 0) {
    return 0;
  }

  mo_f8 sum = mo_f8_add(mo_f8_add(u, v), w);
  mo_f8 size = mo_f8_abs(sum);
  mo_f8 magnitude = mo_f8_add(
      mo_f8_add(mo_f8_add(mo_f8_abs(u1), mo_f8_abs(u2)), mo_f8_add(mo_f8_abs(v1), mo_f8_abs(v2))),
      mo_f8_add(mo_f8_abs(w1), mo_f8_abs(w2)));
  mo_f8 smallest = mo_f8_min(mo_f8_min(mo_f8_abs(u), mo_f8_abs(v)), mo_f8_abs(w));
  mo_f8 needed =
      mo_f8_max(mo_f8_mul(mo_f8_all(MO_WEIGHT_PRECISION), magnitude), mo_f8_all(MO_WEIGHT_LEAST));
  mo_f8 sz = mo_f8_all(ray->sz);
  mo_f8 sum_t =
      mo_f8_add(mo_f8_add(mo_f8_mul(u, mo_f8_mul(sz, z[0])), mo_f8_mul(v, mo_f8_mul(sz, z[1]))),
                mo_f8_mul(w, mo_f8_mul(sz, z[2])));
  uint32_t precise =
      mo_m8_bits(mo_m8_and(mo_m8_and(mo_f8_lt(zero, smallest), mo_f8_le(needed, size)),
                           mo_m8_and(mo_f8_lt(mo_f8_abs(sum_t), mo_f8_all(INFINITY)),
                                     mo_f8_lt(magnitude, mo_f8_all(INFINITY)))));
  mo_f8 t = mo_f8_add(mo_f8_mul(mo_f8_div(sum_t, sum), mo_f8_all(ray->t_scale)), zero);
  uint32_t within = mo_m8_bits(
      mo_m8_and(mo_m8_and(mo_f8_le(mo_f8_all(ray->min_t), t), mo_f8_le(t, mo_f8_all(max_t))),
                mo_f8_lt(t, mo_f8_all(INFINITY))));
  uint32_t hits = candidates & precise & within;
  uint32_t imprecise = candidates & ~precise;
  if ((hits | imprecise) == 0) {
    return 0;
  }
  mo_f8_store(found->t, t);
  found->front = 0;
  if (weights) {
    mo_f8_store(found->u, mo_f8_div(v, sum));
    mo_f8_store(found->v, mo_f8_div(w, sum));
    found->front = mo_m8_bits(mo_f8_lt(zero, sum));
  }
  for (; imprecise != 0; imprecise &= imprecise - 1) {
    int lane = __builtin_ctz(imprecise);
    mo_vec3 corners[3];
    for (int i = 0; i < 3; i++) {
      corners[i] = mo_vec(corner[i][0][lane], corner[i][1][lane], corner[i][2][lane]);
    }
    mo_triangle_hit hit;
    if (mo_ray_triangle(ray, corners, max_t, cull, &hit)) {
      found->t[lane] = hit.t;
      found->u[lane] = hit.u;
      found->v[lane] = hit.v;
      found->front = (found->front & ~(1u << lane)) | (uint32_t)hit.front << lane;
      hits |= 1u << lane;
    }
  }
  return hits;
}

#endif
