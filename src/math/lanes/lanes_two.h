/* Lanes in two vectors of four floats, by the vector types of gcc and clang, each operation rounded
 * like the scalar one: for SSE4, NEON and plain C. The header of such a set defines
 * `mo_lane_bytes`, eight bytes with a lane number each, and how lanes are moved by them, and then
 * includes this one. See lanes.h. */
#ifndef MO_MATH_LANES_LANES_TWO_H
#define MO_MATH_LANES_LANES_TWO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "math/four.h"

typedef struct mo_f8 {
  mo_f4 low, high;
} mo_f8;

typedef struct mo_u8 {
  mo_u4 low, high;
} mo_u8;

/* All bits of a lane set or clear. */
typedef struct mo_m8 {
  mo_i4 low, high;
} mo_m8;

static inline mo_f8 mo_f8_load_halves(const float *low, const float *high) {
  return (mo_f8){mo_f4_load(low), mo_f4_load(high)};
}

static inline mo_f8 mo_f8_load_unaligned(const float *from) {
  return mo_f8_load_halves(from, from + 4);
}

static inline mo_f8 mo_f8_load(const float *aligned) {
  return mo_f8_load_unaligned(__builtin_assume_aligned(aligned, 32));
}

static inline mo_f8 mo_f8_join(mo_f4 low, mo_f4 high) {
  return (mo_f8){low, high};
}

static inline void mo_f8_transpose_halves(mo_f8 rows[4]) {
  mo_f4 low[4], high[4];
  for (int i = 0; i < 4; i++) {
    low[i] = rows[i].low;
    high[i] = rows[i].high;
  }
  mo_f4_transpose(low);
  mo_f4_transpose(high);
  for (int i = 0; i < 4; i++) {
    rows[i] = (mo_f8){low[i], high[i]};
  }
}

static inline void mo_f8_load_fours(const char *from, size_t stride, mo_f8 rows[4]) {
  for (size_t i = 0; i < 4; i++) {
    memcpy(&rows[i].low, from + i * stride, sizeof rows[i].low);
    memcpy(&rows[i].high, from + (i + 4) * stride, sizeof rows[i].high);
  }
  mo_f8_transpose_halves(rows);
}

static inline void mo_f8_store_unaligned(float *to, mo_f8 a) {
  memcpy(to, &a, sizeof a);
}

static inline void mo_f8_store(float *aligned, mo_f8 a) {
  mo_f8_store_unaligned(__builtin_assume_aligned(aligned, 32), a);
}

static inline mo_f8 mo_f8_splat(float a) {
  return (mo_f8){mo_f4_splat(a), mo_f4_splat(a)};
}

static inline mo_f8 mo_f8_add(mo_f8 a, mo_f8 b) {
  return (mo_f8){a.low + b.low, a.high + b.high};
}

static inline mo_f8 mo_f8_sub(mo_f8 a, mo_f8 b) {
  return (mo_f8){a.low - b.low, a.high - b.high};
}

static inline mo_f8 mo_f8_mul(mo_f8 a, mo_f8 b) {
  return (mo_f8){a.low * b.low, a.high * b.high};
}

static inline mo_f8 mo_f8_div(mo_f8 a, mo_f8 b) {
  return (mo_f8){a.low / b.low, a.high / b.high};
}

static inline mo_f8 mo_f8_add_upward(mo_f8 a, mo_f8 b) {
  return (mo_f8){mo_f4_add_upward(a.low, b.low), mo_f4_add_upward(a.high, b.high)};
}

static inline mo_f8 mo_f8_sub_downward(mo_f8 a, mo_f8 b) {
  return (mo_f8){-mo_f4_add_upward(-a.low, b.low), -mo_f4_add_upward(-a.high, b.high)};
}

static inline mo_f8 mo_f8_mul_sub_fast(mo_f8 a, mo_f8 b, mo_f8 c) {
  return mo_f8_sub(mo_f8_mul(a, b), c);
}

static inline mo_f8 mo_f8_mul_add_exact(mo_f8 a, mo_f8 b, mo_f8 c) {
  return mo_f8_add(mo_f8_mul(a, b), c);
}

static inline mo_f8 mo_f8_min(mo_f8 a, mo_f8 b) {
  return (mo_f8){mo_f4_min(a.low, b.low), mo_f4_min(a.high, b.high)};
}

static inline mo_f8 mo_f8_max(mo_f8 a, mo_f8 b) {
  return (mo_f8){mo_f4_max(a.low, b.low), mo_f4_max(a.high, b.high)};
}

static inline mo_f8 mo_f8_max_bits(mo_f8 a, mo_f8 b) {
  return mo_f8_max(a, b);
}

static inline mo_f8 mo_f8_min_bits(mo_f8 a, mo_f8 b) {
  return mo_f8_min(a, b);
}

static inline mo_f8 mo_f8_abs(mo_f8 a) {
  return (mo_f8){mo_f4_abs(a.low), mo_f4_abs(a.high)};
}

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  return (mo_m8){a.low <= b.low, a.high <= b.high};
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  return (mo_m8){a.low < b.low, a.high < b.high};
}

