/* Ray against one triangle. It must round exactly as each lane of mo_ray_test_edges8 and
 * mo_ray_find_hits8 does. */
#include "geometry/ray/triangle.h"

#include "geometry/ray/init.h"
#include "geometry/triangle/degenerate.h"

void mo_ray_init(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction, float min_t,
                 const mo_vec3 *axis_sizes, const mo_vec3 *reach, float margin) {
  mo_ray_init_inline(ray, origin, direction, min_t, axis_sizes, reach, margin);
}

/* Whether the terms of which t is the sum may have lost bits to underflow. Terms that are 0 exactly
 * have not. */
static bool terms_may_underflow(const mo_ray *ray, const float z[3], float u, float v, float w) {
  const float largest = mo_max(mo_max(fabsf(u * (ray->sz * z[0])), fabsf(v * (ray->sz * z[1]))),
                               fabsf(w * (ray->sz * z[2])));
  return largest < MO_MIN_T_TERM && (z[0] != 0.0f || z[1] != 0.0f || z[2] != 0.0f);
}

/* Completes a hit. `t` is in the ray's own (scaled) units; `z` are the coordinates of the corners
 * on its main axis, relative to its origin. */
static bool complete_hit(const mo_ray *ray, const mo_vec3 corners[3], const float z[3],
                         bool doubtful, double v, double w, double sum, double t, float max_t,
                         mo_triangle_hit *hit) {
  float rounded = (float)(t * ray->t_scale) + 0.0f;
  if (doubtful) {
    rounded = mo_ray_correct_t(ray, corners, z, sum > 0.0, rounded);
  } else if (t < 0.0) {
    return false; /* also where scaling rounds t to 0 */
  }
  if (!(ray->min_t <= rounded && rounded <= max_t && rounded < INFINITY)) {
    return false;
  }
  hit->t = rounded;
  hit->u = (float)(v / sum);
  hit->v = (float)(w / sum);
  hit->front = sum > 0.0;
  return true;
}

bool mo_ray_test_nondegenerate_triangle(const mo_ray *ray, const mo_vec3 corners[3], float max_t,
                                        mo_cull cull, mo_triangle_hit *hit) {
  float x[3], y[3], z[3];
  for (int i = 0; i < 3; i++) {
    const float c[3] = {corners[i].x, corners[i].y, corners[i].z};
    z[i] = c[ray->kz] - ray->origin[ray->kz];
    x[i] = c[ray->kx] - ray->origin[ray->kx] - ray->sx * z[i];
    y[i] = c[ray->ky] - ray->origin[ray->ky] - ray->sy * z[i];
  }
  float u1 = x[2] * y[1], u2 = y[2] * x[1];
  float v1 = x[0] * y[2], v2 = y[0] * x[2];
  float w1 = x[1] * y[0], w2 = y[1] * x[0];
  float u = u1 - u2, v = v1 - v2, w = w1 - w2;
  float min = mo_min(mo_min(u, v), w);
  float max = mo_max(mo_max(u, v), w);
  if ((min < 0.0f && 0.0f < max) || (cull == MO_CULL_BACK && min < 0.0f) ||
      (cull == MO_CULL_FRONT && 0.0f < max)) {
    return false;
  }

  bool near = mo_triangle_spans_ray_end(z, ray->direction[ray->kz]);
  float sum = u + v + w;
  float magnitude = ((fabsf(u1) + fabsf(u2)) + (fabsf(v1) + fabsf(v2))) + (fabsf(w1) + fabsf(w2));
  float smallest = mo_min(mo_min(fabsf(u), fabsf(v)), fabsf(w));
  float needed = MO_MIN_RELATIVE_WEIGHT_SUM * magnitude;
  needed = needed > MO_MIN_WEIGHT_SUM ? needed : MO_MIN_WEIGHT_SUM;
  float sum_t = u * (ray->sz * z[0]) + v * (ray->sz * z[1]) + w * (ray->sz * z[2]);
  if (smallest > 0.0f && needed <= fabsf(sum) && fabsf(sum_t) < INFINITY && magnitude < INFINITY &&
      !terms_may_underflow(ray, z, u, v, w)) {
    float t = sum_t / sum;
    float slope = mo_max(fabsf(ray->sx), fabsf(ray->sy));
    bool doubtful =
        near && (ray->t_scale != 1.0f || mo_ray_t_is_uncertain(x, y, z, slope, ray->sz, sum, t));
    return complete_hit(ray, corners, z, doubtful, v, w, sum, t, max_t, hit);
  }

  /* Products of floats are exact in double, so each difference is rounded once and has the exact
   * sign. */
  double du = (double)x[2] * y[1] - (double)y[2] * x[1];
  double dv = (double)x[0] * y[2] - (double)y[0] * x[2];
  double dw = (double)x[1] * y[0] - (double)y[1] * x[0];
  bool negative = du < 0.0 || dv < 0.0 || dw < 0.0;
  bool positive = du > 0.0 || dv > 0.0 || dw > 0.0;
  if (negative == positive || (cull == MO_CULL_BACK && negative) ||
      (cull == MO_CULL_FRONT && positive)) {
    return false; /* a miss, or no area when projected along the ray */
  }
  double dsum = du + dv + dw;
  double sz = ray->sz;
  double t = (du * (sz * z[0]) + dv * (sz * z[1]) + dw * (sz * z[2])) / dsum;
  return complete_hit(ray, corners, z, near, dv, dw, dsum, t, max_t, hit);
}

bool mo_ray_test_triangle(const mo_ray *ray, const mo_vec3 corners[3], float max_t, mo_cull cull,
                          mo_triangle_hit *hit) {
  return mo_ray_test_nondegenerate_triangle(ray, corners, max_t, cull, hit) &&
         !mo_triangle_is_degenerate(corners);
}
