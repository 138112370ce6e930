/* Packets: up to 64 coherent rays, as eight groups of eight.
 *
 * All rays of a packet have the same direction signs and main axis. Tests are done eight at a time:
 * the children of a node against the whole packet, a box against the groups, the triangles of a
 * block against a group, and the rays of a group against a box or a triangle. Tests of a box
 * against more than one ray use interval arithmetic. The slab test of a ray (octree/cull.h)
 * consists of operations that round monotonically. So the same operations on the ends of the
 * intervals bound the results for every ray in between, and a box that passes a ray's own test also
 * passes that of its group and packet. See Wald, Benthin and Boulos, "Getting Rid of Packets"
 * (2008), and Reshetov, Soupikov and Hurley, "Multi-Level Ray Tracing Algorithm" (2005).
 *
 * The test of rays against a triangle does the operations of mo_ray_test_triangles8, in the same
 * order. For inclusion in one translation unit. */
#ifndef MO_BATCH_PACKET_H
#define MO_BATCH_PACKET_H

#include "base/inline.h"
#include "batch/batch.h"
#include "octree/cull.h"

/* Eight rays, one per lane. */
typedef struct mo_ray_group {
  mo_rays8 rays; /* max_t: t of the best hit so far; any-hit rays: -INFINITY after a hit */
  alignas(MO_ALIGNMENT) float near_origin[3][8];
  float far_origin[3][8], inverse[3][8], near_t[8]; /* as in mo_ray */
  float sx[8], sy[8], sz[8];    /* the shear of the triangle test, as in mo_ray */
  uint32_t triangle[8];         /* for closest hits: the triangle hit */
  uint32_t shape[8];            /* for closest hits in scenes: the slot of the shape */
  uint32_t found;               /* for any-hit rays: a bit for each lane that hits */
  uint32_t found_in_mesh_space; /* for closest hits in scenes: as in mo_answers8 */
} mo_ray_group;

/* The intervals of several rays, for one slab test of them all. By axis: for near and far planes
 * the origin that makes the interval of t widest; the least and greatest inverse direction. */
typedef struct mo_ray_intervals {
  mo_f8 near_origin[3], far_origin[3], inverse[2][3], near_t;
} mo_ray_intervals;

struct mo_packet {
  mo_ray_group group[MO_PACKET_GROUPS];
  /* Intervals of the groups, a lane for each group. */
  alignas(MO_ALIGNMENT) float near_origin[3][MO_PACKET_GROUPS];
  float far_origin[3][MO_PACKET_GROUPS];
  float inverse[2][3][MO_PACKET_GROUPS];
  float near_t[MO_PACKET_GROUPS];
  float max_t[MO_PACKET_GROUPS]; /* the greatest max_t in each group; -INFINITY for absent groups */
  mo_ray_intervals intervals;    /* intervals of the whole packet, broadcast to all lanes */
  float packet_max_t;            /* the greatest max_t of the packet */
  uint32_t group_count;
  /* whether the members of groups after `rays`, and the intervals of groups, are set */
  bool prepared;
  uint32_t signs;
  int kx, ky, kz;            /* axes: kz is the main axis, kx and ky the others, as in mo_ray */
  size_t enter[3], leave[3]; /* rows of a node's bounds, as in mo_ray_lanes */
};

/* Where rays may enter and leave boxes: bounds of t that hold for all rays of the intervals. */
MO_INLINE mo_ray_slabs mo_slabs_of_intervals(const mo_ray_intervals *intervals,
                                             const mo_f8 enter[3], const mo_f8 leave[3],
                                             mo_f8 max_t) {
  mo_f8 t[2][3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 to_near = mo_f8_sub(enter[axis], intervals->near_origin[axis]);
    mo_f8 to_far = mo_f8_sub(leave[axis], intervals->far_origin[axis]);
    t[0][axis] = mo_f8_min(mo_f8_mul(to_near, intervals->inverse[0][axis]),
                           mo_f8_mul(to_near, intervals->inverse[1][axis]));
    t[1][axis] = mo_f8_max(mo_f8_mul(to_far, intervals->inverse[0][axis]),
                           mo_f8_mul(to_far, intervals->inverse[1][axis]));
  }
  return (mo_ray_slabs){
      mo_f8_max(mo_f8_max(t[0][0], t[0][1]), mo_f8_max(t[0][2], intervals->near_t)),
      mo_f8_min(mo_f8_min(t[1][0], t[1][1]), mo_f8_min(t[1][2], max_t)),
  };
}

