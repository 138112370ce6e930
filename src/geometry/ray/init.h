/* Preparing rays. This is a good part of the cost of a ray that meets little, so there is no branch
 * in it that depends on the direction, and kernels have it inline. */
#ifndef MO_GEOMETRY_RAY_INIT_H
#define MO_GEOMETRY_RAY_INIT_H

#include "base/inline.h"
#include "geometry/ray/ray.h"
#include "math/aabb.h"
#include "math/four.h"

/* Which of three sizes are larger than which, as bits: y than x, z than y, z than x. Three
 * comparisons that are independent of each other. */
static inline uint32_t mo_larger_sizes(double x, double y, double z) {
  return (uint32_t)(y > x) | (uint32_t)(z > y) << 1 | (uint32_t)(z > x) << 2;
}

/* As mo_larger_sizes, of the magnitudes of floats, which compare as their bits do. */
static inline uint32_t mo_larger_floats(const float v[3]) {
  int32_t size[3];
  memcpy(size, v, sizeof size);
  for (int i = 0; i < 3; i++) {
    size[i] &= INT32_MAX;
  }
  return (uint32_t)(size[1] > size[0]) | (uint32_t)(size[2] > size[1]) << 1 |
         (uint32_t)(size[2] > size[0]) << 2;
}

/* The axes kx, ky and kz of a ray by these bits, and then whether its direction is negative on each
 * axis: kz is the largest, the first of equal ones, and the other two are exchanged for a direction
 * that is negative there, which keeps the winding of triangles. By one table lookup: this latency
 * is on the critical path of a ray. */
#define MO_LARGEST(i) (((i)&6) == 6 ? 2 : (i)&1)
#define MO_NEGATIVE(i) ((i) >> 3 >> MO_LARGEST(i) & 1)
#define MO_AXES(i)                                                                                 \
  {                                                                                                \
    (MO_LARGEST(i) + 1 + MO_NEGATIVE(i)) % 3, (MO_LARGEST(i) + 2 - MO_NEGATIVE(i)) % 3,            \
        MO_LARGEST(i)                                                                              \
  }
#define MO_EIGHT_AXES(i)                                                                           \
  MO_AXES(i), MO_AXES((i) + 1), MO_AXES((i) + 2), MO_AXES((i) + 3), MO_AXES((i) + 4),              \
      MO_AXES((i) + 5), MO_AXES((i) + 6), MO_AXES((i) + 7)
static const uint8_t mo_shear_axes[64][4] = {
    MO_EIGHT_AXES(0),  MO_EIGHT_AXES(8),  MO_EIGHT_AXES(16), MO_EIGHT_AXES(24),
    MO_EIGHT_AXES(32), MO_EIGHT_AXES(40), MO_EIGHT_AXES(48), MO_EIGHT_AXES(56)};
#undef MO_EIGHT_AXES
#undef MO_AXES
#undef MO_NEGATIVE
#undef MO_LARGEST

