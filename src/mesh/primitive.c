/* Prepares primitives that may be meshes or compounds for queries. */
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

/* Whether a primitive is a mesh or compound. */
static bool is_aggregate(const mo_primitive *primitive) {
  return primitive->type == MO_PRIMITIVE_GEOMETRY &&
         (primitive->geometry.type == MO_SHAPE_MESH ||
          primitive->geometry.type == MO_SHAPE_COMPOUND);
}

static mo_result prepare_mesh(mo_prepared_primitive *p, const mo_primitive *primitive,
                              const mo_refusal *transform) {
  const mo_mesh *mesh = p->mesh;
  const mo_vec3 origin = primitive->transform.origin;
  const mo_result result =
      mo_mesh_check_transform(mesh, &primitive->transform, transform, &p->affine);
  if (result == MO_OK) {
    p->body = mo_body_of_aabb(mo_aabb_is_empty(mesh->bounds)
                                  ? (mo_aabb){origin, origin}
                                  : mo_affine_aabb_to_world(&p->affine, mesh->bounds));
  }
  return result;
}

static mo_result prepare_compound(mo_prepared_primitive *p, const mo_primitive *primitive,
                                  const mo_refusal *transform) {
  mo_aabb bounds;
  mo_result result = mo_check_transform(&primitive->transform, transform);
  if (result == MO_OK) {
    result = mo_affine_init(&p->affine, &primitive->transform);
  }
  if (result == MO_OK) {
    result = mo_functions_of(p->compound)->get_bounds(p->compound, &p->affine, &bounds);
    if (result != MO_OK) {
      return mo_refuse(transform, result, " takes a corner of the bounds beyond MO_MAX_COORDINATE");
    }
    p->body = mo_body_of_aabb(bounds);
  }
  return result;
}

static mo_result prepare_aggregate(mo_prepared_primitive *p, const mo_primitive *primitive,
                                   const mo_refusal *refusal) {
  const mo_refusal geometry = mo_refusal_in(refusal, ".geometry", MO_NO_INDEX),
                   transform = mo_refusal_in(refusal, ".transform", MO_NO_INDEX);
  const bool is_mesh = primitive->geometry.type == MO_SHAPE_MESH;
  p->mesh = is_mesh ? primitive->geometry.mesh : NULL;
  p->compound = is_mesh ? NULL : primitive->geometry.compound;
  if (p->mesh == NULL && p->compound == NULL) {
    return mo_refuse(&geometry, MO_ERROR_NULL_ARGUMENT,
                     is_mesh ? ".mesh is null" : ".compound is null");
  }
  if (primitive->geometry.rounding != 0.0f) {
    return mo_refuse_number(&geometry, MO_ERROR_INVALID_ARGUMENT, ".rounding",
                            (double)primitive->geometry.rounding,
                            is_mesh ? "which a mesh has not" : "which a compound has not");
  }
  return is_mesh ? prepare_mesh(p, primitive, &transform)
                 : prepare_compound(p, primitive, &transform);
}

mo_result mo_query_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal) {
  return is_aggregate(primitive) ? prepare_aggregate(p, primitive, refusal)
                                 : mo_primitive_prepare(p, primitive, refusal);
}

mo_result mo_query_primitive_to_body(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal) {
  return is_aggregate(primitive) ? prepare_aggregate(p, primitive, refusal)
                                 : mo_primitive_to_body(p, primitive, refusal);
}
