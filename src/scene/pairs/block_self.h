/* The eight boxes of a block against each other: the block against itself turned by one lane, two,
 * three, and four, which is half way round.
 *
 * What is found is a word: bit 8 (t - 1) + i for lane i and the one t further on. */
#ifndef MO_SCENE_PAIRS_BLOCK_SELF_H
#define MO_SCENE_PAIRS_BLOCK_SELF_H

#include "scene/pairs/rows.h"

/* All eight, their lower sides moved outward by `reach`, so that they touch each other where they
 * are within that. Empty boxes touch none. */
MO_INLINE mo_row_box mo_rows_near(const mo_bounds8 *bounds, float reach) {
  mo_row_box rows;
  for (int axis = 0; axis < 3; axis++) {
    rows.lower[axis] = mo_f8_load(bounds->lower[axis]);
    rows.upper[axis] = mo_f8_load(bounds->upper[axis]);
    if (reach > 0) {
      mo_f8 size = mo_f8_add(mo_f8_abs(rows.lower[axis]), mo_f8_all(reach));
      mo_f8 more = mo_f8_add(mo_f8_all(reach), mo_f8_mul(size, mo_f8_all(0x1p-22f)));
      rows.lower[axis] = mo_f8_sub(rows.lower[axis], more);
    }
  }
  return rows;
}

#if defined(MO_ISA_AVX512_LANES)

/* Two turns at a time. */
MO_INLINE __m512i mo_turns_1_and_2(void) {
  return _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0, 2, 3, 4, 5, 6, 7, 0, 1);
}

MO_INLINE __m512i mo_turns_3_and_4(void) {
  return _mm512_setr_epi32(3, 4, 5, 6, 7, 0, 1, 2, 4, 5, 6, 7, 0, 1, 2, 3);
}

MO_INLINE uint32_t mo_touching_two_turns(const mo_row_box *rows, __m512i order) {
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

MO_INLINE uint32_t mo_touching_turned(const mo_bounds8 *bounds, float reach) {
  mo_row_box rows = mo_rows_near(bounds, reach);
  return mo_touching_two_turns(&rows, mo_turns_1_and_2()) |
         (mo_touching_two_turns(&rows, mo_turns_3_and_4()) & 0xfff) << 16;
}

MO_INLINE uint32_t mo_list_two_turns(uint32_t *first, uint32_t *second, __m512i shapes,
                                     __m512i order, uint32_t found) {
  __m512i others = _mm512_permutexvar_epi32(order, shapes);
  _mm512_storeu_si512(first, _mm512_maskz_compress_epi32((__mmask16)found, shapes));
  _mm512_storeu_si512(second, _mm512_maskz_compress_epi32((__mmask16)found, others));
  return (uint32_t)__builtin_popcount(found & 0xffff);
}

/* Lists what was found, by the shapes of the lanes, and returns how many there are; 2 MO_WIDTH more
 * of each list than those may be written. */
MO_INLINE uint32_t mo_list_turned(uint32_t *first, uint32_t *second, const uint32_t *shape,
                                  uint32_t found) {
  __m512i shapes = _mm512_broadcast_i32x8(_mm256_load_si256((const __m256i *)shape));
  uint32_t count = mo_list_two_turns(first, second, shapes, mo_turns_1_and_2(), found);
  return count +
         mo_list_two_turns(first + count, second + count, shapes, mo_turns_3_and_4(), found >> 16);
}

#else

MO_INLINE uint32_t mo_turn_order(uint32_t turn) {
  return 0x76543210u >> (4 * turn) | 0x76543210u << (32 - 4 * turn);
}

MO_INLINE uint32_t mo_touching_turn(const mo_f8 *lower, const mo_f8 *upper, uint32_t turn) {
  uint32_t order = mo_turn_order(turn);
  mo_m8 part[3];
  for (int axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(lower[axis], mo_f8_reorder(upper[axis], order)),
                           mo_f8_le(mo_f8_reorder(lower[axis], order), upper[axis]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

MO_INLINE uint32_t mo_touching_turned(const mo_bounds8 *bounds, float reach) {
  mo_row_box rows = mo_rows_near(bounds, reach);
  return mo_touching_turn(rows.lower, rows.upper, 1) |
         mo_touching_turn(rows.lower, rows.upper, 2) << 8 |
         mo_touching_turn(rows.lower, rows.upper, 3) << 16 |
         (mo_touching_turn(rows.lower, rows.upper, 4) & 0xf) << 24;
}

MO_INLINE uint32_t mo_list_turned(uint32_t *first, uint32_t *second, const uint32_t *shape,
                                  uint32_t found) {
  mo_u8 shapes = mo_u8_load(shape);
  uint32_t count = 0;
  for (uint32_t turn = 1; turn <= 4; turn++) {
    uint32_t lanes = found >> (MO_WIDTH * (turn - 1)) & 0xff;
    mo_u8 others = mo_u8_reorder(shapes, mo_turn_order(turn));
    mo_u8_store_any(first + count, mo_u8_compress(shapes, lanes));
    mo_u8_store_any(second + count, mo_u8_compress(others, lanes));
    count += (uint32_t)__builtin_popcount(lanes);
  }
  return count;
}

#endif

#endif
