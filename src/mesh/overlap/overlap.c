/* The public region queries on one mesh. */
#include "mesh/overlap/overlap.h"
#include "base/key_sort.h"

static bool index_before(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

static bool add_index_to_list(uint32_t triangle, void *context) {
  mo_bounded_offer(context, &triangle, sizeof triangle, index_before);
  return true;
}

static mo_result check_list(const mo_refusal *refusal, const uint32_t *triangles, uint32_t capacity,
                            const uint32_t *total) {
  if (total == NULL || (capacity > 0 && triangles == NULL)) {
    return mo_refuse_null(refusal->host, refusal->function, total == NULL ? "total" : "triangles");
  }
  return MO_OK;
}

/* Where the triangles that overlap a region are reported; see mo_mesh_overlap.report. */
typedef struct triangle_receiver {
  bool (*report)(uint32_t triangle, void *context);
  void *context;
} triangle_receiver;

/* Reports the triangles that overlap a region; if `filter` is not null, those that pass it. */
static void find_overlaps(const mo_mesh *mesh, const mo_region *region,
                          const mo_overlap_def *filter, const triangle_receiver *to,
                          mo_query_stats *stats) {
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_overlap query;
  mo_mesh_overlap_init(&query, region, NULL, &counts);
  query.triangle_filter = filter;
  query.report = to->report;
  query.context = to->context;
  mo_mesh_overlap_run(mesh, mesh->isa, &query);
  mo_stats_end(&counts, stats);
}

/* Checks a def, and runs the query for its region. */
static mo_result run_overlap_def(const mo_mesh *mesh, const mo_overlap_def *def,
                                 const mo_refusal *refusal, const triangle_receiver *to,
                                 mo_query_stats *stats) {
  mo_prepared_primitive primitive;
  mo_result result = mo_overlap_def_check(def, refusal, true, &primitive);
  if (result == MO_OK) {
    mo_region region = mo_overlap_def_region(def, &primitive);
    find_overlaps(mesh, &region, mo_overlap_def_triangle_filter(def), to, stats);
  }
  return result;
}

mo_result mo_mesh_overlap_triangles(const mo_mesh *mesh, const mo_overlap_def *def,
                                    uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                    mo_query_stats *stats) {
  if (mesh == NULL || def == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "def");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  mo_bounded_list list = mo_bounded_make(triangles, capacity);
  const triangle_receiver to = {add_index_to_list, &list};
  mo_result result = check_list(&refusal, triangles, capacity, total);
  if (result == MO_OK) {
    result = run_overlap_def(mesh, def, &refusal, &to, stats);
  }
  if (result == MO_OK) {
    mo_keys32_sort_list(&list);
    *total = list.total;
  }
  return result;
}

mo_result mo_mesh_test_overlap(const mo_mesh *mesh, const mo_overlap_def *def, bool *found,
                               mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || found == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "found");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  bool any = false;
  const triangle_receiver to = {mo_set_found_and_stop, &any};
  mo_result result = run_overlap_def(mesh, def, &refusal, &to, stats);
  if (result == MO_OK) {
    *found = any;
  }
  return result;
}

/* The callback of mo_mesh_visit_triangles, and its mesh. */
typedef struct visit_callback {
  const mo_mesh *mesh;
  bool (*visit)(const mo_triangle *triangle, void *context);
  void *context;
} visit_callback;

static bool visit_triangle(uint32_t index, void *context) {
  const visit_callback *v = context;
  mo_triangle triangle = mo_triangle_of(v->mesh, index, NULL);
  return v->visit(&triangle, v->context);
}

mo_result mo_mesh_visit_triangles(const mo_mesh *mesh, const mo_overlap_def *def,
                                  bool (*visit)(const mo_triangle *triangle, void *context),
                                  void *context, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || visit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "visit");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  visit_callback v = {mesh, visit, context};
  const triangle_receiver to = {visit_triangle, &v};
  return run_overlap_def(mesh, def, &refusal, &to, stats);
}

/* The outputs of a call that lists triangles. */
typedef struct list_output {
  uint32_t *triangles;
  uint32_t capacity, *total;
} list_output;

/* Lists the triangles that overlap a region. `checked` is the result of checking the arguments: an
 * error is returned at once. */
static mo_result list_triangles(const mo_mesh *mesh, mo_result checked, const mo_refusal *refusal,
                                const mo_region *region, list_output out, mo_query_stats *stats) {
  if (checked == MO_OK) {
    checked = check_list(refusal, out.triangles, out.capacity, out.total);
  }
  if (checked == MO_OK) {
    mo_bounded_list list = mo_bounded_make(out.triangles, out.capacity);
    const triangle_receiver to = {add_index_to_list, &list};
    find_overlaps(mesh, region, NULL, &to, stats);
    mo_keys32_sort_list(&list);
    *out.total = list.total;
  }
  return checked;
}

mo_result mo_mesh_overlap_aabb(const mo_mesh *mesh, const mo_aabb *box, uint32_t *triangles,
                               uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  if (mesh == NULL || box == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "box");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "box");
  const mo_region region = {.kind = MO_REGION_BOX, .box = *box};
  return list_triangles(mesh, mo_check_aabb(box, &refusal), &refusal, &region,
                        (list_output){triangles, capacity, total}, stats);
}

mo_result mo_mesh_overlap_sphere(const mo_mesh *mesh, const mo_sphere *sphere, uint32_t *triangles,
                                 uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  if (mesh == NULL || sphere == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "sphere");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "sphere");
  const mo_region region = {.kind = MO_REGION_BALL, .ball = *sphere};
  return list_triangles(mesh, mo_check_sphere(sphere, &refusal), &refusal, &region,
                        (list_output){triangles, capacity, total}, stats);
}

mo_result mo_mesh_overlap_primitive(const mo_mesh *mesh, const mo_primitive *primitive,
                                    uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                    mo_query_stats *stats) {
  if (mesh == NULL || primitive == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "primitive");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "primitive");
  mo_prepared_primitive prepared;
  const mo_result result = mo_query_primitive_to_body(&prepared, primitive, &refusal);
  mo_region region = {.kind = MO_REGION_BODY};
  if (result == MO_OK) {
    mo_body_cache_bounds(&prepared.body);
    region = mo_region_of_primitive(&prepared);
  }
  return list_triangles(mesh, result, &refusal, &region, (list_output){triangles, capacity, total},
                        stats);
}

mo_result mo_mesh_cull_planes(const mo_mesh *mesh, const mo_cull_def *def, uint32_t *triangles,
                              uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "def");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  const mo_region region = {
      .kind = MO_REGION_PLANES, .planes = def->planes, .plane_count = def->plane_count};
  return list_triangles(mesh, mo_check_cull_def(def, &refusal), &refusal, &region,
                        (list_output){triangles, capacity, total}, stats);
}

mo_result mo_mesh_contains_point(const mo_mesh *mesh, mo_vec3 point, bool *inside,
                                 mo_query_stats *stats) {
  if (mesh == NULL || inside == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "inside");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "point");
  mo_result result = mo_check_point(point, &refusal, "");
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  *inside = mo_mesh_surrounds_point_by_isa[mesh->isa](mesh, point, NULL, &counts);
  mo_stats_end(&counts, stats);
  return MO_OK;
}
