/* Inserts triangles into the octree of an editable mesh, and removes them. All boxes are tight
 * after each edit, so every query is exact. */
#include "mesh/edit/edit.h"

#include <string.h>

#include "base/assert.h"
#include "mesh/build/build.h"

/* --- blocks --- */

/* After lanes have changed: lanes that are not in use repeat lane 0, and a flag says whether the
 * block has degenerate triangles. */
static void repair_block(mo_triangle_block *block) {
  const uint32_t used = mo_count_lanes_in_use(block);
  for (int i = 0; i < 3; i++) {
    for (int axis = 0; axis < 3; axis++) {
      for (uint32_t lane = used; lane < MO_LANE_COUNT; lane++) {
        block->corner[i][axis][lane] = block->corner[i][axis][0];
      }
    }
  }
  block->id[2] &= ~MO_LANE_SOME_DEGENERATE;
  if (mo_degenerate_lanes(block->corner, (1u << used) - 1) != 0) {
    block->id[2] |= MO_LANE_SOME_DEGENERATE;
  }
}

static void copy_lane(mo_triangle_block *block, uint32_t lane, const mo_triangle_block *from,
                      uint32_t from_lane) {
  for (int i = 0; i < 3; i++) {
    for (int axis = 0; axis < 3; axis++) {
      block->corner[i][axis][lane] = from->corner[i][axis][from_lane];
    }
  }
}

void mo_edit_set_id(mo_mesh *mesh, mo_triangle_place place, uint32_t id) {
  uint32_t *stored = &mesh->blocks[place >> 3].id[place & 7];
  *stored = id | (*stored & 0x80000000u); /* the top bit is a flag of the block */
}

/* Stores the place (block << 3 | lane) of the triangle in a lane: in triangle_places, or in the
 * item of the edit that inserts it. */
static void set_place(mo_mesh *mesh, mo_triangle_place place) {
  const uint32_t id = mesh->blocks[place >> 3].id[place & 7], number = id & MO_LANE_TRIANGLE;
  if (id & MO_LANE_PENDING) {
    mesh->editing->items[number].place = place;
  } else {
    mesh->triangle_places[number] = place;
  }
}

/* The box around the triangles of a leaf. */
static mo_aabb box_of_leaf(const mo_mesh *mesh, uint32_t leaf) {
  mo_aabb box = mo_aabb_empty();
  const uint32_t first = mo_child_index(leaf), size = mo_count_leaf_triangles(mesh, leaf);
  for (mo_triangle_place place = first << 3; place < (first << 3) + size; place++) {
    mo_vec3 corners[3];
    mo_mesh_corners_at(mesh, place, corners);
    box = mo_aabb_union(box, mo_aabb_of_corners(corners));
  }
  return box;
}

/* --- nodes --- */

void mo_edit_attach(mo_mesh *mesh, uint32_t node, uint32_t slot, uint32_t child) {
  mesh->nodes[node].child[slot] = child;
  if (!mo_child_is_leaf(child)) {
    mesh->planes[child].parent = node << 3 | slot;
  } else if (child != MO_CHILD_EMPTY) {
    const uint32_t first = mo_child_index(child), length = mo_edit_leaf_block_count(mesh, first);
    for (uint32_t b = first; b < first + length; b++) {
      mesh->editing->blocks[b].leaf = node << 3 | slot;
    }
  }
}

static uint8_t height_of(const mo_mesh *mesh, uint32_t node) {
  uint8_t height = 1;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child) && mesh->editing->nodes[child].height >= height) {
      height = (uint8_t)(mesh->editing->nodes[child].height + 1);
    }
  }
  return height;
}

void mo_edit_count_node(mo_mesh *mesh, uint32_t node) {
  mo_edit_node made = {.height = height_of(mesh, node)};
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      made.count += mesh->editing->nodes[child].count;
      made.changes_since_whole_rebuild += mesh->editing->nodes[child].changes_since_whole_rebuild;
    } else {
      made.count += mo_count_leaf_triangles(mesh, child);
    }
  }
  mesh->editing->nodes[node] = made;
}

