/* Preparation of rays. As this is a large part of the cost of a ray that meets few boxes, the code
 * has no branch that depends on the direction, and kernels inline it. */
#ifndef MO_GEOMETRY_RAY_INIT_H
#define MO_GEOMETRY_RAY_INIT_H

#include "base/inline.h"
#include "geometry/ray/ray.h"
#include "math/aabb.h"
#include "math/four.h"

/* Compares three sizes. Returns the bits y > x (bit 0), z > y (bit 1), z > x (bit 2), by
 * independent comparisons. */
static inline uint32_t mo_size_order_bits(double x, double y, double z) {
  return (uint32_t)(y > x) | (uint32_t)(z > y) << 1 | (uint32_t)(z > x) << 2;
}

/* As mo_size_order_bits, for the magnitudes of floats, which compare like their bit patterns. */
static inline uint32_t mo_magnitude_order_bits(const float v[3]) {
  int32_t size[3];
  memcpy(size, v, sizeof size);
  for (int i = 0; i < 3; i++) {
    size[i] &= INT32_MAX;
  }
  return (uint32_t)(size[1] > size[0]) | (uint32_t)(size[2] > size[1]) << 1 |
         (uint32_t)(size[2] > size[0]) << 2;
}

/* A table of the axes kx, ky and kz of a ray (mo_shear_axes): one lookup, since the latency is on
 * the critical path of a ray. The index i consists of the bits of mo_size_order_bits, then a bit
 * per axis for a negative direction. kz is the axis of the largest component, the first of equal
 * ones. If the direction is negative on kz, kx and ky are exchanged, which preserves the winding of
 * triangles.
 */
#define MO_LARGEST_AXIS(i) (((i)&6) == 6 ? 2 : (i)&1)
#define MO_LARGEST_IS_NEGATIVE(i) ((i) >> 3 >> MO_LARGEST_AXIS(i) & 1)
#define MO_SHEAR_AXES(i)                                                                           \
  {                                                                                                \
    (MO_LARGEST_AXIS(i) + 1 + MO_LARGEST_IS_NEGATIVE(i)) % 3,                                      \
        (MO_LARGEST_AXIS(i) + 2 - MO_LARGEST_IS_NEGATIVE(i)) % 3, MO_LARGEST_AXIS(i)               \
  }
#define MO_EIGHT_SHEAR_AXES(i)                                                                     \
  MO_SHEAR_AXES(i), MO_SHEAR_AXES((i) + 1), MO_SHEAR_AXES((i) + 2), MO_SHEAR_AXES((i) + 3),        \
      MO_SHEAR_AXES((i) + 4), MO_SHEAR_AXES((i) + 5), MO_SHEAR_AXES((i) + 6),                      \
      MO_SHEAR_AXES((i) + 7)
static const uint8_t mo_shear_axes[64][4] = {MO_EIGHT_SHEAR_AXES(0),  MO_EIGHT_SHEAR_AXES(8),
                                             MO_EIGHT_SHEAR_AXES(16), MO_EIGHT_SHEAR_AXES(24),
                                             MO_EIGHT_SHEAR_AXES(32), MO_EIGHT_SHEAR_AXES(40),
                                             MO_EIGHT_SHEAR_AXES(48), MO_EIGHT_SHEAR_AXES(56)};
#undef MO_EIGHT_SHEAR_AXES
#undef MO_SHEAR_AXES
#undef MO_LARGEST_IS_NEGATIVE
#undef MO_LARGEST_AXIS

/* Returns a number between the inverse of a positive number and twice that, without a division. */
static inline float mo_inverse_upper_bound(float size) {
  uint32_t bits;
  memcpy(&bits, &size, sizeof bits);
  bits = 0x7f000000u - (bits & 0x7f800000u);
  memcpy(&size, &bits, sizeof bits);
  return size;
}

/* The power of two by which a direction is divided. Lengths in the common range are left as they
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

/* Sets the members of a ray for the triangle test; its inverse and signs must be set. `length`: the
 * scaled direction; `larger`: the order of its components (mo_size_order_bits). */
