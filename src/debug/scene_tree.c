/* Adapts the shape octree of a scene for drawing. */
#include "debug/tree.h"
#include "scene/octree/octree.h"

static mo_vec3 clamp_to_box(mo_vec3 p, mo_aabb box) {
  return mo_vec(mo_min(mo_max(p.x, box.lower.x), box.upper.x),
                mo_min(mo_max(p.y, box.lower.y), box.upper.y),
                mo_min(mo_max(p.z, box.lower.z), box.upper.z));
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
    /* A plane outside the parent's cell leaves a flat cell, never an inverted one. */
    const mo_aabb cell = mo_octant_cell(node, octant, parent->cell);
    children[count++] = (mo_debug_cell){
        .child = child,
        .node = mo_child_is_leaf(child) ? parent->node : child,
        .index = mo_child_is_leaf(child) ? parent->node : child,
        .depth = parent->depth + 1,
        .tight_bounds = mo_bounds8_get(&node->bounds, (int)octant),
        .cell = {clamp_to_box(cell.lower, parent->cell), clamp_to_box(cell.upper, parent->cell)},
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
