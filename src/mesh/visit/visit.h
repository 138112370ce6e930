/* The visitors of the triangle octree: traversals that are written once for all mesh formats and
 * for all queries except rays, which have their own (mesh/rays). A query consists of a culling test
 * of eight boxes and a test of one triangle. Both are inlined into the visitor, so include this in
 * kernels, and pass a constant struct of static functions.
 *
 * mo_visit_triangles is unordered: it reports every triangle that passes, each once.
 * mo_visit_triangles_nearest is best first: it visits nearer children first, up to a limit of
 * distance or time that shrinks with each hit. */
#ifndef MO_MESH_VISIT_VISIT_H
#define MO_MESH_VISIT_VISIT_H

#include "base/assert.h"
#include "math/lanes/vectors.h"
#include "mesh/query.h"
#include "mesh/visit/mailbox.h"
#include "octree/visit.h"

/* For shapes whose transform has no usable inverse, queries cull and test in world space. This
 * makes a copy of a block with the corners of its triangles transformed to the world. */
static inline void mo_block_to_world(const mo_affine *affine, const mo_triangle_block *block,
                                     mo_triangle_block *in_world) {
  for (int i = 0; i < 3; i++) {
    for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
      mo_vec3 p = mo_affine_point_to_world_float(affine, mo_block_corner(block, i, lane));
      in_world->corner[i][0][lane] = p.x;
      in_world->corner[i][1][lane] = p.y;
      in_world->corner[i][2][lane] = p.z;
    }
  }
}

/* A node's boxes in the query's space: transformed to the world if `world_map` is not null. */
static inline const mo_bounds8 *mo_bounds_to_query_space(const mo_affine *world_map,
                                                         const mo_bounds8 *bounds,
                                                         mo_bounds8 *in_world) {
  if (world_map == NULL) {
    return bounds;
  }
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    mo_bounds8_set(in_world, slot,
                   mo_affine_aabb_to_world(world_map, mo_bounds8_get(bounds, slot)));
  }
  return in_world;
}

/* A query for all triangles that pass a test. */
typedef struct mo_triangle_visitor {
  mo_cull8 *cull; /* test of boxes in the mesh's space; must give the same answers during the
                     whole traversal */
  /* Optional: bits of boxes of which every triangle with a point inside surely passes the test.
   * Boxes that are culled, and empty ones, may be among them. */
  mo_cull8 *contained_boxes;
  /* Optional replacement for `cull` on the triangles of a block: of some lanes, returns those that
   * may pass the test; `sure_lanes` receives those that surely do, and need not be tested. Null:
   * `cull` is used. */
  uint32_t (*cull_block)(const mo_triangle_block *block, uint32_t lanes, uint32_t *sure_lanes,
                         const void *query);
  bool (*test)(const mo_vec3 corners[3], const void *query); /* the exact test; local corners */
  /* Called once for each triangle; false ends the traversal. */
  bool (*report)(uint32_t triangle, void *query);
} mo_triangle_visitor;

/* The boxes around a block's triangles. */
static inline mo_bounds8 mo_block_bounds(const mo_triangle_block *block) {
  mo_bounds8 bounds;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 a = mo_f8_load(block->corner[0][axis]);
    mo_f8 b = mo_f8_load(block->corner[1][axis]);
    mo_f8 c = mo_f8_load(block->corner[2][axis]);
    mo_f8_store(bounds.lower[axis], mo_f8_min(mo_f8_min(a, b), c));
    mo_f8_store(bounds.upper[axis], mo_f8_max(mo_f8_max(a, b), c));
  }
  return bounds;
}

/* The corners of eight triangles, one triangle per lane. */
typedef struct mo_block_corners8 {
  mo_lanes3 corner[3];
} mo_block_corners8;

