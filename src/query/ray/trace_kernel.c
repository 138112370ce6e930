/* Rays through the shape octree; compiled once per instruction set.
 *
 * Inner nodes are pushed on a stack in front-to-back order (child i ^ sign mask), without a branch
 * per child. Several nodes, a wave, are popped at a time, and then the leaves below them are
 * tested. The tests of a wave are independent of each other, so the processor overlaps them and
 * their cache misses. This visits a few more nodes than popping one at a time. Shapes whose boxes
 * the ray meets become candidates. The nearest candidate is tested once no node on top of the stack
 * begins before it; a candidate whose box begins beyond the best hit is dropped. Meanwhile the
 * records of candidates are prefetched, since in large scenes they are not in the cache. */
#include "base/inline.h"
#include "base/prefetch.h"
#include "octree/cull.h"
#include "octree/order.h"
#include "query/ray/shape_ray.h"

/* The number of nodes that are popped from the stack at a time (a wave). */
enum { NODES_PER_WAVE = 4 };

/* The nodes on the stack are sorted by depth, the deepest on top: a wave pops the topmost nodes and
 * replaces them with their children, in the same order. A wave that pops a node also pops all
 * deeper nodes; so the nodes of one depth on the stack all come from one wave. */
enum { STACK_SIZE = NODES_PER_WAVE * MO_LANE_COUNT * (MO_SCENE_MAX_DEPTH + 1) };

/* The stack of nodes to visit, from index 1 on; index 0 has t = infinity as a sentinel. A push
 * always writes eight entries, however many it keeps. */
typedef struct node_stack {
  uint32_t child[1 + STACK_SIZE + MO_LANE_COUNT];
  float t[1 + STACK_SIZE + MO_LANE_COUNT]; /* where the ray enters each node */
} node_stack;

/* The block lists that a wave meets, of leaves and of nodes. An append always writes eight
 * entries. */
typedef struct block_lists {
  uint32_t
      first[(1 + MO_LANE_COUNT) * NODES_PER_WAVE + MO_LANE_COUNT]; /* first block of each list */
  uint32_t count;
} block_lists;

/* Candidates are shapes whose boxes the ray meets and that are not tested yet. */
enum { MAX_CANDIDATE_SHAPES = 32 };

typedef struct candidates {
  uint32_t slot[MAX_CANDIDATE_SHAPES + MO_LANE_COUNT];
  float t[MAX_CANDIDATE_SHAPES + MO_LANE_COUNT]; /* where the ray enters each shape's box */
} candidates;

/* The state of the traversal, read at every step. */
typedef struct traversal_state {
  const mo_scene_node *nodes;
  const mo_shape_block *blocks;
  const mo_shape *shapes;
  mo_query_stats *stats; /* null if nothing is counted */
  /* The lengths of node_stack and candidates. They are not members of these, as the compiler would
   * then have to keep them in memory: stores of eight entries might alias them. */
  uint32_t stack_height, candidate_count;
  const mo_ray *ray; /* the culling ray; a copy could cause store-to-load forwarding stalls */
  mo_ray_lanes lanes;
  mo_lane_order push_order; /* order in which the children of a node are pushed, farthest first */
  float cull_t;             /* the end of the ray, in the scaled t of `ray` */
  bool tree_exceeds_cache, records_exceed_cache;
} traversal_state;

/* Nodes and blocks up to this many bytes are mostly in the cache. */
#define CACHE_BYTES ((size_t)1 << 20)

/* Tests the ray against a shape. Returns true if the traversal may stop. */
MO_INLINE bool test_shape(mo_scene_ray *query, traversal_state *w, uint32_t slot, mo_ray_goal goal,
                          bool fast) {
  if (fast ? mo_scene_ray_test_shape_fast(query, slot, goal)
           : mo_scene_ray_test_shape(query, slot)) {
    return true;
  }
  w->cull_t = fast ? query->max_t : mo_ray_scaled_max_t(w->ray, query->max_t);
  return false;
}

/* Prefetches the records of some lanes of a block. Mostly there is one lane or none, so a branch on
 * their number would be unpredictable. Therefore, if there is none, the block itself is prefetched,
 * which is in the cache already. */
