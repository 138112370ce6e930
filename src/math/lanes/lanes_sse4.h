/* Lanes of x86-64 with SSE4.2: two registers. See lanes.h. */
#ifndef MO_MATH_LANES_LANES_SSE4_H
#define MO_MATH_LANES_LANES_SSE4_H

#include <nmmintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef __m128 mo_f8_half;

typedef struct mo_f8 {
  mo_f8_half low, high;
} mo_f8;

typedef struct mo_u8 {
  __m128i low, high;
} mo_u8;

/* All bits of a lane set or clear. */
typedef struct mo_m8 {
  __m128 low, high;
} mo_m8;

static inline mo_f8 mo_f8_load(const float *aligned) {
  return (mo_f8){_mm_load_ps(aligned), _mm_load_ps(aligned + 4)};
}

static inline mo_f8 mo_f8_load_unaligned(const float *from) {
  return (mo_f8){_mm_loadu_ps(from), _mm_loadu_ps(from + 4)};
}

static inline mo_f8 mo_f8_load_halves(const float *low, const float *high) {
  return (mo_f8){_mm_loadu_ps(low), _mm_loadu_ps(high)};
}

static inline mo_f8 mo_f8_load_bytes(const uint8_t *from) {
  __m128i bytes = _mm_loadl_epi64((const __m128i_u *)from);
  return (mo_f8){_mm_cvtepi32_ps(_mm_cvtepu8_epi32(bytes)),
                 _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_srli_si128(bytes, 4)))};
}

static inline mo_f8 mo_f8_load_shorts(const uint16_t *from) {
  __m128i shorts = _mm_loadu_si128((const __m128i_u *)(const void *)from);
  return (mo_f8){_mm_cvtepi32_ps(_mm_cvtepu16_epi32(shorts)),
                 _mm_cvtepi32_ps(_mm_cvtepu16_epi32(_mm_srli_si128(shorts, 8)))};
}

static inline void mo_f8_load_fours(const char *from, size_t stride, mo_f8 rows[4]) {
  __m128 four[8];
  for (size_t i = 0; i < 8; i++) {
    four[i] = _mm_loadu_ps((const float *)(const void *)(from + i * stride));
  }
  _MM_TRANSPOSE4_PS(four[0], four[1], four[2], four[3]);
  _MM_TRANSPOSE4_PS(four[4], four[5], four[6], four[7]);
  for (size_t i = 0; i < 4; i++) {
    rows[i] = (mo_f8){four[i], four[i + 4]};
  }
}

static inline void mo_f8_store(float *aligned, mo_f8 a) {
  _mm_store_ps(aligned, a.low);
  _mm_store_ps(aligned + 4, a.high);
}

static inline void mo_f8_store_unaligned(float *to, mo_f8 a) {
  _mm_storeu_ps(to, a.low);
  _mm_storeu_ps(to + 4, a.high);
}

static inline mo_f8 mo_f8_splat(float a) {
  return (mo_f8){_mm_set1_ps(a), _mm_set1_ps(a)};
}

static inline mo_f8 mo_f8_add(mo_f8 a, mo_f8 b) {
  return (mo_f8){_mm_add_ps(a.low, b.low), _mm_add_ps(a.high, b.high)};
}

static inline mo_f8 mo_f8_sub(mo_f8 a, mo_f8 b) {
  return (mo_f8){_mm_sub_ps(a.low, b.low), _mm_sub_ps(a.high, b.high)};
}

static inline mo_f8 mo_f8_mul(mo_f8 a, mo_f8 b) {
  return (mo_f8){_mm_mul_ps(a.low, b.low), _mm_mul_ps(a.high, b.high)};
}

static inline mo_f8 mo_f8_div(mo_f8 a, mo_f8 b) {
  return (mo_f8){_mm_div_ps(a.low, b.low), _mm_div_ps(a.high, b.high)};
}

