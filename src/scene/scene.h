/* Inside a scene: shapes by slot, and the dynamic shape octree over their world boxes.
 *
 * Each shape is stored once, in the list of blocks of one cell: a leaf, or an inner node if it
 * straddles the node's planes (or, loose, is sized for that level). The bits of an octant are x = 4,
 * y = 2, z = 1, so octant i lies before octant j along a ray in the order i ^ sign mask. */
#ifndef MO_SCENE_SCENE_H
#define MO_SCENE_SCENE_H

#include <motte/scene.h>

#include "math/affine.h"
#include "octree/node.h"

/* Where a shape's box is stored: block index << 3 | lane. */
typedef uint32_t mo_place;

typedef struct mo_shape {
  mo_geometry geometry;
  mo_affine affine;
  uint64_t category, mask;
  uint64_t user_data;
  uint32_t generation; /* odd while alive, so that a slot's ids never repeat until it wraps */
  uint32_t next_free;  /* while dead */
} mo_shape;

/* Eight shape boxes of one cell. Blocks of a cell form a list. Lanes below `count` are in use; the
 * others have the empty box. */
typedef struct mo_shape_block {
  mo_bounds8 bounds;
  uint32_t shape[MO_WIDTH]; /* slots */
  uint32_t next;            /* block, or MO_NONE */
  uint32_t previous;        /* block, or MO_NONE */
  uint32_t owner;           /* MO_OWNER_NODE | node, or parent node << 3 | octant of a leaf */
  uint32_t count;
  uint32_t unused[4];
} mo_shape_block;

#define MO_OWNER_NODE 0x80000000u

/* An inner node. child[i]: MO_CHILD_EMPTY, MO_CHILD_LEAF | first block, or a node. */
typedef struct mo_scene_node {
  mo_bounds8 bounds; /* tight around each child's subtree, or looser by at most one update */
  uint32_t child[MO_WIDTH];
  float plane[3];  /* meaningful where `axes` has the bit 4 >> axis */
  uint32_t items;  /* first block of the shapes stored here, or MO_NONE */
  uint32_t parent; /* node << 3 | octant, or MO_NONE for the root */
  uint32_t count;  /* shapes in the whole subtree */
  uint8_t axes;    /* bits of octants that have a plane: x = 4, y = 2, z = 1 */
  uint8_t depth;   /* the root is at 0 */
  uint8_t dirty;   /* queued for the next update */
  uint8_t unused;
  float looseness; /* loose policy: half the cell's excess over its strict extent, world units */
} mo_scene_node;

struct mo_scene {
  mo_host host;
  mo_isa isa;
  mo_tree_options options;

  mo_shape *shapes; /* by slot */
  mo_place *places; /* by slot: where its box is */
  uint32_t shape_capacity;
  uint32_t slot_count;  /* slots ever used */
  uint32_t shape_count; /* living */
  uint32_t free_slot;   /* MO_NONE if none waits */

  mo_pool nodes;  /* of mo_scene_node; MO_NONE as root while all fits in one leaf */
  mo_pool blocks; /* of mo_shape_block */
  uint32_t root;  /* a child value: MO_CHILD_EMPTY, leaf, or node */
  mo_aabb root_bounds; /* around all shapes; tight after an update */
  mo_aabb root_cell;   /* loose and midpoint: the cube that halves; irregular: all of space */

  uint32_t *dirty_nodes; /* for the next update */
  uint32_t dirty_count, dirty_capacity;

  mo_scene_stats counters; /* only the counters since creation are kept here */
};

static inline mo_scene_node *mo_scene_node_at(const mo_scene *scene, uint32_t index) {
  return (mo_scene_node *)scene->nodes.items + index;
}

static inline mo_shape_block *mo_shape_block_at(const mo_scene *scene, uint32_t index) {
  return (mo_shape_block *)scene->blocks.items + index;
}

/* The traversal stacks of the shape octree hold at most the seven siblings of each level. */
enum { MO_SCENE_STACK = 7 * MO_SCENE_MAX_DEPTH + 8 };

static inline mo_shape_id mo_shape_id_of(const mo_scene *scene, uint32_t slot) {
  return (mo_shape_id){slot, scene->shapes[slot].generation};
}

#endif
