/* Removal of many shapes together: the memory of each removal is prefetched some removals earlier.
 * If few shapes are removed, they rarely belong to the same leaf. So the leaf's bounds are
 * tightened at once, while it is in the cache; the bounds above it mostly do not change. */
#include "scene/bulk/bulk.h"

/* Prefetches the shape count of the parent of the node that owns a list. */
MO_INLINE void prefetch_parent(const mo_scene *scene, uint32_t owner) {
  if (owner != MO_NONE) {
    uint32_t parent = mo_scene_node_at(scene, mo_owner_node(owner))->parent;
    if (parent != MO_NONE) {
      mo_prefetch(mo_scene_node_at(scene, parent >> 3)->child, 1);
    }
  }
}

/* Whether the bounds of a parent may be too large after a child has shrunk: whether the child
 * touched a side of the parent that it no longer touches. */
static bool may_loosen_parent(const mo_aabb *whole, const mo_aabb *before, const mo_aabb *after) {
  bool touched = false;
  for (int axis = 0; axis < 3; axis++) {
    float lower = mo_get(before->lower, axis), upper = mo_get(before->upper, axis);
    bool bounds_below = lower == mo_get(whole->lower, axis);
    bool bounds_above = upper == mo_get(whole->upper, axis);
    bool rose = lower != mo_get(after->lower, axis), fell = upper != mo_get(after->upper, axis);
    touched |= (bounds_below & rose) | (bounds_above & fell);
  }
  return touched;
}

/* Tightens the bounds of a leaf from which a shape was removed, if they were tight before, and
 * marks the bounds above it that may have become loose. */
static void tighten_leaf(mo_scene *scene, uint32_t parent_octant) {
  uint32_t index = parent_octant >> 3, octant = parent_octant & 7;
  mo_scene_node *node = mo_scene_node_at(scene, index);
  if (node->loose_bounds >> octant & 1) {
    if (node->child[octant] == MO_CHILD_EMPTY) {
      mo_child_set_empty(scene, parent_octant);
    }
    return;
  }
  mo_node_add_age(scene, node, 1);
  if (node->age >= MO_MATURE_AGE) {
    mo_mark_for_examination(scene, node->parent);
  }
  uint32_t head = mo_leaf_list(node->child[octant]);
  mo_aabb before = mo_bounds8_get(&node->bounds, (int)octant);
  mo_aabb after = mo_block_list_bounds(scene, head);
  mo_box_size *known = &scene->sizes[index].octant[octant], was = *known;
  mo_box_size size = mo_block_list_max_size(scene, head, was);
  if (size == was && mo_aabb_is_same(&before, &after)) {
    return;
  }
  if (head == MO_NONE) {
    mo_child_set_empty(scene, parent_octant);
  } else {
    mo_bounds8_set(&node->bounds, (int)octant, after);
    *known = size;
  }
  if (node->parent == MO_NONE) {
    scene->root_has_loose_bounds = true;
    return;
  }
  mo_aabb whole =
      mo_bounds8_get(&mo_scene_node_at(scene, node->parent >> 3)->bounds, (int)(node->parent & 7));
  if (size != was || may_loosen_parent(&whole, &before, &after)) {
    mo_mark_bounds_loose(scene, node->parent);
  }
}

/* Removes a shape; afterwards the bounds above it are tight, or marked loose. */
static void remove_and_tighten_leaf(mo_scene *scene, uint32_t slot) {
  uint32_t owner = scene->cells[scene->places[slot] >> 3].owner;
  if (owner == MO_NONE || (owner & MO_OWNER_IS_NODE) || scene->still_count > 0) {
    mo_tree_remove(scene, slot);
  } else {
    tighten_leaf(scene, mo_tree_remove_deferred(scene, slot));
  }
}

static inline uint32_t block_of(const mo_scene *scene, uint32_t slot) {
  return scene->places[slot] >> 3;
}

/* Prefetches the memory of later removals in stages: places; blocks and their cells; their owners'
 * nodes; and the first blocks of lists, if these are other blocks. */
MO_INLINE void prefetch_removals(const mo_scene *scene, const uint32_t *slots, uint32_t count,
                                 uint32_t i, bool bounds) {
  uint32_t second = i - (MO_PREFETCH_REMOVE_PLACES_AHEAD - MO_PREFETCH_REMOVE_BLOCKS_AHEAD),
           third = i - (MO_PREFETCH_REMOVE_PLACES_AHEAD - MO_PREFETCH_REMOVE_OWNERS_AHEAD);
  uint32_t fourth = i - (MO_PREFETCH_REMOVE_PLACES_AHEAD - MO_PREFETCH_REMOVE_LISTS_AHEAD);
  if (i < count) {
    mo_prefetch(&scene->places[slots[i]], 1);
  }
  if (second < count) {
    uint32_t block = block_of(scene, slots[second]);
    mo_block_prefetch_with_cell(scene, block);
  }
  if (third < count) {
    uint32_t block = block_of(scene, slots[third]), owner = scene->cells[block].owner;
    if (bounds && owner != MO_NONE) {
      mo_node_prefetch(scene, mo_owner_node(owner));
      mo_prefetch(&scene->sizes[mo_owner_node(owner)], 1);
    } else {
      mo_block_prefetch_owner(scene, block);
    }
  }
  if (fourth < count) {
    uint32_t block = block_of(scene, slots[fourth]), owner = scene->cells[block].owner;
    uint32_t head = mo_owner_list(scene, owner);
    prefetch_parent(scene, owner);
    if (head != block) {
      mo_block_prefetch(scene, head);
    }
  }
}

void mo_bulk_remove(mo_scene *scene, const uint32_t *slots, uint32_t count, bool tightens_leaves) {
  for (uint32_t i = 0; i < count + MO_PREFETCH_REMOVE_PLACES_AHEAD; i++) {
    uint32_t last = i - MO_PREFETCH_REMOVE_PLACES_AHEAD;
    prefetch_removals(scene, slots, count, i, tightens_leaves);
    if (last >= count) {
      continue;
    }
    if (tightens_leaves) {
      remove_and_tighten_leaf(scene, slots[last]);
    } else {
      mo_tree_remove(scene, slots[last]);
    }
  }
}