MO_INLINE void mo_ray_set_shear(mo_ray *ray, mo_f4 origin, mo_f4 direction, const float length[3],
                                uint32_t larger) {
  const uint8_t *axes = mo_shear_axes[larger | ray->signs << 3];
  float sz = ray->inverse[axes[2]];
  ray->kx = axes[0];
  ray->ky = axes[1];
  ray->kz = axes[2];
  ray->sx = length[axes[0]] * sz;
  ray->sy = length[axes[1]] * sz;
  ray->sz = sz;
  memcpy(ray->origin, &origin, sizeof origin);
  memcpy(ray->direction, &direction, sizeof direction);
}

/* mo_ray_init, inline. Null axis sizes mean (1, 1, 1). */
MO_INLINE void mo_ray_init_inline(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction,
                                  float min_t, const mo_vec3 *axis_sizes, const mo_vec3 *reach,
                                  float margin) {
  mo_f4 o = mo_f4_from(origin, 0.0f);
  mo_f4 d = mo_f4_from(direction, 1.0f);
  float length[3] = {direction->x, direction->y, direction->z};
  mo_f4 size = mo_f4_abs(d);
  /* Lengths times axis sizes, in double precision: no product overflows or underflows. */
  uint32_t larger = axis_sizes == NULL ? mo_magnitude_order_bits(length)
                                       : mo_size_order_bits((double)size[0] * axis_sizes->x,
                                                            (double)size[1] * axis_sizes->y,
                                                            (double)size[2] * axis_sizes->z);
  int kz = mo_shear_axes[larger][2];
  float scale = mo_ray_scale_for(fabsf(length[kz]));
  float near_t = min_t;
  /* Upper bound of how far the ray is displaced, beyond rounding, by scaling it and by raising tiny
   * components of its direction to the minimum. */
  float max_displacement = 0x1p-120f;
  ray->t_scale = 1.0f;
  ray->min_t = min_t;
  if (__builtin_expect(scale != 1.0f, 0)) {
    d /= mo_f4_splat(scale);
    size = mo_f4_abs(d);
    for (int axis = 0; axis < 3; axis++) {
      length[axis] = d[axis];
    }
    ray->t_scale = 1.0f / scale;
    /* near_t is lowered by two denormal steps of the caller's t, just as mo_ray_scaled_max_t raises
     * max_t. A hit behind the origin by no more than that may be reported at t = 0. */
    near_t = (min_t - 2.0f * FLT_TRUE_MIN) * scale;
    max_displacement += 2.0f * FLT_TRUE_MIN * scale * mo_max(mo_max(size[0], size[1]), size[2]);
  }
  /* A hit exactly at min_t may lie in a box that ends one rounding error before it. */
  ray->near_t = mo_max(near_t - (near_t * 0x1p-20f + 0x1p-120f), 0.0f);

  mo_f4 reach4 = mo_f4_from(reach, 0.0f);
  mo_f4 reaches = reach4 + mo_f4_abs(o);
  float reach_of[4];
  memcpy(reach_of, &reaches, sizeof reaches);
  float along = reach_of[kz];
  float min = 0x1p-80f;
  if (__builtin_expect(mo_f4_any((size < mo_f4_splat(min)) | (reaches > mo_f4_splat(0x1p40f))),
                       0)) {
    /* Components below `min` are raised to it, so that coordinates times the inverse do not
     * overflow. This displaces the ray by less than `max_displacement` at any point that may be
     * hit. */
    min = mo_max(min, 0x1p-126f * mo_max(mo_max(reaches[0], reaches[1]), reaches[2]));
    max_displacement += 4.0f * (min / fabsf(length[kz])) * along;
  }
  mo_f4 inverse = mo_f4_splat(1.0f) / mo_f4_with_signs(mo_f4_max(size, mo_f4_splat(min)), d);
  memcpy(ray->inverse, &inverse, sizeof o);

  /* The culling margin. Its part perpendicular to the ray moves the origin (computed while the
   * division is in flight). Its part along the ray moves t, by the same amount on all axes, since a
   * slope |d_i/d_k| times |1/d_i| is |1/d_k|. */
  mo_f4 across = mo_f4_splat(margin) * mo_f4_abs(o) +
                 (mo_f4_splat(margin) * reach4 + mo_f4_splat(max_displacement));
  across = mo_f4_with_signs(across, d);
  mo_f4 early = mo_f4_splat(margin * along * mo_inverse_upper_bound(fabsf(length[kz])));
  mo_f4 near_shift = (o + across) * inverse + early, far_shift = (o - across) * inverse - early;
  memcpy(ray->near_shift, &near_shift, sizeof o);
  memcpy(ray->far_shift, &far_shift, sizeof o);

  ray->signs = mo_f4_signs(d);
  mo_ray_set_shear(ray, o, mo_f4_from(direction, 0.0f), length, larger);
}

