/* The first hits of a ray through a scene, and hits one at a time with a cursor. */
#include "query/ray/scene_ray.h"

/* Finds the first hits of a ray after the hit `after` (null: from the start) for a list, which is
 * then sorted; sets all members of the hits. */
static void fetch_hits(const void *scene, const mo_ray_def *ray, mo_bounded_list *list,
                       const mo_hit_key *after, mo_query_stats *stats) {
  mo_query_stats counts;
  mo_scene_ray query;
  mo_scene_ray_begin(&query, scene, ray, MO_GOAL_FIRST, &counts, stats);
  query.hits = query.mesh_options.hits = list;
  query.after = query.mesh_options.after = after;
  if (after != NULL) {
    query.min_t = query.mesh_ray.min_t = mo_max(query.min_t, mo_min(after->t, FLT_MAX));
  }
  if (mo_ray_has_direction(ray) && list->capacity > 0) {
    mo_scene_ray_trace(&query);
  }
  mo_bounded_sort(list, sizeof(mo_ray_hit), mo_hit_before);
  mo_ray_hit *hits = list->items;
  for (uint32_t i = 0; i < list->count; i++) {
    mo_scene_ray_complete_hit(&query, &hits[i]);
  }
  mo_stats_end(query.stats, stats);
}

mo_result mo_scene_cast_ray_first(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hits,
                                  uint32_t capacity, uint32_t *count, mo_query_stats *stats) {
  mo_fetch_call call = {scene, mo_scene_host(scene), __func__, fetch_hits};
  return mo_cast_ray_first(&call, ray, hits, capacity, count, stats);
}

mo_result mo_scene_next_hit(const mo_scene *scene, const mo_ray_def *ray, mo_ray_cursor *cursor,
                            mo_ray_hit *hit, mo_query_stats *stats) {
  mo_fetch_call call = {scene, mo_scene_host(scene), __func__, fetch_hits};
  return mo_next_hit(&call, ray, cursor, hit, stats);
}
