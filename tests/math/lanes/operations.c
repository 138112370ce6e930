/* The lanes of every set that this build and this processor have do what lanes.h says, to the bit,
 * with floats of every kind. A plain program, so that it runs on machines without Criterion too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/lanes/lanes.h"
#include "math/lanes/operations.h"
#include "support/rng.h"

static float from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Zeros, infinities, NaN, denormals, the ends of the range, neighbours, and anything at all. */
static float ugly(rng *r) {
  static const uint32_t kinds[] = {0,          1,          2,          0x007fffff, 0x00800000,
                                   0x00800001, 0x3f800000, 0x3f800001, 0x3f7fffff, 0x7f7fffff,
                                   0x7f800000, 0x7fc00000, 0x7f800001, 0x7fffffff, 0x20000000,
                                   0x1fffffff, 0x5f000000, 0x34000000};
  uint32_t bits = (uint32_t)(rng_u64(r) >> 32);
  switch (rng_below(r, 4)) {
  case 0:
    return from_bits(bits);
  case 1:
    return rng_float(r, -2, 2);
  case 2:
    return from_bits((bits & 0x80000000u) | (bits & 0x007fffffu)); /* denormal */
  default:
    return from_bits((bits & 0x80000000u) | kinds[bits % (sizeof kinds / sizeof *kinds)]);
  }
}

static void make_choice(rng *r, lanes_input *in) {
  uint32_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  in->permutation = 0;
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t other = i + rng_below(r, 8 - i), lane = lanes[other];
    lanes[other] = lanes[i];
    in->permutation |= lane << (4 * i);
    float near = fabsf(in->a[i]), far = in->b[i];
    in->near[i] = isnan(near) ? 1 : near;
    in->far[i] = isnan(far) || far == 0 ? 0 : far;
  }
  in->backward = rng_below(r, 2);
  in->from_memory = rng_below(r, 2);
}

/* Few bits, so that masked integers are equal now and then. */
static void make_input(rng *r, lanes_input *in) {
  for (int i = 0; i < 8; i++) {
    in->a[i] = ugly(r);
    in->b[i] = rng_chance(r, 0.2) ? in->a[i] : rng_chance(r, 0.1) ? -in->a[i] : ugly(r);
    in->u[i] = (uint32_t)rng_u64(r) & 0xe0000003u;
  }
  in->one = ugly(r);
  in->order = (uint32_t)(rng_u64(r) >> 32);
  in->lanes = (uint32_t)(rng_u64(r) >> 32);
  in->mask = (uint32_t)(rng_u64(r) >> 32) & 0xe0000003u;
  in->value = in->u[rng_below(r, 8)] & in->mask;
  make_choice(r, in);
  for (int i = 0; i < 8; i++) {
    in->bytes[i] = (uint8_t)rng_below(r, 256);
    const uint16_t number = (uint16_t)rng_below(r, 65536);
    memcpy(in->any.shorts + 2 * i, &number, sizeof number);
  }
  in->power = ldexpf(1.0f, (int)rng_below(r, 246) - 126);
  memcpy(in->any.floats, in->a, sizeof in->a);
  for (int i = 0; i < 8; i++) {
    const float four[4] = {in->b[i], in->a[i], ugly(r), in->one};
    memcpy(in->any.fours[i], four, sizeof four);
  }
}

/* a + b rounded up; rounded to nearest where that, or an intermediate result, is infinite or
 * NaN. */
static float rounded_up(float a, float b) {
  volatile float sum = a + b, part = sum - a, other = sum - part;
  volatile float first = a - other, second = b - part, rest = first + second;
  return rest > 0 ? nextafterf(sum, INFINITY) : sum;
}