/* Bit mask of the groups with rays that may hit a box. */
MO_INLINE uint32_t mo_groups_that_may_hit_box(const mo_packet *packet, const mo_bounds8 *bounds,
                                              uint32_t slot) {
  const float *floats = &bounds->lower[0][0];
  mo_ray_intervals intervals;
  mo_f8 enter[3], leave[3];
  for (int axis = 0; axis < 3; axis++) {
    intervals.near_origin[axis] = mo_f8_load(packet->near_origin[axis]);
    intervals.far_origin[axis] = mo_f8_load(packet->far_origin[axis]);
    intervals.inverse[0][axis] = mo_f8_load(packet->inverse[0][axis]);
    intervals.inverse[1][axis] = mo_f8_load(packet->inverse[1][axis]);
    enter[axis] = mo_f8_splat(floats[packet->enter[axis] + slot]);
    leave[axis] = mo_f8_splat(floats[packet->leave[axis] + slot]);
  }
  intervals.near_t = mo_f8_load(packet->near_t);
  mo_ray_slabs slabs = mo_slabs_of_intervals(&intervals, enter, leave, mo_f8_load(packet->max_t));
  return mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
}

/* Bit mask of the rays of a group that hit a box. */
MO_INLINE uint32_t mo_rays_that_hit_box(const mo_packet *packet, const mo_ray_group *group,
                                        const mo_bounds8 *bounds, uint32_t slot) {
  const float *floats = &bounds->lower[0][0];
  mo_f8 t[2][3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 inverse = mo_f8_load(group->inverse[axis]);
    mo_f8 enter = mo_f8_splat(floats[packet->enter[axis] + slot]);
    mo_f8 leave = mo_f8_splat(floats[packet->leave[axis] + slot]);
    t[0][axis] = mo_f8_mul(mo_f8_sub(enter, mo_f8_load(group->near_origin[axis])), inverse);
    t[1][axis] = mo_f8_mul(mo_f8_sub(leave, mo_f8_load(group->far_origin[axis])), inverse);
  }
  mo_f8 near_t =
      mo_f8_max(mo_f8_max(t[0][0], t[0][1]), mo_f8_max(t[0][2], mo_f8_load(group->near_t)));
  mo_f8 far_t =
      mo_f8_min(mo_f8_min(t[1][0], t[1][1]), mo_f8_min(t[1][2], mo_f8_load(group->rays.max_t)));
  return mo_m8_bits(mo_f8_le(near_t, far_t));
}

/* The boxes around the triangles of a block: the planes where rays of a packet enter and leave
 * them. */
typedef struct mo_block_boxes {
  mo_f8 enter[3], leave[3];
} mo_block_boxes;

MO_INLINE mo_block_boxes mo_boxes_of_block(const mo_packet *packet,
                                           const mo_triangle_block *block) {
  mo_block_boxes boxes;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 a = mo_f8_load(block->corner[0][axis]), b = mo_f8_load(block->corner[1][axis]),
          c = mo_f8_load(block->corner[2][axis]);
    mo_f8 lower = mo_f8_min(mo_f8_min(a, b), c), upper = mo_f8_max(mo_f8_max(a, b), c);
    bool negative = packet->signs >> axis & 1;
    boxes.enter[axis] = negative ? upper : lower;
    boxes.leave[axis] = negative ? lower : upper;
  }
  return boxes;
}

/* Bit mask of the triangles of a block whose boxes rays of a group may hit. */
MO_INLINE uint32_t mo_boxes_that_group_may_hit(const mo_packet *packet, uint32_t group,
                                               const mo_block_boxes *boxes) {
  mo_ray_intervals intervals;
  for (int axis = 0; axis < 3; axis++) {
    intervals.near_origin[axis] = mo_f8_splat(packet->near_origin[axis][group]);
    intervals.far_origin[axis] = mo_f8_splat(packet->far_origin[axis][group]);
    intervals.inverse[0][axis] = mo_f8_splat(packet->inverse[0][axis][group]);
    intervals.inverse[1][axis] = mo_f8_splat(packet->inverse[1][axis][group]);
  }
  intervals.near_t = mo_f8_splat(packet->near_t[group]);
  mo_ray_slabs slabs = mo_slabs_of_intervals(&intervals, boxes->enter, boxes->leave,
                                             mo_f8_splat(packet->max_t[group]));
  return mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
}

