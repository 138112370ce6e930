/* The traversal of the triangle octree by a packet. For inclusion in one translation unit.
 *
 * Why a traversal of its own: a packet reads each node once for up to 64 rays. Coherent rays take
 * 0.64 of the time of single rays on the bunny. */
#ifndef MO_BATCH_PACKET_WALK_H
#define MO_BATCH_PACKET_WALK_H

#include "batch/packet.h"
#include "mesh/format/read.h"

/* The state of a packet's traversal. */
typedef struct packet_tracer {
  const mo_packet_query *query; /* null for a scene: then of this struct only `packet` is used */
  const mo_mesh *mesh;
  float reach[3];      /* by axis: the largest magnitude of a coordinate of the mesh */
  mo_tree_arrays tree; /* of the mesh; its format is passed on as a compile-time constant */
  mo_packet *packet;
  mo_query_stats *stats;
  uint32_t ignore;
  mo_cull cull;
} packet_tracer;

/* --- tracing --- */

/* Tests the rays of a group against some triangles of a block, one triangle at a time. */
MO_INLINE void test_triangles_one_by_one(const packet_tracer *tracer, mo_ray_group *group,
                                         const mo_triangle_block *block, uint32_t triangles,
                                         uint32_t rays, mo_ray_goal goal) {
  const mo_packet *packet = tracer->packet;
  const mo_group_shear shear = mo_shear_of_group(packet, group);
  const float *x = block->corner[0][packet->kx], *y = block->corner[0][packet->ky],
              *z = block->corner[0][packet->kz];
  mo_f8 max_t = mo_f8_load(group->rays.max_t);
  for (; triangles != 0; triangles &= triangles - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(triangles);
    mo_f8 corner[3][3], t;
    for (uint32_t i = 0; i < 3; i++) {
      corner[i][0] = mo_f8_splat(x[24 * i + lane]);
      corner[i][1] = mo_f8_splat(y[24 * i + lane]);
      corner[i][2] = mo_f8_splat(z[24 * i + lane]);
    }
    mo_triangle_hits unused;
    uint32_t hits = mo_group_test_triangle(packet, group, &shear, corner, rays, max_t, tracer->cull,
                                           false, &t, &unused);
    if (hits == 0 || mo_nondegenerate_lanes(block, block->corner, 1u << lane) == 0) {
      continue;
    }
    if (goal == MO_GOAL_ANY) {
      group->found |= hits;
      rays &= ~hits;
      max_t = mo_f8_select(mo_m8_from_bits(hits), mo_f8_splat(-INFINITY), max_t);
      continue;
    }
    uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
    uint32_t closer = hits & mo_m8_bits(mo_f8_lt(t, max_t));
    max_t = mo_f8_select(mo_m8_from_bits(closer), t, max_t);
    for (; hits != 0; hits &= hits - 1) {
      uint32_t hit = (uint32_t)__builtin_ctz(hits);
      if ((closer >> hit & 1) || triangle < group->triangle[hit]) {
        group->triangle[hit] = triangle;
      }
    }
  }
  mo_f8_store(group->rays.max_t, max_t);
}

/* Sets max_t of one ray of a group. Stores all lanes, as they are loaded together next: a single
 * float would cause a store-to-load forwarding stall. */
MO_INLINE void set_ray_max_t(mo_ray_group *group, uint32_t lane, float t) {
  mo_f8 max_t = mo_f8_load(group->rays.max_t);
  mo_f8_store(group->rays.max_t, mo_f8_select(mo_m8_from_bits(1u << lane), mo_f8_splat(t), max_t));
}

