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
 * Trees must still only skip work, so t may move only to where culling leaves room
 * (geometry/ray.h): by a few units in the last place, or to a start or end that lies in the
 * triangle itself. A ray that runs so nearly in the plane that neither is the case keeps its t; so
 * does one that runs within some 1e-6 of the plane of a triangle that is a thousand times as long
 * as it is wide. */
#ifndef MO_GEOMETRY_RAY_ENDS_H
#define MO_GEOMETRY_RAY_ENDS_H

#include "geometry/ray.h"

/* What is near 0 or 1: in units of the triangle's length along the ray, and at least. And what is
 * near its plane: twice the area that the ray sees, in units of the square of that length. */
#define MO_ENDS_ALONG 0x1p-5f
#define MO_ENDS_LEAST 0x1p-7f
#define MO_ENDS_GRAZING 0x1p-9f

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

/* Whether rounding may decide on which side of 0 or 1 a t in single precision lies. `sum`: twice
 * the area that the ray sees. For rays that are not scaled. */
static inline bool mo_ray_ends_doubtful(const float z[3], float direction, float sz, float sum,
                                        float t) {
  float range = fmaxf(fmaxf(z[0], z[1]), z[2]) - fminf(fminf(z[0], z[1]), z[2]);
  float margin = range * fabsf(sz) * MO_ENDS_ALONG + MO_ENDS_LEAST;
  float off = fminf(fabsf(t), fabsf(t - 1.0f));
  return mo_ray_ends_near(z, direction) &&
         !(margin < off && range * range * MO_ENDS_GRAZING < fabsf(sum));
}

/* The t of such a triangle that the ray is said to hit at `t`; negative if that is behind the
 * start. `front`: it is met from the side of the right-hand normal. */
float mo_ray_settle_t(const mo_ray *ray, const mo_vec3 corners[3], const float z[3], bool front,
                      float t);

/* The sign of normal * (corner - point), with the right-hand normal of the triangle, in the real
 * numbers: positive behind its plane, 0 on it. */
int mo_plane_side_exactly(const mo_vec3 corners[3], mo_vec3 point);

#endif
