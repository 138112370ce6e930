/* Lanes in plain C: the reference for the others. See lanes.h. */
#ifndef MO_MATH_LANES_LANES_SCALAR_H
#define MO_MATH_LANES_LANES_SCALAR_H

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

typedef struct mo_f8 {
  float lane[8];
} mo_f8;

typedef struct mo_u8 {
  uint32_t lane[8];
} mo_u8;

typedef uint32_t mo_m8; /* bit i for lane i; the upper bits are clear */

static inline mo_f8 mo_f8_load(const float *a) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a[i];
  }
  return r;
}

static inline mo_f8 mo_f8_load_unaligned(const float *from) {
  mo_f8 r;
  memcpy(r.lane, from, sizeof r.lane);
  return r;
}

static inline void mo_f8_load_fours(const char *from, size_t stride, mo_f8 rows[4]) {
  for (size_t lane = 0; lane < 8; lane++) {
    for (size_t i = 0; i < 4; i++) {
      memcpy(&rows[i].lane[lane], from + lane * stride + i * sizeof(float), sizeof(float));
    }
  }
}

static inline mo_f8 mo_f8_load_halves(const float *low, const float *high) {
  mo_f8 r;
  memcpy(r.lane, low, sizeof r.lane / 2);
  memcpy(r.lane + 4, high, sizeof r.lane / 2);
  return r;
}

static inline mo_f8 mo_f8_join(mo_f4 low, mo_f4 high) {
  mo_f8 r;
  memcpy(r.lane, &low, sizeof low);
  memcpy(r.lane + 4, &high, sizeof high);
  return r;
}

static inline mo_f8 mo_f8_load_bytes(const uint8_t *from) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = (float)from[i];
  }
  return r;
}

static inline mo_f8 mo_f8_load_shorts(const uint16_t *from) {
  uint16_t shorts[8];
  memcpy(shorts, from, sizeof shorts);
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = (float)shorts[i];
  }
  return r;
}

static inline void mo_f8_store(float *to, mo_f8 a) {
  for (int i = 0; i < 8; i++) {
    to[i] = a.lane[i];
  }
}

static inline void mo_f8_store_unaligned(float *to, mo_f8 a) {
  memcpy(to, a.lane, sizeof a.lane);
}

static inline mo_f8 mo_f8_splat(float a) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a;
  }
  return r;
}

static inline mo_f8 mo_f8_add(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] += b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_sub(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] -= b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_mul(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] *= b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_div(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] /= b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_add_upward(mo_f8 a, mo_f8 b) {
  for (int half = 0; half < 8; half += 4) {
    mo_f4 sum = mo_f4_add_upward(mo_f4_load(a.lane + half), mo_f4_load(b.lane + half));
    memcpy(a.lane + half, &sum, sizeof sum);
  }
  return a;
}

static inline mo_f8 mo_f8_sub_downward(mo_f8 a, mo_f8 b) {
  for (int half = 0; half < 8; half += 4) {
    mo_f4 sum = -mo_f4_add_upward(-mo_f4_load(a.lane + half), mo_f4_load(b.lane + half));
    memcpy(a.lane + half, &sum, sizeof sum);
  }
  return a;
}

static inline void mo_f8_transpose_halves(mo_f8 rows[4]) {
  mo_f8 from[4];
  memcpy(from, rows, sizeof from);
  for (int lane = 0; lane < 8; lane++) {
    for (int row = 0; row < 4; row++) {
      rows[row].lane[lane] = from[lane & 3].lane[(lane & 4) + row];
    }
  }
}

static inline mo_f8 mo_f8_mul_sub_fast(mo_f8 a, mo_f8 b, mo_f8 c) {
  return mo_f8_sub(mo_f8_mul(a, b), c);
}

static inline mo_f8 mo_f8_mul_add_exact(mo_f8 a, mo_f8 b, mo_f8 c) {
  return mo_f8_add(mo_f8_mul(a, b), c);
}

static inline mo_f8 mo_f8_min(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_max(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_max_bits(mo_f8 a, mo_f8 b) {
  return mo_f8_max(a, b);
}

static inline mo_f8 mo_f8_min_bits(mo_f8 a, mo_f8 b) {
  return mo_f8_min(a, b);
}

static inline mo_f8 mo_f8_abs(mo_f8 a) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] = __builtin_fabsf(a.lane[i]);
  }
  return a;
}

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  mo_m8 m = 0;
  for (int i = 0; i < 8; i++) {
    m |= (uint32_t)(a.lane[i] <= b.lane[i]) << i;
  }
  return m;
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  mo_m8 m = 0;
  for (int i = 0; i < 8; i++) {
    m |= (uint32_t)(a.lane[i] < b.lane[i]) << i;
  }
  return m;
}

static inline mo_f8 mo_f8_select(mo_m8 m, mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] = m >> i & 1 ? a.lane[i] : b.lane[i];
  }
  return a;
}

static inline float mo_f8_reduce_min(mo_f8 a) {
  for (int apart = 4; apart > 0; apart /= 2) {
    for (int i = 0; i < apart; i++) {
      a.lane[i] = a.lane[i] < a.lane[i + apart] ? a.lane[i] : a.lane[i + apart];
    }
  }
  return a.lane[0];
}

static inline float mo_f8_reduce_max(mo_f8 a) {
  for (int apart = 4; apart > 0; apart /= 2) {
    for (int i = 0; i < apart; i++) {
      a.lane[i] = a.lane[i] > a.lane[i + apart] ? a.lane[i] : a.lane[i + apart];
    }
  }
  return a.lane[0];
}

