/* Splitting a leaf, a list of blocks, into a subtree of nodes; and flattening a subtree into one
 * list. A split plans the planes of a node, distributes the shapes among its octants, and goes on
 * with each octant that is over capacity. */
#include "base/assert.h"
#include "scene/octree/tree.h"

mo_result mo_node_arrays_resize(mo_scene *scene, uint32_t capacity) {
  const mo_array arrays[] = {
      {&scene->motion_marks, sizeof *scene->motion_marks},
      {&scene->sizes, sizeof *scene->sizes},
      {&scene->maintenance, sizeof *scene->maintenance},
  };
  return mo_arrays_resize(&scene->host.allocator, arrays, 3, scene->node_array_capacity,
                          &scene->node_array_capacity, capacity);
}

mo_result mo_nodes_reserve(mo_scene *scene, uint32_t extra) {
  mo_result result = mo_pool_reserve(&scene->nodes, extra);
  return result == MO_OK && scene->node_array_capacity < scene->nodes.capacity
             ? mo_node_arrays_resize(scene, scene->nodes.capacity)
             : result;
}

void mo_nodes_trim(mo_scene *scene) {
  mo_pool_trim(&scene->nodes);
  if (scene->nodes.capacity > 0 && scene->nodes.capacity < scene->node_array_capacity) {
    (void)mo_node_arrays_resize(scene, scene->nodes.capacity);
  }
}

uint32_t mo_node_allocate(mo_scene *scene, uint32_t parent_octant) {
  if (mo_nodes_reserve(scene, 1) != MO_OK) {
    return MO_NONE;
  }
  uint32_t index = mo_pool_allocate(&scene->nodes);
  MO_ASSERT(index < scene->node_array_capacity);
  scene->motion_marks[index] = (mo_motion_marks){0, 0};
  scene->sizes[index] = (mo_node_sizes){{0}};
  scene->maintenance[index] = (mo_node_maintenance){.expected_cost = 0};
  mo_scene_node *node = mo_scene_node_at(scene, index);
  *node = (mo_scene_node){.items = MO_NONE, .parent = parent_octant};
  mo_bounds8_clear(&node->bounds);
  for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
    node->child[octant] = MO_CHILD_EMPTY;
  }
  if (scene->options.policy != MO_TREE_IRREGULAR) {
    scene->level_node_counts[mo_cube_level(scene, mo_child_depth(scene, parent_octant))]++;
  }
  return index;
}

uint32_t mo_node_allocate_with_plan(mo_scene *scene, uint32_t parent_octant,
                                    const mo_split_plan *plan) {
  MO_ASSERT(plan->axes > 0 && plan->axes < 8 && plan->slack >= 0.0f);
  MO_ASSERT(plan->slack <= mo_child_slack(scene, parent_octant));
  uint32_t index = mo_node_allocate(scene, parent_octant);
  if (index != MO_NONE) {
    mo_scene_node *node = mo_scene_node_at(scene, index);
    node->axes = plan->axes;
    memcpy(node->plane, plan->plane, sizeof node->plane);
    node->slack = plan->slack;
    node->age = (uint8_t)(index & MO_INITIAL_AGE_MASK);
    scene->counters.split_count++;
    scene->counters.dropped_plane_count += plan->dropped_plane_count;
  }
  return index;
}

void mo_node_free(mo_scene *scene, uint32_t index) {
  if (scene->options.policy != MO_TREE_IRREGULAR) {
    uint32_t depth = mo_child_depth(scene, mo_scene_node_at(scene, index)->parent);
    scene->level_node_counts[mo_cube_level(scene, depth)]--;
  }
  mo_pool_free(&scene->nodes, index);
}

uint32_t mo_tree_flatten(mo_scene *scene, uint32_t child) {
  if (child == MO_CHILD_EMPTY) {
    return MO_NONE;
  }
  if (mo_child_is_leaf(child)) {
    return mo_child_index(child);
  }
  uint32_t all = mo_scene_node_at(scene, child)->items;
  for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
    uint32_t part = mo_tree_flatten(scene, mo_scene_node_at(scene, child)->child[octant]);
    all = mo_block_list_join(scene, part, all);
  }
  mo_node_free(scene, child);
  return all;
}

/* The place at which a subtree is built. */
typedef struct build_site {
  uint32_t parent_octant; /* parent node << 3 | octant, or MO_NONE for the root */
  mo_aabb cell;           /* cell of the subtree, without slack */
  uint32_t depth;
  const mo_split_plan *plan; /* planes for the first node; null: still to be chosen */
} build_site;

static mo_aabb build_subtree(mo_scene *scene, uint32_t head, const build_site *at, bool packed,
                             bool force);

/* Distributes a list among the octants of a new node, whose planes are set. Shapes that fit no
 * octant become the node's own items. Builds the subtrees of the octants, and returns the bounds of
 * all shapes. */
