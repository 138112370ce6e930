/* Preparing rays. This is a good part of the cost of a ray that meets little, so there is no branch
 * in it that depends on the direction, and kernels have it inline. */
#ifndef MO_GEOMETRY_RAY_INIT_H
#define MO_GEOMETRY_RAY_INIT_H

#include "base/inline.h"
#include "geometry/ray.h"
#include "math/aabb.h"
#include "math/four.h"

/* The axis of the largest of three magnitudes, the first of equal ones. */
static inline int mo_largest_axis(double x, double y, double z) {
  int k = y > x;
  double most = y > x ? y : x;
  return k + (z > most) * (2 - k);
}

/* The same for floats, which compare as their bits do. */
static inline int mo_largest_lane(mo_f4 magnitude) {
  mo_i4 bits = (mo_i4)magnitude;
  int32_t x = bits[0], y = bits[1], z = bits[2];
  int k = y > x;
  int32_t most = y > x ? y : x;
  return z > most ? 2 : k;
}

/* The power of two by which a direction is divided. Lengths in the usual range are left as they
 * are; outside, the largest component becomes about one, so that neither its inverse nor a product
 * overflows. */
static inline float mo_ray_scale_for(float length) {
  if (length >= 0x1p-20f && length <= 0x1p20f) {
    return 1.0f;
  }
  int exponent;
  frexpf(length, &exponent);
  return ldexpf(1.0f, exponent > 126 ? 126 : exponent < -126 ? -126 : exponent);
}

/* As mo_ray_init; null weights are ones. */
MO_INLINE void mo_ray_init_inline(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction,
                                  float min_t, const mo_vec3 *weights, const mo_vec3 *reach,
                                  float margin) {
  mo_f4 o = mo_f4_from(origin, 0.0f);
  mo_f4 d = mo_f4_from(direction, 1.0f);
  float length[3] = {direction->x, direction->y, direction->z};
  mo_f4 size = mo_f4_abs(d);
  /* In double no product over- or underflows. */
  int kz = weights == NULL
               ? mo_largest_lane(size)
               : mo_largest_axis((double)size[0] * weights->x, (double)size[1] * weights->y,
                                 (double)size[2] * weights->z);
  float scale = mo_ray_scale_for(fabsf(length[kz]));
  float near_t = min_t, behind = 0.0f;
  ray->t_scale = 1.0f;
  ray->min_t = min_t;
  if (__builtin_expect(scale != 1.0f, 0)) {
    d /= mo_f4_all(scale);
    size = mo_f4_abs(d);
    for (int axis = 0; axis < 3; axis++) {
      length[axis] = d[axis];
    }
    ray->t_scale = 1.0f / scale;
    /* See mo_ray_cull_t. What lies that far behind the origin may be said to be hit at 0. */
    near_t = (min_t - 2.0f * FLT_TRUE_MIN) * scale;
    behind = 2.0f * FLT_TRUE_MIN * scale * mo_max(mo_max(size[0], size[1]), size[2]);
  }
  /* Hits at min_t itself may lie in a box that ends a rounding before it. */
  ray->near_t = mo_max(near_t - (near_t * 0x1p-20f + 0x1p-120f), 0.0f);

  mo_f4 reaches = mo_f4_from(reach, 0.0f) + mo_f4_abs(o);
  float reach_of[4];
  memcpy(reach_of, &reaches, sizeof reaches);
  float along = reach_of[kz];
  /* The component along kz is above 2^-20. So raising others to `least` displaces the ray by less
   * than `raised` at any point of what may be hit. */
  float least = 0x1p-80f, raised = 0x1p-57f * along + 0x1p-120f;
  if (__builtin_expect(mo_f4_any(reaches > mo_f4_all(0x1p40f)), 0)) {
    /* So that coordinates times the inverse stay below overflow. */
    least = mo_max(least, 0x1p-126f * mo_max(mo_max(reaches[0], reaches[1]), reaches[2]));
    raised = 4.0f * (least / fabsf(length[kz])) * along;
  }
  raised += behind;
  mo_f4 inverse = mo_f4_all(1.0f) / mo_f4_with_signs(mo_f4_max(size, mo_f4_all(least)), d);
  memcpy(ray->inverse, &inverse, sizeof o);

  /* The margin times the inverse. A slope |d_i/d_k| times |1/d_i| is |1/d_k|. */
  float sz = ray->inverse[kz];
  mo_f4 room = mo_f4_all(margin) * reaches + mo_f4_all(raised);
  mo_f4 pad = mo_f4_abs(inverse) * room + mo_f4_all(margin * along * fabsf(sz));
  mo_f4 shift = o * inverse;
  mo_f4 near_shift = shift + pad, far_shift = shift - pad;
  memcpy(ray->near_shift, &near_shift, sizeof o);
  memcpy(ray->far_shift, &far_shift, sizeof o);

  /* The other two axes, exchanged for a negative direction: that keeps the winding of triangles. */
  static const uint8_t next[6] = {1, 2, 0, 2, 0, 1};
  int negative = signbit(sz) != 0;
  ray->kx = next[kz + 3 * negative];
  ray->ky = next[kz + 3 * !negative];
  ray->kz = kz;
  ray->sx = length[ray->kx] * sz;
  ray->sy = length[ray->ky] * sz;
  ray->sz = sz;
  memcpy(ray->origin, &o, sizeof o);
  ray->signs = mo_f4_signs(d);
}

#endif
