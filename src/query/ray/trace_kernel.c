/* Rays through the shape octree; compiled once per instruction set.
 *
 * Inner nodes wait on a stack, pushed front to back, i ^ sign mask, without a branch for each. Some
 * are taken from it at a time, a wave, and then the leaves below them are looked into: none of that
 * waits for the rest, so that the processor works on all of it at once, and fetches it from memory
 * at once. A few nodes more are visited than by one after the other.
 * Shapes whose boxes the ray meets are tested, the nearest first, when no node on top of the stack
 * begins before them; one whose box begins beyond the best hit is not tested. Meanwhile their
 * records come from memory, which in large scenes is far away.
 *
 * Why not the visitor for best-first queries (query/visit.h), which takes one node after another:
 * waves of four nodes save 6 % of a long ray at 1,000 instances, 8 % at 10,000 and 18 % at 100,000
 * (bench/NOTEBOOK.md). */
#include "base/inline.h"
#include "base/prefetch.h"
#include "octree/cull.h"
#include "octree/order.h"
#include "query/ray/shape_ray.h"

/* Nodes that are taken from the stack at a time. */
enum { WAVE = 4 };

/* The stack's nodes are sorted by depth, the deepest on top: a wave takes the topmost and leaves
 * their children in their place, in the same order. When it takes a node, it takes all that are
 * deeper too; so those of one depth come from one wave. */
enum { WAITING = WAVE * MO_WIDTH * (MO_SCENE_MAX_DEPTH + 1) };

/* Nodes that wait, from place 1 on; infinity at place 0. Pushing writes eight places, whatever it
 * keeps. */
typedef struct waiting {
  uint32_t child[1 + WAITING + MO_WIDTH];
  float t[1 + WAITING + MO_WIDTH]; /* where the ray enters */
} waiting;

/* Lists of blocks that a wave meets, of leaves and of nodes. Likewise. */
typedef struct lists {
  uint32_t first[(1 + MO_WIDTH) * WAVE + MO_WIDTH];
  uint32_t count;
} lists;

/* Shapes whose boxes the ray meets. */
enum { CANDIDATES = 32 };

typedef struct candidates {
  uint32_t slot[CANDIDATES + MO_WIDTH];
  float t[CANDIDATES + MO_WIDTH];
} candidates;

/* What the traversal reads at every step. */
typedef struct walker {
  const mo_scene_node *nodes;
  const mo_shape_block *blocks;
  const mo_shape *shapes;
  mo_query_stats *stats; /* null if nothing is counted */
  /* Not beside what they count: then they would be kept in memory, as whatever is written there
   * eight places at a time might change them. */
  uint32_t waiting_count, candidate_count;
  const mo_ray *ray; /* not copied: it may have been stored just now in smaller pieces */
  mo_ray_lanes lanes;
  mo_route route;   /* children, farthest first */
  float cull_t;     /* the end of the ray, in its own t */
  bool far;         /* nodes and blocks are too many to be in the cache */
  bool records_far; /* likewise records */
} walker;

/* Nodes and blocks up to this many bytes are mostly at hand. */
#define NEAR_BYTES ((size_t)1 << 20)

static inline bool is_far(const mo_scene *scene) {
  return scene->nodes.count * sizeof(mo_scene_node) + scene->blocks.count * sizeof(mo_shape_block) >
         NEAR_BYTES;
}

/* Tests a shape. Returns true if the traversal may stop. */
MO_INLINE bool test_shape(mo_scene_ray *query, walker *w, uint32_t slot, mo_ray_goal goal,
                          bool usual) {
  if (usual ? mo_scene_ray_usual_shape(query, slot, goal)
            : mo_scene_ray_shape_inline(query, slot, goal, true)) {
    return true;
  }
  w->cull_t = usual ? query->max_t : mo_ray_cull_t(w->ray, query->max_t);
  return false;
}

/* The records of some lanes of a block. Mostly there is one or none, which would be a toss-up: then
 * it is the block itself, which is at hand. */
