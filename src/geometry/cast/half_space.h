/* Casts of moving half-spaces, and of bodies against half-spaces, by heights above the plane. */
#ifndef MO_GEOMETRY_CAST_HALF_SPACE_H
#define MO_GEOMETRY_CAST_HALF_SPACE_H

#include "geometry/cast/convex.h"

/* As mo_cast_convex, for two bodies of which at least one is a half-space. Without rotation, the
 * time of contact has a closed form; with rotation, it is found by conservative advancement, as in
 * geometry/cast/rotating.h. A half-space that rotates towards another one meets it at once, far
 * away. */
mo_convex_contact mo_cast_half_space(const mo_body *still, const mo_moving_body *moving,
                                     double limit);

/* As mo_cast_sphere_body, against a half-space; in closed form. */
mo_convex_contact mo_cast_sphere_half_space(const mo_half_space_body *half_space,
                                            const mo_moving_ball *ball, double limit);

/* The plane of a stationary or moving half-space, for culling: gives lower bounds of the heights of
 * points above the plane, and of the times at which the plane reaches the points. */
typedef struct mo_plane_path {
  double normal[3], offset; /* height of a point p in the culling space: dot(normal, p) + offset */
  double speed;             /* upper bound of how much heights shrink while t goes from 0 to 1 */
} mo_plane_path;

/* The mo_plane_path of a stationary half-space, for culling triangles and boxes with coordinates up
 * to `reach`: in world space, or, if `affine` is not null, in its local space. The inverse of the
 * transform is not needed. */
mo_plane_path mo_plane_path_of(const mo_half_space_body *half_space, const mo_affine *affine,
                               mo_vec3 reach);

/* As mo_plane_path_of, for a moving half-space. `box`: the world AABB of everything that the plane
 * is tested against; may be empty. */
mo_plane_path mo_moving_plane_path(const mo_moving_body *moving, const mo_affine *affine,
                                   mo_vec3 reach, mo_aabb box);

#endif
