/* Primitives of motte/geometry.h checked and made ready, for queries that are given one. */
#ifndef MO_GEOMETRY_CONVEX_PREPARED_H
#define MO_GEOMETRY_CONVEX_PREPARED_H

#include "base/refuse.h"
#include "geometry/convex/half_space.h"

typedef struct mo_prepared_primitive {
  mo_affine affine;
  bool is_triangle, is_volume, is_half_space;
  mo_half_space_body half_space;
  mo_solid solid;      /* points and segments are capsules of radius 0 */
  mo_convex convex;    /* of anything but a triangle or half-space */
  mo_vec3 local[3];    /* corners of a triangle */
  mo_dvec3 corners[3]; /* and their images */
} mo_prepared_primitive;

/* Errors: MO_ERROR_INVALID_ARGUMENT (a mesh, no type, sizes), MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. */
mo_result mo_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                               const mo_refusal *refusal);

/* The same without the inverse of the transform, as if it had none: for those that ask no ray, and
 * no region of a tree. */
mo_result mo_primitive_place(mo_prepared_primitive *p, const mo_primitive *primitive,
                             const mo_refusal *refusal);

/* The primitive as a body; it refers to `p`. */
mo_distance_body mo_prepared_body(const mo_prepared_primitive *p);

/* A box around it, world, rounded outward; all of space around a half-space. */
mo_aabb mo_prepared_bounds(const mo_prepared_primitive *p);

/* Both. */
mo_boxed_body mo_prepared_boxed(const mo_prepared_primitive *p);

#endif
