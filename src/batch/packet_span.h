/* Prepares a packet of rays: the intervals of all its rays before it is traced, each single ray
 * only when the packet reaches a leaf. For inclusion in one translation unit. */
#ifndef MO_BATCH_PACKET_SPAN_H
#define MO_BATCH_PACKET_SPAN_H

#include "batch/packet.h"

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

/* --- preparation --- */

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
