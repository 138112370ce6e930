/* The functions of the shape octree: lists of blocks, placement, splitting, maintenance.
 *
 * `parent_octant` names a child: its parent node << 3 | its octant, or MO_NONE for the root.
 *
 * Functions that allocate blocks or nodes from the pools may reallocate the arrays: keep indices,
 * not pointers, across such calls. */
#ifndef MO_SCENE_OCTREE_TREE_H
#define MO_SCENE_OCTREE_TREE_H

#include <string.h>

#include "base/assert.h"
#include "base/isa.h"
#include "base/prefetch.h"
#include "scene/octree/policy.h"
#include "scene/scene.h"

/* --- lists of blocks (lists.c) --- */

/* Reserves memory for `extra` more blocks. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_blocks_reserve(mo_scene *scene, uint32_t extra);

/* Frees the memory of blocks that were never used. */
void mo_blocks_trim(mo_scene *scene);

/* Adds a shape at the front of a list (MO_NONE if it is empty) whose blocks have the cell `cell`;
 * returns the new first block. A block must have been reserved. */
uint32_t mo_block_list_push(mo_scene *scene, uint32_t head, const mo_block_cell *cell,
                            uint32_t slot, const mo_aabb *box);

/* Does what mo_block_list_push does, for a shape whose motion marks `any` are already known. */
uint32_t mo_block_list_push_marked(mo_scene *scene, uint32_t head, const mo_block_cell *cell,
                                   uint32_t slot, const mo_aabb *box, mo_motion_marks any);

/* Removes a shape from the list that begins at `head`; the most recently added shape of the list
 * moves into its lane. Returns the first block, or MO_NONE if the list is empty now. */
uint32_t mo_block_list_remove(mo_scene *scene, uint32_t head, mo_shape_place place);

/* Sets the `dynamic` and `awake` bits of a lane according to its shape's traits. */
static inline void mo_block_set_motion(mo_shape_block *block, uint32_t lane, uint32_t traits) {
  uint32_t bit = 1u << lane;
  uint32_t dynamic = traits & MO_TRAIT_IMMOVABLE ? 0 : bit,
           awake = traits & MO_TRAIT_STILL ? 0 : bit;
  block->dynamic = (uint8_t)((block->dynamic & ~bit) | dynamic);
  block->awake = (uint8_t)((block->awake & ~bit) | awake);
}

static inline mo_motion_marks mo_block_lane_motion(const mo_shape_block *block, uint32_t lane) {
  return (mo_motion_marks){block->dynamic >> lane & 1, block->awake >> lane & 1};
}

/* Whether a list contains dynamic shapes, and whether it contains awake shapes (not 0). */
mo_motion_marks mo_block_list_motion_marks(const mo_scene *scene, uint32_t head);

/* Marks an octant as containing dynamic or awake shapes, if the member in `any` is not 0. */
static inline void mo_motion_marks_add(mo_motion_marks *marks, uint32_t octant,
                                       mo_motion_marks any) {
  uint32_t bit = 1u << octant;
  marks->dynamic = (uint8_t)(marks->dynamic | (any.dynamic ? bit : 0));
  marks->awake = (uint8_t)(marks->awake | (any.awake ? bit : 0));
}

/* mo_motion_marks_add for the child at `parent_octant` and all its ancestors. */
void mo_motion_marks_add_above(mo_scene *scene, uint32_t parent_octant, mo_motion_marks any);

static inline mo_motion_marks mo_motion_marks_of_traits(uint32_t traits) {
  return (mo_motion_marks){!(traits & MO_TRAIT_IMMOVABLE), !(traits & MO_TRAIT_STILL)};
}

mo_aabb mo_shape_block_bounds(const mo_shape_block *block);
mo_aabb mo_block_list_bounds(const mo_scene *scene, uint32_t head);
/* The size of the largest shape; `limit`: a known upper bound, where the search ends. */
mo_box_size mo_block_list_max_size(const mo_scene *scene, uint32_t head, mo_box_size limit);

/* Concatenates list `front` (or MO_NONE) and list `back` (or MO_NONE). In the result only the total
 * of the first block is correct, and any block may be partly full, until mo_block_list_pack
 * compacts it. */
uint32_t mo_block_list_join(mo_scene *scene, uint32_t front, uint32_t back);

/* Compacts a list that mo_block_list_join made, and sets the cell of its blocks. It allocates no
 * more blocks than it frees. */
