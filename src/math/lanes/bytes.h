/* Tests sixty-four quantized boxes, with a byte for each side, against the AABB of a segment. A
 * saturating subtraction of a pair of sides is zero unless these sides separate the boxes.
 *
 * Only for instruction sets with saturating byte subtraction; elsewhere it would cost more than it
 * saves, and MO_HAS_BYTE_BOXES is not defined. It uses integers, so results are the same
 * everywhere. */
#ifndef MO_MATH_LANES_BYTES_H
#define MO_MATH_LANES_BYTES_H

#include <stdint.h>

#include "base/inline.h"
#include "math/four.h"

#ifdef __SSE4_1__
#include <immintrin.h>
#endif

enum { MO_BYTE_BOX_COUNT = 64 };

/* The lower and upper sides of 64 boxes, in units of the grid, by axis. */
typedef struct mo_byte_boxes {
  _Alignas(64) uint8_t lower[3][MO_BYTE_BOX_COUNT], upper[3][MO_BYTE_BOX_COUNT];
} mo_byte_boxes;

#ifdef __SSE4_1__
#define MO_HAS_BYTE_BOXES

/* A bit per box that touches the AABB of the segment from `from` to `from` + `step`. Positions are
 * in units of the quantization grid: they are rounded toward zero and clamped to the range of a
 * byte. */
MO_INLINE uint64_t mo_byte_boxes_touching_segment(const mo_byte_boxes *boxes, mo_f4 from,
                                                  mo_f4 step) {
  /* Minimum and maximum are taken after the conversion to integers, which is faster. */
  __m128i a = _mm_cvttps_epi32((__m128)from), b = _mm_cvttps_epi32((__m128)(from + step));
  __m128i words = _mm_packs_epi32(_mm_min_epi32(a, b), _mm_max_epi32(a, b));
  __m128i segment = _mm_packus_epi16(words, words);
  uint64_t touching = 0;
#ifdef __AVX2__
  __m256i box = _mm256_broadcastsi128_si256(segment);
  for (int part = 0; part < 64; part += 32) {
    __m256i apart = _mm256_setzero_si256();
    for (int axis = 0; axis < 3; axis++) {
      __m256i lower = _mm256_shuffle_epi8(box, _mm256_set1_epi8((char)axis));
      __m256i upper = _mm256_shuffle_epi8(box, _mm256_set1_epi8((char)(4 + axis)));
      __m256i low = _mm256_load_si256((const __m256i *)(const void *)&boxes->lower[axis][part]);
      __m256i high = _mm256_load_si256((const __m256i *)(const void *)&boxes->upper[axis][part]);
      apart = _mm256_or_si256(
          apart, _mm256_or_si256(_mm256_subs_epu8(low, upper), _mm256_subs_epu8(lower, high)));
    }
    __m256i touch = _mm256_cmpeq_epi8(apart, _mm256_setzero_si256());
    touching |= (uint64_t)(uint32_t)_mm256_movemask_epi8(touch) << part;
  }
#else
  for (int part = 0; part < 64; part += 16) {
    __m128i apart = _mm_setzero_si128();
    for (int axis = 0; axis < 3; axis++) {
      __m128i lower = _mm_shuffle_epi8(segment, _mm_set1_epi8((char)axis));
      __m128i upper = _mm_shuffle_epi8(segment, _mm_set1_epi8((char)(4 + axis)));
      __m128i low = _mm_load_si128((const __m128i *)(const void *)&boxes->lower[axis][part]);
      __m128i high = _mm_load_si128((const __m128i *)(const void *)&boxes->upper[axis][part]);
      apart =
          _mm_or_si128(apart, _mm_or_si128(_mm_subs_epu8(low, upper), _mm_subs_epu8(lower, high)));
    }
    __m128i touch = _mm_cmpeq_epi8(apart, _mm_setzero_si128());
    touching |= (uint64_t)(uint32_t)_mm_movemask_epi8(touch) << part;
  }
#endif
  return touching;
}

#endif
#endif
