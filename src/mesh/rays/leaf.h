/* Tests a ray against a leaf of the triangle octree. Shared by single rays and batches.
 *
 * Testing the eight triangles of a block costs as much as testing one, so the mailbox
 * (mesh/visit/mailbox.h) is checked only for triangles that pass the edge functions. Rays on the
 * fast path use no mailbox, as it costs more time than it saves. */
#ifndef MO_MESH_RAYS_LEAF_H
#define MO_MESH_RAYS_LEAF_H

#include "mesh/rays/ray.h"
#include "mesh/visit/visit.h"

/* The state of a ray that traverses a mesh. It is a local variable of the function into which a
 * traversal is inlined, so that `fast`, and `world_map` and `mailbox` if they are null, are
 * constants there. */
typedef struct mo_ray_trace {
  const mo_mesh *mesh;
  const mo_mesh_ray *in;              /* the ray as the query was given it */
  const mo_mesh_ray_options *options; /* of the general path; not read on the fast path */
  mo_ray *ray;                        /* when a leaf is tested, must be prepared for triangles */
  mo_mesh_hit *best;
  const mo_affine *world_map; /* options->world_map; null on the fast path */
  mo_mailbox *mailbox;        /* null for none */
  bool fast;                  /* the fast path: there are no options, and t is not scaled */
} mo_ray_trace;

/* The slab test of a ray against a node's boxes. */
MO_INLINE mo_ray_slabs mo_node_slabs(const mo_tree_arrays *tree, mo_mesh_format format,
                                     uint32_t node, const mo_ray_lanes *ray,
                                     const mo_affine *world_map, mo_f8 max_t) {
  if (world_map != NULL) {
    mo_bounds8 expanded, in_world;
    const mo_bounds8 *bounds = mo_load_bounds(tree, format, node, &expanded);
    return mo_ray_slab_test(ray, mo_bounds_to_query_space(world_map, bounds, &in_world), max_t);
  }
  if (format == MO_MESH_COMPACT) {
    return mo_ray_slab_test_compact(ray, &tree->compact_nodes[node].box, max_t);
  }
  mo_bounds8 expanded;
  return mo_ray_slab_test(ray, mo_load_bounds(tree, format, node, &expanded), max_t);
}

/* The context of mo_ray_find_passing_slots: a ray, and its end, which with MO_GOAL_ALL does not
 * change during the traversal. */
typedef struct mo_ray_slot_test {
  const mo_ray *ray;
  const mo_affine *world_map;
  float max_t;
} mo_ray_slot_test;

/* Callback for mo_mesh_is_first_reference: bits of the slots of a node that the ray enters. */
static inline uint32_t mo_ray_find_passing_slots(const mo_mesh *mesh, uint32_t node,
                                                 const void *context) {
  const mo_ray_slot_test *reach = context;
  mo_bounds8 expanded, in_world;
  const mo_bounds8 *bounds = mo_mesh_bounds8(mesh, node, &expanded);
  return mo_boxes_hit_by_ray(reach->ray,
                             mo_bounds_to_query_space(reach->world_map, bounds, &in_world),
                             mo_ray_scaled_max_t(reach->ray, reach->max_t));
}

/* A triangle with several references is reported from one of them only. Returns whether MO_GOAL_ALL
 * reports it from the reference in slot `from` (node << 3 | slot). Transformed nodes have no
 * front-to-back order. */
static inline bool mo_ray_is_first_reference(const mo_ray_trace *trace, uint32_t triangle,
                                             uint32_t from) {
  const mo_ray_slot_test reach = {trace->ray, trace->world_map, trace->best->max_t};
  return mo_mesh_is_first_reference(trace->mesh, triangle, from >> 3, from & 7,
                                    trace->world_map == NULL ? trace->ray->signs : 0,
                                    mo_ray_find_passing_slots, &reach);
}

/* Makes an incomplete hit for a list. Padding is set to zero, so that equal hits have equal
 * bytes. */
static inline mo_ray_hit mo_hit_make(mo_shape_id shape, uint32_t child, uint32_t triangle, float t,
                                     float u, float v, bool front) {
  mo_ray_hit hit;
  memset(&hit, 0, sizeof hit);
  hit.found = true;
  hit.shape = shape;
  hit.child = child;
  hit.triangle = triangle;
  hit.t = t;
  hit.u = u;
  hit.v = v;
  hit.front = front;
  return hit;
}

/* For MO_GOAL_ALL and MO_GOAL_FIRST: adds a hit to the list if it is accepted, and with
 * MO_GOAL_FIRST if it belongs in the list. `duplicated`: the triangle has several references, so
 * with MO_GOAL_FIRST it may be in the list already. */
void mo_mesh_ray_list_hit(const mo_mesh_ray_options *options, const mo_ray_hit *hit,
                          mo_ray_goal goal, bool duplicated, mo_mesh_hit *best);

