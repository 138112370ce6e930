/* A ray in a leaf of the triangle octree: the same for the fast traversal and for the reference
 * ones.
 *
 * A block's eight triangles cost as much as one, so rays consult the mailbox (mesh/visit/mailbox.h)
 * only for triangles that the edge functions have not ruled out. Rays without statistics do not
 * consult it at all: that costs them more time than it saves. */
#ifndef MO_MESH_RAYS_LEAF_H
#define MO_MESH_RAYS_LEAF_H

#include "base/inline.h"
#include "geometry/ray_triangle.h"
#include "mesh/query.h"
#include "mesh/visit/visit.h"

/* The slab test of a node's boxes. */
MO_INLINE mo_ray_slabs mo_node_slabs(const mo_tree *tree, mo_mesh_format format, uint32_t node,
                                     const mo_ray_lanes *ray, const mo_affine *bake, mo_f8 max_t) {
  if (bake != NULL) {
    mo_bounds8 expanded, baked;
    const mo_bounds8 *bounds = mo_load_bounds(tree, format, node, &expanded);
    return mo_cull_ray_slabs(ray, mo_bounds_for(bake, bounds, &baked), max_t);
  }
  if (format == MO_MESH_FULL) {
    return mo_cull_ray_slabs(ray, &tree->nodes[node].bounds, max_t);
  }
  return mo_cull_ray_compact(ray, &tree->compact_nodes[node].box, max_t);
}

/* The order in which a ray takes slots; baked nodes have no front and back. */
static inline uint32_t mo_ray_order(const mo_mesh_ray *query) {
  return query->bake == NULL ? query->ray.signs : 0;
}

static inline uint32_t mo_ray_slots_passing(const mo_mesh *mesh, uint32_t node, const void *query) {
  const mo_mesh_ray *q = query;
  mo_bounds8 expanded, baked;
  const mo_bounds8 *bounds = mo_mesh_bounds8(mesh, node, &expanded);
  return mo_cull_ray(&q->ray, mo_bounds_for(q->bake, bounds, &baked),
                     mo_ray_cull_t(&q->ray, q->max_t));
}

/* A hit of a lane of the block at a place. Returns true if the traversal may stop. `usual`: of a
 * ray in the mesh's own space, with nobody to ask whether a hit is accepted. */
MO_INLINE bool mo_ray_take_hit(const mo_mesh *mesh, mo_mesh_ray *query,
                               const mo_triangle_block *block, uint32_t at,
                               const mo_triangle_hits *found, int lane, uint32_t node,
                               uint32_t slot, mo_ray_goal goal, bool usual) {
  uint32_t id = block->id[lane], triangle = id & MO_LANE_TRIANGLE;
  float t = found->t[lane];
  bool front = (found->front >> lane & 1) != (!usual && query->mirrored);
  bool nearer = t < query->max_t || (t == query->max_t && triangle < query->triangle);
  if ((goal == MO_GOAL_CLOSEST && !nearer) || triangle == query->ignore) {
    return false;
  }
  if (goal == MO_GOAL_ALL && (id & MO_LANE_DUPLICATED) &&
      !mo_mesh_reports_here(mesh, triangle, node, slot, mo_ray_order(query), mo_ray_slots_passing,
                            query)) {
    return false;
  }
  if (goal == MO_GOAL_FIRST) {
    mo_mesh_ray_offer_first(query, triangle, t, found->u[lane], found->v[lane], front,
                            (id & MO_LANE_DUPLICATED) != 0);
    return false;
  }
  if (!usual && query->accept != NULL &&
      !query->accept(query->shape, triangle, t, query->accept_context)) {
    return false;
  }
  if (goal == MO_GOAL_ALL) {
    mo_mesh_ray_offer(query, triangle, t, found->u[lane], found->v[lane], front);
  } else if (goal == MO_GOAL_CLOSEST) {
    query->max_t = t;
    query->triangle = triangle;
    query->place = at << 3 | (uint32_t)lane;
    query->u = found->u[lane];
    query->v = found->v[lane];
    query->front = front;
  }
  return goal == MO_GOAL_ANY;
}

/* A ray in one leaf. Returns true if the traversal may stop. `goal`, `usual`, `count`, and where
 * they can `format` and `bake`, are constants wherever this is inlined. */
MO_INLINE bool mo_ray_leaf(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_ray *query,
                           uint32_t first, uint32_t node, uint32_t slot, mo_mailbox *mailbox,
                           mo_ray_goal goal, bool usual, const mo_affine *bake, bool count) {
  /* From memory for each leaf: that takes no longer than to keep it, and many rays meet none. */
  const mo_shear_lanes shear = mo_spread_shear(&query->ray);
  const mo_tree tree = mo_tree_of(mesh, format);
  for (uint32_t at = first;; at = mo_block_after(&tree, format, at)) {
    mo_triangle_block expanded, baked;
    const mo_triangle_block *block = mo_load_block(&tree, format, at, &expanded);
    const mo_triangle_block *tested = block;
    if (bake != NULL) {
      mo_bake_block(bake, block, &baked);
      tested = &baked;
    }
    mo_edges8 edges;
    uint32_t candidates = mo_ray_edges8(&shear, tested->corner, query->cull, &edges);
    if (count) {
      uint32_t empty = mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY);
      query->stats->mesh_block_count++;
      query->stats->triangle_count += 8u - (uint32_t)__builtin_popcount(empty);
    }
    if (candidates != 0) {
      candidates &= ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY);
      if (mailbox != NULL && (block->id[1] & MO_LANE_SOME_DUPLICATED)) {
        uint32_t met = mo_mailbox_check(mailbox, block, candidates);
        candidates &= ~met;
        if (count) {
          query->stats->mailbox_hit_count += (uint32_t)__builtin_popcount(met);
          query->stats->triangle_count -= (uint32_t)__builtin_popcount(met);
        }
      }
      if (candidates != 0) {
        mo_triangle_hits found;
        uint32_t hits = mo_ray_hits8(&query->ray, tested->corner, &edges, candidates, query->max_t,
                                     query->cull, goal != MO_GOAL_ANY, usual, &found);
        if (hits != 0) {
          hits = mo_proper_lanes(block, tested->corner, hits);
        }
        /* Most candidates are hit, and they are known sooner. */
        for (; hits != 0; candidates &= candidates - 1) {
          int lane = __builtin_ctz(candidates);
          if (!(hits >> lane & 1)) {
            continue;
          }
          hits &= ~(1u << lane);
          if (mo_ray_take_hit(mesh, query, block, at, &found, lane, node, slot, goal, usual)) {
            return true;
          }
        }
      }
    }
    if (block->id[0] & MO_LANE_LAST) {
      return false;
    }
  }
}

#endif