/* Extracts one ray of a group: the members that the triangle test reads. */
static inline void mo_group_extract_ray(const mo_packet *packet, const mo_ray_group *group,
                                        uint32_t lane, mo_ray *ray) {
  ray->kx = packet->kx;
  ray->ky = packet->ky;
  ray->kz = packet->kz;
  ray->sx = group->sx[lane];
  ray->sy = group->sy[lane];
  ray->sz = group->sz[lane];
  for (int axis = 0; axis < 3; axis++) {
    ray->origin[axis] = group->rays.origin[axis][lane];
    ray->direction[axis] = group->rays.direction[axis][lane];
  }
  ray->t_scale = 1.0f;
  ray->min_t = group->rays.min_t[lane];
}

/* Values of a group's rays that are loaded once for all triangle tests. */
typedef struct mo_group_shear {
  mo_f8 origin_x, origin_y, origin_z, sx, sy;
} mo_group_shear;

MO_INLINE mo_group_shear mo_shear_of_group(const mo_packet *packet, const mo_ray_group *group) {
  return (mo_group_shear){
      .origin_x = mo_f8_load(group->rays.origin[packet->kx]),
      .origin_y = mo_f8_load(group->rays.origin[packet->ky]),
      .origin_z = mo_f8_load(group->rays.origin[packet->kz]),
      .sx = mo_f8_load(group->sx),
      .sy = mo_f8_load(group->sy),
  };
}

/* The triangle test for one ray at a time (mo_ray_test_nondegenerate_triangle), for rays for which
 * the fast test is not precise enough. Returns a bit mask of the hits. */
static __attribute__((noinline)) uint32_t
mo_group_test_triangle_singly(const mo_packet *packet, const mo_ray_group *group,
                              const mo_f8 corner[3][3], uint32_t rays, mo_f8 max_t, mo_cull cull,
                              mo_f8 *t_of, mo_triangle_hits *found) {
  alignas(MO_ALIGNMENT) float lanes[3][3][8];
  alignas(MO_ALIGNMENT) float t[8], max[8];
  uint32_t hits = 0;
  mo_f8_store(t, *t_of);
  mo_f8_store(max, max_t);
  for (int i = 0; i < 3; i++) {
    mo_f8_store(lanes[i][packet->kx], corner[i][0]);
    mo_f8_store(lanes[i][packet->ky], corner[i][1]);
    mo_f8_store(lanes[i][packet->kz], corner[i][2]);
  }
  for (; rays != 0; rays &= rays - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rays);
    mo_vec3 corners[3];
    for (int i = 0; i < 3; i++) {
      corners[i] = mo_vec(lanes[i][0][lane], lanes[i][1][lane], lanes[i][2][lane]);
    }
    mo_ray ray;
    mo_triangle_hit hit;
    mo_group_extract_ray(packet, group, lane, &ray);
    if (mo_ray_test_nondegenerate_triangle(&ray, corners, max[lane], cull, &hit)) {
      t[lane] = hit.t;
      found->u[lane] = hit.u;
      found->v[lane] = hit.v;
      found->front = (found->front & ~(1u << lane)) | (uint32_t)hit.front << lane;
      hits |= 1u << lane;
    }
  }
  *t_of = mo_f8_load(t);
  return hits;
}

/* Tests each ray of a group against a triangle: corner[i][axis] is a coordinate of corner i, in all
 * lanes. `rays`: a bit for each ray to test. `t_of` receives the distances of hits; `found` is
 * written if weights are wanted. Otherwise as mo_ray_test_triangles8. */
