/* Access to the octree of a mesh in any format.
 *
 * Traversals are written once and compiled twice: for the full format, whose data is not copied,
 * and for the others, which are decoded. Which of those it is, is known at run time only: a branch
 * that is always predicted costs less than a third copy of all kernels would. Functions for rare
 * access read the format from the mesh at run time. */
#ifndef MO_MESH_FORMAT_READ_H
#define MO_MESH_FORMAT_READ_H

#include "base/inline.h"
#include "base/prefetch.h"
#include "mesh/format/compact.h"
#include "mesh/format/height.h"
#include "octree/cull.h"

/* The format of a mesh that is not MO_MESH_FULL, for code that is compiled for all other formats
 * at once. */
MO_INLINE mo_mesh_format mo_decoded_format(const mo_mesh *mesh) {
  const mo_mesh_format format = mesh->format;
  if (format == MO_MESH_FULL) {
    __builtin_unreachable();
  }
  return format;
}

/* Pointers to the octree's arrays; those of other formats are null. */
typedef struct mo_tree_arrays {
  const mo_mesh_node *nodes;
  const mo_triangle_block *blocks;
  const mo_compact_node *compact_nodes;
  const mo_compact_unit *units;
  const mo_height_field *height;
} mo_tree_arrays;

MO_INLINE mo_tree_arrays mo_tree_arrays_of(const mo_mesh *mesh, mo_mesh_format format) {
  mo_tree_arrays tree = {NULL, NULL, NULL, NULL, NULL};
  if (format == MO_MESH_FULL) {
    tree.nodes = mesh->nodes;
    tree.blocks = mesh->blocks;
  } else {
    tree.compact_nodes = mesh->compact_nodes;
    tree.units = mesh->units;
    tree.height = mesh->height;
  }
  return tree;
}

/* A node's children and visit orders, in either format. */
typedef struct mo_node_links {
  const uint32_t *child, *order, *any_hit_order; /* as in mo_mesh_node */
} mo_node_links;

/* Memory for children that are computed. */
typedef struct mo_child_buffer {
  alignas(MO_ALIGNMENT) uint32_t child[MO_LANE_COUNT];
} mo_child_buffer;

MO_INLINE mo_node_links mo_load_links(const mo_tree_arrays *tree, mo_mesh_format format,
                                      uint32_t node, mo_child_buffer *computed) {
  if (format == MO_MESH_FULL) {
    const mo_mesh_node *n = &tree->nodes[node];
    return (mo_node_links){n->child, n->order, &n->any_hit_order};
  }
  if (format == MO_MESH_HEIGHT) {
    const mo_height_level *level = &tree->height->level[mo_height_node_position(node).depth];
    mo_height_load_children(tree->height, node, computed->child);
    return (mo_node_links){computed->child, level->order, &level->any_hit_order};
  }
  const mo_compact_node *n = &tree->compact_nodes[node];
  return (mo_node_links){n->child, n->order, &n->any_hit_order};
}

/* One child of a node. */
MO_INLINE uint32_t mo_load_child(const mo_tree_arrays *tree, mo_mesh_format format, uint32_t node,
                                 uint32_t slot) {
  return format == MO_MESH_FULL     ? tree->nodes[node].child[slot]
         : format == MO_MESH_HEIGHT ? mo_height_child(tree->height, node, slot)
                                    : tree->compact_nodes[node].child[slot];
}

/* Bits of slots that have a child. */
MO_INLINE uint32_t mo_load_child_bits(const mo_tree_arrays *tree, mo_mesh_format format,
                                      uint32_t node) {
  if (format == MO_MESH_HEIGHT) {
    return mo_height_child_bits(tree->height, node);
  }
  const uint32_t *child =
      format == MO_MESH_FULL ? tree->nodes[node].child : tree->compact_nodes[node].child;
  const uint32_t empty = format == MO_MESH_FULL ? MO_CHILD_EMPTY : MO_CHILD_EMPTY_LEAF;
  return ~mo_u8_equal(child, UINT32_MAX, empty) & 0xff;
}

/* The boxes of a node, decoded into `expanded` if the format requires it. Boxes of empty slots are
 * undefined. */
MO_INLINE const mo_bounds8 *mo_load_bounds(const mo_tree_arrays *tree, mo_mesh_format format,
                                           uint32_t node, mo_bounds8 *expanded) {
  if (format == MO_MESH_FULL) {
    return &tree->nodes[node].bounds;
  }
  if (format == MO_MESH_HEIGHT) {
    mo_height_load_bounds(tree->height, node, expanded);
  } else {
    mo_compact_expand(&tree->compact_nodes[node].box, expanded);
  }
  return expanded;
}