/* The fast path, for well-conditioned rays: not scaled, with an origin no farther away than a few
 * times the size of the tree. For these, one margin serves all axes and directions: that of the
 * axis with the largest coordinates (still tiny relative to any size). The fast path takes a third
 * of the work. */

/* The limits of the fast path for geometry with coordinates up to `reach`, with a margin of
 * MO_RAY_MARGIN times `scale`. */
static inline mo_ray_fast_limits mo_ray_fast_limits_for(float reach, float scale) {
  return (mo_ray_fast_limits){
      .distance = reach <= 0x1p34f ? 64.0f * reach : -1.0f,
      .margin = 2.0f * MO_RAY_MARGIN * scale * reach + 0x1p-120f,
  };
}

/* The member near_t of a ray on the fast path. */
static inline float mo_ray_fast_near_t(float min_t) {
  return mo_max(min_t - (min_t * 0x1p-20f + 0x1p-120f), 0.0f);
}

/* Sets the members of a ray for culling, except near_t. `margin`: the part of the margin that does
 * not depend on the ray; `grow`: the rest of the margin per unit of the origin's distance. */
MO_INLINE void mo_ray_set_fast_slabs(mo_ray *ray, mo_f4 o, mo_f4 d, float margin, float grow) {
  mo_f4 far = mo_f4_abs(o), size = mo_f4_abs(d);
  mo_f4 inverse =
      mo_f4_splat(1.0f) / mo_f4_with_signs(mo_f4_max_bits(size, mo_f4_splat(0x1p-80f)), d);
  far = mo_f4_max_bits(
      far, mo_f4_max_bits(mo_f4_rotate_axes(far), mo_f4_rotate_axes(mo_f4_rotate_axes(far))));
  mo_f4 margins = mo_f4_with_signs(mo_f4_splat(grow) * far + mo_f4_splat(margin), d);
  mo_f4 near_shift = (o + margins) * inverse, far_shift = (o - margins) * inverse;
  memcpy(ray->near_shift, &near_shift, sizeof o);
  memcpy(ray->far_shift, &far_shift, sizeof o);
  memcpy(ray->inverse, &inverse, sizeof o);
  ray->signs = mo_f4_signs(d);
}

/* Whether the origin of a ray is no farther away than `distance` on each axis, and its direction
 * neither longer than 2^20 nor shorter than `min` on all axes. */
MO_INLINE bool mo_ray_is_within(mo_f4 o, mo_f4 d, float distance, float min) {
  mo_f4 size = mo_f4_abs(d);
  return mo_f4_every(mo_f4_le(mo_f4_abs(o), mo_f4_splat(distance)) &
                     mo_f4_le(size, mo_f4_splat(0x1p20f))) &&
         mo_f4_any(mo_f4_le(mo_f4_splat(min), size));
}

/* Whether a ray takes the fast path. False for a ray with a number that is not finite, a negative
 * min_t, or a zero direction. */
