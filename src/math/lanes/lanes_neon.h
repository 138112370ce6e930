/* Lanes of AArch64: two registers. (The NEON of 32-bit ARM flushes denormal numbers to zero and
 * cannot give the same bits.) Minimum and maximum are done by comparison and selection, because the
 * instructions for them treat NaN and signed zeros differently. See lanes.h. */
#ifndef MO_MATH_LANES_LANES_NEON_H
#define MO_MATH_LANES_LANES_NEON_H

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

typedef float32x4_t mo_f8_half;

typedef struct mo_f8 {
  mo_f8_half low, high;
} mo_f8;

typedef struct mo_u8 {
  uint32x4_t low, high;
} mo_u8;

/* All bits of a lane set or clear. */
typedef struct mo_m8 {
  uint32x4_t low, high;
} mo_m8;

static inline mo_f8 mo_f8_load(const float *aligned) {
  return (mo_f8){vld1q_f32(aligned), vld1q_f32(aligned + 4)};
}

static inline mo_f8 mo_f8_load_unaligned(const float *from) {
  return mo_f8_load(from);
}

static inline mo_f8 mo_f8_load_halves(const float *low, const float *high) {
  return (mo_f8){vld1q_f32(low), vld1q_f32(high)};
}

static inline mo_f8 mo_f8_load_bytes(const uint8_t *from) {
  uint16x8_t lanes = vmovl_u8(vld1_u8(from));
  return (mo_f8){vcvtq_f32_u32(vmovl_u16(vget_low_u16(lanes))),
                 vcvtq_f32_u32(vmovl_u16(vget_high_u16(lanes)))};
}

static inline mo_f8 mo_f8_load_shorts(const uint16_t *from) {
  uint16x8_t lanes = vreinterpretq_u16_u8(vld1q_u8((const uint8_t *)from));
  return (mo_f8){vcvtq_f32_u32(vmovl_u16(vget_low_u16(lanes))),
                 vcvtq_f32_u32(vmovl_u16(vget_high_u16(lanes)))};
}

static inline void mo_f8_load_fours(const char *from, size_t stride, mo_f8 rows[4]) {
  float32x4_t four[2][4];
  for (size_t i = 0; i < 8; i++) {
    four[i / 4][i % 4] = vreinterpretq_f32_u8(vld1q_u8((const uint8_t *)(from + i * stride)));
  }
  float32x4_t row[2][4];
  for (size_t half = 0; half < 2; half++) {
    const float32x4_t *f = four[half];
    float32x4_t a = vtrn1q_f32(f[0], f[1]), b = vtrn1q_f32(f[2], f[3]);
    float32x4_t c = vtrn2q_f32(f[0], f[1]), d = vtrn2q_f32(f[2], f[3]);
    row[half][0] = vcombine_f32(vget_low_f32(a), vget_low_f32(b));
    row[half][1] = vcombine_f32(vget_low_f32(c), vget_low_f32(d));
    row[half][2] = vcombine_f32(vget_high_f32(a), vget_high_f32(b));
    row[half][3] = vcombine_f32(vget_high_f32(c), vget_high_f32(d));
  }
  for (size_t i = 0; i < 4; i++) {
    rows[i] = (mo_f8){row[0][i], row[1][i]};
  }
}

static inline void mo_f8_store(float *aligned, mo_f8 a) {
  vst1q_f32(aligned, a.low);
  vst1q_f32(aligned + 4, a.high);
}

static inline void mo_f8_store_unaligned(float *to, mo_f8 a) {
  mo_f8_store(to, a);
}

static inline mo_f8 mo_f8_splat(float a) {
  return (mo_f8){vdupq_n_f32(a), vdupq_n_f32(a)};
}

