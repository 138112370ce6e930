/* The traversal of two triangle octrees for pairs of triangles that touch; compiled once per
 * instruction set.
 *
 * A frame of the stack has two nodes and a word of 64 bits, with a bit for each two children that
 * are still to be visited. The traversal is depth first: one word and two indices for each step
 * down, and at each step at least one of the two nodes is one level deeper. So the stack is at most
 * as deep as both trees together.
 *
 * Triangles of two leaves are compared, one with eight at a time: by their boxes, and by all 11
 * axes that can separate two triangles that are not in one plane, with a margin for rounding. Most
 * pairs that pass touch, and for most of these that is sure without the exact test: the axes also
 * say by how much an edge of one triangle goes through the other.
 *
 * If only the first pair is wanted, each pair found becomes the end of the search: triangles of the
 * first mesh after it are skipped. */
#include "mesh/pair/lanes.h"

/* Two nodes are expanded together, unless the size of one is less than this fraction of the
 * other's: then only the larger node is expanded. */
static const float min_size_ratio = 0.5f;

enum { STACK_CAPACITY = 2 * MO_MESH_MAX_DEPTH + 2 };

typedef struct traversal_frame {
  uint32_t node[2];    /* the nodes, one of each mesh (side) */
  uint32_t outer_side; /* side whose child i is byte i of `pending`; the other side's child j is
                         bit j of each byte */
  uint64_t pending;    /* bits of the pairs of children that are still to be visited */
} traversal_frame;

/* Which of the boxes `eight` are disjoint from the box in lane `lane` of `one`. Coordinates that
 * are not finite separate nothing. */
static inline mo_m8 disjoint_boxes(const mo_bounds8 *one, uint32_t lane, const mo_bounds8 *eight) {
  mo_m8 apart = mo_m8_from_bits(0);
  for (int k = 0; k < 3; k++) {
    const mo_f8 lower = mo_f8_splat(one->lower[k][lane]), upper = mo_f8_splat(one->upper[k][lane]);
    apart = mo_m8_or(apart, mo_f8_lt(mo_f8_load(eight->upper[k]), lower));
    apart = mo_m8_or(apart, mo_f8_lt(upper, mo_f8_load(eight->lower[k])));
  }
  return apart;
}

/* Finds the pairs of children, in these slots of two nodes, whose boxes may overlap. */
static inline void expand_node_pair(const mo_mesh_pair *q, const mo_bounds8 *const bounds[2],
                                    const uint32_t slots[2], traversal_frame *frame) {
  static const float nothing[3] = {0.0f, 0.0f, 0.0f};
  mo_bounds8 image[2][2]; /* transformed boxes, by mesh (side) and frame */
  for (int f = 0; f < q->frame_count; f++) {
    const float *m = q->frame[f].margin, twice[3] = {2.0f * m[0], 2.0f * m[1], 2.0f * m[2]};
    for (int s = 0; s < 2; s++) {
      mo_mesh_pair_transform_boxes(&q->frame[f].map[s], q->center[s], bounds[s],
                                   s == 0 ? nothing : twice, &image[s][f]);
    }
  }
  const uint32_t outer = __builtin_popcount(slots[0]) <= __builtin_popcount(slots[1]) ? 0 : 1;
  frame->outer_side = outer;
  frame->pending = 0;
  for (uint32_t left = slots[outer]; left != 0; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    mo_m8 apart = disjoint_boxes(&image[outer][0], lane, &image[outer ^ 1][0]);
    if (q->frame_count == 2) {
      apart = mo_m8_or(apart, disjoint_boxes(&image[outer][1], lane, &image[outer ^ 1][1]));
    }
    uint32_t met = slots[outer ^ 1] & ~mo_m8_bits(apart);
    if (q->is_self && frame->node[0] == frame->node[1]) {
      met &= ~0u << lane; /* a node against itself: visits each pair of children once */
    }
    frame->pending |= (uint64_t)met << (MO_LANE_COUNT * lane);
  }
}

/* Lanes in which two ranges along an axis are disjoint by more than the margin. */
static inline mo_m8 disjoint_along(const mo_mesh_pair *q, mo_lanes3 axis, mo_mesh_pair_range a,
                                   mo_mesh_pair_range b) {
  const mo_f8 margin = mo_mesh_pair_margin_along(&q->frame[0], axis);
  return mo_m8_or(mo_f8_lt(mo_f8_add(b.max, margin), a.min),
                  mo_f8_lt(mo_f8_add(a.max, margin), b.min));
}

