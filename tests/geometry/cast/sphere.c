/* A moving ball against a triangle: hand-made cases, and the distance at times along its path. */
#include "geometry/cast/sphere.h"

#include <criterion/criterion.h>
#include <math.h>

#include "geometry/triangle/triangle.h"
#include "support/check.h"
#include "support/rng.h"

static double distance_at(const mo_dvec3 corners[3], mo_dvec3 displacement, double t) {
  mo_dvec3 at = mo_dscale(t, displacement);
  mo_dvec3 to = mo_dsub(mo_triangle_closest_point(corners, at), at);
  return sqrt(mo_ddot(to, to));
}

static mo_dvec3 random_vector(rng *r, double size) {
  double x = rng_float(r, -1, 1), y = rng_float(r, -1, 1), z = rng_float(r, -1, 1);
  return mo_dvec(size * x, size * y, size * z);
}

/* At t the ball touches, and it touches nowhere before: by the distance at t, and at many times. */
Test(cast_sphere, by_the_distance_along_the_path) {
  rng r = rng_make(rng_seed("cast_sphere/distance", 501));
  uint64_t rounds = rng_rounds(20000, 2000000), hits = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    double size = ldexp(1.0, (int)rng_below(&r, 40) - 20), far = ldexp(1.0, (int)rng_below(&r, 10));
    mo_dvec3 center = random_vector(&r, size * far), corners[3];
    for (int k = 0; k < 3; k++) {
      corners[k] = mo_dadd(center, random_vector(&r, size));
    }
    if (rng_chance(&r, 0.2)) { /* degenerate: a segment, or nearly one */
      double s = rng_float(&r, 0, 1);
      corners[2] = mo_dadd(mo_dscale(s, corners[0]), mo_dscale(1.0 - s, corners[1]));
    }
    if (rng_chance(&r, 0.05)) {
      corners[1] = corners[2] = corners[0];
    }
    double radius =
        rng_chance(&r, 0.1) ? 0.0 : size * ldexp(rng_float(&r, 0, 1), (int)rng_below(&r, 8) - 5);
    mo_dvec3 aim = mo_dadd(center, random_vector(&r, size));
    mo_dvec3 way = mo_dscale(rng_float(&r, 0.5f, 4), aim);
    if (rng_chance(&r, 0.1)) { /* in the plane of the triangle, or along an edge */
      way = mo_dsub(corners[1], corners[0]);
    }
    double t = mo_cast_sphere_triangle(corners, radius, way);
    double scale = size * far + sqrt(mo_ddot(way, way)) + radius, slack = 1e-13 * scale;
    cr_assert(t >= 0.0);
    if (t <= 1.0) {
      hits++;
      double d = distance_at(corners, way, t);
      cr_assert(t == 0.0 ? d <= radius : fabs(d - radius) <= slack, "round %llu: off by %g of %g",
                (unsigned long long)i, d - radius, scale);
    }
    double end = fmin(t, 1.0);
    for (int k = 0; k < 40; k++) {
      double at = end * rng_float(&r, 0, 1);
      cr_assert(distance_at(corners, way, at) >= radius - slack || t == 0.0,
                "round %llu: an earlier touch at %g of %g", (unsigned long long)i, at, t);
    }
  }
  cr_assert_gt(hits, rounds / 10);
}

static const mo_dvec3 floor_below[3] = {{-5, -5, -3}, {5, -5, -3}, {0, 8, -3}};

Test(cast_sphere, hand_made) {
  mo_dvec3 down = mo_dvec(0, 0, -10);
  cr_assert_eq(mo_cast_sphere_triangle(floor_below, 1, down), 0.2);
  cr_assert_eq(mo_cast_sphere_triangle(floor_below, 3, down), 0);             /* touches */
  cr_assert_eq(mo_cast_sphere_triangle(floor_below, 3, mo_dvec(0, 0, 9)), 0); /* and leaves */
  cr_assert_eq(mo_cast_sphere_triangle(floor_below, nextafter(3, 0), mo_dvec(1, 0, 0)), INFINITY);
  cr_assert_eq(mo_cast_sphere_triangle(floor_below, 1, mo_dvec(0, 0, 9)), INFINITY);
  cr_assert_eq(mo_cast_sphere_triangle(floor_below, 1, mo_dvec(0, 0, 0)), INFINITY);
  /* In the plane of a triangle, onto an edge and a corner. */
  const mo_dvec3 ahead[3] = {{4, -1, 0}, {4, 1, 0}, {9, 0, 0}};
  cr_assert_eq(mo_cast_sphere_triangle(ahead, 1, mo_dvec(6, 0, 0)), 0.5);
  const mo_dvec3 pointed[3] = {{4, 0, 0}, {9, 3, 0}, {9, -3, 0}};
  cr_assert_eq(mo_cast_sphere_triangle(pointed, 1, mo_dvec(6, 0, 0)), 0.5);
  /* A point and a segment. */
  const mo_dvec3 point[3] = {{4, 0, 0}, {4, 0, 0}, {4, 0, 0}};
  cr_assert_eq(mo_cast_sphere_triangle(point, 1, mo_dvec(6, 0, 0)), 0.5);
  const mo_dvec3 segment[3] = {{4, -1, 0}, {4, 1, 0}, {4, 0, 0}};
  cr_assert_eq(mo_cast_sphere_triangle(segment, 1, mo_dvec(6, 0, 0)), 0.5);
}

/* What a ball only touches on its way: a corner and an edge. */
Test(cast_sphere, grazes) {
  const mo_dvec3 corner[3] = {{4, 1, 0}, {3, 9, 0}, {5, 9, 0}};
  cr_assert_eq(mo_cast_sphere_triangle(corner, 1, mo_dvec(8, 0, 0)), 0.5);
  cr_assert_eq(mo_cast_sphere_triangle(corner, nextafter(1, 0), mo_dvec(8, 0, 0)), INFINITY);
  const mo_dvec3 edge[3] = {{4, 1, -2}, {4, 1, 2}, {4, 9, 0}};
  cr_assert_eq(mo_cast_sphere_triangle(edge, 1, mo_dvec(8, 0, 0)), 0.5);
  cr_assert_eq(mo_cast_sphere_triangle(edge, nextafter(1, 0), mo_dvec(8, 0, 0)), INFINITY);
}

/* A small ball with a long path: the textbook formula loses all digits here. */
Test(cast_sphere, from_far_away) {
  const mo_dvec3 point[3] = {{1e6, 0.5e-3, 0}, {1e6, 0.5e-3, 0}, {1e6, 0.5e-3, 0}};
  double t = mo_cast_sphere_triangle(point, 1e-3, mo_dvec(1e6, 0, 0));
  double expected = 1.0 - sqrt(1e-6 - 0.25e-6) / 1e6;
  cr_assert_float_eq(t, expected, 1e-15);
}
