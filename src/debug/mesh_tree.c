/* The triangle octree as drawing sees it. */
#include "debug/tree.h"
#include "mesh/mesh.h"

static int children_of_mesh_node(const void *object, const mo_debug_cell *parent,
                                 mo_debug_cell children[MO_WIDTH]) {
  const mo_mesh *mesh = object;
  const mo_mesh_node *node = &mesh->nodes[parent->node];
  mo_aabb cells[MO_WIDTH];
  mo_nested_cells(&mesh->planes[parent->node].nested, parent->cell, cells);
  int count = 0;
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = node->child[slot];
    if (child == MO_CHILD_EMPTY) {
      continue;
    }
    children[count++] = (mo_debug_cell){
        .child = child,
        .node = mo_child_is_leaf(child) ? parent->node : child,
        .depth = parent->depth + 1,
        .tight = mo_bounds8_get(&node->bounds, slot),
        .cell = cells[slot],
    };
  }
  return count;
}

static uint32_t triangles_in_block(const mo_triangle_block *block) {
  uint32_t count = 0;
  for (int lane = 0; lane < MO_WIDTH; lane++) {
    count += (block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY;
  }
  return count;
}

static uint32_t triangles_in_cell(const void *object, const mo_debug_cell *cell) {
  if (!mo_child_is_leaf(cell->child)) {
    return 0;
  }
  const mo_mesh *mesh = object;
  const mo_triangle_block *block = &mesh->blocks[mo_child_index(cell->child)];
  uint32_t count = triangles_in_block(block);
  while (!(block->id[0] & MO_LANE_LAST)) {
    block++;
    count += triangles_in_block(block);
  }
  return count;
}

mo_debug_tree mo_debug_tree_of_mesh(const mo_mesh *mesh) {
  mo_aabb tight = mo_bounds8_union(&mesh->nodes[0].bounds);
  return (mo_debug_tree){
      .object = mesh,
      .root = {.child = mo_aabb_is_empty(tight) ? MO_CHILD_EMPTY : 0,
               .node = 0,
               .tight = tight,
               .cell = mesh->bounds},
      .capacity = mesh->build.leaf_capacity,
      .children = children_of_mesh_node,
      .occupants = triangles_in_cell,
  };
}

uint32_t mo_mesh_node_count(const mo_mesh *mesh) {
  return mesh ? mesh->node_count : 0;
}
