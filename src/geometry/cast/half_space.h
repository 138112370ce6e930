/* Half-spaces that move, and what moves towards them: by heights above the plane. */
#ifndef MO_GEOMETRY_CAST_HALF_SPACE_H
#define MO_GEOMETRY_CAST_HALF_SPACE_H

#include "geometry/cast/convex.h"

/* mo_cast_convex where one of the bodies is a half-space, or both are. What does not turn meets at
 * a time in closed form; what turns by conservative advancement, as in geometry/cast/turning.h. A
 * half-space that turns towards another one meets it at once, far out. */
mo_convex_contact mo_cast_half_space(const mo_distance_body *still, mo_aabb bounds,
                                     const mo_moving_body *moving, double limit);

/* mo_cast_sphere_convex of a half-space, in closed form. */
mo_convex_contact mo_cast_sphere_half_space(const mo_half_space_body *half_space,
                                            const mo_moving_ball *ball, double limit);

/* Culling by a half-space: lower bounds of heights above its plane, and of times at which it gets
 * there. */
typedef struct mo_plane_path {
  double normal[3], offset; /* of points in the culling space: normal p + offset */
  double speed;             /* no height shrinks faster, while t goes from 0 to 1 */
} mo_plane_path;

/* For triangles and boxes with coordinates up to `reach`, of the world or, under a transform that
 * is not null, of a space of its own, where no inverse is needed. */
mo_plane_path mo_plane_path_of(const mo_half_space_body *half_space, const mo_affine *affine,
                               mo_vec3 reach);

/* The same for one that moves among what lies in a box of the world, which may be empty. */
mo_plane_path mo_moving_plane_path(const mo_moving_body *moving, const mo_affine *affine,
                                   mo_vec3 reach, mo_aabb box);

#endif
