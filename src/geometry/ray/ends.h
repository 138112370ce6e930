/* Rays that begin or end on a triangle: t against 0 and against 1, where segments end.
 *
 * t is off by rounding, and by more the closer the ray comes to the plane of the triangle. So a ray
 * that starts on a triangle could be said to hit it at a t a little above or below 0, and be lost
 * in the latter case. What is promised instead, for each triangle that the line of the ray meets:
 *
 *   - t has the sign that it has in the real numbers, for the corners and the origin as the floats
 *     that they are. On a triangle's plane it is 0.
 *   - The end of a segment, origin + direction, is known only to half a unit in the last place of
 *     the direction, as that is a rounded difference of points. Where a plane passes the end by no
 *     more than that, t is 1; otherwise it lies on the side of 1 on which it should.
 *
 * Only a triangle with corners on both sides of the start or of the end along the ray's main axis
 * can be concerned: t is a mean of the corners' places there, whose signs are never rounded away.
 * And t has to be near 0 or 1, by more than single precision can be off by, or the ray to come near
 * the plane of the triangle. Few are, so they may take their time.
 *
 * Trees must still only skip work, so t may move only to where the margin of culling allows
 * (geometry/ray/ray.h): by 16 units in the last place of the triangle's place along the ray, or to
 * a start or end that lies in the triangle, to within 16 units in the last place along one axis. A
 * box around any part of a triangle is never culled from a ray that starts in that part: the slab
 * test then compares numbers of the right order, and its margin exceeds their rounding.
 *
 * Which of these rays hit at all is decided by edge functions of rounded corners. A corner moves by
 * at most 7 u E on either axis across the ray, where E is the largest distance along an axis from
 * the origin to a corner: 2 u for each difference, 5 u for the shear. So a point on the triangle,
 * at distance r from its edges, is hit for certain if r * sin(angle between ray and plane), which
 * is at most its distance from the edges as the ray sees them, is more than 10 u E. 16 u E is
 * documented (motte/query.h). */
#ifndef MO_GEOMETRY_RAY_ENDS_H
#define MO_GEOMETRY_RAY_ENDS_H

#include "geometry/ray/ray.h"

/* Bounds beyond which rounding cannot put a t in single precision on the wrong side of 0 or 1.
 *
 * With corners that are off by 7 u E (above) the plane, times twice the area that the ray sees, is
 * off by at most 2 * (4 E * range) * 7 u E, where 4 E * range bounds the area of the triangle as
 * seen along x or y. So t is off by less than half of range * MO_ENDS_ALONG wherever that area is
 * more than 2^-12 E^2; weights that single precision suffices for add less than the other half. */
#define MO_ENDS_ALONG 0x1p-5f   /* distance of t from 0 or 1, in units of the range along the ray */
#define MO_ENDS_LEAST 0x1p-7f   /* the same, at least */
#define MO_ENDS_GRAZING 0x1p-9f /* twice the area that the ray sees, in units of E^2 */

/* Whether corners, by their least and largest place along the main axis, lie on both sides of a
 * place on it, or there. */
static inline bool mo_ray_ends_between(float least, float most, float place) {
  return least <= place && place <= most;
}

/* Whether a triangle has corners on both sides of the start or the end of a ray. `z`: the corners
 * along the main axis, from the origin; `direction`: that of the ray on it, not scaled. */
static inline bool mo_ray_ends_near(const float z[3], float direction) {
  float least = fminf(fminf(z[0], z[1]), z[2]), most = fmaxf(fmaxf(z[0], z[1]), z[2]);
  return mo_ray_ends_between(least, most, 0.0f) || mo_ray_ends_between(least, most, direction);
}

/* Whether rounding may decide on which side of 0 or 1 a t in single precision lies, where
 * mo_ray_ends_near. `reach`: the largest distance along an axis from the origin to a corner; `sum`:
 * twice the area that the ray sees. For rays that are not scaled. */
static inline bool mo_ray_ends_doubtful(const float z[3], float reach, float sz, float sum,
                                        float t) {
  float range = fmaxf(fmaxf(z[0], z[1]), z[2]) - fminf(fminf(z[0], z[1]), z[2]);
  float margin = range * fabsf(sz) * MO_ENDS_ALONG + MO_ENDS_LEAST;
  float off = fminf(fabsf(t), fabsf(t - 1.0f));
  return !(margin < off && reach * reach * MO_ENDS_GRAZING < fabsf(sum));
}

/* The t of such a triangle that the ray is said to hit at `t`; negative if that is behind the
 * start. `front`: it is met from the side of the right-hand normal. */
float mo_ray_settle_t(const mo_ray *ray, const mo_vec3 corners[3], const float z[3], bool front,
                      float t);

/* The sign of normal * (corner - point), with the right-hand normal of the triangle, in the real
 * numbers: positive behind its plane, 0 on it. */
int mo_plane_side_exactly(const mo_vec3 corners[3], mo_vec3 point);

#endif
