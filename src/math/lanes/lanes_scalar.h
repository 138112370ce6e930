/* Lanes in plain C, for all processors. See lanes_two.h. */
#ifndef MO_MATH_LANES_LANES_SCALAR_H
#define MO_MATH_LANES_LANES_SCALAR_H

#include <stdint.h>

typedef struct mo_lane_bytes {
  uint8_t at[8];
} mo_lane_bytes;

#include "math/lanes/lanes_two.h"

static inline mo_lane_bytes mo_lane_bytes_of(uint64_t bytes) {
  mo_lane_bytes r;
  for (int i = 0; i < 8; i++) {
    r.at[i] = (uint8_t)(bytes >> (8 * i));
  }
  return r;
}

static inline mo_lane_bytes mo_lane_bytes_unpack(uint32_t order) {
  mo_lane_bytes r;
  for (int i = 0; i < 8; i++) {
    r.at[i] = order >> (4 * i) & 7;
  }
  return r;
}

static inline mo_lane_bytes mo_lane_bytes_pack(mo_u8 lanes) {
  mo_lane_bytes r;
  for (int i = 0; i < 4; i++) {
    r.at[i] = (uint8_t)lanes.low[i];
    r.at[i + 4] = (uint8_t)lanes.high[i];
  }
  return r;
}

static inline mo_u8 mo_lane_bytes_widen(mo_lane_bytes bytes) {
  const uint8_t *at = bytes.at;
  return (mo_u8){{at[0], at[1], at[2], at[3]}, {at[4], at[5], at[6], at[7]}};
}

static inline mo_lane_bytes mo_lane_bytes_pick(mo_lane_bytes from, mo_lane_bytes at) {
  for (int i = 0; i < 8; i++) {
    at.at[i] = from.at[at.at[i]];
  }
  return at;
}

static inline mo_u8 mo_u8_pick(mo_u8 a, mo_lane_bytes at) {
  uint32_t from[8], to[8];
  mo_u8_store_unaligned(from, a);
  for (int i = 0; i < 8; i++) {
    to[i] = from[at.at[i]];
  }
  memcpy(&a, to, sizeof a);
  return a;
}

static inline uint32_t mo_lane_bytes_bits(mo_lane_bytes bytes) {
  uint32_t bits = 0;
  for (int i = 0; i < 8; i++) {
    bits |= (uint32_t)bytes.at[i] >> 7 << i;
  }
  return bits;
}

#endif
