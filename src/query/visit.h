/* The visitors of the shape octree: traversals shared by all queries except rays, which have their
 * own (query/ray). A query supplies a culling test of eight boxes and a function for the blocks or
 * shapes that pass. Both are inlined into the visitor: include this file in kernels, and pass a
 * constant struct of static functions.
 *
 * mo_visit_shapes is unordered and visits whole blocks of eight shape boxes;
 * mo_visit_shapes_nearest visits nearer nodes first, under a limit that shrinks;
 * mo_visit_shapes_in_order visits shapes one by one, in order of distance.
 *
 * Shapes without bounds (half-spaces, scene/shapes/unbounded.h) are visited first, one by one,
 * without culling. */
#ifndef MO_QUERY_VISIT_H
#define MO_QUERY_VISIT_H

#include "base/assert.h"
#include "base/bounded.h"
#include "base/inline.h"
#include "base/prefetch.h"
#include "math/lanes/lanes.h"
#include "octree/visit.h"
#include "query/filter.h"
#include "scene/shapes/unbounded.h"

/* --- unordered --- */

/* The functions of a query for mo_visit_shapes. */
typedef struct mo_shape_visitor {
  /* Culls the children of a node by their bounds: returns the mask of those that may contain
   * results. `inside`: the node lies wholly inside the query's region. `within` receives the mask
   * of the children that lie wholly inside it (all of them if `inside`). */
  uint32_t (*cull)(const mo_bounds8 *bounds, uint32_t node, bool inside, uint32_t *within,
                   const void *query);
  /* Called for each block of eight shapes that is not culled; false ends the visit. */
  bool (*visit_block)(uint32_t block, bool inside, void *query);
  /* Called for each shape without bounds; false ends the visit. */
  bool (*visit_unbounded)(uint32_t slot, void *query);
} mo_shape_visitor;

/* Prefetches a node or a block, four cache lines each. `last_line_only`: it lies inside the query's
 * region, so only the indices of its children or shapes are needed, which are in the last line. */
MO_INLINE void mo_visit_prefetch(const void *memory, bool last_line_only) {
  const char *bytes = memory;
  if (!last_line_only) {
    mo_prefetch(bytes, 3);
  }
  mo_prefetch(bytes + 192, 1);
}

/* The number of lists of blocks that are prefetched before the first of them is read. */
enum { MO_MAX_PENDING_BLOCK_LISTS = 48 };

/* A node or a list of blocks that waits to be visited. */
typedef struct mo_pending_visit {
  uint32_t child;
  bool inside; /* whether it lies wholly inside the query's region */
} mo_pending_visit;

/* The state of mo_visit_shapes. */
typedef struct mo_visit_state {
  const mo_scene *scene;
  mo_query_stats *stats;
  uint32_t height;     /* length of `stack` */
  uint32_t list_count; /* length of `pending_lists` */
  mo_pending_visit stack[MO_SCENE_STACK_SIZE];
  mo_pending_visit pending_lists[MO_MAX_PENDING_BLOCK_LISTS + MO_LANE_COUNT + 1];
} mo_visit_state;

MO_INLINE void mo_visit_add_list(mo_visit_state *s, uint32_t list, bool inside) {
  mo_visit_prefetch(mo_shape_block_at(s->scene, mo_child_index(list)), inside);
  MO_ASSERT(s->list_count < MO_MAX_PENDING_BLOCK_LISTS + MO_LANE_COUNT + 1);
  s->pending_lists[s->list_count++] = (mo_pending_visit){list, inside};
}

MO_INLINE void mo_visit_add_children(mo_visit_state *s, const mo_scene_node *node, uint32_t mask,
                                     bool inside) {
  uint32_t leaves = mask & mo_u8_equal(node->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
  for (uint32_t rest = leaves; rest != 0; rest &= rest - 1) {
    mo_visit_add_list(s, node->child[__builtin_ctz(rest)], inside);
  }
  for (uint32_t rest = mask & ~leaves; rest != 0; rest &= rest - 1) {
    uint32_t child = node->child[__builtin_ctz(rest)];
    mo_visit_prefetch(mo_scene_node_at(s->scene, child), inside);
    MO_ASSERT(s->height < MO_SCENE_STACK_SIZE);
    s->stack[s->height++] = (mo_pending_visit){child, inside};
  }
}

/* Visits the blocks of all pending lists; false if the query ended the visit. */
MO_INLINE bool mo_visit_pending_lists(mo_visit_state *s, const mo_shape_visitor *v, void *query) {
  uint32_t count = s->list_count;
  s->list_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    bool inside = s->pending_lists[i].inside;
    for (uint32_t at = mo_child_index(s->pending_lists[i].child); at != MO_NONE;) {
      uint32_t next = mo_shape_block_at(s->scene, at)->next;
      if (next != MO_NONE) {
        mo_visit_prefetch(mo_shape_block_at(s->scene, next), inside);
      }
      s->stats->scene_block_count++;
      if (!v->visit_block(at, inside, query)) {
        return false;
      }
      at = next;
    }
  }
  return true;
}

