/* The distance of two bodies, their closest points, and a separating plane.
 *
 * For bodies with balls as summands (spheres, capsules, rounded solids), the distance is that of
 * their cores without the balls, minus the radii. A core is a polytope or a point, so GJK ends
 * after a few steps. */
#include "geometry/distance/distance.h"

#include <float.h>

#include "geometry/difference/difference.h"
#include "geometry/triangle/triangle.h"

mo_convex_gap mo_convex_distance(const mo_body *a, const mo_body *b, double max_distance) {
  mo_difference d = mo_difference_of(a, b);
  return mo_difference_distance(&d, max_distance, NULL);
}

/* An upper bound of the distance at which bodies with bounds a and b touch (mo_bodies_within). */
static double max_touching_distance(mo_aabb a, mo_aabb b) {
  double size = mo_sum_of_components(a.upper) - mo_sum_of_components(a.lower) +
                mo_sum_of_components(b.upper) - mo_sum_of_components(b.lower);
  double reach = mo_sum_of_components(mo_aabb_max_coordinates(a)) +
                 mo_sum_of_components(mo_aabb_max_coordinates(b));
  return 0x1p-30 * size + 0x1p-42 * reach;
}

static bool is_point(const mo_minkowski *sum) {
  return mo_minkowski_summand_count(sum) == 0;
}

static bool is_triangle(const mo_minkowski *sum) {
  return sum->triangle_count == 1 && mo_minkowski_summand_count(sum) == 1;
}

/* The gap of a triangle and a point, by a closed form; `sign`: 1 if the triangle is the first body,
 * else -1. */
static mo_convex_gap triangle_point_gap(const mo_difference *d, double sign) {
  const mo_dvec3 *corner = sign > 0.0 ? d->a.corner[0] : d->b.corner[0];
  mo_dvec3 offset = mo_dscale(sign, d->offset),
           corners[3]; /* corners of the triangle, relative to the point */
  for (int i = 0; i < 3; ++i) {
    corners[i] = mo_dadd(offset, corner[i]);
  }
  mo_dvec3 v = mo_triangle_closest_point(corners, mo_dvec(0.0, 0.0, 0.0));
  double distance = mo_dlength(v);
  mo_convex_gap gap = {.distance = distance, .lower = distance};
  if (distance > 0.0) {
    gap.normal = mo_dscale(-sign / distance, v);
  }
  int triangle = sign > 0.0 ? 0 : 1;
  gap.points[triangle] = mo_dadd(d->centers[triangle], mo_dsub(v, offset));
  gap.points[1 - triangle] = d->centers[1 - triangle];
  return gap;
}

static mo_convex_gap distance_of_cores(mo_difference *d, double max_distance) {
  if (is_triangle(&d->a) && is_point(&d->b)) {
    return triangle_point_gap(d, 1.0);
  }
  if (is_point(&d->a) && is_triangle(&d->b)) {
    return triangle_point_gap(d, -1.0);
  }
  return mo_difference_distance(d, max_distance, NULL);
}

/* The largest number of iterations of distance_by_cores. Two suffice for balls that are ellipsoids
 * only by the rounding of a rotation. */
enum { MAX_BALL_ITERATIONS = 4 };

/* Both relative to the radii. ball_slack: how much farther a ball, under a map that is a
 * rotation but for rounding, may reach than its radius. first_bound_slack: how far below 0 rounding
 * may take the lower bound of the first iteration. */
static const double ball_slack = 0x1p-18, first_bound_slack = 0x1p-36;

/* Upper and lower bounds count as equal if they differ by less than this, relative to the distance
 * and the radii. */
static const double bound_tolerance = 0x1p-50;

/* The distance of two bodies by the distance of their cores. `d` contains the cores; their balls,
 * which have been removed, are in `balls`. If the bodies overlap, or nearly, the result is the
 * distance of the cores, and `radius` receives how far the balls reach there; otherwise `radius` is
 * zero.
 *
 * After a rotation with rounding, a ball is an ellipsoid. Along a normal, the ellipsoid reaches as
 * far as a ball with a slightly different radius and centre. The next iteration moves the bodies
 * accordingly, which squares the error of the normal. */
static mo_convex_gap distance_by_cores(mo_difference *d, const mo_summed_balls *balls,
                                       double max_distance, double radius[2]) {
  const mo_dvec3 offset = d->offset;
  mo_convex_gap best = {.distance = INFINITY};
  mo_dvec3 shift = {0.0, 0.0, 0.0};
  for (int round = 0; round < MAX_BALL_ITERATIONS; ++round) {
    d->offset = mo_dadd(offset, shift);
    const mo_convex_gap gap =
        distance_of_cores(d, max_distance + (1.0 + ball_slack) * balls->radius_sum);
    const mo_dvec3 n = gap.normal, a = mo_summed_balls_support(balls, 0, n),
                   b = mo_summed_balls_support(balls, 1, n);
    radius[0] = mo_ddot(a, n);
    radius[1] = mo_ddot(b, n);
    const double lower = gap.lower + mo_ddot(shift, n) - radius[0] - radius[1];
    if (!(lower > (round == 0 ? -first_bound_slack * balls->radius_sum : 0.0))) {
      return gap;
    }
    const mo_dvec3 out = mo_dsub(mo_dadd(a, b), shift);
    const double distance = mo_dlength(mo_dsub(mo_dscale(gap.distance, n), out));
    if (!(distance < best.distance)) {
      break;
    }
    best = (mo_convex_gap){.distance = distance,
                           .lower = fmin(lower, distance),
                           .points = {mo_dadd(gap.points[0], a), mo_dsub(gap.points[1], b)},
                           .normal = n};
    if (lower > max_distance ||
        distance - lower <= bound_tolerance * (distance + balls->radius_sum)) {
      break;
    }
    shift = mo_dsub(mo_dadd(a, b), mo_dscale(radius[0] + radius[1], n));
  }
  radius[0] = radius[1] = 0.0;
  return best;
}

