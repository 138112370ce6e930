/* Primitives that may be meshes: the shapes of queries. */
#ifndef MO_MESH_PRIMITIVE_H
#define MO_MESH_PRIMITIVE_H

#include "geometry/body/body.h"
#include "mesh/mesh.h"

/* Checks a transform that places a mesh in the world, and converts it to `affine`. `refusal`
 * describes the transform. */
mo_result mo_mesh_check_transform(const mo_mesh *mesh, const mo_transform *transform,
                                  const mo_refusal *refusal, mo_affine *affine);

/* As mo_primitive_prepare, but the primitive may be a mesh. Its `body` is then a box around all its
 * triangles in the world; around the origin of its transform if it has none. */
mo_result mo_query_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal);

/* As mo_query_primitive_prepare, but `affine` has no inverse unless the primitive is a mesh: see
 * mo_primitive_to_body. */
mo_result mo_query_primitive_to_body(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal);

#endif
