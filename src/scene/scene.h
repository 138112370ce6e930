/* Inside a scene: shapes by slot, and the dynamic shape octree over their world boxes.
 *
 * Each shape is stored once, in the list of blocks of one cell: a leaf, or an inner node if it fits
 * none of the node's octants. Cells are products of intervals between planes and tile all of space;
 * the root's is all of space under every policy. A shape fits a cell if its box lies in it but for
 * the `slack` of the node that made it: none under the midpoint policy, half a cell's width times
 * (looseness - 1) under the loose one, and what suits the shapes under the irregular one. Slack is
 * what keeps small shapes from sticking at high planes. Placement only decides how good the tree
 * is; the tight bounds beside the children decide what a query visits.
 *
 * What slack is worth, in 100,000 even unit boxes with one tenth of space filled: a query by one
 * box visits 4.7 nodes and 495 blocks in strict cells, as the boxes on the planes of the root alone
 * fill 375 blocks; with slack 6.5 nodes and 1.9 blocks.
 *
 * The bits of an octant are x = 4, y = 2, z = 1, so octant i lies before octant j along a ray in
 * the order i ^ sign mask. An octant whose bit is set on an axis without a plane is never in use.
 */
#ifndef MO_SCENE_SCENE_H
#define MO_SCENE_SCENE_H

#include <motte/scene.h>

#include "math/affine.h"
#include "math/check.h"
#include "octree/node.h"
#include "scene/size.h"

/* Where a shape's box is stored: block index << 3 | lane. */
typedef uint32_t mo_place;

/* Three cache lines: the first decides whether a query is interested, the last holds all that a
 * move without a turn needs. */
typedef struct mo_shape {
  alignas(MO_ALIGNMENT) uint64_t category;
  uint64_t mask;
  uint64_t user_data;
  uint32_t generation; /* as in mo_scene, for queries, which have the record at hand */
  float margin;        /* by which stored bounds are larger than they must be; see mo_fat_bounds */
  mo_affine affine;
  mo_geometry geometry;
} mo_shape;

_Static_assert(offsetof(mo_shape, affine.to_world.origin) / 64 ==
                   (offsetof(mo_shape, geometry) + sizeof(mo_geometry) - 1) / 64,
               "in one line of cache");

/* Eight shape boxes of one cell. Blocks of a cell form a list, all full but for the first. Lanes
 * below `count` are in use; the others have the empty box. */
typedef struct mo_shape_block {
  mo_bounds8 bounds;
  uint32_t shape[MO_WIDTH]; /* slots */
  uint32_t next;            /* block, or MO_NONE */
  uint32_t count;
  uint32_t total;    /* first block of a list: shapes in the list */
  uint32_t refusals; /* first block: how often a split was refused, for waiting ever longer */
  uint32_t
      displaced;   /* not 0: may hold shapes out of their cell, for want of memory to move them */
  uint8_t dynamic; /* bits of lanes whose shapes are not static */
  uint8_t awake;   /* bits of lanes whose shapes are neither static nor asleep */
  uint8_t unused[10];
} mo_shape_block;

/* What a move needs to know of a block, apart from it so that many of them stay in cache: a shape
 * stays where it is while the cell holds its box. The same for all blocks of a list. */
typedef struct mo_block_cell {
  mo_aabb cell; /* without slack */
  float slack;
  uint32_t owner; /* MO_OWNER_NODE | node; or of a leaf: node << 3 | octant, MO_NONE for the root */
} mo_block_cell;

#define MO_OWNER_NODE 0x80000000u

/* Lanes of blocks whose shapes a call has moved; all zero between calls (scene/octree/moved.h). */
typedef struct mo_moved {
  uint64_t *groups; /* a bit per MO_MOVED_GROUP blocks: whether any has bits of lanes */
  uint8_t *lanes;   /* by block: of shapes that have new boxes */
  uint8_t *shifts;  /* by block: of easy shapes whose boxes are still to be worked out */
  uint8_t *images;  /* by block: of other shapes whose boxes are */
  uint32_t blocks;  /* capacity */
} mo_moved;

/* An inner node. child[i]: MO_CHILD_EMPTY, MO_CHILD_LEAF | first block, or a node. */
typedef struct mo_scene_node {
  mo_bounds8 bounds; /* tight around each child's subtree, or looser by at most one update */
  uint32_t child[MO_WIDTH];
  float plane[3];  /* meaningful where `axes` has the bit 4 >> axis */
  uint32_t items;  /* first block of the shapes stored here, or MO_NONE */
  uint32_t parent; /* node << 3 | octant, or MO_NONE for the root */
  uint32_t count;  /* shapes in the whole subtree */
  float slack;     /* how far boxes may reach out of the children's cells */
  uint8_t axes;    /* bits of octants that have a plane: x = 4, y = 2, z = 1 */
  uint8_t loose;   /* octants under which bounds may have become looser than need be */
  uint8_t changed; /* octants under which an update has something to examine, or that are full */
  uint8_t age;     /* tightenings of octants since the planes were last evaluated */
} mo_scene_node;

