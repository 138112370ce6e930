/* The distance of two bodies, the points that have it, and a plane between them. The centres are
 * subtracted first, exactly, so that numbers have the size of the bodies and of the gap between
 * them, not of the distance to the origin of the world.
 *
 * Bodies that are round by balls (spheres, capsules, rounded ones) are measured by what the balls
 * are around, less the radii: that has corners, edges and faces alone, or is a point, and GJK ends
 * after a few steps. */
#include "geometry/convex/distance.h"

#include <float.h>
#include <string.h>

#include "geometry/convex/difference.h"
#include "geometry/convex/half_space.h"
#include "geometry/triangle/triangle.h"

static mo_difference_point support(void *body, mo_dvec3 direction) {
  return mo_difference_support(body, direction);
}

mo_convex_gap mo_difference_distance(mo_difference *d, double max_distance) {
  mo_convex_gap gap = mo_gjk_distance(support, d, d->offset, max_distance);
  gap.points[0] = mo_dadd(d->centers[0], gap.points[0]);
  gap.points[1] = mo_dadd(d->centers[1], gap.points[1]);
  return gap;
}

mo_convex_gap mo_convex_distance(const mo_distance_body *a, const mo_distance_body *b,
                                 double max_distance) {
  mo_difference d = mo_difference_of(a, b);
  return mo_difference_distance(&d, max_distance);
}

static double least_of(double a, double b, double c) {
  return a < b ? (a < c ? a : c) : b < c ? b : c;
}

static double most_of(double a, double b, double c) {
  return a > b ? (a > c ? a : c) : b > c ? b : c;
}

mo_boxed_body mo_boxed_triangle(const mo_dvec3 corners[3]) {
  mo_dvec3 a = corners[0], b = corners[1], c = corners[2];
  return (mo_boxed_body){
      .body = {.corners = {a, b, c}},
      .bounds = {{mo_round_down(least_of(a.x, b.x, c.x)), mo_round_down(least_of(a.y, b.y, c.y)),
                  mo_round_down(least_of(a.z, b.z, c.z))},
                 {mo_round_up(most_of(a.x, b.x, c.x)), mo_round_up(most_of(a.y, b.y, c.y)),
                  mo_round_up(most_of(a.z, b.z, c.z))}}};
}

static double sum_of(mo_vec3 v) {
  return (double)v.x + (double)v.y + (double)v.z;
}

/* Bodies farther apart than this do not touch: more than mo_bodies_within tolerates. */
static double touching_limit(const mo_boxed_body *a, const mo_boxed_body *b) {
  double size = sum_of(a->bounds.upper) - sum_of(a->bounds.lower) + sum_of(b->bounds.upper) -
                sum_of(b->bounds.lower);
  double reach = sum_of(mo_aabb_reach(a->bounds)) + sum_of(mo_aabb_reach(b->bounds));
  return 0x1p-30 * size + 0x1p-42 * reach;
}

/* Takes the balls out of a sum, and returns their radii together: the ellipsoids with axes that are
 * perpendicular and equally long, exactly, as of a transform that only moves and scales. */
static double take_balls(mo_minkowski *sum) {
  double radius = 0.0;
  int kept = 0;
  for (int i = 0; i < sum->ellipsoids; ++i) {
    const mo_dvec3 *axes = sum->axes[i];
    double square = mo_ddot(axes[0], axes[0]);
    if (square == mo_ddot(axes[1], axes[1]) && square == mo_ddot(axes[2], axes[2]) &&
        mo_ddot(axes[0], axes[1]) == 0.0 && mo_ddot(axes[1], axes[2]) == 0.0 &&
        mo_ddot(axes[2], axes[0]) == 0.0) {
      radius += sqrt(square);
    } else {
      memmove(sum->axes[kept++], axes, sizeof sum->axes[i]);
    }
  }
  sum->ellipsoids = kept;
  return radius;
}

static bool is_point(const mo_minkowski *sum) {
  return sum->segments + sum->ellipsoids + sum->cones + sum->hulls + sum->triangles == 0;
}

static bool is_triangle(const mo_minkowski *sum) {
  return sum->triangles == 1 && sum->segments + sum->ellipsoids + sum->cones + sum->hulls == 0;
}

/* A triangle and a point, by a closed form; `sign` is 1 where the triangle is the first. */
static mo_convex_gap triangle_and_point(const mo_difference *d, double sign) {
  const mo_dvec3 *corner = sign > 0.0 ? d->a.corner[0] : d->b.corner[0];
  mo_dvec3 offset = mo_dscale(sign, d->offset), corners[3]; /* of the triangle from the point */
  for (int i = 0; i < 3; ++i) {
    corners[i] = mo_dadd(offset, corner[i]);
  }
  mo_dvec3 v = mo_triangle_closest_point(corners, mo_dvec(0.0, 0.0, 0.0));
  double distance = sqrt(mo_ddot(v, v));
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
    return triangle_and_point(d, 1.0);
  }
  if (is_point(&d->a) && is_triangle(&d->b)) {
    return triangle_and_point(d, -1.0);
  }
  return mo_difference_distance(d, max_distance);
}

/* mo_convex_distance, but of bodies that overlap the distance may be any that is not positive, and
 * the points are some between the two. */
static mo_convex_gap signed_distance(const mo_distance_body *a, const mo_distance_body *b,
                                     double max_distance) {
  mo_difference d = mo_difference_of(a, b);
  double radius[2] = {take_balls(&d.a), take_balls(&d.b)}, both = radius[0] + radius[1];
  mo_convex_gap gap = distance_of_cores(&d, max_distance + both);
  /* Where the balls overlap, halfway between where they end, as far as that lies between cores. */
  double left = gap.distance - both;
  double out = left > 0.0
                   ? radius[0]
                   : 0.5 * (fmax(gap.distance - radius[1], 0.0) + fmin(radius[0], gap.distance));
  double back = left > 0.0 ? radius[1] : gap.distance - out;
  gap.points[0] = mo_dadd(gap.points[0], mo_dscale(out, gap.normal));
  gap.points[1] = mo_dsub(gap.points[1], mo_dscale(back, gap.normal));
  gap.distance = left;
  gap.lower = fmax(gap.lower - both, 0.0);
  return gap;
}

mo_convex_gap mo_bodies_distance(const mo_boxed_body *a, const mo_boxed_body *b,
                                 double max_distance) {
  if (mo_is_with_half_space(&a->body, &b->body)) {
    return mo_half_space_distance(&a->body, &b->body);
  }
  double least = sqrt(mo_box_gap2(a->bounds, b->bounds));
  if (least > max_distance) {
    return (mo_convex_gap){.distance = least};
  }
  /* The descent may stop only where the lower bound, rounding included, is beyond the limit. */
  double touching = touching_limit(a, b);
  double limit = fmax(max_distance * (1.0 + 0x1p-40) + touching, 2.0 * touching);
  mo_convex_gap gap = signed_distance(&a->body, &b->body, limit);
  if (gap.lower <= touching && mo_bodies_within(&a->body, &b->body, 0.0)) {
    mo_dvec3 point = mo_dscale(0.5, mo_dadd(gap.points[0], gap.points[1]));
    return (mo_convex_gap){.points = {point, point}};
  }
  gap.distance = fmax(fmax(gap.distance, least), DBL_MIN);
  return gap;
}
