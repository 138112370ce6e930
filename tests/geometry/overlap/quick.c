/* Quick answers about pairs of solids: where there is one, it is that of the iterative descent,
 * whose answers overlap.c and distance.c compare with known ones. One solid mostly is a ball or an
 * axis-aligned box. Pairs overlap by little, just touch, or are separated by little, near zero and
 * far away. */
#include <criterion/criterion.h>

#include "geometry/overlap/overlap.h"
#include "oracle/solids.h"

/* A ball under any map, or a box under one that maps axes to axes: mirrored, flat, of any size. */
static mo_convex axis_aligned_solid(rng *r) {
  solid s = random_solid(r);
  mo_transform map = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_FLAT), 2);
  if (rng_chance(r, 0.7)) {
    s.kind = MO_SOLID_BOX;
    float scale = rng_chance(r, 0.2) ? powf(10, rng_float(r, -6, 6)) : 1;
    map.x_axis = mo_vec(rng_chance(r, 0.05) ? 0 : scale * rng_float(r, -2, 2), 0, 0);
    map.y_axis = mo_vec(0, scale * rng_float(r, -2, 2), 0);
    map.z_axis = mo_vec(0, 0, rng_chance(r, 0.5) ? scale : scale * rng_float(r, -2, 2));
  } else {
    s.kind = MO_SOLID_SPHERE;
  }
  return solid_convex(&s, &map);
}

static mo_convex any_solid(rng *r) {
  mo_transform map = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_TRANSFORM_KINDS), 2);
  solid s = random_solid(r);
  return solid_convex(&s, &map);
}

/* Moves b: anywhere near a, or so that the farthest points along some direction are as far apart as
 * `distance`, and a little more or less. */
static void place(rng *r, const mo_convex *a, mo_convex *b, double distance, double size) {
  static const double littles[] = {0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-5, 1e-2};
  mo_vec3 direction = rng_direction(r);
  if (rng_chance(r, 0.3)) {
    uint32_t axis = rng_below(r, 3);
    float sign = rng_below(r, 2) ? 1 : -1;
    direction = mo_vec(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
  }
  mo_dvec3 n = mo_widen(direction);
  n = mo_dscale(1 / sqrt(mo_ddot(n, n)), n);
  if (rng_chance(r, 0.3)) {
    ldvec from = center_of(a), to = center_of(b);
    b->origin = mo_dadd(a->origin, mo_dvec((double)(from.x - to.x), (double)(from.y - to.y),
                                           (double)(from.z - to.z)));
    b->origin = mo_dadd(b->origin, mo_dscale((size + distance) * rng_float(r, 0, 0.5f), n));
    return;
  }
  double more = (rng_below(r, 2) ? 1 : -1) * littles[rng_below(r, 7)] * size;
  mo_dvec3 p = mo_convex_support(a, n), q = mo_convex_support(b, mo_dscale(-1, n));
  b->origin = mo_dadd(b->origin, mo_dadd(mo_dsub(p, q), mo_dscale(distance + more, n)));
}

Test(convex_quick, answers_as_the_descent) {
  rng r = rng_make(rng_seed("convex_quick", 57));
  uint64_t rounds = rng_rounds(60000, 5000000), counts[3] = {0}, typical[3] = {0};
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_convex a = any_solid(&r), b = axis_aligned_solid(&r);
    if (rng_chance(&r, 0.2)) {
      a = axis_aligned_solid(&r);
    } else if (rng_chance(&r, 0.5)) {
      b = any_solid(&r);
    }
    double size = size_of(&a) + size_of(&b);
    double distance = rng_chance(&r, 0.5) ? 0 : size * powf(10, rng_float(&r, -12, 0));
    place(&r, &a, &b, distance, size);
    if (rng_chance(&r, 0.3)) { /* far away, where the gap is known to the last bits only */
      mo_dvec3 far = mo_dscale(pow(10, rng_float(&r, 0, 9)), mo_widen(rng_direction(&r)));
      a.origin = mo_dadd(a.origin, far);
      b.origin = mo_dadd(b.origin, far);
    }
    const mo_body bodies[2] = {mo_body_of_convex(&a), mo_body_of_convex(&b)};
    bool expected = mo_bodies_within_by_gjk(&bodies[0], &bodies[1], distance);
    mo_quick_test_answer answers[2] = {mo_convex_quick_within(&a, &b, distance),
                                       mo_convex_quick_within(&b, &a, distance)};
    for (int k = 0; k < 2; ++k) {
      cr_assert(answers[k] == MO_QUICK_UNDECIDED || (answers[k] == MO_QUICK_YES) == expected,
                "round %llu: %d, %d", (unsigned long long)i, answers[k], expected);
      ++counts[answers[k]];
    }
  }
  cr_assert(counts[MO_QUICK_NO] > rounds / 10 && counts[MO_QUICK_YES] > rounds / 10);
  /* For solids under ordinary transforms the quick test rarely leaves the answer open. */
  for (uint64_t i = 0; i < rounds / 10; ++i) {
    mo_transform map = rng_transform(&r, rng_chance(&r, 0.5) ? RNG_RIGID : RNG_UNIFORM_SCALE, 2);
    solid s = random_solid(&r);
    mo_convex a = solid_convex(&s, &map);
    mo_vec3 lower = rng_vec3(&r, -4, 2);
    mo_convex b = mo_convex_aabb((mo_aabb){lower, mo_add(lower, rng_vec3(&r, 0, 3))});
    if (rng_chance(&r, 0.5)) {
      mo_transform own = rng_transform(&r, RNG_RIGID, 2);
      solid other = random_solid(&r);
      b = solid_convex(&other, &own);
    }
    ++typical[mo_convex_quick_within(&a, &b, 0)];
  }
  cr_assert(typical[MO_QUICK_UNDECIDED] < rounds / 10 / 20, "%llu of %llu in doubt",
            (unsigned long long)typical[MO_QUICK_UNDECIDED], (unsigned long long)(rounds / 10));
  cr_assert(typical[MO_QUICK_YES] > rounds / 10 / 20);
}