static inline mo_f8 mo_f8_reorder(mo_f8 a, uint32_t order) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a.lane[(order >> (4 * i)) & 7];
  }
  return r;
}

static inline mo_f8 mo_f8_pick16(mo_f8 low, mo_f8 high, uint32_t order) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    uint32_t lane = order >> (4 * i) & 15;
    r.lane[i] = lane < 8 ? low.lane[lane] : high.lane[lane - 8];
  }
  return r;
}

static inline mo_f8 mo_f8_compress(mo_f8 a, uint32_t lanes) {
  return mo_f8_reorder(a, mo_compress_order[lanes & 0xff]);
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return a & b;
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return a | b;
}

static inline uint32_t mo_m8_bits(mo_m8 a) {
  return a;
}

static inline uint32_t mo_f8_signs(mo_f8 a) {
  uint32_t signs = 0;
  for (int i = 0; i < 8; i++) {
    signs |= (uint32_t)(__builtin_signbit(a.lane[i]) != 0) << i;
  }
  return signs;
}

static inline mo_m8 mo_m8_from_bits(uint32_t lanes) {
  return lanes & 0xff;
}

static inline mo_u8 mo_u8_load(const uint32_t *a) {
  mo_u8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a[i];
  }
  return r;
}

static inline void mo_u8_store(uint32_t *to, mo_u8 a) {
  for (int i = 0; i < 8; i++) {
    to[i] = a.lane[i];
  }
}

static inline void mo_u8_store_unaligned(uint32_t *to, mo_u8 a) {
  memcpy(to, a.lane, sizeof a.lane);
}

static inline mo_u8 mo_u8_splat(uint32_t a) {
  mo_u8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a;
  }
  return r;
}

static inline uint32_t mo_u8_signs(mo_u8 a) {
  uint32_t signs = 0;
  for (int i = 0; i < 8; i++) {
    signs |= a.lane[i] >> 31 << i;
  }
  return signs;
}

static inline mo_u8 mo_u8_or(mo_u8 a, mo_u8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] |= b.lane[i];
  }
  return a;
}

static inline mo_u8 mo_u8_add(mo_u8 a, mo_u8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] += b.lane[i];
  }
  return a;
}

static inline mo_u8 mo_u8_reorder(mo_u8 a, uint32_t order) {
  mo_u8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a.lane[(order >> (4 * i)) & 7];
  }
  return r;
}

static inline mo_u8 mo_u8_compress(mo_u8 a, uint32_t lanes) {
  return mo_u8_reorder(a, mo_compress_order[lanes & 0xff]);
}

static inline uint32_t mo_u8_equal(const uint32_t *a, uint32_t mask, uint32_t value) {
  uint32_t m = 0;
  for (int i = 0; i < 8; i++) {
    m |= (uint32_t)((a[i] & mask) == value) << i;
  }
  return m;
}

typedef bool mo_lane_direction; /* true: backward */

static inline mo_lane_direction mo_order_direction(bool backward) {
  return backward;
}

typedef struct mo_choice {
  uint8_t lanes[8];
  uint32_t count;
} mo_choice;

typedef struct mo_prepared_order {
  uint8_t lane[8];
} mo_prepared_order;

static inline mo_prepared_order mo_prepared_order_of(uint32_t order, mo_lane_direction direction) {
  mo_prepared_order prepared;
  for (uint32_t i = 0; i < 8; i++) {
    prepared.lane[i] = (uint8_t)(order >> (direction ? 28 - 4 * i : 4 * i) & 7);
  }
  return prepared;
}

static inline mo_prepared_order mo_prepared_order_load(const uint32_t *aligned) {
  mo_prepared_order prepared;
  for (uint32_t i = 0; i < 8; i++) {
    prepared.lane[i] = (uint8_t)aligned[i];
  }
  return prepared;
}

static inline mo_choice mo_choose_le(mo_f8 a, mo_f8 b, mo_prepared_order prepared) {
  mo_choice choice = {{0}, 0};
  uint32_t mask = mo_m8_bits(mo_f8_le(a, b));
  for (uint32_t i = 0; i < 8; i++) {
    choice.lanes[choice.count] = prepared.lane[i];
    choice.count += mask >> prepared.lane[i] & 1;
  }
  return choice;
}

static inline uint32_t mo_choice_last(mo_choice choice, uint32_t order,
                                      mo_lane_direction direction) {
  (void)order;
  (void)direction;
  return choice.lanes[choice.count - 1];
}

static inline uint32_t mo_choice_last_u8(const uint32_t *aligned, mo_choice choice, uint32_t order,
                                         mo_lane_direction direction, uint32_t *scratch) {
  (void)scratch;
  return aligned[mo_choice_last(choice, order, direction)];
}

static inline void mo_choice_store_f8(float *to, mo_f8 a, mo_choice choice) {
  alignas(32) float value[8];
  mo_f8_store(value, a);
  for (uint32_t i = 0; i < choice.count; i++) {
    to[i] = value[choice.lanes[i]];
  }
}

static inline void mo_choice_store_u8(uint32_t *to, const uint32_t *aligned, mo_choice choice) {
  for (uint32_t i = 0; i < choice.count; i++) {
    to[i] = aligned[choice.lanes[i]];
  }
}

static inline void mo_choice_store_lanes(uint32_t *to, uint32_t base, mo_choice choice) {
  for (uint32_t i = 0; i < choice.count; i++) {
    to[i] = base | choice.lanes[i];
  }
}

#endif