void mo_edit_update_heights(mo_mesh *mesh, uint32_t node) {
  for (;;) {
    mesh->editing->nodes[node].height = height_of(mesh, node);
    const uint32_t parent = mesh->planes[node].parent;
    if (parent == MO_NONE) {
      return;
    }
    node = parent >> 3;
  }
}

/* --- the order of slots --- */

/* A child of a node whose slots are being ordered. */
typedef struct ordered_child {
  mo_aabb box;
  uint32_t child;
  uint32_t old_slot;
} ordered_child;

static float doubled_center(const mo_aabb *box, int axis) {
  return mo_get(box->lower, axis) + mo_get(box->upper, axis);
}

static void sort_along(ordered_child *children, uint32_t count, int axis) {
  for (uint32_t i = 1; i < count; i++) {
    const ordered_child moved = children[i];
    uint32_t at = i;
    for (; at > 0 && doubled_center(&children[at - 1].box, axis) > doubled_center(&moved.box, axis);
         at--) {
      children[at] = children[at - 1];
    }
    children[at] = moved;
  }
}

/* The cost of splitting sorted children before number `at`: areas of both sides by their numbers of
 * children. */
static double cost_of_split(const ordered_child *children, uint32_t count, uint32_t at) {
  mo_aabb side[2] = {mo_aabb_empty(), mo_aabb_empty()};
  for (uint32_t i = 0; i < count; i++) {
    side[i >= at] = mo_aabb_union(side[i >= at], children[i].box);
  }
  return mo_aabb_half_area(side[0]) * at + mo_aabb_half_area(side[1]) * (count - at);
}

/* Sorts children into the order of their slots, which begin at `first`, and finds the planes
 * between them; returns them as a side of a plane (mo_nested_planes). */
static uint32_t order_children(ordered_child *children, uint32_t count, uint32_t first,
                               mo_nested_planes *planes) {
  if (count == 1) {
    return first;
  }
  int best_axis = 0;
  uint32_t best = 1;
  double min = INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    sort_along(children, count, axis);
    for (uint32_t at = 1; at < count; at++) {
      const double cost = cost_of_split(children, count, at);
      if (cost < min) {
        min = cost;
        best = at;
        best_axis = axis;
      }
    }
  }
  sort_along(children, count, best_axis);
  float below = -INFINITY, above = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    below = i < best ? mo_max(below, mo_get(children[i].box.upper, best_axis)) : below;
    above = i < best ? above : mo_min(above, mo_get(children[i].box.lower, best_axis));
  }
  const uint32_t plane = planes->count++;
  const uint32_t low = order_children(children, best, first, planes);
  const uint32_t high = order_children(children + best, count - best, first + best, planes);
  planes->axis[plane] = (uint8_t)best_axis;
  planes->position[plane] = 0.5f * below + 0.5f * above;
  planes->sides[plane] = (uint8_t)(low | high << 4);
  return MO_LANE_COUNT + plane;
}

/* Numbers the children of a node anew, and finds the planes between them. For any-hit rays the
 * children keep their order. */
static void order_slots(mo_mesh *mesh, uint32_t index) {
  mo_mesh_node *node = &mesh->nodes[index];
  ordered_child children[MO_LANE_COUNT];
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (node->child[slot] != MO_CHILD_EMPTY) {
      children[count++] =
          (ordered_child){mo_bounds8_get(&node->bounds, (int)slot), node->child[slot], slot};
    }
  }
  mo_nested_planes planes;
  memset(&planes, 0, sizeof planes);
  if (count > 0) {
    order_children(children, count, 0, &planes);
  }
  double rank[MO_LANE_COUNT]; /* by new slot: minus the old rank for any-hit rays */
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const bool used = slot < count;
    rank[slot] = -(double)MO_LANE_COUNT;
    for (uint32_t i = 0; used && i < MO_LANE_COUNT; i++) {
      rank[slot] =
          (node->any_hit_order >> 4 * i & 15) == children[slot].old_slot ? -(double)i : rank[slot];
    }
    mo_bounds8_set(&node->bounds, (int)slot, used ? children[slot].box : mo_aabb_empty());
    mo_edit_attach(mesh, index, slot, used ? children[slot].child : MO_CHILD_EMPTY);
  }
  node->any_hit_order = mo_slots_by_key(rank);
  mesh->planes[index].nested = planes;
  mo_nested_planes_slot_order(&planes, node->order);
}

