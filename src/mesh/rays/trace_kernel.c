/* Rays through the triangle octree; compiled once per instruction set.
 *
 * A node's eight boxes are tested at once. The children that the ray hits are pushed on the stack
 * in the order of the ray's octant, nearest on top, with neither a sort nor a branch per child.
 * A child is skipped when it is popped, if a nearer hit has been found since.
 *
 * The code for all formats of meshes is the same: trace_entry.h, included for the full one and for
 * the others. */
#include <stdalign.h>

#include "base/prefetch.h"
#include "mesh/rays/rays.h"
#include "mesh/rays/segment_sweep.h"

/* The stack of children to visit, from index 1 on. A push always writes eight elements, but may
 * count only some of them. */
typedef struct child_stack {
  uint32_t child[1 + MO_MESH_STACK_CAPACITY + MO_LANE_COUNT];
  float t[1 + MO_MESH_STACK_CAPACITY + MO_LANE_COUNT]; /* where the ray enters the child */
  uint32_t parent_slot[1 + MO_MESH_STACK_CAPACITY +
                       MO_LANE_COUNT];                   /* its node << 3 | slot, for MO_GOAL_ALL */
  alignas(MO_ALIGNMENT) uint32_t ordered[MO_LANE_COUNT]; /* scratch: children in visit order */
} child_stack;

/* Where children are in memory: [0] inner nodes, [1] leaves. */
typedef struct child_addresses {
  const char *base[2]; /* the address of index 0 */
  size_t size[2];      /* the stride in bytes */
} child_addresses;

MO_INLINE child_addresses child_addresses_of(const mo_tree_arrays *tree, mo_mesh_format format) {
  /* The children of height fields are computed, and not prefetched. */
  bool full = format == MO_MESH_FULL;
  return (child_addresses){{full ? (const char *)tree->nodes : (const char *)tree->compact_nodes,
                            full ? (const char *)tree->blocks : (const char *)tree->units},
                           {mo_node_bytes(format), mo_block_unit_bytes(format)}};
}

/* Prefetches a child without a branch, which would be unpredictable. */
MO_INLINE void prefetch_child(const child_addresses *all, mo_mesh_format format, uint32_t child) {
  if (format == MO_MESH_HEIGHT) {
    return;
  }
  uint32_t leaf = child >> 31;
  const char *memory = all->base[leaf] + mo_child_index(child) * all->size[leaf];
  mo_prefetch(memory, format == MO_MESH_FULL ? 4 : 3);
}

/* The traversal itself. On the fast path the ray is prepared for culling only, else completely.
 * `format`, `goal` and `count` are compile-time constants wherever this is inlined. */
MO_INLINE bool traverse_octree(const mo_ray_trace *trace, mo_mesh_format format, mo_ray_goal goal,
                               bool count) {
  const mo_mesh *mesh = trace->mesh;
  const mo_ray *ray = trace->ray;
  mo_mesh_hit *best = trace->best;
  const mo_ray_lanes lanes = mo_broadcast_ray(ray);
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, format);
  /* Children are pushed farthest first. Opposite directions use the same stored order in reverse:
   * mesh/mesh.h. */
  uint32_t signs = trace->world_map == NULL ? ray->signs : 0;
  bool reverse = goal != MO_GOAL_ANY && (signs >> 2) != 0;
  uint32_t order_word = signs ^ (7 & -(uint32_t)reverse);
  const mo_lane_order_direction direction = mo_lane_order_direction_of(!reverse);
  float cull_t = trace->fast ? best->max_t : mo_ray_scaled_max_t(ray, best->max_t);
  bool prepared_for_triangles = !trace->fast;
  const child_addresses all = child_addresses_of(&tree, format);
  child_stack stack;
  mo_child_buffer computed;
  /* Not a member of the stack struct: the compiler would have to keep it in memory, as the stores
   * of eight elements might overwrite it. */
  uint32_t height = 0;
  stack.child[0] =
      0; /* the child below the stack, which is prefetched in vain when the stack is empty */
  uint32_t child = 0, parent_slot = 0;
  for (;;) {
    if (!mo_child_is_leaf(child)) {
      const mo_node_links node = mo_load_links(&tree, format, child, &computed);
      if (count) {
        mo_count_mesh_node(trace->options->stats, mesh, child);
      }
      mo_ray_slabs slabs =
          mo_node_slabs(&tree, format, child, &lanes, trace->world_map, mo_f8_splat(cull_t));
      uint32_t order = goal == MO_GOAL_ANY ? *node.any_hit_order : node.order[order_word];
      uint32_t lanes_met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
      if ((lanes_met & (lanes_met - 1)) == 0) {
        if (lanes_met != 0) {
          uint32_t slot = (uint32_t)__builtin_ctz(lanes_met);
          parent_slot = child << 3 | slot;
          child = node.child[slot];
          prefetch_child(&all, format, stack.child[height]);
          continue;
        }
      } else {
        mo_lane_choice met =
            mo_choose_lanes_le(slabs.near_t, slabs.far_t, mo_lane_order_of(order, direction));
        mo_lane_choice_store_u8(&stack.child[height + 1], node.child, met);
        if (goal != MO_GOAL_ANY) {
          mo_lane_choice_store_f8(&stack.t[height + 1], slabs.near_t, met);
        }
        if (goal == MO_GOAL_ALL) {
          mo_lane_choice_store_lanes(&stack.parent_slot[height + 1], child << 3, met);
          parent_slot = child << 3 | mo_lane_choice_last(met, order, direction);
        }
        /* The next child is not read back from the stack, to avoid the latency of store-to-load
         * forwarding. */
        child = mo_lane_choice_last_u8(node.child, met, order, direction, stack.ordered);
        height += met.count - 1;
        prefetch_child(&all, format, stack.child[height]);
        continue;
      }
    } else {
      if (!prepared_for_triangles) {
        mo_ray_prepare_triangles(trace->in, trace->ray);
        prepared_for_triangles = true;
      }
      if (mo_ray_test_leaf(trace, format, mo_child_index(child), parent_slot, goal, count)) {
        return true;
      }
      if (goal == MO_GOAL_CLOSEST || goal == MO_GOAL_FIRST) {
        cull_t = trace->fast ? best->max_t : mo_ray_scaled_max_t(ray, best->max_t);
      }
    }
    bool found = false;
    while (height > 0 && !found) {
      found = goal == MO_GOAL_ANY || stack.t[height] <= cull_t;
      height--;
    }
    if (!found) {
      return false;
    }
    child = stack.child[height + 1];
    parent_slot = goal == MO_GOAL_ALL ? stack.parent_slot[height + 1] : 0;
  }
}

