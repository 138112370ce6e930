/* Lanes of x86-64 with AVX-512 F, VL, BW and DQ: one register of 256 bits, masks in registers of
 * their own, compression by an instruction. See lanes.h. */
#ifndef MO_MATH_LANES_LANES_AVX512_H
#define MO_MATH_LANES_LANES_AVX512_H

#include "math/lanes/lanes_ymm.h"

typedef __mmask8 mo_m8;

/* Whether masks are converted by intrinsics. GCC 12 is wrong about these: where registers are
 * scarce, it stores one byte of a mask and reads four. (Programs with -fsanitize=address,undefined
 * wrote past the end of arrays.) So the instruction, which clears the other bits, is written as
 * assembly. At -O3 without sanitizers masks are not stored, as tests/api/masks.py checks, and rays
 * gain 4 % by the intrinsics: the build says so by MO_MASKS_STAY_IN_REGISTERS. */
#if defined(__clang__) || (defined(MO_MASKS_STAY_IN_REGISTERS) && !defined(__SANITIZE_ADDRESS__))
#define MO_USES_MASK_INTRINSICS 1
#else
#define MO_USES_MASK_INTRINSICS 0
#endif

/* The bits of a mask, in a register whose other bits are zero. */
static inline uint32_t mo_mask8_bits(__mmask8 mask) {
#if MO_USES_MASK_INTRINSICS
  return _cvtmask8_u32(mask);
#else
  uint32_t bits;
  __asm__("kmovb %1, %0" : "=r"(bits) : "k"(mask));
  return bits;
#endif
}

static inline uint32_t mo_mask16_bits(__mmask16 mask) {
#if MO_USES_MASK_INTRINSICS
  return _cvtmask16_u32(mask);
#else
  uint32_t bits;
  __asm__("kmovw %1, %0" : "=r"(bits) : "k"(mask));
  return bits;
#endif
}

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  return _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  return _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

static inline mo_f8 mo_f8_select(mo_m8 m, mo_f8 a, mo_f8 b) {
  return _mm256_mask_blend_ps(m, b, a);
}

static inline mo_f8 mo_f8_pick16(mo_f8 low, mo_f8 high, uint32_t order) {
  return _mm256_permutex2var_ps(low, mo_order_lanes(order), high);
}

static inline mo_f8 mo_f8_compress(mo_f8 a, uint32_t lanes) {
  return _mm256_maskz_compress_ps((__mmask8)lanes, a);
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return _kand_mask8(a, b);
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return _kor_mask8(a, b);
}

static inline uint32_t mo_m8_bits(mo_m8 a) {
  return mo_mask8_bits(a);
}

static inline mo_m8 mo_m8_from_bits(uint32_t lanes) {
  return (__mmask8)lanes;
}

static inline mo_u8 mo_u8_compress(mo_u8 a, uint32_t lanes) {
  return _mm256_maskz_compress_epi32((__mmask8)lanes, a);
}

static inline uint32_t mo_u8_equal(const uint32_t *aligned, uint32_t mask, uint32_t value) {
  __m256i masked = _mm256_and_si256(mo_u8_load(aligned), mo_u8_splat(mask));
  return mo_mask8_bits(_mm256_cmpeq_epu32_mask(masked, mo_u8_splat(value)));
}

static inline uint32_t mo_u8_signs(mo_u8 a) {
  return mo_mask8_bits(_mm256_movepi32_mask(a));
}

/* In this instruction set, mo_lane_choice.lanes contains all lane numbers, in the order. The
 * compared and stored values are reordered first, off the critical path; the mask then comes
 * directly from the comparison. */
static inline mo_lane_choice mo_choose_lanes_le(mo_f8 a, mo_f8 b, mo_lane_order prepared) {
  __m256i low = _mm256_permutevar8x32_epi32(_mm256_castps_si256(a), prepared);
  __m256i high = _mm256_permutevar8x32_epi32(_mm256_castps_si256(b), prepared);
  uint32_t mask = mo_mask8_bits(_mm256_cmple_epi32_mask(low, high));
  return (mo_lane_choice){prepared, mask, (uint32_t)__builtin_popcount(mask)};
}

static inline void mo_lane_choice_store_f8(float *to, mo_f8 a, mo_lane_choice choice) {
  mo_f8_store_unaligned(to, mo_f8_compress(_mm256_permutevar8x32_ps(a, choice.lanes), choice.mask));
}

static inline void mo_lane_choice_store_u8(uint32_t *to, const uint32_t *aligned,
                                           mo_lane_choice choice) {
  mo_u8 all = _mm256_permutevar8x32_epi32(mo_u8_load(aligned), choice.lanes);
  mo_u8_store_unaligned(to, mo_u8_compress(all, choice.mask));
}

static inline void mo_lane_choice_store_lanes(uint32_t *to, uint32_t base, mo_lane_choice choice) {
  mo_u8 lanes = mo_u8_compress(_mm256_and_si256(choice.lanes, mo_u8_splat(7)), choice.mask);
  mo_u8_store_unaligned(to, mo_u8_or(lanes, mo_u8_splat(base)));
}

#endif
