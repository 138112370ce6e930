/* Separating planes of two bodies. */
#include "geometry/cast/separating_plane.h"

mo_cores mo_cores_of(const mo_body *a, const mo_body *b) {
  mo_cores c;
  mo_difference_set(&c.difference, a, b);
  mo_difference_remove_balls(&c.difference, &c.balls);
  return c;
}

double mo_cores_ball_support_distance(const mo_cores *c, mo_dvec3 direction) {
  return mo_summed_balls_support_distance(&c->balls, 0, direction) +
         mo_summed_balls_support_distance(&c->balls, 1, direction);
}

mo_separating_plane mo_cores_find_separating_plane(mo_cores *c, double max_distance) {
  mo_convex_gap gap = mo_difference_distance(&c->difference, max_distance);
  if (gap.lower > max_distance) {
    return (mo_separating_plane){.core_distance = INFINITY};
  }
  double reach = mo_cores_ball_support_distance(c, gap.normal), distance = gap.distance - reach;
  mo_separating_plane p = {
      .normal = gap.normal,
      .separation = gap.lower - reach,
      .distance = distance > 0.0 ? distance : 0.0,
      .core_distance = gap.distance,
      .point = mo_dadd(gap.points[0], mo_summed_balls_support(&c->balls, 0, gap.normal))};
  return p;
}