MO_INLINE void prefetch_shapes(const walker *w, const mo_shape_block *block, uint32_t lanes) {
  size_t first = block->shape[__builtin_ctz(lanes | 0x80)] * sizeof(mo_shape);
  uintptr_t record = (uintptr_t)w->shapes + first, here = (uintptr_t)block;
  record = here ^ ((record ^ here) & -(uintptr_t)(lanes != 0));
  mo_prefetch((const void *)record, mo_lines_of(sizeof(mo_shape)));
  for (lanes &= lanes - 1; __builtin_expect(lanes != 0, 0); lanes &= lanes - 1) {
    mo_prefetch(&w->shapes[block->shape[__builtin_ctz(lanes)]], mo_lines_of(sizeof(mo_shape)));
  }
}

MO_INLINE uint32_t nearest_of(const walker *w, const candidates *c) {
  uint32_t nearest = 0;
  for (uint32_t i = 1; i < w->candidate_count; i++) {
    nearest = c->t[i] < c->t[nearest] ? i : nearest;
  }
  return nearest;
}

/* Takes a candidate away. */
MO_INLINE uint32_t take(walker *w, candidates *c, uint32_t which) {
  uint32_t slot = c->slot[which];
  w->candidate_count--;
  c->slot[which] = c->slot[w->candidate_count];
  c->t[which] = c->t[w->candidate_count];
  return slot;
}

/* Adds the shapes of a list of blocks whose boxes the ray meets, and asks for their memory. Where
 * there are too many, those at hand are tested. No branch on whether there are any in a block. */
MO_INLINE bool collect(mo_scene_ray *query, walker *w, candidates *c, uint32_t first,
                       mo_ray_goal goal, bool usual) {
  uint32_t b = first;
  do {
    const mo_shape_block *block = &w->blocks[b];
    b = block->next;
    if (w->stats != NULL) {
      w->stats->scene_block_count++;
    }
    mo_ray_slabs slabs = mo_cull_ray_slabs(&w->lanes, &block->bounds, mo_f8_all(w->cull_t));
    uint32_t met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
    mo_u8_store_any(&c->slot[w->candidate_count], mo_u8_compress(mo_u8_load(block->shape), met));
    mo_f8_store_any(&c->t[w->candidate_count], mo_f8_compress(slabs.near_t, met));
    w->candidate_count += (uint32_t)__builtin_popcount(met);
    if (w->records_far) {
      prefetch_shapes(w, block, met);
    }
    while (__builtin_expect(w->candidate_count > CANDIDATES - MO_WIDTH, 0)) {
      uint32_t nearest = nearest_of(w, c);
      if (c->t[nearest] > w->cull_t) {
        w->candidate_count = 0;
      } else if (test_shape(query, w, take(w, c, nearest), goal, usual)) {
        return true;
      }
    }
  } while (b != MO_NONE);
  return false;
}

/* Tests the shapes that begin before every node that waits. Nodes that begin beyond the best hit
 * wait no more. Returns true if the traversal may stop. */
MO_INLINE bool test_nearest(mo_scene_ray *query, walker *w, candidates *c, const waiting *stack,
                            mo_ray_goal goal, bool usual) {
  for (;;) {
    while (stack->t[w->waiting_count] > w->cull_t && w->waiting_count != 0) {
      w->waiting_count--;
    }
    if (w->candidate_count == 0) {
      return false;
    }
    uint32_t nearest = nearest_of(w, c);
    if (c->t[nearest] > mo_min(stack->t[w->waiting_count], w->cull_t)) {
      return false;
    }
    if (test_shape(query, w, take(w, c, nearest), goal, usual)) {
      return true;
    }
  }
}

