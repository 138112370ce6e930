/* Rays that begin or end on a triangle: corrects t so that it is on the correct side of 0, the
 * start of the ray, and of 1, the end of a segment.
 *
 * t has a rounding error, which grows as the ray becomes parallel to the plane of the triangle. So
 * a ray that starts on a triangle could get a t slightly above or below 0, and would miss it in the
 * latter case. Instead, the following is guaranteed for each triangle that the line of the ray
 * meets:
 *
 *   - t has its exact sign, computed from the floats of the corners and the origin. If the origin
 *     is on the triangle's plane, t is 0.
 *   - The end of a segment, origin + direction, has an error of half an ulp of the direction, which
 *     is a rounded difference of points. If the plane is no farther from the end than that, t is 1;
 *     otherwise it lies on the correct side of 1.
 *
 * A correction is only needed for a triangle with corners on both sides of the start or of the end
 * along the ray's main axis: t is a weighted mean of the corners' coordinates there, whose signs
 * rounding never changes. Moreover, t must be within its single-precision error of 0 or 1, or the
 * ray must be nearly parallel to the plane of the triangle. Such cases are rare, so they may take
 * long.
 *
 * Culling must not change results, so t may only move as far as the culling margin allows
 * (geometry/ray/ray.h): by 16 ulp of the triangle's coordinate along the ray, or to a start or end
 * that lies in the triangle to within 16 ulp along one axis. A box around any part of a triangle is
 * never culled for a ray that starts in that part: the slab test then compares numbers of the same
 * order of magnitude, and its margin exceeds their rounding error.
 *
 * Whether a ray that begins or ends on a triangle hits it is decided by edge functions of rounded
 * corners. Rounding moves a corner by at most 7 u E on either axis perpendicular to the ray,
 * where E is the largest distance along an axis from the origin to a corner: 2 u for each
 * difference, 5 u for the shear. Consider a point on the triangle at distance r from its edges.
 * Projected along the ray, its distance from the edges is at least r * sin(angle between ray and
 * plane). So it is certainly hit if that exceeds 10 u E. 16 u E is documented (motte/query.h). */
#ifndef MO_GEOMETRY_RAY_ENDS_H
#define MO_GEOMETRY_RAY_ENDS_H

#include "geometry/ray/ray.h"
#include "math/aabb.h"

/* A bound of the rounding error of t in single precision: if t is farther from 0 and 1, it is on
 * the correct side of them.
 *
 * Let the corners be sheared (geometry/ray/triangle.h): x, y and z, with the ray along z through
 * (0, 0). Let D be the sum of the triangle's extents along x and y, R its extent along z in units
 * of t, N twice its area in the xy plane, s the larger slope of the ray, and A = D + s max |z|.
 *
 * Rounding moves a corner by d, at most 7 u A, along x and y: by 2 u |c - o| + 5 u s |z|, where
 * |c - o| is at most |x| + s |z|, and |x| at most D, since (0, 0) lies in the triangle. On the
 * plane of the triangle, t has a gradient of at most R D / |N|. As t is a mean of its values at the
 * corners, these move it by at most 7 u A D R / |N|.
 *
 * An end counts as on the plane within u of the sum of |normal * direction| over the axes. In t
 * that is u + 2 u s max |z| D R / |N|, as the triangle has corners on both sides of the end.
 *
 * The errors of weights for which single precision suffices add up to 17 u, and move t by 17 u R at
 * most. The remaining roundings are relative to the values of t at the corners, which are at most R
 * at the start and 1 + R at the end: 9 u of that.
 *
 * So less than 26 u R + 9 u A D R / |N| + 10 u. The constants are larger by a factor that also
 * covers rays that only hit the rounded triangle: |N| is then more than 18 D d, so the weights of
 * the point on its plane are at most 2 in sum. */
#define MO_RAY_T_ERROR 0x1p-17f     /* of t, in units of R (1 + A D / |N|), see above */
#define MO_RAY_T_MIN_ERROR 0x1p-20f /* absolute error of t, in addition to MO_RAY_T_ERROR */

/* Whether a coordinate `x` on the ray's main axis lies between the smallest and the largest
 * coordinate of a triangle's corners, inclusive. */
static inline bool mo_lies_between(float min, float max, float x) {
  return min <= x && x <= max;
}

/* Whether a triangle has corners on both sides of the start or the end of a ray. `z`: the
 * coordinates of the corners on the ray's main axis, relative to the origin; `direction`: the ray's
 * component on the main axis, not scaled. */
static inline bool mo_triangle_spans_ray_end(const float z[3], float direction) {
  float min = mo_min(mo_min(z[0], z[1]), z[2]), max = mo_max(mo_max(z[0], z[1]), z[2]);
  return mo_lies_between(min, max, 0.0f) || mo_lies_between(min, max, direction);
}

static inline float mo_extent_of_three(const float x[3]) {
  return mo_max(mo_max(x[0], x[1]), x[2]) - mo_min(mo_min(x[0], x[1]), x[2]);
}

/* If mo_triangle_spans_ray_end is true: whether rounding could put a t in single precision on the
 * wrong side of 0 or 1. `x`, `y`, `z`: the sheared corners; `slope`: the larger of |sx| and |sy|;
 * `sum`: twice the area projected along the ray. Only for rays that are not scaled. */
static inline bool mo_ray_t_is_uncertain(const float x[3], const float y[3], const float z[3],
                                         float slope, float sz, float sum, float t) {
  float across = mo_extent_of_three(x) + mo_extent_of_three(y);
  float reach = across + slope * mo_max(mo_max(fabsf(z[0]), fabsf(z[1])), fabsf(z[2]));
  float range = mo_extent_of_three(z) * fabsf(sz);
  float doubt = range * (1.0f + reach * across / fabsf(sum)) * MO_RAY_T_ERROR + MO_RAY_T_MIN_ERROR;
  return !(doubt < mo_min(fabsf(t), fabsf(t - 1.0f)));
}

/* Returns the corrected value of an uncertain `t` (mo_ray_t_is_uncertain); negative if the hit is
 * behind the start. `front`: the triangle is hit from the side of the right-hand normal. */
float mo_ray_correct_t(const mo_ray *ray, const mo_vec3 corners[3], const float z[3], bool front,
                       float t);

/* The exact sign of dot(normal, corner - point), with the right-hand normal of the triangle:
 * positive for a point behind the triangle's plane, 0 on the plane. */
int mo_plane_side_exactly(const mo_vec3 corners[3], mo_vec3 point);

#endif
