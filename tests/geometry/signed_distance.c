/* Signed distances of two primitives: closed forms; the largest gap over all directions, which they
 * are by duality, whether positive or negative; and the two functions that they combine. */
#include <criterion/criterion.h>
#include <motte/geometry.h>

#include "oracle/reach.h"

static mo_primitive_signed_distance signed_of(const mo_primitive *a, const mo_primitive *b,
                                              double max_distance) {
  mo_primitive_signed_distance d;
  memset(&d, 0x55, sizeof d);
  cr_assert_eq(mo_primitive_find_signed_distance(a, b, max_distance, &d), MO_OK);
  return d;
}

static mo_transform at(float x, float y, float z) {
  mo_transform t = mo_transform_identity();
  t.origin = mo_vec(x, y, z);
  return t;
}

/* The gap between two primitives along a unit vector; negative if they overlap along it. */
static ldouble gap_along(const mo_primitive *a, const mo_primitive *b, ldvec n) {
  return -reach_along(a, n) - reach_along(b, ld_scale(-1, n));
}

static ldvec unit_of(mo_vec3 v) {
  ldvec n = ld_float(v);
  return ld_scale(1 / ld_norm(n), n);
}

Test(signed_distance, of_balls_and_boxes_by_closed_form) {
  rng r = rng_make(rng_seed("signed_distance/closed forms", 95));
  uint64_t rounds = rng_rounds(3000, 200000), inside = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_vec3 from = rng_vec3(&r, -2, 2), to = rng_vec3(&r, -2, 2);
    mo_transform p = at(from.x, from.y, from.z), q = at(to.x, to.y, to.z);
    float s = rng_float(&r, 0, 2), t = rng_float(&r, 0, 2);
    mo_geometry ball[2] = {sphere_of(mo_vec(0, 0, 0), s), sphere_of(mo_vec(0, 0, 0), t)};
    mo_primitive a = mo_primitive_of_geometry(&ball[0], &p),
                 b = mo_primitive_of_geometry(&ball[1], &q);
    ldvec between = ld_sub(ld_float(to), ld_float(from));
    ldouble expected = ld_norm(between) - s - t;
    mo_primitive_signed_distance d = signed_of(&a, &b, INFINITY);
    cr_assert(d.found && fabsl(d.distance - expected) <= 1e-9L, "balls, round %llu: %g, not %Lg",
              (unsigned long long)i, d.distance, expected);
    cr_assert(ld_norm(ld_sub(unit_of(d.normal), ld_scale(1 / ld_norm(between), between))) < 1e-5L);
    mo_vec3 h = rng_vec3(&r, 0, 1), k = rng_vec3(&r, 0, 1);
    mo_geometry box[2] = {box_of(mo_vec(0, 0, 0), h), box_of(mo_vec(0, 0, 0), k)};
    a = mo_primitive_of_geometry(&box[0], &p);
    b = mo_primitive_of_geometry(&box[1], &q);
    ldvec beyond = {fabsl(between.x) - h.x - k.x, fabsl(between.y) - h.y - k.y,
                    fabsl(between.z) - h.z - k.z};
    ldouble max = fmaxl(beyond.x, fmaxl(beyond.y, beyond.z));
    const ldvec out = {fmaxl(0, beyond.x), fmaxl(0, beyond.y), fmaxl(0, beyond.z)};
    d = signed_of(&a, &b, INFINITY);
    expected = max > 0 ? ld_norm(out) : max;
    cr_assert(d.found && fabsl(d.distance - expected) <= 1e-11L, "boxes, round %llu: %g, not %Lg",
              (unsigned long long)i, d.distance, expected);
    inside += d.distance < 0;
  }
  cr_assert(inside > rounds / 30 && inside < rounds - rounds / 30);
}

/* The signed distance is the largest gap along any direction. The normal must have it, no other
 * direction a larger one; the points must lie in their primitives, as far apart. */
