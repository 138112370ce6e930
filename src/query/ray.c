/* Rays through the shape octree; compiled once per instruction set.
 *
 * Octants are taken front to back, i ^ sign mask, pushed without a branch for each. Shapes whose
 * boxes the ray meets are tested one step later than they are found, the nearest first, as their
 * records have to come from far away in large scenes; one whose box begins beyond the best hit is
 * not tested. Through 100,000 instances that takes a tenth of the time off, and costs nothing where
 * all fits in the cache. */
#include "base/inline.h"
#include "octree/cull.h"
#include "octree/order.h"
#include "query/shape_ray.h"

/* Children that wait. Pushing writes eight places, whatever it keeps. */
typedef struct waiting {
  uint32_t child[MO_SCENE_STACK + MO_WIDTH];
  float t[MO_SCENE_STACK + MO_WIDTH]; /* where the ray enters */
  uint32_t count;
} waiting;

/* Shapes whose boxes the ray meets. */
enum { CANDIDATES = 32 };

typedef struct candidates {
  uint32_t slot[CANDIDATES + MO_WIDTH];
  float t[CANDIDATES + MO_WIDTH];
  uint32_t count;
} candidates;

MO_INLINE void prefetch(const void *memory, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += MO_ALIGNMENT) {
    __builtin_prefetch((const char *)memory + at);
  }
}

/* What the traversal reads at every step. */
typedef struct walker {
  const mo_scene_node *nodes;
  const mo_shape_block *blocks;
  const mo_shape *shapes;
  mo_query_stats *stats; /* null if nothing is counted */
  mo_ray ray;
  mo_ray_lanes lanes;
  mo_way way;
  float cull_t; /* the end of the ray, in its own t */
} walker;

MO_INLINE void prefetch_child(const walker *w, uint32_t child) {
  uint32_t index = mo_child_index(child);
  const void *memory =
      mo_child_is_leaf(child) ? (const void *)&w->blocks[index] : (const void *)&w->nodes[index];
  prefetch(memory, sizeof(mo_shape_block));
}

/* Tests the first `count` candidates, the nearest first, and forgets them. `goal` is a constant
 * wherever this is inlined, which it is everywhere: called with the walker's address, it would keep
 * the lanes of the ray out of registers (a fifth of the time). */
MO_INLINE bool test_candidates(mo_scene_ray *query, walker *w, candidates *c, uint32_t count,
                               mo_ray_goal goal, bool usual) {
  uint32_t left = count;
  do {
    uint32_t nearest = 0;
    for (uint32_t i = 1; i < left; i++) {
      nearest = c->t[i] < c->t[nearest] ? i : nearest;
    }
    if (c->t[nearest] > w->cull_t) {
      break;
    }
    uint32_t slot = c->slot[nearest];
    left--;
    c->slot[nearest] = c->slot[left];
    c->t[nearest] = c->t[left];
    if (usual ? mo_scene_ray_usual_shape(query, slot, goal)
              : mo_scene_ray_shape_inline(query, slot, goal, true)) {
      return true;
    }
    w->cull_t = usual ? query->max_t : mo_ray_cull_t(&w->ray, query->max_t);
  } while (left != 0);
  c->count -= count;
  for (uint32_t i = 0; i < c->count; i++) {
    c->slot[i] = c->slot[count + i];
    c->t[i] = c->t[count + i];
  }
  return false;
}

/* Adds the shapes of a list of blocks whose boxes the ray meets, and asks for their memory. Where
 * there are too many, those at hand are tested. */
MO_INLINE bool collect(mo_scene_ray *query, walker *w, candidates *c, uint32_t first,
                       mo_ray_goal goal, bool usual) {
  for (uint32_t b = first; b != MO_NONE;) {
    const mo_shape_block *block = &w->blocks[b];
    b = block->next;
    if (w->stats != NULL) {
      w->stats->scene_blocks++;
    }
    mo_ray_slabs slabs = mo_cull_ray_slabs(&w->lanes, &block->bounds, mo_f8_all(w->cull_t));
    mo_choice met = mo_choose_le(slabs.near_t, slabs.far_t, 0x76543210u, w->way);
    if (met.count == 0) {
      continue;
    }
    mo_choice_store_u8(&c->slot[c->count], block->shape, met);
    mo_choice_store_f8(&c->t[c->count], slabs.near_t, met);
    prefetch(&w->shapes[block->shape[mo_choice_last(met, 0x76543210u, w->way)]], sizeof(mo_shape));
    for (uint32_t i = 1; i < met.count; i++) {
      prefetch(&w->shapes[c->slot[c->count + i - 1]], sizeof(mo_shape));
    }
    c->count += met.count;
    if (c->count > CANDIDATES - MO_WIDTH && test_candidates(query, w, c, c->count, goal, usual)) {
      return true;
    }
  }
  return false;
}

