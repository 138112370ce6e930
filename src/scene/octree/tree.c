/* Insertion, removal and moves of single shapes in the shape octree. Insertion descends from the
 * root to the lowest cell that contains the box. Removal finds the shape by its stored place (block
 * and lane). Most moves only overwrite the box, as the shape still fits its cell. */
#include "scene/octree/tree.h"

#include "base/assert.h"

mo_aabb mo_slot_box(const mo_scene *scene, uint32_t slot) {
  MO_ASSERT(slot < scene->slot_count && !(scene->traits[slot] & MO_TRAIT_UNBOUNDED));
  mo_shape_place place = scene->places[slot];
  return mo_bounds8_get(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7));
}

uint32_t mo_child_depth(const mo_scene *scene, uint32_t parent_octant) {
  uint32_t depth = 0;
  for (; parent_octant != MO_NONE;
       parent_octant = mo_scene_node_at(scene, parent_octant >> 3)->parent) {
    depth++;
    MO_ASSERT(depth <= MO_SCENE_MAX_DEPTH);
  }
  return depth;
}

mo_aabb mo_child_cell(const mo_scene *scene, uint32_t parent_octant) {
  if (parent_octant == MO_NONE) {
    return mo_aabb_infinite();
  }
  const mo_scene_node *node = mo_scene_node_at(scene, parent_octant >> 3);
  mo_aabb cell = node->parent == MO_NONE ? scene->root_cell : mo_child_cell(scene, node->parent);
  return mo_octant_cell(node, parent_octant & 7, cell);
}

/* Extends the bounds of `parent_octant`, and of all octants above it, to contain a box. */
static void grow_bounds(mo_scene *scene, uint32_t parent_octant, const mo_aabb *box) {
  mo_box_size size = mo_box_size_of(box);
  while (parent_octant != MO_NONE) {
    mo_scene_node *node = mo_scene_node_at(scene, parent_octant >> 3);
    mo_aabb bounds = mo_bounds8_get(&node->bounds, (int)(parent_octant & 7));
    if (mo_aabb_contains(bounds, *box) &&
        scene->sizes[parent_octant >> 3].octant[parent_octant & 7] >= size) {
      return;
    }
    mo_octant_size_grow(scene, parent_octant >> 3, parent_octant & 7, size);
    mo_bounds8_set(&node->bounds, (int)(parent_octant & 7), mo_aabb_union(bounds, *box));
    parent_octant = node->parent;
  }
  scene->root_bounds = mo_aabb_union(scene->root_bounds, *box);
}

/* Adds a shape to the list of the lowest cell that contains its box. Returns the owner of that
 * list: the octant of the leaf, or MO_OWNER_IS_NODE | node. */
static uint32_t insert_into_lowest_cell(mo_scene *scene, uint32_t slot, const mo_aabb *box,
                                        bool deferred) {
  if (scene->options.policy != MO_TREE_IRREGULAR && mo_scene_root_is_node(scene)) {
    mo_cube_grow(scene, box);
  }
  if (deferred) {
    scene->root_has_loose_bounds = true;
  } else {
    scene->root_bounds = mo_aabb_union(scene->root_bounds, *box);
  }
  scene->root_needs_examination = true;
  mo_motion_marks any = mo_motion_marks_of_traits(scene->traits[slot]);
  mo_box_size size = mo_box_size_of(box);
  mo_block_cell at = {mo_aabb_infinite(), 0, MO_NONE};
  mo_aabb cell = scene->root_cell;
  uint32_t child = scene->root;
  while (!mo_child_is_leaf(child)) {
    mo_scene_node *node = mo_scene_node_at(scene, child);
    node->count++;
    uint32_t octant = mo_node_octant(node, box);
    cell = mo_octant_cell(node, octant, cell);
    if (!mo_box_fits_octant(scene, node, &cell, box)) {
      at.owner = MO_OWNER_IS_NODE | child;
      node->items = mo_block_list_push(scene, node->items, &at, slot, box);
      return at.owner;
    }
    uint8_t bit = (uint8_t)(1u << octant);
    node->to_examine = (uint8_t)(node->to_examine | bit);
    mo_motion_marks_add(&scene->motion_marks[child], octant, any);
    if (deferred) {
      node->loose_bounds = (uint8_t)(node->loose_bounds | bit);
    } else {
      mo_bounds8_set(&node->bounds, (int)octant,
                     mo_aabb_union(mo_bounds8_get(&node->bounds, (int)octant), *box));
      mo_octant_size_grow(scene, child, octant, size);
    }
    at = (mo_block_cell){cell, node->slack, child << 3 | octant};
    child = node->child[octant];
  }
  MO_ASSERT(at.owner == MO_NONE || mo_cell_contains(&at.cell, at.slack, box));
  uint32_t head = mo_block_list_push(scene, mo_leaf_list(child), &at, slot, box);
  mo_child_set(scene, at.owner, MO_CHILD_LEAF | head);
  return at.owner;
}