/* Processes a hit of one lane of the block at position `at`. Returns true if the traversal may
 * stop. */
MO_INLINE bool mo_ray_process_hit(const mo_ray_trace *trace, const mo_triangle_block *block,
                                  uint32_t at, const mo_triangle_hits *found, int lane,
                                  uint32_t from, mo_ray_goal goal) {
  const mo_mesh_ray_options *options = trace->options;
  mo_mesh_hit *best = trace->best;
  uint32_t id = block->id[lane], triangle = id & MO_LANE_TRIANGLE;
  float t = found->t[lane];
  bool front = (found->front >> lane & 1) != (!trace->fast && options->mirrored);
  bool nearer = t < best->max_t || (t == best->max_t && triangle < best->triangle);
  if ((goal == MO_GOAL_CLOSEST && !nearer) || triangle == trace->in->ignore) {
    return false;
  }
  if (goal == MO_GOAL_ALL && (id & MO_LANE_DUPLICATED) &&
      !mo_ray_is_first_reference(trace, triangle, from)) {
    return false;
  }
  if (goal == MO_GOAL_ALL || goal == MO_GOAL_FIRST) {
    mo_ray_hit hit = mo_hit_make(options->shape, options->child, triangle, t, found->u[lane],
                                 found->v[lane], front);
    mo_mesh_ray_list_hit(options, &hit, goal, (id & MO_LANE_DUPLICATED) != 0, best);
    return false;
  }
  if (!trace->fast && options->accept != NULL &&
      !options->accept((mo_triangle_ref){options->shape, triangle, options->child}, t,
                       options->accept_context)) {
    return false;
  }
  if (goal == MO_GOAL_CLOSEST) {
    best->max_t = t;
    best->triangle = triangle;
    best->place = at << 3 | (uint32_t)lane;
    best->u = found->u[lane];
    best->v = found->v[lane];
    best->front = front;
  }
  return goal == MO_GOAL_ANY;
}

/* Tests a ray against a leaf, beginning with its first block. `from` is the leaf's slot (node << 3
 * | slot), which only MO_GOAL_ALL reads. Returns true if the traversal may stop. `goal`, `count`,
 * and where possible `format` and the members of `trace`, are constants wherever this is
 * inlined. */
MO_INLINE bool mo_ray_test_leaf(const mo_ray_trace *trace, mo_mesh_format format, uint32_t first,
                                uint32_t from, mo_ray_goal goal, bool count) {
  const mo_mesh_ray *in = trace->in;
  const mo_affine *world_map = trace->world_map;
  mo_query_stats *stats = count ? trace->options->stats : NULL;
  /* Loaded from memory for each leaf: that is no slower than keeping it in registers, and many rays
   * hit no leaf. */
  const mo_shear_lanes shear = mo_broadcast_shear(trace->ray);
  const mo_tree_arrays tree = mo_tree_arrays_of(trace->mesh, format);
  for (uint32_t at = first;; at = mo_block_after(&tree, format, at)) {
    mo_triangle_block expanded, in_world;
    const mo_triangle_block *block = mo_load_block(&tree, format, at, &expanded);
    const mo_triangle_block *tested = block;
    if (world_map != NULL) {
      mo_block_to_world(world_map, block, &in_world);
      tested = &in_world;
    }
    mo_edge_products8 edges;
    uint32_t candidates = mo_ray_test_edges8(&shear, tested->corner, in->cull, &edges);
    if (count) {
      uint32_t empty = mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY);
      stats->mesh_block_count++;
      stats->triangle_count += 8u - (uint32_t)__builtin_popcount(empty);
    }
    if (candidates != 0) {
      candidates &= ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY);
      if (trace->mailbox != NULL && (block->id[1] & MO_LANE_SOME_DUPLICATED)) {
        uint32_t met = mo_mailbox_test_and_add(trace->mailbox, block, candidates);
        candidates &= ~met;
        if (count) {
          stats->mailbox_hit_count += (uint32_t)__builtin_popcount(met);
          stats->triangle_count -= (uint32_t)__builtin_popcount(met);
        }
      }
      if (candidates != 0) {
        mo_triangle_hits found;
        uint32_t hits =
            mo_ray_find_hits8(trace->ray, tested->corner, &edges, candidates, trace->best->max_t,
                              in->cull, goal != MO_GOAL_ANY, trace->fast, &found);
        if (hits != 0) {
          hits = mo_nondegenerate_lanes(block, tested->corner, hits);
        }
        /* Iterates over `candidates` instead of `hits`: most candidates are hits, and their mask is
         * known earlier. */
        for (; hits != 0; candidates &= candidates - 1) {
          int lane = __builtin_ctz(candidates);
          if (!(hits >> lane & 1)) {
            continue;
          }
          hits &= ~(1u << lane);
          if (mo_ray_process_hit(trace, block, at, &found, lane, from, goal)) {
            return true;
          }
        }
      }
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return false;
    }
  }
}

#endif
