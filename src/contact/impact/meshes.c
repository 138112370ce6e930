/* mo_mesh_find_impact_mesh: the impact of two meshes without a scene, found as that of two shapes.
 */
#include "contact/impact/impact.h"
#include "mesh/pair/pair.h"

mo_impact_mesh_def mo_default_impact_mesh_def(void) {
  return (mo_impact_mesh_def){.transform = mo_transform_identity(),
                              .other_transform = mo_transform_identity(),
                              .impact = mo_default_impact_def(),
                              .cookie = MO_COOKIE};
}

/* A box around a mesh in the world. It is the image of the local box, so that what is refused does
 * not depend on how the mesh was built. */
static mo_body box_body_around(const mo_mesh *mesh, const mo_affine *affine) {
  const mo_aabb origin = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
  return mo_body_of_aabb(
      mo_affine_aabb_to_world(affine, mo_aabb_is_empty(mesh->bounds) ? origin : mesh->bounds));
}

/* Makes the moving shape of a mesh. `slot` takes the place of the slot in a scene. */
static mo_result make_shape(mo_impact_shape *made, uint32_t slot, const mo_mesh *mesh,
                            const mo_affine *affine, const mo_movement *movement,
                            const mo_refusal *refusal) {
  *made =
      (mo_impact_shape){.kind = MO_IMPACT_OF_MESH, .slot = slot, .mesh = mesh, .affine = affine};
  const mo_body body = box_body_around(mesh, affine);
  return mo_moving_body_make(&made->body.whole, &body, movement, refusal);
}

/* Checks a def, and makes both shapes, which refer to `affine`. */
static mo_result make_shapes(const mo_mesh *mesh, const mo_impact_mesh_def *def,
                             const mo_refusal *refusal, mo_affine affine[2],
                             mo_impact_shape shape[2]) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_impact_mesh_def");
  if (result == MO_OK) {
    const mo_refusal impact = mo_refusal_in(refusal, ".impact", MO_NO_INDEX);
    result = mo_impact_def_check(&def->impact, &impact);
  }
  if (result == MO_OK) {
    result = mo_mesh_pair_check((const mo_mesh *[2]){mesh, def->other},
                                (const mo_transform *[2]){&def->transform, &def->other_transform},
                                refusal, affine);
  }
  if (result == MO_OK) {
    const mo_refusal movement = mo_refusal_in(refusal, ".movement", MO_NO_INDEX);
    result = make_shape(&shape[0], 0, mesh, &affine[0], &def->movement, &movement);
  }
  if (result == MO_OK) {
    const mo_refusal movement = mo_refusal_in(refusal, ".other_movement", MO_NO_INDEX);
    result = make_shape(&shape[1], 1, def->other, &affine[1], &def->other_movement, &movement);
  }
  return result;
}

mo_result mo_mesh_find_impact_mesh(const mo_mesh *mesh, const mo_impact_mesh_def *def,
                                   mo_impact *impact, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || impact == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "impact");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  mo_affine affine[2];
  mo_impact_shape shape[2];
  const mo_result result = make_shapes(mesh, def, &refusal, affine, shape);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_impact_search search = mo_default_impact_search();
  search.cull_back_faces = def->cull_back_faces;
  mo_impact_finder finder = {.search = &search,
                             .isa = mesh->isa,
                             .rules = mo_impact_rules_of(&def->impact),
                             .mover = &shape[0],
                             .stats = &counts,
                             .t = 1.0f,
                             .limit = 1.0,
                             .other = MO_NONE};
  if (!mo_aabb_is_empty(mesh->bounds) && !mo_aabb_is_empty(def->other->bounds)) {
    mo_impact_test_meshes(&finder, &shape[1]);
  }
  *impact = mo_impact_of_none();
  if (finder.other != MO_NONE) {
    *impact = mo_impact_of(&finder.found, finder.t, finder.triangle, finder.other_triangle);
    impact->triangle_user_data = mo_mesh_user_data(mesh, finder.triangle);
    impact->other_triangle_user_data = mo_mesh_user_data(def->other, finder.other_triangle);
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}
