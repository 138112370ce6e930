/* Lanes of AArch64: two registers. (The NEON of 32-bit ARM flushes denormal numbers to zero and
 * cannot give the same bits.) Minimum and maximum are done by comparison and selection, because the
 * instructions for them treat NaN and signed zeros differently. See lanes_two.h. */
#ifndef MO_MATH_LANES_LANES_NEON_H
#define MO_MATH_LANES_LANES_NEON_H

#include <arm_neon.h>

typedef uint8x8_t mo_lane_bytes;

#include "math/lanes/lanes_two.h"

static inline mo_lane_bytes mo_lane_bytes_of(uint64_t bytes) {
  return vcreate_u8(bytes);
}

static inline mo_lane_bytes mo_lane_bytes_unpack(uint32_t order) {
  uint8x8_t low = vcreate_u8(order), high = vshr_n_u8(low, 4);
  return vand_u8(vzip1_u8(low, high), vdup_n_u8(7));
}

static inline mo_lane_bytes mo_lane_bytes_pack(mo_u8 lanes) {
  return vmovn_u16(
      vcombine_u16(vmovn_u32((uint32x4_t)lanes.low), vmovn_u32((uint32x4_t)lanes.high)));
}

static inline mo_u8 mo_lane_bytes_widen(mo_lane_bytes bytes) {
  uint16x8_t lanes = vmovl_u8(bytes);
  return (mo_u8){(mo_u4)vmovl_u16(vget_low_u16(lanes)), (mo_u4)vmovl_u16(vget_high_u16(lanes))};
}

static inline mo_lane_bytes mo_lane_bytes_pick(mo_lane_bytes from, mo_lane_bytes at) {
  return vtbl1_u8(from, at);
}

/* Picks four of eight lanes: the bytes of `lanes` are the lane numbers, four times each. */
static inline mo_u4 mo_pick4(uint8x16x2_t bytes, uint8x16_t lanes) {
  uint8x16_t within = vreinterpretq_u8_u32(vdupq_n_u32(0x03020100));
  return (mo_u4)vqtbl2q_u8(bytes, vorrq_u8(vshlq_n_u8(lanes, 2), within));
}

static inline mo_u8 mo_u8_pick(mo_u8 a, mo_lane_bytes at) {
  uint8x16x2_t bytes = {{(uint8x16_t)a.low, (uint8x16_t)a.high}};
  uint8x16_t twice = vcombine_u8(vzip1_u8(at, at), vzip2_u8(at, at));
  return (mo_u8){mo_pick4(bytes, vzip1q_u8(twice, twice)),
                 mo_pick4(bytes, vzip2q_u8(twice, twice))};
}

static inline uint32_t mo_lane_bytes_bits(mo_lane_bytes bytes) {
  return vaddv_u8(vand_u8(vtst_u8(bytes, vdup_n_u8(0x80)), vcreate_u8(0x8040201008040201u)));
}

#endif
