/* Rays by classical traversals of the shape octree: one in the order of the split planes, and one
 * that visits every node. */
#include "query/ray/shape_ray.h"
#include "query/solid.h"
#include "reference/plane_walk.h"
#include "reference/traversals.h"

typedef struct scene_walk {
  mo_scene_ray query;
  mo_ray ray; /* prepared for the shape octree */
  reference_traversal traversal;
} scene_walk;

/* Tests one shape: a mesh by the same kind of traversal. Returns true if the walk may stop. */
static bool test_shape(scene_walk *walk, uint32_t slot) {
  mo_scene_ray *query = &walk->query;
  const mo_shape *shape = &query->scene->shapes[slot];
  if (shape->geometry.type != MO_SHAPE_MESH) {
    return mo_scene_ray_test_shape(query, slot);
  }
  if (!mo_filter_passes(query->scene, &query->def->filter, slot)) {
    return false;
  }
  query->stats->shape_count++;
  mo_scene_ray_to_local(query, shape, slot);
  bool hit = reference_mesh_trace(shape->geometry.mesh, walk->traversal, &query->mesh_ray,
                                  &query->mesh_options, query->goal, &query->mesh_best);
  if (query->goal == MO_GOAL_CLOSEST && query->mesh_best.triangle != MO_NO_TRIANGLE) {
    mo_scene_ray_record_mesh_hit(query, slot, query->mesh_options.world_map == NULL);
  }
  return query->goal == MO_GOAL_ANY && hit;
}

static bool walk_child(scene_walk *walk, uint32_t child, float t0, float t1);

typedef struct octants {
  scene_walk *walk;
  const mo_scene_node *node;
} octants;

static bool visit_octant(uint32_t slot, float t0, float t1, void *context) {
  const octants *at = context;
  scene_walk *walk = at->walk;
  uint32_t child = at->node->child[slot];
  if (child == MO_CHILD_EMPTY || (walk->query.goal == MO_GOAL_CLOSEST &&
                                  t0 > mo_ray_scaled_max_t(&walk->ray, walk->query.max_t))) {
    return false;
  }
  return walk_child(walk, child, t0, t1);
}

static bool walk_blocks(scene_walk *walk, uint32_t first) {
  const mo_scene *scene = walk->query.scene;
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    walk->query.stats->scene_block_count++;
    for (uint32_t lane = 0; lane < block->count; lane++) {
      if (test_shape(walk, block->shape[lane])) {
        return true;
      }
    }
  }
  return false;
}

static bool walk_child(scene_walk *walk, uint32_t child, float t0, float t1) {
  if (mo_child_is_leaf(child)) {
    return walk_blocks(walk, mo_child_index(child));
  }
  const mo_scene_node *node = mo_scene_node_at(walk->query.scene, child);
  mo_count_scene_node(walk->query.stats, child);
  if (node->items != MO_NONE && walk_blocks(walk, node->items)) {
    return true;
  }
  const float anywhere[3] = {0.0f, 0.0f, 0.0f}; /* the traversal uses bounds, not cells */
  mo_nested_planes planes;
  mo_nested_planes_of_octants(node->axes, anywhere, &planes);
  octants at = {walk, node};
  const reference_plane_walk across = {&walk->ray, &node->bounds, &planes, visit_octant, &at};
  return reference_walk_planes(&across, t0, t1);
}

static bool walk_scene(scene_walk *walk) {
  mo_scene_ray *query = &walk->query;
  if (mo_scene_ray_meets_unbounded(query)) {
    return true;
  }
  if (query->scene->root == MO_CHILD_EMPTY) {
    return false;
  }
  mo_scene_ray_prepare(query, &walk->ray);
  return walk_child(walk, query->scene->root, walk->ray.near_t,
                    mo_ray_scaled_max_t(&walk->ray, query->max_t));
}

static void count_nodes(const scene_walk *walk, uint32_t child) {
  if (child == MO_CHILD_EMPTY || mo_child_is_leaf(child)) {
    return;
  }
  mo_count_scene_node(walk->query.stats, child);
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    count_nodes(walk, mo_scene_node_at(walk->query.scene, child)->child[slot]);
  }
}

static bool visit_all(scene_walk *walk) {
  const mo_scene *scene = walk->query.scene;
  count_nodes(walk, scene->root);
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot) && test_shape(walk, slot)) {
      return true;
    }
  }
  return false;
}

static bool trace(scene_walk *walk) {
  switch (walk->traversal) {
  case REFERENCE_PLANE_WALK:
    return walk_scene(walk);
  case REFERENCE_NAIVE:
    return visit_all(walk);
  case REFERENCE_FAST:
    break;
  }
  return mo_scene_ray_trace(&walk->query);
}

/* Traces a legal ray. The classical traversals always count statistics, the fast one only if the
 * caller requests them. */
static bool trace_ray(scene_walk *walk, const mo_scene *scene, const reference_ray *ray,
                      mo_ray_goal goal, mo_bounded_list *hits, mo_query_stats *stats) {
  mo_scene_ray *query = &walk->query;
  mo_query_stats counts = mo_stats_begin(stats);
  bool count = stats != NULL || ray->traversal != REFERENCE_FAST;
  mo_scene_ray_init(query, scene, &ray->ray, goal, count ? &counts : NULL);
  walk->traversal = ray->traversal;
  query->mesh_options.no_mailbox = ray->no_mailbox;
  query->hits = query->mesh_options.hits = hits;
  bool any = mo_ray_has_direction(&ray->ray) && trace(walk);
  mo_stats_end(&counts, stats);
  query->stats = query->mesh_options.stats = NULL; /* the counters are local to this function */
  return any;
}

mo_result reference_scene_cast_ray(const mo_scene *scene, const reference_ray *ray, mo_ray_hit *hit,
                                   mo_query_stats *stats) {
  mo_result result = mo_check_ray(&ray->ray);
  if (result == MO_OK) {
    scene_walk walk;
    trace_ray(&walk, scene, ray, MO_GOAL_CLOSEST, NULL, stats);
    mo_scene_ray_closest(&walk.query, hit);
  }
  return result;
}

mo_result reference_scene_test_ray(const mo_scene *scene, const reference_ray *ray, bool *hit,
                                   mo_query_stats *stats) {
  mo_result result = mo_check_ray(&ray->ray);
  if (result == MO_OK) {
    scene_walk walk;
    *hit = trace_ray(&walk, scene, ray, MO_GOAL_ANY, NULL, stats);
  }
  return result;
}

mo_result reference_scene_cast_ray_all(const mo_scene *scene, const reference_ray *ray,
                                       mo_ray_hit *hits, uint32_t capacity, uint32_t *total,
                                       mo_query_stats *stats) {
  mo_result result = mo_check_ray(&ray->ray);
  if (result != MO_OK) {
    return result;
  }
  mo_bounded_list list = mo_bounded_make(hits, capacity);
  scene_walk walk;
  trace_ray(&walk, scene, ray, MO_GOAL_ALL, &list, stats);
  mo_bounded_sort(&list, sizeof *hits, mo_hit_before);
  for (uint32_t i = 0; i < list.count; i++) {
    mo_scene_ray_complete_hit(&walk.query, &hits[i]);
  }
  *total = list.total;
  return MO_OK;
}
