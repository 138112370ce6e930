/* Adapts the triangle octree of a mesh for drawing. */
#include "debug/tree.h"
#include "mesh/format/read.h"

static int children_of_mesh_node(const void *object, const mo_debug_cell *parent,
                                 mo_debug_cell children[MO_LANE_COUNT]) {
  const mo_mesh *mesh = object;
  mo_aabb cells[MO_LANE_COUNT];
  const mo_nested_planes planes = mo_mesh_nested_planes(mesh, parent->node);
  mo_nested_planes_split_cell(&planes, parent->cell, cells);
  int count = 0;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = mo_mesh_child(mesh, parent->node, slot);
    if (child == MO_CHILD_EMPTY) {
      continue;
    }
    children[count++] = (mo_debug_cell){
        .child = child,
        .node = mo_child_is_leaf(child) ? parent->node : child,
        .index = mo_child_is_leaf(child) ? parent->index : mo_mesh_node_index(mesh, child),
        .depth = parent->depth + 1,
        /* The box of a child in a compact mesh may exceed its parent's slightly; queries cull by
         * both. */
        .tight_bounds =
            mo_aabb_intersection(mo_mesh_child_box(mesh, parent->node, slot), parent->tight_bounds),
        .cell = cells[slot],
    };
  }
  return count;
}

static uint32_t triangles_in_block(const mo_triangle_block *block) {
  uint32_t count = 0;
  for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
    count += (block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY;
  }
  return count;
}

static uint32_t triangles_in_cell(const void *object, const mo_debug_cell *cell) {
  if (!mo_child_is_leaf(cell->child)) {
    return 0;
  }
  const mo_mesh *mesh = object;
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  uint32_t count = 0;
  for (uint32_t at = mo_child_index(cell->child);; at = mo_block_after(&tree, mesh->format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, mesh->format, at, &expanded);
    count += triangles_in_block(block);
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return count;
    }
  }
}

mo_debug_tree mo_debug_tree_of_mesh(const mo_mesh *mesh) {
  mo_aabb tight = mo_mesh_node_box(mesh, 0);
  return (mo_debug_tree){
      .object = mesh,
      .root = {.child = mo_aabb_is_empty(tight) ? MO_CHILD_EMPTY : 0,
               .node = 0,
               .tight_bounds = tight,
               .cell = mesh->bounds},
      .capacity = mesh->build.leaf_capacity,
      .children = children_of_mesh_node,
      .count_items = triangles_in_cell,
  };
}

uint32_t mo_mesh_node_count(const mo_mesh *mesh) {
  return mesh != NULL ? mesh->node_count : 0;
}