/* Loads rows of sides by axis, for offsets as in mo_ray_lanes: the sides at which rays enter and
 * leave. */
MO_INLINE void mo_load_side_rows(const mo_tree_arrays *tree, mo_mesh_format format, uint32_t node,
                                 const size_t enter[3], const size_t leave[3], mo_f8 enter_row[3],
                                 mo_f8 leave_row[3]) {
  if (format == MO_MESH_COMPACT) {
    const mo_compact_boxes8 *box = &tree->compact_nodes[node].box;
    mo_grid_lanes grid = mo_compact_grid(box);
    for (int axis = 0; axis < 3; axis++) {
      enter_row[axis] = mo_compact_row(box, &grid, axis, enter[axis]);
      leave_row[axis] = mo_compact_row(box, &grid, axis, leave[axis]);
    }
    return;
  }
  mo_bounds8 expanded;
  const float *floats = &mo_load_bounds(tree, format, node, &expanded)->lower[0][0];
  for (int axis = 0; axis < 3; axis++) {
    enter_row[axis] = mo_f8_load(floats + enter[axis]);
    leave_row[axis] = mo_f8_load(floats + leave[axis]);
  }
}

/* The block of triangles at position `at`, decoded into `expanded` if the format requires it. The
 * next block of the leaf is at mo_block_after. */
MO_INLINE const mo_triangle_block *mo_load_block(const mo_tree_arrays *tree, mo_mesh_format format,
                                                 uint32_t at, mo_triangle_block *expanded) {
  if (format == MO_MESH_FULL) {
    return &tree->blocks[at];
  }
  if (format == MO_MESH_HEIGHT) {
    mo_height_load_block(tree->height, at, expanded);
    return expanded;
  }
  const mo_compact_block *block = mo_compact_block_at(tree->units, at);
  if (mo_compact_is_unpacked(block)) {
    return (const mo_triangle_block *)(const void *)block;
  }
  mo_u8_store(expanded->id, mo_u8_load(block->id));
  for (uint32_t axis = 0; axis < 3; axis++) {
    const float *row = block->x + axis * block->vertex_count;
    mo_f8 low = mo_f8_load_unaligned(row), high = mo_f8_load_unaligned(row + 8);
    for (int i = 0; i < 3; i++) {
      mo_f8_store(expanded->corner[i][axis], mo_f8_pick16(low, high, block->vertex_nibbles[i]));
    }
  }
  return expanded;
}

/* The place of the next block of a leaf; leaves of height fields have one block each. */
MO_INLINE uint32_t mo_block_after(const mo_tree_arrays *tree, mo_mesh_format format, uint32_t at) {
  return format != MO_MESH_COMPACT
             ? at + 1
             : at + mo_compact_block_units(mo_compact_block_at(tree->units, at));
}

/* The size in bytes of a node, and of the unit in which block positions are counted; 0 for height
 * fields, which store neither. */
MO_INLINE size_t mo_node_bytes(mo_mesh_format format) {
  return format == MO_MESH_FULL      ? sizeof(mo_mesh_node)
         : format == MO_MESH_COMPACT ? sizeof(mo_compact_node)
                                     : 0;
}

MO_INLINE size_t mo_block_unit_bytes(mo_mesh_format format) {
  return format == MO_MESH_FULL      ? sizeof(mo_triangle_block)
         : format == MO_MESH_COMPACT ? sizeof(mo_compact_unit)
                                     : 0;
}

/* The size in bytes of all that traversals read: of nodes and blocks, or of a height field. */
static inline size_t mo_mesh_tree_bytes(const mo_mesh *mesh) {
  if (mesh->height != NULL) {
    return mo_height_bytes(mesh->height);
  }
  size_t places = mesh->format == MO_MESH_FULL ? mesh->block_count : mesh->unit_count;
  return mesh->node_count * mo_node_bytes(mesh->format) +
         places * mo_block_unit_bytes(mesh->format);
}

/* Prefetches a child: a node or the first block of a leaf. Of height fields nothing: what is read
 * is small, and lies in several places. */
MO_INLINE void mo_child_prefetch(const mo_tree_arrays *tree, mo_mesh_format format,
                                 uint32_t child) {
  if (format == MO_MESH_HEIGHT) {
    return;
  }
  uint32_t at = mo_child_index(child);
  bool full = format == MO_MESH_FULL;
  const char *memory =
      mo_child_is_leaf(child)
          ? (full ? (const char *)&tree->blocks[at] : (const char *)&tree->units[at])
          : (full ? (const char *)&tree->nodes[child] : (const char *)&tree->compact_nodes[child]);
  mo_prefetch(memory, full ? 5 : 3);
}