/* --- lanes whose triangles surely touch: an edge of one goes through the other ---
 *
 * Corners may be off by up to the frame's margin. An edge of one triangle and an edge of the other
 * span a volume, six times that of a tetrahedron. An edge goes through a triangle if it has its
 * ends on both sides of the triangle's plane, and the volumes that it spans with the three edges
 * have the same sign. Both are determinants of three vectors between corners. With components up to
 * L, and corners off by d, a determinant is off by at most 36 d L^2, terms of higher order and
 * rounding 12 d L^2. */

static const float volume_margin = 64.0f;

/* By how much volumes and heights, times the length of the normal, may be off. */
static inline mo_f8 margin_of_volumes(const mo_mesh_pair *q, const mo_mesh_pair_triangles *a,
                                      uint32_t lane, const mo_mesh_pair_triangles *b) {
  const float *m = q->frame[0].margin;
  mo_f8 size = mo_f8_splat(0.0f);
  for (int k = 0; k < 3; k++) {
    const mo_f8 lower = mo_f8_min(mo_f8_load(b->box.lower[k]), mo_f8_splat(a->box.lower[k][lane])),
                upper = mo_f8_max(mo_f8_load(b->box.upper[k]), mo_f8_splat(a->box.upper[k][lane]));
    size = mo_f8_max(size, mo_f8_sub(upper, lower));
  }
  return mo_f8_add(mo_f8_mul(mo_f8_splat(volume_margin * mo_max(mo_max(m[0], m[1]), m[2])),
                             mo_f8_mul(size, size)),
                   mo_f8_splat(0x1p-100f));
}

/* The values of a triangle's corners along an axis. */
typedef struct corner_values {
  mo_f8 at[3];
} corner_values;

static inline corner_values values_along(const mo_lanes3 corner[3], mo_lanes3 axis) {
  return (corner_values){{mo_lanes3_dot(axis, corner[0]), mo_lanes3_dot(axis, corner[1]),
                          mo_lanes3_dot(axis, corner[2])}};
}

static inline mo_mesh_pair_range range_of(const corner_values *v) {
  return (mo_mesh_pair_range){mo_f8_min(mo_f8_min(v->at[0], v->at[1]), v->at[2]),
                              mo_f8_max(mo_f8_max(v->at[0], v->at[1]), v->at[2])};
}

static inline mo_mesh_pair_range empty_range(void) {
  return (mo_mesh_pair_range){mo_f8_splat(INFINITY), mo_f8_splat(-INFINITY)};
}

static inline mo_mesh_pair_range range_with(mo_mesh_pair_range range, mo_f8 value) {
  return (mo_mesh_pair_range){mo_f8_min(range.min, value), mo_f8_max(range.max, value)};
}

/* Of one triangle, what says whether its edges go through another. */
typedef struct piercing {
  corner_values height;          /* of its corners, from the other's plane */
  mo_mesh_pair_range volumes[3]; /* by edge: range of the volumes with the other's edges */
} piercing;

static inline mo_m8 any_edge_pierces(const piercing *p, mo_f8 margin) {
  const mo_f8 minus = mo_f8_sub(mo_f8_splat(0.0f), margin);
  mo_m8 any = mo_m8_from_bits(0);
  for (int i = 0; i < 3; i++) {
    const mo_f8 from = p->height.at[i], to = p->height.at[(i + 1) % 3];
    const mo_m8 crosses = mo_m8_and(mo_f8_lt(mo_f8_min(from, to), minus),
                                    mo_f8_lt(margin, mo_f8_max(from, to))),
                one_sign = mo_m8_or(mo_f8_lt(margin, p->volumes[i].min),
                                    mo_f8_lt(p->volumes[i].max, minus));
    any = mo_m8_or(any, mo_m8_and(crosses, one_sign));
  }
  return any;
}

/* Returns those lanes of `b`, among `lanes`, whose triangles no axis separates from the triangle in
 * one lane of `a`. `sure` receives those of them that surely touch it. */
