/* Regions in the triangle octree; compiled once per instruction set. */
#include "geometry/triangle.h"
#include "mesh/rays/leaf.h"

/* A bit per box whose image under a map touches a box of the world. Centres and half extents are
 * rounded as floats are: the world box has room for that. */
static inline uint32_t boxes_near_in_world(const mo_bounds8 *bounds, const mo_affine *affine,
                                           const mo_aabb *world_box) {
  const mo_transform *map = &affine->to_world;
  const mo_vec3 *column[3] = {&map->x_axis, &map->y_axis, &map->z_axis};
  mo_f8 half = mo_f8_all(0.5f);
  mo_f8 center[3], extent[3];
  for (int i = 0; i < 3; i++) {
    mo_f8 lower = mo_f8_mul(half, mo_f8_load(bounds->lower[i]));
    mo_f8 upper = mo_f8_mul(half, mo_f8_load(bounds->upper[i]));
    center[i] = mo_f8_add(lower, upper);
    extent[i] = mo_f8_sub(upper, lower);
  }
  uint32_t near = 0xff;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 middle = mo_f8_all(mo_get(map->origin, axis));
    mo_f8 reach = mo_f8_all(0.0f);
    for (int i = 0; i < 3; i++) {
      float m = mo_get(*column[i], axis);
      middle = mo_f8_add(middle, mo_f8_mul(mo_f8_all(m), center[i]));
      reach = mo_f8_add(reach, mo_f8_mul(mo_f8_all(fabsf(m)), extent[i]));
    }
    mo_f8 below = mo_f8_all(mo_get(world_box->lower, axis));
    mo_f8 above = mo_f8_all(mo_get(world_box->upper, axis));
    near &= mo_m8_bits(mo_m8_and(mo_f8_le(below, mo_f8_add(middle, reach)),
                                 mo_f8_le(mo_f8_sub(middle, reach), above)));
  }
  return near;
}

/* The slots of a node that a region query gets to. */
MO_INLINE uint32_t slots_passing(const mo_tree *tree, mo_mesh_format format, uint32_t node,
                                 const mo_mesh_overlap *q) {
  mo_bounds8 expanded, baked;
  const mo_bounds8 *own = mo_load_bounds(tree, format, node, &expanded);
  const mo_bounds8 *bounds = mo_bounds_for(q->bake, own, &baked);
  uint32_t inside;
  uint32_t mask =
      q->region->kind == MO_REGION_PLANES
          ? mo_cull_planes(bounds, q->region->planes, q->slack, q->region->plane_count, &inside)
          : mo_cull_box(bounds, &q->box);
  if (mask != 0 && q->distance2 < INFINITY) {
    mask &= mo_cull_ball(bounds, &q->center, q->distance2);
  }
  if (mask != 0 && q->has_world_box && q->bake == NULL) {
    mask &= boxes_near_in_world(own, q->affine, &q->world_box);
  }
  /* An endless box passes slots without a child too. */
  const mo_links links = mo_load_links(tree, format, node);
  return mask & ~mo_u8_equal(links.child, UINT32_MAX, mo_child_none(format));
}

static uint32_t overlap_slots(const mo_mesh *mesh, uint32_t node, const void *query) {
  const mo_tree tree = mo_tree_of(mesh, MO_MESH_FULL);
  return slots_passing(&tree, MO_MESH_FULL, node, query);
}

static uint32_t compact_overlap_slots(const mo_mesh *mesh, uint32_t node, const void *query) {
  const mo_tree tree = mo_tree_of(mesh, MO_MESH_COMPACT);
  return slots_passing(&tree, MO_MESH_COMPACT, node, query);
}

/* The lanes of a block whose triangles' boxes touch the culling box. */
static inline uint32_t lanes_near(const mo_triangle_block *block, const mo_aabb *box) {
  mo_bounds8 bounds;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 a = mo_f8_load(block->corner[0][axis]);
    mo_f8 b = mo_f8_load(block->corner[1][axis]);
    mo_f8 c = mo_f8_load(block->corner[2][axis]);
    mo_f8_store(bounds.lower[axis], mo_f8_min(mo_f8_min(a, b), c));
    mo_f8_store(bounds.upper[axis], mo_f8_max(mo_f8_max(a, b), c));
  }
  return mo_cull_box(&bounds, box);
}

