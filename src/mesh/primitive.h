/* Primitives that may be meshes or compounds: the shapes of queries. */
#ifndef MO_MESH_PRIMITIVE_H
#define MO_MESH_PRIMITIVE_H

#include <motte/query.h>

#include "geometry/body/body.h"
#include "mesh/mesh.h"

/* Checks a transform that places a mesh in the world, and converts it to `affine`. `refusal`
 * describes the transform. */
mo_result mo_mesh_check_transform(const mo_mesh *mesh, const mo_transform *transform,
                                  const mo_refusal *refusal, mo_affine *affine);

/* Called for a child of a compound, prepared by mo_query_primitive_to_body but with the inverse in
 * `affine`, and its number; false ends the visit. */
typedef bool mo_own_child_visit(mo_prepared_primitive *child, uint32_t number, void *context);

/* What queries do with a compound, of which this part knows nothing else: the first member of
 * mo_compound points to these functions. Children beyond the range of coordinates do not count. */
typedef struct mo_compound_functions {
  /* A box around all children in the world; around the origin of the transform if there are none.
   * Errors: MO_ERROR_OUT_OF_RANGE. */
  mo_result (*get_bounds)(const struct mo_compound *compound, const mo_affine *affine,
                          mo_aabb *bounds);
  /* Finds the child with the lowest number that is at least `*number`, which becomes its number,
   * and prepares it by mo_query_primitive_to_body; false if there is none. Volumes count if
   * `with_volumes`. */
  bool (*find_child)(const struct mo_compound *compound, const mo_affine *affine, bool with_volumes,
                     uint32_t *number, mo_prepared_primitive *child);
  /* Calls `visit` for the children of a prepared compound, volumes too, whose boxes may touch a
   * body, until it returns false. Returns false if it did. */
  bool (*visit_near)(const mo_prepared_primitive *own, const mo_body *body, mo_query_stats *stats,
                     mo_own_child_visit *visit, void *context);
} mo_compound_functions;

/* The functions of a compound. */
static inline const mo_compound_functions *mo_functions_of(const struct mo_compound *compound) {
  return *(const mo_compound_functions *const *)(const void *)compound;
}

/* As mo_primitive_prepare, but the primitive may be a mesh or compound. Its `body` is then a box
 * around it in the world; around the origin of its transform if it is empty. */
mo_result mo_query_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal);

/* As mo_query_primitive_prepare, but `affine` has no inverse unless the primitive is a mesh or
 * compound: see mo_primitive_to_body. */
mo_result mo_query_primitive_to_body(mo_prepared_primitive *p, const mo_primitive *primitive,
                                     const mo_refusal *refusal);

#endif
