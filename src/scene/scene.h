/* The internal data of a scene: shapes by slot, and the dynamic shape octree over their world
 * AABBs.
 *
 * Each shape is stored once, in the list of blocks of one cell: that of a leaf, or that of an inner
 * node if the shape fits none of the node's octants. A cell is the box between split planes; cells
 * tile all of space, and the root's cell is all of space under every policy. A shape fits a cell if
 * its box lies in the cell enlarged by the `slack` of the parent node. The slack is 0 under the
 * midpoint policy, half the cell's width times (looseness - 1) under the loose policy, and chosen
 * to suit the shapes under the irregular policy. Slack keeps small shapes that straddle a plane
 * near the root from staying at that plane's node. Cells only decide how good the tree is; a query
 * culls by the tight bounds that each node stores for its children.
 *
 * The benefit of slack, measured with 100,000 evenly spread unit boxes that fill one tenth of
 * space: without slack an overlap query by one box visits 4.7 nodes and 495 blocks, as the boxes
 * that straddle the root's planes alone fill 375 blocks; with slack it visits 6.5 nodes and 1.9
 * blocks.
 *
 * The bits of an octant's index are x = 4, y = 2, z = 1. A ray whose direction has the sign mask m
 * visits octants in ascending order of (index ^ m). An octant whose bit is set for an axis without
 * a plane is never used. */
#ifndef MO_SCENE_SCENE_H
#define MO_SCENE_SCENE_H

#include <motte/scene.h>

#include "base/assert.h"
#include "math/affine.h"
#include "math/check.h"
#include "math/four.h"
#include "octree/node.h"
#include "scene/size.h"

/* Where a shape and its box are stored in the octree: block index << 3 | lane. */
typedef uint32_t mo_shape_place;

/* The record of a shape, three cache lines. The first has what filters test; the last has
 * everything that a move without rotation needs. */
typedef struct mo_shape {
  alignas(MO_ALIGNMENT) uint64_t category;
  uint64_t mask;
  uint64_t user_data;
  uint32_t generation; /* copy of mo_scene.generations, as queries have this record in cache */
  float margin;        /* by which the stored bounds are enlarged; see mo_enlarged_bounds */
  mo_affine affine;
  mo_geometry geometry;
} mo_shape;

_Static_assert(offsetof(mo_shape, affine.to_world.origin) / 64 ==
                   (offsetof(mo_shape, geometry) + sizeof(mo_geometry) - 1) / 64,
               "in one line of cache");