/* Sets `taken` to the corners of a block's triangles, transformed by an affine map. */
MO_INLINE void mo_block_set_corners(mo_block_corners8 *taken, const mo_triangle_block *block,
                                    const mo_transform *map) {
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 a = mo_f8_splat(mo_get(map->x_axis, axis)), b = mo_f8_splat(mo_get(map->y_axis, axis));
    mo_f8 c = mo_f8_splat(mo_get(map->z_axis, axis)),
          origin = mo_f8_splat(mo_get(map->origin, axis));
    for (int i = 0; i < 3; i++) {
      mo_f8 x = mo_f8_mul(a, mo_f8_load(block->corner[i][0]));
      mo_f8 y = mo_f8_mul(b, mo_f8_load(block->corner[i][1]));
      mo_f8 z = mo_f8_mul(c, mo_f8_load(block->corner[i][2]));
      taken->corner[i].at[axis] = mo_f8_add(mo_f8_add(origin, x), mo_f8_add(y, z));
    }
  }
}

static inline mo_block_corners8 mo_block_corners(const mo_triangle_block *block,
                                                 const mo_transform *map) {
  mo_block_corners8 taken;
  mo_block_set_corners(&taken, block, map);
  return taken;
}

/* The lanes of a block with triangles that the mailbox does not have; without a mailbox, all lanes
 * with triangles. */
static inline uint32_t mo_block_untested_lanes(const mo_triangle_block *block, mo_mailbox *mailbox,
                                               mo_query_stats *stats) {
  uint32_t met = 0;
  if (mailbox != NULL && block->id[1] & MO_LANE_SOME_DUPLICATED) {
    met = mo_mailbox_test_and_add(mailbox, block, 0xff);
  }
  uint32_t lanes = ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY) & 0xff & ~met;
  stats->mesh_block_count++;
  stats->mailbox_hit_count += (uint32_t)__builtin_popcount(met);
  stats->triangle_count += (uint32_t)__builtin_popcount(lanes);
  return lanes;
}

/* The context of mo_cull_find_passing_slots: a culling test and its query. */
typedef struct mo_cull_slot_test {
  mo_cull8 *cull;
  const void *query;
} mo_cull_slot_test;

/* Callback for mo_mesh_is_first_reference: bits of the slots of a node that a traversal enters. */
static inline uint32_t mo_cull_find_passing_slots(const mo_mesh *mesh, uint32_t node,
                                                  const void *context) {
  const mo_cull_slot_test *reach = context;
  mo_bounds8 expanded;
  return reach->cull(mo_mesh_bounds8(mesh, node, &expanded), reach->query);
}

/* A slot of a node to visit, and whether all triangles with a point in its box pass the test. */
typedef struct mo_slot_to_visit {
  uint32_t node_slot; /* node << 3 | slot */
  bool is_contained;
} mo_slot_to_visit;

/* Visits a leaf, beginning with its first block. Returns false if the traversal was ended. */
MO_INLINE bool mo_visit_leaf(const mo_mesh *mesh, mo_mesh_format format, uint32_t first,
                             mo_slot_to_visit slot, const mo_triangle_visitor *v,
                             mo_mailbox *mailbox, mo_query_stats *stats, void *query) {
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, format);
  for (uint32_t at = first;; at = mo_block_after(&tree, format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, format, at, &expanded);
    uint32_t lanes = mo_block_untested_lanes(block, mailbox, stats), sure_lanes = 0;
    if (slot.is_contained) {
      sure_lanes = lanes;
    } else if (lanes != 0 && v->cull_block != NULL) {
      lanes = v->cull_block(block, lanes, &sure_lanes, query);
    } else if (lanes != 0) {
      mo_bounds8 bounds = mo_block_bounds(block);
      lanes &= v->cull(&bounds, query);
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
      if (!(sure_lanes >> lane & 1)) {
        mo_vec3 corners[3];
        mo_block_triangle(block, (uint32_t)lane, corners);
        if (!v->test(corners, query)) {
          continue;
        }
      }
      if (block->id[lane] & MO_LANE_DUPLICATED) {
        const mo_cull_slot_test reach = {v->cull, query};
        if (!mo_mesh_is_first_reference(mesh, triangle, slot.node_slot >> 3, slot.node_slot & 7, 0,
                                        mo_cull_find_passing_slots, &reach)) {
          continue;
        }
      }
      if (!v->report(triangle, query)) {
        return false;
      }
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return true;
    }
  }
}

