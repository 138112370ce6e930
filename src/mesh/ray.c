/* Rays through the triangle octree; compiled once per instruction set.
 *
 * A node's eight boxes are tested at once and taken in front-to-back order of the ray's octant,
 * with no sorting; what waits on the stack is skipped when popped if a nearer hit has been found
 * since. */
#include "mesh/leaf.h"

typedef struct entry {
  uint32_t child;
  uint32_t from; /* node << 3 | slot */
  float t;       /* the ray enters there */
} entry;

static inline __attribute__((always_inline)) bool trace(const mo_mesh *mesh, mo_mesh_ray *query,
                                                        mo_ray_goal goal) {
  mo_mailbox mailbox_memory, *mailbox = NULL;
  if (mesh->duplicate_count > 0 && !query->no_mailbox) {
    mailbox = &mailbox_memory;
    mo_mailbox_init(mailbox);
  }
  const mo_ray *ray = &query->ray;
  uint32_t signs = mo_ray_order(query);
  float cull_t = mo_ray_cull_t(ray, query->max_t);
  entry stack[MO_MESH_STACK];
  uint32_t depth = 0;
  entry next = {.child = 0};
  for (;;) {
    if (mo_child_is_leaf(next.child)) {
      if (mo_ray_leaf(mesh, query, mo_child_index(next.child), next.from >> 3, next.from & 7,
                      mailbox, goal)) {
        return true;
      }
      if (goal == MO_GOAL_CLOSEST) {
        cull_t = mo_ray_cull_t(ray, query->max_t);
      }
    } else {
      const mo_mesh_node *node = &mesh->nodes[next.child];
      mo_count_mesh_node(query->stats, mesh, next.child);
      mo_bounds8 baked;
      const mo_bounds8 *bounds = mo_bounds_for(query->bake, &node->bounds, &baked);
      mo_ray_slabs slabs = mo_cull_ray_slabs(ray, bounds, cull_t);
      uint32_t order = node->order[signs];
      mo_f8 near_t = mo_f8_reorder(slabs.near_t, order);
      uint32_t mask = mo_m8_bits(mo_f8_le(near_t, mo_f8_reorder(slabs.far_t, order)));
      alignas(MO_ALIGNMENT) float t[MO_WIDTH];
      mo_f8_store(t, near_t);
      while (mask != 0) {
        uint32_t i = 31u - (uint32_t)__builtin_clz(mask);
        uint32_t slot = order >> (4 * i) & 7;
        mask ^= 1u << i;
        stack[depth++] = (entry){node->child[slot], next.child << 3 | slot, t[i]};
      }
    }
    do {
      if (depth == 0) {
        return false;
      }
      next = stack[--depth];
    } while (next.t > cull_t);
  }
}

static void closest(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace(mesh, query, MO_GOAL_CLOSEST);
}

static bool any(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace(mesh, query, MO_GOAL_ANY);
}

static void all(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace(mesh, query, MO_GOAL_ALL);
}

const mo_mesh_ray_kernels MO_ISA_FN(mo_mesh_ray_kernels) = {closest, any, all};