MO_INLINE bool mo_ray_takes_fast_path(mo_f4 o, mo_f4 d, float min_t,
                                      const mo_ray_fast_limits *limits) {
  return mo_ray_is_within(o, d, limits->distance, 0x1p-20f) && min_t >= 0.0f && min_t <= FLT_MAX;
}

/* Sets the members of a ray for culling, half of the work of mo_ray_init, on the fast path, with a
 * margin of MO_RAY_MARGIN times `scale`, a constant for which `limits` were made. Returns false,
 * with the ray undefined, if the ray is not within the limits, as is every ray with a number that
 * is not finite, a negative min_t, or a zero direction. */
MO_INLINE bool mo_ray_init_fast(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction,
                                float min_t, const mo_ray_fast_limits *limits, float scale) {
  mo_f4 o = mo_f4_from(origin, 0.0f), d = mo_f4_from(direction, 0.0f);
  if (__builtin_expect(!mo_ray_takes_fast_path(o, d, min_t, limits), 0)) {
    return false;
  }
  mo_ray_set_fast_slabs(ray, o, d, limits->margin, 2.0f * MO_RAY_MARGIN * scale);
  ray->near_t = mo_ray_fast_near_t(min_t);
  return true;
}

/* Whether a ray that was transformed to the local space of a mesh, for which `limits` were made,
 * takes the fast path there; near_t is already set. The axis k is the one along which the ray goes
 * farthest in the world, so slopes relative to it may exceed one. `slopes` is at least (1 + the
 * largest slope) / 2 (mo_affine_slope_factor), and a margin of 64 u (A_i + |d_i/d_k| A_k) is at
 * most 128 u * slopes times the largest A. The largest component of the direction is at most 2 *
 * MO_MAX_SLOPE_FACTOR - 1, so less than 2^3, times the component on k, which therefore lies in the
 * range that is not scaled. The origin may be four times as far away as on the world's fast path,
 * since shapes are smaller than the scene around them; the margin is then at most 2^-7 of the
 * mesh's reach. An infinite or NaN local ray fails the comparisons. */
MO_INLINE bool mo_ray_takes_fast_path_in_mesh(mo_f4 o, mo_f4 d, float slopes,
                                              const mo_ray_fast_limits *limits) {
  return mo_ray_is_within(o, d, 4.0f * limits->distance, 0x1p-17f) && slopes < INFINITY;
}

/* Sets the culling members of a ray for which mo_ray_takes_fast_path_in_mesh is true. */
MO_INLINE void mo_ray_set_fast_local(mo_ray *ray, mo_f4 o, mo_f4 d, float slopes,
                                     const mo_ray_fast_limits *limits) {
  mo_ray_set_fast_slabs(ray, o, d, slopes * limits->margin, slopes * (2.0f * MO_RAY_MARGIN));
}

/* Sets the members of a ray for the triangle test, the other half of the work of mo_ray_init, on
 * the fast path. Null axis sizes mean (1, 1, 1). */
MO_INLINE void mo_ray_init_fast_shear(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction,
                                      const mo_vec3 *axis_sizes, float min_t) {
  float length[3] = {direction->x, direction->y, direction->z};
  if (axis_sizes != NULL) {
    /* The direction may have been computed in double. The barrier keeps GCC from using its values
     * before they were rounded to float (see tests/math/rounding.c). */
    __asm__("" : "+m"(length));
  }
  uint32_t larger = axis_sizes == NULL
                        ? mo_magnitude_order_bits(length)
                        : mo_size_order_bits(fabs((double)length[0]) * axis_sizes->x,
                                             fabs((double)length[1]) * axis_sizes->y,
                                             fabs((double)length[2]) * axis_sizes->z);
  mo_ray_set_shear(ray, mo_f4_from(origin, 0.0f), mo_f4_from(direction, 0.0f), length, larger);
  ray->t_scale = 1.0f;
  ray->min_t = min_t;
}

#endif