/* The caller owns the stack, so that the code for all formats shares its memory. */
MO_INLINE bool mo_visit_triangles_of_format(const mo_mesh *mesh, mo_mesh_format format,
                                            mo_slot_to_visit stack[MO_MESH_STACK_CAPACITY],
                                            const mo_triangle_visitor *v, mo_query_stats *stats,
                                            void *query) {
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, format);
  mo_mailbox mailbox;
  mo_mailbox_init(&mailbox);
  uint32_t height = 0, node = 0;
  bool whole = false;
  for (;;) {
    mo_count_mesh_node(stats, mesh, node);
    mo_bounds8 expanded;
    const mo_bounds8 *bounds = mo_load_bounds(&tree, format, node, &expanded);
    uint32_t mask = mo_load_child_bits(&tree, format, node), contained = 0xff;
    if (whole) {
      mask &= mo_nonempty_boxes(bounds);
    } else {
      mask &= v->cull(bounds, query);
      contained = v->contained_boxes != NULL && mask != 0 ? v->contained_boxes(bounds, query) : 0;
    }
    while (mask != 0) { /* pushes the last slot first, so that the first slot is popped first */
      uint32_t slot = 31u - (uint32_t)__builtin_clz(mask);
      mask ^= 1u << slot;
      MO_ASSERT(height < MO_MESH_STACK_CAPACITY);
      stack[height++] = (mo_slot_to_visit){node << 3 | slot, contained >> slot & 1};
    }
    for (;;) {
      if (height == 0) {
        return true;
      }
      const mo_slot_to_visit top = stack[--height];
      uint32_t child = mo_load_child(&tree, format, top.node_slot >> 3, top.node_slot & 7);
      if (!mo_child_is_leaf(child)) {
        node = child;
        whole = top.is_contained;
        break;
      }
      if (!mo_visit_leaf(mesh, format, mo_child_index(child), top, v, &mailbox, stats, query)) {
        return false;
      }
    }
  }
}

/* Reports each triangle that passes the test once, in no particular order. Returns false if the
 * traversal was ended early. */
MO_INLINE bool mo_visit_triangles(const mo_mesh *mesh, const mo_triangle_visitor *v,
                                  mo_query_stats *stats, void *query) {
  mo_slot_to_visit stack[MO_MESH_STACK_CAPACITY];
  return mesh->format == MO_MESH_FULL
             ? mo_visit_triangles_of_format(mesh, MO_MESH_FULL, stack, v, stats, query)
             : mo_visit_triangles_of_format(mesh, mo_decoded_format(mesh), stack, v, stats, query);
}

/* A query for the best triangle, or for the best few. */
typedef struct mo_triangle_nearest_visitor {
  mo_keys8 *keys; /* computes the keys of boxes in the mesh's space */
  /* Optional replacement for `keys` on the triangles of a block, with tighter lower bounds than
   * those of their boxes. */
  uint32_t (*cull_block)(const mo_triangle_block *block, double key[MO_LANE_COUNT],
                         const void *query);
  /* Tests a triangle (local corners). If it is better than the query's best, it becomes the best,
   * which may lower the limit. Ties must not depend on the order of the traversal. */
  void (*test)(const mo_vec3 corners[3], uint32_t triangle, void *query);
  /* Whether each triangle must be tested only once. If null, repeated tests change nothing. */
  bool (*must_test_once)(const void *query);
} mo_triangle_nearest_visitor;

/* For a best-first traversal that must test each triangle only once: whether it is tested in this
 * leaf. It is tested in the leaf with the least key among those with a part of it, the first if
 * several are equal. As the closest point lies in one of the parts, this leaf is within the limit
 * whenever the triangle is. */
static inline bool mo_mesh_is_nearest_reference(const mo_mesh *mesh, uint32_t triangle,
                                                uint32_t leaf, mo_keys8 *keys, const void *query) {
  double min = INFINITY;
  uint32_t first = leaf;
  for (uint32_t i = mo_mesh_first_duplicate(mesh, triangle);
       i < mesh->duplicate_count && mesh->duplicates[i].triangle == triangle; i++) {
    const mo_duplicate *d = &mesh->duplicates[i];
    mo_bounds8 expanded;
    double key[MO_LANE_COUNT];
    keys(mo_mesh_bounds8(mesh, d->node, &expanded), key, query);
    if (key[d->slot] < min) {
      min = key[d->slot];
      first = mo_mesh_child(mesh, d->node, d->slot);
    }
  }
  return first == leaf;
}

