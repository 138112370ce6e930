/* The public query for the levels of detail of shapes. */
#include "mesh/overlap/overlap.h"
#include "query/near/near.h"

mo_level_def mo_default_level_def(void) {
  return (mo_level_def){
      .measure = MO_LEVEL_BY_DISTANCE, .filter = mo_default_filter(), .cookie = MO_COOKIE};
}

static mo_result check_thresholds(const mo_level_def *def, const mo_refusal *refusal) {
  bool by_size = def->measure == MO_LEVEL_BY_SIZE;
  for (uint32_t i = 0; i < def->level_count; i++) {
    mo_refusal member = mo_refusal_in(refusal, ".thresholds", i);
    float here = def->thresholds[i];
    if (isnan(here) || (by_size && isinf(here))) {
      return mo_refuse_number(&member, MO_ERROR_NOT_FINITE, "", here, NULL);
    }
    float last = i > 0 ? def->thresholds[i - 1] : here;
    if (here < 0.0f || (by_size ? here > last : here < last)) {
      return mo_refuse_number(&member, MO_ERROR_INVALID_ARGUMENT, "", here,
                              here < 0.0f ? "which is negative"
                              : by_size   ? "above the one before"
                                          : "below the one before");
    }
  }
  return MO_OK;
}

static mo_result check_def(const mo_level_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_level_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)def->measure, MO_LEVEL_BY_SIZE, refusal, ".measure");
  }
  if (result != MO_OK) {
    return result;
  }
  if (def->level_count == 0 || def->level_count > MO_MAX_LEVELS) {
    return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".level_count", def->level_count,
                            "not 1 to MO_MAX_LEVELS");
  }
  if (def->thresholds == NULL) {
    return mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".thresholds is null");
  }
  result = mo_check_point(def->eye, refusal, ".eye");
  if (result == MO_OK) {
    result = check_thresholds(def, refusal);
  }
  return result == MO_OK ? mo_check_planes(def->planes, def->plane_count, refusal, ".planes")
                         : result;
}

mo_result mo_scene_find_levels(const mo_scene *scene, const mo_level_def *def,
                               mo_level_result *levels, uint32_t capacity, uint32_t *total,
                               mo_query_stats *stats) {
  const char *missing = def == NULL ? "def" : mo_missing_of_list(levels, capacity, "levels", total);
  if (scene == NULL || missing != NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, missing);
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_result result = check_def(def, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_aabb eye = {def->eye, def->eye};
  mo_level_query query = {
      .scene = scene,
      .def = def,
      .eye = mo_near_box_of(&eye),
      .stats = &counts,
      .list = mo_bounded_make(levels, capacity),
  };
  for (uint32_t i = 0; i < def->level_count; i++) {
    double threshold = def->thresholds[i];
    query.threshold2[i] = fmin(threshold * threshold, DBL_MAX);
  }
  mo_vec3 reach = mo_aabb_max_coordinates_or_zero(scene->root_bounds);
  for (uint32_t i = 0; i < def->plane_count; i++) {
    query.slack[i] = mo_plane_rounding_bound(&def->planes[i], reach);
  }
  mo_level_list_by_isa[scene->isa](&query);
  mo_bounded_sort(&query.list, sizeof *levels, mo_level_before);
  *total = query.list.total;
  mo_stats_end(&counts, stats);
  return MO_OK;
}