static inline uint32_t triangles_not_separated(const mo_mesh_pair *q,
                                               const mo_mesh_pair_triangles *a, uint32_t lane,
                                               const mo_mesh_pair_triangles *b, uint32_t lanes,
                                               uint32_t *sure) {
  const mo_lanes3 corner[3] = {mo_mesh_pair_broadcast_lane3(&a->corner[0], lane),
                               mo_mesh_pair_broadcast_lane3(&a->corner[1], lane),
                               mo_mesh_pair_broadcast_lane3(&a->corner[2], lane)};
  const mo_lanes3 normal = mo_mesh_pair_broadcast_lane3(&a->normal, lane);
  const mo_mesh_pair_range own = mo_mesh_pair_broadcast_range(&a->range_along_normal, lane);
  const corner_values along_a = values_along(b->corner, normal),
                      along_b = values_along(corner, b->normal);
  *sure = 0;
  lanes &= ~mo_m8_bits(disjoint_along(q, normal, own, range_of(&along_a)));
  if (lanes != 0) {
    lanes &= ~mo_m8_bits(disjoint_along(q, b->normal, range_of(&along_b), b->range_along_normal));
  }
  if (lanes == 0) {
    return 0;
  }
  piercing of_a, of_b;
  for (int i = 0; i < 3; i++) {
    of_a.height.at[i] = mo_f8_sub(along_b.at[i], b->range_along_normal.min);
    of_b.height.at[i] = mo_f8_sub(along_a.at[i], own.min);
    of_a.volumes[i] = of_b.volumes[i] = empty_range();
  }
  for (int i = 0; i < 3; i++) {
    const mo_lanes3 edge = mo_mesh_pair_broadcast_lane3(&a->edge[i], lane);
    for (int k = 0; k < 3; k++) {
      const mo_lanes3 axis = mo_lanes3_cross(edge, b->edge[k]);
      const corner_values values_a = values_along(corner, axis),
                          values_b = values_along(b->corner, axis);
      const mo_f8 volume = mo_f8_sub(values_a.at[i], values_b.at[k]);
      lanes &= ~mo_m8_bits(disjoint_along(q, axis, range_of(&values_a), range_of(&values_b)));
      of_a.volumes[i] = range_with(of_a.volumes[i], volume);
      of_b.volumes[k] = range_with(of_b.volumes[k], volume);
    }
    if (lanes == 0) {
      return 0;
    }
  }
  const mo_f8 margin = margin_of_volumes(q, a, lane, b);
  *sure = lanes &
          mo_m8_bits(mo_m8_or(any_edge_pierces(&of_a, margin), any_edge_pierces(&of_b, margin)));
  return lanes;
}

/* A cache, by a hash of both indices: the last pairs of duplicated triangles, and the leaves from
 * which they are reported. */
enum { MAILBOX_SIZE = 64 };

typedef struct pair_mailbox {
  struct {
    uint32_t triangle[2], leaf_slot[2];
  } entry[MAILBOX_SIZE];
} pair_mailbox;

static inline bool is_first_leaf_pair(const mo_mesh_pair *q, pair_mailbox *mailbox,
                                      const uint32_t triangle[2], const uint32_t leaf_slot[2]) {
  const uint32_t at = (triangle[0] * 0x9e3779b1u + triangle[1]) % MAILBOX_SIZE;
  if (mailbox->entry[at].triangle[0] != triangle[0] ||
      mailbox->entry[at].triangle[1] != triangle[1]) {
    for (int s = 0; s < 2; s++) {
      mailbox->entry[at].triangle[s] = triangle[s];
      mailbox->entry[at].leaf_slot[s] = leaf_slot[s];
    }
    mo_mesh_pair_first_leaves(q, triangle, mailbox->entry[at].leaf_slot);
  }
  return mailbox->entry[at].leaf_slot[0] == leaf_slot[0] &&
         mailbox->entry[at].leaf_slot[1] == leaf_slot[1];
}

/* Those of the lanes whose triangles may be in pairs before the end. */
static inline uint32_t lanes_before_end(const mo_mesh_pair *q, const mo_triangle_block *block,
                                        uint32_t lanes) {
  if (q->end.triangle == MO_NONE) {
    return lanes;
  }
  uint32_t before = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    before |= (uint32_t)((block->id[i] & MO_LANE_TRIANGLE) <= q->end.triangle) << i;
  }
  return lanes & before;
}