static inline mo_f8 mo_f8_min(mo_f8 a, mo_f8 b) {
  return (mo_f8){_mm_min_ps(a.low, b.low), _mm_min_ps(a.high, b.high)};
}

static inline mo_f8 mo_f8_max(mo_f8 a, mo_f8 b) {
  return (mo_f8){_mm_max_ps(a.low, b.low), _mm_max_ps(a.high, b.high)};
}

static inline mo_f8 mo_f8_abs(mo_f8 a) {
  __m128 sign = _mm_set1_ps(-0.0f);
  return (mo_f8){_mm_andnot_ps(sign, a.low), _mm_andnot_ps(sign, a.high)};
}

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  return (mo_m8){_mm_cmple_ps(a.low, b.low), _mm_cmple_ps(a.high, b.high)};
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  return (mo_m8){_mm_cmplt_ps(a.low, b.low), _mm_cmplt_ps(a.high, b.high)};
}

static inline mo_f8 mo_f8_select(mo_m8 m, mo_f8 a, mo_f8 b) {
  return (mo_f8){_mm_blendv_ps(b.low, a.low, m.low), _mm_blendv_ps(b.high, a.high, m.high)};
}

static inline float mo_f8_reduce_min(mo_f8 a) {
  __m128 four = _mm_min_ps(a.low, a.high);
  __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
}

static inline float mo_f8_reduce_max(mo_f8 a) {
  __m128 four = _mm_max_ps(a.low, a.high);
  __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/* Picks four of eight lanes, given by four nibbles of `order`; `top` has the multipliers that shift
 * these nibbles to the top three bits. (SSE has no shifts by a different count per lane, so
 * products are used.) Each lane number is expanded to its byte numbers. */
static inline __m128i mo_pick4(__m128i low, __m128i high, uint32_t order, __m128i top) {
  __m128i lane = _mm_srli_epi32(_mm_mullo_epi32(_mm_set1_epi32((int)order), top), 29);
  __m128i bytes =
      _mm_add_epi32(_mm_mullo_epi32(lane, _mm_set1_epi32(0x04040404)), _mm_set1_epi32(0x03020100));
  /* The shuffle uses only the low four bits of a byte number, so lane number 4 selects lane 0 of
   * `high`. */
  __m128 is_high = _mm_castsi128_ps(_mm_slli_epi32(lane, 29));
  __m128 from_low = _mm_castsi128_ps(_mm_shuffle_epi8(low, bytes));
  __m128 from_high = _mm_castsi128_ps(_mm_shuffle_epi8(high, bytes));
  return _mm_castps_si128(_mm_blendv_ps(from_low, from_high, is_high));
}

static inline mo_u8 mo_u8_reorder(mo_u8 a, uint32_t order) {
  return (mo_u8){
      mo_pick4(a.low, a.high, order, _mm_setr_epi32(1 << 29, 1 << 25, 1 << 21, 1 << 17)),
      mo_pick4(a.low, a.high, order, _mm_setr_epi32(1 << 13, 1 << 9, 1 << 5, 1 << 1)),
  };
}

static inline mo_f8 mo_f8_reorder(mo_f8 a, uint32_t order) {
  mo_u8 r = mo_u8_reorder((mo_u8){_mm_castps_si128(a.low), _mm_castps_si128(a.high)}, order);
  return (mo_f8){_mm_castsi128_ps(r.low), _mm_castsi128_ps(r.high)};
}

static inline mo_f8 mo_f8_pick16(mo_f8 low, mo_f8 high, uint32_t order) {
  /* Bit 3 of each nibble goes to the top of its lane. */
  __m128i all = _mm_set1_epi32((int)order);
  __m128i front = _mm_mullo_epi32(all, _mm_setr_epi32(1 << 28, 1 << 24, 1 << 20, 1 << 16));
  __m128i back = _mm_mullo_epi32(all, _mm_setr_epi32(1 << 12, 1 << 8, 1 << 4, 1));
  mo_m8 is_high = {_mm_castsi128_ps(front), _mm_castsi128_ps(back)};
  return mo_f8_select(is_high, mo_f8_reorder(high, order), mo_f8_reorder(low, order));
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return (mo_m8){_mm_and_ps(a.low, b.low), _mm_and_ps(a.high, b.high)};
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return (mo_m8){_mm_or_ps(a.low, b.low), _mm_or_ps(a.high, b.high)};
}

static inline uint32_t mo_m8_bits(mo_m8 a) {
  return (uint32_t)_mm_movemask_ps(a.low) | (uint32_t)_mm_movemask_ps(a.high) << 4;
}

static inline uint32_t mo_f8_signs(mo_f8 a) {
  return (uint32_t)_mm_movemask_ps(a.low) | (uint32_t)_mm_movemask_ps(a.high) << 4;
}

static inline __m128 mo_lanes_of_bits(uint32_t lanes, __m128i bit) {
  __m128i set = _mm_and_si128(_mm_set1_epi32((int)lanes), bit);
  return _mm_castsi128_ps(_mm_cmpeq_epi32(set, bit));
}

static inline mo_m8 mo_m8_from_bits(uint32_t lanes) {
  return (mo_m8){mo_lanes_of_bits(lanes, _mm_setr_epi32(1, 2, 4, 8)),
                 mo_lanes_of_bits(lanes, _mm_setr_epi32(16, 32, 64, 128))};
}

static inline mo_u8 mo_u8_load(const uint32_t *aligned) {
  const __m128i *from = (const __m128i *)aligned;
  return (mo_u8){_mm_load_si128(from), _mm_load_si128(from + 1)};
}

static inline void mo_u8_store(uint32_t *aligned, mo_u8 a) {
  _mm_store_si128((__m128i *)aligned, a.low);
  _mm_store_si128((__m128i *)aligned + 1, a.high);
}

static inline void mo_u8_store_unaligned(uint32_t *to, mo_u8 a) {
  _mm_storeu_si128((__m128i_u *)to, a.low);
  _mm_storeu_si128((__m128i_u *)(to + 4), a.high);
}

static inline mo_u8 mo_u8_splat(uint32_t a) {
  return (mo_u8){_mm_set1_epi32((int)a), _mm_set1_epi32((int)a)};
}

static inline uint32_t mo_u8_signs(mo_u8 a) {
  return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(a.low)) |
         (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(a.high)) << 4;
}

