/* The recursive walk over the cells of a tree, for drawings of both the triangle octree and the
 * shape octree. */
#include "debug/tree.h"

/* Visits the cells of depth `first` to `last` in a subtree, parents before children. */
static void walk_from(const mo_debug_tree *tree, const mo_debug_cell *cell, uint32_t first,
                      uint32_t last, mo_debug_visit *visit, void *context) {
  if (cell->depth >= first) {
    visit(tree, cell, context);
  }
  if (cell->depth >= last || mo_child_is_leaf(cell->child)) {
    return;
  }
  mo_debug_cell children[MO_LANE_COUNT];
  int count = tree->children(tree->object, cell, children);
  for (int i = 0; i < count; i++) {
    walk_from(tree, &children[i], first, last, visit, context);
  }
}

void mo_debug_walk(const mo_debug_tree *tree, uint32_t first, uint32_t last, mo_debug_visit *visit,
                   void *context) {
  if (tree->root.child != MO_CHILD_EMPTY) {
    walk_from(tree, &tree->root, first, last, visit, context);
  }
}

static void update_max_depth(const mo_debug_tree *tree, const mo_debug_cell *cell, void *context) {
  (void)tree;
  uint32_t *deepest = context;
  *deepest = cell->depth > *deepest ? cell->depth : *deepest;
}

uint32_t mo_debug_max_depth(const mo_debug_tree *tree) {
  uint32_t deepest = 0;
  mo_debug_walk(tree, 0, UINT32_MAX, update_max_depth, &deepest);
  return deepest;
}

static float *component(mo_vec3 *v, int axis) {
  return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

mo_aabb mo_debug_cut_cell(mo_aabb cell, int axis, float plane, bool upper_side) {
  float *lower = component(&cell.lower, axis);
  float *upper = component(&cell.upper, axis);
  float inside = mo_min(mo_max(plane, *lower), *upper);
  *(upper_side ? lower : upper) = inside;
  return cell;
}