/* The general path. `world_map` and `count` (whether statistics are counted) follow from the
 * options, and are compile-time constants where possible. */
MO_INLINE bool trace_general(const mo_mesh *mesh, mo_mesh_format format, const mo_mesh_ray *in,
                             const mo_mesh_ray_options *options, mo_ray_goal goal,
                             const mo_affine *world_map, bool count, mo_mesh_hit *best) {
  mo_ray ray;
  mo_ray_prepare_general(mesh, in, world_map, &ray);
  mo_mailbox mailbox_memory, *mailbox = NULL;
  if (mesh->duplicate_count > 0 && !options->no_mailbox) {
    mailbox = &mailbox_memory;
    mo_mailbox_init(mailbox);
  }
  const mo_ray_trace trace = {mesh, in, options, &ray, best, world_map, mailbox, false};
  return traverse_octree(&trace, format, goal, count);
}

/* The fast path from the root, for a ray that is prepared for culling. */
MO_INLINE bool trace_from_root(const mo_mesh *mesh, mo_mesh_format format, const mo_mesh_ray *in,
                               mo_ray *ray, mo_ray_goal goal, mo_mesh_hit *best) {
  const mo_ray_trace trace = {mesh, in, NULL, ray, best, NULL, NULL, true};
  return traverse_octree(&trace, format, goal, false);
}

/* The fast path from some subtrees of the entry set. Returns false, before any hit, if the segment
 * hits too many of them: the traversal must then begin at the root. `*any` receives the result of
 * MO_GOAL_ANY. */
MO_INLINE bool trace_from_subtrees(const mo_ray_trace *trace, mo_mesh_format format,
                                   mo_ray_goal goal, uint64_t subtrees, bool *any) {
  const mo_mesh *mesh = trace->mesh;
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, format);
  mo_segment_lists hit_lists;
  uint32_t leaves;
  if (!mo_segment_find_leaves(&tree, format, trace->ray, trace->best->max_t,
                              mesh->segment_entry_points, subtrees, &hit_lists, &leaves)) {
    return false;
  }
  *any = false;
  if (leaves != 0) {
    mo_ray_prepare_triangles(trace->in, trace->ray);
    for (uint32_t i = 0; i < leaves; i++) {
      if (hit_lists.t[i] <= trace->best->max_t &&
          mo_ray_test_leaf(trace, format, mo_child_index(hit_lists.leaf[i]), 0, goal, false)) {
        *any = true;
        break;
      }
    }
  }
  return true;
}

/* Whether a ray of mo_mesh_cast_ray or mo_mesh_test_ray can take the fast path. Not if min_t or
 * max_t is -0, whose bits are compared as those of a large number. */
MO_INLINE bool fits_fast_path(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d) {
  uint32_t min_bits, max_bits;
  memcpy(&min_bits, &def->min_t, sizeof min_bits);
  memcpy(&max_bits, &def->max_t, sizeof max_bits);
  return def->accept_triangle == NULL && mo_ray_has_cookies(def) && min_bits < 0x7f800000u &&
         max_bits <= 0x7f800000u && mo_ray_takes_fast_path(o, d, 0.0f, &mesh->ray_limits);
}