static inline mo_u8 mo_u8_or(mo_u8 a, mo_u8 b) {
  return (mo_u8){_mm_or_si128(a.low, b.low), _mm_or_si128(a.high, b.high)};
}

static inline mo_u8 mo_u8_add(mo_u8 a, mo_u8 b) {
  return (mo_u8){_mm_add_epi32(a.low, b.low), _mm_add_epi32(a.high, b.high)};
}

static inline uint32_t mo_u8_equal(const uint32_t *aligned, uint32_t mask, uint32_t value) {
  mo_u8 a = mo_u8_load(aligned);
  __m128i masks = _mm_set1_epi32((int)mask), values = _mm_set1_epi32((int)value);
  __m128i low = _mm_cmpeq_epi32(_mm_and_si128(a.low, masks), values);
  __m128i high = _mm_cmpeq_epi32(_mm_and_si128(a.high, masks), values);
  return mo_m8_bits((mo_m8){_mm_castsi128_ps(low), _mm_castsi128_ps(high)});
}

/* The direction of an order, forward or backward, in the form that unpacks its nibbles. */
typedef struct mo_lane_direction {
  __m128i bytes; /* byte i: index of the nibble for place i of an order */
  uint32_t flip; /* (4 * i) ^ flip: bit position of the nibble for place i */
} mo_lane_direction;

static inline mo_lane_direction mo_order_direction(bool backward) {
  uint32_t all = -(uint32_t)backward; /* a branch would be unpredictable */
  __m128i bytes = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0);
  return (mo_lane_direction){_mm_xor_si128(bytes, _mm_set1_epi8((char)(7 & all))), 28 & all};
}

