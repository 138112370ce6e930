/* Refusals of motte/overlap.h by forms that take a def and give one answer or many one by one; of
 * triangles; of the ground along a ray; and of motte/query_batch.h. Lists are among those of
 * regions. */
#include "refusals.h"

static bool no_shape(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)shape, (void)user_data, (void)context;
  return false;
}

static bool no_triangle(const mo_triangle *triangle, void *context) {
  (void)triangle, (void)context;
  return false;
}

static void refuse_forms(const refusal_world *w) {
  const mo_overlap_def good = mo_default_overlap_def();
  uint32_t total;
  bool found;
#define ON_TRIANGLES(code, told, def)                                                              \
  REFUSED(code, told, mo_scene_test_triangles, w->scene, def, &found, NULL);                       \
  REFUSED(code, told, mo_scene_visit_triangles, w->scene, def, no_triangle, NULL, NULL);           \
  REFUSED(code, told, mo_mesh_overlap_triangles, w->mesh, def, NULL, 0, &total, NULL);             \
  REFUSED(code, told, mo_mesh_test_overlap, w->mesh, def, &found, NULL);                           \
  REFUSED(code, told, mo_mesh_visit_triangles, w->mesh, def, no_triangle, NULL, NULL)
#define ON_FORMS(code, told, def)                                                                  \
  ON_TRIANGLES(code, told, def);                                                                   \
  REFUSED(code, told, mo_scene_visit_overlaps, w->scene, def, no_shape, NULL, NULL)
  ON_FORMS(MO_ERROR_NULL_ARGUMENT, "def is null", NULL);
  mo_overlap_def bad = good;
  bad.cookie = 0;
  ON_FORMS(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_overlap_def", &bad);
  bad = good;
  bad.filter.cookie = 0;
  ON_FORMS(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter", &bad);
  bad = good;
  bad.type = (mo_overlap_type)9;
  ON_FORMS(MO_ERROR_INVALID_ARGUMENT, "def.type is 9, which is no such choice", &bad);
  bad = good;
  bad.precision = (mo_precision)9;
  ON_FORMS(MO_ERROR_INVALID_ARGUMENT, "def.precision is 9, which is no such choice", &bad);
  bad = good;
  bad.box.upper.z = -1;
  ON_FORMS(MO_ERROR_INVALID_ARGUMENT, "def.box.lower.z is 0, above .upper.z, -1", &bad);
  bad.box.upper.z = NAN;
  ON_FORMS(MO_ERROR_NOT_FINITE, "def.box.upper.z is NaN", &bad);
  bad.box.upper.z = 2e30f;
  ON_FORMS(MO_ERROR_OUT_OF_RANGE, "def.box.upper.z is 2.00000003e+30, beyond MO_MAX_COORDINATE",
           &bad);
  bad = mo_overlap_point_def((mo_vec3){0, 0, 0});
  ON_TRIANGLES(MO_ERROR_INVALID_ARGUMENT, "def.type is MO_OVERLAP_POINT", &bad);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_visit_overlaps, NULL, &good, no_shape, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_overlaps, w->scene, &good, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_triangles, w->scene, &good, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_mesh_visit_triangles, w->mesh, &good, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "found is null", mo_scene_test_triangles, w->scene, &good, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "found is null", mo_mesh_test_overlap, w->mesh, &good, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_mesh_overlap_triangles, w->mesh, &good, NULL,
          0, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "triangles is null", mo_mesh_overlap_triangles, w->mesh, &good,
          NULL, 1, &total, NULL);
}

static bool no_pair(mo_triangle_pair pair, void *context) {
  (void)pair;
  (void)context;
  return true;
}

static void refuse_two_meshes(const refusal_world *w) {
  uint32_t total;
  bool found;
  mo_overlap_mesh_def good = mo_default_overlap_mesh_def();
  good.other = w->mesh;
  mo_triangle_segment segment;
  const mo_triangle_pair first = {0, 0}, beyond = {0, 1u << 20};
#define ON_MESHES(code, told, def)                                                                 \
  REFUSED(code, told, mo_mesh_get_overlap_segments, w->mesh, def, &first, 1, &segment);            \
  REFUSED(code, told, mo_mesh_overlap_mesh, w->mesh, def, NULL, 0, &total, NULL);                  \
  REFUSED(code, told, mo_mesh_visit_overlap_mesh, w->mesh, def, no_pair, NULL, NULL);              \
  REFUSED(code, told, mo_mesh_test_overlap_mesh, w->mesh, def, &found, NULL)
  ON_MESHES(MO_ERROR_NULL_ARGUMENT, "def is null", NULL);
  mo_overlap_mesh_def bad = good;
  bad.cookie = 0;
  ON_MESHES(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_overlap_mesh_def", &bad);
  bad = good;
  bad.other = NULL;
  ON_MESHES(MO_ERROR_NULL_ARGUMENT, "def.other is null", &bad);
  bad = good;
  bad.transform.y_axis.z = INFINITY;
  ON_MESHES(MO_ERROR_NOT_FINITE, "def.transform.y_axis.z is infinite", &bad);
  bad = good;
  bad.other_transform.origin.x = 2e30f;
  ON_MESHES(MO_ERROR_OUT_OF_RANGE,
            "def.other_transform.origin.x is 2.00000003e+30, beyond MO_MAX_COORDINATE", &bad);
  bad = good;
  bad.transform.origin.x = bad.transform.x_axis.x = bad.transform.y_axis.x =
      bad.transform.z_axis.x = 1e30f;
  ON_MESHES(MO_ERROR_OUT_OF_RANGE,
            "def.transform takes a corner of the bounds beyond MO_MAX_COORDINATE", &bad);
  REFUSED(MO_ERROR_INVALID_INDEX, "pairs[0] has a triangle that there is not",
          mo_mesh_get_overlap_segments, w->mesh, &good, &beyond, 1, &segment);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pairs is null", mo_mesh_get_overlap_segments, w->mesh, &good,
          NULL, 1, &segment);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "segments is null", mo_mesh_get_overlap_segments, w->mesh, &good,
          &first, 1, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_get_overlap_segments, NULL, &good, &first, 1,
          &segment);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_overlap_mesh, NULL, &good, NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_test_overlap_mesh, NULL, &good, &found, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_visit_overlap_mesh, NULL, &good, no_pair, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_mesh_visit_overlap_mesh, w->mesh, &good, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "found is null", mo_mesh_test_overlap_mesh, w->mesh, &good, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_mesh_overlap_mesh, w->mesh, &good, NULL, 0,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pairs is null", mo_mesh_overlap_mesh, w->mesh, &good, NULL, 1,
          &total, NULL);
}

