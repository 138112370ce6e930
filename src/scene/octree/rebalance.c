/* Rebalancing the split planes of large nodes.
 *
 * When shapes drift, gather or scatter, a plane ends up with most of them on one side. Choosing a
 * new plane would require rebuilding the whole subtree. Instead the plane moves into the heavier
 * side by a step that lets a limited number of shapes change sides (MO_MAX_SHAPES_CHANGING_SIDES
 * and the budget), and again in later updates until the sides are balanced. So the cost is
 * proportional to the number of moves. Only the cells that border on the plane change.
 *
 * A plane with shapes on one side only is removed; a node without planes is replaced by its only
 * child. */
#include "scene/octree/tree.h"

/* A traversal of the cells that have the plane as one of their sides, on one side of it. */
typedef struct cells_at_plane_traversal {
  int axis;
  bool below; /* the cells lie below the plane */
  float plane;
  /* True: find the shapes that would change sides; false: set the cells' sides to the plane. */
  bool is_dry_run;
  uint32_t side_change_count; /* number of shapes that would change sides */
  uint32_t *slots; /* the first MO_MAX_SHAPES_CHANGING_SIDES shapes that would change sides; or null
                    */
  bool passes_planes; /* whether the plane passes that of a small node */
  /* The nearest plane of a large node beyond the border, which the moved plane must not pass. */
  float limit;
  uint32_t visit_count; /* nodes and blocks visited */
} cells_at_plane_traversal;

static void set_coordinate(mo_vec3 *v, int axis, float value) {
  *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

static void record_side_change(cells_at_plane_traversal *r, uint32_t slot) {
  if (r->slots != NULL && r->side_change_count < MO_MAX_SHAPES_CHANGING_SIDES) {
    r->slots[r->side_change_count] = slot;
  }
  r->side_change_count++;
}

static void visit_list_at_plane(mo_scene *scene, uint32_t head, cells_at_plane_traversal *r) {
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    mo_block_cell *at = &scene->cells[b];
    r->visit_count++;
    if (!r->is_dry_run) {
      set_coordinate(r->below ? &at->cell.upper : &at->cell.lower, r->axis, r->plane);
      continue;
    }
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    const float *lower = block->bounds.lower[r->axis], *upper = block->bounds.upper[r->axis];
    for (uint32_t lane = 0; lane < block->count; lane++) {
      if (r->below ? upper[lane] > r->plane + at->slack : lower[lane] < r->plane - at->slack) {
        record_side_change(r, block->shape[lane]);
      }
    }
  }
}

static void record_subtree_side_change(const mo_scene *scene, uint32_t child,
                                       cells_at_plane_traversal *r) {
  if (r->side_change_count > MO_MAX_SHAPES_CHANGING_SIDES) {
    return;
  }
  for (uint32_t b = mo_child_list(scene, child); b != MO_NONE;
       b = mo_shape_block_at(scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    for (uint32_t lane = 0; lane < block->count; lane++) {
      record_side_change(r, block->shape[lane]);
    }
  }
  for (int octant = 0; !mo_child_is_leaf(child) && octant < MO_LANE_COUNT; octant++) {
    record_subtree_side_change(scene, mo_scene_node_at(scene, child)->child[octant], r);
  }
}

/* Whether the moved plane has passed the plane that a node at its border has on the same axis. */
static bool is_plane_passed(const mo_scene_node *node, const cells_at_plane_traversal *r) {
  float plane = node->plane[r->axis];
  return (node->axes & (4u >> r->axis)) && (r->below ? plane >= r->plane : plane <= r->plane);
}

static bool is_small_enough_to_replan(const mo_scene *scene, const mo_scene_node *node) {
  return node->count <= MO_REPLAN_MAX_SIZE * scene->options.capacity;
}

static void visit_cells_at_plane(mo_scene *scene, uint32_t child, cells_at_plane_traversal *r) {
  visit_list_at_plane(scene, mo_child_list(scene, child), r);
  if (mo_child_is_leaf(child)) {
    return;
  }
  const mo_scene_node *node = mo_scene_node_at(scene, child);
  uint32_t bit = 4u >> r->axis;
  r->visit_count++;
  /* If the moved plane passes that of a small node, all shapes on one side of the latter change
   * sides, and the node loses its plane. */
  bool passed = is_plane_passed(node, r) && is_small_enough_to_replan(scene, node);
  r->passes_planes |= passed;
  if ((node->axes & bit) && !is_small_enough_to_replan(scene, node)) {
    float plane = node->plane[r->axis];
    r->limit = r->below ? mo_max(r->limit, plane) : mo_min(r->limit, plane);
  }
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    bool near = !(node->axes & bit) || ((octant & bit) != 0) == r->below;
    if (near && passed && r->is_dry_run) {
      record_subtree_side_change(scene, node->child[octant], r);
    } else if (near != passed || !(node->axes & bit)) {
      visit_cells_at_plane(scene, node->child[octant], r);
    }
  }
}

