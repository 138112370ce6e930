/* Primitives of motte/geometry.h (mo_primitive), validated and prepared for the queries that take
 * one. */
#ifndef MO_GEOMETRY_CONVEX_PREPARED_H
#define MO_GEOMETRY_CONVEX_PREPARED_H

#include "base/refuse.h"
#include "geometry/convex/half_space.h"

typedef struct mo_prepared_primitive {
  mo_affine affine;
  bool is_triangle, is_volume, is_half_space;
  mo_half_space_body half_space;
  mo_solid solid;      /* points and segments are capsules of radius 0 */
  mo_convex convex;    /* of all primitives but triangles and half-spaces */
  mo_vec3 local[3];    /* corners of a triangle */
  mo_dvec3 corners[3]; /* and their images in world space */
} mo_prepared_primitive;

/* Errors: MO_ERROR_INVALID_ARGUMENT (a mesh, no type, sizes), MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. */
mo_result mo_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                               const mo_refusal *refusal);

/* As mo_primitive_prepare, but without the inverse of the transform, as if it had none: for callers
 * that neither cast rays nor query the regions of a tree. */
mo_result mo_primitive_place(mo_prepared_primitive *p, const mo_primitive *primitive,
                             const mo_refusal *refusal);

/* The primitive as a body; it refers to `p`. */
mo_distance_body mo_prepared_body(const mo_prepared_primitive *p);

/* The world AABB of a primitive, rounded outward; all of space for a half-space. */
mo_aabb mo_prepared_bounds(const mo_prepared_primitive *p);

/* The body with its bounds. */
mo_boxed_body mo_prepared_boxed(const mo_prepared_primitive *p);

#endif