/* Corners of a triangle, of any shape and size, whose point with random weights is `at`. */
static void place_triangle(rng *r, mo_dvec3 at, double size, mo_dvec3 corners[3]) {
  double weights[3] = {rng_float(r, 0, 1), rng_float(r, 0, 1), rng_float(r, 0, 1)};
  for (int i = 0; i < 3; ++i) {
    const double scale = size * powf(10, rng_float(r, -3, 1));
    weights[i] = rng_chance(r, 0.2) ? 0 : weights[i]; /* on an edge or corner */
    corners[i] = mo_dscale(scale, mo_widen(rng_direction(r)));
  }
  if (rng_chance(r, 0.1)) {
    corners[1] = corners[0];
  }
  const double sum = weights[0] + weights[1] + weights[2];
  mo_dvec3 from = corners[0];
  for (int i = 0; i < 3 && sum > 0; ++i) {
    from = mo_dadd(i == 0 ? mo_dvec(0, 0, 0) : from, mo_dscale(weights[i] / sum, corners[i]));
  }
  for (int i = 0; i < 3; ++i) {
    corners[i] = mo_dadd(corners[i], mo_dsub(at, from));
  }
}

/* Triangles that pass a solid's surface by little, inside or outside, or cut it. */
Test(convex_quick, answers_about_triangles_as_the_descent) {
  static const double littles[] = {0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-5, 1e-2, 0.3};
  rng r = rng_make(rng_seed("convex_quick triangles", 59));
  const uint64_t rounds = rng_rounds(60000, 5000000);
  uint64_t counts[3] = {0};
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_convex a = rng_chance(&r, 0.3) ? axis_aligned_solid(&r) : any_solid(&r);
    if (rng_chance(&r, 0.2)) {
      a.origin = mo_dscale(pow(10, rng_float(&r, 0, 6)), mo_widen(rng_direction(&r)));
    }
    const double size = size_of(&a);
    const mo_dvec3 n = mo_dunit(mo_widen(rng_direction(&r))), surface = mo_convex_support(&a, n);
    const double more = (rng_below(&r, 2) ? 1 : -1) * littles[rng_below(&r, 8)] * size;
    mo_dvec3 corners[3];
    place_triangle(&r, mo_dadd(surface, mo_dscale(more, n)), size, corners);
    const mo_body bodies[2] = {mo_body_of_convex(&a), mo_body_of_triangle(corners)};
    const bool expected = mo_bodies_within_by_gjk(&bodies[0], &bodies[1], 0);
    const mo_quick_test_solid of_a = mo_quick_test_solid_of(&a),
                              of_b = mo_quick_test_solid_of_triangle(corners);
    const mo_quick_test_answer answer = mo_quick_within_by_gjk(&of_a, &of_b, 0);
    cr_assert(answer == MO_QUICK_UNDECIDED || (answer == MO_QUICK_YES) == expected,
              "round %llu: %d, %d", (unsigned long long)i, answer, expected);
    cr_assert_eq(mo_bodies_within(&bodies[0], &bodies[1], 0), expected);
    ++counts[answer];
  }
  cr_assert(counts[MO_QUICK_NO] > rounds / 10 && counts[MO_QUICK_YES] > rounds / 10,
            "%llu apart, %llu touch, %llu in doubt", (unsigned long long)counts[MO_QUICK_NO],
            (unsigned long long)counts[MO_QUICK_YES],
            (unsigned long long)counts[MO_QUICK_UNDECIDED]);
}

/* On a lattice boxes often touch exactly, and then do. */
Test(convex_quick, boxes_that_touch) {
  rng r = rng_make(rng_seed("convex_quick touch", 58));
  for (uint64_t i = 0; i < rng_rounds(20000, 1000000); ++i) {
    mo_convex solids[2];
    for (int k = 0; k < 2; ++k) {
      mo_vec3 center = mo_vec(0.25f * (float)rng_below(&r, 9), 0, (float)rng_below(&r, 3));
      mo_vec3 half = mo_vec(0.125f * (float)rng_below(&r, 5), 0.5f, 0.5f * (float)rng_below(&r, 3));
      mo_transform map = mo_transform_identity();
      map.origin = mo_vec(1000000, 1.0f / 3, -0.1f);
      solids[k] = convex_box(center, half, &map);
    }
    mo_aabb a = mo_convex_bounds(&solids[0]), b = mo_convex_bounds(&solids[1]);
    mo_quick_test_answer expected = mo_aabb_overlap(a, b) ? MO_QUICK_YES : MO_QUICK_NO;
    cr_assert_eq(mo_convex_quick_within(&solids[0], &solids[1], 0), expected);
  }
}