/* Splits a leaf that an insertion has made overfull. */
static void split_if_due(mo_scene *scene, uint32_t owner) {
  if (!mo_owner_is_node(owner) &&
      mo_leaf_should_split(scene, mo_block_list_total(scene, mo_owner_list(scene, owner)), 1)) {
    mo_leaf_split(scene, owner);
  }
}

void mo_tree_insert(mo_scene *scene, uint32_t slot, const mo_aabb *box, bool deferred) {
  uint32_t owner = insert_into_lowest_cell(scene, slot, box, deferred);
  if (!deferred) {
    split_if_due(scene, owner);
  }
}

/* Subtracts one shape from the counts of a node and its ancestors (index MO_NONE if the root is a
 * leaf), and marks what the next update must examine. If `emptied`, the node has lost a child and
 * must be examined too. */
static void subtract_from_counts(mo_scene *scene, uint32_t index, bool emptied) {
  uint32_t parent_octant = MO_NONE;
  bool marked = false;
  while (index != MO_NONE) {
    mo_scene_node *node = mo_scene_node_at(scene, index);
    MO_ASSERT(node->count > 0);
    node->count--;
    parent_octant = node->parent;
    if (!marked && (emptied || mo_must_examine_shrunk_node(scene, node))) {
      mo_mark_for_examination(scene, parent_octant);
      marked = true;
    }
    index = parent_octant == MO_NONE ? MO_NONE : parent_octant >> 3;
  }
  if (!marked) {
    scene->root_needs_examination = true;
  }
}

uint32_t mo_tree_remove_deferred(mo_scene *scene, uint32_t slot) {
  mo_shape_place from = scene->places[slot];
  uint32_t owner = scene->cells[from >> 3].owner;
  MO_ASSERT(mo_shape_block_at(scene, from >> 3)->shape[from & 7] == slot);
  uint32_t head = mo_owner_list(scene, owner);
  uint32_t left = mo_block_list_remove(scene, head, from);
  uint32_t parent_octant = mo_owner_octant(scene, owner);
  if (mo_owner_is_node(owner)) {
    mo_scene_node_at(scene, mo_owner_node(owner))->items = left;
  } else if (left == MO_NONE) {
    mo_child_set(scene, owner, MO_CHILD_EMPTY);
  } else if (left != head) {
    mo_child_set(scene, owner, MO_CHILD_LEAF | left);
  }
  bool emptied = left == MO_NONE && !mo_owner_is_node(owner);
  subtract_from_counts(scene, owner == MO_NONE ? MO_NONE : mo_owner_node(owner), emptied);
  return parent_octant;
}

void mo_tree_remove(mo_scene *scene, uint32_t slot) {
  uint32_t parent_octant = mo_tree_remove_deferred(scene, slot);
  if (mo_child_get(scene, parent_octant) == MO_CHILD_EMPTY) {
    mo_child_set_empty(scene, parent_octant);
  }
  mo_mark_bounds_loose(scene, parent_octant);
}

