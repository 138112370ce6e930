/* Regions in the shape octree; compiled once per instruction set. */
#include "octree/cull.h"
#include "query/scene_overlap.h"
#include "query/scene_ray.h"

/* A child on the stack; `inside`: all of it is inside the planes. */
typedef struct entry {
  uint32_t child;
  bool inside;
} entry;

static inline uint32_t passing(const mo_scene_overlap *q, const mo_bounds8 *bounds,
                               uint32_t *inside) {
  if (q->plane_count > 0) {
    return mo_cull_planes(bounds, q->planes, q->slack, q->plane_count, inside);
  }
  *inside = 0;
  return mo_cull_box(bounds, &q->box);
}

/* The lanes or slots in use are those with a box. */
static inline uint32_t not_empty(const mo_bounds8 *bounds) {
  return mo_m8_bits(mo_f8_le(mo_f8_load(bounds->lower[0]), mo_f8_load(bounds->upper[0])));
}

static bool overlap_blocks(mo_scene_overlap *q, uint32_t first, bool inside, bool plain) {
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(q->scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(q->scene, b);
    q->stats->scene_blocks++;
    uint32_t mask = not_empty(&block->bounds), contained = mask;
    if (!inside) {
      mask &= passing(q, &block->bounds, &contained);
    }
    for (; mask != 0; mask &= mask - 1) {
      int lane = __builtin_ctz(mask);
      uint32_t slot = block->shape[lane];
      if (!mo_filter_passes_lightly(q->scene, q->filter, plain, slot)) {
        continue;
      }
      q->stats->shapes++;
      if (!q->visit(slot, mo_bounds8_get(&block->bounds, lane), contained >> lane & 1,
                    q->context)) {
        return false;
      }
    }
  }
  return true;
}

bool MO_ISA_FN(mo_scene_overlap)(mo_scene_overlap *q) {
  entry stack[MO_SCENE_STACK];
  uint32_t depth = 0;
  bool plain = mo_filter_is_plain(q->filter);
  if (q->scene->root == MO_CHILD_EMPTY) {
    return true;
  }
  stack[depth++] = (entry){q->scene->root, false};
  while (depth > 0) {
    entry next = stack[--depth];
    if (mo_child_is_leaf(next.child)) {
      if (!overlap_blocks(q, mo_child_index(next.child), next.inside, plain)) {
        return false;
      }
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(q->scene, next.child);
    mo_count_scene_node(q->stats, next.child);
    if (node->items != MO_NONE && !overlap_blocks(q, node->items, next.inside, plain)) {
      return false;
    }
    uint32_t mask = not_empty(&node->bounds), contained = mask;
    if (!next.inside) {
      mask &= passing(q, &node->bounds, &contained);
    }
    for (; mask != 0; mask &= mask - 1) {
      int slot = __builtin_ctz(mask);
      stack[depth++] = (entry){node->child[slot], contained >> slot & 1};
    }
  }
  return true;
}
