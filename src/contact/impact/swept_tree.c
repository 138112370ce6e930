/* A bounding volume hierarchy with eight children per node over the swept boxes of all movers, in
 * the order of a Morton curve (Morton 1966). */
#include "base/assert.h"
#include "contact/impact/impact.h"

#include "base/key_sort.h"

_Static_assert(sizeof(mo_mover_memory) >= 2 * sizeof(mo_aabb) + sizeof(uint64_t) + sizeof(uint32_t),
               "mo_mover_memory is too small for the tree");

mo_swept_tree mo_swept_tree_layout(mo_mover_memory *memory, uint32_t count) {
  mo_swept_tree tree = {.sorted_mover_keys = (uint64_t *)(void *)memory, .count = count};
  tree.boxes_in_morton_order = (mo_aabb *)(void *)(tree.sorted_mover_keys + count);
  tree.boxes = tree.boxes_in_morton_order + count;
  tree.mover_of_box = (uint32_t *)(void *)(tree.boxes + count);
  return tree;
}

/* The number of boxes in the level above a level of `count` boxes. */
static uint32_t parent_count(uint32_t count) {
  return (count + 7) / 8;
}

/* Moves bit i of a ten-bit number to bit 3 i, so that three such numbers can be interleaved. */
static uint32_t spread_bits(uint32_t x) {
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

static uint32_t morton_cell(float lower, float upper, float from, float to) {
  double at = 0.5 * ((double)lower + (double)upper) - (double)from;
  double cell = 1023.0 * (at / ((double)to - (double)from));
  return cell > 0.0 ? cell < 1023.0 ? (uint32_t)cell : 1023u : 0u;
}

static uint32_t morton_code(const mo_aabb *box, const mo_aabb *all) {
  if (mo_aabb_is_empty(*box)) {
    return 0;
  }
  uint32_t code = 0;
  for (int axis = 0; axis < 3; axis++) {
    code = code << 1 | spread_bits(morton_cell(mo_get(box->lower, axis), mo_get(box->upper, axis),
                                               mo_get(all->lower, axis), mo_get(all->upper, axis)));
  }
  return code;
}

void mo_swept_tree_build(mo_swept_tree *tree) {
  const uint32_t count = tree->count;
  mo_aabb all = mo_aabb_empty();
  for (uint32_t i = 0; i < count; i++) {
    if (tree->boxes[i].upper.x < INFINITY) { /* skips half-spaces, which are unbounded */
      all = mo_aabb_union(all, tree->boxes[i]);
    }
  }
  uint64_t *keys = (uint64_t *)(void *)tree->boxes_in_morton_order, *scratch = keys + count;
  mo_keys_sort(tree->sorted_mover_keys, scratch, count);
  for (uint32_t i = 0; i < count; i++) {
    keys[i] = (uint64_t)morton_code(&tree->boxes[i], &all) << 32 | i;
  }
  mo_keys_sort(keys, scratch, count);
  for (uint32_t i = 0; i < count; i++) {
    tree->mover_of_box[i] = (uint32_t)keys[i];
  }
  for (uint32_t i = 0; i < count; i++) {
    tree->boxes_in_morton_order[i] = tree->boxes[tree->mover_of_box[i]];
  }
  const mo_aabb *below = tree->boxes_in_morton_order;
  mo_aabb *above = tree->boxes;
  for (uint32_t length = count; length > 1;) {
    uint32_t next = parent_count(length);
    for (uint32_t i = 0; i < next; i++) {
      above[i] = mo_aabb_empty();
      for (uint32_t k = 8 * i; k < 8 * i + 8 && k < length; k++) {
        above[i] = mo_aabb_union(above[i], below[k]);
      }
    }
    below = above;
    above += next;
    length = next;
  }
}

enum { MAX_LEVELS = 12 }; /* of the hierarchy: enough for 2^32 boxes */

void mo_swept_tree_visit(const mo_swept_tree *tree, const mo_aabb *box,
                         void (*report)(uint32_t mover, void *context), void *context) {
  const mo_aabb *level[MAX_LEVELS] = {tree->boxes_in_morton_order};
  uint32_t length[MAX_LEVELS] = {tree->count}, at[MAX_LEVELS], end[MAX_LEVELS];
  int top = 0;
  for (const mo_aabb *next = tree->boxes; length[top] > 1; next += length[top]) {
    MO_ASSERT(top + 1 < MAX_LEVELS);
    level[top + 1] = next;
    length[top + 1] = parent_count(length[top]);
    top++;
  }
  int depth = top;
  at[top] = 0;
  end[top] = length[top];
  while (depth <= top) {
    if (at[depth] == end[depth]) {
      depth++;
      continue;
    }
    uint32_t i = at[depth]++;
    if (!mo_aabb_overlap(level[depth][i], *box)) {
      continue;
    }
    MO_ASSERT(i < length[depth]);
    if (depth == 0) {
      report(tree->mover_of_box[i], context);
      continue;
    }
    depth--;
    at[depth] = 8 * i;
    end[depth] = 8 * i + 8 < length[depth] ? 8 * i + 8 : length[depth];
  }
}

bool mo_impact_is_mover(const uint64_t *slots, uint32_t count, uint32_t slot) {
  const uint32_t at = mo_keys_lower_bound(slots, count, (uint64_t)slot << 32);
  return at < count && slots[at] >> 32 == slot;
}