/* Whether two shapes pass each other's filter, by category and mask. */
static inline bool mo_shapes_pass_each_other(const mo_shape *a, const mo_shape *b) {
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* Eight shape boxes of one cell. The blocks of a cell form a linked list, in which all blocks but
 * the first are full. Lanes below `count` are used; the others have the empty box. */
typedef struct mo_shape_block {
  mo_bounds8 bounds;
  uint32_t shape[MO_LANE_COUNT]; /* slots of the shapes, by lane */
  uint32_t next;                 /* next block of the list, or MO_NONE */
  uint32_t count;
  uint32_t total; /* in the first block of a list: number of shapes in the whole list */
  /* In the first block of a leaf's list: how often splitting the leaf has failed, for exponential
   * back-off. */
  uint32_t refused_split_count;
  /* Not 0: the block may contain shapes that lie outside its cell, because an allocation failed. */
  uint32_t has_shapes_outside_cell;
  uint8_t dynamic; /* bits of lanes whose shapes are neither static nor kinematic */
  uint8_t awake;   /* bits of lanes whose shapes are neither static nor asleep */
  uint8_t unused[10];
} mo_shape_block;

/* The cell of a block, stored in an array of its own so that many cells fit in cache: a moved shape
 * stays in its block as long as the cell still contains its box. All blocks of a list have the same
 * cell. */
typedef struct mo_block_cell {
  mo_aabb cell; /* the cell, without slack */
  float slack;
  /* What the list belongs to: an inner node (MO_OWNER_IS_NODE | node), a leaf (parent node << 3 |
   * octant), or a leaf that is the root (MO_NONE). */
  uint32_t owner;
} mo_block_cell;

/* Bit of mo_block_cell.owner: the owner is an inner node, not a leaf. */
#define MO_OWNER_IS_NODE 0x80000000u

/* Marks for the lanes of blocks whose shapes a call has moved; all zero between calls
 * (scene/octree/moved.h). */
typedef struct mo_moved_marks {
  uint64_t *groups; /* one bit per MO_MOVED_BLOCKS_PER_GROUP blocks: whether any has marked lanes */
  uint8_t *lanes;   /* by block: bits of the lanes of shapes with new boxes */
  /* By block: bits of the lanes of MO_TRAIT_BOX_FOLLOWS_ORIGIN shapes whose new boxes must still be
   * computed. */
  uint8_t *shifted_lanes;
  /* By block: bits of the lanes of other shapes whose new boxes must still be computed. */
  uint8_t *general_lanes;
  uint32_t block_count; /* how many blocks the arrays have marks for */
} mo_moved_marks;

/* An inner node of the shape octree. child[i] is MO_CHILD_EMPTY, a leaf (MO_CHILD_LEAF | its first
 * block), or the index of a node. */
typedef struct mo_scene_node {
  /* Boxes around the children's subtrees: tight after an update, maybe larger before it. */
  mo_bounds8 bounds;
  uint32_t child[MO_LANE_COUNT];
  float plane[3];  /* where the node is split on each axis; valid if `axes` has the bit 4 >> axis */
  uint32_t items;  /* first block of the node's own shapes, or MO_NONE */
  uint32_t parent; /* parent node << 3 | octant in it, or MO_NONE for the root */
  uint32_t count;  /* number of shapes in the whole subtree */
  float slack;     /* distance by which boxes may reach out of the children's cells */
  uint8_t axes;    /* the axes on which the node is split, as bits: x = 4, y = 2, z = 1 */
  uint8_t loose_bounds; /* octants whose bounds, here or below, may be larger than necessary */
  /* Octants in which the next update must examine nodes, or that are overfull leaves. */
  uint8_t to_examine;
  /* How many octants were tightened since the planes were last evaluated (MO_MATURE_AGE). */
  uint8_t age;
} mo_scene_node;

/* Bits of a node's octants that contain, or recently contained, dynamic or awake shapes. Octants
 * without a bit are not searched for pairs. For a list or a single shape, a member is not 0 if
 * there is such a shape. */
typedef struct mo_motion_marks {
  uint8_t dynamic; /* for shapes that are neither static nor kinematic */
  uint8_t awake;   /* for shapes that are neither static nor asleep */
} mo_motion_marks;

/* Maintenance state of a node, stored from one examination to the next. */
typedef struct mo_node_maintenance {
  /* Expected cost with newly chosen planes, as a ratio (relative_cost in scene/octree/upkeep.c);
   * 0: unknown. */
  uint16_t expected_cost;
  /* A node may be tightened in two steps: its leaves before the rest, or all of it twice. Results
   * of the first step: */
  bool shapes_have_left;        /* whether shapes have left the node */
  uint8_t changed_octant_count; /* how many of the node's octants have changed */
  /* The examination of a node may begin in one update and end in a later one. While it lasts: */
  uint8_t examination;        /* kind of the examination, MO_EXAMINATION_... */
  uint8_t due_octants;        /* octants that were to be examined when the examination began */
  uint8_t unexamined_octants; /* the part of `due_octants` that is still to be examined */
} mo_node_maintenance;

enum {
  MO_EXAMINATION_NONE,
  MO_EXAMINATION_OF_CHANGES, /* a node is examined because of changes below it */
  /* A node is examined, and its planes are compared with newly chosen ones. */
  MO_EXAMINATION_OF_PLANES,
};

/* Flags of a shape that the octree needs, in an array separate from the large records. */
enum {
  MO_TRAIT_IMMOVABLE = 1, /* static or kinematic: contacts do not move it */
  MO_TRAIT_STILL = 2,     /* static or asleep */
  /* Its filter may reject other shapes; two shapes without this trait always pass each other's
   * filter. */
  MO_TRAIT_FILTERED = 4,
  MO_TRAIT_HAS_SAFE_SIZE =
      8,                 /* no transform within MO_MAX_SAFE_TRANSFORM can move it out of range */
  MO_TRAIT_CENTRED = 16, /* a box or ball centred at the origin of its frame */
  MO_TRAIT_HAS_IDENTITY_AXES = 32, /* the linear part of its transform is the identity */
  MO_TRAIT_BOX_FOLLOWS_ORIGIN =
      MO_TRAIT_HAS_SAFE_SIZE | MO_TRAIT_CENTRED | MO_TRAIT_HAS_IDENTITY_AXES,
  MO_TRAIT_MESH = 64,
  MO_TRAIT_HAS_MARGIN = 128, /* its stored bounds are enlarged by a margin */
  /* Set only during a call: */
  MO_TRAIT_MOVED = 512, /* its stored box has changed */
  /* Traits that are kept between calls: */
  MO_TRAIT_COMPOUND = 1024,
  MO_TRAIT_HAS_REFERENCE = 2048, /* its geometry references a mesh, hull or compound */
  MO_TRAIT_HAS_SAFE_AXES = 4096, /* mo_axes_are_in_safe_range is true for its transform */
  MO_TRAIT_UNBOUNDED =
      8192, /* a half-space: in the list of scene/shapes/unbounded.h, not in the tree */
  MO_TRAIT_HAS_RIGID_BODY = 16384, /* belongs to a body with others (scene/bodies/bodies.h) */
  /* Traits of shapes that may be empty, so touch nothing although their box does. */
  MO_TRAITS_MAYBE_EMPTY = MO_TRAIT_MESH | MO_TRAIT_COMPOUND,
};

/* Types of the workspace for inserting many shapes together (scene/bulk/insert.c). */
typedef struct mo_pending_insertion mo_pending_insertion;
typedef struct mo_insertion_visit mo_insertion_visit;
typedef struct mo_insertion_target mo_insertion_target;

typedef struct mo_bulk_workspace {
  void *memory;                     /* one allocation, which contains all arrays */
  mo_pending_insertion *insertions; /* two consecutive arrays of `capacity` elements */
  uint32_t *slots;
  mo_insertion_visit *visits;
  mo_insertion_target *targets;
  uint32_t capacity;
} mo_bulk_workspace;

/* The neighbours of a shape in the ring of its body. */
typedef struct mo_rigid_body_link {
  uint32_t next, previous;
} mo_rigid_body_link;

/* Which shapes belong to one body (scene/bodies/bodies.h). */
typedef struct mo_rigid_bodies {
  uint64_t *numbers; /* by slot: mo_shape_def::body; 0 for free slots */
  /* By slot, for shapes with a body: its neighbours in the ring of the body's shapes. */
  mo_rigid_body_link *links;
  uint32_t slot_capacity;
  /* Hash table of the bodies: each entry is the slot of one shape of a body, or MO_NONE. */
  uint32_t *table;
  uint32_t table_size;
  uint32_t count;       /* number of bodies */
  uint32_t shape_count; /* shapes that belong to a body */
} mo_rigid_bodies;

/* The level of a cubic cell is the binary exponent of its width plus MO_SCENE_LEVEL_OF_UNIT_CUBE,
 * so that levels start at 0 for the smallest float. */
enum { MO_SCENE_LEVEL_COUNT = 320, MO_SCENE_LEVEL_OF_UNIT_CUBE = 160 };

struct mo_scene {
  mo_host host;
  mo_isa isa;
  mo_tree_options options;
  float margin;              /* margin of the shapes with MO_MARGIN_OF_SCENE */
  struct mo_compound *owner; /* the compound whose children the shapes are, or null */

  mo_shape *shapes; /* records of the shapes, by slot */
  /* By slot: where the shape's box is stored; MO_NONE for an unbounded shape; for a free slot, the
   * next slot of the free list. */
  mo_shape_place *places;
  uint16_t *traits; /* by slot: MO_TRAIT_... */
  /* By slot: odd while the shape is alive. Ids of a slot do not repeat until the number wraps. */
  uint32_t *generations;
  uint32_t shape_capacity;
  uint32_t slot_count;  /* number of slots that were ever used */
  uint32_t shape_count; /* living shapes */
  uint32_t free_slot;   /* head of the free list, or MO_NONE */
  uint32_t immovable_count, still_count, filtered_count, mesh_count,
      compound_count;       /* living shapes with the MO_TRAIT_... of that name */
  uint32_t kinematic_count; /* living shapes with MO_TRAIT_IMMOVABLE and without MO_TRAIT_STILL */
  mo_rigid_bodies bodies;
  /* By slot: expected displacement of the shape; null until an update has velocities
   * (scene/shapes/displacements.h). */
  mo_vec3 *displacements;
  uint32_t displacement_capacity;

  /* Shapes without bounds, outside the tree: scene/shapes/unbounded.h. */
  uint32_t *unbounded;                    /* slots, ascending */
  struct mo_half_space_body *half_spaces; /* in world space, in the order of `unbounded` */
  uint32_t unbounded_count, unbounded_capacity;

  mo_pool nodes;        /* pool of mo_scene_node */
  mo_pool blocks;       /* pool of mo_shape_block */
  mo_block_cell *cells; /* cells of the blocks, by block */
  uint32_t cell_capacity;
  /* Marks of part 0 of a batch of moves; those of the other parts follow in memory. */
  mo_moved_marks moved;
  uint32_t moved_part_count;        /* parts of a batch of moves, each marked by its own task */
  mo_motion_marks *motion_marks;    /* by node */
  mo_node_sizes *sizes;             /* by node */
  mo_node_maintenance *maintenance; /* by node */
  uint32_t node_array_capacity;     /* capacity of the three arrays above */
  uint32_t root;                    /* encoded as mo_scene_node.child: empty, a leaf, or a node */
  mo_aabb root_bounds;              /* around all shapes; tight after an update */
  mo_aabb root_cell; /* loose and midpoint policies, if the root is a node: the cube that is halved;
                        else all of space */
  int root_exponent; /* the width of the cube `root_cell` is 2 to this power */
  /* As the bits mo_scene_node.loose_bounds and to_examine, for the root. */
  bool root_has_loose_bounds, root_needs_examination;
  /* Some shapes are stored outside their cells, because an allocation failed. */
  bool has_shapes_outside_cell;
  bool had_velocities;   /* an update had velocities, so stored bounds may be enlarged */
  bool many_leave_cells; /* heuristic: many, but not nearly all, shapes left their cells */

  /* Loose and midpoint policies: the number of nodes on each level, for the tree's height. */
  uint32_t level_node_counts[MO_SCENE_LEVEL_COUNT];
  uint32_t round_count; /* finished rounds of maintenance: one per update whose limit suffices */
  bool round_is_unfinished; /* the next update must continue the round that the last one began */
  uint64_t upkeep_debt;     /* maintenance work by which earlier updates exceeded their limits */
  uint64_t change_count;    /* shapes added, removed and moved since the last round began */
  /* Number of paths from the root that maintenance must still re-examine because of earlier
   * changes. */
  uint64_t pending_reexamination_path_count;

  mo_bulk_workspace bulk;

  struct mo_listener
      *listeners; /* linked list of the listeners to the change log (scene/changes/change_log.h) */

  mo_scene_stats counters; /* only the counters since creation are maintained here */

  /* State of the current or the last round of maintenance: */
  uint64_t round_change_count; /* `change_count` when the round began */
  /* Number of shapes that rebalancing may still move in this round. */
  uint64_t round_rebalance_budget;
};

/* Logs that an id, the argument "id" of a public function, is stale; returns the error. */
static inline mo_result mo_refuse_shape(const mo_scene *scene, const char *function,
                                        mo_shape_id id) {
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "id");
  return mo_refuse_id(&refusal, id.index, id.generation);
}

