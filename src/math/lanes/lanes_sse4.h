/* Lanes of x86-64 with SSE4.2: two registers. See lanes_two.h. */
#ifndef MO_MATH_LANES_LANES_SSE4_H
#define MO_MATH_LANES_LANES_SSE4_H

#include <nmmintrin.h>

typedef __m128i mo_lane_bytes; /* in the low half */

#include "math/lanes/lanes_two.h"

static inline mo_lane_bytes mo_lane_bytes_of(uint64_t bytes) {
  return _mm_cvtsi64_si128((long long)bytes);
}

static inline mo_lane_bytes mo_lane_bytes_unpack(uint32_t order) {
  __m128i low = _mm_cvtsi32_si128((int)order), high = _mm_srli_epi16(low, 4);
  return _mm_and_si128(_mm_unpacklo_epi8(low, high), _mm_set1_epi8(7));
}

static inline mo_lane_bytes mo_lane_bytes_pack(mo_u8 lanes) {
  __m128i words = _mm_packs_epi32((__m128i)lanes.low, (__m128i)lanes.high);
  return _mm_packs_epi16(words, words);
}

static inline mo_u8 mo_lane_bytes_widen(mo_lane_bytes bytes) {
  return (mo_u8){(mo_u4)_mm_cvtepu8_epi32(bytes),
                 (mo_u4)_mm_cvtepu8_epi32(_mm_srli_si128(bytes, 4))};
}

static inline mo_lane_bytes mo_lane_bytes_pick(mo_lane_bytes from, mo_lane_bytes at) {
  return _mm_shuffle_epi8(from, at);
}

/* Picks four of eight lanes; the bytes of `from` are four places of `at`, four times each. */
static inline mo_u4 mo_pick4(mo_u8 a, mo_lane_bytes at, __m128i from) {
  __m128i lanes = _mm_shuffle_epi8(at, from);
  /* The shuffles use only the low four bits of a byte number: lane 4 is lane 0 of a.high. */
  __m128i bytes = _mm_add_epi8(_mm_slli_epi16(lanes, 2), _mm_set1_epi32(0x03020100));
  __m128i is_high = _mm_slli_epi16(lanes, 5); /* bit 2 of each byte becomes its top bit */
  return (mo_u4)_mm_blendv_epi8(_mm_shuffle_epi8((__m128i)a.low, bytes),
                                _mm_shuffle_epi8((__m128i)a.high, bytes), is_high);
}

static inline mo_u8 mo_u8_pick(mo_u8 a, mo_lane_bytes at) {
  return (mo_u8){
      mo_pick4(a, at, _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)),
      mo_pick4(a, at, _mm_setr_epi8(4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7)),
  };
}

static inline uint32_t mo_lane_bytes_bits(mo_lane_bytes bytes) {
  return (uint32_t)_mm_movemask_epi8(bytes) & 0xff;
}

#endif
