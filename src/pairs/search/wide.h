/* Tests sixteen boxes at a time, in one register or two. */
#ifndef MO_PAIRS_SEARCH_WIDE_H
#define MO_PAIRS_SEARCH_WIDE_H

#include "pairs/search/rows.h"

enum { MO_WIDE_LANES = 2 * MO_LANE_COUNT, MO_ALL_WIDE_LANES = 0xffff };

#if defined(MO_ISA_AVX512_LANES)

typedef struct mo_wide_box {
  __m512 lower[3], upper[3];
} mo_wide_box;

/* The box in one lane of `bounds`, broadcast for comparison with sixteen boxes. */
MO_INLINE mo_wide_box mo_wide_box_of(const mo_bounds8 *bounds, uint32_t lane) {
  mo_wide_box box;
  for (int axis = 0; axis < 3; axis++) {
    box.lower[axis] = _mm512_set1_ps(bounds->lower[axis][lane]);
    box.upper[axis] = _mm512_set1_ps(bounds->upper[axis][lane]);
  }
  return box;
}

/* Returns a bit for each of sixteen boxes that touches a box. The rows of x, y and z of the boxes
 * are `stride` floats apart. */
MO_INLINE uint32_t mo_wide_boxes_touching(const mo_wide_box *box, const float *lower,
                                          const float *upper, size_t stride) {
  __mmask16 part[3];
  for (size_t axis = 0; axis < 3; axis++) {
    part[axis] = _kand_mask16(
        _mm512_cmp_ps_mask(_mm512_load_ps(lower + axis * stride), box->upper[axis], _CMP_LE_OQ),
        _mm512_cmp_ps_mask(box->lower[axis], _mm512_load_ps(upper + axis * stride), _CMP_LE_OQ));
  }
  return mo_mask16_bits(_kand_mask16(_kand_mask16(part[0], part[1]), part[2]));
}

/* Copies those of sixteen numbers whose bits are set in `lanes` to the front of `to`, in order; all
 * sixteen entries of `to` may be written. */
MO_INLINE void mo_wide_compress(uint32_t *to, const uint32_t *from, uint32_t lanes) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)lanes, _mm512_load_si512(from)));
}

/* The highest bits of sixteen numbers, as a mask. */
MO_INLINE uint32_t mo_wide_top_bits(const uint32_t *from) {
  return mo_mask16_bits(_mm512_movepi32_mask(_mm512_load_si512(from)));
}

MO_INLINE void mo_wide_fill(uint32_t *to, uint32_t value) {
  _mm512_storeu_si512(to, _mm512_set1_epi32((int)value));
}

#else

typedef mo_box_lanes mo_wide_box;

MO_INLINE mo_wide_box mo_wide_box_of(const mo_bounds8 *bounds, uint32_t lane) {
  return mo_lane_box(bounds, lane);
}

MO_INLINE uint32_t mo_wide_boxes_touching(const mo_wide_box *box, const float *lower,
                                          const float *upper, size_t stride) {
  return mo_boxes_touching_box_rows(box, lower, upper, stride) |
         mo_boxes_touching_box_rows(box, lower + MO_LANE_COUNT, upper + MO_LANE_COUNT, stride)
             << MO_LANE_COUNT;
}

MO_INLINE void mo_wide_compress(uint32_t *to, const uint32_t *from, uint32_t lanes) {
  mo_u8_store_unaligned(to, mo_u8_compress(mo_u8_load(from), lanes & 0xff));
  to += __builtin_popcount(lanes & 0xff);
  mo_u8_store_unaligned(to,
                        mo_u8_compress(mo_u8_load(from + MO_LANE_COUNT), lanes >> MO_LANE_COUNT));
}

MO_INLINE uint32_t mo_wide_top_bits(const uint32_t *from) {
  return mo_u8_equal(from, 0x80000000u, 0x80000000u) |
         mo_u8_equal(from + MO_LANE_COUNT, 0x80000000u, 0x80000000u) << MO_LANE_COUNT;
}

MO_INLINE void mo_wide_fill(uint32_t *to, uint32_t value) {
  mo_u8_store_unaligned(to, mo_u8_splat(value));
  mo_u8_store_unaligned(to + MO_LANE_COUNT, mo_u8_splat(value));
}

#endif

#endif