static inline mo_f8 mo_f8_select(mo_m8 m, mo_f8 a, mo_f8 b) {
  return (mo_f8){mo_f4_select(m.low, a.low, b.low), mo_f4_select(m.high, a.high, b.high)};
}

static inline float mo_f8_reduce_min(mo_f8 a) {
  mo_f4 four = mo_f4_min(a.low, a.high);
  float even = four[0] < four[2] ? four[0] : four[2], odd = four[1] < four[3] ? four[1] : four[3];
  return even < odd ? even : odd;
}

static inline float mo_f8_reduce_max(mo_f8 a) {
  mo_f4 four = mo_f4_max(a.low, a.high);
  float even = four[0] > four[2] ? four[0] : four[2], odd = four[1] > four[3] ? four[1] : four[3];
  return even > odd ? even : odd;
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return (mo_m8){a.low & b.low, a.high & b.high};
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return (mo_m8){a.low | b.low, a.high | b.high};
}

static inline uint32_t mo_m8_bits(mo_m8 a) {
  return mo_i4_bits(a.low) | mo_i4_bits(a.high) << 4;
}

static inline mo_u8 mo_u8_splat(uint32_t a) {
  return (mo_u8){{a, a, a, a}, {a, a, a, a}};
}

/* The lanes that have one of the bits of `low` or `high` in common with a number. */
static inline mo_m8 mo_lanes_with_bits(uint32_t number, mo_u4 low, mo_u4 high) {
  mo_u8 all = mo_u8_splat(number);
  return (mo_m8){(mo_i4)((all.low & low) == low), (mo_i4)((all.high & high) == high)};
}

static inline mo_m8 mo_m8_from_bits(uint32_t lanes) {
  return mo_lanes_with_bits(lanes, (mo_u4){1, 2, 4, 8}, (mo_u4){16, 32, 64, 128});
}

static inline mo_u8 mo_u8_load(const uint32_t *aligned) {
  mo_u8 a;
  memcpy(&a, __builtin_assume_aligned(aligned, 32), sizeof a);
  return a;
}

static inline void mo_u8_store_unaligned(uint32_t *to, mo_u8 a) {
  memcpy(to, &a, sizeof a);
}

static inline void mo_u8_store(uint32_t *aligned, mo_u8 a) {
  mo_u8_store_unaligned(__builtin_assume_aligned(aligned, 32), a);
}

static inline uint32_t mo_u8_signs(mo_u8 a) {
  return mo_m8_bits((mo_m8){(mo_i4)a.low < 0, (mo_i4)a.high < 0});
}

static inline uint32_t mo_f8_signs(mo_f8 a) {
  return mo_u8_signs((mo_u8){(mo_u4)a.low, (mo_u4)a.high});
}

static inline mo_u8 mo_u8_or(mo_u8 a, mo_u8 b) {
  return (mo_u8){a.low | b.low, a.high | b.high};
}

static inline mo_u8 mo_u8_add(mo_u8 a, mo_u8 b) {
  return (mo_u8){a.low + b.low, a.high + b.high};
}

static inline uint32_t mo_u8_equal(const uint32_t *aligned, uint32_t mask, uint32_t value) {
  mo_u8 a = mo_u8_load(aligned);
  return mo_m8_bits((mo_m8){(a.low & mask) == value, (a.high & mask) == value});
}

/* --- what the instruction set defines --- */

/* Byte i of a number as lane i, and the nibbles of an order. */
static inline mo_lane_bytes mo_lane_bytes_of(uint64_t bytes);
static inline mo_lane_bytes mo_lane_bytes_unpack(uint32_t order);

/* From lanes that are below 128 or have all bits set; and back, for bytes below 128. */
static inline mo_lane_bytes mo_lane_bytes_pack(mo_u8 lanes);
static inline mo_u8 mo_lane_bytes_widen(mo_lane_bytes bytes);

/* Byte i is byte at[i] of `from`; lane i is lane at[i] of a. */
static inline mo_lane_bytes mo_lane_bytes_pick(mo_lane_bytes from, mo_lane_bytes at);
static inline mo_u8 mo_u8_pick(mo_u8 a, mo_lane_bytes at);

/* The top bit of each byte. */
static inline uint32_t mo_lane_bytes_bits(mo_lane_bytes bytes);

/* --- moving lanes --- */

static inline mo_f8 mo_f8_load_bytes(const uint8_t *from) {
  uint64_t bytes = 0;
  for (int i = 0; i < 8; i++) { /* one load */
    bytes |= (uint64_t)from[i] << (8 * i);
  }
  mo_u8 lanes = mo_lane_bytes_widen(mo_lane_bytes_of(bytes));
  return (mo_f8){mo_i4_to_f4((mo_i4)lanes.low), mo_i4_to_f4((mo_i4)lanes.high)};
}

static inline mo_f8 mo_f8_load_shorts(const uint16_t *from) {
  uint16_t shorts[8];
  memcpy(shorts, from, sizeof shorts);
  float lanes[8];
  for (int i = 0; i < 8; i++) {
    lanes[i] = (float)shorts[i];
  }
  return mo_f8_load_unaligned(lanes);
}