/* Children farthest first, by sign mask: nibble i is i ^ flip ^ 7. */
static inline uint32_t order_for(uint32_t signs) {
  return 0x76543210u ^ (mo_octant_flip(signs) ^ 7u) * 0x11111111u;
}

/* The traversal itself, for a ray that is ready in the walker. */
MO_INLINE bool traverse(mo_scene_ray *query, walker *w, mo_ray_goal goal, bool usual) {
  const mo_scene *scene = query->scene;
  uint32_t child = scene->root;
  w->nodes = scene->nodes.items;
  w->blocks = scene->blocks.items;
  w->shapes = scene->shapes;
  w->stats = usual ? NULL : query->stats;
  w->lanes = mo_spread_ray(&w->ray);
  w->way = mo_order_way(false);
  w->cull_t = usual ? query->max_t : mo_ray_cull_t(&w->ray, query->max_t);
  const uint32_t order = order_for(w->ray.signs);
  waiting stack;
  candidates c;
  stack.count = c.count = 0;
  for (;;) {
    /* Those that were found in the step before are tested after this one: their memory has come by
     * then. */
    uint32_t ripe = c.count;
    if (!mo_child_is_leaf(child)) {
      const mo_scene_node *node = &w->nodes[child];
      if (w->stats != NULL) {
        mo_count_scene_node(w->stats, child);
      }
      mo_ray_slabs slabs = mo_cull_ray_slabs(&w->lanes, &node->bounds, mo_f8_all(w->cull_t));
      mo_choice met = mo_choose_le(slabs.near_t, slabs.far_t, order, w->way);
      mo_choice_store_u8(&stack.child[stack.count], node->child, met);
      mo_choice_store_f8(&stack.t[stack.count], slabs.near_t, met);
      stack.count += met.count;
      if (met.count > 1) {
        prefetch_child(w, stack.child[stack.count - 2]);
      }
      if (node->items != MO_NONE) {
        if (collect(query, w, &c, node->items, goal, usual)) {
          return true;
        }
      } else if (met.count != 0 && ripe == 0) {
        /* Not by way of the stack: that would take longer. */
        child = node->child[mo_choice_last(met, order, w->way)];
        stack.count--;
        continue;
      }
    } else if (collect(query, w, &c, mo_child_index(child), goal, usual)) {
      return true;
    }
    ripe = ripe < c.count ? ripe : c.count;
    if (ripe != 0 && test_candidates(query, w, &c, ripe, goal, usual)) {
      return true;
    }
    do {
      if (stack.count == 0) {
        return c.count != 0 && test_candidates(query, w, &c, c.count, goal, usual);
      }
      stack.count--;
    } while (stack.t[stack.count] > w->cull_t);
    child = stack.child[stack.count];
  }
}

MO_INLINE bool trace(mo_scene_ray *query, mo_ray_goal goal) {
  if (query->scene->root == MO_CHILD_EMPTY) {
    return false;
  }
  walker w;
  mo_scene_ray_prepare(query, &w.ray);
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
  query->mesh_kernels = mo_mesh_ray_kernels_for(scene->isa);
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
  const mo_shape_block *block = mo_shape_block_at(scene, mo_child_index(scene->root));
  bool one = mo_child_is_leaf(scene->root) && scene->shape_count == 1;
  return one ? block->shape[0] : MO_NONE;
}

/* Returns false if the ray is not usual or not legal; else `*any` says whether one was stopped. */
MO_INLINE bool trace_usual(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *def,
                           mo_ray_goal goal, bool *any) {
  if (def->accept_triangle != NULL || def->traversal != MO_TRAVERSAL_FAST ||
      !(def->max_t >= 0.0f)) {
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
  walker w;
  if (!mo_ray_init_usual(&w.ray, &def->origin, &def->direction, def->min_t, &usual, scale)) {
    return false;
  }
  begin_usual(query, scene, def, goal);
  *any = traverse(query, &w, goal, true);
  return true;
}

bool MO_ISA_FN(mo_scene_cast_usual)(const mo_scene *scene, const mo_ray_def *def, mo_ray_hit *hit) {
  mo_scene_ray query;
  bool any;
  if (!trace_usual(&query, scene, def, MO_GOAL_CLOSEST, &any)) {
    return false;
  }
  mo_scene_ray_closest(&query, hit);
  return true;
}

bool MO_ISA_FN(mo_scene_test_usual)(const mo_scene *scene, const mo_ray_def *def, bool *hit) {
  mo_scene_ray query;
  return trace_usual(&query, scene, def, MO_GOAL_ANY, hit);
}