static inline bool pair_passes_test(const mo_mesh_pair *q, const mo_mesh_pair_triangles t[2],
                                    const uint32_t lane[2]) {
  mo_vec3 corners[2][3];
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 3; i++) {
      corners[s][i] = mo_block_corner(t[s].block, i, lane[s]);
    }
  }
  return q->test(q, corners[0], corners[1]);
}

/* Tests and reports one pair. Returns false if the traversal was ended. */
static inline bool test_and_report_pair(mo_mesh_pair *q, pair_mailbox *mailbox,
                                        const mo_mesh_pair_triangles t[2], const uint32_t lane[2],
                                        const uint32_t leaf[2], bool surely_touches) {
  const uint32_t id[2] = {t[0].block->id[lane[0]], t[1].block->id[lane[1]]};
  const uint32_t own = id[0] & MO_LANE_TRIANGLE, other = id[1] & MO_LANE_TRIANGLE;
  const bool swaps = q->is_self && own >= other; /* the lower triangle comes first */
  if (swaps && (own == other || leaf[0] == leaf[1])) {
    return true; /* skips one of two: a leaf against itself yields each pair in both orders */
  }
  const uint32_t triangle[2] = {swaps ? other : own, swaps ? own : other},
                 leaf_slot[2] = {leaf[swaps], leaf[!swaps]};
  if (!mo_mesh_pair_is_before((mo_triangle_pair){triangle[0], triangle[1]}, q->end)) {
    return true;
  }
  if (((id[0] | id[1]) & MO_LANE_DUPLICATED) &&
      !is_first_leaf_pair(q, mailbox, triangle, leaf_slot)) {
    q->stats->mailbox_hit_count++;
    return true;
  }
  if (q->test != NULL) {
    q->stats->pair_count++;
    if (surely_touches && q->test == mo_mesh_pair_touches) {
      MO_ASSERT(pair_passes_test(q, t, lane));
    } else if (!pair_passes_test(q, t, lane)) {
      return true;
    }
  }
  return q->report(triangle[0], triangle[1], q->context);
}

static inline bool visit_blocks(mo_mesh_pair *q, pair_mailbox *mailbox,
                                const mo_mesh_pair_triangles t[2], const uint32_t leaf_slot[2]) {
  for (uint32_t left = t[0].lanes; left != 0; left &= left - 1) {
    const uint32_t i = (uint32_t)__builtin_ctz(left);
    uint32_t near = t[1].lanes & ~mo_m8_bits(disjoint_boxes(&t[0].box, i, &t[1].box));
    uint32_t sure = 0;
    if (near != 0) {
      near = triangles_not_separated(q, &t[0], i, &t[1], near, &sure);
    }
    for (; near != 0; near &= near - 1) {
      const uint32_t lane[2] = {i, (uint32_t)__builtin_ctz(near)};
      if (!test_and_report_pair(q, mailbox, t, lane, leaf_slot, sure >> lane[1] & 1)) {
        return false;
      }
    }
  }
  return true;
}

/* Visits the pairs of two leaves. Returns false if the traversal was ended. */
MO_INLINE bool visit_leaves(mo_mesh_pair *q, pair_mailbox *mailbox, const mo_tree_arrays tree[2],
                            mo_mesh_format format_a, mo_mesh_format format_b,
                            const uint32_t first[2], const uint32_t leaf_slot[2]) {
  mo_mesh_pair_triangles t[2];
  for (uint32_t at_a = first[0];; at_a = mo_block_after(&tree[0], format_a, at_a)) {
    mo_mesh_pair_take_block(q, &tree[0], format_a, at_a, &t[0]);
    t[0].lanes = lanes_before_end(q, t[0].block, t[0].lanes);
    if (t[0].lanes != 0) {
      mo_mesh_pair_place_block(q, &q->frame[0], 0, &t[0]);
    }
    for (uint32_t at_b = first[1]; t[0].lanes != 0;
         at_b = mo_block_after(&tree[1], format_b, at_b)) {
      mo_mesh_pair_load_block(q, &q->frame[0], &tree[1], format_b, 1, at_b, &t[1]);
      if (!visit_blocks(q, mailbox, t, leaf_slot)) {
        return false;
      }
      if (t[1].block->id[0] & MO_LANE_LAST_BLOCK) {
        break;
      }
    }
    if (t[0].block->id[0] & MO_LANE_LAST_BLOCK) {
      return true;
    }
  }
}