/* The same in the world, with images rounded as floats are: the box has room for that. */
static inline uint32_t lanes_near_in_world(const mo_triangle_block *block, const mo_affine *affine,
                                           const mo_aabb *world_box) {
  const mo_transform *map = &affine->to_world;
  mo_bounds8 bounds;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 image[3];
    for (int i = 0; i < 3; i++) {
      mo_f8 x = mo_f8_mul(mo_f8_all(mo_get(map->x_axis, axis)), mo_f8_load(block->corner[i][0]));
      mo_f8 y = mo_f8_mul(mo_f8_all(mo_get(map->y_axis, axis)), mo_f8_load(block->corner[i][1]));
      mo_f8 z = mo_f8_mul(mo_f8_all(mo_get(map->z_axis, axis)), mo_f8_load(block->corner[i][2]));
      image[i] = mo_f8_add(mo_f8_add(mo_f8_all(mo_get(map->origin, axis)), x), mo_f8_add(y, z));
    }
    mo_f8_store(bounds.lower[axis], mo_f8_min(mo_f8_min(image[0], image[1]), image[2]));
    mo_f8_store(bounds.upper[axis], mo_f8_max(mo_f8_max(image[0], image[1]), image[2]));
  }
  return mo_cull_box(&bounds, world_box);
}

static inline mo_vec3 corner_of(const mo_triangle_block *block, int i, int lane) {
  return mo_vec(block->corner[i][0][lane], block->corner[i][1][lane], block->corner[i][2][lane]);
}

/* Returns false if the query was stopped. */
MO_INLINE bool overlap_leaf(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_overlap *q,
                            uint32_t first, uint32_t node, uint32_t slot, mo_mailbox *mailbox) {
  const mo_tree tree = mo_tree_of(mesh, format);
  mo_slots_passing *passing = format == MO_MESH_FULL ? overlap_slots : compact_overlap_slots;
  for (uint32_t at = first;; at = mo_block_after(&tree, format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, format, at, &expanded);
    uint32_t met = 0;
    q->stats->mesh_blocks++;
    if (block->id[1] & MO_LANE_SOME_DUPLICATED) {
      met = mo_mailbox_check(mailbox, block, 0xff);
    }
    uint32_t lanes = ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY) & 0xff & ~met;
    q->stats->mailbox_saved += (uint32_t)__builtin_popcount(met);
    q->stats->triangles += (uint32_t)__builtin_popcount(lanes);
    if (q->bake == NULL && lanes != 0) {
      lanes &= lanes_near(block, &q->box);
    }
    if (q->has_world_box && lanes != 0) {
      lanes &= lanes_near_in_world(block, q->affine, &q->world_box);
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      const mo_vec3 corners[3] = {corner_of(block, 0, lane), corner_of(block, 1, lane),
                                  corner_of(block, 2, lane)};
      uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
      if (!mo_mesh_overlap_triangle(q, corners)) {
        continue;
      }
      if ((block->id[lane] & MO_LANE_DUPLICATED) &&
          !mo_mesh_answers(mesh, triangle, node, slot, 0, passing, q)) {
        continue;
      }
      if (!q->report(triangle, q->context)) {
        return false;
      }
    }
    if (block->id[0] & MO_LANE_LAST) {
      return true;
    }
  }
}

MO_INLINE void find_overlaps(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_overlap *q) {
  const mo_tree tree = mo_tree_of(mesh, format);
  mo_mailbox mailbox;
  mo_mailbox_init(&mailbox);
  uint32_t stack[MO_MESH_STACK]; /* node << 3 | slot */
  uint32_t depth = 0, node = 0;
  for (;;) {
    mo_count_mesh_node(q->stats, mesh, node);
    for (uint32_t mask = slots_passing(&tree, format, node, q); mask != 0;) {
      uint32_t slot = 31u - (uint32_t)__builtin_clz(mask); /* the last first: it comes off last */
      mask ^= 1u << slot;
      stack[depth++] = node << 3 | slot;
    }
    for (;;) {
      if (depth == 0) {
        return;
      }
      uint32_t top = stack[--depth];
      uint32_t child = mo_load_links(&tree, format, top >> 3).child[top & 7];
      if (!mo_child_is_leaf(child)) {
        node = child;
        break;
      }
      if (!overlap_leaf(mesh, format, q, mo_child_index(child), top >> 3, top & 7, &mailbox)) {
        return;
      }
    }
  }
}

static void overlap(const mo_mesh *mesh, mo_mesh_overlap *q) {
  find_overlaps(mesh, MO_MESH_FULL, q);
}

static void compact_overlap(const mo_mesh *mesh, mo_mesh_overlap *q) {
  find_overlaps(mesh, MO_MESH_COMPACT, q);
}

/* Containment: the box around the ray from the point along +x. */

typedef struct x_ray {
  mo_aabb box;
  mo_vec3 point;
  const mo_affine *bake;
  mo_query_stats *stats;
} x_ray;

