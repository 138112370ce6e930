/* The public ray queries on a scene. */
#include "query/ray/scene_ray.h"

bool mo_scene_ray_trace(mo_scene_ray *query) {
  switch (query->def->traversal) {
  case MO_TRAVERSAL_PLANE_WALK:
    mo_scene_ray_prepare(query, &query->ray);
    return mo_scene_walk(query);
  case MO_TRAVERSAL_NAIVE:
    return mo_scene_visit_all(query);
  case MO_TRAVERSAL_FAST:
    break;
  }
  static bool (*const traces[MO_ISA_COUNT])(mo_scene_ray *) = MO_ISA_TABLE(mo_scene_trace);
  return traces[query->scene->isa](query);
}

void mo_scene_ray_begin(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *ray,
                        mo_ray_goal goal, mo_query_stats *counts, const mo_query_stats *callers) {
  if (callers != NULL || ray->traversal != MO_TRAVERSAL_FAST) {
    *counts = mo_stats_begin(callers);
  }
  mo_scene_ray_init(query, scene, ray, goal, counts, callers != NULL);
}

static mo_result cast_ray(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hit,
                          mo_query_stats *stats) {
  mo_result result = mo_check_ray(ray);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts;
  mo_scene_ray query;
  mo_scene_ray_begin(&query, scene, ray, MO_GOAL_CLOSEST, &counts, stats);
  if (mo_ray_has_direction(ray)) {
    mo_scene_ray_trace(&query);
  }
  mo_scene_ray_closest(&query, hit);
  mo_stats_end(query.stats, stats);
  return MO_OK;
}

mo_result mo_scene_cast_ray(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hit,
                            mo_query_stats *stats) {
  static bool (*const casts[MO_ISA_COUNT])(const mo_scene *, const mo_ray_def *, mo_ray_hit *) =
      MO_ISA_TABLE(mo_scene_cast_usual);
  if (scene == NULL || ray == NULL || hit == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (stats == NULL && casts[scene->isa](scene, ray, hit)) {
    return MO_OK;
  }
  return cast_ray(scene, ray, hit, stats);
}

static mo_result test_ray(const mo_scene *scene, const mo_ray_def *ray, bool *hit,
                          mo_query_stats *stats) {
  mo_result result = mo_check_ray(ray);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts;
  mo_scene_ray query;
  mo_scene_ray_begin(&query, scene, ray, MO_GOAL_ANY, &counts, stats);
  *hit = mo_ray_has_direction(ray) && mo_scene_ray_trace(&query);
  mo_stats_end(query.stats, stats);
  return MO_OK;
}

mo_result mo_scene_test_ray(const mo_scene *scene, const mo_ray_def *ray, bool *hit,
                            mo_query_stats *stats) {
  static bool (*const tests[MO_ISA_COUNT])(const mo_scene *, const mo_ray_def *, bool *) =
      MO_ISA_TABLE(mo_scene_test_usual);
  if (scene == NULL || ray == NULL || hit == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (stats == NULL && tests[scene->isa](scene, ray, hit)) {
    return MO_OK;
  }
  return test_ray(scene, ray, hit, stats);
}

mo_result mo_scene_cast_ray_all(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hits,
                                uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  if (scene == NULL || ray == NULL || total == NULL || (capacity > 0 && hits == NULL)) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_check_ray(ray);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts;
  mo_bounded list = mo_bounded_make(hits, capacity);
  mo_scene_ray query;
  mo_scene_ray_begin(&query, scene, ray, MO_GOAL_ALL, &counts, stats);
  query.hits = query.mesh_ray.hits = &list;
  if (mo_ray_has_direction(ray)) {
    mo_scene_ray_trace(&query);
  }
  mo_bounded_sort(&list, sizeof *hits, mo_hit_before);
  for (uint32_t i = 0; i < list.count; i++) {
    mo_scene_ray_finish(&query, &hits[i]);
  }
  *total = list.total;
  mo_stats_end(query.stats, stats);
  return MO_OK;
}

mo_result mo_scene_line_of_sight(const mo_scene *scene, mo_vec3 from, mo_vec3 to,
                                 const mo_filter *filter, bool *visible, mo_query_stats *stats) {
  if (visible == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_check_point(to);
  if (result != MO_OK) {
    return result;
  }
  mo_ray_def ray = mo_segment_def(from, to);
  if (filter != NULL) {
    ray.filter = *filter;
  }
  bool blocked;
  result = mo_scene_test_ray(scene, &ray, &blocked, stats);
  if (result == MO_OK) {
    *visible = !blocked;
  }
  return result;
}

mo_result mo_scene_height_below(const mo_scene *scene, mo_vec3 point, mo_vec3 up,
                                const mo_filter *filter, float *height, mo_ray_hit *ground,
                                mo_query_stats *stats) {
  if (height == NULL || ground == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = point;
  ray.direction = mo_scale(-1.0f, up);
  if (filter != NULL) {
    ray.filter = *filter;
  }
  mo_result result = mo_scene_cast_ray(scene, &ray, ground, stats);
  if (result == MO_OK) {
    mo_dvec3 d = mo_widen(up);
    *height = ground->found ? (float)(ground->t * sqrt(mo_ddot(d, d))) : INFINITY;
  }
  return result;
}
