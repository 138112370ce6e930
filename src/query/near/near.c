/* The public queries by distance from a box or a point. */
#include "query/near/near.h"
#include "query/solid.h"

mo_near_def mo_default_near_def(void) {
  return (mo_near_def){
      .max_distance = INFINITY, .filter = mo_default_filter(), .cookie = MO_COOKIE};
}

mo_result mo_near_def_of_shape(const mo_scene *scene, mo_shape_id id, mo_near_def *def) {
  if (scene == NULL || def == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "def");
  }
  if (!mo_shape_is_known(scene, id)) {
    return mo_refuse_shape(scene, __func__, id);
  }
  if (mo_slot_half_space(scene, id.index) != NULL) {
    mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "id");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " is a half-space, which has no box");
  }
  const mo_shape *shape = &scene->shapes[id.index];
  *def = mo_default_near_def();
  def->from = mo_stored_box(scene, id.index);
  def->filter.category = shape->category;
  def->filter.mask = shape->mask;
  def->filter.ignore = id;
  return MO_OK;
}

static mo_result check_def(const mo_scene *scene, const char *function, const mo_near_def *def) {
  if (scene == NULL || def == NULL) {
    return mo_refuse_null(mo_scene_host(scene), function, "def");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "def");
  mo_result result =
      mo_check_cookie(def->cookie, &refusal, "", "mo_default_near_def or mo_near_def_of_shape");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, &refusal, ".filter");
  }
  if (result == MO_OK) {
    mo_refusal from = mo_refusal_in(&refusal, ".from", MO_NO_INDEX);
    result = mo_check_aabb(&def->from, &from);
  }
  if (result == MO_OK) {
    result = mo_check_distance(def->max_distance, &refusal, ".max_distance");
  }
  if (result == MO_OK && def->after != NULL) {
    result = mo_check_distance(def->after->distance2, &refusal, ".after->distance2");
  }
  return result;
}

static mo_near_query query_of(const mo_scene *scene, const mo_near_def *def,
                              mo_query_stats *counts) {
  double max = def->max_distance;
  mo_distance_key begin = {0.0, 0};
  if (def->after != NULL) {
    begin = (mo_distance_key){def->after->distance2,
                              MO_FIRST_SHAPE_RANK + (uint64_t)def->after->shape.index + 1};
  }
  return (mo_near_query){
      .scene = scene,
      .from = mo_near_box_of(&def->from),
      .limit = fmin(max * max, DBL_MAX),
      .filter = &def->filter,
      .filter_passes_defaults = mo_filter_passes_defaults(&def->filter),
      .begin = begin,
      .stats = counts,
  };
}

/* The caller's buffer for the shapes that are found. */
typedef struct output {
  mo_near_shape *shapes;
  uint32_t capacity;
  bool count_all;  /* count all shapes within the distance, not only those written */
  uint32_t *count; /* receives the number of shapes */
} output;

/* Finds shapes near a box, for mo_scene_find_near or mo_scene_find_nearest (`function`). */
static mo_result find_shapes(const mo_scene *scene, const char *function, const mo_near_def *def,
                             const output *to, mo_query_stats *stats) {
  mo_near_shape *shapes = to->shapes;
  if (to->count == NULL || (to->capacity > 0 && shapes == NULL)) {
    const char *number = to->count_all ? "total" : "count";
    return mo_refuse_null(mo_scene_host(scene), function, to->count == NULL ? number : "shapes");
  }
  mo_result result = check_def(scene, function, def);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_near_query query = query_of(scene, def, &counts);
  query.list = mo_bounded_make(shapes, to->capacity);
  query.count_all = to->count_all;
  if (to->count_all || to->capacity > 0) {
    mo_near_list_by_isa[scene->isa](&query);
    mo_bounded_sort(&query.list, sizeof *shapes, mo_near_shape_before);
    for (uint32_t i = 0; i < query.list.count; i++) {
      shapes[i].user_data = scene->shapes[shapes[i].shape.index].user_data;
      shapes[i].distance = sqrt(shapes[i].distance2);
    }
  }
  *to->count = to->count_all ? query.list.total : query.list.count;
  mo_stats_end(&counts, stats);
  return MO_OK;
}

mo_result mo_scene_find_near(const mo_scene *scene, const mo_near_def *def, mo_near_shape *shapes,
                             uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  const output to = {shapes, capacity, true, total};
  return find_shapes(scene, __func__, def, &to, stats);
}

mo_result mo_scene_find_nearest(const mo_scene *scene, const mo_near_def *def,
                                mo_near_shape *shapes, uint32_t capacity, uint32_t *count,
                                mo_query_stats *stats) {
  const output to = {shapes, capacity, false, count};
  return find_shapes(scene, __func__, def, &to, stats);
}

mo_result mo_scene_visit_nearest(const mo_scene *scene, const mo_near_def *def,
                                 bool (*visit)(const mo_near_shape *shape, void *context),
                                 void *context, mo_query_stats *stats) {
  if (visit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "visit");
  }
  mo_result result = check_def(scene, __func__, def);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_near_query query = query_of(scene, def, &counts);
  query.visit = visit;
  query.context = context;
  mo_near_visit_by_isa[scene->isa](&query);
  mo_stats_end(&counts, stats);
  return MO_OK;
}