static mo_aabb distribute_to_octants(mo_scene *scene, uint32_t head, const build_site *at,
                                     uint32_t index) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  node->count = mo_block_list_total(scene, head);
  mo_block_cell octants[MO_LANE_COUNT];
  uint32_t heads[MO_LANE_COUNT];
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    octants[octant] =
        (mo_block_cell){mo_octant_cell(node, octant, at->cell), node->slack, index << 3 | octant};
    heads[octant] = MO_NONE;
  }
  mo_block_cell own =
      mo_block_cell_at(scene, at->parent_octant, &at->cell, MO_OWNER_IS_NODE | index);
  mo_motion_marks *marks = &scene->motion_marks[index];
  uint32_t items = MO_NONE;
  while (head != MO_NONE) {
    /* Each block is freed before its shapes are pushed. So the new lists never need more than one
     * extra block each, which has been reserved. */
    mo_shape_block block = *mo_shape_block_at(scene, head);
    mo_pool_free(&scene->blocks, head);
    for (uint32_t lane = 0; lane < block.count; lane++) {
      mo_aabb box = mo_bounds8_get(&block.bounds, (int)lane);
      uint32_t octant = mo_node_octant(node, &box);
      mo_motion_marks any = mo_block_lane_motion(&block, lane);
      if (mo_box_fits_octant(scene, node, &octants[octant].cell, &box)) {
        heads[octant] = mo_block_list_push_marked(scene, heads[octant], &octants[octant],
                                                  block.shape[lane], &box, any);
        mo_motion_marks_add(marks, octant, any);
      } else {
        items = mo_block_list_push_marked(scene, items, &own, block.shape[lane], &box, any);
        mo_shape_block_at(scene, items)->has_shapes_outside_cell |= block.has_shapes_outside_cell;
      }
    }
    head = block.next;
  }
  MO_ASSERT(scene->nodes.count > index && mo_scene_node_at(scene, index) == node);
  node->items = items;
  mo_child_set(scene, at->parent_octant, index);
  mo_aabb bounds = mo_block_list_bounds(scene, items);
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    build_site below = {index << 3 | octant, octants[octant].cell, at->depth + 1, NULL};
    bounds = mo_aabb_union(bounds, build_subtree(scene, heads[octant], &below, true, false));
  }
  return bounds;
}

/* Builds a leaf or a node with its subtrees from a list, depending on the number of shapes; returns
 * its bounds. `packed`: all blocks of the list but the first are full, and their cells are set.
 * `force`: splits even a list that is within capacity. */
static mo_aabb build_subtree(mo_scene *scene, uint32_t head, const build_site *at, bool packed,
                             bool force) {
  mo_aabb bounds = mo_aabb_empty();
  if (head == MO_NONE) {
    mo_child_set_empty(scene, at->parent_octant);
    if (at->parent_octant == MO_NONE) {
      scene->root_cell = mo_aabb_infinite();
    }
    return bounds;
  }
  uint32_t total = mo_block_list_total(scene, head);
  bool full = total > scene->options.capacity;
  if ((full || force) && at->depth < scene->options.max_depth) {
    build_site here = *at;
    mo_split_plan plan;
    if (here.plan != NULL) {
      plan = *here.plan;
    } else if (scene->options.policy == MO_TREE_IRREGULAR) {
      plan = mo_split_plan_irregular(scene, &head, 1, total, &here.cell,
                                     mo_child_slack(scene, here.parent_octant));
    } else {
      if (here.parent_octant == MO_NONE) {
        scene->root_cell = here.cell = mo_cube_around(scene, head);
      }
      plan = mo_split_plan_cube(scene, head, &here.cell, here.depth);
    }
    if (plan.axes && mo_blocks_reserve(scene, MO_LANE_COUNT + 1) == MO_OK) {
      uint32_t index = mo_node_allocate_with_plan(scene, here.parent_octant, &plan);
      if (index != MO_NONE) {
        bounds = distribute_to_octants(scene, head, &here, index);
        MO_ASSERT(mo_scene_node_at(scene, index)->count == total);
        mo_child_set_bounds(scene, here.parent_octant, bounds);
        mo_node_set_expected_cost(scene, index, &plan);
        return bounds;
      }
    }
  }
  if (at->parent_octant == MO_NONE) {
    scene->root_cell = mo_aabb_infinite();
  }
  if (!packed) {
    mo_block_cell cell = mo_block_cell_at(scene, at->parent_octant, &at->cell, at->parent_octant);
    head = mo_block_list_pack(scene, head, &cell);
  }
  mo_shape_block *first = mo_shape_block_at(scene, head);
  first->refused_split_count += full && first->refused_split_count < UINT32_MAX;
  scene->counters.refused_split_count += full;
  mo_child_set(scene, at->parent_octant, MO_CHILD_LEAF | head);
  bounds = mo_block_list_bounds(scene, head);
  mo_child_set_bounds(scene, at->parent_octant, bounds);
  return bounds;
}

void mo_tree_build(mo_scene *scene, uint32_t head, uint32_t parent_octant,
                   const mo_split_plan *plan, bool force) {
  const build_site at = {parent_octant, mo_child_cell(scene, parent_octant),
                         mo_child_depth(scene, parent_octant), plan};
  build_subtree(scene, head, &at, false, force);
}

bool mo_leaf_split(mo_scene *scene, uint32_t parent_octant) {
  if (parent_octant != MO_NONE) {
    const mo_scene_node *node = mo_scene_node_at(scene, parent_octant >> 3);
    if (mo_node_needs_planes(scene, node)) {
      uint32_t above = node->parent;
      uint32_t head = mo_tree_flatten(scene, parent_octant >> 3);
      mo_tree_build(scene, head, above, NULL, true);
      return true;
    }
  }
  mo_tree_build(scene, mo_owner_list(scene, parent_octant), parent_octant, NULL, false);
  return false;
}