/* Whether an id names a living shape. */
static inline bool mo_shape_is_known(const mo_scene *scene, mo_shape_id id) {
  return id.index < scene->slot_count && (id.generation & 1) != 0 &&
         scene->generations[id.index] == id.generation;
}

/* Checks the arguments "scene" and "id" of a public function, whose name is for the log:
 * MO_ERROR_NULL_ARGUMENT, MO_ERROR_STALE_ID. */
static inline mo_result mo_check_shape_id(const mo_scene *scene, const char *function,
                                          mo_shape_id id) {
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  return mo_shape_is_known(scene, id) ? MO_OK : mo_refuse_shape(scene, function, id);
}

/* The host of a scene, for log messages; null if the scene is null. */
static inline const mo_host *mo_scene_host(const mo_scene *scene) {
  return scene != NULL ? &scene->host : NULL;
}

static inline mo_scene_node *mo_scene_node_at(const mo_scene *scene, uint32_t index) {
  MO_ASSERT(index < scene->nodes.count);
  return (mo_scene_node *)scene->nodes.items + index;
}

static inline mo_shape_block *mo_shape_block_at(const mo_scene *scene, uint32_t index) {
  MO_ASSERT(index < scene->blocks.count);
  return (mo_shape_block *)scene->blocks.items + index;
}

