/* Rays through the triangle octree; compiled once per instruction set.
 *
 * A node's eight boxes are tested at once and taken in front-to-back order of the ray's octant,
 * with no sorting; what waits on the stack is skipped when popped if a nearer hit has been found
 * since. */
#include "mesh/leaf.h"

/* Children that wait. */
typedef struct waiting {
  uint32_t child[MO_MESH_STACK];
  float t[MO_MESH_STACK];       /* where the ray enters */
  uint32_t from[MO_MESH_STACK]; /* node << 3 | slot; kept where all hits are wanted */
  uint32_t count;
} waiting;

/* Asks for the memory of a child that is needed soon. */
static inline __attribute__((always_inline)) void prefetch(const mo_mesh *mesh, uint32_t child) {
  const char *memory = mo_child_is_leaf(child) ? (const char *)&mesh->blocks[mo_child_index(child)]
                                               : (const char *)&mesh->nodes[child];
  for (uint32_t line = 0; line < 4; line++) {
    __builtin_prefetch(memory + line * MO_ALIGNMENT);
  }
}

static inline __attribute__((always_inline)) void push(const mo_mesh *mesh, waiting *w,
                                                       const mo_mesh_node *node, uint32_t index,
                                                       uint32_t slot, float t, mo_ray_goal goal) {
  w->child[w->count] = node->child[slot];
  prefetch(mesh, node->child[slot]);
  w->t[w->count] = t;
  if (goal == MO_GOAL_ALL) {
    w->from[w->count] = index << 3 | slot;
  }
  w->count++;
}

/* Pushes all slots that the ray meets, the first in the order of its octant on top. */
static inline __attribute__((always_inline)) void push_in_order(const mo_mesh *mesh, waiting *w,
                                                                const mo_mesh_node *node,
                                                                uint32_t index, mo_ray_slabs slabs,
                                                                uint32_t order, mo_ray_goal goal) {
  mo_f8 near_t = mo_f8_reorder(slabs.near_t, order);
  uint32_t mask = mo_m8_bits(mo_f8_le(near_t, mo_f8_reorder(slabs.far_t, order)));
  alignas(MO_ALIGNMENT) float t[MO_WIDTH];
  mo_f8_store(t, near_t);
  while (mask != 0) {
    uint32_t i = 31u - (uint32_t)__builtin_clz(mask);
    mask ^= 1u << i;
    push(mesh, w, node, index, order >> (4 * i) & 7, t[i], goal);
  }
}

/* The same where any hit will do: the likeliest on top. */
static inline __attribute__((always_inline)) void
push_by_likelihood(const mo_mesh *mesh, waiting *w, const mo_mesh_node *node, uint32_t index,
                   mo_ray_slabs slabs, uint32_t mask) {
  alignas(MO_ALIGNMENT) float t[MO_WIDTH];
  mo_f8_store(t, slabs.near_t);
  for (int i = 28; i >= 0; i -= 4) {
    uint32_t slot = node->any_order >> i & 7;
    if (mask >> slot & 1) {
      push(mesh, w, node, index, slot, t[slot], MO_GOAL_ANY);
    }
  }
}

static inline bool is_likelier(const mo_mesh_node *node, uint32_t slot, uint32_t than) {
  uint32_t order = node->any_order;
  while ((order & 7) != slot && (order & 7) != than) {
    order >>= 4;
  }
  return (order & 7) == slot;
}

/* Where any hit will do, the leaves of a node are tested before anything deeper: those near the
 * root hold the large triangles. Takes them out of the mask; returns whether one was hit. */