/* The operations as lanes.h describes them, a lane at a time, rounded through memory. */
static void expect(const lanes_input *in, lanes_output *out) {
  memset(out, 0, sizeof *out);
  uint32_t front = 0;
  for (uint32_t i = 0; i < 8; i++) {
    volatile float a = in->a[i], b = in->b[i], result;
    uint32_t chosen = in->lanes >> i & 1, from = in->order >> (4 * i) & 7;
    out->loaded[i] = a;
    out->all[i] = in->one;
    out->sum[i] = result = a + b;
    out->difference[i] = result = a - b;
    out->product[i] = result = a * b;
    out->quotient[i] = result = a / b;
    out->min[i] = a < b ? a : b;
    out->max[i] = a > b ? a : b;
    uint32_t bits;
    memcpy(&bits, &in->a[i], sizeof bits);
    out->magnitude[i] = from_bits(bits & 0x7fffffffu);
    out->selected[i] = chosen ? a : b;
    out->reordered[i] = in->a[from];
    out->u_loaded[i] = in->u[i];
    out->u_all[i] = in->value;
    out->u_reordered[i] = in->u[from];
    out->u_either[i] = in->u[i] | in->value;
    out->u_sum[i] = in->u[i] + in->value;
    if (chosen) {
      out->compressed[front] = a;
      out->u_compressed[front] = in->u[i];
      front++;
    }
    out->le |= (uint32_t)(a <= b) << i;
    out->lt |= (uint32_t)(a < b) << i;
    out->signs |= bits >> 31 << i;
    out->u_signs |= in->u[i] >> 31 << i;
    out->equal |= (uint32_t)((in->u[i] & in->mask) == in->value) << i;
  }
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t lane = in->permutation >> (in->backward ? 28 - 4 * i : 4 * i) & 7;
    volatile float product = in->a[i] * in->near[i], less = product - in->far[i];
    out->product_less[i] = less;
    volatile float scaled = (float)in->bytes[i] * in->power, moved = scaled + in->b[i];
    uint32_t picked = in->order >> (4 * i) & 15;
    out->loaded_any[i] = in->a[i];
    for (size_t j = 0; j < 4; j++) {
      memcpy(&out->loaded_fours[j][i], in->any.fours[i] + j * sizeof(float), sizeof(float));
    }
    out->loaded_bytes[i] = (float)in->bytes[i];
    uint16_t number;
    memcpy(&number, in->any.shorts + 2 * i, sizeof number);
    out->loaded_shorts[i] = (float)number;
    out->scaled[i] = moved;
    out->picked[i] = picked < 8 ? in->a[picked] : in->b[picked - 8];
    out->max_bits[i] = in->near[i] > in->far[i] ? in->near[i] : in->far[i];
    out->min_bits[i] = in->near[i] < in->far[i] ? in->near[i] : in->far[i];
    if (in->near[lane] <= in->far[lane]) {
      out->chosen_floats[out->chosen] = in->a[lane];
      out->chosen_integers[out->chosen] = in->u[lane];
      out->chosen_lanes[out->chosen] = 0xabc8 | lane;
      out->last = lane;
      out->last_integer = in->u[lane];
      out->chosen++;
    }
  }
  float low[8], high[8];
  memcpy(low, in->a, sizeof low);
  memcpy(high, in->a, sizeof high);
  for (int apart = 4; apart > 0; apart /= 2) {
    for (int i = 0; i < apart; i++) {
      low[i] = low[i] < low[i + apart] ? low[i] : low[i + apart];
      high[i] = high[i] > high[i + apart] ? high[i] : high[i + apart];
    }
  }
  const float *rows[4] = {in->a, in->b, out->sum, out->difference};
  for (int i = 0; i < 8; i++) {
    out->loaded_halves[i] = i < 4 ? in->a[1 + i] : in->b[i - 2];
    out->joined[i] = i < 4 ? in->b[i] : in->a[i];
    out->sum_upward[i] = rounded_up(in->a[i], in->b[i]);
    out->difference_downward[i] = -rounded_up(-in->a[i], in->b[i]);
    for (int column = 0; column < 4; column++) {
      out->columns[column][i] = rows[i % 4][i / 4 * 4 + column];
    }
  }
  out->lowest = low[0];
  out->highest = high[0];
  memcpy(out->any.floats, in->a, sizeof in->a);
  memcpy(out->any.integers, in->u, sizeof in->u);
  out->from_bits = in->lanes & 0xff;
  out->both = out->le & out->from_bits;
  out->either = out->lt | out->from_bits;
}

static bool same_floats(const float *a, const float *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) {
      return false;
    }
  }
  return true;
}

static bool same_integers(const uint32_t *a, const uint32_t *b, uint32_t count) {
  return memcmp(a, b, count * sizeof *a) == 0;
}