/* Bits of the octants of a node that are not empty. */
static inline uint32_t mo_node_used_octants(const mo_scene_node *node) {
  mo_i4 low, high;
  memcpy(&low, node->child, sizeof low);
  memcpy(&high, node->child + 4, sizeof high);
  const int32_t empty = (int32_t)MO_CHILD_EMPTY;
  const mo_i4 none = {empty, empty, empty, empty};
  return mo_i4_bits(low != none) | mo_i4_bits(high != none) << 4;
}

static inline bool mo_scene_root_is_node(const mo_scene *scene) {
  return !mo_child_is_leaf(scene->root); /* MO_CHILD_EMPTY has the leaf bit set */
}

/* Capacity of traversal stacks of the shape octree: at most seven siblings per level. */
enum { MO_SCENE_STACK_SIZE = 7 * MO_SCENE_MAX_DEPTH + 8 };

/* Reserves memory for `count` slots in total. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_slots_reserve(mo_scene *scene, uint32_t count);

/* Reallocates the arrays by slot for `capacity` slots, at least as many as were ever used; does not
 * change listeners. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_slots_resize(mo_scene *scene, uint32_t capacity);

/* The motion of a living shape: static, kinematic, sleeping or dynamic. */
static inline mo_motion mo_slot_motion(const mo_scene *scene, uint32_t slot) {
  MO_ASSERT(slot < scene->slot_count);
  uint32_t traits = scene->traits[slot];
  return traits & MO_TRAIT_IMMOVABLE
             ? (traits & MO_TRAIT_STILL ? MO_MOTION_STATIC : MO_MOTION_KINEMATIC)
         : traits & MO_TRAIT_STILL ? MO_MOTION_SLEEPING
                                   : MO_MOTION_DYNAMIC;
}

/* Whether contacts do not move a living shape: it is static or kinematic. */
static inline bool mo_slot_is_immovable(const mo_scene *scene, uint32_t slot) {
  return (scene->traits[slot] & MO_TRAIT_IMMOVABLE) != 0;
}

static inline bool mo_slot_is_alive(const mo_scene *scene, uint32_t slot) {
  MO_ASSERT(slot < scene->shape_capacity);
  return (scene->generations[slot] & 1) != 0;
}

static inline mo_shape_id mo_shape_id_of(const mo_scene *scene, uint32_t slot) {
  return (mo_shape_id){slot, scene->generations[slot]};
}

#endif
