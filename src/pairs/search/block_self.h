/* Tests the eight boxes of a block of shapes against each other, by testing the block against
 * copies of it that are rotated by one, two, three and four lanes. The rotation by four finds each
 * pair twice, so only four of its lanes are used.
 *
 * The result is a bit mask: bit 8 (t - 1) + i says that lane i touches lane (i + t) mod 8. */
#ifndef MO_PAIRS_SEARCH_BLOCK_SELF_H
#define MO_PAIRS_SEARCH_BLOCK_SELF_H

#include "pairs/search/rows.h"

/* Loads the eight boxes of a block, with lower sides moved outward by `max_distance`, so that boxes
 * within this distance of each other touch. Empty boxes touch nothing. */
MO_INLINE mo_box_lanes mo_load_enlarged_boxes(const mo_bounds8 *bounds, float max_distance) {
  mo_box_lanes rows;
  for (int axis = 0; axis < 3; axis++) {
    rows.lower[axis] = mo_f8_load(bounds->lower[axis]);
    rows.upper[axis] = mo_f8_load(bounds->upper[axis]);
    if (max_distance > 0) {
      mo_f8 size = mo_f8_add(mo_f8_abs(rows.lower[axis]), mo_f8_splat(max_distance));
      mo_f8 more = mo_f8_add(mo_f8_splat(max_distance), mo_f8_mul(size, mo_f8_splat(0x1p-22f)));
      rows.lower[axis] = mo_f8_sub(rows.lower[axis], more);
    }
  }
  return rows;
}

#if defined(MO_ISA_AVX512_LANES)

/* Lane numbers of two rotations of eight lanes, side by side in one register. */
MO_INLINE __m512i mo_lane_rotations_1_and_2(void) {
  return _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0, 2, 3, 4, 5, 6, 7, 0, 1);
}

MO_INLINE __m512i mo_lane_rotations_3_and_4(void) {
  return _mm512_setr_epi32(3, 4, 5, 6, 7, 0, 1, 2, 4, 5, 6, 7, 0, 1, 2, 3);
}

MO_INLINE uint32_t mo_touching_two_lane_rotations(const mo_box_lanes *rows, __m512i order) {
  __mmask16 part[3];
  for (int axis = 0; axis < 3; axis++) {
    __m512 lower = _mm512_broadcast_f32x8(rows->lower[axis]);
    __m512 upper = _mm512_broadcast_f32x8(rows->upper[axis]);
    part[axis] =
        _kand_mask16(_mm512_cmp_ps_mask(lower, _mm512_permutexvar_ps(order, upper), _CMP_LE_OQ),
                     _mm512_cmp_ps_mask(_mm512_permutexvar_ps(order, lower), upper, _CMP_LE_OQ));
  }
  return mo_mask16_bits(_kand_mask16(_kand_mask16(part[0], part[1]), part[2]));
}

MO_INLINE uint32_t mo_touching_pairs_in_block(const mo_bounds8 *bounds, float max_distance) {
  mo_box_lanes rows = mo_load_enlarged_boxes(bounds, max_distance);
  return mo_touching_two_lane_rotations(&rows, mo_lane_rotations_1_and_2()) |
         (mo_touching_two_lane_rotations(&rows, mo_lane_rotations_3_and_4()) & 0xfff) << 16;
}

MO_INLINE uint32_t mo_list_two_lane_rotations(uint32_t *first, uint32_t *second, __m512i shapes,
                                              __m512i order, uint32_t found) {
  __m512i others = _mm512_permutexvar_epi32(order, shapes);
  _mm512_storeu_si512(first, _mm512_maskz_compress_epi32((__mmask16)found, shapes));
  _mm512_storeu_si512(second, _mm512_maskz_compress_epi32((__mmask16)found, others));
  return (uint32_t)__builtin_popcount(found & 0xffff);
}

/* Lists the shapes of the pairs whose bits are set in `found` in `first` and `second`, and returns
 * the number of pairs. Up to 2 MO_LANE_COUNT more entries of each array may be overwritten. */
MO_INLINE uint32_t mo_list_pairs_in_block(uint32_t *first, uint32_t *second, const uint32_t *shape,
                                          uint32_t found) {
  __m512i shapes = _mm512_broadcast_i32x8(_mm256_load_si256((const __m256i *)shape));
  uint32_t count =
      mo_list_two_lane_rotations(first, second, shapes, mo_lane_rotations_1_and_2(), found);
  return count + mo_list_two_lane_rotations(first + count, second + count, shapes,
                                            mo_lane_rotations_3_and_4(), found >> 16);
}

#else

MO_INLINE uint32_t mo_lane_rotation_order(uint32_t by) {
  return 0x76543210u >> (4 * by) | 0x76543210u << (32 - 4 * by);
}

MO_INLINE uint32_t mo_touching_one_lane_rotation(const mo_f8 *lower, const mo_f8 *upper,
                                                 uint32_t by) {
  uint32_t order = mo_lane_rotation_order(by);
  mo_m8 part[3];
  for (int axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(lower[axis], mo_f8_reorder(upper[axis], order)),
                           mo_f8_le(mo_f8_reorder(lower[axis], order), upper[axis]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

MO_INLINE uint32_t mo_touching_pairs_in_block(const mo_bounds8 *bounds, float max_distance) {
  mo_box_lanes rows = mo_load_enlarged_boxes(bounds, max_distance);
  return mo_touching_one_lane_rotation(rows.lower, rows.upper, 1) |
         mo_touching_one_lane_rotation(rows.lower, rows.upper, 2) << 8 |
         mo_touching_one_lane_rotation(rows.lower, rows.upper, 3) << 16 |
         (mo_touching_one_lane_rotation(rows.lower, rows.upper, 4) & 0xf) << 24;
}

MO_INLINE uint32_t mo_list_pairs_in_block(uint32_t *first, uint32_t *second, const uint32_t *shape,
                                          uint32_t found) {
  mo_u8 shapes = mo_u8_load(shape);
  uint32_t count = 0;
  for (uint32_t by = 1; by <= 4; by++) {
    uint32_t lanes = found >> (MO_LANE_COUNT * (by - 1)) & 0xff;
    mo_u8 others = mo_u8_reorder(shapes, mo_lane_rotation_order(by));
    mo_u8_store_unaligned(first + count, mo_u8_compress(shapes, lanes));
    mo_u8_store_unaligned(second + count, mo_u8_compress(others, lanes));
    count += (uint32_t)__builtin_popcount(lanes);
  }
  return count;
}

#endif

#endif
