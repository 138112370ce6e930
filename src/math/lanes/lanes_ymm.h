/* Lanes of x86-64 in one 256-bit register: operations shared by AVX2 and AVX-512. See lanes.h.
 */
#ifndef MO_MATH_LANES_LANES_YMM_H
#define MO_MATH_LANES_LANES_YMM_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef __m256 mo_f8;
typedef __m256i mo_u8;

static inline mo_f8 mo_f8_load(const float *aligned) {
  return _mm256_load_ps(aligned);
}

static inline mo_f8 mo_f8_load_unaligned(const float *from) {
  return _mm256_loadu_ps(from);
}

static inline mo_f8 mo_f8_load_halves(const float *low, const float *high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

static inline mo_f8 mo_f8_join(mo_f4 low, mo_f4 high) {
  return _mm256_set_m128((__m128)high, (__m128)low);
}

static inline mo_f8 mo_f8_load_bytes(const uint8_t *from) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i_u *)from)));
}

static inline mo_f8 mo_f8_load_shorts(const uint16_t *from) {
  __m128i shorts = _mm_loadu_si128((const __m128i_u *)(const void *)from);
  return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(shorts));
}

static inline void mo_f8_store(float *aligned, mo_f8 a) {
  _mm256_store_ps(aligned, a);
}

static inline void mo_f8_store_unaligned(float *to, mo_f8 a) {
  _mm256_storeu_ps(to, a);
}

static inline mo_f8 mo_f8_splat(float a) {
  return _mm256_set1_ps(a);
}

static inline mo_f8 mo_f8_add(mo_f8 a, mo_f8 b) {
  return _mm256_add_ps(a, b);
}

static inline mo_f8 mo_f8_sub(mo_f8 a, mo_f8 b) {
  return _mm256_sub_ps(a, b);
}

static inline mo_f8 mo_f8_mul(mo_f8 a, mo_f8 b) {
  return _mm256_mul_ps(a, b);
}

static inline mo_f8 mo_f8_div(mo_f8 a, mo_f8 b) {
  return _mm256_div_ps(a, b);
}

static inline mo_f8 mo_f8_add_upward(mo_f8 a, mo_f8 b) {
  mo_f8 zero = _mm256_setzero_ps();
  mo_f8 sum = _mm256_add_ps(a, b), part = _mm256_sub_ps(sum, a);
  mo_f8 rest = _mm256_add_ps(_mm256_sub_ps(a, _mm256_sub_ps(sum, part)), _mm256_sub_ps(b, part));
  __m256i short_by_some = _mm256_castps_si256(_mm256_cmp_ps(rest, zero, _CMP_GT_OQ));
  __m256i negative = _mm256_castps_si256(_mm256_cmp_ps(sum, zero, _CMP_LT_OQ));
  /* The next larger float: the bit pattern plus one, or minus one if negative. */
  __m256i step = _mm256_or_si256(negative, _mm256_set1_epi32(1));
  __m256i bits = _mm256_castps_si256(sum);
  return _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_and_si256(step, short_by_some)));
}

static inline mo_f8 mo_f8_sub_downward(mo_f8 a, mo_f8 b) {
  mo_f8 sign = _mm256_set1_ps(-0.0f);
  return _mm256_xor_ps(sign, mo_f8_add_upward(_mm256_xor_ps(sign, a), b));
}

static inline void mo_f8_transpose_halves(mo_f8 rows[4]) {
  __m256 a = _mm256_unpacklo_ps(rows[0], rows[1]), b = _mm256_unpacklo_ps(rows[2], rows[3]);
  __m256 c = _mm256_unpackhi_ps(rows[0], rows[1]), d = _mm256_unpackhi_ps(rows[2], rows[3]);
  rows[0] = _mm256_shuffle_ps(a, b, 0x44);
  rows[1] = _mm256_shuffle_ps(a, b, 0xee);
  rows[2] = _mm256_shuffle_ps(c, d, 0x44);
  rows[3] = _mm256_shuffle_ps(c, d, 0xee);
}

static inline void mo_f8_load_fours(const char *from, size_t stride, mo_f8 rows[4]) {
  for (size_t i = 0; i < 4; i++) { /* rows i and i + 4 */
    rows[i] = mo_f8_load_halves((const float *)(const void *)(from + i * stride),
                                (const float *)(const void *)(from + (i + 4) * stride));
  }
  mo_f8_transpose_halves(rows);
}

static inline mo_f8 mo_f8_mul_sub_fast(mo_f8 a, mo_f8 b, mo_f8 c) {
  return _mm256_fmsub_ps(a, b, c);
}

