/* Sixty-four boxes with a byte for each side, all against one box: what a subtraction that stops at
 * zero leaves of a pair of sides is zero unless they keep the boxes apart.
 *
 * Only where there are instructions for it: elsewhere it would take longer than what it saves, and
 * MO_BYTES is not defined. Whole numbers: the same answer everywhere. */
#ifndef MO_MATH_BYTES_H
#define MO_MATH_BYTES_H

#include <stdint.h>

#include "base/inline.h"
#include "math/four.h"

enum { MO_BYTE_BOXES = 64 };

typedef struct mo_byte_boxes {
  _Alignas(64) uint8_t lower[3][MO_BYTE_BOXES], upper[3][MO_BYTE_BOXES];
} mo_byte_boxes;

#ifdef __SSE4_1__
#define MO_BYTES
#include <immintrin.h>

/* The bytes of both, first and then second, each number taken to the nearest that a byte can be. */
MO_INLINE __m128i mo_bytes_of(mo_i4 first, mo_i4 second) {
  __m128i words = _mm_packs_epi32((__m128i)first, (__m128i)second);
  return _mm_packus_epi16(words, words);
}

#ifdef __AVX2__

/* A bit per box that touches the box from `lower` to `upper`. */
MO_INLINE uint64_t mo_bytes_touch(const mo_byte_boxes *boxes, mo_i4 lower, mo_i4 upper) {
  __m256i box = _mm256_broadcastsi128_si256(mo_bytes_of(lower, upper));
  uint64_t touching = 0;
  for (int part = 0; part < 64; part += 32) {
    __m256i apart = _mm256_setzero_si256();
    for (int axis = 0; axis < 3; axis++) {
      __m256i from = _mm256_shuffle_epi8(box, _mm256_set1_epi8((char)axis));
      __m256i to = _mm256_shuffle_epi8(box, _mm256_set1_epi8((char)(4 + axis)));
      __m256i low = _mm256_load_si256((const __m256i *)(const void *)&boxes->lower[axis][part]);
      __m256i high = _mm256_load_si256((const __m256i *)(const void *)&boxes->upper[axis][part]);
      apart = _mm256_or_si256(
          apart, _mm256_or_si256(_mm256_subs_epu8(low, to), _mm256_subs_epu8(from, high)));
    }
    __m256i touch = _mm256_cmpeq_epi8(apart, _mm256_setzero_si256());
    touching |= (uint64_t)(uint32_t)_mm256_movemask_epi8(touch) << part;
  }
  return touching;
}

#else

MO_INLINE uint64_t mo_bytes_touch(const mo_byte_boxes *boxes, mo_i4 lower, mo_i4 upper) {
  __m128i box = mo_bytes_of(lower, upper);
  uint64_t touching = 0;
  for (int part = 0; part < 64; part += 16) {
    __m128i apart = _mm_setzero_si128();
    for (int axis = 0; axis < 3; axis++) {
      __m128i from = _mm_shuffle_epi8(box, _mm_set1_epi8((char)axis));
      __m128i to = _mm_shuffle_epi8(box, _mm_set1_epi8((char)(4 + axis)));
      __m128i low = _mm_load_si128((const __m128i *)(const void *)&boxes->lower[axis][part]);
      __m128i high = _mm_load_si128((const __m128i *)(const void *)&boxes->upper[axis][part]);
      apart = _mm_or_si128(apart, _mm_or_si128(_mm_subs_epu8(low, to), _mm_subs_epu8(from, high)));
    }
    __m128i touch = _mm_cmpeq_epi8(apart, _mm_setzero_si128());
    touching |= (uint64_t)(uint32_t)_mm_movemask_epi8(touch) << part;
  }
  return touching;
}

#endif
#endif
#endif
