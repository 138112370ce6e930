/* Eviction: takes the shapes that no longer fit their cells (misplaced shapes) out of the tree, as
 * pending insertions. Each block is read once, in descending order of address, as the last blocks
 * are still in the cache from the pass that found these shapes. */
#include "scene/bulk/bulk.h"
#include "scene/octree/octree.h"

enum { QUEUE_CAPACITY = 4 * MO_MOVED_BLOCKS_PER_GROUP }; /* in blocks */

/* Evicts the marked shapes of a block. `count`: pending insertions; returns the new number. */
static uint32_t evict_from_block(mo_scene *scene, uint32_t index, uint32_t count) {
  uint8_t *lanes = scene->moved.lanes;
  uint32_t owner = scene->cells[index].owner, head = mo_owner_list(scene, owner), gone = 0;
  while (lanes[index]) {
    /* Downward, so that the shape that moves into a freed lane is mostly not misplaced. */
    uint32_t lane = 31 - (uint32_t)__builtin_clz(lanes[index]);
    const mo_shape_block *block = mo_shape_block_at(scene, index);
    scene->bulk.insertions[count + gone++] =
        mo_pending_insertion_make(block->shape[lane], mo_bounds8_get(&block->bounds, (int)lane),
                                  mo_block_lane_motion(block, lane));
    lanes[index] &= (uint8_t) ~(1u << lane);
    uint32_t last = mo_shape_block_at(scene, head)->count - 1;
    if (lanes[head] >> last & 1) {
      lanes[head] &= (uint8_t) ~(1u << last);
      lanes[index] |= (uint8_t)(1u << lane);
    }
    head = mo_block_list_remove(scene, head, index << 3 | lane);
  }
  mo_owner_set_list(scene, owner, head);
  return count + gone;
}

static uint32_t evict_from_blocks(mo_scene *scene, const uint32_t *blocks, uint32_t some,
                                  uint32_t count) {
  for (uint32_t i = 0; i < some + MO_PREFETCH_EVICT_BLOCKS_AHEAD; i++) {
    if (i < some) {
      mo_block_prefetch_with_cell(scene, blocks[i]);
    }
    uint32_t second = i - (MO_PREFETCH_EVICT_BLOCKS_AHEAD - MO_PREFETCH_EVICT_OWNERS_AHEAD),
             third = i - MO_PREFETCH_EVICT_BLOCKS_AHEAD;
    if (second < some) {
      mo_block_prefetch_owner(scene, blocks[second]);
    }
    if (third < some && scene->moved.lanes[blocks[third]]) {
      count = evict_from_block(scene, blocks[third], count);
    }
  }
  return count;
}

void mo_bulk_evict(mo_scene *scene) {
  enum { BLOCKS_PER_WORD = 64 * MO_MOVED_BLOCKS_PER_GROUP };
  uint32_t blocks[QUEUE_CAPACITY], some = 0, count = 0;
  for (uint32_t word = (scene->moved.block_count + BLOCKS_PER_WORD - 1) / BLOCKS_PER_WORD;
       word-- > 0;) {
    for (uint64_t left = scene->moved.groups[word]; left;) {
      if (some > QUEUE_CAPACITY - MO_MOVED_BLOCKS_PER_GROUP) {
        count = evict_from_blocks(scene, blocks, some, count);
        some = 0;
      }
      uint32_t bit = 63 - (uint32_t)__builtin_clzll(left);
      left ^= 1ull << bit;
      uint32_t group = word * 64 + bit;
      some += mo_moved_marks_list_blocks(scene, group, blocks + some);
    }
    scene->moved.groups[word] = 0;
  }
  (void)evict_from_blocks(scene, blocks, some, count);
}
