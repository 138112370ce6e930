/* Access to the octree of a mesh in either format.
 *
 * Traversals are written once and compiled for each format, which is a constant in them: data of
 * the full format is not copied, and compact boxes are decoded directly into registers. Functions
 * for rare access read the format from the mesh at run time. */
#ifndef MO_MESH_FORMAT_READ_H
#define MO_MESH_FORMAT_READ_H

#include "base/inline.h"
#include "base/prefetch.h"
#include "mesh/format/compact.h"
#include "octree/cull.h"

/* Pointers to the octree's arrays; those of the other format are null. */
typedef struct mo_tree_arrays {
  const mo_mesh_node *nodes;
  const mo_triangle_block *blocks;
  const mo_compact_node *compact_nodes;
  const mo_compact_unit *units;
} mo_tree_arrays;

MO_INLINE mo_tree_arrays mo_tree_arrays_of(const mo_mesh *mesh, mo_mesh_format format) {
  mo_tree_arrays tree = {NULL, NULL, NULL, NULL};
  if (format == MO_MESH_FULL) {
    tree.nodes = mesh->nodes;
    tree.blocks = mesh->blocks;
  } else {
    tree.compact_nodes = mesh->compact_nodes;
    tree.units = mesh->units;
  }
  return tree;
}

/* The data of a node besides boxes. */
typedef struct mo_node_links {
  const uint32_t *child, *order, *any_order; /* as in mo_mesh_node */
} mo_node_links;

MO_INLINE mo_node_links mo_load_links(const mo_tree_arrays *tree, mo_mesh_format format,
                                      uint32_t node) {
  if (format == MO_MESH_FULL) {
    const mo_mesh_node *n = &tree->nodes[node];
    return (mo_node_links){n->child, n->order, &n->any_order};
  }
  const mo_compact_node *n = &tree->compact_nodes[node];
  return (mo_node_links){n->child, n->order, &n->any_order};
}

/* The child value of empty slots. */
MO_INLINE uint32_t mo_empty_child(mo_mesh_format format) {
  return format == MO_MESH_FULL ? MO_CHILD_EMPTY : MO_CHILD_EMPTY_LEAF;
}

/* The boxes of a node, decoded into `expanded` if the format requires it. Boxes of empty slots are
 * undefined. */
MO_INLINE const mo_bounds8 *mo_load_bounds(const mo_tree_arrays *tree, mo_mesh_format format,
                                           uint32_t node, mo_bounds8 *expanded) {
  if (format == MO_MESH_FULL) {
    return &tree->nodes[node].bounds;
  }
  mo_compact_expand(&tree->compact_nodes[node].box, expanded);
  return expanded;
}

/* Loads three rows of sides, for offsets as in mo_ray_lanes: the sides at which rays enter or
 * leave. */
MO_INLINE void mo_load_side_rows(const mo_tree_arrays *tree, mo_mesh_format format, uint32_t node,
                                 const size_t offset[3], mo_f8 row[3]) {
  if (format == MO_MESH_FULL) {
    const float *floats = &tree->nodes[node].bounds.lower[0][0];
    for (int axis = 0; axis < 3; axis++) {
      row[axis] = mo_f8_load(floats + offset[axis]);
    }
    return;
  }
  const mo_compact_boxes8 *box = &tree->compact_nodes[node].box;
  mo_grid_lanes grid = mo_compact_grid(box);
  for (int axis = 0; axis < 3; axis++) {
    row[axis] = mo_compact_row(box, &grid, axis, offset[axis]);
  }
}

/* A block of a leaf, decoded into `expanded` if the format requires it. The next block is at
 * mo_block_after. */
MO_INLINE const mo_triangle_block *mo_load_block(const mo_tree_arrays *tree, mo_mesh_format format,
                                                 uint32_t at, mo_triangle_block *expanded) {
  if (format == MO_MESH_FULL) {
    return &tree->blocks[at];
  }
  const mo_compact_block *block = mo_compact_block_at(tree->units, at);
  if (mo_compact_is_unpacked(block)) {
    return (const mo_triangle_block *)(const void *)block;
  }
  mo_u8_store(expanded->id, mo_u8_load(block->id));
  for (uint32_t axis = 0; axis < 3; axis++) {
    const float *row = block->x + axis * block->vertices;
    mo_f8 low = mo_f8_load_unaligned(row), high = mo_f8_load_unaligned(row + 8);
    for (int i = 0; i < 3; i++) {
      mo_f8_store(expanded->corner[i][axis], mo_f8_pick16(low, high, block->vertex_nibbles[i]));
    }
  }
  return expanded;
}