Test(signed_distance, is_the_largest_gap) {
  rng r = rng_make(rng_seed("signed_distance/gaps", 96));
  uint64_t rounds = rng_rounds(6000, 300000), inside = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_primitive a = random_primitive(&r), b = random_primitive(&r);
    if (rng_chance(&r, 0.4)) {
      b.transform.origin = a.transform.origin;
    }
    unsigned long long n = (unsigned long long)i;
    mo_primitive_signed_distance d = signed_of(&a, &b, INFINITY);
    cr_assert(d.found && d.error >= 0, "round %llu", n);
    inside += d.distance < 0;
    ldouble size = 1 + fabs(d.distance) + mo_max_magnitude(d.point_a) + mo_max_magnitude(d.point_b);
    ldvec m = unit_of(d.normal), between = ld_sub(ld_float(d.point_b), ld_float(d.point_a));
    cr_assert(fabsl(gap_along(&a, &b, m) - d.distance) <= 2e-6L * size,
              "round %llu: %Lg along the normal, not %g", n, gap_along(&a, &b, m), d.distance);
    ldouble max = d.distance + (d.distance < 0 ? d.error : 0) + 1e-9L * size;
    for (int k = 0; k < 30; k++) {
      ldvec other = unit_of(rng_direction(&r));
      cr_assert(gap_along(&a, &b, other) <= max, "round %llu: a larger gap than %g", n, d.distance);
      cr_assert(ld_dot(other, ld_float(d.point_a)) <= reach_along(&a, other) + 2e-5L * size &&
                    ld_dot(other, ld_float(d.point_b)) <= reach_along(&b, other) + 2e-5L * size,
                "round %llu: a point outside", n);
    }
    if (d.error <= 1e-6) {
      cr_assert(ld_norm(ld_sub(between, ld_scale(d.distance, m))) <= 2e-4L * size,
                "round %llu: the points are not the distance apart", n);
    }
  }
  cr_assert(inside > rounds / 15 && inside < rounds - rounds / 15);
}

static bool is_same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Apart, it has the numbers of the distance; else those of the depth. */
Test(signed_distance, combines_distance_and_depth) {
  rng r = rng_make(rng_seed("signed_distance/combines", 97));
  uint64_t rounds = rng_rounds(3000, 100000), inside = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_primitive a = random_primitive(&r), b = random_primitive(&r);
    mo_primitive_distance apart;
    mo_primitive_penetration depth;
    double max = rng_float(&r, 0, 2);
    cr_assert_eq(mo_primitive_find_distance(&a, &b, max, &apart), MO_OK);
    cr_assert_eq(mo_primitive_find_penetration(&a, &b, &depth), MO_OK);
    mo_primitive_signed_distance d = signed_of(&a, &b, max);
    cr_assert_eq(d.found, apart.found);
    if (!d.found) {
      continue;
    }
    cr_assert_eq(depth.found, d.distance <= 0);
    inside += depth.found;
    if (depth.found) {
      cr_assert(d.distance == -depth.depth && d.error == depth.depth - depth.lower);
      cr_assert(is_same(d.point_a, depth.point_a) && is_same(d.point_b, depth.point_b) &&
                is_same(d.normal, depth.normal));
      cr_assert(d.feature == depth.feature && d.feature_index == depth.feature_index &&
                d.other_feature == depth.other_feature &&
                d.other_feature_index == depth.other_feature_index);
    } else {
      cr_assert(d.distance == apart.distance && d.error == apart.distance - apart.lower);
      cr_assert(is_same(d.point_a, apart.point_a) && is_same(d.point_b, apart.point_b) &&
                is_same(d.normal, apart.normal));
    }
  }
  cr_assert(inside > rounds / 50 && inside < rounds - rounds / 50);
}

static void expect(const char *what, mo_primitive_signed_distance d, double distance,
                   mo_vec3 normal, mo_feature feature, uint32_t index, mo_feature other,
                   uint32_t other_index) {
  cr_assert(d.found && fabs(d.distance - distance) <= 1e-12, "%s: %g", what, d.distance);
  cr_assert(is_same(d.normal, normal), "%s: %g %g %g", what, (double)d.normal.x, (double)d.normal.y,
            (double)d.normal.z);
  cr_assert(d.feature == feature && d.feature_index == index && d.other_feature == other &&
                d.other_feature_index == other_index,
            "%s: %d %u and %d %u", what, d.feature, d.feature_index, d.other_feature,
            d.other_feature_index);
}

