/* Rays through the shape octree; compiled once per instruction set.
 *
 * Octants are taken front to back, i ^ sign mask; shapes of a block by the distance at which the
 * ray enters their boxes. A shape whose box begins beyond the best hit is not tested. */
#include "octree/cull.h"
#include "octree/order.h"
#include "query/scene_ray.h"

typedef struct entry {
  uint32_t child;
  float t; /* the ray enters there */
} entry;

/* The shapes of a list of blocks. */
static bool trace_blocks(mo_scene_ray *query, const mo_ray_lanes *lanes, uint32_t first) {
  const mo_scene *scene = query->scene;
  for (uint32_t b = first; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    query->stats->scene_blocks++;
    mo_ray_slabs slabs = mo_cull_ray_slabs(lanes, &block->bounds,
                                           mo_f8_all(mo_ray_cull_t(&query->ray, query->max_t)));
    uint32_t mask = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
    if (mask == 0) {
      continue;
    }
    alignas(MO_ALIGNMENT) float t[MO_WIDTH];
    mo_f8_store(t, slabs.near_t);
    while (mask != 0) {
      uint32_t nearest = (uint32_t)__builtin_ctz(mask);
      for (uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        nearest = t[lane] < t[nearest] ? lane : nearest;
      }
      if (t[nearest] > mo_ray_cull_t(&query->ray, query->max_t)) {
        break;
      }
      mask ^= 1u << nearest;
      if (mo_scene_ray_shape(query, block->shape[nearest])) {
        return true;
      }
    }
  }
  return false;
}

bool MO_ISA_FN(mo_scene_trace)(mo_scene_ray *query) {
  const mo_scene *scene = query->scene;
  const mo_ray *ray = &query->ray;
  const mo_ray_lanes lanes = mo_spread_ray(ray);
  /* Slots in front-to-back order: nibble i is i ^ flip. */
  uint32_t flip = mo_octant_flip(ray->signs);
  uint32_t order = 0x76543210u ^ flip * 0x11111111u;
  entry stack[MO_SCENE_STACK];
  uint32_t depth = 0;
  entry next = {.child = scene->root, .t = ray->near_t};
  if (scene->root == MO_CHILD_EMPTY) {
    return false;
  }
  for (;;) {
    if (mo_child_is_leaf(next.child)) {
      if (trace_blocks(query, &lanes, mo_child_index(next.child))) {
        return true;
      }
    } else {
      const mo_scene_node *node = mo_scene_node_at(scene, next.child);
      mo_count_scene_node(query->stats, next.child);
      mo_ray_slabs slabs =
          mo_cull_ray_slabs(&lanes, &node->bounds, mo_f8_all(mo_ray_cull_t(ray, query->max_t)));
      mo_f8 near_t = mo_f8_reorder(slabs.near_t, order);
      uint32_t mask = mo_m8_bits(mo_f8_le(near_t, mo_f8_reorder(slabs.far_t, order)));
      alignas(MO_ALIGNMENT) float t[MO_WIDTH];
      mo_f8_store(t, near_t);
      while (mask != 0) {
        uint32_t i = 31u - (uint32_t)__builtin_clz(mask);
        mask ^= 1u << i;
        stack[depth++] = (entry){node->child[i ^ flip], t[i]};
      }
      if (node->items != MO_NONE && trace_blocks(query, &lanes, node->items)) {
        return true;
      }
    }
    float cull_t = mo_ray_cull_t(ray, query->max_t);
    do {
      if (depth == 0) {
        return false;
      }
      next = stack[--depth];
    } while (next.t > cull_t);
  }
}