/* Like mo_convex_distance, but for bodies that overlap, the distance is any value that is not
 * positive, and the points are arbitrary. */
static mo_convex_gap signed_distance(const mo_body *a, const mo_body *b, double max_distance) {
  mo_difference d = mo_difference_of(a, b);
  mo_summed_balls balls;
  mo_difference_remove_balls(&d, &balls);
  if (balls.radius_sum == 0.0) {
    return distance_of_cores(&d, max_distance);
  }
  double radius[2];
  mo_convex_gap gap = distance_by_cores(&d, &balls, max_distance, radius);
  if (radius[0] + radius[1] > 0.0) {
    /* The common point of overlapping bodies: halfway between the surfaces of their balls, on the
     * line between the cores. */
    double out = 0.5 * (fmax(gap.distance - radius[1], 0.0) + fmin(radius[0], gap.distance));
    gap.points[0] = gap.points[1] = mo_dadd(gap.points[0], mo_dscale(out, gap.normal));
    gap.lower = 0.0;
    gap.distance = fmin(gap.distance - radius[0] - radius[1], 0.0);
  }
  return gap;
}

mo_convex_gap mo_half_space_distance(const mo_body *a, const mo_body *b) {
  const mo_half_space_pair s = mo_half_space_pair_of(a, b);
  if (s.height <= s.error_bound) {
    return (mo_convex_gap){.points = {s.point, s.point}};
  }
  const mo_dvec3 n = s.half_space->normal;
  mo_convex_gap gap = {.distance = s.height,
                       .lower = s.height,
                       .normal = mo_dscale(s.half_space_is_first ? 1.0 : -1.0, n)};
  gap.points[s.half_space_is_first ? 0 : 1] = mo_dsub(s.point, mo_dscale(s.height, n));
  gap.points[s.half_space_is_first ? 1 : 0] = s.point;
  return gap;
}

/* How much farther a body reaches along a unit vector than `point`; 0 if its bounds are known, as
 * these decide then. */
static double overhang(const mo_body *body, mo_dvec3 axis, mo_dvec3 point) {
  return mo_aabb_is_empty(body->bounds) || body->has_loose_bounds
             ? mo_ddot(axis, mo_dsub(mo_convex_support(&body->convex, axis), point))
             : 0.0;
}

/* Whether the bounds of two bodies are certainly closer than the bodies, by more than about
 * `tolerance`. Along the axis that is nearest to the normal, this is so if the bodies reach farther
 * towards each other than their closest points do. Takes less time than bounds of hulls. */
static bool bounds_are_closer(const mo_body *a, const mo_body *b, const mo_convex_gap *gap,
                              double tolerance) {
  const mo_dvec3 n = gap->normal;
  const int i = mo_largest_of_three(fabs(n.x), fabs(n.y), fabs(n.z));
  const mo_dvec3 axis =
      mo_dvec(i == 0 ? copysign(1.0, n.x) : 0.0, i == 1 ? copysign(1.0, n.y) : 0.0,
              i == 2 ? copysign(1.0, n.z) : 0.0);
  return gap->distance > tolerance &&
         overhang(a, axis, gap->points[0]) + overhang(b, mo_dscale(-1.0, axis), gap->points[1]) >
             tolerance + 0x1p-30 * gap->distance;
}

mo_convex_gap mo_bodies_distance(const mo_body *a, const mo_body *b, double max_distance) {
  if (mo_either_is_half_space(a, b)) {
    return mo_half_space_distance(a, b);
  }
  const mo_aabb around[2] = {mo_body_loose_bounds(a), mo_body_loose_bounds(b)};
  double min = sqrt(mo_aabb_distance2(around[0], around[1]));
  if (min > max_distance) {
    return (mo_convex_gap){.distance = min};
  }
  /* GJK may stop early only if the lower bound, rounding included, is beyond the limit. */
  double touching = max_touching_distance(around[0], around[1]);
  double limit = fmax(max_distance * (1.0 + 0x1p-40) + touching, 2.0 * touching);
  mo_convex_gap gap = signed_distance(a, b, limit);
  if (gap.depth > touching || (gap.lower <= touching && mo_bodies_within(a, b, 0.0))) {
    mo_dvec3 point = mo_dscale(0.5, mo_dadd(gap.points[0], gap.points[1]));
    return (mo_convex_gap){.points = {point, point}};
  }
  if (!bounds_are_closer(a, b, &gap, touching)) {
    min = sqrt(mo_aabb_distance2(mo_body_bounds(a), mo_body_bounds(b)));
    gap.distance = fmax(fmax(gap.distance, min), DBL_MIN);
  }
  return gap;
}

mo_convex_closest mo_body_closest_point(const mo_body *body, mo_vec3 point) {
  mo_body dot = mo_body_of_sphere((mo_sphere){point, 0.0f});
  dot.bounds = (mo_aabb){point, point};
  /* No upper limit on the distance: with one, the rounding of the result could depend on what the
   * query has found before. */
  mo_convex_gap gap = mo_bodies_distance(body, &dot, INFINITY);
  mo_dvec3 closest = gap.distance > 0.0 ? gap.points[0] : mo_widen(point);
  return (mo_convex_closest){gap.distance, closest, gap.normal};
}
