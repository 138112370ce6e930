/* The distance of two bodies, the points that have it, and a plane between them. The centres are
 * subtracted first, exactly, so that numbers have the size of the bodies and of the gap between
 * them, not of the distance to the origin of the world. */
#include "geometry/convex/distance.h"

#include "geometry/convex/difference.h"

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

mo_boxed_body mo_boxed_triangle(const mo_dvec3 corners[3]) {
  mo_boxed_body boxed = {.body = {.corners = {corners[0], corners[1], corners[2]}},
                         .bounds = mo_aabb_empty()};
  for (int i = 0; i < 3; ++i) {
    mo_dvec3 c = corners[i];
    boxed.bounds = mo_aabb_union(
        boxed.bounds, (mo_aabb){{mo_round_down(c.x), mo_round_down(c.y), mo_round_down(c.z)},
                                {mo_round_up(c.x), mo_round_up(c.y), mo_round_up(c.z)}});
  }
  return boxed;
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

mo_convex_gap mo_bodies_distance(const mo_boxed_body *a, const mo_boxed_body *b,
                                 double max_distance) {
  double least = sqrt(mo_box_gap2(a->bounds, b->bounds));
  if (least > max_distance) {
    return (mo_convex_gap){.distance = least};
  }
  /* The descent may stop only where the lower bound, rounding included, is beyond the limit. */
  double touching = touching_limit(a, b);
  double limit = fmax(max_distance * (1.0 + 0x1p-40) + touching, 2.0 * touching);
  mo_convex_gap gap = mo_convex_distance(&a->body, &b->body, limit);
  if (gap.lower <= touching && mo_bodies_within(&a->body, &b->body, 0.0)) {
    mo_dvec3 point = mo_dscale(0.5, mo_dadd(gap.points[0], gap.points[1]));
    return (mo_convex_gap){.points = {point, point}};
  }
  gap.distance = fmax(gap.distance, least);
  return gap;
}