/* Functions for rare access to either format. For empty slots they return MO_CHILD_EMPTY and empty
 * boxes. */

static inline uint32_t mo_mesh_child(const mo_mesh *mesh, uint32_t node, uint32_t slot) {
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  return mo_load_child_bits(&tree, mesh->format, node) >> slot & 1
             ? mo_load_child(&tree, mesh->format, node, slot)
             : MO_CHILD_EMPTY;
}

static inline mo_aabb mo_mesh_child_box(const mo_mesh *mesh, uint32_t node, uint32_t slot) {
  if (mesh->format == MO_MESH_COMPACT) {
    const mo_compact_node *n = &mesh->compact_nodes[node];
    return n->child[slot] == MO_CHILD_EMPTY_LEAF ? mo_aabb_empty() : mo_compact_get(&n->box, slot);
  }
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  mo_bounds8 expanded;
  return mo_bounds8_get(mo_load_bounds(&tree, mesh->format, node, &expanded), (int)slot);
}

/* The box around all children of a node. */
static inline mo_aabb mo_mesh_node_box(const mo_mesh *mesh, uint32_t node) {
  mo_aabb all = mo_aabb_empty();
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    all = mo_aabb_union(all, mo_mesh_child_box(mesh, node, slot));
  }
  return all;
}

/* The boxes of a node, decoded into `expanded` if the format requires it. */
static inline const mo_bounds8 *mo_mesh_bounds8(const mo_mesh *mesh, uint32_t node,
                                                mo_bounds8 *expanded) {
  if (mesh->format == MO_MESH_COMPACT) { /* whose boxes of empty slots are undefined */
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      mo_bounds8_set(expanded, (int)slot, mo_mesh_child_box(mesh, node, slot));
    }
    return expanded;
  }
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  return mo_load_bounds(&tree, mesh->format, node, expanded);
}

static inline const uint32_t *mo_mesh_slot_orders(const mo_mesh *mesh, uint32_t node) {
  switch (mesh->format) {
  case MO_MESH_FULL:
    return mesh->nodes[node].order;
  case MO_MESH_COMPACT:
    return mesh->compact_nodes[node].order;
  case MO_MESH_HEIGHT:
    return mesh->height->level[mo_height_node_position(node).depth].order;
  case MO_MESH_FORMAT_COUNT:
    break;
  }
  __builtin_unreachable();
}

/* The place of a node in its parent: node index << 3 | slot; MO_NONE for the root. */
static inline uint32_t mo_mesh_parent(const mo_mesh *mesh, uint32_t node) {
  switch (mesh->format) {
  case MO_MESH_FULL:
    return mesh->planes[node].parent;
  case MO_MESH_COMPACT:
    return mesh->compact_nodes[node].parent;
  case MO_MESH_HEIGHT:
    return mo_height_place_in_parent(mesh->height, node);
  case MO_MESH_FORMAT_COUNT:
    break;
  }
  __builtin_unreachable();
}

/* The depth of a node; the root is at 0. Cost in compact and editable meshes: O(depth). */
static inline uint32_t mo_mesh_node_depth(const mo_mesh *mesh, uint32_t node) {
  switch (mesh->format) {
  case MO_MESH_FULL:
    if (mesh->editing == NULL) {
      return mesh->planes[node].depth;
    }
    break; /* edits move subtrees, and do not maintain depths */
  case MO_MESH_HEIGHT:
    return mo_height_node_position(node).depth;
  case MO_MESH_COMPACT:
  case MO_MESH_FORMAT_COUNT:
    break;
  }
  uint32_t depth = 0;
  for (uint32_t parent = mo_mesh_parent(mesh, node); parent != MO_NONE; depth++) {
    parent = mo_mesh_parent(mesh, parent >> 3);
  }
  return depth;
}

/* The node with an index below node_count; see mo_mesh_node_index. */
static inline uint32_t mo_mesh_node_of_index(const mo_mesh *mesh, uint32_t index) {
  return mesh->height == NULL ? index : mo_height_node_of_index(mesh->height, index);
}

/* The planes of a node. Compact meshes do not store their positions: they are assumed midway
 * between the boxes that they separate. Those of height fields lie between cells. */
mo_nested_planes mo_mesh_nested_planes(const mo_mesh *mesh, uint32_t node);

#endif