/* Visits the topmost nodes of the stack: their children wait there then, and leaves are listed. */
MO_INLINE void visit_wave(walker *w, waiting *stack, lists *met_lists) {
  const mo_f8 cull_t = mo_f8_all(w->cull_t);
  uint32_t wave[WAVE], wave_count = w->waiting_count < WAVE ? w->waiting_count : WAVE;
  uint32_t list_count = 0;
  w->waiting_count -= wave_count;
  /* One by one, whatever compilers make of that: a load of several would wait for memory where they
   * were stored by different nodes. */
  for (uint32_t i = 0; i < WAVE; i++) {
    wave[i] = *(const volatile uint32_t *)&stack->child[w->waiting_count + 1 + i];
  }
  for (uint32_t i = 0; i < wave_count; i++) {
    const mo_scene_node *node = &w->nodes[wave[i]];
    if (w->stats != NULL) {
      mo_count_scene_node(w->stats, wave[i]);
    }
    mo_ray_slabs slabs = mo_cull_ray_slabs(&w->lanes, &node->bounds, cull_t);
    uint32_t leaves = mo_u8_signs(mo_u8_load(node->child));
    mo_f8 far_t = mo_f8_select(mo_m8_from_bits(leaves), mo_f8_all(-1.0f), slabs.far_t);
    mo_choice met = mo_choose_le(slabs.near_t, far_t, w->route);
    mo_choice_store_u8(&stack->child[w->waiting_count + 1], node->child, met);
    mo_choice_store_f8(&stack->t[w->waiting_count + 1], slabs.near_t, met);
    w->waiting_count += met.count;
    leaves &= mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
    mo_u8_store_any(&met_lists->first[list_count], mo_u8_compress(mo_u8_load(node->child), leaves));
    list_count += (uint32_t)__builtin_popcount(leaves);
    met_lists->first[list_count] = node->items;
    list_count += node->items != MO_NONE;
  }
  met_lists->count = list_count;
}

/* Asks for the memory of the next wave, and of the blocks of this one. */
MO_INLINE void prefetch_next(const walker *w, const waiting *stack, const lists *met_lists) {
  for (uint32_t i = 0; i < WAVE && i < w->waiting_count; i++) {
    mo_prefetch(&w->nodes[stack->child[w->waiting_count - i]], mo_lines_of(sizeof(mo_scene_node)));
  }
  for (uint32_t i = 0; i < met_lists->count; i++) {
    mo_prefetch(&w->blocks[mo_child_index(met_lists->first[i])],
                mo_lines_of(sizeof(mo_shape_block)));
  }
}

/* The traversal itself, for a ray that is ready in the walker. */
MO_INLINE bool traverse(mo_scene_ray *query, walker *w, mo_ray_goal goal, bool usual) {
  const mo_scene *scene = query->scene;
  w->nodes = scene->nodes.items;
  w->blocks = scene->blocks.items;
  w->shapes = scene->shapes;
  w->stats = usual ? NULL : query->stats;
  w->lanes = mo_spread_ray(w->ray);
  w->route = mo_route_of_octants(w->ray->signs);
  w->cull_t = usual ? query->max_t : mo_ray_cull_t(w->ray, query->max_t);
  w->far = is_far(scene);
  w->records_far = scene->slot_count * sizeof(mo_shape) > NEAR_BYTES;
  waiting stack;
  candidates c;
  lists met_lists;
  w->waiting_count = w->candidate_count = 0;
  stack.t[0] = INFINITY;
  if (!mo_child_is_leaf(scene->root)) {
    stack.child[1] = scene->root;
    stack.t[1] = 0.0f;
    w->waiting_count = 1;
  } else if (collect(query, w, &c, mo_child_index(scene->root), goal, usual)) {
    return true;
  }
  for (;;) {
    if (test_nearest(query, w, &c, &stack, goal, usual)) {
      return true;
    }
    if (w->waiting_count == 0) {
      return false;
    }
    visit_wave(w, &stack, &met_lists);
    if (w->far) {
      prefetch_next(w, &stack, &met_lists);
    }
    for (uint32_t i = 0; i < met_lists.count; i++) {
      if (collect(query, w, &c, mo_child_index(met_lists.first[i]), goal, usual)) {
        return true;
      }
    }
  }
}

MO_INLINE bool trace(mo_scene_ray *query, mo_ray_goal goal) {
  if (query->scene->root == MO_CHILD_EMPTY) {
    return false;
  }
  mo_ray ray;
  walker w;
  w.ray = &ray;
  mo_scene_ray_prepare(query, &ray);
  return traverse(query, &w, goal, false);
}