/* --- inserting --- */

/* Where a triangle is inserted. */
typedef enum insertion_kind {
  INSERT_INTO_LEAF, /* into the leaf in the slot */
  INSERT_NEW_LEAF,  /* as a new leaf, in a slot without a child */
  INSERT_NEW_NODE,  /* as a new leaf; a new node in the slot has it and the child of the slot */
} insertion_kind;

typedef struct insertion_target {
  insertion_kind kind;
  uint32_t node, slot;
} insertion_target;

/* Whether the tree stays within its depth if a child of a node at some depth gets one level more
 * above it. */
static bool may_add_level_above(const mo_mesh *mesh, uint32_t child, uint32_t depth) {
  const uint32_t height = mo_child_is_leaf(child) ? 0 : mesh->editing->nodes[child].height;
  return depth + 2 + height <= mesh->build.max_depth;
}

/* A search for the slot where a triangle raises the expected cost of queries by the smallest
 * amount: by branch and bound, as the boxes on the way to a slot grow too (Bittner, Hapala and
 * Havran, "Fast Insertion-Based Optimization of Bounding Volume Hierarchies", 2013). */
typedef struct target_search {
  const mo_mesh *mesh;
  mo_aabb box;
  double own_leaf_cost; /* cost of a leaf of the triangle alone */
  double min;           /* cost of the best target so far */
  insertion_target target;
  uint32_t visit_count;
} target_search;

/* A search that has found a target ends after this many nodes. */
enum { MAX_TARGET_VISITS = 64 };

static void offer_target(target_search *s, double cost, insertion_kind kind, uint32_t node,
                         uint32_t slot) {
  if (cost < s->min) {
    s->min = cost;
    s->target = (insertion_target){kind, node, slot};
  }
}

/* Offers the targets in a slot, not counting those below an inner child. `above`: by how much the
 * boxes above the node grow. Returns by how much the box of an inner child grows; else INFINITY. */
static double offer_slot(target_search *s, uint32_t node, uint32_t slot, uint32_t depth,
                         double above) {
  const mo_mesh *mesh = s->mesh;
  const uint32_t child = mesh->nodes[node].child[slot];
  if (child == MO_CHILD_EMPTY) {
    offer_target(s, above + s->own_leaf_cost, INSERT_NEW_LEAF, node, slot);
    return INFINITY;
  }
  const mo_aabb old = mo_bounds8_get(&mesh->nodes[node].bounds, (int)slot);
  const double area = mo_aabb_half_area(mo_aabb_union(old, s->box));
  const double growth = area - mo_aabb_half_area(old);
  if (may_add_level_above(mesh, child, depth)) {
    offer_target(s, above + area * MO_NODE_COST + s->own_leaf_cost, INSERT_NEW_NODE, node, slot);
  }
  if (!mo_child_is_leaf(child)) {
    return growth * MO_NODE_COST;
  }
  const uint32_t first = mo_child_index(child), length = mo_edit_leaf_block_count(mesh, first);
  const bool full = mo_count_lanes_in_use(&mesh->blocks[first + length - 1]) == MO_LANE_COUNT;
  const double cost = growth * (MO_LEAF_COST + MO_BLOCK_COST * (double)length) +
                      (full ? MO_BLOCK_COST * area : 0.0);
  offer_target(s, above + cost, INSERT_INTO_LEAF, node, slot);
  return INFINITY;
}