/* Returns the lane with the least key among `lanes` (a bit mask). */
MO_INLINE int mo_min_key_lane(const double key[MO_LANE_COUNT], uint32_t lanes) {
  int min = __builtin_ctz(lanes);
  for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    min = key[lane] < key[min] ? lane : min;
  }
  return min;
}

/* With room for the children of one more node. */
enum { MO_NEAREST_STACK_CAPACITY = MO_MESH_STACK_CAPACITY + MO_LANE_COUNT };

MO_INLINE void mo_visit_triangles_nearest_of_format(
    const mo_mesh *mesh, mo_mesh_format format, mo_pending_child stack[MO_NEAREST_STACK_CAPACITY],
    const mo_triangle_nearest_visitor *v, const double *limit, mo_query_stats *stats, void *query) {
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, format);
  const bool once = v->must_test_once != NULL && v->must_test_once(query);
  mo_mailbox mailbox;
  mo_mailbox_init(&mailbox);
  uint32_t height = 0;
  stack[height++] = (mo_pending_child){-INFINITY, 0};
  while (height > 0) {
    mo_pending_child next = stack[--height];
    if (next.key > *limit) {
      continue;
    }
    double key[MO_LANE_COUNT];
    if (!mo_child_is_leaf(next.child)) {
      mo_count_mesh_node(stats, mesh, next.child);
      mo_bounds8 expanded;
      const mo_bounds8 *bounds = mo_load_bounds(&tree, format, next.child, &expanded);
      uint32_t mask = v->keys(bounds, key, query) & mo_load_child_bits(&tree, format, next.child);
      MO_ASSERT(height <= MO_MESH_STACK_CAPACITY);
      /* The boxes of compact nodes are rounded outward, each on its own grid. */
      MO_ASSERT(format == MO_MESH_COMPACT || mo_keys_are_monotone(next.key, key, mask));
      mo_child_buffer computed;
      const uint32_t *child = mo_load_links(&tree, format, next.child, &computed).child;
      height = mo_push_pending_children(stack, height, key, child, mask);
      continue;
    }
    for (uint32_t at = mo_child_index(next.child);; at = mo_block_after(&tree, format, at)) {
      mo_triangle_block expanded;
      const mo_triangle_block *block = mo_load_block(&tree, format, at, &expanded);
      uint32_t lanes = mo_block_untested_lanes(block, once ? NULL : &mailbox, stats);
      if (lanes != 0 && v->cull_block != NULL) {
        lanes &= v->cull_block(block, key, query);
      } else if (lanes != 0) {
        mo_bounds8 bounds = mo_block_bounds(block);
        lanes &= v->keys(&bounds, key, query);
      }
      while (lanes != 0) {
        int lane = mo_min_key_lane(key, lanes);
        lanes ^= 1u << lane;
        uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
        if (key[lane] > *limit) {
          break;
        }
        if (once && (block->id[lane] & MO_LANE_DUPLICATED) &&
            !mo_mesh_is_nearest_reference(mesh, triangle, next.child, v->keys, query)) {
          continue;
        }
        mo_vec3 corners[3];
        mo_block_triangle(block, (uint32_t)lane, corners);
        v->test(corners, triangle, query);
      }
      if (block->id[0] & MO_LANE_LAST_BLOCK) {
        break;
      }
    }
  }
}

/* Visits triangles, nearer boxes first, while the keys of boxes are within the query's limit. */
MO_INLINE void mo_visit_triangles_nearest(const mo_mesh *mesh, const mo_triangle_nearest_visitor *v,
                                          const double *limit, mo_query_stats *stats, void *query) {
  mo_pending_child stack[MO_NEAREST_STACK_CAPACITY];
  if (mesh->format == MO_MESH_FULL) {
    mo_visit_triangles_nearest_of_format(mesh, MO_MESH_FULL, stack, v, limit, stats, query);
  } else {
    mo_visit_triangles_nearest_of_format(mesh, mo_decoded_format(mesh), stack, v, limit, stats,
                                         query);
  }
}

#endif