static __attribute__((noinline)) bool trace_all(mo_scene_ray *query) {
  return trace(query, MO_GOAL_ALL);
}

static __attribute__((noinline)) bool trace_first(mo_scene_ray *query) {
  return trace(query, MO_GOAL_FIRST);
}

static __attribute__((noinline)) bool trace_any(mo_scene_ray *query) {
  return trace(query, MO_GOAL_ANY);
}

bool MO_ISA_FN(mo_scene_trace)(mo_scene_ray *query) {
  switch (query->goal) {
  case MO_GOAL_CLOSEST:
    return trace(query, MO_GOAL_CLOSEST);
  case MO_GOAL_ANY:
    return trace_any(query);
  case MO_GOAL_FIRST:
    return trace_first(query);
  case MO_GOAL_ALL:
    break;
  }
  return trace_all(query);
}

/* A query about a usual ray, straight from its def: checked and prepared in one pass, for the scene
 * here and for each mesh in its kernel. */
MO_INLINE void begin_usual(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *def,
                           mo_ray_goal goal) {
  query->scene = scene;
  query->def = def;
  query->mesh_kernels = MO_ISA_FN(mo_mesh_ray_kernels);
  query->goal = goal;
  query->stats = NULL;
  query->min_t = def->min_t;
  query->max_t = def->max_t + 0.0f; /* no -0 */
  query->shape = MO_NONE;
  query->triangle = MO_NO_TRIANGLE;
  query->world = (mo_world_ray){mo_widen(def->origin), mo_widen(def->direction)};
  mo_scene_ray_set_usual(query);
}

/* The one shape of a scene that has no more, or MO_NONE. */
static inline uint32_t only_shape(const mo_scene *scene) {
  if (scene->shape_count != 1 || !mo_child_is_leaf(scene->root)) {
    return MO_NONE;
  }
  return mo_shape_block_at(scene, mo_child_index(scene->root))->shape[0];
}

/* Returns false if the ray is not usual or not legal; else `*any` says whether one was stopped. */
MO_INLINE bool trace_usual(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *def,
                           mo_ray_goal goal, bool *any) {
  if (def->accept_triangle != NULL || def->traversal != MO_TRAVERSAL_FAST ||
      !(def->max_t >= 0.0f) || !mo_ray_has_cookies(def)) {
    return false;
  }
  uint32_t only = only_shape(scene);
  if (only != MO_NONE) {
    /* Not by way of its box: its mesh has boxes of its own. */
    if (mo_check_ray(def) != MO_OK || !mo_ray_has_direction(def)) {
      return false;
    }
    begin_usual(query, scene, def, goal);
    *any = mo_scene_ray_usual_shape(query, only, goal);
    return true;
  }
  const float scale = MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN;
  mo_ray_usual usual = mo_ray_usual_for(mo_scene_ray_reach(scene), scale);
  mo_ray ray;
  walker w;
  w.ray = &ray;
  if (!mo_ray_init_usual(&ray, &def->origin, &def->direction, def->min_t, &usual, scale)) {
    return false;
  }
  begin_usual(query, scene, def, goal);
  *any = traverse(query, &w, goal, true);
  return true;
}

bool MO_ISA_FN(mo_scene_find_usual)(mo_scene_ray *query, const mo_scene *scene,
                                    const mo_ray_def *def) {
  bool any;
  return trace_usual(query, scene, def, MO_GOAL_CLOSEST, &any);
}

bool MO_ISA_FN(mo_scene_cast_usual)(const mo_scene *scene, const mo_ray_def *def, mo_ray_hit *hit) {
  mo_scene_ray query;
  if (!MO_ISA_FN(mo_scene_find_usual)(&query, scene, def)) {
    return false;
  }
  mo_scene_ray_closest(&query, hit);
  return true;
}

bool MO_ISA_FN(mo_scene_test_usual)(const mo_scene *scene, const mo_ray_def *def, bool *hit) {
  mo_scene_ray query;
  return trace_usual(&query, scene, def, MO_GOAL_ANY, hit);
}
