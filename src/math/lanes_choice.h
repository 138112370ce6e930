/* Choices of lanes (see lanes.h) for sets without a permutation of eight floats by index. */
#ifndef MO_MATH_LANES_CHOICE_H
#define MO_MATH_LANES_CHOICE_H

#include <stdalign.h>

typedef bool mo_way; /* backward */

static inline mo_way mo_order_way(bool backward) {
  return backward;
}

typedef struct mo_choice {
  uint8_t lanes[8];
  uint32_t count;
} mo_choice;

static inline mo_choice mo_choose_le(mo_f8 a, mo_f8 b, uint32_t order, mo_way way) {
  mo_choice choice = {{0}, 0};
  uint32_t mask = mo_m8_bits(mo_f8_le(a, b));
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t lane = order >> (way ? 28 - 4 * i : 4 * i) & 7;
    choice.lanes[choice.count] = (uint8_t)lane;
    choice.count += mask >> lane & 1;
  }
  return choice;
}

static inline uint32_t mo_choice_last(mo_choice choice, uint32_t order, mo_way way) {
  (void)order;
  (void)way;
  return choice.lanes[choice.count - 1];
}

static inline void mo_choice_store_f8(float *to, mo_f8 a, mo_choice choice) {
  alignas(32) float value[8];
  mo_f8_store(value, a);
  for (uint32_t i = 0; i < choice.count; i++) {
    to[i] = value[choice.lanes[i]];
  }
}

static inline void mo_choice_store_u8(uint32_t *to, const uint32_t *aligned, mo_choice choice) {
  for (uint32_t i = 0; i < choice.count; i++) {
    to[i] = aligned[choice.lanes[i]];
  }
}

static inline void mo_choice_store_lanes(uint32_t *to, uint32_t base, mo_choice choice) {
  for (uint32_t i = 0; i < choice.count; i++) {
    to[i] = base | choice.lanes[i];
  }
}

#endif
