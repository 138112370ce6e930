/* Affine maps: which have an inverse, how good it is, normals. */
#include "math/affine.h"

#include <criterion/criterion.h>
#include <float.h>
#include <string.h>

#include "math/affine_four.h"
#include "support/rng.h"

static mo_affine make(mo_transform t) {
  mo_affine affine;
  cr_assert_eq(mo_affine_init(&affine, &t), MO_OK);
  return affine;
}

static mo_transform diagonal(float x, float y, float z) {
  return (mo_transform){{x, 0, 0}, {0, y, 0}, {0, 0, z}, {0, 0, 0}};
}

Test(affine, refuses_what_is_not_finite_or_in_range) {
  float *number[12];
  mo_transform t = mo_transform_identity();
  for (int i = 0; i < 12; i++) {
    number[i] = (float *)&t + i;
  }
  for (int i = 0; i < 12; i++) {
    mo_affine affine = {.invertible = true, .inverse = {{7, 7, 7}}};
    t = mo_transform_identity();
    *number[i] = NAN;
    cr_assert_eq(mo_affine_init(&affine, &t), MO_ERROR_NOT_FINITE);
    *number[i] = INFINITY;
    cr_assert_eq(mo_affine_init(&affine, &t), MO_ERROR_NOT_FINITE);
    *number[i] = -nextafterf(MO_MAX_COORDINATE, INFINITY);
    cr_assert_eq(mo_affine_init(&affine, &t), MO_ERROR_OUT_OF_RANGE);
    cr_assert_eq(affine.inverse[0][0], 7, "a failed call writes nothing");
    *number[i] = MO_MAX_COORDINATE;
    cr_assert_eq(mo_affine_init(&affine, &t), MO_OK);
  }
}

Test(affine, scales_of_all_magnitudes_are_invertible) {
  static const float scales[] = {1e-38f, 1e-30f, 1e-6f, 1, 1e6f, 1e30f};
  enum { N = sizeof scales / sizeof scales[0] };
  for (int i = 0; i < N * N * N; i++) {
    mo_vec3 s = {scales[i % N], -scales[i / N % N], scales[i / N / N]};
    mo_affine affine = make(diagonal(s.x, s.y, s.z));
    cr_assert(affine.invertible, "%g %g %g", (double)s.x, (double)s.y, (double)s.z);
    mo_vec3 p = mo_affine_point_to_local(&affine, s);
    cr_assert(p.x == 1 && p.y == 1 && p.z == 1);
    cr_assert_eq(affine.inverse[0][0], (float)(1 / (double)s.x));
  }
}

Test(affine, an_inverse_out_of_range_counts_as_none) {
  cr_assert(!make(diagonal(1e-40f, 1, 1)).invertible);
  cr_assert(!make(diagonal(FLT_TRUE_MIN, FLT_TRUE_MIN, FLT_TRUE_MIN)).invertible);
}

Test(affine, kinds) {
  rng r = rng_make(rng_seed("affine kinds", 5));
  for (int i = 0; i < 20000; i++) {
    rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
    mo_affine affine = make(rng_transform(&r, kind, 100));
    bool singular = kind == RNG_FLAT || kind == RNG_LINE || kind == RNG_POINT || kind == RNG_SLIVER;
    if (kind != RNG_SHEAR) {
      cr_assert_eq(affine.invertible, !singular, "%s", rng_transform_kind_name(kind));
    }
    if (!affine.invertible) {
      for (int k = 0; k < 3; k++) {
        mo_vec3 row = {affine.inverse[0][k], affine.inverse[1][k], affine.inverse[2][k]};
        cr_assert(row.x == 0 && row.y == 0 && row.z == 0);
      }
    }
  }
}

/* Bulk changes invert four maps at a time, others one. */
Test(affine, one_inverse_has_the_bits_of_four) {
  rng r = rng_make(rng_seed("one inverse and four", 6));
  for (int i = 0; i < 20000; i++) {
    mo_affine one[4], four[4], *all[4];
    for (int k = 0; k < 4; k++) {
      rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
      mo_transform t = rng_transform(&r, kind, 100);
      t.x_axis = mo_scale(exp2f(rng_float(&r, -60, 60)), t.x_axis);
      t.y_axis = mo_scale(exp2f(rng_float(&r, -60, 60)), t.y_axis);
      memset(&one[k], 0, sizeof one[k]);
      memset(&four[k], 0, sizeof four[k]);
      one[k].to_world = four[k].to_world = t;
      all[k] = &four[k];
      mo_affine_set_inverse(&one[k]);
    }
    mo_affine_set_inverses4(all);
    cr_assert_eq(memcmp(one, four, sizeof one), 0);
  }
}

/* A matrix whose columns nearly lie in a plane, at any scale per column. */
static mo_transform lean(rng *r, float height) {
  mo_vec3 a = rng_direction(r), b = rng_direction(r), n = rng_direction(r);
  mo_vec3 c = mo_add(mo_add(a, b), mo_scale(height, n));
  float sa = exp2f(rng_float(r, -90, 90)), sb = exp2f(rng_float(r, -90, 90)),
        sc = exp2f(rng_float(r, -90, 90));
  return (mo_transform){mo_scale(sa, a), mo_scale(sb, b), mo_scale(sc, c), rng_vec3(r, -1, 1)};
}

