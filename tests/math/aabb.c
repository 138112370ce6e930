/* Directed rounding and box measures. */
#include "math/aabb.h"

#include <criterion/criterion.h>
#include <float.h>

#include "support/rng.h"

/* The defining properties: on the right side, and nothing closer is. */
static void check_rounding(double x) {
  float up = mo_round_up(x);
  float down = mo_round_down(x);
  cr_assert((double)up >= x, "%a up to %a", x, (double)up);
  cr_assert((double)down <= x, "%a down to %a", x, (double)down);
  cr_assert(!((double)nextafterf(up, -INFINITY) >= x), "%a up to %a: not the nearest", x,
            (double)up);
  cr_assert(!((double)nextafterf(down, INFINITY) <= x), "%a down to %a: not the nearest", x,
            (double)down);
}

Test(aabb, rounding_at_special_values) {
  static const double values[] = {
      0x1p-149, 0x1p-150, 0x1.8p-149, 1e-300, 0x1p-126, 0x1.fffffffp-127, 1,
      1 + 1e-9, 1 - 1e-9, 0x1p24 + 1, 1e30,   FLT_MAX,  0x1.ffffffp127,   1e39,
      1e300,
  };
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    check_rounding(values[i]);
    check_rounding(-values[i]);
  }
  cr_assert_eq(mo_round_up(0.0), 0);
  cr_assert_eq(mo_round_down(0.0), 0);
  cr_assert_eq(mo_round_up((double)INFINITY), INFINITY);
  cr_assert_eq(mo_round_down((double)INFINITY), INFINITY);
  cr_assert_eq(mo_round_up(-(double)INFINITY), -INFINITY);
  cr_assert(isnan(mo_round_up((double)NAN)));
  cr_assert(isnan(mo_round_down((double)NAN)));
}

Test(aabb, floats_round_to_themselves) {
  rng r = rng_make(rng_seed("floats round to themselves", 1));
  for (int i = 0; i < 100000; i++) {
    float x = ldexpf(rng_float(&r, -1, 1), (int)rng_below(&r, 270) - 145);
    cr_assert_eq(mo_round_up((double)x), x);
    cr_assert_eq(mo_round_down((double)x), x);
  }
}

Test(aabb, rounding_of_random_doubles) {
  rng r = rng_make(rng_seed("rounding of random doubles", 2));
  for (int i = 0; i < 100000; i++) {
    double mantissa = (double)(int64_t)rng_u64(&r);
    check_rounding(ldexp(mantissa, (int)rng_below(&r, 300) - 63 - 160));
  }
}

Test(aabb, half_area) {
  cr_assert_eq(mo_aabb_half_area((mo_aabb){{0, 0, 0}, {1, 2, 3}}), 11.0);
  cr_assert_eq(mo_aabb_half_area((mo_aabb){{1, 1, 1}, {1, 1, 1}}), 0.0);
  cr_assert_eq(mo_aabb_half_area((mo_aabb){{0, 0, 0}, {0, 2, 3}}), 6.0);
  cr_assert_eq(mo_aabb_half_area(mo_aabb_empty()), 0.0);
  cr_assert_eq(mo_aabb_half_area((mo_aabb){{0, 0, 0}, {1, -1, 1}}), 0.0);
  cr_assert_float_eq(mo_aabb_half_area((mo_aabb){{-1e30f, -1e30f, -1e30f}, {1e30f, 1e30f, 1e30f}}),
                     1.2e61, 1e55);
}

Test(aabb, sets) {
  mo_aabb a = {{0, 0, 0}, {1, 1, 1}}, b = {{1, 1, 1}, {2, 3, 4}}, c = {{1.5f, 0, 0}, {2, 1, 1}};
  cr_assert(mo_aabb_overlap(a, b), "touching counts");
  cr_assert(!mo_aabb_overlap(a, c));
  cr_assert(!mo_aabb_overlap(a, mo_aabb_empty()));
  mo_aabb all = mo_aabb_union(a, b);
  cr_assert(mo_aabb_contains(all, a) && mo_aabb_contains(all, b) && !mo_aabb_contains(a, all));
  cr_assert(mo_aabb_contains(a, mo_aabb_empty()));
  cr_assert(mo_aabb_is_empty(mo_aabb_empty()));
  mo_aabb point = mo_aabb_add_point(mo_aabb_empty(), mo_vec(1, 2, 3));
  cr_assert(!mo_aabb_is_empty(point));
  cr_assert_eq(point.lower.z, 3);
  cr_assert_eq(point.upper.x, 1);
}