MO_INLINE uint32_t mo_block_after(const mo_tree_arrays *tree, mo_mesh_format format, uint32_t at) {
  return format == MO_MESH_FULL ? at + 1
                                : at + mo_compact_block_units(mo_compact_block_at(tree->units, at));
}

/* The size in bytes of a node, and of the unit in which block positions are counted. */
MO_INLINE size_t mo_node_bytes(mo_mesh_format format) {
  return format == MO_MESH_FULL ? sizeof(mo_mesh_node) : sizeof(mo_compact_node);
}

MO_INLINE size_t mo_block_unit_bytes(mo_mesh_format format) {
  return format == MO_MESH_FULL ? sizeof(mo_triangle_block) : sizeof(mo_compact_unit);
}

/* The size in bytes of all nodes and blocks. */
static inline size_t mo_mesh_tree_bytes(const mo_mesh *mesh) {
  size_t places = mesh->format == MO_MESH_FULL ? mesh->block_count : mesh->unit_count;
  return mesh->node_count * mo_node_bytes(mesh->format) +
         places * mo_block_unit_bytes(mesh->format);
}

/* Prefetches a child: a node or the first block of a leaf. */
MO_INLINE void mo_child_prefetch(const mo_tree_arrays *tree, mo_mesh_format format,
                                 uint32_t child) {
  uint32_t at = mo_child_index(child);
  bool full = format == MO_MESH_FULL;
  const char *memory =
      mo_child_is_leaf(child)
          ? (full ? (const char *)&tree->blocks[at] : (const char *)&tree->units[at])
          : (full ? (const char *)&tree->nodes[child] : (const char *)&tree->compact_nodes[child]);
  mo_prefetch(memory, full ? 5 : 3);
}

/* Functions for rare access. They return MO_CHILD_EMPTY and empty boxes for empty slots. */

static inline uint32_t mo_mesh_child(const mo_mesh *mesh, uint32_t node, uint32_t slot) {
  if (mesh->format == MO_MESH_FULL) {
    return mesh->nodes[node].child[slot];
  }
  uint32_t child = mesh->compact_nodes[node].child[slot];
  return child == MO_CHILD_EMPTY_LEAF ? MO_CHILD_EMPTY : child;
}

static inline mo_aabb mo_mesh_child_box(const mo_mesh *mesh, uint32_t node, uint32_t slot) {
  if (mesh->format == MO_MESH_FULL) {
    return mo_bounds8_get(&mesh->nodes[node].bounds, (int)slot);
  }
  const mo_compact_node *n = &mesh->compact_nodes[node];
  return n->child[slot] == MO_CHILD_EMPTY_LEAF ? mo_aabb_empty() : mo_compact_get(&n->box, slot);
}

/* The box around all children of a node. */
static inline mo_aabb mo_mesh_node_box(const mo_mesh *mesh, uint32_t node) {
  mo_aabb all = mo_aabb_empty();
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    all = mo_aabb_union(all, mo_mesh_child_box(mesh, node, slot));
  }
  return all;
}

/* The boxes of a node, decoded into `expanded` if the format requires it. */
static inline const mo_bounds8 *mo_mesh_bounds8(const mo_mesh *mesh, uint32_t node,
                                                mo_bounds8 *expanded) {
  if (mesh->format == MO_MESH_FULL) {
    return &mesh->nodes[node].bounds;
  }
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    mo_bounds8_set(expanded, (int)slot, mo_mesh_child_box(mesh, node, slot));
  }
  return expanded;
}

static inline const uint32_t *mo_mesh_slot_orders(const mo_mesh *mesh, uint32_t node) {
  return mesh->format == MO_MESH_FULL ? mesh->nodes[node].order : mesh->compact_nodes[node].order;
}

/* The place of a node in its parent: node index << 3 | slot; MO_NONE for the root. */
static inline uint32_t mo_mesh_parent(const mo_mesh *mesh, uint32_t node) {
  return mesh->format == MO_MESH_FULL ? mesh->planes[node].parent
                                      : mesh->compact_nodes[node].parent;
}

/* The depth of a node; the root is at 0. Cost in compact meshes: O(depth). */
static inline uint32_t mo_mesh_node_depth(const mo_mesh *mesh, uint32_t node) {
  if (mesh->format == MO_MESH_FULL) {
    return mesh->planes[node].depth;
  }
  uint32_t depth = 0;
  for (uint32_t parent = mo_mesh_parent(mesh, node); parent != MO_NONE; depth++) {
    parent = mo_mesh_parent(mesh, parent >> 3);
  }
  return depth;
}

/* The planes of a node. Compact meshes do not store their positions: they are assumed midway
 * between the boxes that they separate. */
mo_nested_planes mo_mesh_nested_planes(const mo_mesh *mesh, uint32_t node);

#endif