/* At least the inverse of a positive number and at most twice that, without a division. */
static inline float mo_above_inverse(float size) {
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

/* What the triangle test needs, once the inverse and the signs are known. `length` is the
 * direction, scaled. */
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

/* As mo_ray_init; null weights are ones. */
MO_INLINE void mo_ray_init_inline(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction,
                                  float min_t, const mo_vec3 *weights, const mo_vec3 *reach,
                                  float margin) {
  mo_f4 o = mo_f4_from(origin, 0.0f);
  mo_f4 d = mo_f4_from(direction, 1.0f);
  float length[3] = {direction->x, direction->y, direction->z};
  mo_f4 size = mo_f4_abs(d);
  /* In double no product over- or underflows. */
  uint32_t larger =
      weights == NULL ? mo_larger_floats(length)
                      : mo_larger_sizes((double)size[0] * weights->x, (double)size[1] * weights->y,
                                        (double)size[2] * weights->z);
  int kz = mo_shear_axes[larger][2];
  float scale = mo_ray_scale_for(fabsf(length[kz]));
  float near_t = min_t;
  /* How far the ray may be from where it should be, besides rounding; across and along it. */
  float raised = 0x1p-120f;
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
    raised += 2.0f * FLT_TRUE_MIN * scale * mo_max(mo_max(size[0], size[1]), size[2]);
  }
  /* Hits at min_t itself may lie in a box that ends a rounding before it. */
  ray->near_t = mo_max(near_t - (near_t * 0x1p-20f + 0x1p-120f), 0.0f);

  mo_f4 reach4 = mo_f4_from(reach, 0.0f);
  mo_f4 reaches = reach4 + mo_f4_abs(o);
  float reach_of[4];
  memcpy(reach_of, &reaches, sizeof reaches);
  float along = reach_of[kz];
  float least = 0x1p-80f;
  if (__builtin_expect(mo_f4_any((size < mo_f4_all(least)) | (reaches > mo_f4_all(0x1p40f))), 0)) {
    /* Components below `least` are raised to it, so that coordinates times the inverse stay below
     * overflow. That displaces the ray by less than `raised` at any point of what may be hit. */
    least = mo_max(least, 0x1p-126f * mo_max(mo_max(reaches[0], reaches[1]), reaches[2]));
    raised += 4.0f * (least / fabsf(length[kz])) * along;
  }
  mo_f4 inverse = mo_f4_all(1.0f) / mo_f4_with_signs(mo_f4_max(size, mo_f4_all(least)), d);
  memcpy(ray->inverse, &inverse, sizeof o);

  /* The margin: what is across the ray moves the origin, while the division is under way; what is
   * along it moves t, alike on all axes, as a slope |d_i/d_k| times |1/d_i| is |1/d_k|. */
  mo_f4 across =
      mo_f4_all(margin) * mo_f4_abs(o) + (mo_f4_all(margin) * reach4 + mo_f4_all(raised));
  across = mo_f4_with_signs(across, d);
  mo_f4 early = mo_f4_all(margin * along * mo_above_inverse(fabsf(length[kz])));
  mo_f4 near_shift = (o + across) * inverse + early, far_shift = (o - across) * inverse - early;
  memcpy(ray->near_shift, &near_shift, sizeof o);
  memcpy(ray->far_shift, &far_shift, sizeof o);

  ray->signs = mo_f4_signs(d);
  mo_ray_set_shear(ray, o, mo_f4_from(direction, 0.0f), length, larger);
}

/* Usual (well-conditioned) rays: not scaled, from no farther away than some times the size of what
 * they may hit. For these the margin can be as wide as the farthest axis needs it, on all axes and
 * in all directions (a hair, beside the size of anything), which takes a third of the work. */

/* The limits of the fast path for things with coordinates up to `reach`, with a margin of
 * MO_RAY_MARGIN times `scale`. */
static inline mo_ray_limits mo_ray_limits_for(float reach, float scale) {
  return (mo_ray_limits){
      .distance = reach <= 0x1p34f ? 64.0f * reach : -1.0f,
      .room = 2.0f * MO_RAY_MARGIN * scale * reach + 0x1p-120f,
  };
}

/* Where the interval of a ray of the fast path begins, for culling. */
static inline float mo_ray_fast_near_t(float min_t) {
  return mo_max(min_t - (min_t * 0x1p-20f + 0x1p-120f), 0.0f);
}

/* What culling needs, but near_t. `room`: of the margin, what does not depend on the ray; `grow`:
 * the rest per unit of the origin's distance. */
MO_INLINE void mo_ray_set_fast_slabs(mo_ray *ray, mo_f4 o, mo_f4 d, float room, float grow) {
  mo_f4 far = mo_f4_abs(o), size = mo_f4_abs(d);
  mo_f4 inverse = mo_f4_all(1.0f) / mo_f4_with_signs(mo_f4_max_bits(size, mo_f4_all(0x1p-80f)), d);
  far = mo_f4_max_bits(far, mo_f4_max_bits(mo_f4_turn(far), mo_f4_turn(mo_f4_turn(far))));
  mo_f4 rooms = mo_f4_with_signs(mo_f4_all(grow) * far + mo_f4_all(room), d);
  mo_f4 near_shift = (o + rooms) * inverse, far_shift = (o - rooms) * inverse;
  memcpy(ray->near_shift, &near_shift, sizeof o);
  memcpy(ray->far_shift, &far_shift, sizeof o);
  memcpy(ray->inverse, &inverse, sizeof o);
  ray->signs = mo_f4_signs(d);
}

/* Whether a ray takes the fast path. One with a number that is not finite, with
 * a min_t that is negative, or without a direction, never is. */
