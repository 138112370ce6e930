/* Lanes of x86-64 with AVX2: one register. See lanes.h. */
#ifndef MO_MATH_LANES_LANES_AVX2_H
#define MO_MATH_LANES_LANES_AVX2_H

#include "math/lanes/lanes_ymm.h"

typedef __m256 mo_m8; /* all bits of a lane set or clear */

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline mo_f8 mo_f8_select(mo_m8 m, mo_f8 a, mo_f8 b) {
  return _mm256_blendv_ps(b, a, m);
}

static inline mo_f8 mo_f8_pick16(mo_f8 low, mo_f8 high, uint32_t order) {
  __m256i lanes = mo_order_lanes(order);
  __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(lanes, 28)); /* moves bit 3 to the top */
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, lanes),
                          _mm256_permutevar8x32_ps(high, lanes), is_high);
}

static inline mo_f8 mo_f8_compress(mo_f8 a, uint32_t lanes) {
  return mo_f8_reorder(a, mo_compress_permutations[lanes & 0xff]);
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return _mm256_and_ps(a, b);
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return _mm256_or_ps(a, b);
}

static inline uint32_t mo_m8_bits(mo_m8 a) {
  return (uint32_t)_mm256_movemask_ps(a);
}

static inline mo_m8 mo_m8_from_bits(uint32_t lanes) {
  __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)lanes), bit);
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bit));
}

static inline mo_u8 mo_u8_compress(mo_u8 a, uint32_t lanes) {
  return mo_u8_reorder(a, mo_compress_permutations[lanes & 0xff]);
}

static inline uint32_t mo_u8_equal(const uint32_t *aligned, uint32_t mask, uint32_t value) {
  __m256i masked = _mm256_and_si256(mo_u8_load(aligned), mo_u8_splat(mask));
  __m256i equal = _mm256_cmpeq_epi32(masked, mo_u8_splat(value));
  return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
}

static inline uint32_t mo_u8_signs(mo_u8 a) {
  return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a));
}

/* In this instruction set, mo_lane_choice.lanes contains the chosen lanes' numbers, at the front.
 */
static inline mo_lane_choice mo_choose_lanes_le(mo_f8 a, mo_f8 b, mo_lane_order prepared) {
  __m256 fails =
      _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
  uint32_t mask = 0xff ^ (uint32_t)_mm256_movemask_ps(_mm256_permutevar8x32_ps(fails, prepared));
  return (mo_lane_choice){mo_u8_compress(prepared, mask), mask, (uint32_t)__builtin_popcount(mask)};
}

static inline void mo_lane_choice_store_f8(float *to, mo_f8 a, mo_lane_choice choice) {
  _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(a, choice.lanes));
}

static inline void mo_lane_choice_store_u8(uint32_t *to, const uint32_t *aligned,
                                           mo_lane_choice choice) {
  mo_u8_store_unaligned(to, _mm256_permutevar8x32_epi32(mo_u8_load(aligned), choice.lanes));
}

static inline void mo_lane_choice_store_lanes(uint32_t *to, uint32_t base, mo_lane_choice choice) {
  __m256i lanes = _mm256_and_si256(choice.lanes, mo_u8_splat(7));
  mo_u8_store_unaligned(to, _mm256_or_si256(lanes, mo_u8_splat(base)));
}

#endif