bool mo_subtree_fits_side(mo_scene *scene, uint32_t child, int axis, bool below, float plane) {
  cells_at_plane_traversal r = {.axis = axis,
                                .below = below,
                                .plane = plane,
                                .is_dry_run = true,
                                .limit = below ? -INFINITY : INFINITY};
  visit_cells_at_plane(scene, child, &r);
  return r.side_change_count == 0 && !r.passes_planes &&
         (below ? r.limit < plane : r.limit > plane);
}

void mo_subtree_set_side(mo_scene *scene, uint32_t child, int axis, bool below, float plane) {
  cells_at_plane_traversal r = {.axis = axis, .below = below, .plane = plane};
  visit_cells_at_plane(scene, child, &r);
}

/* Visits the cells that border on a node's plane on one side. */
static void visit_cells_at_plane_of_node(mo_scene *scene, uint32_t index,
                                         cells_at_plane_traversal *r) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t bit = 4u >> r->axis;
  r->side_change_count = 0;
  r->visit_count = 0;
  r->limit = r->below ? -INFINITY : INFINITY;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    if (((octant & bit) == 0) == r->below) {
      visit_cells_at_plane(scene, node->child[octant], r);
    }
  }
}

static void set_cells_at_plane(mo_scene *scene, uint32_t index, int axis, float below,
                               float above) {
  cells_at_plane_traversal r = {.axis = axis, .below = true, .plane = below};
  visit_cells_at_plane_of_node(scene, index, &r);
  r = (cells_at_plane_traversal){.axis = axis, .below = false, .plane = above};
  visit_cells_at_plane_of_node(scene, index, &r);
}

/* Removes a shape and inserts it again. If there is no memory for that, it stays, and its block is
 * marked as outside their cells until the next update. */
static void reinsert_shape(mo_scene *scene, uint32_t slot) {
  if (mo_blocks_reserve(scene, 1) != MO_OK) {
    mo_shape_block_at(scene, scene->places[slot] >> 3)->has_shapes_outside_cell = 1;
    scene->has_shapes_outside_cell = true;
    return;
  }
  mo_aabb box = mo_slot_box(scene, slot);
  mo_tree_remove(scene, slot);
  mo_tree_insert(scene, slot, &box, true);
}

static void spend_budget(uint64_t *budget, uint64_t cost) {
  *budget -= cost < *budget ? cost : *budget;
}