/* Tests one ray against some triangles of a block. */
MO_INLINE void test_ray(const packet_tracer *tracer, mo_ray_group *group, uint32_t lane,
                        const mo_ray *ray, const mo_triangle_block *block, uint32_t triangles,
                        mo_ray_goal goal) {
  mo_triangle_hits found;
  float max_t = group->rays.max_t[lane];
  uint32_t hits =
      mo_ray_test_triangles8(ray, block->corner, triangles, max_t, tracer->cull, false, &found);
  if (hits != 0) {
    hits = mo_nondegenerate_lanes(block, block->corner, hits);
  }
  if (hits == 0) {
    return;
  }
  if (goal == MO_GOAL_ANY) {
    group->found |= 1u << lane;
    set_ray_max_t(group, lane, -INFINITY);
    return;
  }
  for (; hits != 0; hits &= hits - 1) {
    uint32_t hit = (uint32_t)__builtin_ctz(hits);
    uint32_t triangle = block->id[hit] & MO_LANE_TRIANGLE;
    float t = found.t[hit];
    if (t < max_t || (t == max_t && triangle < group->triangle[lane])) {
      max_t = t;
      group->triangle[lane] = triangle;
    }
  }
  set_ray_max_t(group, lane, max_t);
}

/* Bit mask of the triangles of a block to test: neither empty nor ignored. */
static inline uint32_t triangles_to_test(const packet_tracer *tracer,
                                         const mo_triangle_block *block) {
  uint32_t wanted = ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY) & 0xff;
  if (tracer->ignore != MO_NO_TRIANGLE) {
    wanted &= ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, tracer->ignore);
  }
  return wanted;
}

MO_INLINE void test_leaf_by_ray(const packet_tracer *tracer, mo_mesh_format format,
                                mo_ray_group *group, uint32_t lane, uint32_t first,
                                mo_ray_goal goal) {
  mo_ray ray;
  mo_group_extract_ray(tracer->packet, group, lane, &ray);
  for (uint32_t at = first;; at = mo_block_after(&tracer->tree, format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tracer->tree, format, at, &expanded);
    if (tracer->stats != NULL) {
      tracer->stats->mesh_block_count++;
    }
    test_ray(tracer, group, lane, &ray, block, triangles_to_test(tracer, block), goal);
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return;
    }
  }
}

MO_INLINE void test_leaf(const packet_tracer *tracer, mo_mesh_format format, uint32_t first,
                         const mo_bounds8 *bounds, uint32_t slot, uint32_t groups,
                         mo_ray_goal goal) {
  mo_packet *packet = tracer->packet;
  uint32_t rays[MO_PACKET_GROUPS];
  uint32_t active = 0;
  for (; groups != 0; groups &= groups - 1) {
    uint32_t g = (uint32_t)__builtin_ctz(groups);
    rays[g] = mo_rays_that_hit_box(packet, &packet->group[g], bounds, slot);
    active |= (uint32_t)(rays[g] != 0) << g;
  }
  if (active == 0) {
    return;
  }
  for (uint32_t at = first;; at = mo_block_after(&tracer->tree, format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tracer->tree, format, at, &expanded);
    if (tracer->stats != NULL) {
      tracer->stats->mesh_block_count++;
    }
    uint32_t wanted = triangles_to_test(tracer, block);
    mo_block_boxes boxes = mo_boxes_of_block(packet, block);
    for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
      uint32_t g = (uint32_t)__builtin_ctz(rest);
      mo_ray_group *group = &packet->group[g];
      uint32_t triangles = mo_boxes_that_group_may_hit(packet, g, &boxes) & wanted;
      test_triangles_one_by_one(tracer, group, block, triangles, rays[g], goal);
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      break;
    }
  }
  update_max_t(packet, active);
}

typedef struct pending_node {
  uint32_t child, parent_slot; /* parent_slot: the parent << 3 | the slot of `child` in it */
  float t;
} pending_node;