/* Bits of octants of a node under which there are, or lately were, shapes that are not static, and
 * shapes that are awake too. Other octants are never searched for pairs. */
typedef struct mo_node_marks {
  uint8_t dynamic, awake;
} mo_node_marks;

/* Maintenance state of a node: what upkeep knows of it from one examination to the next. */
typedef struct mo_node_maintenance {
  uint16_t fresh; /* what planes chosen anew would have cost, as scene/octree/upkeep.c has it; 0:
                     not known */
  /* Of a node that tightening visits twice, or leaves of which were made tight before, the result
   * of the first visit: whether shapes have left it, and how many octants changed. */
  bool thinned;
  uint8_t aged;
  /* Of a node that upkeep has begun to examine, where an update may have run out of upkeep before
   * the end: how, which octants had changed then, and which of these still have to be examined. */
  uint8_t examined; /* MO_EXAMINED_... */
  uint8_t octants, waiting;
  uint32_t gone; /* shapes that have left its lists and are still counted */
} mo_node_maintenance;

enum {
  MO_EXAMINED_NOT,
  MO_EXAMINED_CHANGED, /* for what changed below it */
  MO_EXAMINED_MATURE,  /* also to compare its planes with fresh ones */
};

/* What the shape octree must know of a shape, apart from its record, which is large. */
enum {
  MO_TRAIT_STATIC = 1,
  MO_TRAIT_STILL = 2, /* static or asleep */
  MO_TRAIT_FILTERED =
      4, /* its filter may reject another shape; two shapes without the trait always pass */
  MO_TRAIT_SMALL = 8,         /* no ordinary transform moves it out of range, now or later */
  MO_TRAIT_CENTRED = 16,      /* a box or a ball around the origin of its frame */
  MO_TRAIT_AXIS_ALIGNED = 32, /* its axes are those of the world */
  MO_TRAIT_EASY = MO_TRAIT_SMALL | MO_TRAIT_CENTRED | MO_TRAIT_AXIS_ALIGNED,
  MO_TRAIT_MESH = 64,
  MO_TRAIT_FAT = 128, /* has a margin */
  /* While a call lasts: */
  MO_TRAIT_MISPLACED = 256, /* is stored in a cell where it does not belong any more */
  MO_TRAIT_MOVED = 512,     /* has a new box */
  MO_TRAIT_SHIFTED = 1024,  /* its box is still to be worked out */
  /* Always: */
  MO_TRAIT_SHARES = 2048,    /* its geometry holds a reference, to a mesh or a hull */
  MO_TRAIT_SAFE_AXES = 4096, /* the columns of its linear part are safe: mo_axes_are_safe */
  MO_TRAIT_UNBOUNDED = 8192, /* a half-space: in no tree, but in the list of scene/unbounded.h */
};

/* Shapes that are inserted together, and the workspace to sort them (scene/bulk/insert.c). */
typedef struct mo_pending_insertion mo_pending_insertion;
typedef struct mo_visit mo_visit;
typedef struct mo_target mo_target;

typedef struct mo_bulk {
  void *memory;                /* of all arrays */
  mo_pending_insertion *items; /* twice `capacity` */
  uint32_t *slots;
  mo_visit *visits;
  mo_target *targets;
  uint32_t capacity;
} mo_bulk;

/* Levels of cubic cells: the exponent of the cell's width, from that of the least to that of the
 * largest float, offset to start at 0. */
enum { MO_SCENE_LEVELS = 320, MO_SCENE_LEVEL_ZERO = 160 };

struct mo_scene {
  mo_host host;
  mo_isa isa;
  mo_tree_options options;
  float margin; /* of shapes that have none of their own */

  mo_shape *shapes; /* by slot */
  /* By slot: where its box is; of an unbounded shape MO_NONE; of a free slot, the next one that is
   * free. */
  mo_place *places;
  uint16_t *traits; /* by slot: MO_TRAIT_... */
  /* By slot: odd while alive, so that a slot's ids never repeat until it wraps. */
  uint32_t *generations;
  uint32_t shape_capacity;
  uint32_t slot_count;  /* slots ever used */
  uint32_t shape_count; /* living */
  uint32_t free_slot;   /* MO_NONE if none waits */
  uint32_t static_count, still_count, filtered_count,
      mesh_count; /* living shapes with each trait */

