/* The closest point of a triangle, and triangle against ball. */
#include <criterion/criterion.h>

#include "geometry/triangle/triangle.h"
#include "oracle/primitive.h"

static bool overlaps(mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_sphere sphere) {
  const mo_dvec3 corners[3] = {mo_widen(a), mo_widen(b), mo_widen(c)};
  return mo_triangle_overlaps_sphere(corners, sphere);
}

static void expect_closest(mo_vec3 point, mo_vec3 closest) {
  const mo_dvec3 corners[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  mo_dvec3 p = mo_triangle_closest_point(corners, mo_widen(point));
  cr_assert(p.x == closest.x && p.y == closest.y && p.z == closest.z, "(%g, %g, %g)", p.x, p.y,
            p.z);
}

Test(triangle_sphere, closest_by_region) {
  expect_closest(mo_vec(1, 1, 7), mo_vec(1, 1, 0));
  expect_closest(mo_vec(-1, -2, 3), mo_vec(0, 0, 0));
  expect_closest(mo_vec(9, -1, 3), mo_vec(4, 0, 0));
  expect_closest(mo_vec(-1, 9, -3), mo_vec(0, 4, 0));
  expect_closest(mo_vec(1, -3, 1), mo_vec(1, 0, 0));
  expect_closest(mo_vec(-3, 3, 1), mo_vec(0, 3, 0));
  expect_closest(mo_vec(5, 5, 1), mo_vec(2, 2, 0));
}

Test(triangle_sphere, degenerate_triangles) {
  const mo_dvec3 segment[3] = {{0, 0, 0}, {4, 0, 0}, {1, 0, 0}};
  mo_dvec3 p = mo_triangle_closest_point(segment, mo_dvec(3, 2, 0));
  cr_assert(p.x == 3 && p.y == 0 && p.z == 0);
  const mo_dvec3 point[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  p = mo_triangle_closest_point(point, mo_dvec(9, 9, 9));
  cr_assert(p.x == 1 && p.y == 2 && p.z == 3);
}

Test(triangle_sphere, touching_counts) {
  mo_vec3 a = mo_vec(-8, -8, 0), b = mo_vec(8, -8, 0), c = mo_vec(0, 8, 0);
  cr_assert(overlaps(a, b, c, (mo_sphere){{0, 0, 2}, 2}));
  cr_assert(!overlaps(a, b, c, (mo_sphere){{0, 0, 2}, nextafterf(2, 0)}));
  cr_assert(overlaps(a, b, c, (mo_sphere){{11, -12, 0}, 5}), "corner, by 3-4-5");
  cr_assert(!overlaps(a, b, c, (mo_sphere){{11, -12, 0}, nextafterf(5, 0)}));
  cr_assert(overlaps(a, b, c, (mo_sphere){{1, -11, 4}, 5}), "edge");
  cr_assert(!overlaps(a, b, c, (mo_sphere){{1, -11, 4}, nextafterf(5, 0)}));
  cr_assert(overlaps(a, b, c, (mo_sphere){{1, 2, 0}, 0}), "a point");
}

/* A point exactly on the triangle, at every scale; and as far along a coordinate as the radius. */
Test(triangle_sphere, points_of_it_touch) {
  rng r = rng_make(rng_seed("triangle_sphere points", 21));
  uint64_t rounds = rng_rounds(200000, 5000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    mo_vec3 p = lattice_triangle(&r, corners);
    float scale = lattice_scale(&r);
    scale_triangle(scale, corners);
    mo_dvec3 wide[3];
    widen_triangle(corners, wide);
    float radius = (float)rng_below(&r, 100);
    mo_vec3 center = p;
    uint32_t axis = rng_below(&r, 3);
    *(axis == 0 ? &center.x : axis == 1 ? &center.y : &center.z) += radius;
    mo_sphere sphere = {mo_scale(scale, center), scale * radius};
    cr_assert(mo_triangle_overlaps_sphere(wide, sphere), "round %llu", (unsigned long long)i);
  }
}

Test(triangle_sphere, closest_is_a_combination_and_closest) {
  rng r = rng_make(rng_seed("triangle_sphere closest", 22));
  uint64_t rounds = rng_rounds(8000, 400000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    random_triangle(&r, corners);
    double scale = rng_chance(&r, 0.2) ? pow(10, rng_float(&r, -30, 29)) : 1.0;
    mo_dvec3 wide[3];
    for (int k = 0; k < 3; ++k) {
      wide[k] = mo_dscale(scale, mo_widen(corners[k]));
    }
    mo_dvec3 point = mo_dscale(scale, mo_widen(rng_vec3(&r, -1.5f, 1.5f)));
    if (rng_chance(&r, 0.1)) {
      point = wide[rng_below(&r, 3)];
    }
    double w[3];
    mo_triangle_closest_weights(wide, point, w);
    cr_assert(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabs(w[0] + w[1] + w[2] - 1) < 1e-15);
    mo_dvec3 p = mo_triangle_closest_point(wide, point);
    ldvec combined = ld_add(ld_scale(w[0], ld(wide[0])),
                            ld_add(ld_scale(w[1], ld(wide[1])), ld_scale(w[2], ld(wide[2]))));
    cr_assert(ld_norm(ld_sub(combined, ld(p))) <= 2e-15L * scale);
    cr_assert(p.x <= fmax(wide[0].x, fmax(wide[1].x, wide[2].x)));
    cr_assert(p.y >= fmin(wide[0].y, fmin(wide[1].y, wide[2].y)));
    cr_assert(p.z <= fmax(wide[0].z, fmax(wide[1].z, wide[2].z)));
    ldvec target = ld(point);
    ldouble min = triangle_distance(wide, point_region, &target);
    ldouble found = ld_norm(ld_sub(ld(p), target));
    cr_assert(found <= min + 2e-15L * scale, "round %llu: %Lg instead of %Lg",
              (unsigned long long)i, found, min);
  }
}

/* Overlap exactly where the distance is at most the radius, but for rounding. */
Test(triangle_sphere, agrees_with_the_distance) {
  rng r = rng_make(rng_seed("triangle_sphere distance", 23));
  uint64_t rounds = rng_rounds(8000, 400000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    random_triangle(&r, corners);
    mo_dvec3 wide[3];
    widen_triangle(corners, wide);
    mo_sphere sphere = {rng_vec3(&r, -1.5f, 1.5f), 0};
    ldvec target = ld_float(sphere.center);
    ldouble distance = triangle_distance(wide, point_region, &target);
    sphere.radius = (float)distance;
    for (int step = 0; step < 2; ++step) {
      ldouble gap = distance - sphere.radius;
      bool answer = mo_triangle_overlaps_sphere(wide, sphere);
      cr_assert(!answer || gap < 1e-13L, "round %llu: yes at %Lg", (unsigned long long)i, gap);
      cr_assert(answer || gap > 0, "round %llu: no at %Lg", (unsigned long long)i, gap);
      sphere.radius = nextafterf(sphere.radius, (ldouble)sphere.radius < distance ? 9 : 0);
    }
  }
}
