/* Operations shared by the instruction sets whose eight lanes are two registers: the header of such
 * a set includes this at its end. `mo_f8_half` is a register of four floats. See lanes.h. */
#ifndef MO_MATH_LANES_LANES_TWO_H
#define MO_MATH_LANES_LANES_TWO_H

static inline mo_f8 mo_f8_join(mo_f4 low, mo_f4 high) {
  return (mo_f8){(mo_f8_half)low, (mo_f8_half)high};
}

static inline mo_f8 mo_f8_add_upward(mo_f8 a, mo_f8 b) {
  return (mo_f8){(mo_f8_half)mo_f4_add_upward((mo_f4)a.low, (mo_f4)b.low),
                 (mo_f8_half)mo_f4_add_upward((mo_f4)a.high, (mo_f4)b.high)};
}

static inline mo_f8 mo_f8_sub_downward(mo_f8 a, mo_f8 b) {
  return (mo_f8){(mo_f8_half)-mo_f4_add_upward(-(mo_f4)a.low, (mo_f4)b.low),
                 (mo_f8_half)-mo_f4_add_upward(-(mo_f4)a.high, (mo_f4)b.high)};
}

static inline void mo_f8_transpose_halves(mo_f8 rows[4]) {
  mo_f4 low[4], high[4];
  for (int i = 0; i < 4; i++) {
    low[i] = (mo_f4)rows[i].low;
    high[i] = (mo_f4)rows[i].high;
  }
  mo_f4_transpose(low);
  mo_f4_transpose(high);
  for (int i = 0; i < 4; i++) {
    rows[i] = (mo_f8){(mo_f8_half)low[i], (mo_f8_half)high[i]};
  }
}

static inline mo_f8 mo_f8_mul_sub_fast(mo_f8 a, mo_f8 b, mo_f8 c) {
  return mo_f8_sub(mo_f8_mul(a, b), c);
}

static inline mo_f8 mo_f8_mul_add_exact(mo_f8 a, mo_f8 b, mo_f8 c) {
  return mo_f8_add(mo_f8_mul(a, b), c);
}

static inline mo_f8 mo_f8_max_bits(mo_f8 a, mo_f8 b) {
  return mo_f8_max(a, b);
}

static inline mo_f8 mo_f8_min_bits(mo_f8 a, mo_f8 b) {
  return mo_f8_min(a, b);
}

static inline mo_u8 mo_u8_compress(mo_u8 a, uint32_t lanes) {
  return mo_u8_reorder(a, mo_compress_order[lanes & 0xff]);
}

static inline mo_f8 mo_f8_compress(mo_f8 a, uint32_t lanes) {
  return mo_f8_reorder(a, mo_compress_order[lanes & 0xff]);
}

static inline uint32_t mo_choice_last(mo_choice choice, uint32_t order,
                                      mo_lane_direction direction) {
  uint32_t lane = 31u ^ (uint32_t)__builtin_clz(choice.mask);
  return order >> (4 * lane ^ direction.flip) & 7;
}

static inline uint32_t mo_choice_last_u8(const uint32_t *aligned, mo_choice choice, uint32_t order,
                                         mo_lane_direction direction, uint32_t *scratch) {
  (void)scratch;
  return aligned[mo_choice_last(choice, order, direction)];
}

static inline void mo_choice_store_u8(uint32_t *to, const uint32_t *aligned, mo_choice choice) {
  mo_u8_store_unaligned(to, mo_choice_pick(mo_u8_load(aligned), choice));
}

#endif