/* Moves shapes that a node itself stores into the octants that they now fit. */
static void push_down_items(mo_scene *scene, uint32_t index, uint64_t *budget) {
  uint32_t head = mo_scene_node_at(scene, index)->items;
  uint32_t slots[MO_MAX_PUSHED_STRADDLERS], count = 0, seen = 0;
  for (uint32_t b = head; b != MO_NONE && seen < MO_MAX_TESTED_STRADDLERS;
       b = mo_shape_block_at(scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    for (uint32_t lane = 0; lane < block->count && count < MO_MAX_PUSHED_STRADDLERS;
         lane++, seen++) {
      mo_aabb box = mo_bounds8_get(&block->bounds, (int)lane);
      if (mo_item_fits_octant(scene, index, &scene->cells[b].cell, &box)) {
        slots[count++] = block->shape[lane];
      }
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    reinsert_shape(scene, slots[i]);
  }
  spend_budget(budget, count + seen / MO_LANE_COUNT);
}

/* Makes a subtree the child at `parent_octant`: sets its parent and the slack of its lists. */
static void attach_child(mo_scene *scene, uint32_t child, uint32_t parent_octant, float slack) {
  bool is_leaf = mo_child_is_leaf(child);
  mo_child_set(scene, parent_octant, child);
  if (!is_leaf) {
    mo_scene_node_at(scene, child)->parent = parent_octant;
  }
  for (uint32_t b = mo_child_list(scene, child); b != MO_NONE;
       b = mo_shape_block_at(scene, b)->next) {
    scene->cells[b].owner = is_leaf ? parent_octant : MO_OWNER_IS_NODE | child;
    scene->cells[b].slack = slack;
  }
}

/* Removes a plane of a node that has shapes on one side only, the upper side if `kept_high`. The
 * cells of that side are extended to the whole cell of the node. */
static void remove_plane(mo_scene *scene, uint32_t index, int axis, bool kept_high) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_aabb cell = mo_child_cell(scene, node->parent);
  set_cells_at_plane(scene, index, axis, mo_get(cell.upper, axis), mo_get(cell.lower, axis));
  uint32_t bit = 4u >> axis;
  node->axes = (uint8_t)(node->axes & ~bit);
  for (uint32_t low = 0; kept_high && low < MO_LANE_COUNT; low++) {
    uint32_t high = low | bit;
    if (low == high || node->child[high] == MO_CHILD_EMPTY) {
      continue;
    }
    mo_bounds8_set(&node->bounds, (int)low, mo_bounds8_get(&node->bounds, (int)high));
    scene->sizes[index].octant[low] = scene->sizes[index].octant[high];
    attach_child(scene, node->child[high], index << 3 | low, node->slack);
    uint8_t from = (uint8_t)(1u << high), to = (uint8_t)(1u << low);
    node->loose_bounds =
        (uint8_t)((node->loose_bounds & ~from) | (node->loose_bounds & from ? to : 0));
    node->to_examine = (uint8_t)((node->to_examine & ~from) | (node->to_examine & from ? to : 0));
    mo_motion_marks *marks = &scene->motion_marks[index];
    mo_motion_marks_add(marks, low, (mo_motion_marks){marks->dynamic & from, marks->awake & from});
    mo_child_set_empty(scene, index << 3 | high);
  }
}

/* Removes the planes in the subtree `child` that the moved plane has passed; r->plane is its new
 * position. The nodes get new planes in a later update. */
static void remove_passed_planes(mo_scene *scene, uint32_t child,
                                 const cells_at_plane_traversal *r) {
  if (mo_child_is_leaf(child)) {
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  uint32_t bit = 4u >> r->axis;
  if (is_plane_passed(node, r)) {
    for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
      if (((octant & bit) != 0) == r->below && !mo_child_is_leaf(node->child[octant])) {
        /* All shapes of this subtree have been removed: only empty nodes are left. */
        (void)mo_tree_flatten(scene, node->child[octant]);
        mo_child_set_empty(scene, child << 3 | octant);
      }
    }
    remove_plane(scene, child, r->axis, !r->below);
    node->age = MO_MATURE_AGE;
    mo_mark_for_examination(scene, node->parent);
  }
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    if (!(node->axes & bit) || ((octant & bit) != 0) == r->below) {
      remove_passed_planes(scene, node->child[octant], r);
    }
  }
}

/* A plane of a node that has too many shapes on one side. */
typedef struct imbalance {
  int axis;
  bool heavy_side_is_upper;  /* the heavier side is above the plane */
  double heavy_count, total; /* shapes on the heavier side, and in all octants of the node */
} imbalance;

/* Moves a plane of a node into the side with more shapes. */
static void rebalance_plane(mo_scene *scene, uint32_t index, const imbalance *side,
                            uint64_t *budget) {
  int axis = side->axis;
  bool heavy_side_is_upper = side->heavy_side_is_upper;
  mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t bit = 4u >> axis;
  float lower = INFINITY, upper = -INFINITY;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    if (((octant & bit) != 0) == heavy_side_is_upper) {
      lower = mo_min(lower, node->bounds.lower[axis][octant]);
      upper = mo_max(upper, node->bounds.upper[axis][octant]);
    }
  }
  double wanted = side->heavy_count - MO_REBALANCED_SIDE_SHARE * side->total;
  double share =
      fmin(fmin(wanted, (double)*budget), MO_MAX_SHAPES_CHANGING_SIDES) / side->heavy_count;
  float from = node->plane[axis];
  float to = heavy_side_is_upper
                 ? mo_max(from, lower) + (upper - mo_max(from, lower)) * (float)share
                 : mo_min(from, upper) - (mo_min(from, upper) - lower) * (float)share;
  uint32_t slots[MO_MAX_SHAPES_CHANGING_SIDES];
  cells_at_plane_traversal r;
  for (int i = 0;; i++) {
    r = (cells_at_plane_traversal){.axis = axis,
                                   .below = !heavy_side_is_upper,
                                   .plane = to,
                                   .is_dry_run = true,
                                   .slots = slots};
    visit_cells_at_plane_of_node(scene, index, &r);
    spend_budget(budget, r.visit_count / MO_LANE_COUNT);
    bool ahead = heavy_side_is_upper ? to > from && to < r.limit : to < from && to > r.limit;
    if (ahead && r.side_change_count <= MO_MAX_SHAPES_CHANGING_SIDES) {
      break;
    }
    if (i == MO_REBALANCE_MAX_TRIES) {
      return;
    }
    if (!ahead && isfinite(r.limit)) {
      to = r.limit;
    }
    to = 0.5f * (from + to);
  }
  mo_aabb cell = mo_child_cell(scene, node->parent);
  if (!(to > mo_get(cell.lower, axis) && to < mo_get(cell.upper, axis)) ||
      mo_blocks_reserve(scene, r.side_change_count + r.side_change_count / MO_LANE_COUNT + 1) !=
          MO_OK) {
    return;
  }
  /* The shapes that change sides are kept in a list outside of the tree while the cells change. */
  uint32_t out = MO_NONE;
  mo_block_cell nowhere = {mo_aabb_infinite(), 0, MO_NONE};
  for (uint32_t i = 0; i < r.side_change_count; i++) {
    mo_aabb box = mo_slot_box(scene, r.slots[i]);
    mo_tree_remove(scene, r.slots[i]);
    out = mo_block_list_push(scene, out, &nowhere, r.slots[i], &box);
  }
  node->plane[axis] = to;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    if (((octant & bit) != 0) == heavy_side_is_upper) {
      remove_passed_planes(scene, node->child[octant], &r);
    }
  }
  set_cells_at_plane(scene, index, axis, to, to);
  mo_tree_insert_list(scene, out);
  spend_budget(budget, r.side_change_count);
  push_down_items(scene, index, budget);
  scene->counters.plane_move_count++;
}

