/* Preparing rays. */
#include "geometry/ray.h"

/* Directions between these lengths are left as they are; outside, a power of two brings the largest
 * component to about one, so that neither its inverse nor a product overflows. */
static float scale_for(float largest) {
  if (largest >= 0x1p-20f && largest <= 0x1p20f) {
    return 1.0f;
  }
  int exponent;
  frexpf(largest, &exponent);
  return ldexpf(1.0f, exponent > 126 ? 126 : exponent < -126 ? -126 : exponent);
}

static float larger(float a, float b) {
  return a > b ? a : b;
}

/* The axis along which the ray goes farthest in the world. In double: no product over- or
 * underflows. */
static int main_axis(const float d[3], const mo_vec3 *weights) {
  double x = fabs((double)d[0]) * weights->x;
  double y = fabs((double)d[1]) * weights->y;
  double z = fabs((double)d[2]) * weights->z;
  int k = y > x; /* no branches: directions are as good as random */
  double most = y > x ? y : x;
  return k + (z > most) * (2 - k);
}

void mo_ray_init(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction, float min_t,
                 const mo_vec3 *weights, const mo_vec3 *reach, float margin) {
  const float o[3] = {origin->x, origin->y, origin->z};
  float d[3] = {direction->x, direction->y, direction->z};
  const float a[3] = {reach->x, reach->y, reach->z};

  int kz = main_axis(d, weights);
  float scale = scale_for(fabsf(d[kz]));
  ray->t_scale = 1.0f;
  ray->min_t = min_t;
  float near_t = min_t;
  if (scale != 1.0f) {
    for (int i = 0; i < 3; i++) {
      d[i] /= scale;
    }
    ray->t_scale = 1.0f / scale;
    near_t = min_t * scale;
  }
  /* Hits at min_t itself may lie in a box that ends a rounding before it. */
  ray->near_t = near_t - (near_t * 0x1p-20f + 0x1p-120f);

  /* The other two axes, exchanged for a negative direction: that keeps the winding of triangles. */
  static const uint8_t next[6] = {1, 2, 0, 2, 0, 1};
  int negative = signbit(d[kz]) != 0;
  int kx = next[kz + 3 * negative], ky = next[kz + 3 * !negative];
  ray->kx = kx;
  ray->ky = ky;
  ray->kz = kz;
  ray->sz = 1.0f / d[kz];
  ray->sx = d[kx] * ray->sz;
  ray->sy = d[ky] * ray->sz;

  float steepness = fabsf(ray->sz);
  float steepest = larger(fabsf(ray->sx), larger(fabsf(ray->sy), 1.0f));
  float least = 0x1p-60f * steepest * fabsf(d[kz]);
  float reach_k = a[kz] + fabsf(o[kz]);
  float raised = 0x1p-58f * steepest * reach_k + 0x1p-120f;
  ray->signs = 0;
  for (int i = 0; i < 3; i++) {
    float length = fabsf(d[i]);
    float pad = margin * ((a[i] + fabsf(o[i])) + length * steepness * reach_k) + raised;
    float forward = copysignf(pad, d[i]);
    ray->origin[i] = o[i];
    ray->direction[i] = d[i];
    ray->inverse[i] = 1.0f / copysignf(length < least ? least : length, d[i]);
    ray->near_origin[i] = o[i] + forward;
    ray->far_origin[i] = o[i] - forward;
    ray->signs |= (uint32_t)(signbit(d[i]) != 0) << i;
  }
}
