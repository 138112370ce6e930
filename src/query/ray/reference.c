/* Reference traversals of the shape octree for rays: one in the order of the split planes, and one
 * that visits every node. */
#include "octree/plane_walk.h"
#include "query/ray/scene_ray.h"
#include "query/solid.h"

static bool walk_child(mo_scene_ray *query, uint32_t child, float t0, float t1);

typedef struct octants {
  mo_scene_ray *query;
  const mo_scene_node *node;
} octants;

static bool visit_octant(uint32_t slot, float t0, float t1, void *context) {
  const octants *walk = context;
  mo_scene_ray *query = walk->query;
  uint32_t child = walk->node->child[slot];
  if (child == MO_CHILD_EMPTY ||
      (query->goal == MO_GOAL_CLOSEST && t0 > mo_ray_cull_t(&query->ray, query->max_t))) {
    return false;
  }
  return walk_child(query, child, t0, t1);
}

static bool walk_blocks(mo_scene_ray *query, uint32_t first) {
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(query->scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(query->scene, b);
    query->stats->scene_block_count++;
    for (uint32_t lane = 0; lane < block->count; lane++) {
      if (mo_scene_ray_shape(query, block->shape[lane])) {
        return true;
      }
    }
  }
  return false;
}

static bool walk_child(mo_scene_ray *query, uint32_t child, float t0, float t1) {
  if (mo_child_is_leaf(child)) {
    return walk_blocks(query, mo_child_index(child));
  }
  const mo_scene_node *node = mo_scene_node_at(query->scene, child);
  mo_count_scene_node(query->stats, child);
  if (node->items != MO_NONE && walk_blocks(query, node->items)) {
    return true;
  }
  const float anywhere[3] = {0.0f, 0.0f, 0.0f}; /* the traversal uses bounds, not cells */
  mo_nested planes;
  mo_nested_octants(node->axes, anywhere, &planes);
  octants walk = {query, node};
  const mo_plane_walk across = {&query->ray, &node->bounds, &planes, visit_octant, &walk};
  return mo_walk_planes(&across, t0, t1);
}

bool mo_scene_walk(mo_scene_ray *query) {
  if (mo_scene_ray_meets_unbounded(query)) {
    return true;
  }
  if (query->scene->root == MO_CHILD_EMPTY) {
    return false;
  }
  return walk_child(query, query->scene->root, query->ray.near_t,
                    mo_ray_cull_t(&query->ray, query->max_t));
}

static void count_nodes(mo_scene_ray *query, uint32_t child) {
  if (child == MO_CHILD_EMPTY || mo_child_is_leaf(child)) {
    return;
  }
  mo_count_scene_node(query->stats, child);
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    count_nodes(query, mo_scene_node_at(query->scene, child)->child[slot]);
  }
}

bool mo_scene_visit_all(mo_scene_ray *query) {
  count_nodes(query, query->scene->root);
  for (uint32_t slot = 0; slot < query->scene->slot_count; slot++) {
    if (mo_slot_is_alive(query->scene, slot) && mo_scene_ray_shape(query, slot)) {
      return true;
    }
  }
  return false;
}

/* --- the public queries --- */

/* Traces a legal ray. The reference traversals always count; the fast one only if the caller wants
 * statistics. */
static bool trace_ray(mo_scene_ray *query, const mo_scene *scene, const mo_reference_ray_def *ray,
                      mo_ray_goal goal, mo_bounded *hits, mo_query_stats *stats) {
  mo_query_stats counts = mo_stats_begin(stats);
  bool count = stats != NULL || ray->traversal != MO_TRAVERSAL_FAST;
  mo_scene_ray_init(query, scene, &ray->ray, goal, &counts, count);
  query->mesh_options.traversal = ray->traversal;
  query->mesh_options.no_mailbox = ray->no_mailbox;
  query->hits = query->mesh_options.hits = hits;
  bool any = mo_ray_has_direction(&ray->ray) && mo_scene_ray_trace(query);
  mo_stats_end(&counts, stats);
  query->stats = query->mesh_options.stats = NULL; /* the counters are local to this function */
  return any;
}

mo_result mo_reference_scene_cast_ray(const mo_scene *scene, const mo_reference_ray_def *ray,
                                      mo_ray_hit *hit, mo_query_stats *stats) {
  if (scene == NULL || ray == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, ray == NULL ? "ray" : "hit");
  }
  mo_result result = mo_check_reference_ray(&scene->host, __func__, ray);
  if (result == MO_OK) {
    mo_scene_ray query;
    trace_ray(&query, scene, ray, MO_GOAL_CLOSEST, NULL, stats);
    mo_scene_ray_closest(&query, hit);
  }
  return result;
}

mo_result mo_reference_scene_test_ray(const mo_scene *scene, const mo_reference_ray_def *ray,
                                      bool *hit, mo_query_stats *stats) {
  if (scene == NULL || ray == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, ray == NULL ? "ray" : "hit");
  }
  mo_result result = mo_check_reference_ray(&scene->host, __func__, ray);
  if (result == MO_OK) {
    mo_scene_ray query;
    *hit = trace_ray(&query, scene, ray, MO_GOAL_ANY, NULL, stats);
  }
  return result;
}

mo_result mo_reference_scene_cast_ray_all(const mo_scene *scene, const mo_reference_ray_def *ray,
                                          mo_ray_hit *hits, uint32_t capacity, uint32_t *total,
                                          mo_query_stats *stats) {
  if (scene == NULL || ray == NULL || total == NULL || (capacity > 0 && hits == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__,
                          ray == NULL     ? "ray"
                          : total == NULL ? "total"
                                          : "hits");
  }
  mo_result result = mo_check_reference_ray(&scene->host, __func__, ray);
  if (result != MO_OK) {
    return result;
  }
  mo_bounded list = mo_bounded_make(hits, capacity);
  mo_scene_ray query;
  trace_ray(&query, scene, ray, MO_GOAL_ALL, &list, stats);
  mo_bounded_sort(&list, sizeof *hits, mo_hit_before);
  for (uint32_t i = 0; i < list.count; i++) {
    mo_scene_ray_finish(&query, &hits[i]);
  }
  *total = list.total;
  return MO_OK;
}