MO_INLINE uint32_t slots_ahead(const mo_tree *tree, mo_mesh_format format, uint32_t node,
                               const x_ray *q) {
  mo_bounds8 expanded, baked;
  const mo_bounds8 *bounds = mo_load_bounds(tree, format, node, &expanded);
  return mo_cull_box(mo_bounds_for(q->bake, bounds, &baked), &q->box);
}

static uint32_t x_ray_slots(const mo_mesh *mesh, uint32_t node, const void *query) {
  const mo_tree tree = mo_tree_of(mesh, MO_MESH_FULL);
  return slots_ahead(&tree, MO_MESH_FULL, node, query);
}

static uint32_t compact_x_ray_slots(const mo_mesh *mesh, uint32_t node, const void *query) {
  const mo_tree tree = mo_tree_of(mesh, MO_MESH_COMPACT);
  return slots_ahead(&tree, MO_MESH_COMPACT, node, query);
}

/* How often the ray crosses the triangles that this leaf answers for. */
MO_INLINE uint32_t crossings(const mo_mesh *mesh, mo_mesh_format format, const x_ray *q,
                             uint32_t first, uint32_t node, uint32_t slot) {
  const mo_tree tree = mo_tree_of(mesh, format);
  mo_slots_passing *passing = format == MO_MESH_FULL ? x_ray_slots : compact_x_ray_slots;
  uint32_t count = 0;
  for (uint32_t at = first;; at = mo_block_after(&tree, format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, format, at, &expanded);
    uint32_t lanes = ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY) & 0xff;
    q->stats->mesh_blocks++;
    q->stats->triangles += (uint32_t)__builtin_popcount(lanes);
    mo_triangle_block baked;
    const mo_triangle_block *tested = block;
    if (q->bake != NULL) {
      mo_bake_block(q->bake, block, &baked);
      tested = &baked;
    }
    for (lanes &= lanes_near(tested, &q->box); lanes != 0; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      const mo_vec3 corners[3] = {corner_of(tested, 0, lane), corner_of(tested, 1, lane),
                                  corner_of(tested, 2, lane)};
      count +=
          mo_triangle_crosses_x_ray(corners, q->point) &&
          (!(block->id[lane] & MO_LANE_DUPLICATED) ||
           mo_mesh_answers(mesh, block->id[lane] & MO_LANE_TRIANGLE, node, slot, 0, passing, q));
    }
    if (block->id[0] & MO_LANE_LAST) {
      return count;
    }
  }
}

MO_INLINE bool is_inside(const mo_mesh *mesh, mo_mesh_format format, mo_vec3 point,
                         const mo_affine *bake, mo_query_stats *stats) {
  const mo_tree tree = mo_tree_of(mesh, format);
  mo_aabb box = bake != NULL ? mo_affine_aabb_to_world(bake, mesh->bounds) : mesh->bounds;
  x_ray q = {.box = {point, point}, .point = point, .bake = bake, .stats = stats};
  if (!mo_aabb_is_empty(box)) {
    q.box = mo_region_grow(q.box, mo_aabb_reach(box));
  }
  q.box.upper.x = INFINITY;
  uint32_t stack[MO_MESH_STACK];
  uint32_t depth = 0, node = 0, count = 0;
  for (;;) {
    mo_count_mesh_node(stats, mesh, node);
    for (uint32_t mask = slots_ahead(&tree, format, node, &q); mask != 0; mask &= mask - 1) {
      uint32_t slot = (uint32_t)__builtin_ctz(mask);
      uint32_t child = mo_load_links(&tree, format, node).child[slot];
      if (child == mo_child_none(format)) {
        continue; /* the box has no end at +x, as the empty box begins there */
      }
      if (mo_child_is_leaf(child)) {
        count += crossings(mesh, format, &q, mo_child_index(child), node, slot);
      } else {
        stack[depth++] = child;
      }
    }
    if (depth == 0) {
      return count & 1;
    }
    node = stack[--depth];
  }
}

static bool contains(const mo_mesh *mesh, mo_vec3 point, const mo_affine *bake,
                     mo_query_stats *stats) {
  return is_inside(mesh, MO_MESH_FULL, point, bake, stats);
}

static bool compact_contains(const mo_mesh *mesh, mo_vec3 point, const mo_affine *bake,
                             mo_query_stats *stats) {
  return is_inside(mesh, MO_MESH_COMPACT, point, bake, stats);
}

const mo_mesh_overlap_kernels MO_ISA_FN(mo_mesh_overlap_kernels)[MO_MESH_FORMATS] = {
    [MO_MESH_FULL] = {overlap, contains},
    [MO_MESH_COMPACT] = {compact_overlap, compact_contains},
};
