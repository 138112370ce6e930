/* The traversal of two triangle octrees for the closest pair of triangles; compiled once per
 * instruction set.
 *
 * A step takes a node of one mesh, and a smaller node or leaf of the other. It computes lower
 * bounds of the distances between the node's children and the box of the other, by the gaps along
 * the axes of both frames, and continues with the nearest child. So the traversal is depth first,
 * nearer pairs first. Its stack has capacity for the depth of both trees together. Pairs that are
 * farther than the best one so far are skipped.
 *
 * Triangles of two leaves are compared in the world, one with eight at a time. Any direction gives
 * a lower bound of their distance, so the direction itself need not be exact. The direction of the
 * best pair so far is tried first: near that pair it rejects most others. Then the normals of both
 * triangles, and the lines between the closest points of two edges: one of these is the direction
 * between the closest points of the triangles. */
#include "mesh/pair/distance.h"
#include "mesh/pair/lanes.h"

enum { STACK_CAPACITY = 2 * MO_MESH_MAX_DEPTH + 2 };

/* The relative rounding error of a lower bound of a squared distance. */
static const float bound_error = 0x1p-20f;

/* A node or leaf of one mesh, and one of the other. */
typedef struct node_pair {
  uint32_t child[2]; /* by mesh: a node or leaf, encoded as a child of a node */
  mo_aabb box[2];    /* by mesh: its box, local */
} node_pair;

/* A pair, of which one is a node whose children are being visited. */
typedef struct traversal_frame {
  alignas(MO_ALIGNMENT) float key[MO_LANE_COUNT]; /* by slot: lower bound of the squared distance */
  node_pair pair;
  int side;         /* which of the two is the node */
  uint32_t pending; /* slots still to be visited */
} traversal_frame;

/* Returns the lane with the least key among `lanes` (a bit mask). */
static inline uint32_t nearest_lane(const float key[MO_LANE_COUNT], uint32_t lanes) {
  uint32_t min = (uint32_t)__builtin_ctz(lanes);
  for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    min = key[lane] < key[min] ? lane : min;
  }
  return min;
}

static inline mo_bounds8 broadcast_box(mo_aabb box) {
  mo_bounds8 all;
  for (int k = 0; k < 3; k++) {
    mo_f8_store(all.lower[k], mo_f8_splat(mo_get(box.lower, k)));
    mo_f8_store(all.upper[k], mo_f8_splat(mo_get(box.upper, k)));
  }
  return all;
}

/* --- lower bounds of squared distances; NaN if unknown --- */

static inline mo_f8 gap_distance2(const mo_bounds8 *a, const mo_bounds8 *b, const float weight[3]) {
  mo_f8 sum = mo_f8_splat(0.0f);
  for (int k = 0; k < 3; k++) {
    mo_f8 gap = mo_f8_max(mo_f8_sub(mo_f8_load(a->lower[k]), mo_f8_load(b->upper[k])),
                          mo_f8_sub(mo_f8_load(b->lower[k]), mo_f8_load(a->upper[k])));
    gap = mo_f8_max(gap, mo_f8_splat(0.0f));
    sum = mo_f8_add(sum, mo_f8_mul(mo_f8_splat(weight[k]), mo_f8_mul(gap, gap)));
  }
  return mo_f8_mul(sum, mo_f8_splat(1.0f - bound_error));
}

/* Lower bounds of the squared distances between eight boxes of one mesh and a box of the other. */
static inline mo_f8 box_distance_bounds(const mo_mesh_pair_distance *q, int side,
                                        const mo_bounds8 *eight, mo_aabb one) {
  static const float nothing[3] = {0.0f, 0.0f, 0.0f};
  const mo_bounds8 other = broadcast_box(one);
  mo_f8 bound = mo_f8_splat(0.0f);
  for (int f = 0; f < q->pair.frame_count; f++) {
    const mo_mesh_pair_frame *frame = &q->pair.frame[f];
    mo_bounds8 image[2];
    mo_mesh_pair_transform_boxes(&frame->map[side], q->pair.center[side], eight, nothing,
                                 &image[0]);
    mo_mesh_pair_transform_boxes(&frame->map[side ^ 1], q->pair.center[side ^ 1], &other,
                                 frame->margin, &image[1]);
    bound = mo_f8_max(gap_distance2(&image[0], &image[1], q->weight[f]), bound);
  }
  return bound;
}

