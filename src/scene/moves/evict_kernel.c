/* Moves under high churn: after most shapes of a batch of moves left their cells, the same is
 * expected of the next batch. Compiled once per instruction set.
 *
 * One pass does the work of three passes (boxes_kernel.c, scene/octree/tighten_kernel.c,
 * scene/bulk/evict.c), so that the tree is read once: the boxes of a list are computed, misplaced
 * shapes become pending insertions, and the bounds of the leaf are tightened around the others. */
#include "scene/bulk/bulk.h"
#include "scene/moves/boxes.h"

/* The state of a pass. */
typedef struct leaving {
  mo_scene *scene;
  uint32_t count;                     /* pending insertions so far */
  uint32_t lists;                     /* so far */
  uint32_t pending[MO_TIGHTEN_DELAY]; /* places of leaves to tighten, or MO_NONE */
} leaving;

static void tighten_next(leaving *l, uint32_t up) {
  uint32_t *next = &l->pending[l->lists++ % MO_TIGHTEN_DELAY];
  if (*next != MO_NONE) {
    MO_ISA_FN(mo_scene_tighten_leaf)(l->scene, *next);
  }
  *next = up;
}

/* Computes new boxes of the moved shapes of a block; misplaced shapes become pending insertions.
 * Returns the first block of the list. */
static inline uint32_t evict_block(leaving *l, uint32_t index, uint32_t head) {
  mo_scene *scene = l->scene;
  uint32_t misplaced = MO_ISA_FN(mo_boxes_evaluate)(scene, index);
  /* The shape that moves into the lane of an evicted shape comes from a block that has been
   * evaluated, or from a later lane of this block: so it is one that stays. */
  while (misplaced) {
    uint32_t lane = 31 - (uint32_t)__builtin_clz(misplaced);
    misplaced ^= 1u << lane;
    const mo_shape_block *block = mo_shape_block_at(scene, index);
    scene->bulk.items[l->count++] = mo_pending_insertion_of(block, lane);
    head = mo_list_remove(scene, head, index << 3 | lane);
  }
  return head;
}

/* evict_block for all blocks of a list. */
static inline uint32_t evict_list(leaving *l, uint32_t head) {
  for (uint32_t index = head, next; index != MO_NONE; index = next) {
    next = mo_shape_block_at(l->scene, index)->next;
    head = evict_block(l, index, head);
  }
  return head;
}

static void leave(leaving *l, uint32_t owner) {
  mo_scene *scene = l->scene;
  uint32_t before = l->count, head = evict_list(l, mo_owner_list(scene, owner));
  mo_owner_set_list(scene, owner, head);
  if (owner == MO_NONE) {
    scene->root_loose = true;
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, mo_owner_node(owner));
  mo_node_maintenance *maintenance = &scene->maintenance[mo_owner_node(owner)];
  maintenance->gone += l->count - before;
  mo_mark_loose(scene, node->parent);
  if (mo_owner_is_node(owner)) {
    return;
  }
  maintenance->aged++;
  if (head != MO_NONE) {
    tighten_next(l, owner);
  } else {
    /* A node that loses a child must be examined. */
    node->changed = (uint8_t)(node->changed | 1u << (owner & 7));
  }
}

static inline bool is_noted(const mo_scene *scene, uint32_t index) {
  const mo_moved *moved = &scene->moved;
  return (moved->lanes[index] | moved->shifts[index] | moved->images[index]) != 0;
}

MO_INLINE void prefetch_owner(const mo_scene *scene, uint32_t owner) {
  if (owner != MO_NONE) {
    uint32_t index = mo_owner_node(owner);
    mo_node_prefetch(scene, index);
    mo_prefetch(&scene->sizes[index], 1);
  }
}

/* Prefetches another block of a list, if there is one; most lists have only one block. */
MO_INLINE void prefetch_list(const mo_scene *scene, uint32_t index) {
  uint32_t head = mo_owner_list(scene, scene->cells[index].owner);
  uint32_t other = head != index ? head : mo_shape_block_at(scene, index)->next;
  if (other != MO_NONE) {
    mo_block_prefetch(scene, other);
  }
}

uint32_t MO_ISA_FN(mo_moved_evict)(mo_scene *scene, const uint32_t *blocks, uint32_t some,
                                   uint32_t count) {
  leaving l = {.scene = scene, .count = count};
  for (uint32_t i = 0; i < MO_TIGHTEN_DELAY; i++) {
    l.pending[i] = MO_NONE;
  }
  for (uint32_t i = 0; i < some + MO_HIGH_CHURN_AHEAD; i++) {
    uint32_t second = i - (MO_HIGH_CHURN_AHEAD - MO_HIGH_CHURN_OWNERS_AHEAD),
             third = i - (MO_HIGH_CHURN_AHEAD - MO_HIGH_CHURN_LISTS_AHEAD);
    uint32_t last = i - MO_HIGH_CHURN_AHEAD;
    if (i < some) {
      boxes_prefetch(scene, blocks[i]);
    }
    if (second < some) {
      boxes_prefetch_records(scene, blocks[second]);
      prefetch_owner(scene, scene->cells[blocks[second]].owner);
    }
    if (third < some && is_noted(scene, blocks[third])) {
      prefetch_list(scene, blocks[third]);
    }
    /* Lists are processed as a whole, at their first block. */
    if (last < some && is_noted(scene, blocks[last])) {
      leave(&l, scene->cells[blocks[last]].owner);
    }
  }
  for (uint32_t i = 0; i < MO_TIGHTEN_DELAY; i++) {
    tighten_next(&l, MO_NONE);
  }
  return l.count;
}