/* Traces a single ray of a packet below a node. */
MO_INLINE void trace_ray(const packet_tracer *tracer, mo_mesh_format format, mo_ray_group *group,
                         uint32_t lane, uint32_t child, mo_ray_goal goal) {
  const mo_mesh *mesh = tracer->mesh;
  const mo_packet *packet = tracer->packet;
  mo_f8 near_origin[3], far_origin[3], inverse[3];
  for (int axis = 0; axis < 3; axis++) {
    near_origin[axis] = mo_f8_splat(group->near_origin[axis][lane]);
    far_origin[axis] = mo_f8_splat(group->far_origin[axis][lane]);
    inverse[axis] = mo_f8_splat(group->inverse[axis][lane]);
  }
  const mo_f8 min_t = mo_f8_splat(mo_max(group->near_t[lane], 0.0f));
  uint32_t signs = packet->signs;
  bool reverse = goal != MO_GOAL_ANY && signs > 3;
  uint32_t order_word = reverse ? 7 - signs : signs;
  const mo_lane_order_direction order_direction = mo_lane_order_direction_of(!reverse);
  uint32_t stack[MO_MESH_STACK_CAPACITY + MO_LANE_COUNT], count = 0;
  float t[MO_MESH_STACK_CAPACITY + MO_LANE_COUNT];
  for (;;) {
    if (!mo_child_is_leaf(child)) {
      mo_child_buffer computed;
      const mo_node_links node = mo_load_links(&tracer->tree, format, child, &computed);
      if (tracer->stats != NULL) {
        mo_count_mesh_node(tracer->stats, mesh, child);
      }
      mo_f8 enter[3], leave[3], near_t[3], far_t[3];
      mo_load_side_rows(&tracer->tree, format, child, packet->enter, packet->leave, enter, leave);
      for (int axis = 0; axis < 3; axis++) {
        near_t[axis] = mo_f8_mul(mo_f8_sub(enter[axis], near_origin[axis]), inverse[axis]);
        far_t[axis] = mo_f8_mul(mo_f8_sub(leave[axis], far_origin[axis]), inverse[axis]);
      }
      mo_f8 from =
          mo_f8_max_bits(mo_f8_max_bits(near_t[0], near_t[1]), mo_f8_max_bits(near_t[2], min_t));
      mo_f8 to = /* + 0.0f: max_t may be -0, which the bitwise minimum takes for less than 0 */
          mo_f8_min_bits(mo_f8_min_bits(far_t[0], far_t[1]),
                         mo_f8_min_bits(far_t[2], mo_f8_splat(group->rays.max_t[lane] + 0.0f)));
      uint32_t order = goal == MO_GOAL_ANY ? *node.any_hit_order : node.order[order_word];
      mo_lane_choice met = mo_choose_lanes_le(from, to, mo_lane_order_of(order, order_direction));
      mo_lane_choice_store_u8(&stack[count], node.child, met);
      mo_lane_choice_store_f8(&t[count], from, met);
      count += met.count;
    } else {
      test_leaf_by_ray(tracer, format, group, lane, mo_child_index(child), goal);
      if (goal == MO_GOAL_ANY && group->rays.max_t[lane] < 0.0f) {
        return;
      }
    }
    do {
      if (count == 0) {
        return;
      }
      count--;
    } while (t[count] > group->rays.max_t[lane]);
    child = stack[count];
  }
}

/* If only a few rays of a packet hit a node, traces these below it one by one. If many do, does
 * nothing and returns false. */
MO_INLINE bool trace_if_few_rays(const packet_tracer *tracer, mo_mesh_format format,
                                 const pending_node *at, mo_ray_goal goal) {
  mo_packet *packet = tracer->packet;
  mo_bounds8 expanded;
  const mo_bounds8 *bounds = mo_load_bounds(&tracer->tree, format, at->parent_slot >> 3, &expanded);
  if (!packet->prepared) {
    prepare_packet(packet, tracer->reach, MO_RAY_MARGIN);
  }
  uint32_t groups = mo_groups_that_may_hit_box(packet, bounds, at->parent_slot & 7), count = 0;
  uint64_t rays = 0;
  for (uint32_t rest = groups; rest != 0; rest &= rest - 1) {
    uint32_t g = (uint32_t)__builtin_ctz(rest);
    uint32_t met = mo_rays_that_hit_box(packet, &packet->group[g], bounds, at->parent_slot & 7);
    rays |= (uint64_t)met << 8 * g;
    count += (uint32_t)__builtin_popcount(met);
    if (count > MO_MAX_RAYS_TRACED_SINGLY) {
      return false;
    }
  }
  if (rays == 0) {
    return true;
  }
  groups = 0;
  for (; rays != 0; rays &= rays - 1) {
    uint32_t ray = (uint32_t)__builtin_ctzll(rays);
    trace_ray(tracer, format, &packet->group[ray / 8], ray % 8, at->child, goal);
    groups |= 1u << ray / 8;
  }
  update_max_t(packet, groups);
  return true;
}