MO_INLINE void traverse_pairs(mo_mesh_pair *q, mo_mesh_format format_a, mo_mesh_format format_b) {
  const mo_tree_arrays tree[2] = {mo_tree_arrays_of(q->mesh[0], format_a),
                                  mo_tree_arrays_of(q->mesh[1], format_b)};
  traversal_frame frames[STACK_CAPACITY];
  pair_mailbox mailbox;
  memset(&mailbox, 0xff, sizeof mailbox);
  mo_bounds8 expanded[2];
  uint32_t depth = 0, node[2] = {0, 0};
  uint32_t slots[2] = {mo_load_child_bits(&tree[0], format_a, 0),
                       mo_load_child_bits(&tree[1], format_b, 0)};
  mo_count_mesh_node(q->stats, q->mesh[0], 0);
  mo_count_mesh_node(q->stats, q->mesh[1], 0);
  for (;;) {
    MO_ASSERT(depth < STACK_CAPACITY);
    const mo_bounds8 *bounds[2] = {mo_load_bounds(&tree[0], format_a, node[0], &expanded[0]),
                                   mo_load_bounds(&tree[1], format_b, node[1], &expanded[1])};
    frames[depth] = (traversal_frame){.node = {node[0], node[1]}};
    expand_node_pair(q, bounds, slots, &frames[depth++]);
    bool leaves = true;
    while (leaves) {
      while (depth > 0 && frames[depth - 1].pending == 0) {
        depth--;
      }
      if (depth == 0) {
        return;
      }
      traversal_frame *frame = &frames[depth - 1];
      const uint32_t bit = (uint32_t)__builtin_ctzll(frame->pending);
      frame->pending &= frame->pending - 1;
      uint32_t slot[2];
      slot[frame->outer_side] = bit / MO_LANE_COUNT;
      slot[frame->outer_side ^ 1] = bit % MO_LANE_COUNT;
      const uint32_t child[2] = {mo_load_child(&tree[0], format_a, frame->node[0], slot[0]),
                                 mo_load_child(&tree[1], format_b, frame->node[1], slot[1])};
      const bool leaf[2] = {mo_child_is_leaf(child[0]), mo_child_is_leaf(child[1])};
      leaves = leaf[0] && leaf[1];
      if (leaves) {
        const uint32_t first[2] = {mo_child_index(child[0]), mo_child_index(child[1])};
        const uint32_t leaf_slot[2] = {frame->node[0] << 3 | slot[0],
                                       frame->node[1] << 3 | slot[1]};
        if (!visit_leaves(q, &mailbox, tree, format_a, format_b, first, leaf_slot)) {
          return;
        }
        continue;
      }
      bounds[0] = mo_load_bounds(&tree[0], format_a, frame->node[0], &expanded[0]);
      bounds[1] = mo_load_bounds(&tree[1], format_b, frame->node[1], &expanded[1]);
      const float size[2] = {mo_mesh_pair_size(q, 0, mo_bounds8_get(bounds[0], (int)slot[0])),
                             mo_mesh_pair_size(q, 1, mo_bounds8_get(bounds[1], (int)slot[1]))};
      for (int s = 0; s < 2; s++) {
        const bool down = !leaf[s] && (leaf[s ^ 1] || !(size[s] < min_size_ratio * size[s ^ 1]));
        node[s] = down ? child[s] : frame->node[s];
        slots[s] = down ? mo_load_child_bits(&tree[s], s == 0 ? format_a : format_b, child[s])
                        : 1u << slot[s];
        if (down) {
          mo_count_mesh_node(q->stats, q->mesh[s], child[s]);
        }
      }
    }
  }
}

/* Each in a function of its own, so that the stack memory of only one is in use. */

__attribute__((noinline)) static void traverse_full(mo_mesh_pair *query) {
  traverse_pairs(query, MO_MESH_FULL, MO_MESH_FULL);
}

__attribute__((noinline)) static void traverse_others(mo_mesh_pair *query) {
  traverse_pairs(query, query->mesh[0]->format, query->mesh[1]->format);
}

void MO_ISA_FN(mo_mesh_pair_walk)(mo_mesh_pair *query) {
  if (query->mesh[0]->format == MO_MESH_FULL && query->mesh[1]->format == MO_MESH_FULL) {
    traverse_full(query);
  } else {
    traverse_others(query);
  }
}
