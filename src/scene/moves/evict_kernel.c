/* Completes a batch of moves if most of its shapes are expected to leave their cells, as in the
 * batch before (high churn). Compiled once per instruction set.
 *
 * One pass does the work of three passes (boxes_kernel.c, scene/octree/tighten_kernel.c,
 * scene/bulk/evict.c), so that the tree is read once: the boxes of a list are computed, misplaced
 * shapes become pending insertions, and the bounds of the leaf are tightened around the others. */
#include "scene/bulk/bulk.h"
#include "scene/moves/boxes.h"

/* The state of a pass over the blocks with moved shapes. */
typedef struct eviction {
  mo_scene *scene;
  uint32_t insertion_count; /* pending insertions so far */
  uint32_t list_count;      /* lists processed so far */
  /* Leaves whose bounds must still be tightened (node << 3 | octant), or MO_NONE. */
  uint32_t delayed_leaves[MO_MAX_DELAYED_LEAVES];
} eviction;

/* Tightens the bounds of the leaf that was passed MO_MAX_DELAYED_LEAVES calls ago, and queues
 * the leaf at `up` (node << 3 | octant). */
static void tighten_delayed_leaf(eviction *l, uint32_t up) {
  uint32_t *next = &l->delayed_leaves[l->list_count++ % MO_MAX_DELAYED_LEAVES];
  if (*next != MO_NONE) {
    MO_ISA_FN(mo_scene_tighten_leaf)(l->scene, *next);
  }
  *next = up;
}

/* Computes new boxes of the moved shapes of a block; misplaced shapes become pending insertions.
 * Returns the first block of the list. */
static inline uint32_t evict_from_block(eviction *l, uint32_t index, uint32_t head) {
  mo_scene *scene = l->scene;
  uint32_t misplaced = MO_ISA_FN(mo_block_compute_boxes)(scene, index);
  /* The shape that moves into the lane of an evicted shape is not misplaced: it comes from a block
   * that was processed before, or from a later lane of this block. */
  while (misplaced) {
    uint32_t lane = 31 - (uint32_t)__builtin_clz(misplaced);
    misplaced ^= 1u << lane;
    const mo_shape_block *block = mo_shape_block_at(scene, index);
    scene->bulk.insertions[l->insertion_count++] = mo_pending_insertion_of(block, lane);
    head = mo_block_list_remove(scene, head, index << 3 | lane);
  }
  return head;
}

/* Evicts the misplaced shapes of all blocks of a list; returns the new first block. */
static inline uint32_t evict_list(eviction *l, uint32_t head) {
  for (uint32_t index = head, next; index != MO_NONE; index = next) {
    next = mo_shape_block_at(l->scene, index)->next;
    head = evict_from_block(l, index, head);
  }
  return head;
}

/* Evicts the misplaced shapes of the list of an owner (mo_block_cell.owner), and updates its
 * node. */
static void evict_from_owner(eviction *l, uint32_t owner) {
  mo_scene *scene = l->scene;
  uint32_t before = l->insertion_count, head = evict_list(l, mo_owner_list(scene, owner));
  mo_owner_set_list(scene, owner, head);
  if (owner == MO_NONE) {
    scene->root_loose = true;
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, mo_owner_node(owner));
  mo_node_maintenance *maintenance = &scene->maintenance[mo_owner_node(owner)];
  maintenance->evicted_count += l->insertion_count - before;
  mo_mark_loose(scene, node->parent);
  if (mo_owner_is_node(owner)) {
    return;
  }
  maintenance->changed_octant_count++;
  if (head != MO_NONE) {
    tighten_delayed_leaf(l, owner);
  } else {
    /* A node that loses a child must be examined. */
    node->changed = (uint8_t)(node->changed | 1u << (owner & 7));
  }
}

static inline bool has_moved_lanes(const mo_scene *scene, uint32_t index) {
  const mo_moved_marks *moved = &scene->moved;
  return (moved->lanes[index] | moved->shifted_lanes[index] | moved->general_lanes[index]) != 0;
}

MO_INLINE void prefetch_owner(const mo_scene *scene, uint32_t owner) {
  if (owner != MO_NONE) {
    uint32_t index = mo_owner_node(owner);
    mo_node_prefetch(scene, index);
    mo_prefetch(&scene->sizes[index], 1);
  }
}

/* Prefetches another block of a list, if there is one; most lists have only one block. */
MO_INLINE void prefetch_other_block(const mo_scene *scene, uint32_t index) {
  uint32_t head = mo_owner_list(scene, scene->cells[index].owner);
  uint32_t other = head != index ? head : mo_shape_block_at(scene, index)->next;
  if (other != MO_NONE) {
    mo_block_prefetch(scene, other);
  }
}

uint32_t MO_ISA_FN(mo_evict_misplaced_of_blocks)(mo_scene *scene, const uint32_t *blocks,
                                                 uint32_t some, uint32_t count) {
  eviction l = {.scene = scene, .insertion_count = count};
  for (uint32_t i = 0; i < MO_MAX_DELAYED_LEAVES; i++) {
    l.delayed_leaves[i] = MO_NONE;
  }
  for (uint32_t i = 0; i < some + MO_PREFETCH_CHURN_BOXES_AHEAD; i++) {
    uint32_t second = i - (MO_PREFETCH_CHURN_BOXES_AHEAD - MO_PREFETCH_CHURN_OWNERS_AHEAD),
             third = i - (MO_PREFETCH_CHURN_BOXES_AHEAD - MO_PREFETCH_CHURN_LISTS_AHEAD);
    uint32_t last = i - MO_PREFETCH_CHURN_BOXES_AHEAD;
    if (i < some) {
      prefetch_block_and_cell(scene, blocks[i]);
    }
    if (second < some) {
      prefetch_moved_records(scene, blocks[second]);
      prefetch_owner(scene, scene->cells[blocks[second]].owner);
    }
    if (third < some && has_moved_lanes(scene, blocks[third])) {
      prefetch_other_block(scene, blocks[third]);
    }
    /* A list is processed as a whole when the first of its blocks is reached. */
    if (last < some && has_moved_lanes(scene, blocks[last])) {
      evict_from_owner(&l, scene->cells[blocks[last]].owner);
    }
  }
  for (uint32_t i = 0; i < MO_MAX_DELAYED_LEAVES; i++) {
    tighten_delayed_leaf(&l, MO_NONE);
  }
  return l.insertion_count;
}
