/* What happens in a leaf of the triangle octree when a ray gets there: the same for the fast
 * traversal and for the plane walk.
 *
 * The mailbox: a triangle that the split builder referred to from several leaves is decided once a
 * query. A small table on the query's stack remembers the last of them by the low bits of their
 * index. One that was overwritten is decided again, which changes nothing: only the first leaf that
 * the query gets to reports it (mo_mesh_answers). A block's eight triangles cost as much as one, so
 * rays ask the mailbox only about those that the edge functions have not ruled out. Rays of which
 * nothing is counted do not even do that: it takes them longer than it saves. */
#ifndef MO_MESH_RAYS_LEAF_H
#define MO_MESH_RAYS_LEAF_H

#include "base/inline.h"
#include "geometry/ray_triangle.h"
#include "mesh/format/read.h"
#include "mesh/query.h"

enum { MO_MAILBOX_SIZE = 64 };

typedef struct mo_mailbox {
  bool in_use; /* the entries mean something: most rays meet no duplicate and never clear them */
  uint32_t entry[MO_MAILBOX_SIZE];
} mo_mailbox;

static inline void mo_mailbox_init(mo_mailbox *mailbox) {
  mailbox->in_use = false;
}

/* Those of some lanes of a block that the query has met before; enters the others. */
static inline uint32_t mo_mailbox_check(mo_mailbox *mailbox, const mo_triangle_block *block,
                                        uint32_t lanes) {
  uint32_t met = 0;
  if (!mailbox->in_use) {
    memset(mailbox->entry, 0xff, sizeof mailbox->entry);
    mailbox->in_use = true;
  }
  lanes &= mo_u8_equal(block->id, MO_LANE_DUPLICATED, MO_LANE_DUPLICATED);
  for (; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
    uint32_t *entry = &mailbox->entry[triangle % MO_MAILBOX_SIZE];
    if (*entry == triangle) {
      met |= 1u << lane;
    }
    *entry = triangle;
  }
  return met;
}

/* The world corners of a block's triangles. */
static inline void mo_bake_block(const mo_affine *affine, const mo_triangle_block *block,
                                 mo_triangle_block *baked) {
  for (int i = 0; i < 3; i++) {
    for (int lane = 0; lane < MO_WIDTH; lane++) {
      mo_vec3 p =
          mo_affine_bake(affine, mo_vec(block->corner[i][0][lane], block->corner[i][1][lane],
                                        block->corner[i][2][lane]));
      baked->corner[i][0][lane] = p.x;
      baked->corner[i][1][lane] = p.y;
      baked->corner[i][2][lane] = p.z;
    }
  }
}

/* A node's boxes in the query's space. */
static inline const mo_bounds8 *mo_bounds_for(const mo_affine *bake, const mo_bounds8 *bounds,
                                              mo_bounds8 *baked) {
  if (bake == NULL) {
    return bounds;
  }
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    mo_bounds8_set(baked, slot, mo_affine_aabb_to_world(bake, mo_bounds8_get(bounds, slot)));
  }
  return baked;
}

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

/* A triangle with several references must be reported once, by a query that keeps no list of what
 * it has met. So the first of its references that the query gets to reports it. Whether the query
 * gets to a reference follows from its culling test, which does not change while it looks for all
 * results; `passes` says which slots of a node pass. The order is that of the traversal: the slots
 * of a node in the order of `signs`, depth first. */
typedef uint32_t mo_slots_passing(const mo_mesh *mesh, uint32_t node, const void *query);

static inline bool mo_mesh_gets_to(const mo_mesh *mesh, uint32_t node, uint32_t slot,
                                   mo_slots_passing *passes, const void *query) {
  for (;;) {
    if (!(passes(mesh, node, query) >> slot & 1)) {
      return false;
    }
    uint32_t parent = mo_mesh_parent(mesh, node);
    if (parent == MO_NONE) {
      return true;
    }
    node = parent >> 3;
    slot = parent & 7;
  }
}

static inline void mo_mesh_climb(const mo_mesh *mesh, uint32_t *node, uint32_t *slot) {
  uint32_t parent = mo_mesh_parent(mesh, *node);
  *node = parent >> 3;
  *slot = parent & 7;
}

/* Whether a traversal comes to slot a before slot b. */
static inline bool mo_mesh_precedes(const mo_mesh *mesh, uint32_t node_a, uint32_t slot_a,
                                    uint32_t node_b, uint32_t slot_b, uint32_t signs) {
  uint32_t depth_a = mo_mesh_node_depth(mesh, node_a), depth_b = mo_mesh_node_depth(mesh, node_b);
  for (; depth_a > depth_b; depth_a--) {
    mo_mesh_climb(mesh, &node_a, &slot_a);
  }
  for (; depth_b > depth_a; depth_b--) {
    mo_mesh_climb(mesh, &node_b, &slot_b);
  }
  while (node_a != node_b) {
    mo_mesh_climb(mesh, &node_a, &slot_a);
    mo_mesh_climb(mesh, &node_b, &slot_b);
  }
  uint32_t order = mo_mesh_order(mo_mesh_orders(mesh, node_a), signs);
  while ((order & 7) != slot_a && (order & 7) != slot_b) {
    order >>= 4;
  }
  return slot_a != slot_b && (order & 7) == slot_a;
}

static inline bool mo_mesh_answers(const mo_mesh *mesh, uint32_t triangle, uint32_t node,
                                   uint32_t slot, uint32_t signs, mo_slots_passing *passes,
                                   const void *query) {
  for (uint32_t i = mo_mesh_first_duplicate(mesh, triangle);
       i < mesh->duplicate_count && mesh->duplicates[i].triangle == triangle; i++) {
    const mo_duplicate *d = &mesh->duplicates[i];
    if (mo_mesh_precedes(mesh, d->node, d->slot, node, slot, signs) &&
        mo_mesh_gets_to(mesh, d->node, d->slot, passes, query)) {
      return false;
    }
  }
  return true;
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
      !mo_mesh_answers(mesh, triangle, node, slot, mo_ray_order(query), mo_ray_slots_passing,
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
      query->stats->mesh_blocks++;
      query->stats->triangles += 8u - (uint32_t)__builtin_popcount(empty);
    }
    if (candidates != 0) {
      candidates &= ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY);
      if (mailbox != NULL && (block->id[1] & MO_LANE_SOME_DUPLICATED)) {
        uint32_t met = mo_mailbox_check(mailbox, block, candidates);
        candidates &= ~met;
        if (count) {
          query->stats->mailbox_saved += (uint32_t)__builtin_popcount(met);
          query->stats->triangles -= (uint32_t)__builtin_popcount(met);
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
