/* Primitives of motte/geometry.h (mo_primitive), validated and prepared for the queries that take
 * one. */
#ifndef MO_GEOMETRY_CONVEX_PREPARED_H
#define MO_GEOMETRY_CONVEX_PREPARED_H

#include "base/refuse.h"
#include "geometry/convex/distance.h"

typedef struct mo_prepared_primitive {
  mo_affine affine;
  mo_vec3 local[3]; /* corners of a triangle */
  mo_body body;     /* points and segments are capsules of radius 0 */
} mo_prepared_primitive;

/* Errors: MO_ERROR_INVALID_ARGUMENT (a mesh, no type, sizes), MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. */
mo_result mo_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                               const mo_refusal *refusal);

/* As mo_primitive_prepare, but without the inverse of the transform, as if it had none: for callers
 * that neither cast rays nor query the regions of a tree. */
mo_result mo_primitive_place(mo_prepared_primitive *p, const mo_primitive *primitive,
                             const mo_refusal *refusal);

#endif