MO_INLINE bool mo_ray_is_fast(mo_f4 o, mo_f4 d, float min_t, const mo_ray_limits *limits) {
  mo_f4 size = mo_f4_abs(d);
  return mo_f4_every(mo_f4_le(mo_f4_abs(o), mo_f4_all(limits->distance)) &
                     mo_f4_le(size, mo_f4_all(0x1p20f))) &&
         mo_f4_any(mo_f4_le(mo_f4_all(0x1p-20f), size)) && min_t >= 0.0f && min_t <= FLT_MAX;
}

/* The half of mo_ray_init that culling needs, with a margin of MO_RAY_MARGIN times `scale`, a
 * constant, for which `limits` were made. Returns false, with nothing set that counts, if the ray
 * is beyond them; a ray with a number that is not finite, with a min_t that is negative, or without
 * a direction, never is. */
MO_INLINE bool mo_ray_init_fast(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction,
                                float min_t, const mo_ray_limits *limits, float scale) {
  mo_f4 o = mo_f4_from(origin, 0.0f), d = mo_f4_from(direction, 0.0f);
  if (__builtin_expect(!mo_ray_is_fast(o, d, min_t, limits), 0)) {
    return false;
  }
  mo_ray_set_fast_slabs(ray, o, d, limits->room, 2.0f * MO_RAY_MARGIN * scale);
  ray->near_t = mo_ray_fast_near_t(min_t);
  return true;
}

/* The same for a ray that a shape's transform has brought into the space of its mesh, for which
 * `limits` were made; near_t is set already. The axis k is the one along which the ray goes
 * farthest in the world, so slopes beside it may be more than one: `slopes` is at least (1 + the
 * largest) / 2 (mo_affine_slopes), and a margin of 64 u (A_i + |d_i/d_k| A_k) is at most 128 u *
 * slopes times the largest A. The largest component of the direction is at most 2 * MO_MAX_SLOPES -
 * 1, so less than 2^3, times that on k, which thus lies in the range that is not scaled. The origin
 * may be four times as far away as elsewhere, as shapes are smaller than what they stand in; the
 * margin is then at most 2^-7 of the mesh's reach. The numbers of an infinite or undefined local
 * ray fail the comparisons. */
MO_INLINE bool mo_ray_is_fast_local(mo_f4 o, mo_f4 d, float slopes, const mo_ray_limits *limits) {
  mo_f4 size = mo_f4_abs(d);
  return mo_f4_every(mo_f4_le(mo_f4_abs(o), mo_f4_all(4.0f * limits->distance)) &
                     mo_f4_le(size, mo_f4_all(0x1p20f))) &&
         mo_f4_any(mo_f4_le(mo_f4_all(0x1p-17f), size)) && slopes < INFINITY;
}

/* For one that is. */
MO_INLINE void mo_ray_set_fast_local(mo_ray *ray, mo_f4 o, mo_f4 d, float slopes,
                                     const mo_ray_limits *limits) {
  mo_ray_set_fast_slabs(ray, o, d, slopes * limits->room, slopes * (2.0f * MO_RAY_MARGIN));
}

/* Both; false if it is not. */
MO_INLINE bool mo_ray_init_fast_local(mo_ray *ray, mo_f4 o, mo_f4 d, float slopes,
                                      const mo_ray_limits *limits) {
  if (__builtin_expect(!mo_ray_is_fast_local(o, d, slopes, limits), 0)) {
    return false;
  }
  mo_ray_set_fast_local(ray, o, d, slopes, limits);
  return true;
}

/* The other half; null weights are ones. */
MO_INLINE void mo_ray_init_fast_shear(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction,
                                      const mo_vec3 *weights, float min_t) {
  float length[3] = {direction->x, direction->y, direction->z};
  if (weights != NULL) {
    /* These may have been doubles just now; GCC must not forget that they have been rounded (see
     * tests/math/rounding.c). */
    __asm__("" : "+m"(length));
  }
  uint32_t larger = weights == NULL ? mo_larger_floats(length)
                                    : mo_larger_sizes(fabs((double)length[0]) * weights->x,
                                                      fabs((double)length[1]) * weights->y,
                                                      fabs((double)length[2]) * weights->z);
  mo_ray_set_shear(ray, mo_f4_from(origin, 0.0f), mo_f4_from(direction, 0.0f), length, larger);
  ray->t_scale = 1.0f;
  ray->min_t = min_t;
}

#endif