static inline mo_u8 mo_u8_reorder(mo_u8 a, uint32_t order) {
  return mo_u8_pick(a, mo_lane_bytes_unpack(order));
}

static inline mo_u8 mo_f8_as_u8(mo_f8 a) {
  return (mo_u8){(mo_u4)a.low, (mo_u4)a.high};
}

static inline mo_f8 mo_u8_as_f8(mo_u8 a) {
  return (mo_f8){(mo_f4)a.low, (mo_f4)a.high};
}

static inline mo_f8 mo_f8_reorder(mo_f8 a, uint32_t order) {
  return mo_u8_as_f8(mo_u8_reorder(mo_f8_as_u8(a), order));
}

static inline mo_f8 mo_f8_pick16(mo_f8 low, mo_f8 high, uint32_t order) {
  mo_m8 is_high =
      mo_lanes_with_bits(order, (mo_u4){8, 8 << 4, 8 << 8, 8 << 12},
                         (mo_u4){8 << 16, 8 << 20, 8 << 24, 8u << 28}); /* bit 3 of each nibble */
  return mo_f8_select(is_high, mo_f8_reorder(high, order), mo_f8_reorder(low, order));
}

static inline mo_u8 mo_u8_compress(mo_u8 a, uint32_t lanes) {
  return mo_u8_reorder(a, mo_compress_permutations[lanes & 0xff]);
}

static inline mo_f8 mo_f8_compress(mo_f8 a, uint32_t lanes) {
  return mo_f8_reorder(a, mo_compress_permutations[lanes & 0xff]);
}

/* --- orders and choices --- */

typedef struct mo_lane_order_direction {
  mo_lane_bytes bytes; /* byte i: the nibble for position i of an order */
  uint32_t flip;       /* (4 * i) ^ flip: bit position of the nibble for position i */
} mo_lane_order_direction;

typedef mo_lane_bytes mo_lane_order; /* byte i: the lane at position i */

typedef struct mo_lane_choice {
  mo_lane_bytes lanes; /* the chosen ones first */
  uint32_t mask;       /* bit i: the lane at position i of the order is chosen */
  uint32_t count;
} mo_lane_choice;

static inline mo_lane_order_direction mo_lane_order_direction_of(bool backward) {
  uint64_t all = -(uint64_t)backward; /* a branch would be unpredictable */
  return (mo_lane_order_direction){
      mo_lane_bytes_of(0x0706050403020100u ^ (0x0707070707070707u & all)),
      28 & (uint32_t)all,
  };
}

static inline mo_lane_order mo_lane_order_of(uint32_t order, mo_lane_order_direction direction) {
  return mo_lane_bytes_pick(mo_lane_bytes_unpack(order), direction.bytes);
}

static inline mo_lane_order mo_lane_order_load(const uint32_t *aligned) {
  return mo_lane_bytes_pack(mo_u8_load(aligned));
}

static inline mo_lane_choice mo_choose_lanes_le(mo_f8 a, mo_f8 b, mo_lane_order prepared) {
  mo_m8 le = mo_f8_le(a, b);
  mo_lane_bytes passes = mo_lane_bytes_pack((mo_u8){(mo_u4)le.low, (mo_u4)le.high});
  uint32_t mask = mo_lane_bytes_bits(mo_lane_bytes_pick(passes, prepared));
  mo_lane_bytes first = mo_lane_bytes_unpack(mo_compress_permutations[mask]);
  return (mo_lane_choice){mo_lane_bytes_pick(prepared, first), mask,
                          (uint32_t)__builtin_popcount(mask)};
}

static inline uint32_t mo_lane_choice_last(mo_lane_choice choice, uint32_t order,
                                           mo_lane_order_direction direction) {
  uint32_t position = 31u ^ (uint32_t)__builtin_clz(choice.mask);
  return order >> (4 * position ^ direction.flip) & 7;
}

static inline uint32_t mo_lane_choice_last_u8(const uint32_t *aligned, mo_lane_choice choice,
                                              uint32_t order, mo_lane_order_direction direction,
                                              uint32_t *scratch) {
  (void)scratch;
  return aligned[mo_lane_choice_last(choice, order, direction)];
}

static inline void mo_lane_choice_store_u8(uint32_t *to, const uint32_t *aligned,
                                           mo_lane_choice choice) {
  mo_u8_store_unaligned(to, mo_u8_pick(mo_u8_load(aligned), choice.lanes));
}

static inline void mo_lane_choice_store_f8(float *to, mo_f8 a, mo_lane_choice choice) {
  mo_f8_store_unaligned(to, mo_u8_as_f8(mo_u8_pick(mo_f8_as_u8(a), choice.lanes)));
}

static inline void mo_lane_choice_store_lanes(uint32_t *to, uint32_t base, mo_lane_choice choice) {
  mo_u8_store_unaligned(to, mo_u8_or(mo_lane_bytes_widen(choice.lanes), mo_u8_splat(base)));
}

#endif
