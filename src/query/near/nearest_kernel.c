/* Shapes by distance in the shape octree; compiled once per instruction set. */
#include "query/filter.h"
#include "query/near/near.h"

static inline bool shape_before(const void *a, const void *b) {
  const mo_near_shape *x = a, *y = b;
  return x->distance2 != y->distance2 ? x->distance2 < y->distance2
                                      : x->shape.index < y->shape.index;
}

static inline bool passes(const mo_near_query *q, uint32_t slot) {
  return mo_filter_passes_lightly(q->scene, q->filter, q->plain, slot);
}

/* Bits of what lies within the limit, and is not behind the begin of the enumeration. */
MO_INLINE uint32_t within(const double distance2[MO_WIDTH], double limit) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    mask |= (uint32_t)(distance2[i] <= limit) << i;
  }
  return mask;
}

MO_INLINE uint32_t not_done(const mo_near_query *q, const mo_bounds8 *bounds) {
  if (q->begin.distance2 == 0.0) {
    return 0xff;
  }
  double farthest[MO_WIDTH];
  mo_near_farthest(&q->from, bounds, farthest);
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    mask |= (uint32_t)(farthest[i] >= q->begin.distance2) << i;
  }
  return mask;
}

/* --- into a list, depth first --- */

typedef struct waiting {
  double distance2;
  uint32_t child;
} waiting;

/* Looks at a list of blocks. The limit falls to the worst of a full list. */
static void list_blocks(mo_near_query *q, uint32_t first) {
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(q->scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(q->scene, b);
    q->stats->scene_blocks++;
    double distance2[MO_WIDTH];
    mo_near_distances(&q->from, &block->bounds, distance2);
    for (uint32_t mask = within(distance2, q->limit); mask != 0; mask &= mask - 1) {
      int lane = __builtin_ctz(mask);
      uint32_t slot = block->shape[lane];
      mo_near_key key = {distance2[lane], MO_NEAR_SHAPE | slot};
      if (key.distance2 > q->limit || mo_near_before(&key, &q->begin) || !passes(q, slot)) {
        continue;
      }
      q->stats->shapes++;
      mo_near_shape shape = {.shape = mo_shape_id_of(q->scene, slot), .distance2 = key.distance2};
      mo_bounded_offer(&q->list, &shape, sizeof shape, shape_before);
      if (!q->count_all && q->list.count == q->list.capacity) {
        q->limit = ((const mo_near_shape *)q->list.items)->distance2;
      }
    }
  }
}

