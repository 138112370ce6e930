/* Casts of moving half-spaces, and of bodies against half-spaces, by heights above the plane. */
#ifndef MO_GEOMETRY_CAST_HALF_SPACE_H
#define MO_GEOMETRY_CAST_HALF_SPACE_H

#include "geometry/cast/convex.h"

/* mo_cast_convex for two bodies of which at least one is a half-space. Without rotation, the time
 * of contact has a closed form; with rotation, it is found by conservative advancement, as in
 * geometry/cast/turning.h. A half-space that rotates towards another one meets it at once, far
 * out. */
mo_convex_contact mo_cast_half_space(const mo_body *still, const mo_moving_body *moving,
                                     double limit);

/* mo_cast_sphere_body against a half-space, in closed form. */
mo_convex_contact mo_cast_sphere_half_space(const mo_half_space_body *half_space,
                                            const mo_moving_ball *ball, double limit);

/* Culling by a half-space: lower bounds of heights above its plane, and of the times at which the
 * moving plane reaches them. */
typedef struct mo_plane_path {
  double normal[3], offset; /* height of a point p in the culling space: dot(normal, p) + offset */
  double speed;             /* upper bound of how fast heights shrink, while t goes from 0 to 1 */
} mo_plane_path;

/* The path of a half-space's plane, for culling triangles and boxes with coordinates up to `reach`:
 * in world space, or, if `affine` is not null, in its local space. The inverse of the transform is
 * not needed. */
mo_plane_path mo_plane_path_of(const mo_half_space_body *half_space, const mo_affine *affine,
                               mo_vec3 reach);

/* As mo_plane_path_of, for a moving half-space; `box` is the world AABB of everything that it is
 * tested against, and may be empty. */
mo_plane_path mo_moving_plane_path(const mo_moving_body *moving, const mo_affine *affine,
                                   mo_vec3 reach, mo_aabb box);

#endif
