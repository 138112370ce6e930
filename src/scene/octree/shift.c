/* Shifts the planes and cells of the shape octree when the world's origin is shifted: each plane is
 * moved, and the cells of all blocks are computed again. No shape changes its list, with one
 * exception: where floats at the new place are too coarse for the planes of a node, its subtree
 * becomes a leaf. */
#include "scene/octree/tree.h"

static void set_cells(mo_scene *scene, uint32_t head, const mo_aabb *cell) {
  for (; head != MO_NONE; head = mo_shape_block_at(scene, head)->next) {
    scene->cells[head].cell = *cell;
  }
}

/* Shifts the planes of a node. Returns whether each still lies inside the node's cell. */
static bool shift_planes(mo_scene_node *node, const mo_aabb *cell, mo_vec3 by) {
  bool inside = true;
  for (int axis = 0; axis < 3; axis++) {
    if (node->axes & (4u >> axis)) {
      float plane = node->plane[axis] + mo_get(by, axis);
      node->plane[axis] = plane;
      inside &= plane > mo_get(cell->lower, axis) && plane < mo_get(cell->upper, axis);
    }
  }
  return inside;
}

/* Replaces the node at `parent_octant` by a leaf of all its shapes; maintenance will split the leaf
 * again. Needs no memory. */
static void replace_by_leaf(mo_scene *scene, uint32_t parent_octant, const mo_aabb *cell) {
  const mo_block_cell at = mo_block_cell_at(scene, parent_octant, cell, parent_octant);
  uint32_t head = mo_tree_flatten(scene, mo_child_get(scene, parent_octant));
  if (head == MO_NONE) {
    mo_child_set_empty(scene, parent_octant);
  } else {
    mo_child_set(scene, parent_octant, MO_CHILD_LEAF | mo_block_list_pack(scene, head, &at));
  }
  if (parent_octant == MO_NONE) {
    scene->root_cell = mo_aabb_infinite();
  }
  mo_mark_for_examination(scene, parent_octant);
}

/* Shifts the subtree at `parent_octant`; `cell` is its cell after the shift. */
static void shift_subtree(mo_scene *scene, uint32_t parent_octant, const mo_aabb *cell,
                          mo_vec3 by) {
  uint32_t child = mo_child_get(scene, parent_octant);
  if (child == MO_CHILD_EMPTY) {
    return;
  }
  const mo_aabb lists = parent_octant == MO_NONE ? mo_aabb_infinite() : *cell;
  if (mo_child_is_leaf(child)) {
    set_cells(scene, mo_child_index(child), &lists);
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  if (!shift_planes(node, cell, by)) {
    replace_by_leaf(scene, parent_octant, cell);
    return;
  }
  set_cells(scene, node->items, &lists);
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    mo_aabb part = mo_octant_cell(node, octant, *cell);
    shift_subtree(scene, child << 3 | octant, &part, by);
  }
}

void mo_tree_shift_cells(mo_scene *scene, mo_vec3 by) {
  scene->root_cell.lower = mo_add(scene->root_cell.lower, by);
  scene->root_cell.upper = mo_add(scene->root_cell.upper, by);
  const mo_aabb cell = scene->root_cell;
  shift_subtree(scene, MO_NONE, &cell, by);
}