static inline mo_f8 mo_f8_add(mo_f8 a, mo_f8 b) {
  return (mo_f8){vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
}

static inline mo_f8 mo_f8_sub(mo_f8 a, mo_f8 b) {
  return (mo_f8){vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
}

static inline mo_f8 mo_f8_mul(mo_f8 a, mo_f8 b) {
  return (mo_f8){vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
}

static inline mo_f8 mo_f8_div(mo_f8 a, mo_f8 b) {
  return (mo_f8){vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)};
}

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  return (mo_m8){vcleq_f32(a.low, b.low), vcleq_f32(a.high, b.high)};
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  return (mo_m8){vcltq_f32(a.low, b.low), vcltq_f32(a.high, b.high)};
}

static inline mo_f8 mo_f8_select(mo_m8 m, mo_f8 a, mo_f8 b) {
  return (mo_f8){vbslq_f32(m.low, a.low, b.low), vbslq_f32(m.high, a.high, b.high)};
}

static inline float mo_f8_reduce_min(mo_f8 a) {
  float32x4_t four = vbslq_f32(vcltq_f32(a.low, a.high), a.low, a.high);
  float32x2_t low = vget_low_f32(four), high = vget_high_f32(four);
  float32x2_t two = vbsl_f32(vclt_f32(low, high), low, high);
  float first = vget_lane_f32(two, 0), second = vget_lane_f32(two, 1);
  return first < second ? first : second;
}

static inline float mo_f8_reduce_max(mo_f8 a) {
  float32x4_t four = vbslq_f32(vcgtq_f32(a.low, a.high), a.low, a.high);
  float32x2_t low = vget_low_f32(four), high = vget_high_f32(four);
  float32x2_t two = vbsl_f32(vcgt_f32(low, high), low, high);
  float first = vget_lane_f32(two, 0), second = vget_lane_f32(two, 1);
  return first > second ? first : second;
}

static inline mo_f8 mo_f8_min(mo_f8 a, mo_f8 b) {
  return mo_f8_select(mo_f8_lt(a, b), a, b);
}

static inline mo_f8 mo_f8_max(mo_f8 a, mo_f8 b) {
  return mo_f8_select(mo_f8_lt(b, a), a, b);
}

static inline mo_f8 mo_f8_abs(mo_f8 a) {
  return (mo_f8){vabsq_f32(a.low), vabsq_f32(a.high)};
}

/* Picks four of eight lanes, given by the four nibbles of `order`; each lane number is expanded to
 * its four byte numbers.
 */
static inline uint32x4_t mo_pick4(uint8x16x2_t bytes, uint32_t order) {
  static const int32_t shift[4] = {0, -4, -8, -12};
  uint32x4_t lane = vandq_u32(vshlq_u32(vdupq_n_u32(order), vld1q_s32(shift)), vdupq_n_u32(7));
  uint32x4_t index = vmlaq_u32(vdupq_n_u32(0x03020100), lane, vdupq_n_u32(0x04040404));
  return vreinterpretq_u32_u8(vqtbl2q_u8(bytes, vreinterpretq_u8_u32(index)));
}

static inline mo_u8 mo_u8_reorder(mo_u8 a, uint32_t order) {
  uint8x16x2_t bytes = {{vreinterpretq_u8_u32(a.low), vreinterpretq_u8_u32(a.high)}};
  return (mo_u8){mo_pick4(bytes, order), mo_pick4(bytes, order >> 16)};
}

static inline mo_f8 mo_f8_reorder(mo_f8 a, uint32_t order) {
  mo_u8 r =
      mo_u8_reorder((mo_u8){vreinterpretq_u32_f32(a.low), vreinterpretq_u32_f32(a.high)}, order);
  return (mo_f8){vreinterpretq_f32_u32(r.low), vreinterpretq_f32_u32(r.high)};
}

/* Picks four of sixteen lanes, given by the lowest four nibbles of an order. */
static inline float32x4_t mo_pick4_of_16(uint8x16x4_t bytes, uint32_t order) {
  static const int32_t shift[4] = {0, -4, -8, -12};
  uint32x4_t lane = vandq_u32(vshlq_u32(vdupq_n_u32(order), vld1q_s32(shift)), vdupq_n_u32(15));
  uint32x4_t index = vmlaq_u32(vdupq_n_u32(0x03020100), lane, vdupq_n_u32(0x04040404));
  return vreinterpretq_f32_u8(vqtbl4q_u8(bytes, vreinterpretq_u8_u32(index)));
}

static inline mo_f8 mo_f8_pick16(mo_f8 low, mo_f8 high, uint32_t order) {
  uint8x16x4_t bytes = {{vreinterpretq_u8_f32(low.low), vreinterpretq_u8_f32(low.high),
                         vreinterpretq_u8_f32(high.low), vreinterpretq_u8_f32(high.high)}};
  return (mo_f8){mo_pick4_of_16(bytes, order), mo_pick4_of_16(bytes, order >> 16)};
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return (mo_m8){vandq_u32(a.low, b.low), vandq_u32(a.high, b.high)};
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return (mo_m8){vorrq_u32(a.low, b.low), vorrq_u32(a.high, b.high)};
}

static inline uint32_t mo_m8_bits(mo_m8 a) {
  static const uint16_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  uint16x8_t lanes = vcombine_u16(vmovn_u32(a.low), vmovn_u32(a.high));
  return vaddvq_u16(vandq_u16(lanes, vld1q_u16(bit)));
}

static inline uint32_t mo_f8_signs(mo_f8 a) {
  return mo_m8_bits(
      (mo_m8){vcltzq_s32(vreinterpretq_s32_f32(a.low)), vcltzq_s32(vreinterpretq_s32_f32(a.high))});
}

static inline mo_m8 mo_m8_from_bits(uint32_t lanes) {
  static const uint32_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  uint32x4_t all = vdupq_n_u32(lanes);
  return (mo_m8){vtstq_u32(all, vld1q_u32(bit)), vtstq_u32(all, vld1q_u32(bit + 4))};
}

static inline mo_u8 mo_u8_load(const uint32_t *aligned) {
  return (mo_u8){vld1q_u32(aligned), vld1q_u32(aligned + 4)};
}

static inline void mo_u8_store(uint32_t *aligned, mo_u8 a) {
  vst1q_u32(aligned, a.low);
  vst1q_u32(aligned + 4, a.high);
}

static inline void mo_u8_store_unaligned(uint32_t *to, mo_u8 a) {
  mo_u8_store(to, a);
}

static inline mo_u8 mo_u8_splat(uint32_t a) {
  return (mo_u8){vdupq_n_u32(a), vdupq_n_u32(a)};
}

static inline uint32_t mo_u8_signs(mo_u8 a) {
  return mo_m8_bits(
      (mo_m8){vcltzq_s32(vreinterpretq_s32_u32(a.low)), vcltzq_s32(vreinterpretq_s32_u32(a.high))});
}

static inline mo_u8 mo_u8_or(mo_u8 a, mo_u8 b) {
  return (mo_u8){vorrq_u32(a.low, b.low), vorrq_u32(a.high, b.high)};
}

static inline mo_u8 mo_u8_add(mo_u8 a, mo_u8 b) {
  return (mo_u8){vaddq_u32(a.low, b.low), vaddq_u32(a.high, b.high)};
}

static inline uint32_t mo_u8_equal(const uint32_t *aligned, uint32_t mask, uint32_t value) {
  mo_u8 a = mo_u8_load(aligned);
  uint32x4_t masks = vdupq_n_u32(mask), values = vdupq_n_u32(value);
  return mo_m8_bits((mo_m8){vceqq_u32(vandq_u32(a.low, masks), values),
                            vceqq_u32(vandq_u32(a.high, masks), values)});
}

/* The direction of an order, forward or backward, in the form that unpacks its nibbles. */
typedef struct mo_lane_direction {
  uint8x8_t bytes; /* byte i: index of the nibble for place i of an order */
  uint32_t flip;   /* (4 * i) ^ flip: bit position of the nibble for place i */
} mo_lane_direction;

static inline mo_lane_direction mo_order_direction(bool backward) {
  return (mo_lane_direction){vcreate_u8(backward ? 0x0001020304050607u : 0x0706050403020100u),
                             backward ? 28 : 0};
}

/* In this instruction set, `lanes` contains lane numbers as bytes, the chosen ones first. */
typedef struct mo_choice {
  uint8x8_t lanes;
  uint32_t mask; /* bit i: the lane at place i of the order is chosen */
  uint32_t count;
} mo_choice;

static inline uint8x8_t mo_unpack_nibbles(uint32_t order) {
  uint8x8_t low = vcreate_u8(order), high = vshr_n_u8(low, 4);
  return vand_u8(vzip1_u8(low, high), vdup_n_u8(7));
}

typedef uint8x8_t mo_prepared_order; /* byte i: the number of the lane at place i */

static inline mo_prepared_order mo_prepared_order_of(uint32_t order, mo_lane_direction direction) {
  return vtbl1_u8(mo_unpack_nibbles(order), direction.bytes);
}

static inline mo_prepared_order mo_prepared_order_load(const uint32_t *aligned) {
  mo_u8 a = mo_u8_load(aligned);
  return vmovn_u16(vcombine_u16(vmovn_u32(a.low), vmovn_u32(a.high)));
}

static inline mo_choice mo_choose_le(mo_f8 a, mo_f8 b, mo_prepared_order prepared) {
  mo_m8 le = mo_f8_le(a, b);
  uint8x8_t passes = vmovn_u16(vcombine_u16(vmovn_u32(le.low), vmovn_u32(le.high)));
  uint8x8_t bit = vcreate_u8(0x8040201008040201u);
  uint32_t mask = vaddv_u8(vand_u8(vtbl1_u8(passes, prepared), bit));
  uint8x8_t first = mo_unpack_nibbles(mo_compress_order[mask]);
  return (mo_choice){vtbl1_u8(prepared, first), mask, (uint32_t)__builtin_popcount(mask)};
}

/* Picks four of eight lanes: the bytes of `lanes` are the lane numbers, four times each. */
static inline uint32x4_t mo_choice_pick4(uint8x16x2_t bytes, uint8x16_t lanes) {
  uint8x16_t within = vreinterpretq_u8_u32(vdupq_n_u32(0x03020100));
  uint8x16_t index = vorrq_u8(vshlq_n_u8(lanes, 2), within);
  return vreinterpretq_u32_u8(vqtbl2q_u8(bytes, index));
}

static inline mo_u8 mo_choice_pick(mo_u8 a, mo_choice choice) {
  uint8x16x2_t bytes = {{vreinterpretq_u8_u32(a.low), vreinterpretq_u8_u32(a.high)}};
  uint8x16_t twice =
      vcombine_u8(vzip1_u8(choice.lanes, choice.lanes), vzip2_u8(choice.lanes, choice.lanes));
  return (mo_u8){mo_choice_pick4(bytes, vzip1q_u8(twice, twice)),
                 mo_choice_pick4(bytes, vzip2q_u8(twice, twice))};
}

static inline void mo_choice_store_f8(float *to, mo_f8 a, mo_choice choice) {
  mo_u8 bits = {vreinterpretq_u32_f32(a.low), vreinterpretq_u32_f32(a.high)};
  bits = mo_choice_pick(bits, choice);
  mo_f8_store_unaligned(to,
                        (mo_f8){vreinterpretq_f32_u32(bits.low), vreinterpretq_f32_u32(bits.high)});
}

static inline void mo_choice_store_lanes(uint32_t *to, uint32_t base, mo_choice choice) {
  uint16x8_t lanes = vmovl_u8(choice.lanes);
  uint32x4_t all = vdupq_n_u32(base);
  mo_u8_store_unaligned(to, (mo_u8){vorrq_u32(vmovl_u16(vget_low_u16(lanes)), all),
                                    vorrq_u32(vmovl_u16(vget_high_u16(lanes)), all)});
}

#include "math/lanes/lanes_two.h"

#endif