/* In this instruction set, `lanes` contains lane numbers as bytes, the chosen ones first. */
typedef struct mo_choice {
  __m128i lanes;
  uint32_t mask; /* bit i: the lane at place i of the order is chosen */
  uint32_t count;
} mo_choice;

static inline __m128i mo_unpack_nibbles(uint32_t order) {
  __m128i low = _mm_cvtsi32_si128((int)order), high = _mm_srli_epi16(low, 4);
  return _mm_and_si128(_mm_unpacklo_epi8(low, high), _mm_set1_epi8(7));
}

typedef __m128i mo_prepared_order; /* byte i: the number of the lane at place i */

static inline mo_prepared_order mo_prepared_order_of(uint32_t order, mo_lane_direction direction) {
  return _mm_shuffle_epi8(mo_unpack_nibbles(order), direction.bytes);
}

static inline mo_prepared_order mo_prepared_order_load(const uint32_t *aligned) {
  mo_u8 a = mo_u8_load(aligned);
  __m128i words = _mm_packus_epi32(a.low, a.high);
  return _mm_packus_epi16(words, _mm_setzero_si128());
}

static inline mo_choice mo_choose_le(mo_f8 a, mo_f8 b, mo_prepared_order prepared) {
  mo_m8 le = mo_f8_le(a, b);
  __m128i passes = _mm_packs_epi32(_mm_castps_si128(le.low), _mm_castps_si128(le.high));
  passes = _mm_shuffle_epi8(_mm_packs_epi16(passes, passes), prepared);
  uint32_t mask = (uint32_t)_mm_movemask_epi8(passes) & 0xff;
  __m128i first = mo_unpack_nibbles(mo_compress_order[mask]);
  return (mo_choice){_mm_shuffle_epi8(prepared, first), mask, (uint32_t)__builtin_popcount(mask)};
}

/* Picks the four lanes of `a` that are at four places of the choice; the bytes of `from` are the
 * numbers of these places, four times each. */
static inline __m128i mo_choice_pick4(mo_u8 a, mo_choice choice, __m128i from) {
  __m128i lanes = _mm_shuffle_epi8(choice.lanes, from);
  __m128i bytes = _mm_add_epi8(_mm_slli_epi16(lanes, 2), _mm_set1_epi32(0x03020100));
  __m128i is_high = _mm_slli_epi16(lanes, 5); /* bit 2 of each byte becomes its top bit */
  return _mm_blendv_epi8(_mm_shuffle_epi8(a.low, bytes), _mm_shuffle_epi8(a.high, bytes), is_high);
}

static inline mo_u8 mo_choice_pick(mo_u8 a, mo_choice choice) {
  __m128i front = _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  __m128i back = _mm_setr_epi8(4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
  return (mo_u8){mo_choice_pick4(a, choice, front), mo_choice_pick4(a, choice, back)};
}

static inline void mo_choice_store_f8(float *to, mo_f8 a, mo_choice choice) {
  mo_u8 bits = {_mm_castps_si128(a.low), _mm_castps_si128(a.high)};
  bits = mo_choice_pick(bits, choice);
  mo_f8_store_unaligned(to, (mo_f8){_mm_castsi128_ps(bits.low), _mm_castsi128_ps(bits.high)});
}

static inline void mo_choice_store_lanes(uint32_t *to, uint32_t base, mo_choice choice) {
  __m128i all = _mm_set1_epi32((int)base);
  __m128i low = _mm_cvtepu8_epi32(choice.lanes);
  __m128i high = _mm_cvtepu8_epi32(_mm_srli_si128(choice.lanes, 4));
  mo_u8_store_unaligned(to, (mo_u8){_mm_or_si128(low, all), _mm_or_si128(high, all)});
}

#include "math/lanes/lanes_two.h"

#endif
