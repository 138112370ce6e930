/* clang-format off */
/* Vectors of eight floats. The same source compiled with each set of lanes gives the same bits:
 * every operation rounds identically in all of them, except mo_f8_mul_sub_fast. (The bits of a NaN
 * result are not defined.)
 *
 * mo_f8 is eight floats, mo_u8 eight uint32_t, mo_m8 a mask of eight lanes. If lanes appear as bits
 * of a uint32_t, bit i is lane i. `aligned` memory is aligned to 32 bytes.
 *
 *   mo_f8_load(aligned)          eight floats from memory
 *   mo_f8_load_unaligned(from)   from memory of any alignment
 *   mo_f8_load_halves(low, high) four floats from each of two places of any alignment
 *   mo_f8_join(low, high)        two mo_f4
 *   mo_f8_load_bytes(from)       eight bytes of memory, converted to floats
 *   mo_f8_load_shorts(from)      eight uint16_t of any alignment, converted to floats
 *   mo_f8_load_fours(from, stride, rows)  eight groups of four floats, `stride` bytes apart, of any
 *                                alignment, transposed: lane i of rows[j] is float j of group i
 *   mo_f8_store(aligned, a)      to memory
 *   mo_f8_store_unaligned(to, a) to memory of any alignment
 *   mo_f8_splat(x)                 x in all lanes
 *   mo_f8_add, sub, mul, div     a op b, rounded to nearest
 *   mo_f8_add_upward(a, b)       a + b, rounded up, as mo_f4_add_upward does
 *   mo_f8_sub_downward(a, b)     a - b, rounded down in the same way
 *   mo_f8_transpose_halves(rows) transposes mo_f8 rows[4]: the four low halves, and the four
 *                                high halves
 *   mo_f8_mul_sub_fast(a, b, c)  a * b - c, fused or not: only where no result depends on it
 *   mo_f8_mul_add_exact(a, b, c) a * b + c, where a * b is exact in float, so that the result is
 *                                the same whether fused or not
 *   mo_f8_min(a, b)              a < b ? a : b, so b if one is NaN, or if both are zeros
 *   mo_f8_max(a, b)              a > b ? a : b, so b if one is NaN
 *   mo_f8_max_bits, min_bits     compare the bits as signed integers, which is faster. The same
 *                                result unless both are negative: then one of the two. No NaN,
 *                                no -0.
 *   mo_f8_abs(a)                 the sign bit cleared
 *   mo_f8_le(a, b)               a <= b; false if one is NaN
 *   mo_f8_lt(a, b)               a < b; false if one is NaN
 *   mo_f8_select(m, a, b)        m ? a : b
 *   mo_f8_reduce_min, reduce_max(a)  of all lanes, by min and max of lanes 4, then 2, then 1 apart
 *   mo_f8_reorder(a, order)      lane i is lane (order >> 4 i) & 7 of a
 *   mo_f8_pick16(low, high, order)  lane i is lane (order >> 4 i) & 15 of low, then high
 *   mo_f8_compress(a, lanes)     the lanes whose bits are set, in order, at the front; the lanes
 *                                after them are not defined. Only the low eight bits count.
 *   mo_m8_and, mo_m8_or(a, b)
 *   mo_m8_bits(a)                as bits
 *   mo_f8_signs(a)               the sign bits, as bits
 *   mo_m8_from_bits(lanes)       the reverse; only the low eight bits count
 *   mo_u8_load, store, store_unaligned, all, reorder, compress: as for floats
 *   mo_u8_or, add(a, b)
 *   mo_u8_signs(a)               the top bits, as bits
 *   mo_u8_equal(aligned, mask, value)  a bit per lane: (memory & mask) == value
 *
 * An order is eight nibbles, each a lane number. A choice is a subset of the eight lanes, in an
 * order. It is used to push the children that a ray meets without a branch per child.
 *
 *   mo_lane_order_direction_of(backward) whether lane i of an order is its nibble i, or its nibble 7 - i
 *   mo_lane_order_of(order, direction)  an order, prepared for a choice
 *   mo_lane_order_load(aligned)  an order in memory, a uint32_t per lane, prepared
 *   mo_choose_lanes_le(a, b, prepared) the lanes with a <= b, in that order; `count` of them. a is not
 *                                negative, and neither is NaN or -0.
 *   mo_lane_choice_last(choice, order, direction)  the last lane of a choice that is not empty
 *   mo_lane_choice_last_u8(aligned, choice, order, direction, scratch)  the uint32_t in memory for
 *                                that lane; scratch[0..8), aligned, may be written
 *   mo_lane_choice_store_f8(to, a, choice)          stores the chosen floats; to[0..8) may be written
 *   mo_lane_choice_store_u8(to, aligned, choice)    stores the chosen ones of eight uint32_t
 *   mo_lane_choice_store_lanes(to, base, choice)    stores base | lane for each chosen lane
 *
 * One header per instruction set defines them. The build selects it (MO_ISA_*_LANES) and sets its
 * name (MO_ISA_NAME). */
/* clang-format on */
#ifndef MO_MATH_LANES_LANES_H
#define MO_MATH_LANES_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"
#include "math/four.h"

extern const uint32_t mo_compress_permutations[256];

#if defined(MO_ISA_AVX512_LANES)
#include "math/lanes/lanes_avx512.h"
#elif defined(MO_ISA_AVX2_LANES)
#include "math/lanes/lanes_avx2.h"
#elif defined(MO_ISA_SSE4_LANES)
#include "math/lanes/lanes_sse4.h"
#elif defined(MO_ISA_NEON_LANES)
#include "math/lanes/lanes_neon.h"
#else
#include "math/lanes/lanes_scalar.h"
#endif

#endif