MO_INLINE uint32_t mo_group_test_triangle(const mo_packet *packet, const mo_ray_group *group,
                                          const mo_group_shear *shear, const mo_f8 corner[3][3],
                                          uint32_t rays, mo_f8 max_t, mo_cull cull,
                                          bool want_weights, mo_f8 *t_of, mo_triangle_hits *found) {
  mo_f8 x[3], y[3], z[3];
  for (int i = 0; i < 3; i++) {
    z[i] = mo_f8_sub(corner[i][2], shear->origin_z);
    x[i] = mo_f8_sub(mo_f8_sub(corner[i][0], shear->origin_x), mo_f8_mul(shear->sx, z[i]));
    y[i] = mo_f8_sub(mo_f8_sub(corner[i][1], shear->origin_y), mo_f8_mul(shear->sy, z[i]));
  }
  mo_f8 u1 = mo_f8_mul(x[2], y[1]), u2 = mo_f8_mul(y[2], x[1]);
  mo_f8 v1 = mo_f8_mul(x[0], y[2]), v2 = mo_f8_mul(y[0], x[2]);
  mo_f8 w1 = mo_f8_mul(x[1], y[0]), w2 = mo_f8_mul(y[1], x[0]);
  mo_f8 u = mo_f8_sub(u1, u2), v = mo_f8_sub(v1, v2), w = mo_f8_sub(w1, w2);

  mo_f8 zero = mo_f8_splat(0.0f);
  mo_f8 min = mo_f8_min(mo_f8_min(u, v), w);
  mo_f8 max = mo_f8_max(mo_f8_max(u, v), w);
  uint32_t mixed = mo_m8_bits(mo_m8_and(mo_f8_lt(min, zero), mo_f8_lt(zero, max)));
  uint32_t candidates = ~mixed & rays;
  if (cull != MO_CULL_NONE) {
    candidates &= ~mo_m8_bits(cull == MO_CULL_BACK ? mo_f8_lt(min, zero) : mo_f8_lt(zero, max));
  }
  if (candidates == 0) {
    return 0;
  }

  mo_f8 sum = mo_f8_add(mo_f8_add(u, v), w);
  mo_f8 size = mo_f8_abs(sum);
  mo_f8 magnitude = mo_f8_add(
      mo_f8_add(mo_f8_add(mo_f8_abs(u1), mo_f8_abs(u2)), mo_f8_add(mo_f8_abs(v1), mo_f8_abs(v2))),
      mo_f8_add(mo_f8_abs(w1), mo_f8_abs(w2)));
  mo_f8 smallest = mo_f8_min(mo_f8_min(mo_f8_abs(u), mo_f8_abs(v)), mo_f8_abs(w));
  mo_f8 needed = mo_f8_max(mo_f8_mul(mo_f8_splat(MO_MIN_RELATIVE_WEIGHT_SUM), magnitude),
                           mo_f8_splat(MO_MIN_WEIGHT_SUM));
  mo_f8 sz = mo_f8_load(group->sz);
  mo_f8 sum_t =
      mo_f8_add(mo_f8_add(mo_f8_mul(u, mo_f8_mul(sz, z[0])), mo_f8_mul(v, mo_f8_mul(sz, z[1]))),
                mo_f8_mul(w, mo_f8_mul(sz, z[2])));
  uint32_t precise =
      mo_m8_bits(mo_m8_and(mo_m8_and(mo_f8_lt(zero, smallest), mo_f8_le(needed, size)),
                           mo_m8_and(mo_f8_lt(mo_f8_abs(sum_t), mo_f8_splat(INFINITY)),
                                     mo_f8_lt(magnitude, mo_f8_splat(INFINITY)))));
  mo_f8 t = mo_f8_add(mo_f8_div(sum_t, sum), zero);
  uint32_t near =
      candidates & mo_triangles_span_ray_end8(z, mo_f8_load(group->rays.direction[packet->kz]));
  if (__builtin_expect(near != 0, 0)) {
    mo_f8 slope = mo_f8_max(mo_f8_abs(shear->sx), mo_f8_abs(shear->sy));
    precise &= ~(near & mo_ray_t_is_uncertain8(x, y, z, slope, sz, sum, t));
  }
  uint32_t within = mo_m8_bits(
      mo_m8_and(mo_m8_and(mo_f8_le(mo_f8_load(group->rays.min_t), t), mo_f8_le(t, max_t)),
                mo_f8_lt(t, mo_f8_splat(INFINITY))));
  uint32_t hits = candidates & precise & within;
  uint32_t imprecise = candidates & ~precise;
  if ((hits | imprecise) == 0) {
    return 0;
  }
  *t_of = t;
  if (want_weights) {
    mo_f8_store(found->u, mo_f8_div(v, sum));
    mo_f8_store(found->v, mo_f8_div(w, sum));
    found->front = mo_m8_bits(mo_f8_lt(zero, sum));
  }
  if (__builtin_expect(imprecise != 0, 0)) {
    hits |=
        mo_group_test_triangle_singly(packet, group, corner, imprecise, max_t, cull, t_of, found);
  }
  return hits;
}

/* Sets the answers of a group of a traced packet, but for weights and shapes. `hit` is its member
 * `triangle` or `shape`. Returns whether they are closest hits. */
static inline bool set_group_answers(const mo_packet *packet, const mo_ray_group *group,
                                     mo_ray_goal goal, const uint32_t hit[8],
                                     mo_answers8 *answers) {
  if (!packet->prepared) {
    mo_answers8_clear(answers);
    return false;
  }
  answers->corners = NULL;
  if (goal == MO_GOAL_ANY) {
    answers->found = group->found;
    return false;
  }
  answers->found = ~mo_u8_equal(hit, UINT32_MAX, UINT32_MAX) & 0xff;
  mo_f8_store(answers->t, mo_f8_select(mo_m8_from_bits(answers->found),
                                       mo_f8_load(group->rays.max_t), mo_f8_splat(INFINITY)));
  memcpy(answers->triangle, group->triangle, sizeof answers->triangle);
  return true;
}