MO_INLINE void prefetch_shapes(const traversal_state *w, const mo_shape_block *block,
                               uint32_t lanes) {
  size_t first = block->shape[__builtin_ctz(lanes | 0x80)] * sizeof(mo_shape);
  uintptr_t record = (uintptr_t)w->shapes + first, near = (uintptr_t)block;
  record = near ^ ((record ^ near) & -(uintptr_t)(lanes != 0));
  mo_prefetch((const void *)record, mo_cache_lines_of(sizeof(mo_shape)));
  for (lanes &= lanes - 1; __builtin_expect(lanes != 0, 0); lanes &= lanes - 1) {
    mo_prefetch(&w->shapes[block->shape[__builtin_ctz(lanes)]],
                mo_cache_lines_of(sizeof(mo_shape)));
  }
}

MO_INLINE uint32_t nearest_candidate(const traversal_state *w, const candidates *c) {
  uint32_t nearest = 0;
  for (uint32_t i = 1; i < w->candidate_count; i++) {
    nearest = c->t[i] < c->t[nearest] ? i : nearest;
  }
  return nearest;
}

/* Removes a candidate, and returns its slot. */
MO_INLINE uint32_t remove_candidate(traversal_state *w, candidates *c, uint32_t which) {
  uint32_t slot = c->slot[which];
  w->candidate_count--;
  c->slot[which] = c->slot[w->candidate_count];
  c->t[which] = c->t[w->candidate_count];
  return slot;
}

/* Adds the shapes of a block list whose boxes the ray meets as candidates, and prefetches their
 * records. If there are too many, the nearest are tested at once. Whether a block has such shapes
 * is unpredictable, so there is no branch on it. */
MO_INLINE bool collect_candidates(mo_scene_ray *query, traversal_state *w, candidates *c,
                                  uint32_t first, mo_ray_goal goal, bool fast) {
  uint32_t b = first;
  do {
    const mo_shape_block *block = &w->blocks[b];
    b = block->next;
    if (w->stats != NULL) {
      w->stats->scene_block_count++;
    }
    mo_ray_slabs slabs = mo_ray_slab_test(&w->lanes, &block->bounds, mo_f8_splat(w->cull_t));
    uint32_t met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
    mo_u8_store_unaligned(&c->slot[w->candidate_count],
                          mo_u8_compress(mo_u8_load(block->shape), met));
    mo_f8_store_unaligned(&c->t[w->candidate_count], mo_f8_compress(slabs.near_t, met));
    w->candidate_count += (uint32_t)__builtin_popcount(met);
    if (w->records_exceed_cache) {
      prefetch_shapes(w, block, met);
    }
    while (__builtin_expect(w->candidate_count > MAX_CANDIDATE_SHAPES - MO_LANE_COUNT, 0)) {
      uint32_t nearest = nearest_candidate(w, c);
      if (c->t[nearest] > w->cull_t) {
        w->candidate_count = 0;
      } else if (test_shape(query, w, remove_candidate(w, c, nearest), goal, fast)) {
        return true;
      }
    }
  } while (b != MO_NONE);
  return false;
}

/* Tests the candidate shapes whose boxes the ray enters before the node on top of the stack. Pops
 * nodes that it enters beyond the best hit. Returns true if the traversal may stop. */
MO_INLINE bool test_nearest_candidates(mo_scene_ray *query, traversal_state *w, candidates *c,
                                       const node_stack *stack, mo_ray_goal goal, bool fast) {
  for (;;) {
    while (stack->t[w->stack_height] > w->cull_t && w->stack_height != 0) {
      w->stack_height--;
    }
    if (w->candidate_count == 0) {
      return false;
    }
    uint32_t nearest = nearest_candidate(w, c);
    if (c->t[nearest] > mo_min(stack->t[w->stack_height], w->cull_t)) {
      return false;
    }
    if (test_shape(query, w, remove_candidate(w, c, nearest), goal, fast)) {
      return true;
    }
  }
}

