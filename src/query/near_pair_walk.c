/* Pairs of shapes at most a distance apart; compiled once per instruction set.
 *
 * Each block of shapes looks for others with the box around it, grown by the distance, in one
 * descent; of two blocks that both have active shapes, the one with the lower index does, so that
 * each pair is met once. Blocks of which nothing is active ask nothing. */
#include "octree/cull.h"
#include "query/near.h"
#include "query/scene_ray.h"
#include "scene/tree.h"

/* With room for the rounding of the distances that decide; finite, as empty boxes touch infinity.
 */
static mo_aabb grow(mo_aabb box, double distance) {
  double by = fmin(distance, 4.0 * (double)MO_MAX_COORDINATE) * (1.0 + 0x1p-50);
  return (mo_aabb){
      {mo_round_down(box.lower.x - by), mo_round_down(box.lower.y - by),
       mo_round_down(box.lower.z - by)},
      {mo_round_up(box.upper.x + by), mo_round_up(box.upper.y + by), mo_round_up(box.upper.z + by)},
  };
}

/* The block that asks. */
typedef struct asking {
  uint32_t block, active;
  mo_aabb grown; /* around all its shapes */
} asking;

static uint32_t active_lanes(const mo_near_pair_query *q, const mo_shape_block *block) {
  return q->awake_only ? block->awake : block->dynamic;
}

/* The pairs of one shape of another block with the asking block's. */
static bool take_lane(const mo_near_pair_query *q, const asking *a, const mo_shape_block *other,
                      uint32_t lane, uint32_t candidates) {
  const mo_shape_block *block = mo_shape_block_at(q->scene, a->block);
  mo_aabb box = mo_bounds8_get(&other->bounds, (int)lane);
  mo_near_box from = mo_near_box_of(&box);
  double distance2[MO_WIDTH];
  mo_near_distances(&from, &block->bounds, distance2);
  for (; candidates != 0; candidates &= candidates - 1) {
    int i = __builtin_ctz(candidates);
    if (distance2[i] <= q->distance2 && !q->take(block->shape[i], other->shape[lane], q->context)) {
      return false;
    }
  }
  return true;
}

static bool meet_blocks(const mo_near_pair_query *q, const asking *a, uint32_t first) {
  uint32_t all = (1u << mo_shape_block_at(q->scene, a->block)->count) - 1;
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(q->scene, b)->next) {
    const mo_shape_block *other = mo_shape_block_at(q->scene, b);
    q->stats->scene_blocks++;
    uint32_t other_active = active_lanes(q, other);
    if (b < a->block && other_active != 0) {
      continue;
    }
    for (uint32_t mask = mo_cull_box(&other->bounds, &a->grown); mask != 0; mask &= mask - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(mask);
      uint32_t candidates = other_active >> lane & 1 ? all : a->active;
      if (b == a->block) {
        candidates &= (1u << lane) - 1; /* each two of a block once */
      }
      if (!take_lane(q, a, other, lane, candidates)) {
        return false;
      }
    }
  }
  return true;
}

static bool ask(const mo_near_pair_query *q, const asking *a) {
  uint32_t stack[MO_SCENE_STACK];
  uint32_t depth = 0;
  stack[depth++] = q->scene->root;
  while (depth > 0) {
    uint32_t child = stack[--depth];
    if (mo_child_is_leaf(child)) {
      if (!meet_blocks(q, a, mo_child_index(child))) {
        return false;
      }
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(q->scene, child);
    mo_count_scene_node(q->stats, child);
    if (node->items != MO_NONE && !meet_blocks(q, a, node->items)) {
      return false;
    }
    for (uint32_t mask = mo_cull_box(&node->bounds, &a->grown); mask != 0; mask &= mask - 1) {
      stack[depth++] = node->child[__builtin_ctz(mask)];
    }
  }
  return true;
}

static bool ask_blocks(const mo_near_pair_query *q, uint32_t first) {
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(q->scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(q->scene, b);
    asking a = {b, active_lanes(q, block), grow(mo_block_bounds(block), q->distance)};
    if (a.active != 0) {
      q->stats->shapes += block->count;
      if (!ask(q, &a)) {
        return false;
      }
    }
  }
  return true;
}

void MO_ISA_FN(mo_near_pairs)(mo_near_pair_query *q) {
  uint32_t stack[MO_SCENE_STACK];
  uint32_t depth = 0;
  if (q->scene->root == MO_CHILD_EMPTY) {
    return;
  }
  bool masked = (q->awake_only ? q->scene->still_count : q->scene->static_count) > 0;
  stack[depth++] = q->scene->root;
  while (depth > 0) {
    uint32_t child = stack[--depth];
    if (mo_child_is_leaf(child)) {
      if (!ask_blocks(q, mo_child_index(child))) {
        return;
      }
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(q->scene, child);
    if (node->items != MO_NONE && !ask_blocks(q, node->items)) {
      return;
    }
    mo_node_marks marks = q->scene->marks[child];
    uint32_t active = !masked ? 0xff : q->awake_only ? marks.awake : marks.dynamic;
    for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
      if (node->child[octant] != MO_CHILD_EMPTY && (active >> octant & 1)) {
        stack[depth++] = node->child[octant];
      }
    }
  }
}