/* Offers the targets in the subtree of a node, those in the children that grow the least first. */
static void search_targets(target_search *s, uint32_t node, uint32_t depth, double above) {
  double growth[MO_LANE_COUNT];
  s->visit_count++;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    growth[slot] = offer_slot(s, node, slot, depth, above);
  }
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    uint32_t next = 0;
    for (uint32_t slot = 1; slot < MO_LANE_COUNT; slot++) {
      next = growth[slot] < growth[next] ? slot : next;
    }
    if (!(above + growth[next] < s->min) ||
        (s->visit_count > MAX_TARGET_VISITS && s->min < INFINITY)) {
      return;
    }
    search_targets(s, s->mesh->nodes[node].child[next], depth + 1, above + growth[next]);
    growth[next] = INFINITY;
  }
}

static insertion_target find_target(const mo_mesh *mesh, mo_aabb box) {
  target_search s = {.mesh = mesh, .box = box, .min = INFINITY};
  s.own_leaf_cost = mo_aabb_half_area(box) * (MO_LEAF_COST + MO_BLOCK_COST);
  search_targets(&s, 0, 0, 0.0);
  MO_ASSERT(s.min < INFINITY);
  return s.target;
}

/* A new leaf of one triangle: returns its block. */
static uint32_t make_leaf(mo_mesh *mesh, uint32_t id, const mo_vec3 corners[3]) {
  const uint32_t block = mo_edit_allocate_run(mesh, 1, 1);
  mo_block_clear(&mesh->blocks[block]);
  mo_block_set(&mesh->blocks[block], 0, id, corners);
  mesh->blocks[block].id[0] |= MO_LANE_LAST_BLOCK;
  mesh->editing->blocks[block].changed = true;
  return block;
}

/* The capacity of the run to which a leaf moves that needs one block more; 0 if it need not move.
 */
static uint32_t run_capacity_to_move_to(const mo_mesh *mesh, uint32_t first) {
  const mo_edit_block *run = &mesh->editing->blocks[first];
  const uint32_t length = run->length;
  if (length < run->capacity ||
      mo_count_lanes_in_use(&mesh->blocks[first + length - 1]) < MO_LANE_COUNT) {
    return 0;
  }
  return length + 1 + (length >= MO_MAX_EXACT_RUN ? length / 2 : 0);
}

/* Moves a leaf to a run of some capacity; returns its first block. */
static uint32_t move_leaf(mo_mesh *mesh, uint32_t node, uint32_t slot, uint32_t capacity) {
  const uint32_t first = mo_child_index(mesh->nodes[node].child[slot]);
  const uint32_t length = mo_edit_leaf_block_count(mesh, first);
  const uint32_t run = mo_edit_allocate_run(mesh, length, capacity);
  memcpy(&mesh->blocks[run], &mesh->blocks[first], length * sizeof *mesh->blocks);
  mo_edit_free_run(mesh, first);
  for (mo_triangle_place place = run << 3; place < (run + length) << 3; place++) {
    set_place(mesh, place);
  }
  mo_edit_attach(mesh, node, slot, MO_CHILD_LEAF | run);
  return run;
}

/* Adds a triangle to a leaf; returns its place. */
static mo_triangle_place add_to_leaf(mo_mesh *mesh, uint32_t node, uint32_t slot, uint32_t id,
                                     const mo_vec3 corners[3]) {
  uint32_t first = mo_child_index(mesh->nodes[node].child[slot]);
  const uint32_t capacity = run_capacity_to_move_to(mesh, first);
  if (capacity > 0) {
    first = move_leaf(mesh, node, slot, capacity);
  }
  uint32_t last = first + mo_edit_leaf_block_count(mesh, first) - 1;
  uint32_t lane = mo_count_lanes_in_use(&mesh->blocks[last]);
  if (lane == MO_LANE_COUNT) {
    mo_edit_extend_run(mesh, first);
    last++;
    lane = 0;
  }
  mo_block_set(&mesh->blocks[last], lane, id, corners);
  mesh->editing->blocks[first].changed = true;
  return last << 3 | lane;
}