/* --- preparation: the intervals of all rays before the packet is traced, each single ray only when
 * the packet reaches a leaf --- */

/* Copies the rays whose bits are set in `rays`, of up to eight groups, to the groups of a packet
 * without gaps. `ray_index` receives their indices; the last ray is repeated to fill its group. */
static void gather_rays(const mo_rays8 *in, uint64_t rays, mo_packet *packet, uint8_t *ray_index) {
  float row[8][8 * MO_PACKET_GROUPS + 8];
  uint32_t count = 0;
  for (uint32_t g = 0; g < MO_PACKET_GROUPS; g++) {
    uint32_t lanes = (uint32_t)(rays >> 8 * g) & 0xff;
    if (lanes == 0) {
      continue;
    }
    const float *from = &in[g].origin[0][0];
    for (int i = 0; i < 8; i++) {
      mo_f8_store_unaligned(&row[i][count], mo_f8_compress(mo_f8_load(from + 8 * i), lanes));
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      ray_index[count++] = (uint8_t)(8 * g + (uint32_t)__builtin_ctz(lanes));
    }
  }
  packet->group_count = (count + 7) / 8;
  for (int i = 0; i < 8; i++) {
    mo_f8_store_unaligned(&row[i][count], mo_f8_splat(row[i][count - 1]));
    for (uint32_t g = 0; g < packet->group_count; g++) {
      memcpy(&packet->group[g].rays.origin[0][0] + 8 * i, &row[i][8 * g], 8 * sizeof row[0][0]);
    }
  }
}

static inline mo_f8 with_sign(mo_f8 magnitude, bool negative) {
  return negative ? mo_f8_sub(mo_f8_splat(-0.0f), magnitude) : magnitude;
}

/* Prepares the rays of a group as mo_ray_init does, which must not need to scale any of them. */
static inline void prepare_group(mo_packet *packet, mo_ray_group *group, const float reach[3],
                                 float margin) {
  mo_f8 d[3], size[3], reaches[3];
  for (int axis = 0; axis < 3; axis++) {
    d[axis] = mo_f8_load(group->rays.direction[axis]);
    size[axis] = mo_f8_abs(d[axis]);
    reaches[axis] =
        mo_f8_add(mo_f8_splat(reach[axis]), mo_f8_abs(mo_f8_load(group->rays.origin[axis])));
  }
  mo_f8 sz = mo_f8_div(mo_f8_splat(1.0f), d[packet->kz]);
  mo_f8_store(group->sz, sz);
  mo_f8_store(group->sx, mo_f8_mul(d[packet->kx], sz));
  mo_f8_store(group->sy, mo_f8_mul(d[packet->ky], sz));
  mo_f8 largest = mo_f8_max(mo_f8_max(size[0], size[1]), size[2]);
  mo_f8 min = mo_f8_mul(mo_f8_splat(0x1p-60f), largest);
  mo_f8 raised =
      mo_f8_add(mo_f8_mul(mo_f8_mul(mo_f8_splat(0x1p-58f), mo_f8_mul(largest, mo_f8_abs(sz))),
                          reaches[packet->kz]),
                mo_f8_splat(0x1p-120f));
  for (int axis = 0; axis < 3; axis++) {
    bool negative = packet->signs >> axis & 1;
    mo_f8 slope = mo_f8_abs(mo_f8_mul(d[axis], sz));
    mo_f8 pad =
        mo_f8_add(mo_f8_mul(mo_f8_splat(margin),
                            mo_f8_add(reaches[axis], mo_f8_mul(slope, reaches[packet->kz]))),
                  raised);
    mo_f8 origin = mo_f8_load(group->rays.origin[axis]);
    mo_f8 forward = mo_f8_add(origin, pad), backward = mo_f8_sub(origin, pad);
    mo_f8_store(group->near_origin[axis], negative ? backward : forward);
    mo_f8_store(group->far_origin[axis], negative ? forward : backward);
    mo_f8_store(group->inverse[axis],
                mo_f8_div(mo_f8_splat(1.0f), with_sign(mo_f8_max(size[axis], min), negative)));
  }
  mo_f8 min_t = mo_f8_load(group->rays.min_t);
  mo_f8_store(group->near_t, mo_f8_sub(min_t, mo_f8_add(mo_f8_mul(min_t, mo_f8_splat(0x1p-20f)),
                                                        mo_f8_splat(0x1p-120f))));
  for (int lane = 0; lane < 8; lane++) {
    group->triangle[lane] = MO_NO_TRIANGLE;
  }
  group->found = 0;
}