static long double dot_l(const long double a[3], const long double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The amplification by the definition in math/affine.h, in extended precision. */
static long double amplification(const mo_transform *t) {
  const mo_vec3 *axes[3] = {&t->x_axis, &t->y_axis, &t->z_axis};
  long double c[3][3], m[3][3];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      c[i][k] = mo_get(*axes[i], k);
    }
  }
  for (int i = 0; i < 3; i++) {
    const long double *a = c[(i + 1) % 3], *b = c[(i + 2) % 3];
    m[i][0] = a[1] * b[2] - a[2] * b[1];
    m[i][1] = a[2] * b[0] - a[0] * b[2];
    m[i][2] = a[0] * b[1] - a[1] * b[0];
  }
  long double determinant = dot_l(c[0], m[0]);
  long double sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += sqrtl(dot_l(c[i], c[i]) * dot_l(m[i], m[i])) / fabsl(determinant);
  }
  return sum;
}

Test(affine, invertible_means_below_the_amplification_limit) {
  rng r = rng_make(rng_seed("amplification", 6));
  int yes = 0, no = 0;
  for (int i = 0; i < 20000; i++) {
    mo_transform t = lean(&r, exp2f(rng_float(&r, rng_chance(&r, 0.5) ? -30 : -2, 2)));
    long double kappa = amplification(&t);
    if (fabsl(kappa - 8) < 1e-6L) {
      continue;
    }
    bool invertible = make(t).invertible;
    cr_assert_eq(invertible, kappa < 8, "amplification %Lg", kappa);
    yes += invertible;
    no += !invertible;
  }
  cr_assert(yes > 1000 && no > 1000, "%d %d", yes, no);
}

Test(affine, exactly_singular_maps_are_never_invertible) {
  rng r = rng_make(rng_seed("singular", 7));
  for (int i = 0; i < 20000; i++) {
    /* Small integers: the third column is an exact combination of the others. */
    mo_vec3 a = {(float)rng_below(&r, 200) - 100, (float)rng_below(&r, 200) - 100,
                 (float)rng_below(&r, 200) - 100};
    mo_vec3 b = {(float)rng_below(&r, 200) - 100, (float)rng_below(&r, 200) - 100,
                 (float)rng_below(&r, 200) - 100};
    mo_vec3 c = mo_add(mo_scale((float)rng_below(&r, 9), a), mo_scale((float)rng_below(&r, 9), b));
    float s = exp2f((float)rng_below(&r, 120) - 60);
    cr_assert(!make((mo_transform){mo_scale(s, a), b, mo_scale(1 / s, c), {0, 0, 0}}).invertible);
  }
}

Test(affine, there_and_back) {
  rng r = rng_make(rng_seed("there and back", 8));
  for (int i = 0; i < 50000; i++) {
    rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
    mo_affine affine = make(rng_transform(&r, kind, kind == RNG_TINY ? 0 : 10));
    if (!affine.invertible) {
      continue;
    }
    mo_vec3 p = rng_vec3(&r, -1, 1);
    mo_vec3 w = mo_affine_point_to_world_float(&affine, p);
    mo_vec3 back = mo_affine_point_to_local(&affine, w);
    mo_vec3 reach = mo_aabb_max_coordinates((mo_aabb){w, w});
    for (int k = 0; k < 3; k++) {
      mo_vec3 row = {affine.inverse[0][k], affine.inverse[1][k], affine.inverse[2][k]};
      /* Half a unit in the last place of the world point, and a relative error of 2^-24 in each of
       * the two maps. */
      double bound = 0x1p-24 * ((double)fabsf(row.x) * (double)reach.x +
                                (double)fabsf(row.y) * (double)reach.y +
                                (double)fabsf(row.z) * (double)reach.z) +
                     0x1p-20;
      cr_assert(fabs((double)mo_get(back, k) - (double)mo_get(p, k)) <= bound, "%s",
                rng_transform_kind_name(kind));
    }
  }
}

Test(affine, directions_ignore_the_origin) {
  rng r = rng_make(rng_seed("directions", 9));
  mo_transform t = rng_transform(&r, RNG_NONUNIFORM_SCALE, 10);
  mo_affine here = make(t);
  t.origin = mo_vec(1e6f, -1e6f, 1e6f);
  mo_affine there = make(t);
  mo_vec3 d = rng_direction(&r);
  mo_vec3 a = mo_affine_direction_to_local(&here, d), b = mo_affine_direction_to_local(&there, d);
  cr_assert(a.x == b.x && a.y == b.y && a.z == b.z);
}

/* The normal of the image of a triangle, by its corners in the world. */
static mo_dvec3 world_normal(const mo_affine *affine, const mo_vec3 corners[3]) {
  mo_dvec3 w[3];
  for (int i = 0; i < 3; i++) {
    w[i] = mo_affine_point_to_world(affine, corners[i]);
  }
  return mo_dcross(mo_dsub(w[1], w[0]), mo_dsub(w[2], w[0]));
}

