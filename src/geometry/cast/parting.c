/* Planes between two bodies. */
#include "geometry/cast/parting.h"

#include <string.h>

/* Ellipsoids as even as this are taken for balls where a direction is looked for. */
static const double nearly_even = 0x1p-20;

static int take_balls(mo_minkowski *sum, mo_dvec3 ball[][3]) {
  int kept = 0, taken = 0;
  for (int i = 0; i < sum->ellipsoids; ++i) {
    bool is_ball = mo_ellipsoid_unevenness(sum->axes[i], 3) <= nearly_even;
    memmove(is_ball ? ball[taken++] : sum->axes[kept++], sum->axes[i], sizeof sum->axes[i]);
  }
  sum->ellipsoids = kept;
  return taken;
}

mo_cores mo_cores_of(const mo_distance_body *a, const mo_distance_body *b) {
  mo_cores c = {.between = mo_difference_of(a, b)};
  c.balls[0] = take_balls(&c.between.a, c.ball[0]);
  c.balls[1] = take_balls(&c.between.b, c.ball[1]);
  return c;
}

double mo_cores_ball_reach(const mo_cores *c, mo_dvec3 direction) {
  double reach = 0.0;
  mo_dvec3 along;
  for (int which = 0; which < 2; ++which) {
    for (int i = 0; i < c->balls[which]; ++i) {
      reach += mo_ellipsoid_width(c->ball[which][i], direction, &along);
    }
  }
  return reach;
}

mo_parting mo_cores_part(mo_cores *c) {
  mo_convex_gap gap = mo_difference_distance(&c->between, INFINITY);
  double reach = mo_cores_ball_reach(c, gap.normal), distance = gap.distance - reach;
  mo_parting p = {.normal = gap.normal,
                  .apart = gap.lower - reach,
                  .distance = distance > 0.0 ? distance : 0.0,
                  .core_distance = gap.distance,
                  .point = gap.points[0]};
  for (int i = 0; i < c->balls[0]; ++i) {
    p.point = mo_dadd(p.point, mo_ellipsoid_support(c->ball[0][i], gap.normal));
  }
  return p;
}