/* Orders of lanes that swap neighbours, pairs and halves. */
enum { SWAP_LANES = 0x67452301, SWAP_PAIRS = 0x54761032, SWAP_HALVES = 0x32107654 };

static inline mo_f8 min_or_max(mo_f8 a, mo_f8 b, bool is_max) {
  return is_max ? mo_f8_max(a, b) : mo_f8_min(a, b);
}

/* Horizontal minimum or maximum: the least or greatest of all lanes, in all lanes. */
static inline mo_f8 reduce_lanes(mo_f8 a, bool is_max) {
  a = min_or_max(a, mo_f8_reorder(a, SWAP_LANES), is_max);
  a = min_or_max(a, mo_f8_reorder(a, SWAP_PAIRS), is_max);
  return min_or_max(a, mo_f8_reorder(a, SWAP_HALVES), is_max);
}

/* Reduces pairs of lanes to their minimum or maximum: pairs of `a` to the lanes where `mask` is
 * clear, pairs of `b` to those where it is set. `order` swaps the lanes of each pair. */
static inline mo_f8 reduce_lane_pairs(mo_f8 a, mo_f8 b, uint32_t order, uint32_t mask,
                                      bool is_max) {
  mo_m8 second = mo_m8_from_bits(mask);
  return min_or_max(mo_f8_select(second, b, a),
                    mo_f8_select(second, mo_f8_reorder(b, order), mo_f8_reorder(a, order)), is_max);
}

/* Returns in lane g the minimum or maximum over the eight rays of group g. `row` points to the
 * numbers to reduce in group 0, one per ray; lanes beyond the last group repeat its result. */
static inline mo_f8 reduce_rows(const mo_packet *packet, const float *row, bool is_max) {
  const size_t pitch = sizeof(mo_ray_group) / sizeof(float);
  uint32_t last = packet->group_count - 1;
  mo_f8 a[4];
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t first = 2 * i < last ? 2 * i : last;
    uint32_t second = 2 * i + 1 < last ? 2 * i + 1 : last;
    a[i] = reduce_lane_pairs(mo_f8_load(row + first * pitch), mo_f8_load(row + second * pitch),
                             SWAP_LANES, 0xaa, is_max);
  }
  mo_f8 b = reduce_lane_pairs(a[0], a[1], SWAP_PAIRS, 0xcc, is_max);
  mo_f8 c = reduce_lane_pairs(a[2], a[3], SWAP_PAIRS, 0xcc, is_max);
  return reduce_lane_pairs(b, c, SWAP_HALVES, 0xf0, is_max);
}

/* Computes the intervals of each group for its slab tests. */
static void find_group_intervals(mo_packet *packet) {
  const mo_ray_group *group = packet->group;
  for (uint32_t axis = 0; axis < 3; axis++) {
    bool negative = packet->signs >> axis & 1;
    mo_f8_store(packet->near_origin[axis],
                reduce_rows(packet, group->near_origin[axis], !negative));
    mo_f8_store(packet->far_origin[axis], reduce_rows(packet, group->far_origin[axis], negative));
    mo_f8_store(packet->inverse[0][axis], reduce_rows(packet, group->inverse[axis], false));
    mo_f8_store(packet->inverse[1][axis], reduce_rows(packet, group->inverse[axis], true));
  }
  mo_f8_store(packet->near_t, reduce_rows(packet, group->near_t, false));
  mo_f8_store(packet->max_t,
              mo_f8_select(mo_m8_from_bits((1u << packet->group_count) - 1),
                           reduce_rows(packet, group->rays.max_t, true), mo_f8_splat(-INFINITY)));
}

/* Intervals of a value, lane by lane. */
typedef struct intervals8 {
  mo_f8 min, max;
} intervals8;

static inline void extend_intervals(intervals8 *e, mo_f8 lanes) {
  e->min = mo_f8_min(e->min, lanes);
  e->max = mo_f8_max(e->max, lanes);
}

static inline intervals8 reduce_intervals(intervals8 e) {
  return (intervals8){reduce_lanes(e.min, false), reduce_lanes(e.max, true)};
}

/* The intervals of the rays of a packet, lane by lane until they are reduced. */
typedef struct packet_intervals {
  intervals8 origin[3], direction[3];
  mo_f8 earliest_t, latest_t;
} packet_intervals;