/* Visits every block that is not culled; `inside`: the query's region is all of space. The
 * traversal is memory-bound: lists of blocks are prefetched when their node is visited, and read
 * once many are pending, unless the query is `may_end_early`, which means that it may end at the
 * first shape. False if the visit ended early. */
MO_INLINE bool mo_visit_shapes(const mo_scene *scene, const mo_shape_visitor *v, bool inside,
                               bool may_end_early, mo_query_stats *stats, void *query) {
  mo_visit_state s;
  s.scene = scene;
  s.stats = stats;
  s.height = s.list_count = 0;
  const uint32_t *unbounded, count = mo_scene_unbounded(scene, &unbounded);
  for (uint32_t i = 0; i < count; i++) {
    if (!v->visit_unbounded(unbounded[i], query)) {
      return false;
    }
  }
  if (scene->root == MO_CHILD_EMPTY) {
    return true;
  }
  if (mo_child_is_leaf(scene->root)) {
    mo_visit_add_list(&s, scene->root, inside);
  } else {
    s.stack[s.height++] = (mo_pending_visit){scene->root, inside};
  }
  uint32_t max = may_end_early ? 1 : MO_MAX_PENDING_BLOCK_LISTS;
  while (s.height > 0) {
    mo_pending_visit next = s.stack[--s.height];
    const mo_scene_node *node = mo_scene_node_at(scene, next.child);
    mo_count_scene_node(stats, next.child);
    uint32_t mask = ~mo_u8_equal(node->child, UINT32_MAX, MO_CHILD_EMPTY) & 0xff;
    uint32_t within = mask;
    if (node->items != MO_NONE) {
      mo_visit_add_list(&s, node->items, next.inside);
    }
    mask &= v->cull(&node->bounds, next.child, next.inside, &within, query);
    if (mask & within) {
      mo_visit_add_children(&s, node, mask & within, true);
    }
    mo_visit_add_children(&s, node, mask & ~within, false);
    if (s.list_count >= max && !mo_visit_pending_lists(&s, v, query)) {
      return false;
    }
  }
  return mo_visit_pending_lists(&s, v, query);
}

/* --- best first --- */

/* The functions of a query for mo_visit_shapes_nearest. */
typedef struct mo_shape_nearest_visitor {
  mo_keys8 *keys; /* computes keys (distances) of eight boxes; empty boxes are beyond every limit */
  /* Called for each shape whose box has a key within the limit; may lower the limit. */
  void (*visit_shape)(uint32_t slot, double key, void *query);
  /* Returns the key of a shape without bounds; null: the key is -INFINITY. */
  double (*unbounded_key)(uint32_t slot, const void *query);
  /* Returns a greater lower bound than the key of a shape, by its box; null: there is none. */
  double (*raise_key)(const mo_bounds8 *bounds, int lane, double key, const void *query);
  /* A visit takes less time than sorting: the shapes of a leaf are visited in any order. */
  bool visits_unsorted;
} mo_shape_nearest_visitor;

/* The number of shapes that may wait to be visited. */
enum { MO_MAX_PENDING_SHAPES = 32 };

/* Shapes whose boxes are within the limit, sorted so that the nearest is last. */
typedef struct mo_pending_shapes {
  double key[MO_MAX_PENDING_SHAPES + MO_LANE_COUNT];
  uint32_t slot[MO_MAX_PENDING_SHAPES + MO_LANE_COUNT];
  uint32_t count;
} mo_pending_shapes;

