/* A ray prepared for one space (local or world): for culling boxes and for testing triangles.
 *
 * Triangles are tested after Woop, Benthin and Wald ("Watertight Ray/Triangle Intersection", JCGT
 * 2013): the space is sheared so that the ray becomes the z axis; corners that triangles share get
 * the same sheared coordinates, so the rounded mesh still closes.
 *
 * Boxes are culled by the slab test t = (bound - origin) / direction. It must keep every box that
 * contains a hit of the triangle test. That test works on corners displaced by rounding, and its t
 * has a rounding error. Let u = 2^-24, k the axis that becomes z, and, per axis i, the reach A_i =
 * largest |coordinate| of the tree + |origin_i|:
 *   - a sheared corner has an error of at most 7 u (A_i + |d_i/d_k| A_k) perpendicular to the ray;
 *   - t has an error along k of at most (9 + 2 * 16) u A_k (the precision rule in triangle.h bounds
 *     the weights' error by 16 u, and corners differ by 2 A_k at most), which moves the point by
 *     |d_i/d_k| times that on axis i;
 *   - the slab test itself rounds four times. A margin of 64 u (A_i + |d_i/d_k| A_k) on either side
 * of each slab covers the sum. Its cost is paid once per ray: the first part moves the origin
 * outward for the near planes and inward for the far planes; the second part, which is the same
 * amount of t on all axes, moves t. The test is computed as bound * inverse - shift, with shift =
 * origin * inverse rounded once per ray, fused or not: no result depends on its rounding. Direction
 * components that are tiny relative to the largest, or for which a shift would overflow, are
 * raised; the margin covers this. Most rays are well-conditioned: of moderate length, with an
 * origin not too far away. For them, 128 u of the largest A is a margin for all axes and directions
 * (mo_ray_init_fast).
 *
 * The axis k is the one along which the ray goes farthest, measured in the world: a transform may
 * scale its axes unevenly, and a t computed along an axis that is compressed in the world would be
 * imprecise. Weighted by the world lengths of the local axes (`axis_sizes`), the errors above,
 * mapped to the world, are those of a ray in the world, whatever the scale. */
#ifndef MO_GEOMETRY_RAY_RAY_H
#define MO_GEOMETRY_RAY_RAY_H

#include <float.h>
#include <stdalign.h>

#include "math/vector.h"

#define MO_RAY_MARGIN 0x1p-18f /* 64 u (u = 2^-24) of the largest coordinates, for culling */

typedef struct mo_ray {
  /* Box test: lanes 0 to 2 are the axes; t = bound * inverse - near_shift or far_shift. */
  alignas(16) float near_shift[4];
  float far_shift[4], inverse[4]; /* shifts of the far planes; 1 / direction */
  float near_t;                   /* lower end of the interval of t for culling, not negative */
  uint32_t signs;                 /* bit a: the direction is negative on axis a */

  /* Triangle test: the space is sheared so that the ray becomes the z axis. */
  int kx, ky, kz;   /* the axes that become x, y and z */
  float sx, sy, sz; /* shear along x and y, scale along z */
  alignas(16) float origin[4];
  float t_scale;                  /* a power of two: the caller's t is the ray's own t * t_scale */
  float min_t;                    /* in units of the caller's t */
  alignas(16) float direction[4]; /* the caller's direction, not scaled */
} mo_ray;

/* Limits and margin for rays on the fast path (mo_ray_init_fast in init.h). */
typedef struct mo_ray_fast_limits {
  float distance; /* largest magnitude of a coordinate of a ray's origin */
  float margin;   /* the part of the margin that does not depend on the ray */
} mo_ray_fast_limits;

/* Prepares a ray. `axis_sizes`: the world lengths of the axes' unit vectors (positive). `reach`:
 * largest |coordinate| per axis of the geometry that may be hit. `margin`: MO_RAY_MARGIN, or more
 * if hits are found in another space. Neither reach nor margin changes the result of the triangle
 * test. `direction` must not be zero. init.h has the same function inline. */
void mo_ray_init(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction, float min_t,
                 const mo_vec3 *axis_sizes, const mo_vec3 *reach, float margin);

/* Converts an upper bound of the caller's t to the ray's own (scaled) t, rounded up; never -0. If
 * directions are very long, the caller's t of different points may be the same denormal number, or
 * 0. */
static inline float mo_ray_scaled_max_t(const mo_ray *ray, float t) {
  if (ray->t_scale == 1.0f) {
    return t + 0.0f;
  }
  return (t + FLT_TRUE_MIN) / ray->t_scale * 1.000001f + 0x1p-120f;
}

#endif