/* Makes the input, and the ray prepared for culling, from the def of a ray that fits the fast
 * path. */
MO_INLINE void prepare_fast_ray(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d,
                                mo_mesh_ray *in, mo_ray *ray) {
  mo_ray_prepare_fast(mesh, o, d, 1.0f, mo_ray_fast_near_t(def->min_t), ray);
  mo_mesh_ray_init(in, def, &def->origin, &def->direction, NULL);
}

/* Traces a ray of a scene in the local space of a shape, where it is well-conditioned. Begins at
 * `subtrees` of the entry set, unless there is no entry set or the segment hits too many of
 * them. */
MO_INLINE mo_local_ray_result trace_in_shape(const mo_mesh *mesh, mo_mesh_format format,
                                             const mo_affine *affine, mo_f4 o, mo_f4 d,
                                             const uint64_t *subtrees, const mo_world_ray *world,
                                             mo_ray_goal goal, mo_mesh_hit *best) {
  mo_ray ray;
  mo_ray_prepare_fast(mesh, o, d, mo_affine_slope_factor(affine), world->near_t, &ray);
  mo_vec3 origin = mo_f4_to_vec3(o), direction = mo_f4_to_vec3(d);
  const mo_mesh_ray in = {&origin,      &direction,    &affine->axis_sizes,
                          world->min_t, world->ignore, world->cull};
  const mo_ray_trace trace = {mesh, &in, NULL, &ray, best, NULL, NULL, true};
  best->triangle = MO_NO_TRIANGLE;
  bool any;
  if (subtrees == NULL || !trace_from_subtrees(&trace, format, goal, *subtrees, &any)) {
    any = traverse_octree(&trace, format, goal, false);
  }
  if (goal == MO_GOAL_CLOSEST) {
    any = best->triangle != MO_NO_TRIANGLE;
  }
  return any ? MO_LOCAL_RAY_HIT : MO_LOCAL_RAY_MISS;
}

typedef mo_local_ray_result trace_local_segment(const mo_mesh *mesh, const mo_affine *affine,
                                                mo_f4 o, mo_f4 d, uint64_t subtrees,
                                                const mo_world_ray *world, mo_mesh_hit *best);

/* Takes a ray in world space to the space of the mesh and traces it there: a segment that has entry
 * points (mo_segment_entry_points_find) by `trace_segment`. */
MO_INLINE mo_local_ray_result trace_local(const mo_mesh *mesh, mo_mesh_format format,
                                          const mo_affine *affine, const mo_world_ray *world,
                                          mo_ray_goal goal, trace_local_segment *trace_segment,
                                          mo_mesh_hit *best) {
  mo_dvec3 v = mo_dsub(world->origin, mo_widen(affine->to_world.origin));
  mo_f4 o = mo_affine_apply_inverse(affine, v);
  mo_f4 d = mo_affine_apply_inverse(affine, world->direction);
  if (__builtin_expect(
          !mo_ray_takes_fast_path_in_mesh(o, d, mo_affine_slope_factor(affine), &mesh->ray_limits),
          0)) {
    return MO_LOCAL_RAY_NEEDS_GENERAL_PATH;
  }
  uint64_t subtrees;
  if (mo_segment_entry_points_find(mesh->segment_entry_points, o, d, best->max_t, &subtrees)) {
    return subtrees == 0 ? MO_LOCAL_RAY_MISS
                         : trace_segment(mesh, affine, o, d, subtrees, world, best);
  }
  return trace_in_shape(mesh, format, affine, o, d, NULL, world, goal, best);
}

/* Rays of the general path have specialised code if they are in the mesh's own space and no
 * statistics are counted. */
MO_INLINE bool is_local_without_stats(const mo_mesh_ray_options *options) {
  return options->world_map == NULL && options->stats == NULL;
}

#define FORMAT(mesh) MO_MESH_FULL
#define NAMED(name) full_##name
#include "mesh/rays/trace_entry.h"
#undef FORMAT
#undef NAMED

#define FORMAT(mesh) mo_decoded_format(mesh)
#define NAMED(name) decoded_##name
#include "mesh/rays/trace_entry.h"
#undef FORMAT
#undef NAMED

#define KERNELS(name)                                                                              \
  {                                                                                                \
    name##_closest, name##_any, name##_all, name##_first, name##_cast, name##_test, name##_find,   \
        name##_closest_local, name##_any_local                                                     \
  }

const mo_mesh_ray_kernels MO_ISA_FN(mo_mesh_ray_kernels)[MO_MESH_FORMAT_COUNT] = {
    [MO_MESH_FULL] = KERNELS(full),
    [MO_MESH_COMPACT] = KERNELS(decoded),
    [MO_MESH_HEIGHT] = KERNELS(decoded),
};