static void refuse_own_triangles(const refusal_world *w) {
  mo_triangle_pair pair;
  uint32_t total;
  bool found;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_overlap_self, NULL, &pair, 1, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_test_overlap_self, NULL, &found, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_visit_overlap_self, NULL, no_pair, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_mesh_visit_overlap_self, w->mesh, NULL, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pairs is null", mo_mesh_overlap_self, w->mesh, NULL, 1, &total,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_mesh_overlap_self, w->mesh, NULL, 0, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "found is null", mo_mesh_test_overlap_self, w->mesh, NULL, NULL);
}

static void refuse_triangles(const refusal_world *w) {
  mo_triangle triangle;
  const mo_triangle_ref good = {w->ids[0], 0, 0}, ball = {w->ids[1], 0, 0},
                        beyond = {w->ids[0], 2, 0}, stale = {w->stale, 0, 0};
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_get_triangle, NULL, good, &triangle);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "triangle is null", mo_scene_get_triangle, w->scene, good, NULL);
  REFUSED(MO_ERROR_INVALID_INDEX, "ref.triangle is 2 of 2", mo_scene_get_triangle, w->scene, beyond,
          &triangle);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_visit_shape_triangles, NULL, good.shape,
          no_triangle, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_shape_triangles, w->scene,
          good.shape, NULL, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "ref.shape is neither a mesh nor a compound",
          mo_scene_get_triangle, w->scene, ball, &triangle);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "id is neither a mesh nor a compound",
          mo_scene_visit_shape_triangles, w->scene, ball.shape, no_triangle, NULL);
  char told[2][80];
  snprintf(told[0], sizeof told[0], "ref.shape = {index %u, generation %u} is stale",
           w->stale.index, w->stale.generation);
  snprintf(told[1], sizeof told[1], "id = {index %u, generation %u} is stale", w->stale.index,
           w->stale.generation);
  REFUSED(MO_ERROR_STALE_ID, told[0], mo_scene_get_triangle, w->scene, stale, &triangle);
  REFUSED(MO_ERROR_STALE_ID, told[1], mo_scene_visit_shape_triangles, w->scene, w->stale,
          no_triangle, NULL);
}

static void refuse_ground(const refusal_world *w) {
  mo_ray_def down = mo_default_ray_def();
  mo_ground ground;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_ground, NULL, &down, &ground, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "down is null", mo_scene_find_ground, w->scene, NULL, &ground,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "ground is null", mo_scene_find_ground, w->scene, &down, NULL,
          NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "down.direction is zero", mo_scene_find_ground, w->scene,
          &down, &ground, NULL);
  down.direction.y = NAN;
  REFUSED(MO_ERROR_NOT_FINITE, "down.direction.y is NaN", mo_scene_find_ground, w->scene, &down,
          &ground, NULL);
  down.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "down was not made by mo_default_ray_def or mo_segment_def",
          mo_scene_find_ground, w->scene, &down, &ground, NULL);
}