static inline mo_f8 mo_f8_mul_add_exact(mo_f8 a, mo_f8 b, mo_f8 c) {
  return _mm256_fmadd_ps(a, b, c);
}

static inline mo_f8 mo_f8_min(mo_f8 a, mo_f8 b) {
  return _mm256_min_ps(a, b);
}

static inline mo_f8 mo_f8_max(mo_f8 a, mo_f8 b) {
  return _mm256_max_ps(a, b);
}

static inline mo_f8 mo_f8_max_bits(mo_f8 a, mo_f8 b) {
  return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
}

static inline mo_f8 mo_f8_min_bits(mo_f8 a, mo_f8 b) {
  return _mm256_castsi256_ps(_mm256_min_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
}

static inline mo_f8 mo_f8_abs(mo_f8 a) {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline float mo_f8_reduce_min(mo_f8 a) {
  __m128 four = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
}

static inline float mo_f8_reduce_max(mo_f8 a) {
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/* The permutations use the low three bits of each lane only. */
static inline __m256i mo_order_lanes(uint32_t order) {
  __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
  return _mm256_srlv_epi32(_mm256_set1_epi32((int)order), shifts);
}

static inline mo_f8 mo_f8_reorder(mo_f8 a, uint32_t order) {
  return _mm256_permutevar8x32_ps(a, mo_order_lanes(order));
}

static inline uint32_t mo_f8_signs(mo_f8 a) {
  return (uint32_t)_mm256_movemask_ps(a);
}

static inline mo_u8 mo_u8_load(const uint32_t *aligned) {
  return _mm256_load_si256((const __m256i *)aligned);
}

static inline void mo_u8_store(uint32_t *aligned, mo_u8 a) {
  _mm256_store_si256((__m256i *)aligned, a);
}

static inline void mo_u8_store_unaligned(uint32_t *to, mo_u8 a) {
  _mm256_storeu_si256((__m256i_u *)to, a);
}

static inline mo_u8 mo_u8_splat(uint32_t a) {
  return _mm256_set1_epi32((int)a);
}

static inline mo_u8 mo_u8_or(mo_u8 a, mo_u8 b) {
  return _mm256_or_si256(a, b);
}

static inline mo_u8 mo_u8_add(mo_u8 a, mo_u8 b) {
  return _mm256_add_epi32(a, b);
}

static inline mo_u8 mo_u8_reorder(mo_u8 a, uint32_t order) {
  return _mm256_permutevar8x32_epi32(a, mo_order_lanes(order));
}

typedef struct mo_lane_order_direction {
  __m256i shifts; /* lane i: bit position of the nibble for position i of an order */
  uint32_t flip;  /* (4 * i) ^ flip: bit position of the nibble for position i */
} mo_lane_order_direction;

static inline mo_lane_order_direction mo_lane_order_direction_of(bool backward) {
  uint32_t flip = 28 & -(uint32_t)backward; /* a branch would be unpredictable */
  __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
  return (mo_lane_order_direction){_mm256_xor_si256(shifts, _mm256_set1_epi32((int)flip)), flip};
}

typedef __m256i mo_lane_order; /* lane numbers, in the low three bits of each lane */

static inline mo_lane_order mo_lane_order_of(uint32_t order, mo_lane_order_direction direction) {
  return _mm256_srlv_epi32(_mm256_set1_epi32((int)order), direction.shifts);
}

static inline mo_lane_order mo_lane_order_load(const uint32_t *aligned) {
  return mo_u8_load(aligned);
}

typedef struct mo_lane_choice {
  __m256i lanes; /* lane numbers, as in mo_lane_order; with AVX2 only those of chosen lanes */
  uint32_t mask; /* bit i: the lane at position i of the order is chosen */
  uint32_t count;
} mo_lane_choice;

static inline uint32_t mo_lane_choice_last(mo_lane_choice choice, uint32_t order,
                                           mo_lane_order_direction direction) {
  uint32_t lane = 31u ^ (uint32_t)__builtin_clz(choice.mask);
  return order >> (4 * lane ^ direction.flip) & 7;
}

/* All eight values are reordered and stored before the choice is known, which shortens the critical
 * path. */
static inline uint32_t mo_lane_choice_last_u8(const uint32_t *aligned, mo_lane_choice choice,
                                              uint32_t order, mo_lane_order_direction direction,
                                              uint32_t *scratch) {
  mo_lane_order lanes = mo_lane_order_of(order, direction);
  mo_u8_store(scratch, _mm256_permutevar8x32_epi32(mo_u8_load(aligned), lanes));
  return scratch[31u ^ (uint32_t)__builtin_clz(choice.mask)];
}

#endif
