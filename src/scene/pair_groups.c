/* The search for pairs of some shapes: groups of them, those in one block together, go down the
 * tree from the root. */
#include "scene/pair_rows.h"

/* Pairs of one shape with those in some lanes. */
MO_INLINE void emit(mo_pair_search *q, uint32_t slot, const mo_shape_block *block, uint32_t mask) {
  if (q->count > MO_PAIR_KEYS - MO_WIDTH) {
    mo_pair_make_room(q);
  }
  for (; mask != 0; mask &= mask - 1) {
    uint32_t other = block->shape[__builtin_ctz(mask)];
    q->keys[q->count++] = other < slot ? mo_pair_key(other, slot) : mo_pair_key(slot, other);
  }
}

/* Which of the shapes in `mask` a shape of a group is to be paired with from its side. */
MO_INLINE uint32_t not_grouped(const mo_pair_search *q, uint32_t slot, const mo_shape_block *block,
                               uint32_t mask) {
  uint32_t kept = 0;
  for (; mask != 0; mask &= mask - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t other = block->shape[lane];
    kept |= (uint32_t)(other > slot || !q->grouped[other]) << lane;
  }
  return kept;
}

/* A shape block's lanes that ask, and the box around them. */
typedef struct group {
  const mo_shape_block *block;
  uint32_t lanes;
  bool moving; /* not all of them are static */
  mo_aabb box;
} group;

MO_INLINE void group_list(mo_pair_search *q, const group *asking, uint32_t head) {
  const mo_scene *scene = q->scene[0];
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    uint32_t near = mo_cull_box(&block->bounds, &asking->box);
    near &= block == asking->block && !(near & (near - 1)) ? 0 : MO_ALL_LANES;
    if (near == 0) {
      continue;
    }
    for (uint32_t left = asking->lanes; left != 0; left &= left - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(left), slot = asking->block->shape[lane];
      uint32_t mask = mo_touching(&block->bounds, &asking->block->bounds, lane);
      mask &= block == asking->block ? ~(1u << lane) : MO_ALL_LANES;
      mask &= asking->block->dynamic >> lane & 1 ? MO_ALL_LANES : block->dynamic;
      if (mask != 0 && (mask = not_grouped(q, slot, block, mask)) != 0) {
        emit(q, slot, block, mask);
      }
    }
  }
}

enum {
  QUEUE = 1024, /* a power of two */
  /* From so many entries on, the last come goes first, so that no more than the children of one
   * path are added to them. */
  QUEUE_FULL = QUEUE - 8 * MO_SCENE_MAX_DEPTH - 8,
};

/* What a group is still to visit. */
typedef struct visit {
  uint32_t group, child;
} visit;

/* Groups go down together, so that while one's nodes come from memory, others are looked at. */
void MO_ISA_FN(mo_pair_search_groups)(mo_pair_search *q, const mo_pair_group *given,
                                      uint32_t count) {
  const mo_scene *scene = q->scene[0];
  group groups[MO_PAIR_GROUPS];
  visit queue[QUEUE];
  uint32_t begin = 0, end = 0; /* modulo 2^32 */
  for (uint32_t i = 0; i < count; i++) {
    group *g = &groups[i];
    *g = (group){.block = mo_shape_block_at(scene, given[i].block), .lanes = given[i].lanes};
    g->moving = (g->block->dynamic & g->lanes) != 0;
    g->box = mo_aabb_empty();
    for (uint32_t left = g->lanes; left != 0; left &= left - 1) {
      g->box = mo_aabb_union(g->box, mo_bounds8_get(&g->block->bounds, __builtin_ctz(left)));
    }
    queue[end++] = (visit){i, scene->root};
  }
  while (begin != end && !q->stopped) {
    visit next = queue[(end - begin < QUEUE_FULL ? begin++ : --end) & (QUEUE - 1)];
    const group *g = &groups[next.group];
    if (mo_child_is_leaf(next.child)) {
      group_list(q, g, mo_child_index(next.child));
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(scene, next.child);
    if (node->items != MO_NONE) {
      group_list(q, g, node->items);
    }
    uint32_t mask = mo_cull_box(&node->bounds, &g->box);
    mask &= g->moving ? MO_ALL_LANES : scene->marks[next.child].dynamic;
    for (; mask != 0; mask &= mask - 1) {
      uint32_t child = node->child[__builtin_ctz(mask)];
      if (mo_child_is_leaf(child)) {
        mo_prefetch_block(scene, mo_child_index(child));
      } else {
        mo_prefetch_node(scene, child);
      }
      queue[end++ & (QUEUE - 1)] = (visit){next.group, child};
    }
  }
}
