/* The shape octree's own functions: lists of blocks, placing, splitting, upkeep.
 *
 * Functions that take blocks or nodes from the pools move the arrays: hold indices across them. */
#ifndef MO_SCENE_OCTREE_TREE_H
#define MO_SCENE_OCTREE_TREE_H

#include <string.h>

#include "base/isa.h"
#include "base/prefetch.h"
#include "math/four.h"
#include "scene/octree/policy.h"
#include "scene/scene.h"

/* --- lists of blocks (lists.c) --- */

/* Makes sure that `extra` more blocks can be taken. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_blocks_reserve(mo_scene *scene, uint32_t extra);

/* Gives back memory for blocks beyond those that were used. */
void mo_blocks_trim(mo_scene *scene);

/* Adds a shape in front of a list (MO_NONE if there is none yet) whose blocks belong to `cell`;
 * returns the new first block. A block must have been reserved. */
uint32_t mo_list_push(mo_scene *scene, uint32_t head, const mo_block_cell *cell, uint32_t slot,
                      const mo_aabb *box);

/* The same of a shape whose traits are known. */
uint32_t mo_list_push_as(mo_scene *scene, uint32_t head, const mo_block_cell *cell, uint32_t slot,
                         const mo_aabb *box, mo_node_marks any);

/* Takes a shape out of the list that begins at `head`; the list's last come takes its place.
 * Returns the first block, MO_NONE if the list is empty now. */
uint32_t mo_list_remove(mo_scene *scene, uint32_t head, mo_place place);

/* Notes what moves in a lane of a block. */
static inline void mo_block_set_motion(mo_shape_block *block, uint32_t lane, uint32_t traits) {
  uint32_t bit = 1u << lane;
  uint32_t dynamic = traits & MO_TRAIT_STATIC ? 0 : bit, awake = traits & MO_TRAIT_STILL ? 0 : bit;
  block->dynamic = (uint8_t)((block->dynamic & ~bit) | dynamic);
  block->awake = (uint8_t)((block->awake & ~bit) | awake);
}

/* Not 0 where a list has shapes that are not static, that are awake. */
mo_node_marks mo_list_marks(const mo_scene *scene, uint32_t head);

/* Sets the bits of an octant for what is not 0 in `any`. */
static inline void mo_marks_add(mo_node_marks *marks, uint32_t octant, mo_node_marks any) {
  uint32_t bit = 1u << octant;
  marks->dynamic = (uint8_t)(marks->dynamic | (any.dynamic ? bit : 0));
  marks->awake = (uint8_t)(marks->awake | (any.awake ? bit : 0));
}

static inline mo_node_marks mo_traits_marks(uint32_t traits) {
  return (mo_node_marks){!(traits & MO_TRAIT_STATIC), !(traits & MO_TRAIT_STILL)};
}

mo_aabb mo_shape_block_bounds(const mo_shape_block *block);
mo_aabb mo_list_bounds(const mo_scene *scene, uint32_t head);
mo_size mo_list_size(const mo_scene *scene, uint32_t head);

/* Puts list `front` (or MO_NONE) before list `back` (or MO_NONE). Only the first block of what
 * comes out keeps its total right; mo_list_pack mends the rest. */
uint32_t mo_list_join(mo_scene *scene, uint32_t front, uint32_t back);

/* Makes a list of joined lists dense again and hands it to `cell`. Takes no more blocks than it
 * gives back. */
uint32_t mo_list_pack(mo_scene *scene, uint32_t head, const mo_block_cell *cell);

/* Shapes in a list, MO_NONE for an empty one. */
static inline uint32_t mo_list_total(const mo_scene *scene, uint32_t head) {
  return head == MO_NONE ? 0 : mo_shape_block_at(scene, head)->total;
}

/* --- cells --- */

