/* The public queries about two meshes. */
#include "mesh/pair/pair.h"

#include "base/bounded.h"
#include "mesh/primitive.h"

mo_overlap_mesh_def mo_default_overlap_mesh_def(void) {
  return (mo_overlap_mesh_def){.transform = mo_transform_identity(),
                               .other_transform = mo_transform_identity(),
                               .cookie = MO_COOKIE};
}

mo_result mo_mesh_pair_check(const mo_mesh *const mesh[2], const mo_transform *const transform[2],
                             const mo_refusal *refusal, mo_affine affine[2]) {
  const mo_refusal own = mo_refusal_in(refusal, ".transform", MO_NO_INDEX),
                   others = mo_refusal_in(refusal, ".other_transform", MO_NO_INDEX);
  if (mesh[1] == NULL) {
    return mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".other is null");
  }
  const mo_result result = mo_mesh_check_transform(mesh[0], transform[0], &own, &affine[0]);
  return result == MO_OK ? mo_mesh_check_transform(mesh[1], transform[1], &others, &affine[1])
                         : result;
}

mo_result mo_mesh_pair_check_def(const mo_mesh *const mesh[2], const mo_overlap_mesh_def *def,
                                 const mo_refusal *refusal, mo_affine affine[2]) {
  const mo_transform *const transform[2] = {&def->transform, &def->other_transform};
  const mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_overlap_mesh_def");
  return result == MO_OK ? mo_mesh_pair_check(mesh, transform, refusal, affine) : result;
}

/* Where the pairs of triangles that touch are reported. */
typedef struct pair_receiver {
  bool (*report)(uint32_t triangle, uint32_t other, void *context);
  void *context;
} pair_receiver;

/* Reports the pairs of triangles that touch. */
static void report_pairs(const mo_mesh *const mesh[2], const mo_affine *const affine[2], mo_isa isa,
                         pair_receiver to, mo_query_stats *stats) {
  if (mo_aabb_is_empty(mesh[0]->bounds) || mo_aabb_is_empty(mesh[1]->bounds)) {
    return;
  }
  mo_mesh_pair query;
  mo_mesh_pair_init(&query, mesh, affine, 0.0, stats);
  query.test = mo_mesh_pair_touches;
  query.report = to.report;
  query.context = to.context;
  mo_mesh_pair_find(&query, isa);
}

bool mo_meshes_touch(const mo_mesh *const mesh[2], const mo_affine *const affine[2], mo_isa isa,
                     mo_query_stats *stats) {
  bool found = false;
  report_pairs(mesh, affine, isa, (pair_receiver){mo_mesh_pair_set_found_and_stop, &found}, stats);
  return found;
}

/* Checks a def, and reports the pairs of triangles that touch. */
static mo_result find_pairs(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                            const char *function, pair_receiver to, mo_query_stats *stats) {
  const mo_refusal refusal = mo_refusal_of(&mesh->host, function, "def");
  const mo_mesh *const meshes[2] = {mesh, def->other};
  mo_affine affine[2];
  const mo_result result = mo_mesh_pair_check_def(meshes, def, &refusal, affine);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    report_pairs(meshes, (const mo_affine *[2]){&affine[0], &affine[1]}, mesh->isa, to, &counts);
    mo_stats_end(&counts, stats);
  }
  return result;
}

bool mo_mesh_pair_set_found_and_stop(uint32_t a, uint32_t b, void *found) {
  (void)a;
  (void)b;
  *(bool *)found = true;
  return false;
}

mo_result mo_mesh_test_overlap_mesh(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                                    bool *found, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || found == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "found");
  }
  bool any = false;
  const mo_result result = find_pairs(
      mesh, def, __func__, (pair_receiver){mo_mesh_pair_set_found_and_stop, &any}, stats);
  if (result == MO_OK) {
    *found = any;
  }
  return result;
}

bool mo_mesh_pair_before(const void *a, const void *b) {
  return mo_mesh_pair_is_before(*(const mo_triangle_pair *)a, *(const mo_triangle_pair *)b);
}

bool mo_mesh_pair_add_to_list(uint32_t a, uint32_t b, void *list) {
  const mo_triangle_pair pair = {a, b};
  mo_bounded_offer(list, &pair, sizeof pair, mo_mesh_pair_before);
  return true;
}

mo_result mo_mesh_overlap_mesh(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                               mo_triangle_pair *pairs, uint32_t capacity, uint32_t *total,
                               mo_query_stats *stats) {
  const char *missing = def == NULL ? "def" : mo_missing_of_list(pairs, capacity, "pairs", total);
  if (mesh == NULL || missing != NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, missing);
  }
  mo_bounded_list list = mo_bounded_make(pairs, capacity);
  const mo_result result =
      find_pairs(mesh, def, __func__, (pair_receiver){mo_mesh_pair_add_to_list, &list}, stats);
  if (result == MO_OK) {
    mo_bounded_sort(&list, sizeof *pairs, mo_mesh_pair_before);
    *total = list.total;
  }
  return result;
}

bool mo_mesh_pair_pass_on(uint32_t a, uint32_t b, void *visit) {
  const mo_mesh_pair_visit *to = visit;
  return to->visit((mo_triangle_pair){a, b}, to->context);
}

mo_result mo_mesh_visit_overlap_mesh(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                                     bool (*visit)(mo_triangle_pair pair, void *context),
                                     void *context, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || visit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "visit");
  }
  mo_mesh_pair_visit to = {visit, context};
  return find_pairs(mesh, def, __func__, (pair_receiver){mo_mesh_pair_pass_on, &to}, stats);
}