/* Computes the intervals of a packet whose direction class is set. Returns true only if all rays
 * are legal and of that direction class; else the intervals are meaningless. Legality is tested on
 * sums, which are NaN if a term is, and bound each term. */
static inline bool find_packet_intervals(const mo_packet *packet, packet_intervals *all) {
  const mo_rays8 *rays = &packet->group[0].rays;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 o = mo_f8_load(rays->origin[axis]), d = mo_f8_load(rays->direction[axis]);
    all->origin[axis] = (intervals8){o, o};
    all->direction[axis] = (intervals8){d, d};
  }
  all->earliest_t = mo_f8_load(rays->min_t);
  all->latest_t = mo_f8_load(rays->max_t);
  mo_f8 places = mo_f8_splat(0.0f), lengths = places, min_ts = places, max_ts = places;
  /* the most by which a component of a direction exceeds the one on the main axis */
  mo_f8 beyond = mo_f8_splat(-INFINITY);
  uint32_t other = 0;
  for (uint32_t g = 0; g < packet->group_count; g++) {
    rays = &packet->group[g].rays;
    mo_f8 length[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
      mo_f8 o = mo_f8_load(rays->origin[axis]), d = mo_f8_load(rays->direction[axis]);
      extend_intervals(&all->origin[axis], o);
      extend_intervals(&all->direction[axis], d);
      places = mo_f8_add(places, mo_f8_abs(o));
      length[axis] = mo_f8_abs(d);
      lengths = mo_f8_add(lengths, length[axis]);
      other |= mo_f8_signs(d) ^ (packet->signs >> axis & 1 ? 0xffu : 0u);
    }
    mo_f8 max = mo_f8_abs(mo_f8_load(rays->direction[packet->kz]));
    mo_f8 x = mo_f8_abs(mo_f8_load(rays->direction[packet->kx]));
    mo_f8 y = mo_f8_abs(mo_f8_load(rays->direction[packet->ky]));
    beyond = mo_f8_max(beyond, mo_f8_sub(mo_f8_max(x, y), max));
    mo_f8 min_t = mo_f8_load(rays->min_t), max_t = mo_f8_load(rays->max_t);
    all->earliest_t = mo_f8_min(all->earliest_t, min_t);
    all->latest_t = mo_f8_max(all->latest_t, max_t);
    min_ts = mo_f8_add(min_ts, min_t);
    max_ts = mo_f8_add(max_ts, mo_f8_abs(max_t));
  }
  mo_m8 legal = mo_m8_and(mo_f8_le(places, mo_f8_splat(0.99f * MO_MAX_COORDINATE)),
                          mo_f8_le(lengths, mo_f8_splat(0x1p20f)));
  legal = mo_m8_and(legal, mo_m8_and(mo_f8_lt(beyond, mo_f8_splat(0.0f)),
                                     mo_f8_le(mo_f8_splat(0.0f), all->earliest_t)));
  legal = mo_m8_and(legal, mo_m8_and(mo_f8_lt(min_ts, mo_f8_splat(INFINITY)),
                                     mo_f8_le(max_ts, mo_f8_splat(INFINITY))));
  for (int axis = 0; axis < 3; axis++) {
    all->origin[axis] = reduce_intervals(all->origin[axis]);
    all->direction[axis] = reduce_intervals(all->direction[axis]);
  }
  all->earliest_t = reduce_lanes(all->earliest_t, false);
  all->latest_t = reduce_lanes(all->latest_t, true);
  const intervals8 *along = &all->direction[packet->kz];
  mo_f8 shortest = mo_f8_min(mo_f8_abs(along->min), mo_f8_abs(along->max));
  /* Rays with a shorter component on the main axis are not traced in packets. */
  legal = mo_m8_and(legal, mo_f8_le(mo_f8_splat(0x1p-20f), shortest));
  return other == 0 && mo_m8_bits(legal) == 0xff;
}

static inline float first_lane(mo_f8 a) {
  alignas(MO_ALIGNMENT) float lanes[8];
  mo_f8_store(lanes, a);
  return lanes[0];
}

/* Computes the interval of a packet in interval arithmetic: the operations of prepare_group, done
 * on the ends of the input intervals, bound the results for all rays. */