static const char *difference(const lanes_output *a, const lanes_output *b) {
  uint32_t front = (uint32_t)__builtin_popcount(a->from_bits);
#define CHECK(condition, what)                                                                     \
  if (!(condition)) {                                                                              \
    return what;                                                                                   \
  }
  CHECK(same_floats(a->loaded, b->loaded, 8), "load, store");
  CHECK(same_floats(a->all, b->all, 8), "all");
  CHECK(same_floats(a->sum, b->sum, 8), "add");
  CHECK(same_floats(a->difference, b->difference, 8), "sub");
  CHECK(same_floats(a->product, b->product, 8), "mul");
  CHECK(same_floats(a->quotient, b->quotient, 8), "div");
  CHECK(same_floats(a->min, b->min, 8), "min");
  CHECK(same_floats(a->max, b->max, 8), "max");
  CHECK(same_floats(a->magnitude, b->magnitude, 8), "abs");
  CHECK(same_floats(a->selected, b->selected, 8), "select");
  CHECK(same_floats(a->reordered, b->reordered, 8), "reorder");
  CHECK(same_floats(a->compressed, b->compressed, front), "compress");
  CHECK(same_integers(a->u_loaded, b->u_loaded, 8), "integers: load, store");
  CHECK(same_integers(a->u_all, b->u_all, 8), "integers: all");
  CHECK(same_integers(a->u_either, b->u_either, 8), "integers: or");
  CHECK(same_integers(a->u_sum, b->u_sum, 8), "integers: add");
  CHECK(same_integers(a->u_reordered, b->u_reordered, 8), "integers: reorder");
  CHECK(same_integers(a->u_compressed, b->u_compressed, front), "integers: compress");
  CHECK(memcmp(a->any.floats, b->any.floats, 32) == 0, "store_any");
  CHECK(memcmp(a->any.integers, b->any.integers, 32) == 0, "integers: store_any");
  CHECK(a->le == b->le, "le");
  CHECK(a->lt == b->lt, "lt");
  CHECK(a->both == b->both, "and");
  CHECK(a->either == b->either, "or");
  CHECK(a->from_bits == b->from_bits, "bits, from_bits");
  CHECK(a->equal == b->equal, "equal");
  CHECK(same_floats(a->max_bits, b->max_bits, 8), "max_bits");
  CHECK(same_floats(a->min_bits, b->min_bits, 8), "min_bits");
  CHECK(same_floats(&a->lowest, &b->lowest, 1), "least");
  CHECK(same_floats(&a->highest, &b->highest, 1), "greatest");
  CHECK(a->chosen == b->chosen && a->last == b->last, "choose_le, choice_last");
  CHECK(a->last_integer == b->last_integer, "choice_last_u8");
  CHECK(same_floats(a->chosen_floats, b->chosen_floats, a->chosen), "choice_store_f8");
  CHECK(same_integers(a->chosen_integers, b->chosen_integers, a->chosen), "choice_store_u8");
  CHECK(same_integers(a->chosen_lanes, b->chosen_lanes, a->chosen), "choice_store_lanes");
  CHECK(a->signs == b->signs, "signs");
  CHECK(a->u_signs == b->u_signs, "integers: signs");
  CHECK(same_floats(a->loaded_any, b->loaded_any, 8), "load_any");
  CHECK(same_floats(a->loaded_fours[0], b->loaded_fours[0], 32), "load_fours");
  CHECK(same_floats(a->loaded_bytes, b->loaded_bytes, 8), "load_bytes");
  CHECK(same_floats(a->loaded_shorts, b->loaded_shorts, 8), "load_shorts");
  CHECK(same_floats(a->scaled, b->scaled, 8), "mul_add_exact");
  CHECK(same_floats(a->picked, b->picked, 8), "pick16");
  CHECK(same_floats(a->loaded_halves, b->loaded_halves, 8), "load_halves");
  CHECK(same_floats(a->joined, b->joined, 8), "join");
  CHECK(same_floats(a->sum_upward, b->sum_upward, 8), "add_upward");
  CHECK(same_floats(a->difference_downward, b->difference_downward, 8), "sub_downward");
  CHECK(same_floats(a->columns[0], b->columns[0], 32), "transpose_halves");
#undef CHECK
  return NULL;
}

/* Fused or not. */
static bool may_be_products(const lanes_input *in, const lanes_output *expected,
                            const lanes_output *got) {
  for (int i = 0; i < 8; i++) {
    float fused = fmaf(in->a[i], in->near[i], -in->far[i]);
    if (!same_floats(&got->product_less[i], &expected->product_less[i], 1) &&
        !same_floats(&got->product_less[i], &fused, 1)) {
      return false;
    }
  }
  return true;
}

static bool sets_do_what_is_said(void) {
  static void (*const runs[MO_ISA_COUNT])(const lanes_input *, lanes_output *) =
      MO_ISA_TABLE(lanes_run);
  rng r = rng_make(rng_seed("math/lanes/operations", 31));
  uint64_t rounds = rng_few_rounds(200000, 20000000), equal = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    lanes_input in;
    lanes_output expected, got;
    make_input(&r, &in);
    expect(&in, &expected);
    equal += expected.le != expected.lt;
    for (int isa = MO_ISA_SCALAR; isa < MO_ISA_COUNT; isa++) {
      mo_isa resolved;
      if (mo_isa_resolve((mo_isa)isa, &resolved) != MO_OK) {
        continue;
      }
      memset(&got, 0xa5, sizeof got);
      runs[isa](&in, &got);
      const char *what = difference(&expected, &got);
      if (what == NULL && !may_be_products(&in, &expected, &got)) {
        what = "mul_sub_fast";
      }
      if (what != NULL) {
        printf("round %llu, %s: %s\n", (unsigned long long)round, mo_isa_name(resolved), what);
        return false;
      }
    }
  }
  if (equal < rounds / 4) {
    printf("the numbers are not such that equality matters\n");
    return false;
  }
  return true;
}

/* The chosen lanes first, the others after them, both ascending. */
static bool orders_of_compression_are_right(void) {
  for (uint32_t lanes = 0; lanes < 256; lanes++) {
    uint32_t order = mo_compress_permutations[lanes];
    int place = 0;
    for (uint32_t lane = 0; lane < 16; lane++) {
      bool first_half = lane < 8;
      if ((lanes >> (lane & 7) & 1) == first_half) {
        if ((order >> (4 * place) & 15) != (lane & 7)) {
          printf("order %u is wrong\n", lanes);
          return false;
        }
        place++;
      }
    }
  }
  return true;
}

int main(void) {
  bool ok = sets_do_what_is_said();
  ok &= orders_of_compression_are_right();
  return ok ? 0 : 1;
}