/* Pops a wave of nodes and visits them: pushes their inner children, and lists their leaves. */
MO_INLINE void visit_wave(traversal_state *w, node_stack *stack, block_lists *met_lists) {
  const mo_f8 cull_t = mo_f8_splat(w->cull_t);
  uint32_t wave[NODES_PER_WAVE],
      wave_count = w->stack_height < NODES_PER_WAVE ? w->stack_height : NODES_PER_WAVE;
  uint32_t list_count = 0;
  w->stack_height -= wave_count;
  /* Loads one entry at a time, which `volatile` enforces: a vector load of entries that were
   * written by different stores would cause a store-to-load forwarding stall. */
  for (uint32_t i = 0; i < NODES_PER_WAVE; i++) {
    wave[i] = *(const volatile uint32_t *)&stack->child[w->stack_height + 1 + i];
  }
  for (uint32_t i = 0; i < wave_count; i++) {
    const mo_scene_node *node = &w->nodes[wave[i]];
    if (w->stats != NULL) {
      mo_count_scene_node(w->stats, wave[i]);
    }
    mo_ray_slabs slabs = mo_ray_slab_test(&w->lanes, &node->bounds, cull_t);
    uint32_t leaves = mo_u8_signs(mo_u8_load(node->child));
    mo_f8 far_t = mo_f8_select(mo_m8_from_bits(leaves), mo_f8_splat(-1.0f), slabs.far_t);
    mo_lane_choice met = mo_choose_lanes_le(slabs.near_t, far_t, w->push_order);
    mo_lane_choice_store_u8(&stack->child[w->stack_height + 1], node->child, met);
    mo_lane_choice_store_f8(&stack->t[w->stack_height + 1], slabs.near_t, met);
    w->stack_height += met.count;
    leaves &= mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
    mo_u8_store_unaligned(&met_lists->first[list_count],
                          mo_u8_compress(mo_u8_load(node->child), leaves));
    list_count += (uint32_t)__builtin_popcount(leaves);
    met_lists->first[list_count] = node->items;
    list_count += node->items != MO_NONE;
  }
  met_lists->count = list_count;
}

/* Prefetches the nodes of the next wave, and the blocks of the lists that this wave met. */
MO_INLINE void prefetch_next_wave(const traversal_state *w, const node_stack *stack,
                                  const block_lists *met_lists) {
  for (uint32_t i = 0; i < NODES_PER_WAVE && i < w->stack_height; i++) {
    mo_prefetch(&w->nodes[stack->child[w->stack_height - i]],
                mo_cache_lines_of(sizeof(mo_scene_node)));
  }
  for (uint32_t i = 0; i < met_lists->count; i++) {
    mo_prefetch(&w->blocks[mo_child_index(met_lists->first[i])],
                mo_cache_lines_of(sizeof(mo_shape_block)));
  }
}

/* The traversal itself, for the ray that is prepared in `w`. `goal` is only used on the fast
 * path, where it is a constant. */
MO_INLINE bool traverse(mo_scene_ray *query, traversal_state *w, mo_ray_goal goal, bool fast) {
  const mo_scene *scene = query->scene;
  w->nodes = scene->nodes.items;
  w->blocks = scene->blocks.items;
  w->shapes = scene->shapes;
  w->stats = fast ? NULL : query->stats;
  w->lanes = mo_broadcast_ray(w->ray);
  w->push_order = mo_farthest_first_octants(w->ray->signs);
  w->cull_t = fast ? query->max_t : mo_ray_scaled_max_t(w->ray, query->max_t);
  w->tree_exceeds_cache =
      scene->nodes.count * sizeof(mo_scene_node) + scene->blocks.count * sizeof(mo_shape_block) >
      CACHE_BYTES;
  w->records_exceed_cache = scene->slot_count * sizeof(mo_shape) > CACHE_BYTES;
  node_stack stack;
  candidates c;
  block_lists met_lists;
  w->stack_height = w->candidate_count = 0;
  stack.t[0] = INFINITY;
  if (!mo_child_is_leaf(scene->root)) {
    stack.child[1] = scene->root;
    stack.t[1] = 0.0f;
    w->stack_height = 1;
  } else if (collect_candidates(query, w, &c, mo_child_index(scene->root), goal, fast)) {
    return true;
  }
  for (;;) {
    if (test_nearest_candidates(query, w, &c, &stack, goal, fast)) {
      return true;
    }
    if (w->stack_height == 0) {
      return false;
    }
    visit_wave(w, &stack, &met_lists);
    if (w->tree_exceeds_cache) {
      prefetch_next_wave(w, &stack, &met_lists);
    }
    for (uint32_t i = 0; i < met_lists.count; i++) {
      if (collect_candidates(query, w, &c, mo_child_index(met_lists.first[i]), goal, fast)) {
        return true;
      }
    }
  }
}