Test(signed_distance, by_hand) {
  const mo_feature face = MO_FEATURE_FACE, edge = MO_FEATURE_EDGE, vertex = MO_FEATURE_VERTEX;
  const mo_vec3 up = {0, 0, 1}, down = {0, 0, -1}, right = {1, 0, 0};
  mo_geometry box = box_of(mo_vec(0, 0, 0), mo_vec(1, 1, 1));
  mo_geometry cylinder = {.type = MO_SHAPE_CYLINDER, .cylinder = {{0, 0, -1}, {0, 0, 1}, 2}};
  mo_transform none = mo_transform_identity(), above = at(0, 0, 5), resting = at(0.5f, 0, 2);
  mo_transform sunk = at(0.5f, 0.25f, 1.75f);
  mo_primitive a = mo_primitive_of_geometry(&box, &none);
  mo_primitive b = mo_primitive_of_geometry(&box, &above);
  expect("boxes apart", signed_of(&a, &b, 9), 3, up, face, 5, face, 4);
  b = mo_primitive_of_geometry(&box, &resting);
  expect("boxes that touch", signed_of(&a, &b, 0), 0, up, face, 5, face, 4);
  b = mo_primitive_of_geometry(&box, &sunk);
  expect("boxes that overlap", signed_of(&a, &b, 0), -0.25, up, face, 5, face, 4);
  b = mo_primitive_of_geometry(&cylinder, &above);
  expect("a cylinder's end", signed_of(&a, &b, 9), 3, up, face, 5, face, 0);
  b = mo_primitive_of_point(mo_vec(0.25f, 0, 0.875f));
  expect("a point in a box", signed_of(&a, &b, 0), -0.125, up, face, 5, vertex, 0);
  b = mo_primitive_of_segment(mo_vec(3, 3, -4), mo_vec(3, -3, -4));
  mo_primitive_signed_distance d = signed_of(&a, &b, 9);
  cr_assert(d.feature == edge && d.feature_index == 8 + 1 && d.other_feature == edge);
  cr_assert(fabs(d.distance - sqrt(13)) < 1e-12);
  b = mo_primitive_of_half_space(up, -3);
  expect("a half-space below", signed_of(&a, &b, 9), 2, down, face, 4, face, 0);
  b = mo_primitive_of_half_space(up, -0.5f);
  expect("a half-space", signed_of(&a, &b, 9), -0.5, down, face, 4, face, 0);
  b = mo_primitive_of_triangle(mo_vec(1.5f, 0, 0), mo_vec(9, 1, 2), mo_vec(9, -1, -2));
  expect("a triangle's corner", signed_of(&a, &b, 9), 0.5, right, face, 1, vertex, 0);
  b = mo_primitive_of_triangle(mo_vec(0.75f, 0, 0), mo_vec(9, 1, 2), mo_vec(9, -1, -2));
  expect("a triangle's corner inside", signed_of(&a, &b, 9), -0.25, right, face, 1, vertex, 0);
  mo_primitive_signed_distance none_found = signed_of(&a, &b, 9);
  b = mo_primitive_of_geometry(&box, &above);
  none_found = signed_of(&a, &b, 2.999);
  cr_assert(!none_found.found && none_found.distance == 0);
}

/* No translation separates them: the depth is infinite, and nothing is NaN. */
Test(signed_distance, of_half_spaces) {
  mo_primitive a = mo_primitive_of_half_space(mo_vec(0, 0, 1), 0),
               b = mo_primitive_of_half_space(mo_vec(0, 1, 1), 5),
               c = mo_primitive_of_half_space(mo_vec(0, 0, -1), -2),
               e = mo_primitive_of_half_space(mo_vec(0, 0, -1), 2);
  mo_primitive_signed_distance d = signed_of(&a, &b, 0);
  cr_assert(d.found && d.distance == -INFINITY && d.error == 0);
  cr_assert(mo_max_magnitude(d.normal) == 0 && is_same(d.point_a, d.point_b));
  cr_assert(d.feature == MO_FEATURE_FACE && d.feature_index == 0 && d.other_feature_index == 0);
  d = signed_of(&a, &c, 9);
  cr_assert(d.found && d.distance == 2 && d.normal.z == 1);
  d = signed_of(&a, &e, 9);
  cr_assert(d.found && d.distance == -2 && d.normal.z == 1);
}