/* Eight triangles, with data for the distances of their edges. */
typedef struct triangles_with_edges {
  mo_mesh_pair_triangles own;
  mo_f8 square[3], inverse_square[3]; /* squared lengths of the edges, and their inverses */
} triangles_with_edges;

static inline void measure_edges(triangles_with_edges *t) {
  for (int i = 0; i < 3; i++) {
    t->square[i] = mo_lanes3_dot(t->own.edge[i], t->own.edge[i]);
    t->inverse_square[i] =
        mo_f8_div(mo_f8_splat(1.0f), mo_f8_max(t->square[i], mo_f8_splat(0x1p-100f)));
  }
}

/* Copies one of eight triangles to all lanes. */
static inline void broadcast_triangle(const triangles_with_edges *from, uint32_t lane,
                                      triangles_with_edges *one) {
  for (int i = 0; i < 3; i++) {
    one->own.corner[i] = mo_mesh_pair_broadcast_lane3(&from->own.corner[i], lane);
    one->own.edge[i] = mo_mesh_pair_broadcast_lane3(&from->own.edge[i], lane);
    one->square[i] = mo_mesh_pair_broadcast_lane(&from->square[i], lane);
    one->inverse_square[i] = mo_mesh_pair_broadcast_lane(&from->inverse_square[i], lane);
  }
  one->own.normal = mo_mesh_pair_broadcast_lane3(&from->own.normal, lane);
  one->own.range_along_normal = mo_mesh_pair_broadcast_range(&from->own.range_along_normal, lane);
}

static inline mo_f8 clamp_to_edge(mo_f8 t) {
  return mo_f8_min(mo_f8_max(t, mo_f8_splat(0.0f)), mo_f8_splat(1.0f));
}

/* The vector between the closest points of two edges, approximately. Ericson, Real-Time Collision
 * Detection, 2005, 5.1.9. */
static inline mo_lanes3 vector_between_edges(const triangles_with_edges *a, int i,
                                             const triangles_with_edges *b, int k) {
  const mo_lanes3 u = a->own.edge[i], v = b->own.edge[k],
                  r = mo_lanes3_sub(a->own.corner[i], b->own.corner[k]);
  const mo_f8 uv = mo_lanes3_dot(u, v), ur = mo_lanes3_dot(u, r), vr = mo_lanes3_dot(v, r);
  const mo_f8 det = mo_f8_sub(mo_f8_mul(a->square[i], b->square[k]), mo_f8_mul(uv, uv));
  const mo_f8 along = mo_f8_sub(mo_f8_mul(uv, vr), mo_f8_mul(ur, b->square[k]));
  mo_f8 s = clamp_to_edge(mo_f8_div(along, mo_f8_max(det, mo_f8_splat(0x1p-100f))));
  const mo_f8 t = clamp_to_edge(mo_f8_mul(mo_f8_add(mo_f8_mul(uv, s), vr), b->inverse_square[k]));
  s = clamp_to_edge(mo_f8_mul(mo_f8_sub(mo_f8_mul(uv, t), ur), a->inverse_square[i]));
  return mo_lanes3_sub(mo_lanes3_add(r, mo_lanes3_scale(s, u)), mo_lanes3_scale(t, v));
}

/* A lower bound of the squared distance, by the gap along an axis of any length. */
static inline mo_f8 distance_bound_along(const mo_mesh_pair_distance *q, mo_lanes3 axis,
                                         mo_mesh_pair_range a, mo_mesh_pair_range b) {
  mo_f8 gap = mo_f8_max(mo_f8_sub(a.min, b.max), mo_f8_sub(b.min, a.max));
  gap = mo_f8_max(mo_f8_sub(gap, mo_mesh_pair_margin_along(&q->world, axis)), mo_f8_splat(0.0f));
  const mo_f8 square = mo_f8_max(mo_lanes3_dot(axis, axis), mo_f8_splat(0x1p-100f));
  return mo_f8_mul(mo_f8_div(mo_f8_mul(gap, gap), square), mo_f8_splat(1.0f - bound_error));
}

static inline uint32_t lanes_within_limit(const mo_mesh_pair_distance *q, mo_f8 bound,
                                          uint32_t lanes) {
  return lanes & ~mo_m8_bits(mo_f8_lt(mo_f8_splat(q->limit), bound));
}

/* Lower bounds of the squared distances between one triangle, which is in all lanes of `a`, and
 * eight others, `b`. `bound` has the lower bounds by boxes. Only results in `lanes` are used. */