static void count_change(mo_edit_node *node) {
  node->changes_since_top_rebuild++;
  node->changes_since_whole_rebuild++;
  node->touched = true;
}

/* Puts a new node into a slot, with the child of the slot and a leaf of one triangle; returns the
 * triangle's place. */
static mo_triangle_place add_above_child(mo_mesh *mesh, uint32_t node, uint32_t slot, uint32_t id,
                                         const mo_vec3 corners[3]) {
  const uint32_t made = mo_edit_allocate_node(mesh), child = mesh->nodes[node].child[slot];
  const uint32_t block = make_leaf(mesh, id, corners);
  mo_mesh_node_clear(&mesh->nodes[made]);
  mesh->planes[made] = (mo_mesh_planes){.parent = MO_NONE};
  mo_bounds8 *bounds = &mesh->nodes[made].bounds;
  mo_bounds8_set(bounds, 0, mo_bounds8_get(&mesh->nodes[node].bounds, (int)slot));
  mo_bounds8_set(bounds, 1, mo_aabb_of_corners(corners));
  mo_edit_attach(mesh, made, 0, child);
  mo_edit_attach(mesh, made, 1, MO_CHILD_LEAF | block);
  order_slots(mesh, made);
  mo_edit_count_node(mesh, made);
  count_change(&mesh->editing->nodes[made]);
  mo_edit_attach(mesh, node, slot, made);
  mo_edit_update_heights(mesh, node);
  return block << 3;
}

/* Updates the counts, change counts and boxes of a node and its ancestors after a triangle was
 * inserted. */
static void update_ancestors_after_insertion(mo_mesh *mesh, uint32_t node, uint32_t slot,
                                             mo_aabb box) {
  for (;;) {
    mo_bounds8 *bounds = &mesh->nodes[node].bounds;
    mo_edit_node *known = &mesh->editing->nodes[node];
    mo_bounds8_set(bounds, (int)slot, mo_aabb_union(mo_bounds8_get(bounds, (int)slot), box));
    known->count++;
    count_change(known);
    const uint32_t parent = mesh->planes[node].parent;
    if (parent == MO_NONE) {
      return;
    }
    node = parent >> 3;
    slot = parent & 7;
  }
}

bool mo_edit_insert(mo_mesh *mesh, uint32_t id, const mo_vec3 corners[3],
                    mo_triangle_place *place) {
  const mo_aabb box = mo_aabb_of_corners(corners);
  const insertion_target target = find_target(mesh, box);
  const uint32_t child = mesh->nodes[target.node].child[target.slot];
  uint32_t blocks = 1;
  if (target.kind == INSERT_INTO_LEAF) {
    blocks = run_capacity_to_move_to(mesh, mo_child_index(child));
  }
  if (!mo_edit_reserve_nodes(mesh, 1) || !mo_edit_reserve_blocks(mesh, blocks)) {
    return false;
  }
  switch (target.kind) {
  case INSERT_INTO_LEAF:
    *place = add_to_leaf(mesh, target.node, target.slot, id, corners);
    break;
  case INSERT_NEW_LEAF:
    *place = make_leaf(mesh, id, corners) << 3;
    mo_edit_attach(mesh, target.node, target.slot, MO_CHILD_LEAF | *place >> 3);
    break;
  case INSERT_NEW_NODE:
    *place = add_above_child(mesh, target.node, target.slot, id, corners);
    break;
  }
  update_ancestors_after_insertion(mesh, target.node, target.slot, box);
  if (target.kind == INSERT_NEW_LEAF) {
    order_slots(mesh, target.node);
  }
  return true;
}

/* --- removing --- */

/* Removes a lane from its leaf: the last triangle of the leaf moves there. Returns false if the
 * leaf has become empty and its memory is free. */