static inline __attribute__((always_inline)) bool any_in_leaves(const mo_mesh *mesh,
                                                                mo_mesh_ray *query, uint32_t index,
                                                                uint32_t *mask, mo_mailbox *mailbox,
                                                                const mo_affine *bake) {
  const mo_mesh_node *node = &mesh->nodes[index];
  uint32_t leaves = *mask & mo_u8_equal(node->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
  *mask ^= leaves;
  for (; leaves != 0; leaves &= leaves - 1) {
    uint32_t slot = (uint32_t)__builtin_ctz(leaves);
    if (mo_ray_leaf(mesh, query, mo_child_index(node->child[slot]), index, slot, mailbox,
                    MO_GOAL_ANY, bake)) {
      return true;
    }
  }
  return false;
}

static inline __attribute__((always_inline)) bool trace(const mo_mesh *mesh, mo_mesh_ray *query,
                                                        mo_ray_goal goal, const mo_affine *bake) {
  mo_mailbox mailbox_memory, *mailbox = NULL;
  if (mesh->duplicate_count > 0 && !query->no_mailbox) {
    mailbox = &mailbox_memory;
    mo_mailbox_init(mailbox);
  }
  const mo_ray *ray = &query->ray;
  const mo_ray_lanes lanes = mo_spread_ray(ray);
  const mo_mesh_node *nodes = mesh->nodes;
  uint32_t signs = bake == NULL ? ray->signs : 0;
  float cull_t = mo_ray_cull_t(ray, query->max_t);
  uint32_t *visits = mo_visits_of(query->stats, mesh);
  waiting w;
  w.count = 0;
  uint32_t child = 0, from = 0;
  for (;;) {
    while (!mo_child_is_leaf(child)) {
      const mo_mesh_node *node = &nodes[child];
      query->stats->mesh_nodes++;
      if (visits != NULL && child < query->stats->mesh_visit_capacity) {
        visits[child]++;
      }
      mo_bounds8 baked;
      const mo_bounds8 *bounds = mo_bounds_for(bake, &node->bounds, &baked);
      mo_ray_slabs slabs = mo_cull_ray_slabs(&lanes, bounds, cull_t);
      uint32_t mask = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
      if (goal == MO_GOAL_ANY && any_in_leaves(mesh, query, child, &mask, mailbox, bake)) {
        return true;
      }
      uint32_t rest = mask & (mask - 1);
      if (mask != 0 && rest == 0) { /* one: go on there */
        uint32_t slot = (uint32_t)__builtin_ctz(mask);
        from = child << 3 | slot;
        child = node->child[slot];
        continue;
      }
      if (goal != MO_GOAL_ALL && mask != 0 && (rest & (rest - 1)) == 0) { /* two */
        alignas(MO_ALIGNMENT) float t[MO_WIDTH];
        mo_f8_store(t, slabs.near_t);
        uint32_t a = (uint32_t)__builtin_ctz(mask), b = (uint32_t)__builtin_ctz(rest);
        bool swap = goal == MO_GOAL_ANY ? is_likelier(node, b, a) : t[b] < t[a];
        push(mesh, &w, node, child, swap ? a : b, swap ? t[a] : t[b], goal);
        child = node->child[swap ? b : a];
        continue;
      }
      if (goal == MO_GOAL_ANY) {
        push_by_likelihood(mesh, &w, node, child, slabs, mask);
      } else {
        push_in_order(mesh, &w, node, child, slabs, mo_mesh_order(node, signs), goal);
      }
      do {
        if (w.count == 0) {
          return false;
        }
        w.count--;
      } while (w.t[w.count] > cull_t);
      child = w.child[w.count];
      from = goal == MO_GOAL_ALL ? w.from[w.count] : 0;
    }
    if (mo_ray_leaf(mesh, query, mo_child_index(child), from >> 3, from & 7, mailbox, goal, bake)) {
      return true;
    }
    if (goal == MO_GOAL_CLOSEST) {
      cull_t = mo_ray_cull_t(ray, query->max_t);
    }
    do {
      if (w.count == 0) {
        return false;
      }
      w.count--;
    } while (w.t[w.count] > cull_t);
    child = w.child[w.count];
    from = goal == MO_GOAL_ALL ? w.from[w.count] : 0;
  }
}

/* The usual case, a ray in the mesh's own space, has code of its own. */
static __attribute__((noinline)) bool trace_baked(const mo_mesh *mesh, mo_mesh_ray *query,
                                                  mo_ray_goal goal) {
  switch (goal) {
  case MO_GOAL_CLOSEST:
    return trace(mesh, query, MO_GOAL_CLOSEST, query->bake);
  case MO_GOAL_ANY:
    return trace(mesh, query, MO_GOAL_ANY, query->bake);
  case MO_GOAL_ALL:
    break;
  }
  return trace(mesh, query, MO_GOAL_ALL, query->bake);
}

static inline __attribute__((always_inline)) bool
trace_in_space(const mo_mesh *mesh, mo_mesh_ray *query, mo_ray_goal goal) {
  return query->bake == NULL ? trace(mesh, query, goal, NULL) : trace_baked(mesh, query, goal);
}

static void closest(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_in_space(mesh, query, MO_GOAL_CLOSEST);
}

static bool any(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_in_space(mesh, query, MO_GOAL_ANY);
}

static void all(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_in_space(mesh, query, MO_GOAL_ALL);
}

const mo_mesh_ray_kernels MO_ISA_FN(mo_mesh_ray_kernels) = {closest, any, all};