/* Counts the shapes in each octant of a node; returns their sum. */
static uint32_t count_octants(const mo_scene *scene, uint32_t index,
                              uint32_t count[MO_LANE_COUNT]) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t total = 0;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    count[octant] = mo_child_total(scene, node->child[octant]);
    total += count[octant];
  }
  return total;
}

void mo_node_rebalance(mo_scene *scene, uint32_t index, uint64_t *budget) {
  uint32_t count[MO_LANE_COUNT], total = count_octants(scene, index, count);
  for (int axis = 0; axis < 3; axis++) {
    const mo_scene_node *node = mo_scene_node_at(scene, index);
    uint32_t bit = 4u >> axis;
    if (!(node->axes & bit)) {
      continue;
    }
    uint32_t above = 0;
    for (uint32_t octant = bit; octant < MO_LANE_COUNT; octant = (octant + 1) | bit) {
      above += count[octant];
    }
    bool high = above > total - above;
    double heavy_count = high ? above : total - above;
    if (heavy_count <= MO_HEAVY_SIDE_SHARE * (double)total || total == 0) {
      continue;
    }
    if (*budget < MO_REBALANCE_MIN_BUDGET) {
      return;
    }
    const imbalance side = {axis, high, heavy_count, (double)total};
    rebalance_plane(scene, index, &side, budget);
    total = count_octants(scene, index, count);
  }
}

/* Replaces a node by its only child, which is in octant 0. */
static void replace_by_child(mo_scene *scene, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t parent_octant = node->parent, items = node->items, child = node->child[0];
  /* The node's own items are reinserted, and may end up elsewhere. */
  bool has_loose_bounds = node->loose_bounds != 0 || items != MO_NONE,
       needs_examination = node->to_examine != 0;
  if (mo_blocks_reserve(scene, mo_block_list_total(scene, items)) != MO_OK) {
    return;
  }
  mo_aabb bounds = mo_bounds8_union(&node->bounds);
  attach_child(scene, child, parent_octant,
               parent_octant == MO_NONE ? 0 : mo_scene_node_at(scene, parent_octant >> 3)->slack);
  mo_child_set_bounds(scene, parent_octant, bounds);
  mo_node_free(scene, index);
  if (has_loose_bounds) {
    mo_mark_bounds_loose(scene, parent_octant);
  }
  if (needs_examination) {
    mo_mark_for_examination(scene, parent_octant);
  }
  for (uint32_t at = parent_octant; at != MO_NONE; at = mo_scene_node_at(scene, at >> 3)->parent) {
    mo_scene_node_at(scene, at >> 3)->count -= mo_block_list_total(scene, items);
  }
  mo_tree_insert_list(scene, items);
}

bool mo_node_remove_one_sided_planes(mo_scene *scene, uint32_t index) {
  if (mo_node_used_octants(mo_scene_node_at(scene, index)) == 0xff) {
    return true;
  }
  for (int axis = 0; axis < 3; axis++) {
    const mo_scene_node *node = mo_scene_node_at(scene, index);
    uint32_t bit = 4u >> axis;
    if (!(node->axes & bit)) {
      continue;
    }
    static const uint8_t high_octants[3] = {0xf0, 0xcc, 0xaa};
    uint32_t used = mo_node_used_octants(node), high = used & high_octants[axis],
             low = used & ~high;
    if ((high == 0) != (low == 0)) {
      remove_plane(scene, index, axis, high != 0);
    }
  }
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  if (node->axes == 0 && !mo_child_is_leaf(node->child[0])) {
    replace_by_child(scene, index);
    return false;
  }
  return true;
}