uint32_t mo_block_list_pack(mo_scene *scene, uint32_t head, const mo_block_cell *cell);

/* The number of shapes in a list; MO_NONE is the empty list. */
static inline uint32_t mo_block_list_total(const mo_scene *scene, uint32_t head) {
  return head == MO_NONE ? 0 : mo_shape_block_at(scene, head)->total;
}

/* --- cells --- */

/* Whether a box lies in a cell enlarged by the slack. */
static inline bool mo_cell_contains(const mo_aabb *cell, float slack, const mo_aabb *box) {
  MO_ASSERT(slack >= 0.0f);
  return (box->lower.x >= cell->lower.x - slack) & (box->lower.y >= cell->lower.y - slack) &
         (box->lower.z >= cell->lower.z - slack) & (box->upper.x <= cell->upper.x + slack) &
         (box->upper.y <= cell->upper.y + slack) & (box->upper.z <= cell->upper.z + slack);
}

/* Whether a moved shape stays in its cell: if its box lies in the cell enlarged by the slack, and
 * its centre in the cell enlarged by a share of the slack. (lanes_that_stay in
 * scene/moves/boxes_kernel.c is the same test for eight boxes.) */
static inline bool mo_cell_retains(const mo_aabb *cell, float slack, const mo_aabb *box) {
  mo_f4 low = mo_f4_from(&cell->lower, 0), high = mo_f4_from(&cell->upper, 0);
  mo_f4 lower = mo_f4_from(&box->lower, 0), upper = mo_f4_from(&box->upper, 0);
  mo_f4 outside = mo_f4_splat(slack), stray = mo_f4_splat(MO_HYSTERESIS_SLACK_SHARE * slack);
  mo_f4 middle = mo_f4_splat(0.5f) * (lower + upper);
  return mo_f4_every(mo_f4_le(low - outside, lower) & mo_f4_le(upper, high + outside) &
                     mo_f4_le(low - stray, middle) & mo_f4_le(middle, high + stray));
}

/* The side of a plane on which most of the interval from `lower` to `upper` lies: 1 for the upper
 * side, 0 for the lower side or a tie. Exact if the interval lies on one side only. */
static inline uint32_t mo_side_of_plane(float lower, float upper, float plane) {
  return upper - plane > plane - lower;
}

/* The octant that contains the centre of a box. */
static inline uint32_t mo_node_octant(const mo_scene_node *node, const mo_aabb *box) {
  return ((mo_side_of_plane(box->lower.x, box->upper.x, node->plane[0]) << 2) |
          (mo_side_of_plane(box->lower.y, box->upper.y, node->plane[1]) << 1) |
          mo_side_of_plane(box->lower.z, box->upper.z, node->plane[2])) &
         node->axes;
}