static void refuse_query_batches(const refusal_world *w) {
  mo_sphere_cast_def defs[3] = {mo_default_sphere_cast_def(), mo_default_sphere_cast_def(),
                                mo_default_sphere_cast_def()};
  mo_cast_hit hits[3];
  uint32_t totals[3];
  size_t first_bad, offsets[4] = {0, 1, 0, 1};
  const mo_query_batch good = mo_query_batch_of(MO_QUERY_CAST_SPHERE, defs, 3, hits);
#define ON_QUERIES(at, code, told, batch)                                                          \
  REFUSED_AT(at, code, told, mo_scene_run_queries, w->scene, batch, &first_bad, NULL);             \
  REFUSED_AT(at, code, told, mo_mesh_run_queries, w->mesh, batch, &first_bad, NULL)
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_run_queries, NULL, &good,
             &first_bad, NULL);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_run_queries, NULL, &good,
             &first_bad, NULL);
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "batch is null", NULL);
  mo_query_batch bad = good;
  bad.cookie = 0;
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_UNINITIALIZED_DEF,
             "batch was not made by mo_default_query_batch", &bad);
  bad = good;
  bad.query = (mo_query_type)99;
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "batch.query is 99, which is no such choice",
             &bad);
  bad.query = MO_QUERY_CONTAINS_POINT;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "batch.query is 4, which is of meshes alone",
             mo_scene_run_queries, w->scene, &bad, &first_bad, NULL);
  bad.query = MO_QUERY_OVERLAP_SHAPES;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "batch.query is 1, which is of scenes alone",
             mo_mesh_run_queries, w->mesh, &bad, &first_bad, NULL);
  bad = good;
  bad.defs = NULL;
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "batch.defs is null", &bad);
  bad = good;
  bad.answers = NULL;
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "batch.answers is null", &bad);
  char told[2][100];
  snprintf(told[0], sizeof told[0], "batch.def_stride is 8, below the %zu bytes of a def",
           sizeof *defs);
  snprintf(told[1], sizeof told[1], "batch.answer_stride is 8, below the %zu bytes of an answer",
           sizeof *hits);
  bad = good;
  bad.def_stride = 8;
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, told[0], &bad);
  bad = good;
  bad.answer_stride = 8;
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, told[1], &bad);

  mo_query_batch lists = mo_query_batch_of(MO_QUERY_CAST_SPHERE_ALL, defs, 3, hits);
  lists.capacity = 1;
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "batch.totals is null", &lists);
  lists.totals = totals;
  lists.answer_stride = sizeof *hits + 8;
  snprintf(told[0], sizeof told[0], "batch.answer_stride is %zu, not the %zu bytes of an answer",
           sizeof *hits + 8, sizeof *hits);
  ON_QUERIES(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, told[0], &lists);
  lists.answer_stride = 0;
  lists.offsets = offsets;
  ON_QUERIES(1, MO_ERROR_INVALID_ARGUMENT, "batch.offsets[2] is 0, below the one before, 1",
             &lists);

  defs[1].sphere.radius = -1;
  defs[2].cookie = 0;
  REFUSED_AT(1, MO_ERROR_INVALID_ARGUMENT,
             "batch.defs[1]: mo_scene_cast_sphere: def.sphere.radius is -1, which is negative",
             mo_scene_run_queries, w->scene, &good, &first_bad, NULL);
  REFUSED_AT(1, MO_ERROR_INVALID_ARGUMENT,
             "batch.defs[1]: mo_mesh_cast_sphere: def.sphere.radius is -1, which is negative",
             mo_mesh_run_queries, w->mesh, &good, &first_bad, NULL);
  mo_closest_def from = mo_default_closest_def();
  mo_closest_hit closest;
  from.cookie = 0;
  mo_query_batch points = mo_query_batch_of(MO_QUERY_CLOSEST_POINT, &from, 1, &closest);
  REFUSED_AT(0, MO_ERROR_UNINITIALIZED_DEF,
             "batch.defs[0]: mo_mesh_closest_point: def was not made by mo_default_closest_def",
             mo_mesh_run_queries, w->mesh, &points, &first_bad, NULL);
}

void refuse_overlaps(const refusal_world *w) {
  refuse_forms(w);
  refuse_two_meshes(w);
  refuse_own_triangles(w);
  refuse_triangles(w);
  refuse_ground(w);
  refuse_query_batches(w);
}