uint32_t MO_ISA_FN(mo_compound_ray_keys)(const mo_bounds8 *bounds, double key[MO_LANE_COUNT],
                                         const void *query) {
  const mo_compound_ray *compound = query;
  const mo_ray_lanes lanes = mo_broadcast_ray(&compound->ray);
  const mo_ray_slabs slabs = mo_ray_slab_test(&lanes, bounds, mo_f8_splat((float)compound->limit));
  alignas(MO_ALIGNMENT) float near_t[MO_LANE_COUNT];
  mo_f8_store(near_t, slabs.near_t);
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    key[i] = (double)near_t[i];
  }
  return mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
}

bool MO_ISA_FN(mo_scene_trace)(mo_scene_ray *query) {
  if (mo_scene_ray_meets_unbounded(query)) {
    return true;
  }
  if (query->scene->root == MO_CHILD_EMPTY) {
    return false;
  }
  mo_ray ray;
  traversal_state w;
  w.ray = &ray;
  mo_scene_ray_prepare(query, &ray);
  return traverse(query, &w, query->goal, false);
}

/* Sets up a query of the fast path from its def. */
MO_INLINE void begin_fast_ray(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *def,
                              mo_ray_goal goal) {
  mo_scene_ray_begin_path(query, scene, def, goal, MO_ISA_FN(mo_mesh_ray_kernels), NULL);
  query->max_t += 0.0f; /* turns -0 into +0 */
  mo_scene_ray_prepare_fast(query);
}

/* The slot of the only shape of a scene, or MO_NONE. */
static inline uint32_t only_shape(const mo_scene *scene) {
  if (scene->shape_count != 1 || scene->root == MO_CHILD_EMPTY || !mo_child_is_leaf(scene->root)) {
    return MO_NONE;
  }
  return mo_shape_block_at(scene, mo_child_index(scene->root))->shape[0];
}

/* Traces a ray on the fast path. Returns false if the ray is not well-conditioned or not legal.
 * `*any` receives whether the traversal was stopped by a hit, which happens only for
 * MO_GOAL_ANY. */
MO_INLINE bool trace_fast(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *def,
                          mo_ray_goal goal, bool *any) {
  if (def->accept_triangle != NULL || !(def->max_t >= 0.0f) || !mo_ray_has_cookies(def)) {
    return false;
  }
  uint32_t only = only_shape(scene);
  if (only != MO_NONE) {
    /* The box of the only shape is not tested: the mesh has its own boxes. */
    if (mo_check_ray(def) != MO_OK || !mo_ray_has_direction(def)) {
      return false;
    }
    begin_fast_ray(query, scene, def, goal);
    *any = mo_scene_ray_test_shape_fast(query, only, goal);
    return true;
  }
  const float scale = MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN;
  mo_ray_fast_limits limits = mo_ray_fast_limits_for(mo_scene_max_coordinate(scene), scale);
  mo_ray ray;
  traversal_state w;
  w.ray = &ray;
  if (!mo_ray_init_fast(&ray, &def->origin, &def->direction, def->min_t, &limits, scale)) {
    return false;
  }
  begin_fast_ray(query, scene, def, goal);
  *any = mo_scene_ray_meets_unbounded(query) || traverse(query, &w, goal, true);
  return true;
}

bool MO_ISA_FN(mo_scene_find_fast)(mo_scene_ray *query, const mo_scene *scene,
                                   const mo_ray_def *def) {
  bool any;
  return trace_fast(query, scene, def, MO_GOAL_CLOSEST, &any);
}

bool MO_ISA_FN(mo_scene_cast_fast)(const mo_scene *scene, const mo_ray_def *def, mo_ray_hit *hit) {
  mo_scene_ray query;
  if (!MO_ISA_FN(mo_scene_find_fast)(&query, scene, def)) {
    return false;
  }
  mo_scene_ray_closest(&query, hit);
  return true;
}

bool MO_ISA_FN(mo_scene_test_fast)(const mo_scene *scene, const mo_ray_def *def, bool *hit) {
  mo_scene_ray query;
  return trace_fast(&query, scene, def, MO_GOAL_ANY, hit);
}