/* The cell of an octant of a node; `cell` is the node's cell. */
static inline mo_aabb mo_octant_cell(const mo_scene_node *node, uint32_t octant, mo_aabb cell) {
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

static inline float mo_aabb_max_width(const mo_aabb *box) {
  return mo_max(mo_max(box->upper.x - box->lower.x, box->upper.y - box->lower.y),
                box->upper.z - box->lower.z);
}

/* Whether a box fits into an octant of a node, whose cell is given, so that its shape descends into
 * the octant. Under the loose policy its size must fit too, which results in the depth
 * floor(log2((looseness - 1) * width of the root / size)), as the slack is (looseness - 1) / 2 of
 * the octant's width. */
static inline bool mo_box_fits_octant(const mo_scene *scene, const mo_scene_node *node,
                                      const mo_aabb *octant_cell, const mo_aabb *box) {
  return mo_cell_contains(octant_cell, node->slack, box) &&
         (scene->options.policy != MO_TREE_LOOSE || mo_aabb_max_width(box) <= 2 * node->slack);
}

/* --- owners of lists --- */

/* Whether the owner of a list (mo_block_cell.owner) is an inner node, whose own shapes the list
 * has, and not a leaf. */
static inline bool mo_owner_is_node(uint32_t owner) {
  return owner != MO_NONE && (owner & MO_OWNER_IS_NODE);
}

/* The node of a list's owner: the inner node itself, or the parent of the leaf. The owner must not
 * be a leaf that is the root. */
static inline uint32_t mo_owner_node(uint32_t owner) {
  MO_ASSERT(owner != MO_NONE);
  return owner & MO_OWNER_IS_NODE ? owner & ~MO_OWNER_IS_NODE : owner >> 3;
}

static inline void mo_child_set(mo_scene *scene, uint32_t parent_octant, uint32_t child) {
  if (parent_octant == MO_NONE) {
    scene->root = child;
  } else {
    mo_scene_node_at(scene, parent_octant >> 3)->child[parent_octant & 7] = child;
  }
}

static inline uint32_t mo_child_get(const mo_scene *scene, uint32_t parent_octant) {
  return parent_octant == MO_NONE
             ? scene->root
             : mo_scene_node_at(scene, parent_octant >> 3)->child[parent_octant & 7];
}

/* The first block of the list of a leaf; MO_NONE for MO_CHILD_EMPTY. */
static inline uint32_t mo_leaf_list(uint32_t child) {
  MO_ASSERT(mo_child_is_leaf(child));
  return child == MO_CHILD_EMPTY ? MO_NONE : mo_child_index(child);
}

/* The first block of the shapes that a leaf or node itself stores, or MO_NONE. */
static inline uint32_t mo_child_list(const mo_scene *scene, uint32_t child) {
  return mo_child_is_leaf(child) ? mo_leaf_list(child) : mo_scene_node_at(scene, child)->items;
}

/* The first block of the list of an owner (mo_block_cell.owner), or MO_NONE. */
static inline uint32_t mo_owner_list(const mo_scene *scene, uint32_t owner) {
  return mo_owner_is_node(owner) ? mo_scene_node_at(scene, mo_owner_node(owner))->items
                                 : mo_leaf_list(mo_child_get(scene, owner));
}

/* An upper bound on the size of a child's largest shape, from the sizes that nodes store. */
static inline mo_box_size mo_child_max_size(const mo_scene *scene, uint32_t child) {
  mo_box_size own = mo_block_list_max_size(scene, mo_child_list(scene, child), UINT16_MAX);
  return mo_child_is_leaf(child) ? own
                                 : mo_box_size_max(own, mo_node_sizes_max(&scene->sizes[child]));
}

/* Stores the bounds of the child at `parent_octant`, and recomputes its size. */
static inline void mo_child_set_bounds(mo_scene *scene, uint32_t parent_octant, mo_aabb bounds) {
  if (parent_octant == MO_NONE) {
    scene->root_bounds = bounds;
  } else {
    mo_bounds8_set(&mo_scene_node_at(scene, parent_octant >> 3)->bounds, (int)(parent_octant & 7),
                   bounds);
    scene->sizes[parent_octant >> 3].octant[parent_octant & 7] =
        mo_child_max_size(scene, mo_child_get(scene, parent_octant));
  }
}

/* Sets the child at `parent_octant` to empty. Queries test only the bounds, so these become the
 * empty box at once, even if others are loose. */
static inline void mo_child_set_empty(mo_scene *scene, uint32_t parent_octant) {
  mo_child_set(scene, parent_octant, MO_CHILD_EMPTY);
  mo_child_set_bounds(scene, parent_octant, mo_aabb_empty());
  if (parent_octant != MO_NONE) {
    mo_motion_marks *marks = &scene->motion_marks[parent_octant >> 3];
    uint32_t others = ~(1u << (parent_octant & 7));
    *marks =
        (mo_motion_marks){(uint8_t)(marks->dynamic & others), (uint8_t)(marks->awake & others)};
  }
}

/* Sets the first block of the list of an owner; MO_NONE if the list is empty now. */
static inline void mo_owner_set_list(mo_scene *scene, uint32_t owner, uint32_t head) {
  if (mo_owner_is_node(owner)) {
    mo_scene_node_at(scene, mo_owner_node(owner))->items = head;
  } else if (head == MO_NONE) {
    mo_child_set_empty(scene, owner);
  } else {
    mo_child_set(scene, owner, MO_CHILD_LEAF | head);
  }
}

/* Raises the stored size (of the largest shape) of an octant to at least `size`. */
static inline void mo_octant_size_grow(mo_scene *scene, uint32_t index, uint32_t octant,
                                       mo_box_size size) {
  mo_box_size *known = &scene->sizes[index].octant[octant];
  *known = mo_box_size_max(*known, size);
}

/* Bits of the octants of a node whose child is an inner node. */
static inline uint32_t mo_node_inner_octants(const mo_scene_node *node) {
  mo_i4 low, high;
  memcpy(&low, node->child, sizeof low);
  memcpy(&high, node->child + 4, sizeof high);
  const mo_i4 zero = {0, 0, 0, 0}; /* leaves and empty children have the sign bit set */
  return mo_i4_bits(low >= zero) | mo_i4_bits(high >= zero) << 4;
}

/* --- marks of loose bounds and of nodes to examine, for the next update --- */

/* The octant whose stored bounds contain the list of an owner. */
static inline uint32_t mo_owner_octant(const mo_scene *scene, uint32_t owner) {
  return mo_owner_is_node(owner) ? mo_scene_node_at(scene, mo_owner_node(owner))->parent : owner;
}

/* Marks the bounds of the child at `parent_octant`, and of all its ancestors, as loose: they may be
 * larger than necessary. A bit is set only if the bits of its ancestors are set, so the ascent ends
 * at the first set bit. */
static inline void mo_mark_bounds_loose(mo_scene *scene, uint32_t parent_octant) {
  while (parent_octant != MO_NONE) {
    mo_scene_node *node = mo_scene_node_at(scene, parent_octant >> 3);
    uint8_t bit = (uint8_t)(1u << (parent_octant & 7));
    MO_ASSERT(node->parent == MO_NONE || mo_child_get(scene, node->parent) == parent_octant >> 3);
    if (node->loose_bounds & bit) {
      return;
    }
    node->loose_bounds = (uint8_t)(node->loose_bounds | bit);
    parent_octant = node->parent;
  }
  scene->root_has_loose_bounds = true;
}

/* Does what mo_mark_bounds_loose does, for several octants of a node (bits), or for the root (index
 * MO_NONE >> 3). */
static inline void mo_mark_octant_bounds_loose(mo_scene *scene, uint32_t index, uint32_t octants) {
  if (index == MO_NONE >> 3) {
    scene->root_has_loose_bounds |= octants != 0;
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, index);
  node->loose_bounds = (uint8_t)(node->loose_bounds | octants);
  uint32_t parent_octant = node->parent;
  if (parent_octant == MO_NONE) {
    scene->root_has_loose_bounds = true;
    return;
  }
  /* Whether the parent's bit is already set is an unpredictable branch, so it is set without one;
   * two levels up the branch is predictable. */
  mo_scene_node *above = mo_scene_node_at(scene, parent_octant >> 3);
  uint32_t before = above->loose_bounds;
  above->loose_bounds = (uint8_t)(before | 1u << (parent_octant & 7));
  if (before == 0) {
    mo_mark_bounds_loose(scene, above->parent);
  }
}

/* Marks the child at `parent_octant`, and its ancestors, so that the next update examines them. */
static inline void mo_mark_for_examination(mo_scene *scene, uint32_t parent_octant) {
  while (parent_octant != MO_NONE) {
    mo_scene_node *node = mo_scene_node_at(scene, parent_octant >> 3);
    uint8_t bit = (uint8_t)(1u << (parent_octant & 7));
    if (node->to_examine & bit) {
      return;
    }
    node->to_examine = (uint8_t)(node->to_examine | bit);
    parent_octant = node->parent;
  }
  scene->root_needs_examination = true;
}

/* --- placement (tree.c) --- */

/* Adds a shape to the tree. A block must have been reserved. If `deferred`, the bounds of ancestors
 * are left to mo_tree_tighten, which must run before the next query, and overfull leaves to
 * mo_tree_update. */
void mo_tree_insert(mo_scene *scene, uint32_t slot, const mo_aabb *box, bool deferred);

void mo_tree_remove(mo_scene *scene, uint32_t slot);

/* Does what mo_tree_remove does, but leaves the bounds of ancestors to the caller. Returns the
 * octant whose stored bounds contain the shape's list (mo_owner_octant). */
uint32_t mo_tree_remove_deferred(mo_scene *scene, uint32_t slot);

/* Gives a shape a new box, and moves it to another cell if necessary; never fails. */
void mo_tree_move(mo_scene *scene, uint32_t slot, const mo_aabb *box);

/* Whether the box of a shape that a node itself stores fits one of the node's octants; `cell` is
 * that of the node. */
bool mo_item_fits_octant(const mo_scene *scene, uint32_t index, const mo_aabb *cell,
                         const mo_aabb *box);

MO_INLINE void mo_block_prefetch(const mo_scene *scene, uint32_t block) {
  mo_prefetch(mo_shape_block_at(scene, block), mo_cache_lines_of(sizeof(mo_shape_block)));
}

/* Prefetches a block and its cell. */
MO_INLINE void mo_block_prefetch_with_cell(const mo_scene *scene, uint32_t block) {
  mo_block_prefetch(scene, block);
  mo_prefetch(&scene->cells[block], 1);
}

/* Prefetches the children of the node that owns a block's list, whose cell is in the cache. */
MO_INLINE void mo_block_prefetch_owner(const mo_scene *scene, uint32_t block) {
  uint32_t owner = scene->cells[block].owner;
  if (owner != MO_NONE) {
    mo_prefetch(mo_scene_node_at(scene, mo_owner_node(owner))->child, 1);
  }
}

MO_INLINE void mo_node_prefetch(const mo_scene *scene, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_prefetch(node->child, 1);
  mo_prefetch(&node->bounds, mo_cache_lines_of(sizeof node->bounds));
}

/* Removes a shape and inserts it again, with another box. */
void mo_tree_reinsert(mo_scene *scene, uint32_t slot, const mo_aabb *box);

/* The stored box of a shape. */
mo_aabb mo_slot_box(const mo_scene *scene, uint32_t slot);

/* The depth of the child at `parent_octant`. */
uint32_t mo_child_depth(const mo_scene *scene, uint32_t parent_octant);

/* The cell of the child at `parent_octant`, without slack. */
mo_aabb mo_child_cell(const mo_scene *scene, uint32_t parent_octant);

/* Shifts all planes and cells by a vector (shift.c). The caller must then shift the shapes in them,
 * their boxes and the bounds above them. Never fails. */
void mo_tree_shift_cells(mo_scene *scene, mo_vec3 by);

/* --- splitting (split.c, plan.c, cubic.c) --- */

/* The split of a node: its planes, slack and expected cost. */
typedef struct mo_split_plan {
  uint8_t axes; /* axes with a plane: x = 4, y = 2, z = 1; 0: no split */
  float plane[3];
  float slack;
  double cost; /* expected blocks and nodes visited by a line that hits the node */
  /* Expected cost if all octants are leaves, plus the cost of their blocks (MO_BLOCK_UPKEEP_COST).
   */
  double cost_as_leaves;
  uint32_t dropped_plane_count; /* planes left out because too many shapes straddle them */
} mo_split_plan;

/* Chooses planes for the shapes of some lists, `total` in all, in the cell `cell` under a parent of
 * the given slack. The slack of the plan is at most the parent's, so that each shape that fits a
 * cell also fits the parent's cell. */
mo_split_plan mo_split_plan_irregular(const mo_scene *scene, const uint32_t *heads,
                                      uint32_t head_count, uint32_t total, const mo_aabb *cell,
                                      float slack);

/* The slack of the cell of the child at `parent_octant`; infinite for the root. */
static inline float mo_child_slack(const mo_scene *scene, uint32_t parent_octant) {
  return parent_octant == MO_NONE ? INFINITY : mo_scene_node_at(scene, parent_octant >> 3)->slack;
}

/* The cell of blocks that the child at `parent_octant` stores: `cell` with the slack of the parent;
 * for the root all of space, as shapes may lie outside a root cube. */
static inline mo_block_cell mo_block_cell_at(const mo_scene *scene, uint32_t parent_octant,
                                             const mo_aabb *cell, uint32_t owner) {
  return parent_octant == MO_NONE
             ? (mo_block_cell){mo_aabb_infinite(), 0, owner}
             : (mo_block_cell){*cell, mo_child_slack(scene, parent_octant), owner};
}

/* Plans a node with planes through the middle of a cubic cell; `depth` is that of the new node. */
mo_split_plan mo_split_plan_cube(const mo_scene *scene, uint32_t head, const mo_aabb *cell,
                                 uint32_t depth);

/* Returns a cubic root cell around the boxes of a list, and sets mo_scene.root_exponent. */
mo_aabb mo_cube_around(mo_scene *scene, uint32_t head);

/* Doubles the root cube until it contains a box, as far as depth and memory allow. */
void mo_cube_grow(mo_scene *scene, const mo_aabb *box);

/* Removes the root as long as it is a node whose only content is one child node. */
void mo_cube_shrink(mo_scene *scene);

/* The level (see MO_SCENE_LEVEL_COUNT) of a cubic cell at a depth. */
uint32_t mo_cube_level(const mo_scene *scene, uint32_t depth);

/* Half the surface area of a box whose extents are enlarged by `margin`. The probability that a
 * line that hits a box also hits a box inside it is the ratio of their areas (surface-area
 * heuristic). The margin keeps the ratio defined for shapes in a plane or on a line. */
static inline double mo_half_area_with_margin(const mo_aabb *box, double margin) {
  double x = (double)box->upper.x - (double)box->lower.x + margin;
  double y = (double)box->upper.y - (double)box->lower.y + margin;
  double z = (double)box->upper.z - (double)box->lower.z + margin;
  return x * y + y * z + z * x;
}

/* The cost of a block in memory and maintenance, expressed in visits. */
static inline double mo_block_cost(const mo_scene *scene) {
  return scene->many_leave_cells ? MO_BLOCK_UPKEEP_COST_MANY_LEAVE_CELLS : MO_BLOCK_UPKEEP_COST;
}

/* The number of blocks that a query visits in a leaf of `count` shapes. */
static inline double mo_leaf_cost(uint32_t count) {
  return (double)((count + MO_LANE_COUNT - 1) / MO_LANE_COUNT);
}

/* The expected number of nodes and blocks that a query visits in a subtree of `count` shapes, which
 * may be split further. For large counts this is a fit to measurements of 32 to 20,000 evenly
 * spread boxes: it grows with the power 7/16 of their number. The power is computed by square
 * roots, which have the same bits on every platform, unlike pow. */
static inline double mo_subtree_cost(uint32_t count) {
  double leaf = mo_leaf_cost(count);
  if (count <= 2 * MO_LANE_COUNT) {
    return leaf;
  }
  double fourth = sqrt(sqrt(count / 32.0)), eighth = sqrt(fourth);
  return fmin(leaf, 2.2 * fourth * eighth * sqrt(eighth));
}

/* Builds a subtree from a list (packed or joined), and stores it with its bounds as the child at
 * `parent_octant`. If `force` is set, the list is split even if it is within the capacity. `plan`:
 * planes for the first node, computed for these shapes; null: they are chosen. */
void mo_tree_build(mo_scene *scene, uint32_t head, uint32_t parent_octant,
                   const mo_split_plan *plan, bool force);

/* Frees the nodes of a subtree and returns all its shapes as one joined list. The caller must set
 * the child that referred to the subtree. */
uint32_t mo_tree_flatten(mo_scene *scene, uint32_t child);

/* Whether a leaf with `total` shapes, of which `more` were just added, should try to split now:
 * when it first exceeds its capacity, then with each new block, and when it is large, as after
 * failed splits, each time its number of shapes has doubled. */
static inline bool mo_leaf_should_split(const mo_scene *scene, uint32_t total, uint32_t more) {
  uint32_t capacity = scene->options.capacity, before = total - more;
  if (total <= capacity) {
    return false;
  }
  bool block = (total - 1) / MO_LANE_COUNT != (before - 1) / MO_LANE_COUNT &&
               total <= MO_EAGER_SPLIT_MAX_SIZE * capacity;
  return before <= capacity || block || total / 2 >= before ||
         __builtin_clz(total) != __builtin_clz(before);
}

/* Whether a node of which a leaf is overfull is rebuilt with more planes, as it has fewer than
 * three and few shapes: that is cheaper to traverse than another level below it. */
static inline bool mo_node_needs_planes(const mo_scene *scene, const mo_scene_node *node) {
  return scene->options.policy == MO_TREE_IRREGULAR && node->axes != 7 &&
         mo_node_inner_octants(node) == 0 && node->count <= MO_LANE_COUNT * scene->options.capacity;
}

/* Splits the leaf at `parent_octant`, which is above its capacity, if that pays off. If its
 * siblings have few shapes, its parent is rebuilt instead. Returns whether the parent was
 * rebuilt. */
bool mo_leaf_split(mo_scene *scene, uint32_t parent_octant);

/* Reserves memory for `extra` more nodes. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_nodes_reserve(mo_scene *scene, uint32_t extra);

/* Reallocates the arrays by node; capacity 0 frees them. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_node_arrays_resize(mo_scene *scene, uint32_t capacity);

/* Frees the memory of nodes that were never used. */
void mo_nodes_trim(mo_scene *scene);

/* Allocates a node without children. Returns MO_NONE when out of memory. */
uint32_t mo_node_allocate(mo_scene *scene, uint32_t parent_octant);

/* Allocates a node with the planes and the slack of a plan. Returns MO_NONE when out of memory. */
uint32_t mo_node_allocate_with_plan(mo_scene *scene, uint32_t parent_octant,
                                    const mo_split_plan *plan);

/* Frees one node, not its children. */
void mo_node_free(mo_scene *scene, uint32_t index);

/* --- maintenance (upkeep.c, rebalance.c) --- */

/* Whether a subtree has so few shapes that it should become a leaf. */
static inline bool mo_node_is_sparse(const mo_scene *scene, const mo_scene_node *node) {
  return MO_MERGE_SUBTREE_DIVISOR * node->count < scene->options.capacity;
}

/* Whether an update examines a node that shapes have left: large nodes always, small ones only if
 * they should become leaves. */
static inline bool mo_must_examine_shrunk_node(const mo_scene *scene, const mo_scene_node *node) {
  return mo_node_is_sparse(scene, node) ||
         node->count > MO_REBALANCE_MIN_SIZE * scene->options.capacity;
}

/* Increases the age (MO_MATURE_AGE) of a node of which `octants` octants were tightened. */
static inline void mo_node_add_age(const mo_scene *scene, mo_scene_node *node, uint32_t octants) {
  bool slow = node->count > MO_REBALANCE_MIN_SIZE * scene->options.capacity;
  uint32_t age =
      node->age +
      (slow ? (octants + MO_LARGE_NODE_AGE_DIVISOR - 1) / MO_LARGE_NODE_AGE_DIVISOR : octants);
  node->age = (uint8_t)(age < MO_MATURE_AGE ? age : MO_MATURE_AGE);
}

/* Stores the expected cost of a plan with a node (mo_node_maintenance.expected_cost). */
void mo_node_set_expected_cost(mo_scene *scene, uint32_t index, const mo_split_plan *plan);

/* Tightens all bounds that were marked loose. Bounds and counts exclude shapes that are marked as
 * misplaced (moved.h); returns the number of these. */
uint32_t mo_tree_tighten(mo_scene *scene);
MO_ISA_DECLARE(uint32_t, mo_scene_tighten, (mo_scene * scene));

/* Tightens the loose bounds in the subtree of one node. Afterwards the nodes above it must still be
 * tightened, and the misplaced shapes subtracted from their counts. */
MO_ISA_DECLARE(uint32_t, mo_scene_tighten_subtree, (mo_scene * scene, uint32_t index));

/* Maintains the tree, within the limit mo_update_def.upkeep. MO_ERROR_OUT_OF_MEMORY while shapes
 * are stored outside their cells. */
mo_result mo_tree_update(mo_scene *scene, uint64_t upkeep);

/* For the statistics: counts the levels on the path of a shape from the list of owner `from` to
 * that of owner `to` (traced_level_up_count, ..._down_count). */
void mo_tree_count_levels(mo_scene *scene, uint32_t from, uint32_t to);

/* The number of shapes in the leaf or subtree `child`. */
static inline uint32_t mo_child_total(const mo_scene *scene, uint32_t child) {
  return mo_child_is_leaf(child) ? mo_block_list_total(scene, mo_leaf_list(child))
                                 : mo_scene_node_at(scene, child)->count;
}

/* Inserts the shapes of a list outside of the tree; a block for each must have been reserved. */
void mo_tree_insert_list(mo_scene *scene, uint32_t head);

/* Moves the planes of a large node towards the middle of its shapes (rebalance.c). `budget` is the
 * number of shapes that may still be moved, and is decreased. */
void mo_node_rebalance(mo_scene *scene, uint32_t index, uint64_t *budget);

/* Whether all planes and shapes of a subtree still fit if a plane perpendicular to `axis` becomes a
 * side of its cell, with the subtree below or above it (rebalance.c). */
bool mo_subtree_fits_side(mo_scene *scene, uint32_t child, int axis, bool below, float plane);

/* Makes that plane a side of the cells in the subtree that border on it. */
void mo_subtree_set_side(mo_scene *scene, uint32_t child, int axis, bool below, float plane);

/* Removes planes that have shapes on one side only, and the node itself if no plane is left.
 * Returns whether the node still exists. */
bool mo_node_remove_one_sided_planes(mo_scene *scene, uint32_t index);

#endif