void MO_ISA_FN(mo_near_list)(mo_near_query *q) {
  waiting stack[MO_SCENE_STACK];
  uint32_t depth = 0;
  if (q->scene->root == MO_CHILD_EMPTY) {
    return;
  }
  stack[depth++] = (waiting){0.0, q->scene->root};
  while (depth > 0) {
    waiting next = stack[--depth];
    if (next.distance2 > q->limit) {
      continue;
    }
    if (mo_child_is_leaf(next.child)) {
      list_blocks(q, mo_child_index(next.child));
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(q->scene, next.child);
    mo_count_scene_node(q->stats, next.child);
    if (node->items != MO_NONE) {
      list_blocks(q, node->items);
    }
    double distance2[MO_WIDTH];
    mo_near_distances(&q->from, &node->bounds, distance2);
    uint32_t mask = within(distance2, q->limit) & not_done(q, &node->bounds), begin = depth;
    for (; mask != 0; mask &= mask - 1) {
      int slot = __builtin_ctz(mask);
      uint32_t at = depth++;
      for (; at > begin && stack[at - 1].distance2 < distance2[slot]; at--) {
        stack[at] = stack[at - 1];
      }
      stack[at] = (waiting){distance2[slot], node->child[slot]};
    }
  }
}

/* --- one by one --- */

/* The nearest half of a full queue is kept: more than the nodes that can wait at one distance. */
enum { QUEUE = 1024, KEPT = QUEUE / 2 };
_Static_assert((int)KEPT > (int)MO_SCENE_STACK, "an enumeration could stand still");

typedef struct near_queue {
  mo_near_key keys[QUEUE]; /* a heap, the first on top */
  uint32_t count;
  mo_near_key horizon; /* the first of what was given up */
} near_queue;

static inline bool key_before(const void *a, const void *b) {
  return mo_near_before(a, b);
}

/* For heaps with the first on top. */
static inline bool key_after(const void *a, const void *b) {
  return mo_near_before(b, a);
}

static void give_up_half(near_queue *queue) {
  mo_bounded all = {queue->keys, QUEUE, queue->count, 0};
  mo_bounded_sort(&all, sizeof *queue->keys, key_before); /* which is such a heap too */
  queue->horizon = queue->keys[KEPT];
  queue->count = KEPT;
}

static inline void push(near_queue *queue, mo_near_key key) {
  if (queue->count == QUEUE) {
    give_up_half(queue);
  }
  if (!mo_near_before(&key, &queue->horizon)) {
    return;
  }
  uint32_t at = queue->count++;
  while (at > 0 && mo_near_before(&key, &queue->keys[(at - 1) / 2])) {
    queue->keys[at] = queue->keys[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  queue->keys[at] = key;
}

static inline mo_near_key pop(near_queue *queue) {
  mo_near_key top = queue->keys[0];
  queue->keys[0] = queue->keys[--queue->count];
  if (queue->count > 1) {
    mo_sift_down((char *)queue->keys, sizeof top, 0, queue->count, key_after);
  }
  return top;
}

/* The key of a node at a depth. Of nodes that reach behind the begin, only what comes after it
 * counts. */
static inline mo_near_key node_key(const mo_near_query *q, uint32_t child, uint64_t depth,
                                   double distance2) {
  double least = q->begin.distance2;
  return (mo_near_key){distance2 < least ? least : distance2,
                       (uint64_t)(MO_SCENE_MAX_DEPTH + 1 - depth) << 32 | child};
}

static void push_blocks(mo_near_query *q, near_queue *queue, uint32_t first) {
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(q->scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(q->scene, b);
    q->stats->scene_blocks++;
    double distance2[MO_WIDTH];
    mo_near_distances(&q->from, &block->bounds, distance2);
    for (uint32_t mask = within(distance2, q->limit); mask != 0; mask &= mask - 1) {
      int lane = __builtin_ctz(mask);
      mo_near_key key = {distance2[lane], MO_NEAR_SHAPE | block->shape[lane]};
      if (!mo_near_before(&key, &q->begin)) {
        push(queue, key);
      }
    }
  }
}

static void open_node(mo_near_query *q, near_queue *queue, const mo_near_key *key) {
  uint32_t child = (uint32_t)key->rank;
  uint64_t depth = MO_SCENE_MAX_DEPTH + 1 - (key->rank >> 32);
  if (mo_child_is_leaf(child)) {
    push_blocks(q, queue, mo_child_index(child));
    return;
  }
  const mo_scene_node *node = mo_scene_node_at(q->scene, child);
  mo_count_scene_node(q->stats, child);
  if (node->items != MO_NONE) {
    push_blocks(q, queue, node->items);
  }
  double distance2[MO_WIDTH];
  mo_near_distances(&q->from, &node->bounds, distance2);
  uint32_t mask = within(distance2, q->limit) & not_done(q, &node->bounds);
  for (; mask != 0; mask &= mask - 1) {
    int slot = __builtin_ctz(mask);
    push(queue, node_key(q, node->child[slot], depth + 1, distance2[slot]));
  }
}

/* From `begin` to the horizon. Returns whether there is more beyond it. */
static bool visit_part(mo_near_query *q, near_queue *queue) {
  queue->count = 0;
  queue->horizon = (mo_near_key){INFINITY, UINT64_MAX};
  push(queue, node_key(q, q->scene->root, 0, 0.0));
  while (queue->count > 0 && mo_near_before(&queue->keys[0], &queue->horizon)) {
    mo_near_key next = pop(queue);
    if (next.rank < MO_NEAR_SHAPE) {
      open_node(q, queue, &next);
      continue;
    }
    uint32_t slot = (uint32_t)next.rank;
    if (passes(q, slot)) {
      q->stats->shapes++;
      mo_near_shape shape = {mo_shape_id_of(q->scene, slot), q->scene->shapes[slot].user_data,
                             sqrt(next.distance2), next.distance2};
      if (!q->visit(&shape, q->context)) {
        return false;
      }
    }
  }
  q->begin = queue->horizon;
  return queue->horizon.distance2 <= q->limit;
}

void MO_ISA_FN(mo_near_visit)(mo_near_query *q) {
  near_queue queue;
  if (q->scene->root != MO_CHILD_EMPTY) {
    while (visit_part(q, &queue)) {
    }
  }
}
