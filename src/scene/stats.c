/* Statistics of the shape octree, counted on demand. */
#include "scene/bodies/bodies.h"
#include "scene/bulk/bulk.h"
#include "scene/octree/octree.h"
#include "scene/shapes/displacements.h"
#include "scene/shapes/unbounded.h"

/* The state of a traversal that counts nodes, blocks and shapes. */
typedef struct stats_traversal {
  const mo_scene *scene;
  mo_scene_stats *stats;
  double root_area;
  double margin; /* by which boxes are enlarged before their areas are compared */
} stats_traversal;

/* The probability that a random line that hits the bounds of the root also hits `bounds`. */
static double hit_probability(const stats_traversal *t, const mo_aabb *bounds) {
  if (mo_aabb_is_empty(*bounds)) {
    return 0; /* an empty node, which the next update will remove */
  }
  return t->root_area > 0 ? mo_half_area_with_margin(bounds, t->margin) / t->root_area : 1;
}

/* Adds a list of blocks at a depth to the statistics; `met` is the probability that a random line
 * visits it. */
static void count_list(stats_traversal *t, uint32_t head, uint32_t depth, bool leaf, double met) {
  mo_scene_stats *stats = t->stats;
  uint32_t shapes = 0;
  for (; head != MO_NONE; head = mo_shape_block_at(t->scene, head)->next) {
    shapes += mo_shape_block_at(t->scene, head)->count;
    stats->block_count++;
    stats->expected_block_visits += met;
  }
  stats->shape_count_at_depth[depth] += shapes;
  *(leaf ? &stats->leaf_shape_count : &stats->inner_shape_count) += shapes;
  stats->leaf_count += leaf;
}

static void count_child(stats_traversal *t, uint32_t child, const mo_aabb *bounds, uint32_t depth) {
  if (child == MO_CHILD_EMPTY) {
    return;
  }
  double met = hit_probability(t, bounds);
  if (mo_child_is_leaf(child)) {
    count_list(t, mo_child_index(child), depth, true, met);
    return;
  }
  mo_scene_stats *stats = t->stats;
  const mo_scene_node *node = mo_scene_node_at(t->scene, child);
  stats->node_count++;
  stats->plane_count += (uint32_t)((node->axes >> 2) + (node->axes >> 1 & 1) + (node->axes & 1));
  stats->max_depth = depth > stats->max_depth ? depth : stats->max_depth;
  stats->expected_node_visits += met;
  count_list(t, node->items, depth, false, met);
  for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
    mo_aabb part = mo_bounds8_get(&node->bounds, octant);
    count_child(t, node->child[octant], &part, depth + 1);
  }
}

mo_result mo_scene_get_stats(const mo_scene *scene, mo_scene_stats *stats) {
  if (scene == NULL || stats == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "stats");
  }
  mo_scene_stats result = scene->counters;
  result.shape_count = scene->shape_count;
  result.tree_bytes =
      mo_pool_bytes(&scene->nodes) + mo_pool_bytes(&scene->blocks) +
      scene->cell_capacity * sizeof *scene->cells +
      mo_moved_marks_bytes(scene, scene->moved.block_count) +
      scene->node_array_capacity *
          (sizeof *scene->motion_marks + sizeof *scene->sizes + sizeof *scene->maintenance) +
      scene->shape_capacity * sizeof *scene->places;
  result.bytes = result.tree_bytes + sizeof *scene + mo_bulk_bytes(scene) +
                 mo_unbounded_bytes(scene) + mo_rigid_bodies_bytes(scene) +
                 mo_displacements_bytes(scene) +
                 scene->shape_capacity *
                     (sizeof *scene->shapes + sizeof *scene->traits + sizeof *scene->generations);
  mo_aabb bounds = scene->root_bounds;
  stats_traversal t = {.scene = scene, .stats = &result};
  result.unbounded_shape_count = scene->unbounded_count;
  if (scene->root != MO_CHILD_EMPTY) {
    /* Boxes get a small margin: without it, shapes on a line or in a plane have no area to compare.
     */
    t.margin = 1e-3 * (double)mo_aabb_max_width(&bounds);
    t.root_area = mo_half_area_with_margin(&bounds, t.margin);
  }
  count_child(&t, scene->root, &bounds, 0);
  *stats = result;
  return MO_OK;
}