static inline mo_f8 triangle_distance_bounds(const mo_mesh_pair_distance *q,
                                             const triangles_with_edges *a,
                                             const triangles_with_edges *b, uint32_t lanes,
                                             mo_f8 bound) {
  const mo_mesh_pair_triangles *s = &a->own, *t = &b->own;
  const mo_f8 by_a = distance_bound_along(q, s->normal, s->range_along_normal,
                                          mo_mesh_pair_range_along(t->corner, s->normal)),
              by_b =
                  distance_bound_along(q, t->normal, mo_mesh_pair_range_along(s->corner, t->normal),
                                       t->range_along_normal);
  bound = mo_f8_max(mo_f8_max(by_a, by_b), bound);
  if (lanes_within_limit(q, bound, lanes) == 0) {
    return bound;
  }
  mo_lanes3 direction = vector_between_edges(a, 0, b, 0);
  mo_f8 min = mo_lanes3_dot(direction, direction);
  for (int i = 0; i < 3; i++) {
    for (int k = i == 0 ? 1 : 0; k < 3; k++) {
      const mo_lanes3 other = vector_between_edges(a, i, b, k);
      const mo_f8 square = mo_lanes3_dot(other, other);
      direction = mo_lanes3_select(mo_f8_lt(square, min), other, direction);
      min = mo_f8_min(square, min);
    }
  }
  return mo_f8_max(distance_bound_along(q, direction,
                                        mo_mesh_pair_range_along(s->corner, direction),
                                        mo_mesh_pair_range_along(t->corner, direction)),
                   bound);
}

/* --- the traversal --- */

static inline void test_pair(mo_mesh_pair_distance *q, const triangles_with_edges t[2],
                             const uint32_t lane[2]) {
  mo_vec3 corners[2][3];
  uint32_t triangle[2];
  for (int s = 0; s < 2; s++) {
    triangle[s] = t[s].own.block->id[lane[s]] & MO_LANE_TRIANGLE;
    for (int i = 0; i < 3; i++) {
      corners[s][i] = mo_block_corner(t[s].own.block, i, lane[s]);
    }
  }
  mo_mesh_pair_distance_test(q, corners, triangle);
}

/* The direction of the best pair; zero if there is none. */
static inline mo_lanes3 best_direction(const mo_mesh_pair_distance *q) {
  const mo_dvec3 n = q->gap.normal;
  return (mo_lanes3){{mo_f8_splat((float)n.x), mo_f8_splat((float)n.y), mo_f8_splat((float)n.z)}};
}

static inline void visit_blocks(mo_mesh_pair_distance *q, const triangles_with_edges t[2]) {
  static const float one[3] = {1.0f, 1.0f, 1.0f};
  const mo_lanes3 axis = best_direction(q);
  const mo_mesh_pair_range first = mo_mesh_pair_range_along(t[0].own.corner, axis),
                           other = mo_mesh_pair_range_along(t[1].own.corner, axis);
  for (uint32_t left = t[0].own.lanes; left != 0; left &= left - 1) {
    uint32_t lane[2] = {(uint32_t)__builtin_ctz(left)};
    mo_f8 bound =
        distance_bound_along(q, axis, mo_mesh_pair_broadcast_range(&first, lane[0]), other);
    uint32_t near = lanes_within_limit(q, bound, t[1].own.lanes);
    if (near == 0) {
      continue;
    }
    const mo_bounds8 box = broadcast_box(mo_bounds8_get(&t[0].own.box, (int)lane[0]));
    bound = mo_f8_max(gap_distance2(&box, &t[1].own.box, one), bound);
    near = lanes_within_limit(q, bound, near);
    if (near == 0) {
      continue;
    }
    triangles_with_edges a;
    alignas(MO_ALIGNMENT) float key[MO_LANE_COUNT];
    broadcast_triangle(&t[0], lane[0], &a);
    bound = triangle_distance_bounds(q, &a, &t[1], near, bound);
    mo_f8_store(key, bound);
    near = lanes_within_limit(q, bound, near);
    while (near != 0) {
      lane[1] = nearest_lane(key, near);
      test_pair(q, t, lane);
      near = lanes_within_limit(q, bound, near ^ 1u << lane[1]);
    }
  }
}