static inline void mo_pending_shapes_insert(mo_pending_shapes *p, double key, uint32_t slot) {
  uint32_t at = p->count++;
  for (; at > 0 && p->key[at - 1] < key; at--) {
    p->key[at] = p->key[at - 1];
    p->slot[at] = p->slot[at - 1];
  }
  p->key[at] = key;
  p->slot[at] = slot;
}

/* Visits the pending shapes that are not farther than `key` or, if `max_left` is less, the nearest
 * ones, until only so many are left. */
MO_INLINE void mo_visit_nearest_shapes(mo_pending_shapes *p, double key, uint32_t max_left,
                                       const mo_shape_nearest_visitor *v, const double *limit,
                                       void *query) {
  while (p->count > 0 && (p->key[p->count - 1] <= key || p->count > max_left)) {
    p->count--;
    if (p->key[p->count] > *limit) {
      p->count = 0; /* the others are farther */
      return;
    }
    v->visit_shape(p->slot[p->count], p->key[p->count], query);
  }
}

/* Makes the shapes of a list of blocks pending, or visits them. */
MO_INLINE void mo_visit_nearest_blocks(const mo_scene *scene, uint32_t first, mo_pending_shapes *p,
                                       const mo_shape_nearest_visitor *v, const double *limit,
                                       mo_query_stats *stats, void *query) {
  for (uint32_t at = first; at != MO_NONE; at = mo_shape_block_at(scene, at)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, at);
    stats->scene_block_count++;
    double key[MO_LANE_COUNT];
    for (uint32_t lanes = v->keys(&block->bounds, key, query); lanes != 0; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      if (!v->visits_unsorted) {
        double raised = key[lane];
        if (v->raise_key != NULL) {
          raised = v->raise_key(&block->bounds, lane, raised, query);
        }
        mo_pending_shapes_insert(p, raised, block->shape[lane]);
      } else if (key[lane] <= *limit) {
        v->visit_shape(block->shape[lane], key[lane], query);
      }
    }
    mo_visit_nearest_shapes(p, -INFINITY, MO_MAX_PENDING_SHAPES, v, limit, query);
  }
}

/* Visits the shapes whose boxes have keys (distances) up to `limit`, nearer nodes first. The
 * traversal is depth first, so that the pending nodes fit the stack (Roussopoulos, Kelley and
 * Vincent, "Nearest Neighbor Queries", 1995). Tests of shapes take much longer than those of boxes.
 * So a shape is visited only once the next node is not nearer: most shapes are then beyond the
 * limit. */
