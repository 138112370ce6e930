/* Affine transforms as shapes use them: the map, its inverse, and whether the inverse is fit to carry
 * queries into local space. */
#ifndef MO_MATH_AFFINE_H
#define MO_MATH_AFFINE_H

#include "math/aabb.h"

/* local -> world: origin + linear * p. world -> local: inverse * (p - origin).
 *
 * `invertible` is decided once, from the transform alone: false where the linear part is singular
 * or so sheared that rounding in local space would be amplified in the world more than
 * MO_MAX_AMPLIFICATION times: the largest sum over i of |column_i of linear| * |row_i of inverse|
 * over the axes of the world (Skeel's condition; any scaling per axis leaves it at that of a
 * rotation). Queries then take the triangles to world space instead of themselves to local space. */
typedef struct mo_affine {
  mo_transform to_world;
  mo_vec3 inverse_rows[3]; /* rows of the inverse of the linear part; zero unless invertible */
  bool invertible;
} mo_affine;

#define MO_MAX_AMPLIFICATION 8.0

/* Errors: MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE. */
mo_result mo_affine_init(mo_affine *affine, const mo_transform *to_world);

/* Points and directions into local space, computed in double and rounded once. */
mo_vec3 mo_affine_point_to_local(const mo_affine *affine, mo_vec3 point);
mo_vec3 mo_affine_direction_to_local(const mo_affine *affine, mo_vec3 direction);

/* A local point to world, in double: what decides overlap tests. */
mo_dvec3 mo_affine_point_to_world(const mo_affine *affine, mo_vec3 point);

/* The same rounded to float: what decides rays against shapes without an inverse. */
mo_vec3 mo_affine_bake(const mo_affine *affine, mo_vec3 point);

/* A box around the image of a local box, rounded outward; empty stays empty. */
mo_aabb mo_affine_aabb_to_world(const mo_affine *affine, mo_aabb box);

/* A box in local space around the preimage of a world box or ball, with room for rounding: a local
 * point whose image (mo_affine_point_to_world) lies in the region lies in the box. Invertible only. */
mo_aabb mo_affine_aabb_to_local(const mo_affine *affine, mo_aabb box);
mo_aabb mo_affine_sphere_to_local(const mo_affine *affine, mo_sphere sphere);

/* A local normal (a covector) to world by the inverse transpose, in double, of unit length; zero if
 * it vanishes. Invertible only. */
mo_vec3 mo_affine_normal_to_world(const mo_affine *affine, mo_dvec3 normal);

#endif
