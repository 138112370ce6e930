/* Prepares primitives that may be meshes for queries. */
#include "mesh/primitive.h"

#include "math/affine.h"
#include "math/check.h"

mo_result mo_mesh_check_transform(const mo_mesh *mesh, const mo_transform *transform,
                                  const mo_refusal *refusal, mo_affine *affine) {
  mo_result result = mo_check_transform(transform, refusal);
  if (result == MO_OK) {
    result = mo_affine_init(affine, transform);
  }
  if (result != MO_OK || mo_aabb_is_empty(mesh->bounds)) {
    return result;
  }
  const mo_aabb bounds = mo_affine_aabb_to_world(affine, mesh->bounds);
  return mo_is_in_range(bounds.lower) && mo_is_in_range(bounds.upper)
             ? MO_OK
             : mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE,
                         " takes a corner of the bounds beyond MO_MAX_COORDINATE");
}

static mo_result prepare_mesh(mo_prepared_primitive *p, const mo_primitive *primitive,
                              const mo_refusal *refusal) {
  const mo_refusal geometry = mo_refusal_in(refusal, ".geometry", MO_NO_INDEX),
                   transform = mo_refusal_in(refusal, ".transform", MO_NO_INDEX);
  const mo_mesh *mesh = primitive->geometry.mesh;
  if (mesh == NULL) {
    return mo_refuse(&geometry, MO_ERROR_NULL_ARGUMENT, ".mesh is null");
  }
  if (primitive->geometry.rounding != 0.0f) {
    return mo_refuse_number(&geometry, MO_ERROR_INVALID_ARGUMENT, ".rounding",
                            (double)primitive->geometry.rounding, "which a mesh has not");
  }
  const mo_result result =
      mo_mesh_check_transform(mesh, &primitive->transform, &transform, &p->affine);
  if (result == MO_OK) {
    const mo_vec3 origin = primitive->transform.origin;
    p->mesh = mesh;
    p->body = mo_body_of_aabb(mo_aabb_is_empty(mesh->bounds)
                                  ? (mo_aabb){origin, origin}
                                  : mo_affine_aabb_to_world(&p->affine, mesh->bounds));
  }
  return result;
}

static bool is_mesh(const mo_primitive *primitive) {
  return primitive->type == MO_PRIMITIVE_GEOMETRY && primitive->geometry.type == MO_SHAPE_MESH;
}

mo_result mo_query_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal) {
  return is_mesh(primitive) ? prepare_mesh(p, primitive, refusal)
                            : mo_primitive_prepare(p, primitive, refusal);
}

mo_result mo_query_primitive_to_body(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal) {
  return is_mesh(primitive) ? prepare_mesh(p, primitive, refusal)
                            : mo_primitive_to_body(p, primitive, refusal);
}