Test(affine, normals_go_by_the_inverse_transpose) {
  rng r = rng_make(rng_seed("normals", 10));
  for (int i = 0; i < 20000; i++) {
    rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
    mo_affine affine = make(rng_transform(&r, kind, 1));
    if (!affine.invertible || kind == RNG_FAR) {
      continue;
    }
    mo_vec3 corners[3] = {rng_vec3(&r, -1, 1), rng_vec3(&r, -1, 1), rng_vec3(&r, -1, 1)};
    mo_dvec3 local = mo_dcross(mo_dsub(mo_widen(corners[1]), mo_widen(corners[0])),
                               mo_dsub(mo_widen(corners[2]), mo_widen(corners[0])));
    mo_dvec3 n = mo_widen(mo_affine_normal_to_world(&affine, local));
    cr_assert_float_eq(mo_ddot(n, n), 1, 1e-6);
    mo_dvec3 expected = world_normal(&affine, corners);
    double cosine = mo_ddot(n, expected) / sqrt(mo_ddot(expected, expected));
    /* Mirroring turns the winding of the image around, not the normal's side. */
    double sign = kind == RNG_MIRROR ? -1 : 1;
    cr_assert_float_eq(cosine, sign, 1e-5, "%s: %g", rng_transform_kind_name(kind), cosine);
  }
}

Test(affine, normals_of_all_magnitudes) {
  static const double sizes[] = {1e-90, 1e-30, 1, 1e30, 1e61};
  mo_affine affine = make(diagonal(1e-30f, 1e-30f, -1e-30f));
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    mo_vec3 n = mo_affine_normal_to_world(&affine, mo_dvec(0, 0, sizes[i]));
    cr_assert(n.x == 0 && n.y == 0 && n.z == -1);
  }
  mo_vec3 zero = mo_affine_normal_to_world(&affine, mo_dvec(0, 0, 0));
  cr_assert(zero.x == 0 && zero.y == 0 && zero.z == 0);
}

Test(affine, mirrors) {
  cr_assert(!mo_affine_mirrors(&(mo_affine){.to_world = diagonal(1, 2, 3)}));
  cr_assert(mo_affine_mirrors(&(mo_affine){.to_world = diagonal(1, -2, 3)}));
  cr_assert(!mo_affine_mirrors(&(mo_affine){.to_world = diagonal(-1, -2, 3)}));
  cr_assert(mo_affine_mirrors(&(mo_affine){.to_world = diagonal(-1e-30f, 1e-30f, 1e-30f)}));
  cr_assert(mo_affine_mirrors(&(mo_affine){.to_world = diagonal(-1e30f, 1e30f, 1e30f)}));
  cr_assert(!mo_affine_mirrors(&(mo_affine){.to_world = diagonal(1, 0, -1)}));
}

Test(affine, rays_keep_their_parameter) {
  rng r = rng_make(rng_seed("rays", 12));
  for (int i = 0; i < 20000; i++) {
    rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
    mo_affine affine = make(rng_transform(&r, kind, 10));
    if (kind == RNG_TINY || kind == RNG_HUGE || kind == RNG_FAR) {
      continue;
    }
    mo_vec3 origin = rng_vec3(&r, -20, 20), direction = rng_direction(&r);
    mo_vec3 o = origin, d = direction, weights = {0};
    cr_assert_eq(mo_affine_ray_to_local(&affine, &o, &d, &weights), affine.invertible);
    if (!affine.invertible) {
      cr_assert(o.x == origin.x && d.x == direction.x, "a refused ray stays as it was");
      continue;
    }
    float t = rng_float(&r, 0, 10);
    mo_dvec3 world = mo_affine_point_to_world(&affine, mo_add(o, mo_scale(t, d)));
    mo_dvec3 expected = mo_dadd(mo_widen(origin), mo_dscale((double)t, mo_widen(direction)));
    mo_dvec3 gap = mo_dsub(world, expected);
    cr_assert_leq(sqrt(mo_ddot(gap, gap)), 1e-4, "%s", rng_transform_kind_name(kind));
    cr_assert(weights.x > 0 && weights.y > 0 && weights.z > 0);
  }
}

Test(affine, rays_out_of_range_in_local_space_stay_in_the_world) {
  mo_affine tiny = make(diagonal(1e-30f, 1e-30f, 1e-30f));
  mo_vec3 o = {1000, 0, 0}, d = {1, 0, 0}, weights;
  cr_assert(!mo_affine_ray_to_local(&tiny, &o, &d, &weights), "the local origin is at 1e33");
  mo_affine huge = make(diagonal(1e30f, 1e30f, 1e30f));
  o = mo_vec(0, 0, 0);
  d = mo_vec(1e-20f, 0, 0);
  cr_assert(!mo_affine_ray_to_local(&huge, &o, &d, &weights), "the local direction vanishes");
}
