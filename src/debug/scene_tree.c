/* Adapts the shape octree of a scene for drawing. */
#include "debug/tree.h"
#include "scene/scene.h"

static uint32_t axis_bit(int axis) {
  return 4u >> axis;
}

static mo_aabb octant_cell(const mo_scene_node *node, mo_aabb cell, uint32_t octant) {
  for (int axis = 0; axis < 3; axis++) {
    if (node->axes & axis_bit(axis)) {
      cell = mo_debug_cut_cell(cell, axis, node->plane[axis], (octant & axis_bit(axis)) != 0);
    }
  }
  return cell;
}

static int children_of_scene_node(const void *object, const mo_debug_cell *parent,
                                  mo_debug_cell children[MO_LANE_COUNT]) {
  const mo_scene_node *node = mo_scene_node_at(object, parent->node);
  int count = 0;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    uint32_t child = node->child[octant];
    if (child == MO_CHILD_EMPTY) {
      continue;
    }
    children[count++] = (mo_debug_cell){
        .child = child,
        .node = mo_child_is_leaf(child) ? parent->node : child,
        .index = mo_child_is_leaf(child) ? parent->node : child,
        .depth = parent->depth + 1,
        .tight_bounds = mo_bounds8_get(&node->bounds, (int)octant),
        .cell = octant_cell(node, parent->cell, octant),
    };
  }
  return count;
}

static uint32_t shapes_in_cell(const void *object, const mo_debug_cell *cell) {
  const mo_scene *scene = object;
  uint32_t block = mo_child_is_leaf(cell->child) ? mo_child_index(cell->child)
                                                 : mo_scene_node_at(scene, cell->node)->items;
  uint32_t count = 0;
  while (block != MO_NONE) {
    count += mo_shape_block_at(scene, block)->count;
    block = mo_shape_block_at(scene, block)->next;
  }
  return count;
}

mo_debug_tree mo_debug_tree_of_scene(const mo_scene *scene) {
  return (mo_debug_tree){
      .object = scene,
      .root = {.child = scene->root,
               .node = mo_child_is_leaf(scene->root) ? MO_NONE : scene->root,
               .index = mo_child_is_leaf(scene->root) ? MO_NONE : scene->root,
               .tight_bounds = scene->root_bounds,
               .cell = scene->root_bounds},
      .capacity = scene->options.capacity,
      .children = children_of_scene_node,
      .count_items = shapes_in_cell,
  };
}

uint32_t mo_scene_node_count(const mo_scene *scene) {
  return scene != NULL ? scene->nodes.count : 0;
}
