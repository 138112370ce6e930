/* Convex solids: support points and bounds, and sums that know their error. */
#include <criterion/criterion.h>
#include <float.h>

#include "geometry/solid/bounds.h"
#include "oracle/solids.h"

Test(sum, exact_sums_are_exact) {
  mo_sum sum = {0};
  mo_sum_add(&sum, 1.0);
  mo_sum_add(&sum, 0.25);
  mo_sum_add(&sum, -3.0);
  cr_assert(sum.value == -1.75 && sum.error == 0.0);
  mo_sum4 four = {.value = mo_d4_splat(1.0)};
  mo_sum4_add(&four, (mo_d4){0.25, -3.0, 0x1p-53, 0.0});
  cr_assert(four.value[1] == -2.0 && four.bound[1] == 0.0 && four.bound[2] == 0x1p-53);
  mo_f4 upper = mo_d4_round_up_beyond(four.value, four.bound);
  cr_assert(upper[0] == 1.25f && upper[1] == -2.0f && upper[2] == nextafterf(1.0f, 2.0f));
}

Test(sum, rounding_is_known) {
  mo_sum sum = {0};
  mo_sum_add(&sum, 1.0);
  mo_sum_add(&sum, 1e-30);
  cr_assert(sum.value == 1.0 && sum.error == 1e-30);
  cr_assert(mo_d4_round_up_beyond(mo_d4_splat(sum.value), mo_d4_splat(sum.error))[0] > 1.0f);
  mo_sum_add(&sum, -1.0);
  cr_assert(sum.value == 0.0 && sum.error == 1e-30, "what cancels leaves the error");
}

Test(convex, bounds_known_answers) {
  mo_transform move = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {10, 20, 30}};
  mo_convex convex = convex_sphere((mo_sphere){{1, 2, 3}, 0.5f}, &move);
  mo_aabb b = mo_convex_bounds(&convex);
  cr_assert(b.lower.x == 10.5f && b.upper.x == 11.5f && b.lower.z == 32.5f && b.upper.y == 22.5f);
  convex = convex_box(mo_vec(0, 0, 0), mo_vec(1, 2, 3), &move);
  b = mo_convex_bounds(&convex);
  cr_assert(b.lower.x == 9 && b.upper.x == 11 && b.lower.y == 18 && b.upper.z == 33);
  convex = convex_capsule(mo_vec(-1, 0, 0), mo_vec(1, 2, 0), 0.5f, &move);
  b = mo_convex_bounds(&convex);
  cr_assert(b.lower.x == 8.5f && b.upper.x == 11.5f && b.lower.y == 19.5f && b.upper.y == 22.5f &&
            b.lower.z == 29.5f);
  solid cone = {.kind = MO_SOLID_CONE, .a = {0, 0, 4}, .b = {0, 0, 1}, .radius = 2};
  convex = solid_convex(&cone, &move);
  b = mo_convex_bounds(&convex);
  cr_assert(b.lower.x == 8 && b.upper.x == 12 && b.lower.z == 31 && b.upper.z == 34);
  cone.rounding = 0.5f;
  convex = solid_convex(&cone, &move);
  b = mo_convex_bounds(&convex);
  cr_assert(b.lower.y == 17.5f && b.upper.y == 22.5f && b.lower.z == 30.5f && b.upper.z == 34.5f);
  /* Mirrored, stretched and turned by a quarter. */
  mo_transform map = {{0, -2, 0}, {3, 0, 0}, {0, 0, 0}, {0, 0, 5}};
  convex = convex_box(mo_vec(1, 1, 1), mo_vec(1, 2, 3), &map);
  b = mo_convex_bounds(&convex);
  cr_assert(b.lower.x == -3 && b.upper.x == 9 && b.lower.y == -4 && b.upper.y == 0 &&
            b.lower.z == 5 && b.upper.z == 5);
}