MO_INLINE void traverse_by_packet(const packet_tracer *tracer, mo_mesh_format format,
                                  mo_ray_goal goal) {
  const mo_mesh *mesh = tracer->mesh;
  mo_packet *packet = tracer->packet;
  const mo_ray_intervals intervals = packet->intervals;
  pending_node stack[MO_MESH_STACK_CAPACITY];
  uint32_t depth = 0;
  pending_node next = {0, 0, 0.0f};
  for (;;) {
    if (mo_child_is_leaf(next.child)) {
      mo_bounds8 expanded;
      const mo_bounds8 *bounds =
          mo_load_bounds(&tracer->tree, format, next.parent_slot >> 3, &expanded);
      if (!packet->prepared) {
        prepare_packet(packet, tracer->reach, MO_RAY_MARGIN);
      }
      uint32_t groups = mo_groups_that_may_hit_box(packet, bounds, next.parent_slot & 7);
      if (groups != 0) {
        test_leaf(tracer, format, mo_child_index(next.child), bounds, next.parent_slot & 7, groups,
                  goal);
      }
    } else if (next.child == 0 || !trace_if_few_rays(tracer, format, &next, goal)) {
      mo_child_buffer computed;
      const mo_node_links node = mo_load_links(&tracer->tree, format, next.child, &computed);
      if (tracer->stats != NULL) {
        mo_count_mesh_node(tracer->stats, mesh, next.child);
      }
      mo_f8 enter[3], leave[3];
      mo_load_side_rows(&tracer->tree, format, next.child, packet->enter, packet->leave, enter,
                        leave);
      mo_ray_slabs slabs =
          mo_slabs_of_intervals(&intervals, enter, leave, mo_f8_splat(packet->packet_max_t));
      uint32_t order =
          goal == MO_GOAL_ANY ? *node.any_hit_order : mo_mesh_slot_order(node.order, packet->signs);
      mo_f8 near_t = mo_f8_reorder(slabs.near_t, order);
      uint32_t mask = mo_m8_bits(mo_f8_le(near_t, mo_f8_reorder(slabs.far_t, order)));
      alignas(MO_ALIGNMENT) float t[MO_LANE_COUNT];
      mo_f8_store(t, near_t);
      while (mask != 0) {
        uint32_t i = 31u - (uint32_t)__builtin_clz(mask);
        mask ^= 1u << i;
        uint32_t slot = order >> (4 * i) & 7;
        stack[depth++] = (pending_node){node.child[slot], next.child << 3 | slot, t[i]};
      }
    }
    do {
      if (depth == 0) {
        return;
      }
      next = stack[--depth];
    } while (next.t > packet->packet_max_t);
    mo_child_prefetch(&tracer->tree, format, next.child);
    mo_child_prefetch(&tracer->tree, format, stack[depth > 0 ? depth - 1 : 0].child);
  }
}

static __attribute__((noinline)) void trace_packet_closest(const packet_tracer *tracer) {
  traverse_by_packet(tracer, MO_MESH_FULL, MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) void trace_packet_any(const packet_tracer *tracer) {
  traverse_by_packet(tracer, MO_MESH_FULL, MO_GOAL_ANY);
}

static __attribute__((noinline)) void trace_decoded_closest(const packet_tracer *tracer) {
  traverse_by_packet(tracer, mo_decoded_format(tracer->mesh), MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) void trace_decoded_any(const packet_tracer *tracer) {
  traverse_by_packet(tracer, mo_decoded_format(tracer->mesh), MO_GOAL_ANY);
}

static void trace_packet(const packet_tracer *tracer, mo_ray_goal goal) {
  bool closest = goal == MO_GOAL_CLOSEST;
  if (tracer->mesh->format == MO_MESH_FULL) {
    closest ? trace_packet_closest(tracer) : trace_packet_any(tracer);
  } else {
    closest ? trace_decoded_closest(tracer) : trace_decoded_any(tracer);
  }
}

#endif
