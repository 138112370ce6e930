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

/* The axis along which the ray goes farthest in the world. */
static int main_axis(const float d[3], mo_vec3 weights) {
  double length[3];
  for (int i = 0; i < 3; i++) {
    length[i] = fabs((double)d[i]) * mo_get(weights, i);
  }
  int k = length[0] >= length[1] ? 0 : 1;
  return length[2] > length[k] ? 2 : k;
}

void mo_ray_init(mo_ray *ray, mo_vec3 origin, mo_vec3 direction, float min_t, mo_vec3 weights,
                 mo_vec3 reach, float margin) {
  float o[3] = {origin.x, origin.y, origin.z};
  float d[3] = {direction.x, direction.y, direction.z};
  float a[3] = {reach.x, reach.y, reach.z};

  int kz = main_axis(d, weights);
  float scale = scale_for(fabsf(d[kz]));
  if (scale != 1.0f) {
    for (int i = 0; i < 3; i++) {
      d[i] /= scale;
    }
  }
  ray->t_scale = 1.0f / scale;
  ray->min_t = min_t;

  int kx = kz == 2 ? 0 : kz + 1;
  int ky = kx == 2 ? 0 : kx + 1;
  if (d[kz] < 0.0f) { /* keeps the winding of sheared triangles */
    int k = kx;
    kx = ky;
    ky = k;
  }
  ray->kx = kx;
  ray->ky = ky;
  ray->kz = kz;
  ray->sx = d[kx] / d[kz];
  ray->sy = d[ky] / d[kz];
  ray->sz = 1.0f / d[kz];

  float largest = fmaxf(fmaxf(fabsf(d[0]), fabsf(d[1])), fabsf(d[2]));
  float least = 0x1p-60f * largest;
  float reach_k = a[kz] + fabsf(o[kz]);
  ray->signs = 0;
  for (int i = 0; i < 3; i++) {
    ray->origin[i] = o[i];
    ray->direction[i] = d[i];
    float slope = fmaxf(fabsf(d[i]), least) / fabsf(d[kz]);
    float pad = margin * ((a[i] + fabsf(o[i])) + slope * reach_k) +
                2.0f * least / fabsf(d[kz]) * reach_k + 0x1p-120f;
    bool negative = signbit(d[i]);
    float component = fabsf(d[i]) < least ? (negative ? -least : least) : d[i];
    ray->inverse[i] = 1.0f / component;
    ray->near_origin[i] = negative ? o[i] - pad : o[i] + pad;
    ray->far_origin[i] = negative ? o[i] + pad : o[i] - pad;
    ray->signs |= (uint32_t)negative << i;
  }
  /* Hits at min_t itself may lie in a box that ends a rounding before it. */
  float near_t = min_t / ray->t_scale;
  ray->near_t = near_t - (near_t * 0x1p-20f + 0x1p-120f);
}
