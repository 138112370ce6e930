/* Which triangles are degenerate, against exact integers; and that rays do not hit these. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "geometry/ray/triangle.h"
#include "geometry/triangle/degenerate.h"
#include "oracle/exact.h"
#include "support/rng.h"

/* In double, the last triangle but one has a normal that is not zero, and the last one a normal
 * that is zero. */
Test(degenerate, known) {
  static const struct {
    mo_vec3 corners[3];
    bool degenerate;
  } cases[] = {
      {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, true},
      {{{1, 2, 3}, {1, 2, 3}, {4, 5, 7}}, true},
      {{{1, 2, 3}, {2, 4, 6}, {3, 6, 9}}, true},
      {{{1, 2, 3}, {2, 4, 6}, {3, 6, 9.000001f}}, false},
      {{{0, 0, 0}, {1, 0, 0}, {0, FLT_TRUE_MIN, 0}}, false},
      {{{0, 0, 0}, {FLT_TRUE_MIN, 0, 0}, {0, 0, FLT_TRUE_MIN}}, false},
      {{{-FLT_TRUE_MIN, 0, 0}, {FLT_TRUE_MIN, 0, 0}, {1e30f, 0, 0}}, true},
      {{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, {1e-30f, 1e-30f, 1e-30f}}, true},
      {{{FLT_MAX, 0, FLT_MAX}, {-FLT_MAX, 0, -FLT_MAX}, {1, 0, 1}}, true},
      {{{NAN, 0, 0}, {0, 1, 0}, {0, 2, 0}}, false},
      {{{0, 0, 0}, {INFINITY, 0, 0}, {1, 0, 0}}, false},
      {{{0x1p60f, 0x1p60f, 0}, {1, 1, 0}, {-0x1.8p-20f, -0x1.8p-20f, 0}}, true},
      {{{0x1p60f, 0x1p60f, 0}, {0, 0x1p-3f, 0}, {0x1p-3f, 0x1p-2f, 0}}, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_assert_eq(mo_triangle_is_degenerate(cases[i].corners), cases[i].degenerate, "case %zu", i);
    cr_assert_eq(exact_is_degenerate(cases[i].corners), cases[i].degenerate, "case %zu", i);
  }
}

static float any_float(rng *r) {
  union {
    uint32_t bits;
    float value;
  } f = {.bits = (uint32_t)rng_u64(r)};
  return isfinite(f.value) ? f.value : 0.0f;
}

/* A whole number of a few bits, and where it may be exact, of more. */
static float few_bits(rng *r, uint32_t bits) {
  return (float)((int)rng_below(r, 2u << bits) - (1 << bits));
}

/* On a line exactly, as no coordinate is rounded; then perhaps moved by a last bit or so. */
static void near_line(rng *r, mo_vec3 c[3]) {
  float p[3], d[3], along[3], scale = ldexpf(1.0f, (int)rng_below(r, 200) - 120);
  uint32_t bits = 1 + rng_below(r, 9);
  for (int i = 0; i < 3; i++) {
    p[i] = few_bits(r, 20);
    d[i] = few_bits(r, bits);
    along[i] = few_bits(r, 10);
  }
  for (int i = 0; i < 3; i++) {
    c[i] = mo_scale(scale,
                    mo_vec(p[0] + along[i] * d[0], p[1] + along[i] * d[1], p[2] + along[i] * d[2]));
  }
  if (rng_below(r, 2)) {
    uint32_t i = rng_below(r, 9);
    float *x = &(&c[i / 3].x)[i % 3];
    *x = nextafterf(*x, rng_below(r, 2) ? INFINITY : -INFINITY);
  }
}

/* A line through the origin, corners of any magnitudes: differences are not doubles. */
static void across_scales(rng *r, mo_vec3 c[3]) {
  mo_vec3 d = {few_bits(r, 8), few_bits(r, 8), few_bits(r, 8)};
  for (int i = 0; i < 3; i++) {
    float scale = ldexpf(few_bits(r, 12), (int)rng_below(r, 220) - 130);
    c[i] = mo_scale(scale, d);
  }
  if (rng_below(r, 2)) {
    uint32_t i = rng_below(r, 9);
    float *x = &(&c[i / 3].x)[i % 3];
    *x = nextafterf(*x, rng_below(r, 2) ? INFINITY : -INFINITY);
  }
}

Test(degenerate, as_exact_integers) {
  rng r = rng_make(rng_seed("degenerate/exact", 41));
  uint32_t degenerate = 0, not_by_double = 0;
  const uint64_t rounds = rng_rounds(300000, 100000000);
  for (uint64_t i = 0; i < rounds; i++) {
    mo_vec3 c[3];
    switch (i % 4) {
    case 0:
      for (int j = 0; j < 9; j++) {
        (&c[j / 3].x)[j % 3] = any_float(&r);
      }
      break;
    case 1:
      across_scales(&r, c);
      break;
    default:
      near_line(&r, c);
      break;
    }
    bool expected = exact_is_degenerate(c);
    mo_dvec3 n = mo_triangle_cross(c);
    degenerate += expected;
    not_by_double += expected != (n.x == 0 && n.y == 0 && n.z == 0);
    cr_assert_eq(mo_triangle_is_degenerate(c), expected, "{%a, %a, %a}, {%a, %a, %a}, {%a, %a, %a}",
                 (double)c[0].x, (double)c[0].y, (double)c[0].z, (double)c[1].x, (double)c[1].y,
                 (double)c[1].z, (double)c[2].x, (double)c[2].y, (double)c[2].z);
  }
  cr_assert(degenerate > rounds / 5 && degenerate < rounds / 2, "%u", degenerate);
  cr_assert(not_by_double > 100, "double does: the test is too easy (%u)", not_by_double);
}

Test(degenerate, lanes) {
  rng r = rng_make(rng_seed("degenerate/lanes", 42));
  for (int i = 0; i < 1000; i++) {
    float corner[3][3][8];
    uint32_t expected = 0, lanes = rng_below(&r, 256);
    for (int lane = 0; lane < 8; lane++) {
      mo_vec3 c[3];
      near_line(&r, c);
      expected |= (uint32_t)exact_is_degenerate(c) << lane;
      for (int j = 0; j < 9; j++) {
        corner[j / 3][j % 3][lane] = (&c[j / 3].x)[j % 3];
      }
    }
    cr_assert_eq(mo_degenerate_lanes((const float(*)[3][8])corner, lanes), expected & lanes);
  }
}

/* Segments far from the origin: moved to the ray they are triangles now and then. */
Test(degenerate, rays_miss) {
  rng r = rng_make(rng_seed("degenerate/rays", 43));
  uint32_t by_rounding = 0;
  for (int i = 0; i < 20000; i++) {
    mo_vec3 d = mo_scale(0.0625f, mo_vec(few_bits(&r, 4), few_bits(&r, 4), few_bits(&r, 4)));
    mo_vec3 a = {1e6f, -9e5f, 8e5f}, c[3] = {a, mo_add(a, d), mo_add(a, mo_scale(2, d))};
    mo_vec3 origin = mo_add(a, rng_vec3(&r, -4, 4));
    mo_vec3 direction = mo_sub(c[1], origin), reach = {1e6f, 1e6f, 1e6f}, weights = {1, 1, 1};
    if (direction.x == 0 && direction.y == 0 && direction.z == 0) {
      continue;
    }
    mo_ray ray;
    mo_triangle_hit hit;
    mo_ray_init(&ray, &origin, &direction, 0, &weights, &reach, MO_RAY_MARGIN);
    by_rounding += mo_ray_test_nondegenerate_triangle(&ray, c, INFINITY, MO_CULL_NONE, &hit);
    cr_assert_not(mo_ray_test_triangle(&ray, c, INFINITY, MO_CULL_NONE, &hit));
  }
  cr_assert(by_rounding > 500, "nothing would be hit anyway (%u)", by_rounding);
}