/* The ball of radius 1 under a shear: its width is the norm of a row. */
Test(convex, bounds_of_a_sheared_ball) {
  mo_transform map = {{3, 0, 0}, {4, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  mo_convex convex = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &map);
  mo_aabb b = mo_convex_bounds(&convex);
  cr_assert(b.upper.x >= 5 && b.upper.x <= nextafterf(5, 6) && b.upper.y == 1);
}

Test(convex, bounds_contain_and_are_tight) {
  rng r = rng_make(rng_seed("convex bounds", 41));
  uint64_t rounds = rng_rounds(20000, 1000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
    mo_transform map = rng_transform(&r, kind, 2);
    solid s = random_solid(&r);
    mo_convex convex = solid_convex(&s, &map);
    mo_aabb b = mo_convex_bounds(&convex);
    const mo_body body = mo_body_of_convex(&convex);
    const mo_aabb loose = mo_body_loose_bounds(&body);
    for (int axis = 0; axis < 3; ++axis) {
      ldvec n = {axis == 0, axis == 1, axis == 2};
      ldouble center = ld_dot(n, ld_add(ld(convex.origin), center_of(&convex)));
      ldouble above = reach_from_center(&convex, n),
              below = reach_from_center(&convex, ld_scale(-1, n));
      float lower = mo_get(b.lower, axis), upper = mo_get(b.upper, axis);
      const char *name = rng_transform_kind_name(kind);
      cr_assert(lower <= center - below * (1 - 1e-18L) && upper >= center + above * (1 - 1e-18L),
                "%s, round %llu", name, (unsigned long long)i);
      cr_assert(mo_get(loose.lower, axis) <= center - below * (1 - 1e-18L) &&
                    mo_get(loose.upper, axis) >= center + above * (1 - 1e-18L),
                "loose bounds, %s, round %llu", name, (unsigned long long)i);
      /* The next floats inward are inside, but for the last bits of double. */
      ldouble last_bits =
          1e-14L * (fabsl(center) + above + below + fabsl(ld_dot(n, ld(convex.origin))));
      cr_assert(nextafterf(lower, INFINITY) >= center - below - last_bits &&
                    nextafterf(upper, -INFINITY) <= center + above + last_bits,
                "%s, round %llu", name, (unsigned long long)i);
    }
  }
}

Test(convex, support_is_farthest) {
  rng r = rng_make(rng_seed("convex support", 42));
  uint64_t rounds = rng_rounds(20000, 1000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
    mo_transform map = rng_transform(&r, kind, 0);
    solid s = random_solid(&r);
    mo_convex convex = solid_convex(&s, &map);
    convex.origin = mo_dvec(0, 0, 0);
    mo_dvec3 d = mo_dscale(pow(10, rng_float(&r, -100, 100)), mo_widen(rng_direction(&r)));
    ldvec p = ld(mo_convex_support(&convex, d));
    ldouble length = sqrtl(ld_dot(ld(d), ld(d)));
    ldvec n = ld_scale(1 / length, ld(d));
    ldouble expected = ld_dot(n, center_of(&convex)) + reach_from_center(&convex, n);
    double size = size_of(&convex) + (double)ld_norm(center_of(&convex));
    cr_assert(fabsl(ld_dot(n, p) - expected) <= 1e-14L * size, "%s, round %llu",
              rng_transform_kind_name(kind), (unsigned long long)i);
    /* It is a point of the solid: no direction has it beyond the width. */
    for (int k = 0; k < 4; ++k) {
      ldvec m = ld_float(rng_direction(&r));
      cr_assert(ld_dot(m, ld_sub(p, center_of(&convex))) <=
                    reach_from_center(&convex, m) + 1e-14L * size,
                "%s, round %llu", rng_transform_kind_name(kind), (unsigned long long)i);
    }
  }
}

/* Along the axis, all points of an end are as far, and nothing is farther. */
Test(convex, support_of_cylinders_along_their_axis) {
  rng r = rng_make(346);
  for (int i = 0; i < 1000; i++) {
    solid s = {.kind = MO_SOLID_CYLINDER, .radius = 1};
    s.a = rng_vec3(&r, -1, 1);
    s.b = rng_vec3(&r, -1, 1);
    const mo_dvec3 axis = mo_dsub(mo_widen(s.b), mo_widen(s.a));
    const mo_transform map = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    const mo_convex convex = solid_convex(&s, &map);
    const mo_dvec3 point = mo_convex_support(&convex, axis);
    const double beyond = mo_ddot(axis, mo_dsub(point, mo_widen(s.b)));
    cr_assert_float_eq(beyond, 0.0, 1e-12, "round %d: %g beyond", i, beyond);
  }
}

Test(convex, support_along_zero) {
  mo_transform map = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 2, 3}};
  mo_convex convex = convex_sphere((mo_sphere){{1, 1, 1}, 1}, &map);
  mo_dvec3 p = mo_convex_support(&convex, mo_dvec(0, 1, 0));
  cr_assert(p.x == 1 && p.y == 2 && p.z == 3);
  p = mo_convex_support(&convex, mo_dvec(0, 0, 0));
  cr_assert(p.x == 1 && p.y == 2 && p.z == 3);
}

Test(convex, aabb_keeps_a_center_that_is_no_float) {
  mo_aabb box = {{-1, nextafterf(1, 2), 0}, {16777216, 2, 0}};
  mo_convex convex = mo_convex_aabb(box);
  mo_aabb b = mo_convex_bounds(&convex);
  cr_assert(mo_aabb_contains(b, box) && mo_aabb_contains(box, b));
}