static inline mo_aabb mo_cell_everywhere(void) {
  return (mo_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

/* Whether a box lies in a cell but for the slack. */
static inline bool mo_cell_holds(const mo_aabb *cell, float slack, const mo_aabb *box) {
  return (box->lower.x >= cell->lower.x - slack) & (box->lower.y >= cell->lower.y - slack) &
         (box->lower.z >= cell->lower.z - slack) & (box->upper.x <= cell->upper.x + slack) &
         (box->upper.y <= cell->upper.y + slack) & (box->upper.z <= cell->upper.z + slack);
}

/* Whether a shape that moved stays in a cell: as long as its box lies in the cell but for the
 * slack, and its middle but for a share of the slack. (mo_cell_keeps_lanes in
 * scene/moves/boxes_kernel.c is the same for eight boxes.) */
static inline bool mo_cell_keeps4(const mo_aabb *cell, float slack, mo_f4 lower, mo_f4 upper) {
  mo_f4 low = mo_f4_from(&cell->lower, 0), high = mo_f4_from(&cell->upper, 0);
  mo_f4 outside = mo_f4_all(slack), stray = mo_f4_all(MO_STRAY_SHARE * slack);
  mo_f4 middle = mo_f4_all(0.5f) * (lower + upper);
  return mo_f4_every(mo_f4_le(low - outside, lower) & mo_f4_le(upper, high + outside) &
                     mo_f4_le(low - stray, middle) & mo_f4_le(middle, high + stray));
}

static inline bool mo_cell_keeps(const mo_aabb *cell, float slack, const mo_aabb *box) {
  return mo_cell_keeps4(cell, slack, mo_f4_from(&box->lower, 0), mo_f4_from(&box->upper, 0));
}

/* The side of a plane on which most of an interval lies, the lower one in case of a tie; exact
 * where it lies on one side alone. */
static inline uint32_t mo_side(float lower, float upper, float plane) {
  return upper - plane > plane - lower;
}

/* The octant that holds the middle of a box. */
static inline uint32_t mo_node_octant(const mo_scene_node *node, const mo_aabb *box) {
  return ((mo_side(box->lower.x, box->upper.x, node->plane[0]) << 2) |
          (mo_side(box->lower.y, box->upper.y, node->plane[1]) << 1) |
          mo_side(box->lower.z, box->upper.z, node->plane[2])) &
         node->axes;
}

/* The cell of an octant. */
static inline mo_aabb mo_cell_cut(const mo_scene_node *node, uint32_t octant, mo_aabb cell) {
  if (node->axes & 4) {
    *((octant & 4) ? &cell.lower.x : &cell.upper.x) = node->plane[0];
  }
  if (node->axes & 2) {
    *((octant & 2) ? &cell.lower.y : &cell.upper.y) = node->plane[1];
  }
  if (node->axes & 1) {
    *((octant & 1) ? &cell.lower.z : &cell.upper.z) = node->plane[2];
  }
  return cell;
}

static inline float mo_aabb_widest(const mo_aabb *box) {
  return mo_max(mo_max(box->upper.x - box->lower.x, box->upper.y - box->lower.y),
                box->upper.z - box->lower.z);
}

/* Whether a box goes from a node down into the octant whose cell is given. Loose: by its size,
 * which amounts to the depth floor(log2((looseness - 1) * width of the root / size)), as the slack
 * is (looseness - 1) / 2 of the octant's width. */
static inline bool mo_box_fits_octant(const mo_scene *scene, const mo_scene_node *node,
                                      const mo_aabb *octant_cell, const mo_aabb *box) {
  return mo_cell_holds(octant_cell, node->slack, box) &&
         (scene->options.policy != MO_TREE_LOOSE || mo_aabb_widest(box) <= 2 * node->slack);
}

/* --- places of lists --- */

/* Whether a list is that of a node's own shapes. */
static inline bool mo_owner_is_node(uint32_t owner) {
  return owner != MO_NONE && (owner & MO_OWNER_NODE);
}

/* The node whose list it is, or which it hangs at; there is one. */
static inline uint32_t mo_owner_node(uint32_t owner) {
  return owner & MO_OWNER_NODE ? owner & ~MO_OWNER_NODE : owner >> 3;
}

/* The first block of the list with an owner; there is one. */
static inline uint32_t mo_owner_list(const mo_scene *scene, uint32_t owner) {
  if (owner == MO_NONE) {
    return mo_child_index(scene->root);
  }
  if (owner & MO_OWNER_NODE) {
    return mo_scene_node_at(scene, owner & ~MO_OWNER_NODE)->items;
  }
  return mo_child_index(mo_scene_node_at(scene, owner >> 3)->child[owner & 7]);
}

/* Sets what hangs at `up` (node << 3 | octant, or MO_NONE for the root). */
static inline void mo_child_set(mo_scene *scene, uint32_t up, uint32_t child) {
  if (up == MO_NONE) {
    scene->root = child;
  } else {
    mo_scene_node_at(scene, up >> 3)->child[up & 7] = child;
  }
}

static inline uint32_t mo_child_get(const mo_scene *scene, uint32_t up) {
  return up == MO_NONE ? scene->root : mo_scene_node_at(scene, up >> 3)->child[up & 7];
}

/* How large the shapes of a child are, as far as is known of what is below it. */
static inline mo_size mo_child_size(const mo_scene *scene, uint32_t child) {
  if (child == MO_CHILD_EMPTY) {
    return 0;
  }
  if (mo_child_is_leaf(child)) {
    return mo_list_size(scene, mo_child_index(child));
  }
  mo_size items = mo_list_size(scene, mo_scene_node_at(scene, child)->items);
  return mo_size_max(items, mo_sizes_max(&scene->sizes[child]));
}

/* Notes the bounds, and so the size, of what hangs at a place. */
static inline void mo_child_set_bounds(mo_scene *scene, uint32_t up, mo_aabb bounds) {
  if (up == MO_NONE) {
    scene->root_bounds = bounds;
  } else {
    mo_bounds8_set(&mo_scene_node_at(scene, up >> 3)->bounds, (int)(up & 7), bounds);
    scene->sizes[up >> 3].octant[up & 7] = mo_child_size(scene, mo_child_get(scene, up));
  }
}

/* Notes that nothing is left at a place. Queries go by the bounds alone, so that has to be known
 * even where bounds are loose. */
static inline void mo_child_set_empty(mo_scene *scene, uint32_t up) {
  mo_child_set(scene, up, MO_CHILD_EMPTY);
  mo_child_set_bounds(scene, up, mo_aabb_empty());
  if (up != MO_NONE) {
    mo_node_marks *marks = &scene->marks[up >> 3];
    uint32_t others = ~(1u << (up & 7));
    *marks = (mo_node_marks){(uint8_t)(marks->dynamic & others), (uint8_t)(marks->awake & others)};
  }
}

/* Sets the first block of the list with an owner, MO_NONE if nothing is left of it. */
static inline void mo_owner_set_list(mo_scene *scene, uint32_t owner, uint32_t head) {
  if (mo_owner_is_node(owner)) {
    mo_scene_node_at(scene, mo_owner_node(owner))->items = head;
  } else if (head == MO_NONE) {
    mo_child_set_empty(scene, owner);
  } else {
    mo_child_set(scene, owner, MO_CHILD_LEAF | head);
  }
}

/* Notes that what hangs at an octant may be so large. */
static inline void mo_size_grow(mo_scene *scene, uint32_t index, uint32_t octant, mo_size size) {
  mo_size *known = &scene->sizes[index].octant[octant];
  *known = mo_size_max(*known, size);
}

/* Bits of octants with anything in them. */
static inline uint32_t mo_node_used(const mo_scene_node *node) {
  mo_i4 low, high;
  memcpy(&low, node->child, sizeof low);
  memcpy(&high, node->child + 4, sizeof high);
  const int32_t empty = (int32_t)MO_CHILD_EMPTY;
  const mo_i4 none = {empty, empty, empty, empty};
  return mo_i4_bits(low != none) | mo_i4_bits(high != none) << 4;
}

/* Bits of octants with nodes. */
static inline uint32_t mo_node_nodes(const mo_scene_node *node) {
  mo_i4 low, high;
  memcpy(&low, node->child, sizeof low);
  memcpy(&high, node->child + 4, sizeof high);
  const mo_i4 zero = {0, 0, 0, 0}; /* leaves, and what is empty, have the sign bit */
  return mo_i4_bits(low >= zero) | mo_i4_bits(high >= zero) << 4;
}

/* --- what changed --- */

/* Where the bounds of an owner's list are kept. */
static inline uint32_t mo_owner_up(const mo_scene *scene, uint32_t owner) {
  return mo_owner_is_node(owner) ? mo_scene_node_at(scene, mo_owner_node(owner))->parent : owner;
}

/* Notes that the bounds of what hangs at `up` may be loose. A node's bit is set only if those of
 * its ancestors are, so the walk ends at the first that is. */
static inline void mo_mark_loose(mo_scene *scene, uint32_t up) {
  while (up != MO_NONE) {
    mo_scene_node *node = mo_scene_node_at(scene, up >> 3);
    uint8_t bit = (uint8_t)(1u << (up & 7));
    if (node->loose & bit) {
      return;
    }
    node->loose = (uint8_t)(node->loose | bit);
    up = node->parent;
  }
  scene->root_loose = true;
}

/* The same of some octants of a node, or of the root (up >> 3 of MO_NONE). */
static inline void mo_mark_loose_octants(mo_scene *scene, uint32_t index, uint32_t octants) {
  if (index == MO_NONE >> 3) {
    scene->root_loose |= octants != 0;
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, index);
  node->loose = (uint8_t)(node->loose | octants);
  uint32_t up = node->parent;
  if (up == MO_NONE) {
    scene->root_loose = true;
    return;
  }
  /* One level up, whether that was marked before is unpredictable; two levels up it is not. */
  mo_scene_node *above = mo_scene_node_at(scene, up >> 3);
  uint32_t before = above->loose;
  above->loose = (uint8_t)(before | 1u << (up & 7));
  if (before == 0) {
    mo_mark_loose(scene, above->parent);
  }
}

/* Marks what hangs at `up` for examination by the next update. */
static inline void mo_mark_changed(mo_scene *scene, uint32_t up) {
  while (up != MO_NONE) {
    mo_scene_node *node = mo_scene_node_at(scene, up >> 3);
    uint8_t bit = (uint8_t)(1u << (up & 7));
    if (node->changed & bit) {
      return;
    }
    node->changed = (uint8_t)(node->changed | bit);
    up = node->parent;
  }
  scene->root_changed = true;
}

/* --- placing (tree.c) --- */

/* Adds a shape. A block must have been reserved. Deferred: the bounds of ancestors are left to
 * mo_tree_tighten, and full leaves to mo_tree_split_changed, both before the next query. */
void mo_tree_insert(mo_scene *scene, uint32_t slot, const mo_aabb *box, bool deferred);

void mo_tree_remove(mo_scene *scene, uint32_t slot);

/* The same, but leaves the bounds above to the caller. Returns where those of its list are kept. */
uint32_t mo_tree_take(mo_scene *scene, uint32_t slot);

/* Brings the marks of a shape's block and the nodes above it in line with its traits. */
void mo_tree_set_motion(mo_scene *scene, uint32_t slot);

/* Moves a shape; never fails. Deferred: as above, but for full leaves, which are split. */
void mo_tree_move(mo_scene *scene, uint32_t slot, const mo_aabb *box, bool deferred);

/* Whether a box stored at a node, whose cell is given, belongs further down. */
bool mo_item_fits_octant(const mo_scene *scene, uint32_t index, const mo_aabb *cell,
                         const mo_aabb *box);

/* The fast path of a move: if the shape belongs where it is, writes its box, leaving the bounds
 * above it to mo_tree_tighten. */
static inline bool mo_tree_try_stay(mo_scene *scene, uint32_t slot, const mo_aabb *box) {
  mo_place place = scene->places[slot];
  const mo_block_cell *at = &scene->cells[place >> 3];
  if (!mo_cell_keeps(&at->cell, at->slack, box)) {
    return false;
  }
  uint32_t up = at->owner;
  if (mo_owner_is_node(up)) {
    if (mo_item_fits_octant(scene, mo_owner_node(up), &at->cell, box)) {
      return false;
    }
    up = mo_owner_up(scene, up);
  }
  mo_bounds8_set(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7), *box);
  mo_mark_loose(scene, up);
  scene->counters.stayed_move_count++;
  return true;
}

/* All of a block. */
MO_INLINE void mo_block_prefetch(const mo_scene *scene, uint32_t block) {
  mo_prefetch(mo_shape_block_at(scene, block), mo_lines_of(sizeof(mo_shape_block)));
}

/* The bounds and children of a node. */
MO_INLINE void mo_node_prefetch(const mo_scene *scene, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_prefetch(node->child, 1);
  mo_prefetch(&node->bounds, mo_lines_of(sizeof node->bounds));
}

/* The rest of a move, for a shape that does not belong where it is. */
void mo_tree_reinsert(mo_scene *scene, uint32_t slot, const mo_aabb *box, bool deferred);

mo_aabb mo_tree_box(const mo_scene *scene, uint32_t slot);

/* The depth of a node. */
uint32_t mo_node_depth(const mo_scene *scene, uint32_t index);

/* The cell of what hangs at `up`, without slack. */
mo_aabb mo_tree_cell(const mo_scene *scene, uint32_t up);

/* Moves all planes and cells by a vector (shift.c), before the shapes in them move by it: their
 * boxes, and the bounds above them, are left to the caller. Never fails. */
void mo_tree_shift_cells(mo_scene *scene, mo_vec3 by);

/* --- splitting (split.c, plan.c, cubic.c) --- */

/* How a node is to be cut. */
typedef struct mo_plan {
  uint8_t axes; /* 0: not at all */
  float plane[3];
  float slack;
  double cost;      /* expected blocks and nodes visited by a line through all of it */
  double price;     /* the same with octants for leaves, and what these leaves cost by themselves */
  uint32_t dropped; /* planes left out because too many straddle them */
} mo_plan;

/* Planes for the shapes of some lists, `total` in all, in a cell that a node of some slack made.
 * The slack of the plan is no more than that: so what a node held, its parent can hold. */
mo_plan mo_plan_irregular(const mo_scene *scene, const uint32_t *heads, uint32_t head_count,
                          uint32_t total, const mo_aabb *cell, float slack);

/* The slack that the node above `up` allows there. */
static inline float mo_slack_above(const mo_scene *scene, uint32_t up) {
  return up == MO_NONE ? INFINITY : mo_scene_node_at(scene, up >> 3)->slack;
}

/* Planes through the middle of a cubic cell; `depth` is that of the node to be. */
mo_plan mo_plan_cube(const mo_scene *scene, uint32_t head, const mo_aabb *cell, uint32_t depth);

/* A cube around the boxes of a list, for a root; sets the root's exponent. */
mo_aabb mo_cube_around(mo_scene *scene, uint32_t head);

/* Lets the root cube grow until it holds a box, as far as depth and memory allow. */
void mo_cube_grow(mo_scene *scene, const mo_aabb *box);

/* While the root is a node with nothing but one node below it, drops it. */
void mo_cube_shrink(mo_scene *scene);

/* The level of a cubic cell that hangs at a depth. */
uint32_t mo_cube_level(const mo_scene *scene, uint32_t depth);

/* How likely a line that meets a whole meets a part of it is the ratio of their areas; a margin
 * keeps the ratio defined for shapes in a plane or on a line. */
static inline double mo_area(const mo_aabb *box, double margin) {
  double x = (double)box->upper.x - (double)box->lower.x + margin;
  double y = (double)box->upper.y - (double)box->lower.y + margin;
  double z = (double)box->upper.z - (double)box->lower.z + margin;
  return x * y + y * z + z * x;
}

/* What a block costs beside visits. */
static inline double mo_block_price(const mo_scene *scene) {
  return scene->flies ? MO_BLOCK_PRICE_FLYING : MO_BLOCK_PRICE;
}

/* What a query expects to visit in a leaf of so many shapes. */
static inline double mo_leaf_cost(uint32_t count) {
  return (double)((count + MO_WIDTH - 1) / MO_WIDTH);
}

/* The same for so many shapes that may be split further; for many, after what was measured of
 * evenly spread boxes from 32 to 20,000: it grows with the power 7/16 of their number. By roots,
 * which are the same to the last bit everywhere, as pow is not. */
static inline double mo_subtree_cost(uint32_t count) {
  double leaf = mo_leaf_cost(count);
  if (count <= 2 * MO_WIDTH) {
    return leaf;
  }
  double fourth = sqrt(sqrt(count / 32.0)), eighth = sqrt(fourth);
  return fmin(leaf, 2.2 * fourth * eighth * sqrt(eighth));
}

/* Makes a subtree of a list (packed or joined) for the place `up`, and hangs it there with its
 * bounds. If `force` is set, the list is split even if it is within the capacity. Returns whether
 * there is a node now. */
bool mo_tree_build(mo_scene *scene, uint32_t head, uint32_t up, bool force);

/* The same after a plan that has been made of these shapes, for that place. */
void mo_tree_build_as(mo_scene *scene, uint32_t head, uint32_t up, const mo_plan *plan);

/* The shapes of a subtree as one list of joined lists; its nodes are freed. The place it hung at is
 * left for the caller to set. */
uint32_t mo_tree_dissolve(mo_scene *scene, uint32_t child);

/* Whether a leaf that `more` shapes were added to is to be split now: when it exceeds its capacity,
 * with each block from there on, and when it is large, as one that was refused a split may be, each
 * time that it has doubled. */
static inline bool mo_leaf_outgrows(const mo_scene *scene, uint32_t total, uint32_t more) {
  uint32_t capacity = scene->options.capacity, before = total - more;
  if (total <= capacity) {
    return false;
  }
  bool block =
      (total - 1) / MO_WIDTH != (before - 1) / MO_WIDTH && total <= MO_SPLIT_EAGER * capacity;
  return before <= capacity || block || total / 2 >= before ||
         __builtin_clz(total) != __builtin_clz(before);
}

/* Splits a leaf that is above its capacity, if that pays: the leaf, or where its siblings are few,
 * all of its parent anew. Returns whether it did the latter. */
bool mo_leaf_split(mo_scene *scene, uint32_t up);

/* Makes sure that `extra` more nodes can be taken. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_nodes_reserve(mo_scene *scene, uint32_t extra);

/* Gives back memory for nodes beyond those that were used. */
void mo_nodes_trim(mo_scene *scene);

/* Takes a node for the place `up`, without children; MO_NONE when out of memory. */
uint32_t mo_node_take(mo_scene *scene, uint32_t up);
void mo_node_give(mo_scene *scene, uint32_t index);

/* --- upkeep (upkeep.c, rebalance.c) --- */

/* Whether a subtree has so few shapes that it becomes a leaf. */
static inline bool mo_node_is_sparse(const mo_scene *scene, const mo_scene_node *node) {
  return MO_MERGE * node->count < scene->options.capacity;
}

/* Whether an update examines a node that shapes have left: small ones only if they become leaves.
 */
static inline bool mo_node_thins(const mo_scene *scene, const mo_scene_node *node) {
  return mo_node_is_sparse(scene, node) || node->count > MO_REBALANCE * scene->options.capacity;
}

/* Notes that so many octants of a node have changed. */
static inline void mo_node_age(const mo_scene *scene, mo_scene_node *node, uint32_t octants) {
  bool slow = node->count > MO_REBALANCE * scene->options.capacity;
  uint32_t age = node->age + (slow ? (octants + MO_AGE_SLOWDOWN - 1) / MO_AGE_SLOWDOWN : octants);
  node->age = (uint8_t)(age < MO_MATURE ? age : MO_MATURE);
}

/* Stores what a node would cost with fresh planes. */
void mo_node_set_expected_cost(mo_scene *scene, uint32_t index, const mo_plan *plan);

/* Makes all bounds tight that were marked loose. Returns how many of the shapes that moved and are
 * marked as misplaced (moved.h) were found; bounds and counts leave them out. */
uint32_t mo_tree_tighten(mo_scene *scene);
MO_ISA_DECLARE(uint32_t, mo_scene_tighten, (mo_scene * scene));
uint32_t mo_scene_tighten(mo_scene *scene);

/* The part of it below a node; what is above it still has to be made tight, and to count those that
 * were found there out. */
MO_ISA_DECLARE(uint32_t, mo_scene_tighten_below, (mo_scene * scene, uint32_t index));
uint32_t mo_scene_tighten_below(mo_scene *scene, uint32_t index);

/* The bounds of a leaf alone, which hangs at a node and is not empty; those above it are left to
 * mo_tree_tighten. */
MO_ISA_DECLARE(void, mo_scene_tighten_leaf, (mo_scene * scene, uint32_t up));
void mo_scene_tighten_leaf(mo_scene *scene, uint32_t up);

/* Upkeep, as much of it as mo_update_def has. MO_ERROR_OUT_OF_MEMORY while shapes are displaced. */
mo_result mo_tree_update(mo_scene *scene, uint64_t upkeep);

/* Counts the levels on the path of a shape that is taken from one owner's list to another's. */
void mo_tree_trace(mo_scene *scene, uint32_t from, uint32_t to);

/* Shapes below `child`. */
static inline uint32_t mo_child_total(const mo_scene *scene, uint32_t child) {
  if (child == MO_CHILD_EMPTY) {
    return 0;
  }
  return mo_child_is_leaf(child) ? mo_list_total(scene, mo_child_index(child))
                                 : mo_scene_node_at(scene, child)->count;
}

/* Places all shapes of a list that hangs nowhere. A block for each must have been reserved. */
void mo_tree_place_list(mo_scene *scene, uint32_t head);

/* Keeps the planes of a node with large subtrees between its shapes. `budget` counts down the
 * shapes that may be moved. */
void mo_node_balance(mo_scene *scene, uint32_t index, uint64_t *budget);

/* Takes planes away that have shapes on one side alone, and a node that has no planes left. Returns
 * whether the node is still there. */
bool mo_node_drop_planes(mo_scene *scene, uint32_t index);

#endif