MO_INLINE void mo_visit_shapes_nearest(const mo_scene *scene, const mo_shape_nearest_visitor *v,
                                       const double *limit, mo_query_stats *stats, void *query) {
  const uint32_t *unbounded, count = mo_scene_unbounded(scene, &unbounded);
  for (uint32_t i = 0; i < count; i++) {
    double key = v->unbounded_key != NULL ? v->unbounded_key(unbounded[i], query) : -INFINITY;
    if (key <= *limit) {
      v->visit_shape(unbounded[i], key, query);
    }
  }
  mo_pending_child stack[MO_SCENE_STACK_SIZE];
  mo_pending_shapes shapes;
  shapes.count = 0;
  uint32_t height = 0;
  if (scene->root != MO_CHILD_EMPTY) {
    stack[height++] = (mo_pending_child){-INFINITY, scene->root};
  }
  while (height > 0) {
    mo_pending_child next = stack[--height];
    mo_visit_nearest_shapes(&shapes, next.key, MO_MAX_PENDING_SHAPES, v, limit, query);
    if (next.key > *limit) {
      continue;
    }
    if (mo_child_is_leaf(next.child)) {
      mo_visit_nearest_blocks(scene, mo_child_index(next.child), &shapes, v, limit, stats, query);
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(scene, next.child);
    mo_count_scene_node(stats, next.child);
    if (node->items != MO_NONE) {
      mo_visit_nearest_blocks(scene, node->items, &shapes, v, limit, stats, query);
    }
    double key[MO_LANE_COUNT];
    uint32_t mask = v->keys(&node->bounds, key, query);
    MO_ASSERT(mo_keys_are_monotone(next.key, key, mask));
    height = mo_push_pending_children(stack, height, key, node->child, mask);
    MO_ASSERT(height <= MO_SCENE_STACK_SIZE);
  }
  mo_visit_nearest_shapes(&shapes, INFINITY, 0, v, limit, query);
}

/* --- one by one, the nearest first --- */

/* The sort key of a node or a shape in order of distance. At equal keys nodes come first, since
 * they may contain any shape; deeper nodes first, so that no more of them are pending than in a
 * depth-first traversal; then shapes by slot. */
typedef struct mo_distance_key {
  double key;
  /* Of a node: levels that may lie below it << 32 | child value; of a shape: MO_FIRST_SHAPE_RANK |
   * slot. */
  uint64_t rank;
} mo_distance_key;

/* Rank of the shape in slot 0; nodes have lower ranks. */
#define MO_FIRST_SHAPE_RANK ((uint64_t)1 << 40)

static inline bool mo_distance_key_before(const void *a, const void *b) {
  const mo_distance_key *x = a, *y = b;
  return x->key != y->key ? x->key < y->key : x->rank < y->rank;
}

/* The reverse order, which gives heaps with the first key on top. */
static inline bool mo_distance_key_after(const void *a, const void *b) {
  return mo_distance_key_before(b, a);
}

/* The capacity of the priority queue, in keys. If it overflows, only the nearer half is kept, which
 * is more than the nodes that can be pending at one key. */
enum {
  MO_DISTANCE_QUEUE_CAPACITY = 1024,
  MO_DISTANCE_QUEUE_KEPT_ON_OVERFLOW = MO_DISTANCE_QUEUE_CAPACITY / 2
};
_Static_assert((int)MO_DISTANCE_QUEUE_KEPT_ON_OVERFLOW > (int)MO_SCENE_STACK_SIZE,
               "an overflow must keep more than the nodes pending at one key, else no progress");

/* A priority queue of nodes and shapes by their keys. */
typedef struct mo_distance_queue {
  mo_distance_key keys[MO_DISTANCE_QUEUE_CAPACITY]; /* a heap with the first key on top */
  uint32_t count;
  mo_distance_key first_dropped; /* the first, in order, of all keys dropped by overflows */
} mo_distance_queue;

static inline void mo_distance_queue_push(mo_distance_queue *queue, mo_distance_key key) {
  if (queue->count == MO_DISTANCE_QUEUE_CAPACITY) {
    mo_bounded_list all = {queue->keys, MO_DISTANCE_QUEUE_CAPACITY, queue->count, 0};
    /* A sorted array is a heap too. */
    mo_bounded_sort(&all, sizeof *queue->keys, mo_distance_key_before);
    queue->first_dropped = queue->keys[MO_DISTANCE_QUEUE_KEPT_ON_OVERFLOW];
    queue->count = MO_DISTANCE_QUEUE_KEPT_ON_OVERFLOW;
  }
  if (!mo_distance_key_before(&key, &queue->first_dropped)) {
    return;
  }
  uint32_t at = queue->count++;
  while (at > 0 && mo_distance_key_before(&key, &queue->keys[(at - 1) / 2])) {
    queue->keys[at] = queue->keys[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  queue->keys[at] = key;
}

static inline mo_distance_key mo_distance_queue_pop(mo_distance_queue *queue) {
  MO_ASSERT(queue->count > 0 && queue->count <= MO_DISTANCE_QUEUE_CAPACITY);
  mo_distance_key top = queue->keys[0];
  queue->keys[0] = queue->keys[--queue->count];
  if (queue->count > 1) {
    mo_sift_down((char *)queue->keys, sizeof top, 0, queue->count, mo_distance_key_after);
  }
  return top;
}

/* The functions of a query for mo_visit_shapes_in_order. */
typedef struct mo_shape_order_visitor {
  /* Computes keys (distances) of eight boxes. */
  mo_keys8 *keys;
  /* Called for each shape, in order; false ends the visit. */
  bool (*visit_shape)(uint32_t slot, double key, void *query);
  double (*unbounded_key)(uint32_t slot, const void *query); /* key of a shape without bounds */
} mo_shape_order_visitor;

/* The state of mo_visit_shapes_in_order. */
typedef struct mo_shape_order_state {
  const mo_scene *scene;
  mo_query_stats *stats;
  /* Shapes with keys before it have been visited already; overflows of the queue advance it. */
  mo_distance_key *begin;
  double limit;
  mo_distance_queue queue;
} mo_shape_order_state;

/* Adds a node to the queue. If its key lies before `begin`, it gets the key of `begin`. */
static inline void mo_distance_queue_push_node(mo_shape_order_state *s, uint32_t child,
                                               uint64_t depth, double key) {
  uint64_t below = MO_SCENE_MAX_DEPTH + 1 - depth;
  mo_distance_queue_push(
      &s->queue, (mo_distance_key){key < s->begin->key ? s->begin->key : key, below << 32 | child});
}

static inline void mo_distance_queue_push_shape(mo_shape_order_state *s, uint32_t slot,
                                                double key) {
  mo_distance_key shape = {key, MO_FIRST_SHAPE_RANK | slot};
  if (!mo_distance_key_before(&shape, s->begin)) {
    mo_distance_queue_push(&s->queue, shape);
  }
}

MO_INLINE void mo_distance_queue_push_blocks(mo_shape_order_state *s, uint32_t first,
                                             const mo_shape_order_visitor *v, const void *query) {
  for (uint32_t at = first; at != MO_NONE; at = mo_shape_block_at(s->scene, at)->next) {
    const mo_shape_block *block = mo_shape_block_at(s->scene, at);
    s->stats->scene_block_count++;
    double key[MO_LANE_COUNT];
    for (uint32_t lanes = v->keys(&block->bounds, key, query); lanes != 0; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      mo_distance_queue_push_shape(s, block->shape[lane], key[lane]);
    }
  }
}

MO_INLINE void mo_distance_queue_push_unbounded(mo_shape_order_state *s,
                                                const mo_shape_order_visitor *v,
                                                const void *query) {
  const uint32_t *unbounded, count = mo_scene_unbounded(s->scene, &unbounded);
  for (uint32_t i = 0; i < count; i++) {
    double key = v->unbounded_key(unbounded[i], query);
    if (key <= s->limit) {
      mo_distance_queue_push_shape(s, unbounded[i], key);
    }
  }
}

/* Adds the children and shapes of a node, or the shapes of a leaf, to the queue. */
MO_INLINE void mo_distance_queue_push_contents(mo_shape_order_state *s, const mo_distance_key *at,
                                               const mo_shape_order_visitor *v, const void *query) {
  uint32_t child = (uint32_t)at->rank;
  if (mo_child_is_leaf(child)) {
    mo_distance_queue_push_blocks(s, mo_child_index(child), v, query);
    return;
  }
  uint64_t depth = MO_SCENE_MAX_DEPTH + 1 - (at->rank >> 32);
  const mo_scene_node *node = mo_scene_node_at(s->scene, child);
  mo_count_scene_node(s->stats, child);
  if (node->items != MO_NONE) {
    mo_distance_queue_push_blocks(s, node->items, v, query);
  }
  double key[MO_LANE_COUNT];
  for (uint32_t mask = v->keys(&node->bounds, key, query); mask != 0; mask &= mask - 1) {
    int slot = __builtin_ctz(mask);
    mo_distance_queue_push_node(s, node->child[slot], depth + 1, key[slot]);
  }
}

/* Visits the shapes whose boxes have keys from `begin` to `limit`, in order of their keys. Pending
 * nodes and shapes are in a priority queue on the stack, 16 KiB (Hjaltason and Samet, "Distance
 * Browsing in Spatial Databases", 1999). If it overflows, the farthest entries are dropped and
 * found again from the root later. */
MO_INLINE void mo_visit_shapes_in_order(mo_shape_order_state *s, const mo_shape_order_visitor *v,
                                        void *query) {
  do {
    s->queue.count = 0;
    s->queue.first_dropped = (mo_distance_key){INFINITY, UINT64_MAX};
    mo_distance_queue_push_unbounded(s, v, query);
    if (s->scene->root != MO_CHILD_EMPTY) {
      mo_distance_queue_push_node(s, s->scene->root, 0, 0.0);
    }
    while (s->queue.count > 0 &&
           mo_distance_key_before(&s->queue.keys[0], &s->queue.first_dropped)) {
      mo_distance_key next = mo_distance_queue_pop(&s->queue);
      if (next.rank < MO_FIRST_SHAPE_RANK) {
        mo_distance_queue_push_contents(s, &next, v, query);
      } else if (!v->visit_shape((uint32_t)next.rank, next.key, query)) {
        return;
      }
    }
    *s->begin = s->queue.first_dropped;
  } while (s->queue.first_dropped.key <= s->limit);
}

#endif