void mo_motion_marks_add_above(mo_scene *scene, uint32_t parent_octant, mo_motion_marks any) {
  for (; parent_octant != MO_NONE;
       parent_octant = mo_scene_node_at(scene, parent_octant >> 3)->parent) {
    mo_motion_marks_add(&scene->motion_marks[parent_octant >> 3], parent_octant & 7, any);
  }
}

bool mo_item_fits_octant(const mo_scene *scene, uint32_t index, const mo_aabb *cell,
                         const mo_aabb *box) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  const mo_aabb *strict = node->parent == MO_NONE ? &scene->root_cell : cell;
  mo_aabb octant_cell = mo_octant_cell(node, mo_node_octant(node, box), *strict);
  return mo_box_fits_octant(scene, node, &octant_cell, box);
}

void mo_tree_count_levels(mo_scene *scene, uint32_t from, uint32_t to) {
  mo_scene_stats *counters = &scene->counters;
  counters->traced_reinsert_count++;
  if (from == to) {
    return; /* in the same leaf or node; so always where the root is a leaf */
  }
  uint32_t a = mo_owner_node(from), b = mo_owner_node(to);
  uint32_t a_depth = mo_child_depth(scene, mo_scene_node_at(scene, a)->parent);
  uint32_t b_depth = mo_child_depth(scene, mo_scene_node_at(scene, b)->parent);
  counters->traced_level_up_count += !(from & MO_OWNER_IS_NODE);
  counters->traced_level_down_count += !(to & MO_OWNER_IS_NODE);
  while (a != b) {
    if (a_depth >= b_depth) {
      a = mo_scene_node_at(scene, a)->parent >> 3;
      a_depth--;
      counters->traced_level_up_count++;
    } else {
      b = mo_scene_node_at(scene, b)->parent >> 3;
      b_depth--;
      counters->traced_level_down_count++;
    }
  }
}

void mo_tree_reinsert(mo_scene *scene, uint32_t slot, const mo_aabb *box) {
  mo_shape_place from = scene->places[slot];
  if (mo_blocks_reserve(scene, 1) != MO_OK) {
    /* Without memory the shape stays in its block for now. Queries stay correct, as all bounds
     * above it are enlarged, and the next update tries again. */
    mo_shape_block *block = mo_shape_block_at(scene, from >> 3);
    mo_bounds8_set(&block->bounds, (int)(from & 7), *box);
    block->has_shapes_outside_cell = 1;
    scene->has_shapes_outside_cell = true;
    uint32_t parent_octant = mo_owner_octant(scene, scene->cells[from >> 3].owner);
    grow_bounds(scene, parent_octant, box);
    mo_mark_bounds_loose(scene, parent_octant);
    mo_mark_for_examination(scene, parent_octant);
    return;
  }
  uint32_t left = scene->cells[from >> 3].owner;
  mo_tree_remove(scene, slot);
  uint32_t owner = insert_into_lowest_cell(scene, slot, box, false);
  if (scene->counters.reinsert_count++ % MO_REINSERTION_TRACE_PERIOD == 0) {
    mo_tree_count_levels(scene, left, owner);
  }
  split_if_due(scene, owner);
}

void mo_tree_move(mo_scene *scene, uint32_t slot, const mo_aabb *box) {
  mo_shape_place place = scene->places[slot];
  const mo_block_cell *at = &scene->cells[place >> 3];
  if (!mo_cell_retains(&at->cell, at->slack, box) ||
      (mo_owner_is_node(at->owner) &&
       mo_item_fits_octant(scene, mo_owner_node(at->owner), &at->cell, box))) {
    mo_tree_reinsert(scene, slot, box);
    return;
  }
  uint32_t parent_octant = mo_owner_octant(scene, at->owner);
  mo_bounds8_set(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7), *box);
  mo_mark_bounds_loose(scene, parent_octant);
  grow_bounds(scene, parent_octant, box);
  scene->counters.stayed_move_count++;
}