static bool remove_lane(mo_mesh *mesh, mo_triangle_place place, uint32_t first) {
  mo_triangle_block *block = &mesh->blocks[place >> 3];
  const uint32_t length = mo_edit_leaf_block_count(mesh, first), at = first + length - 1;
  mo_triangle_block *last = &mesh->blocks[at];
  const uint32_t lane = place & 7, from = mo_count_lanes_in_use(last) - 1;
  if (block != last || lane != from) {
    copy_lane(block, lane, last, from);
    const uint32_t id = last->id[from] & ~0x80000000u;
    mo_edit_set_id(mesh, place, id);
    set_place(mesh, place);
  }
  if (length == 1 && from == 0) {
    mo_edit_free_run(mesh, first);
    return false;
  }
  mesh->editing->blocks[first].changed = true;
  if (from == 0) {
    mo_edit_shorten_run(mesh, first);
  } else {
    mo_edit_set_id(mesh, at << 3 | from, MO_LANE_EMPTY);
    repair_block(last);
  }
  if (block != last) {
    repair_block(block);
  }
  return true;
}

/* Takes a node without children, or with one, out of the octree, and puts the child in its place.
 * The root stays. */
static void remove_needless_node(mo_mesh *mesh, uint32_t node) {
  const uint32_t parent = mesh->planes[node].parent;
  uint32_t count = 0, only = 0;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (mesh->nodes[node].child[slot] != MO_CHILD_EMPTY) {
      only = slot;
      count++;
    }
  }
  if (parent == MO_NONE || count > 1) {
    return;
  }
  const mo_aabb box = mo_bounds8_get(&mesh->nodes[node].bounds, (int)only);
  const uint32_t child = mesh->nodes[node].child[only];
  mo_bounds8_set(&mesh->nodes[parent >> 3].bounds, (int)(parent & 7), box);
  mo_edit_attach(mesh, parent >> 3, parent & 7, child);
  mo_edit_free_node(mesh, node);
}

/* Updates the counts and change counts of a node and its ancestors after a triangle was removed. */
static void update_ancestors_after_removal(mo_mesh *mesh, uint32_t node) {
  for (;;) {
    mo_edit_node *known = &mesh->editing->nodes[node];
    const uint32_t parent = mesh->planes[node].parent;
    known->count--;
    count_change(known);
    known->height = height_of(mesh, node);
    if (parent == MO_NONE) {
      return;
    }
    remove_needless_node(mesh, node);
    node = parent >> 3;
  }
}

void mo_edit_remove(mo_mesh *mesh, mo_triangle_place place) {
  const uint32_t leaf = mesh->editing->blocks[place >> 3].leaf, node = leaf >> 3, slot = leaf & 7;
  MO_ASSERT(leaf != MO_NONE);
  if (!remove_lane(mesh, place, mo_child_index(mesh->nodes[node].child[slot]))) {
    mesh->nodes[node].child[slot] = MO_CHILD_EMPTY;
    mo_bounds8_set(&mesh->nodes[node].bounds, (int)slot, mo_aabb_empty());
  }
  update_ancestors_after_removal(mesh, node);
}

static void tighten_node(mo_mesh *mesh, uint32_t node) {
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t child = mesh->nodes[node].child[slot];
    mo_bounds8 *bounds = &mesh->nodes[node].bounds;
    if (!mo_child_is_leaf(child)) {
      if (mesh->editing->nodes[child].touched) {
        tighten_node(mesh, child);
        mo_bounds8_set(bounds, (int)slot, mo_bounds8_union(&mesh->nodes[child].bounds));
      }
    } else if (child != MO_CHILD_EMPTY && mesh->editing->blocks[mo_child_index(child)].changed) {
      mo_bounds8_set(bounds, (int)slot, box_of_leaf(mesh, child));
    }
  }
}

void mo_edit_tighten(mo_mesh *mesh) {
  tighten_node(mesh, 0);
}