  /* Shapes without bounds, beside the tree: scene/unbounded.h. */
  uint32_t *unbounded;                    /* slots, ascending */
  struct mo_half_space_body *half_spaces; /* in the world, in the same order */
  uint32_t unbounded_count, unbounded_capacity;

  mo_pool nodes;        /* of mo_scene_node */
  mo_pool blocks;       /* of mo_shape_block */
  mo_block_cell *cells; /* by block */
  uint32_t cell_capacity;
  mo_moved moved;       /* that of the first of `moved_parts`, which follow each other in memory */
  uint32_t moved_parts; /* of moves that tasks may note at the same time */
  mo_node_marks *marks; /* by node */
  mo_node_sizes *sizes; /* by node */
  mo_node_maintenance *maintenance; /* by node */
  uint32_t mark_capacity;
  uint32_t root;       /* a child value: MO_CHILD_EMPTY, leaf, or node */
  mo_aabb root_bounds; /* around all shapes; tight after an update */
  mo_aabb
      root_cell; /* loose and midpoint, root is a node: the cube that halves; else all of space */
  int root_exponent; /* the cube is 2 to this wide */
  bool root_loose, root_changed;
  bool displaced;   /* a shape could not be moved to its cell for want of memory */
  bool looks_ahead; /* an update has had velocities, so bounds may be larger than shapes */
  bool high_churn;  /* heuristic: most of the shapes that moved together last left their cells */
  bool flies;       /* heuristic: many of all shapes did, but not nearly all */

  uint32_t
      level_nodes[MO_SCENE_LEVELS]; /* loose and midpoint: nodes by level, for the tree's height */
  uint32_t rounds; /* of upkeep that are finished: one in each update that has enough of it */
  bool unfinished; /* the last update has left a round for the next one to go on with */
  uint64_t debt;   /* upkeep that earlier updates have spent beyond what they were given */
  uint64_t work;   /* shapes added, removed and moved since a round of upkeep last began */
  uint64_t owed;   /* nodes still to be examined after earlier changes */

  mo_bulk bulk;

  struct mo_changes *listeners; /* to the change log (changes.h) */

  mo_scene_stats counters; /* only the counters since creation are kept here */

  /* Of the round of upkeep that is unfinished, or was the last: */
  uint64_t round_work;       /* `work` when it began */
  uint64_t round_rebalances; /* shapes that may still be moved for the sake of planes */
};

/* Says that an id, the argument "id" of a call, is stale. */
static inline mo_result mo_refuse_shape(const mo_scene *scene, const char *function,
                                        mo_shape_id id) {
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "id");
  return mo_refuse_id(&refusal, id.index, id.generation);
}

/* Whose log is told; null for no scene. */
static inline const mo_host *mo_scene_host(const mo_scene *scene) {
  return scene != NULL ? &scene->host : NULL;
}

static inline mo_scene_node *mo_scene_node_at(const mo_scene *scene, uint32_t index) {
  return (mo_scene_node *)scene->nodes.items + index;
}

static inline mo_shape_block *mo_shape_block_at(const mo_scene *scene, uint32_t index) {
  return (mo_shape_block *)scene->blocks.items + index;
}

static inline bool mo_scene_root_is_node(const mo_scene *scene) {
  return !mo_child_is_leaf(scene->root); /* MO_CHILD_EMPTY has the bit of a leaf */
}

/* The traversal stacks of the shape octree hold at most the seven siblings of each level. */
enum { MO_SCENE_STACK = 7 * MO_SCENE_MAX_DEPTH + 8 };

/* Whether an id names a living shape. */
static inline bool mo_shape_is_known(const mo_scene *scene, mo_shape_id id) {
  return id.index < scene->slot_count && (id.generation & 1) != 0 &&
         scene->generations[id.index] == id.generation;
}

/* Reserves memory for so many slots in all. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_slots_reserve(mo_scene *scene, uint32_t count);

/* Gives the scene memory for so many slots, no less than were ever used; leaves listeners as they
 * are. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_slots_resize(mo_scene *scene, uint32_t capacity);

/* How a living shape takes part in pairs. */
static inline mo_motion mo_slot_motion(const mo_scene *scene, uint32_t slot) {
  uint32_t traits = scene->traits[slot];
  return traits & MO_TRAIT_STATIC  ? MO_MOTION_STATIC
         : traits & MO_TRAIT_STILL ? MO_MOTION_SLEEPING
                                   : MO_MOTION_DYNAMIC;
}

static inline bool mo_slot_is_alive(const mo_scene *scene, uint32_t slot) {
  return (scene->generations[slot] & 1) != 0;
}

static inline mo_shape_id mo_shape_id_of(const mo_scene *scene, uint32_t slot) {
  return (mo_shape_id){slot, scene->generations[slot]};
}

#endif
