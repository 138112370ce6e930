/* The public ray queries on a scene. */
#include "query/ray/scene_ray.h"

bool mo_scene_ray_trace(mo_scene_ray *query) {
  return mo_scene_trace_by_isa[query->scene->isa](query);
}

void mo_scene_ray_begin(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *ray,
                        mo_ray_goal goal, mo_query_stats *counts, const mo_query_stats *callers) {
  if (callers != NULL) {
    *counts = mo_stats_begin(callers);
  }
  mo_scene_ray_init(query, scene, ray, goal, callers != NULL ? counts : NULL);
}

static mo_result cast_ray(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hit,
                          mo_query_stats *stats) {
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(&scene->host, "mo_scene_cast_ray", ray);
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
  if (scene == NULL || ray == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, ray == NULL ? "ray" : "hit");
  }
  if (stats == NULL && mo_scene_cast_fast_by_isa[scene->isa](scene, ray, hit)) {
    return MO_OK;
  }
  return cast_ray(scene, ray, hit, stats);
}

static mo_result test_ray(const mo_scene *scene, const mo_ray_def *ray, bool *hit,
                          mo_query_stats *stats) {
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(&scene->host, "mo_scene_test_ray", ray);
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
  if (scene == NULL || ray == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, ray == NULL ? "ray" : "hit");
  }
  if (stats == NULL && mo_scene_test_fast_by_isa[scene->isa](scene, ray, hit)) {
    return MO_OK;
  }
  return test_ray(scene, ray, hit, stats);
}

mo_result mo_scene_cast_ray_all(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hits,
                                uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  const char *missing = ray == NULL ? "ray" : mo_missing_of_list(hits, capacity, "hits", total);
  if (scene == NULL || missing != NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, missing);
  }
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(&scene->host, __func__, ray);
  }
  mo_query_stats counts;
  mo_bounded_list list = mo_bounded_make(hits, capacity);
  mo_scene_ray query;
  mo_scene_ray_begin(&query, scene, ray, MO_GOAL_ALL, &counts, stats);
  query.hits = query.mesh_options.hits = &list;
  if (mo_ray_has_direction(ray)) {
    mo_scene_ray_trace(&query);
  }
  mo_bounded_sort(&list, sizeof *hits, mo_hit_before);
  for (uint32_t i = 0; i < list.count; i++) {
    mo_scene_ray_complete_hit(&query, &hits[i]);
  }
  *total = list.total;
  mo_stats_end(query.stats, stats);
  return MO_OK;
}

/* Checks the ends of a segment and the filter. If both points are legal, so is the ray from one to
 * the other. */
static mo_result check_segment(const mo_scene *scene, const char *function, mo_vec3 from,
                               mo_vec3 to, const mo_filter *filter) {
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "");
  mo_result result = mo_check_point(from, &refusal, "from");
  if (result == MO_OK) {
    result = mo_check_point(to, &refusal, "to");
  }
  return result == MO_OK && filter != NULL ? mo_check_filter(filter, &refusal, "filter") : result;
}

static mo_result check_height(const mo_scene *scene, const char *function, mo_vec3 point,
                              mo_vec3 up, const mo_filter *filter) {
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "");
  mo_result result = mo_check_finite(point, &refusal, "point");
  if (result == MO_OK) {
    result = mo_check_finite(up, &refusal, "up");
  }
  if (result == MO_OK) {
    result = mo_check_point(point, &refusal, "point");
  }
  if (result == MO_OK && up.x == 0.0f && up.y == 0.0f && up.z == 0.0f) {
    result = mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, "up is zero");
  }
  return result == MO_OK && filter != NULL ? mo_check_filter(filter, &refusal, "filter") : result;
}

mo_result mo_scene_line_of_sight(const mo_scene *scene, mo_vec3 from, mo_vec3 to,
                                 const mo_filter *filter, bool *visible, mo_query_stats *stats) {
  if (scene == NULL || visible == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "visible");
  }
  mo_result result = check_segment(scene, __func__, from, to, filter);
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

/* Finds the ground along a ray that has been checked. */
static mo_result find_ground(const mo_scene *scene, const mo_ray_def *ray, mo_ground *ground,
                             mo_query_stats *stats) {
  mo_result result = mo_scene_cast_ray(scene, ray, &ground->hit, stats);
  if (result == MO_OK) {
    mo_dvec3 d = mo_widen(ray->direction);
    ground->height = ground->hit.found ? (float)(ground->hit.t * sqrt(mo_ddot(d, d))) : INFINITY;
  }
  return result;
}

mo_result mo_scene_find_ground(const mo_scene *scene, const mo_ray_def *down, mo_ground *ground,
                               mo_query_stats *stats) {
  if (scene == NULL || down == NULL || ground == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, down == NULL ? "down" : "ground");
  }
  if (mo_check_ray(down) != MO_OK) {
    mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "down");
    return mo_check_ray_def(down, &refusal);
  }
  return find_ground(scene, down, ground, stats);
}

mo_result mo_scene_height_below(const mo_scene *scene, mo_vec3 point, mo_vec3 up,
                                const mo_filter *filter, mo_ground *ground, mo_query_stats *stats) {
  if (scene == NULL || ground == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "ground");
  }
  mo_result result = check_height(scene, __func__, point, up, filter);
  if (result != MO_OK) {
    return result;
  }
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = point;
  ray.direction = mo_scale(-1.0f, up);
  if (filter != NULL) {
    ray.filter = *filter;
  }
  return find_ground(scene, &ray, ground, stats);
}
