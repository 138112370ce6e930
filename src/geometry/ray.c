/* Preparing rays. This is a good part of the cost of a ray that meets little, so there is no branch
 * in it that depends on the direction. */
#include "geometry/ray.h"

#include "math/aabb.h"
#include "math/four.h"

/* The axis along which the ray goes farthest in the world. In double, where no product over- or
 * underflows. */
static int main_axis(mo_f4 d, const mo_vec3 *weights) {
  double x = fabs((double)d[0]) * weights->x;
  double y = fabs((double)d[1]) * weights->y;
  double z = fabs((double)d[2]) * weights->z;
  int k = y > x;
  double most = y > x ? y : x;
  return k + (z > most) * (2 - k);
}

/* The power of two by which a direction is divided. Lengths in the usual range are left as they
 * are; outside, the largest component becomes about one, so that neither its inverse nor a product
 * overflows. */
static float scale_for(float length) {
  if (length >= 0x1p-20f && length <= 0x1p20f) {
    return 1.0f;
  }
  int exponent;
  frexpf(length, &exponent);
  return ldexpf(1.0f, exponent > 126 ? 126 : exponent < -126 ? -126 : exponent);
}

void mo_ray_init(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction, float min_t,
                 const mo_vec3 *weights, const mo_vec3 *reach, float margin) {
  mo_f4 o = mo_f4_from(origin, 0.0f);
  mo_f4 d = mo_f4_from(direction, 1.0f);
  mo_f4 reaches = mo_f4_from(reach, 0.0f) + mo_f4_abs(o);
  int kz = main_axis(d, weights);
  float scale = scale_for(fabsf(mo_get(*direction, kz)));
  float near_t = min_t;
  ray->t_scale = 1.0f;
  ray->min_t = min_t;
  if (scale != 1.0f) {
    d /= mo_f4_all(scale);
    ray->t_scale = 1.0f / scale;
    near_t = min_t * scale;
  }
  /* Hits at min_t itself may lie in a box that ends a rounding before it. */
  ray->near_t = near_t - (near_t * 0x1p-20f + 0x1p-120f);

  float length[4], slope[4], reach_of[4];
  memcpy(length, &d, sizeof d);
  memcpy(reach_of, &reaches, sizeof reaches);
  float sz = 1.0f / length[kz];
  mo_f4 slopes = d * mo_f4_all(sz);
  memcpy(slope, &slopes, sizeof slopes);
  /* The other two axes, exchanged for a negative direction: that keeps the winding of triangles. */
  static const uint8_t next[6] = {1, 2, 0, 2, 0, 1};
  int negative = signbit(sz) != 0;
  ray->kx = next[kz + 3 * negative];
  ray->ky = next[kz + 3 * !negative];
  ray->kz = kz;
  ray->sx = slope[ray->kx];
  ray->sy = slope[ray->ky];
  ray->sz = sz;

  mo_f4 size = mo_f4_abs(d);
  float largest = mo_max(mo_max(size[0], size[1]), size[2]);
  mo_f4 least = mo_f4_all(0x1p-60f * largest);
  /* Raising a component to `least` displaces the ray by less than this. */
  float raised = 0x1p-58f * (largest * fabsf(sz)) * reach_of[kz] + 0x1p-120f;
  mo_f4 pad = mo_f4_all(margin) * (reaches + mo_f4_abs(slopes) * mo_f4_all(reach_of[kz])) +
              mo_f4_all(raised);
  mo_f4 forward = mo_f4_with_signs(pad, d);
  mo_f4 near_origin = o + forward, far_origin = o - forward;
  mo_f4 inverse = mo_f4_all(1.0f) / mo_f4_with_signs(mo_f4_max(size, least), d);
  memcpy(ray->origin, &o, sizeof o);
  memcpy(ray->near_origin, &near_origin, sizeof o);
  memcpy(ray->far_origin, &far_origin, sizeof o);
  memcpy(ray->inverse, &inverse, sizeof o);
  ray->signs = mo_f4_signs(d);
}
