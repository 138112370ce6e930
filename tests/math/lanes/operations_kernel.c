/* Every operation of lanes.h, compiled for one set. */
#include "math/lanes/operations.h"

#include <stdalign.h>

#include "math/lanes/lanes.h"

void MO_ISA_FN(lanes_run)(const lanes_input *in, lanes_output *out) {
  mo_f8 a = mo_f8_load(in->a), b = mo_f8_load(in->b);
  mo_u8 u = mo_u8_load(in->u);
  mo_m8 le = mo_f8_le(a, b), lt = mo_f8_lt(a, b), chosen = mo_m8_from_bits(in->lanes);
  mo_f8_store(out->loaded, a);
  mo_f8_store(out->all, mo_f8_splat(in->one));
  mo_f8_store(out->sum, mo_f8_add(a, b));
  mo_f8_store(out->difference, mo_f8_sub(a, b));
  mo_f8_store(out->product, mo_f8_mul(a, b));
  mo_f8_store(out->quotient, mo_f8_div(a, b));
  mo_f8_store(out->min, mo_f8_min(a, b));
  mo_f8_store(out->max, mo_f8_max(a, b));
  mo_f8_store(out->magnitude, mo_f8_abs(a));
  mo_f8_store(out->selected, mo_f8_select(chosen, a, b));
  mo_f8_store(out->reordered, mo_f8_reorder(a, in->order));
  mo_f8_store(out->compressed, mo_f8_compress(a, in->lanes));
  mo_u8_store(out->u_loaded, u);
  mo_u8_store(out->u_all, mo_u8_splat(in->value));
  mo_u8_store(out->u_reordered, mo_u8_reorder(u, in->order));
  mo_u8_store(out->u_either, mo_u8_or(u, mo_u8_splat(in->value)));
  mo_u8_store(out->u_sum, mo_u8_add(u, mo_u8_splat(in->value)));
  mo_u8_store(out->u_compressed, mo_u8_compress(u, in->lanes));
  mo_f8_store_unaligned((void *)out->any.floats, a);
  mo_u8_store_unaligned((void *)out->any.integers, u);
  out->le = mo_m8_bits(le);
  out->lt = mo_m8_bits(lt);
  out->both = mo_m8_bits(mo_m8_and(le, chosen));
  out->either = mo_m8_bits(mo_m8_or(lt, chosen));
  out->from_bits = mo_m8_bits(chosen);
  out->signs = mo_f8_signs(a);
  out->u_signs = mo_u8_signs(u);
  out->equal = mo_u8_equal(in->u, in->mask, in->value);

  mo_f8 near = mo_f8_load(in->near), far = mo_f8_load(in->far);
  mo_f8_store(out->product_less, mo_f8_mul_sub_fast(a, near, far));
  mo_f8_store(out->max_bits, mo_f8_max_bits(near, far));
  mo_f8_store(out->min_bits, mo_f8_min_bits(near, far));
  out->lowest = mo_f8_reduce_min(a);
  out->highest = mo_f8_reduce_max(a);
  mo_lane_order_direction way = mo_lane_order_direction_of(in->backward);
  alignas(32) uint32_t places[8];
  for (uint32_t i = 0; i < 8; i++) {
    places[i] = in->permutation >> (in->backward ? 28 - 4 * i : 4 * i) & 7;
  }
  mo_lane_order route =
      in->from_memory ? mo_lane_order_load(places) : mo_lane_order_of(in->permutation, way);
  mo_lane_choice choice = mo_choose_lanes_le(near, far, route);
  out->chosen = choice.count;
  out->last = choice.count > 0 ? mo_lane_choice_last(choice, in->permutation, way) : 0;
  alignas(32) uint32_t scratch[8];
  out->last_integer =
      choice.count > 0 ? mo_lane_choice_last_u8(in->u, choice, in->permutation, way, scratch) : 0;
  mo_lane_choice_store_f8(out->chosen_floats, a, choice);
  mo_lane_choice_store_u8(out->chosen_integers, in->u, choice);
  mo_lane_choice_store_lanes(out->chosen_lanes, 0xabc8, choice);

  mo_f8 bytes = mo_f8_load_bytes(in->bytes);
  mo_f8_store(out->loaded_any, mo_f8_load_unaligned((const void *)in->any.floats));
  mo_f8 fours[4];
  mo_f8_load_fours(in->any.fours[0], sizeof in->any.fours[0], fours);
  for (int i = 0; i < 4; i++) {
    mo_f8_store(out->loaded_fours[i], fours[i]);
  }
  mo_f8_store(out->loaded_bytes, bytes);
  mo_f8_store(out->loaded_shorts, mo_f8_load_shorts((const void *)in->any.shorts));
  mo_f8_store(out->scaled, mo_f8_mul_add_exact(bytes, mo_f8_splat(in->power), b));
  mo_f8_store(out->picked, mo_f8_pick16(a, b, in->order));
  mo_f8_store(out->loaded_halves, mo_f8_load_halves(in->a + 1, in->b + 2));
  mo_f8_store(out->joined, mo_f8_join(mo_f4_load(in->b), mo_f4_load(in->a + 4)));
  mo_f8_store(out->sum_upward, mo_f8_add_upward(a, b));
  mo_f8_store(out->difference_downward, mo_f8_sub_downward(a, b));
  mo_f8 rows[4] = {a, b, mo_f8_add(a, b), mo_f8_sub(a, b)};
  mo_f8_transpose_halves(rows);
  for (int i = 0; i < 4; i++) {
    mo_f8_store(out->columns[i], rows[i]);
  }
}