static void visit_leaves(mo_mesh_pair_distance *q, const mo_tree_arrays tree[2],
                         const mo_mesh_format format[2], const node_pair *pair) {
  triangles_with_edges t[2];
  const uint32_t first[2] = {mo_child_index(pair->child[0]), mo_child_index(pair->child[1])};
  for (uint32_t at_a = first[0];; at_a = mo_block_after(&tree[0], format[0], at_a)) {
    mo_mesh_pair_load_block(&q->pair, &q->world, &tree[0], format[0], 0, at_a, &t[0].own);
    measure_edges(&t[0]);
    for (uint32_t at_b = first[1];; at_b = mo_block_after(&tree[1], format[1], at_b)) {
      mo_mesh_pair_load_block(&q->pair, &q->world, &tree[1], format[1], 1, at_b, &t[1].own);
      measure_edges(&t[1]);
      visit_blocks(q, t);
      if (t[1].own.block->id[0] & MO_LANE_LAST_BLOCK) {
        break;
      }
    }
    if (t[0].own.block->id[0] & MO_LANE_LAST_BLOCK) {
      return;
    }
  }
}

/* Begins to visit the children of the larger node of a pair, which has at least one node. */
static void expand_larger_node(mo_mesh_pair_distance *q, const mo_tree_arrays tree[2],
                               const mo_mesh_format format[2], const node_pair *pair,
                               traversal_frame *frame) {
  const bool leaf[2] = {mo_child_is_leaf(pair->child[0]), mo_child_is_leaf(pair->child[1])};
  const bool is_smaller =
      mo_mesh_pair_size(&q->pair, 0, pair->box[0]) < mo_mesh_pair_size(&q->pair, 1, pair->box[1]);
  const int side = leaf[0] || (!leaf[1] && is_smaller);
  const uint32_t node = pair->child[side];
  mo_bounds8 expanded;
  const mo_bounds8 *bounds = mo_load_bounds(&tree[side], format[side], node, &expanded);
  const mo_f8 bound = box_distance_bounds(q, side, bounds, pair->box[side ^ 1]);
  mo_count_mesh_node(q->pair.stats, q->pair.mesh[side], node);
  frame->pair = *pair;
  frame->side = side;
  frame->pending = mo_load_child_bits(&tree[side], format[side], node);
  mo_f8_store(frame->key, bound);
}

/* Removes the nearest pair of a frame, within the limit. Returns false if there is none. */
static bool pop_nearest_pair(const mo_mesh_pair_distance *q, const mo_tree_arrays tree[2],
                             const mo_mesh_format format[2], traversal_frame *frame,
                             node_pair *next) {
  frame->pending = lanes_within_limit(q, mo_f8_load(frame->key), frame->pending);
  if (frame->pending == 0) {
    return false;
  }
  const uint32_t slot = nearest_lane(frame->key, frame->pending);
  const int side = frame->side;
  const uint32_t node = frame->pair.child[side];
  mo_bounds8 expanded;
  frame->pending ^= 1u << slot;
  *next = frame->pair;
  next->child[side] = mo_load_child(&tree[side], format[side], node, slot);
  next->box[side] =
      mo_bounds8_get(mo_load_bounds(&tree[side], format[side], node, &expanded), (int)slot);
  return true;
}

void MO_ISA_FN(mo_mesh_pair_distance_walk)(mo_mesh_pair_distance *q) {
  const mo_mesh *const *mesh = q->pair.mesh;
  const mo_mesh_format format[2] = {mesh[0]->format, mesh[1]->format};
  const mo_tree_arrays tree[2] = {mo_tree_arrays_of(mesh[0], format[0]),
                                  mo_tree_arrays_of(mesh[1], format[1])};
  traversal_frame frames[STACK_CAPACITY];
  uint32_t depth = 0;
  node_pair next = {.child = {0, 0}, .box = {mesh[0]->bounds, mesh[1]->bounds}};
  expand_larger_node(q, tree, format, &next, &frames[depth++]);
  while (depth > 0) {
    if (!pop_nearest_pair(q, tree, format, &frames[depth - 1], &next)) {
      depth--;
    } else if (mo_mesh_pair_boxes_are_farther(q, next.box)) {
      continue;
    } else if (mo_child_is_leaf(next.child[0]) && mo_child_is_leaf(next.child[1])) {
      visit_leaves(q, tree, format, &next);
    } else {
      MO_ASSERT(depth < STACK_CAPACITY);
      expand_larger_node(q, tree, format, &next, &frames[depth++]);
    }
  }
}