static void prepare_packet_intervals(mo_packet *packet, const packet_intervals *all,
                                     const float reach[3], float margin) {
  intervals8 size[3];
  mo_f8 reaches[3], slope[3];
  for (uint32_t axis = 0; axis < 3; axis++) {
    uint32_t negative = packet->signs >> axis & 1;
    const intervals8 *d = &all->direction[axis], *o = &all->origin[axis];
    size[axis].min = mo_f8_abs(negative ? d->max : d->min);
    size[axis].max = mo_f8_abs(negative ? d->min : d->max);
    reaches[axis] =
        mo_f8_add(mo_f8_splat(reach[axis]), mo_f8_max(mo_f8_abs(o->min), mo_f8_abs(o->max)));
    packet->enter[axis] = (axis + 3 * negative) * MO_LANE_COUNT;
    packet->leave[axis] = (axis + 3 * (1 - negative)) * MO_LANE_COUNT;
  }
  mo_f8 sz = mo_f8_div(mo_f8_splat(1.0f), size[packet->kz].min);
  mo_f8 largest[2] = {
      mo_f8_max(mo_f8_max(size[0].min, size[1].min), size[2].min),
      mo_f8_max(mo_f8_max(size[0].max, size[1].max), size[2].max),
  };
  mo_f8 raised = mo_f8_add(
      mo_f8_mul(mo_f8_mul(mo_f8_splat(0x1p-58f), mo_f8_mul(largest[1], sz)), reaches[packet->kz]),
      mo_f8_splat(0x1p-120f));
  for (uint32_t axis = 0; axis < 3; axis++) {
    bool negative = packet->signs >> axis & 1;
    slope[axis] = mo_f8_mul(size[axis].max, sz);
    mo_f8 pad =
        mo_f8_add(mo_f8_mul(mo_f8_splat(margin),
                            mo_f8_add(reaches[axis], mo_f8_mul(slope[axis], reaches[packet->kz]))),
                  raised);
    mo_f8 backward = mo_f8_sub(all->origin[axis].min, pad);
    mo_f8 forward = mo_f8_add(all->origin[axis].max, pad);
    packet->intervals.near_origin[axis] = negative ? backward : forward;
    packet->intervals.far_origin[axis] = negative ? forward : backward;
    mo_f8 quickest = mo_f8_div(
        mo_f8_splat(1.0f), mo_f8_max(size[axis].min, mo_f8_mul(mo_f8_splat(0x1p-60f), largest[0])));
    mo_f8 slowest = mo_f8_div(
        mo_f8_splat(1.0f), mo_f8_max(size[axis].max, mo_f8_mul(mo_f8_splat(0x1p-60f), largest[1])));
    packet->intervals.inverse[0][axis] = with_sign(quickest, negative);
    packet->intervals.inverse[1][axis] = with_sign(slowest, negative);
  }
  mo_f8 min_t = all->earliest_t;
  packet->intervals.near_t =
      mo_f8_sub(min_t, mo_f8_add(mo_f8_mul(min_t, mo_f8_splat(0x1p-20f)), mo_f8_splat(0x1p-120f)));
  packet->packet_max_t = first_lane(all->latest_t);
  packet->prepared = false;
}

/* The direction class of a ray: main axis << 3 | direction signs, or that it is not traced in a
 * packet. */
enum { DIRECTION_CLASS_TRACED_ALONE = 24 };

static void set_packet_direction_class(mo_packet *packet, uint32_t direction_class) {
  static const uint8_t next[6] = {1, 2, 0, 2, 0, 1};
  packet->signs = direction_class & 7;
  packet->kz = (int)(direction_class >> 3);
  int negative = packet->signs >> packet->kz & 1;
  packet->kx = next[packet->kz + 3 * negative];
  packet->ky = next[packet->kz + 3 * !negative];
}

/* Prepares the single rays of a packet. Not needed if the packet reaches no leaf. */
static __attribute__((noinline)) void prepare_packet(mo_packet *packet, const float reach[3],
                                                     float margin) {
  for (uint32_t g = 0; g < packet->group_count; g++) {
    prepare_group(packet, &packet->group[g], reach, margin);
  }
  find_group_intervals(packet);
  packet->prepared = true;
}

/* Updates the greatest max_t of some groups and of the packet. */
static inline void update_max_t(mo_packet *packet, uint32_t groups) {
  mo_f8 max_t = mo_f8_load(packet->max_t);
  for (; groups != 0; groups &= groups - 1) {
    uint32_t g = (uint32_t)__builtin_ctz(groups);
    float greatest = mo_f8_reduce_max(mo_f8_load(packet->group[g].rays.max_t));
    max_t = mo_f8_select(mo_m8_from_bits(1u << g), mo_f8_splat(greatest), max_t);
  }
  mo_f8_store(packet->max_t, max_t);
  packet->packet_max_t = mo_f8_reduce_max(max_t);
}

#endif
