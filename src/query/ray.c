/* Rays through the shape octree; compiled once per instruction set.
 *
 * Octants are taken front to back, i ^ sign mask, pushed without a branch for each. The shapes of a
 * list of blocks are taken by the distance at which the ray enters their boxes; one whose box
 * begins beyond the best hit is not tested. */
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

static inline __attribute__((always_inline)) void prefetch(const void *memory, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += MO_ALIGNMENT) {
    __builtin_prefetch((const char *)memory + at);
  }
}

static inline __attribute__((always_inline)) void prefetch_child(const mo_scene *scene,
                                                                 uint32_t child) {
  uint32_t index = mo_child_index(child);
  const void *memory = mo_child_is_leaf(child) ? (const void *)mo_shape_block_at(scene, index)
                                               : (const void *)mo_scene_node_at(scene, index);
  prefetch(memory, sizeof(mo_shape_block));
}

/* `goal` is a constant wherever these are inlined. */
static inline __attribute__((always_inline)) bool
test_candidates(mo_scene_ray *query, const mo_ray *ray, candidates *c, mo_ray_goal goal) {
  while (c->count != 0) {
    uint32_t nearest = 0;
    for (uint32_t i = 1; i < c->count; i++) {
      nearest = c->t[i] < c->t[nearest] ? i : nearest;
    }
    if (c->t[nearest] > mo_ray_cull_t(ray, query->max_t)) {
      break;
    }
    uint32_t slot = c->slot[nearest];
    c->count--;
    c->slot[nearest] = c->slot[c->count];
    c->t[nearest] = c->t[c->count];
    if (mo_scene_ray_shape_inline(query, slot, goal, true)) {
      return true;
    }
  }
  c->count = 0;
  return false;
}

/* The shapes of a list of blocks. */
static inline __attribute__((always_inline)) bool trace_list(mo_scene_ray *query, const mo_ray *ray,
                                                             const mo_ray_lanes *lanes, mo_way way,
                                                             uint32_t first, mo_ray_goal goal) {
  const mo_scene *scene = query->scene;
  candidates c;
  c.count = 0;
  mo_f8 cull_t = mo_f8_all(mo_ray_cull_t(ray, query->max_t));
  for (uint32_t b = first; b != MO_NONE;) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    b = block->next;
    if (query->stats != NULL) {
      query->stats->scene_blocks++;
    }
    mo_ray_slabs slabs = mo_cull_ray_slabs(lanes, &block->bounds, cull_t);
    mo_choice met = mo_choose_le(slabs.near_t, slabs.far_t, 0x76543210u, way);
    mo_choice_store_u8(&c.slot[c.count], block->shape, met);
    mo_choice_store_f8(&c.t[c.count], slabs.near_t, met);
    for (uint32_t i = 0; i < met.count; i++) {
      prefetch(&scene->shapes[c.slot[c.count + i]], sizeof(mo_shape));
    }
    c.count += met.count;
    if (c.count > CANDIDATES - MO_WIDTH) {
      if (test_candidates(query, ray, &c, goal)) {
        return true;
      }
      cull_t = mo_f8_all(mo_ray_cull_t(ray, query->max_t));
    }
  }
  return c.count != 0 && test_candidates(query, ray, &c, goal);
}

static inline __attribute__((always_inline)) bool trace(mo_scene_ray *query, mo_ray_goal goal) {
  const mo_scene *scene = query->scene;
  uint32_t child = scene->root;
  if (child == MO_CHILD_EMPTY) {
    return false;
  }
  mo_ray ray;
  mo_scene_ray_prepare(query, &ray);
  const mo_ray_lanes lanes = mo_spread_ray(&ray);
  const mo_way way = mo_order_way(false);
  /* Farthest first: nibble i is i ^ flip ^ 7. */
  uint32_t order = 0x76543210u ^ (mo_octant_flip(ray.signs) ^ 7u) * 0x11111111u;
  waiting w;
  w.count = 0;
  for (;;) {
    if (!mo_child_is_leaf(child)) {
      const mo_scene_node *node = mo_scene_node_at(scene, child);
      if (query->stats != NULL) {
        mo_count_scene_node(query->stats, child);
      }
      mo_ray_slabs slabs =
          mo_cull_ray_slabs(&lanes, &node->bounds, mo_f8_all(mo_ray_cull_t(&ray, query->max_t)));
      mo_choice met = mo_choose_le(slabs.near_t, slabs.far_t, order, way);
      mo_choice_store_u8(&w.child[w.count], node->child, met);
      mo_choice_store_f8(&w.t[w.count], slabs.near_t, met);
      w.count += met.count;
      for (uint32_t i = 0; i < met.count; i++) {
        prefetch_child(scene, w.child[w.count - 1 - i]);
      }
      if (node->items != MO_NONE && trace_list(query, &ray, &lanes, way, node->items, goal)) {
        return true;
      }
    } else if (trace_list(query, &ray, &lanes, way, mo_child_index(child), goal)) {
      return true;
    }
    float cull_t = mo_ray_cull_t(&ray, query->max_t);
    do {
      if (w.count == 0) {
        return false;
      }
      w.count--;
    } while (w.t[w.count] > cull_t);
    child = w.child[w.count];
  }
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
