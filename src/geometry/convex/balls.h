/* The balls by which bodies are rounded. Without them, a body is a polytope or nearly one, and GJK
 * ends after a few steps. */
#ifndef MO_GEOMETRY_CONVEX_BALLS_H
#define MO_GEOMETRY_CONVEX_BALLS_H

#include "geometry/convex/difference.h"

/* The ellipsoids of two bodies that are balls up to the rounding errors of a rotation. */
typedef struct mo_balls {
  mo_dvec3 axes[2][MO_MAX_ELLIPSOIDS][3];
  int count[2];
  double radii; /* sum of all radii */
} mo_balls;

/* Moves the balls of both bodies from a difference to `balls`. */
void mo_difference_take_balls(mo_difference *d, mo_balls *balls);

/* How far the balls of a body, the first (0) or second (1), reach along a direction. */
static inline double mo_balls_reach(const mo_balls *balls, int which, mo_dvec3 direction) {
  double reach = 0.0;
  mo_dvec3 along;
  for (int i = 0; i < balls->count[which]; ++i) {
    reach += mo_ellipsoid_width(balls->axes[which][i], direction, &along);
  }
  return reach;
}

/* The farthest point of the balls' sum along a direction, relative to its centre. */
static inline mo_dvec3 mo_balls_support(const mo_balls *balls, int which, mo_dvec3 direction) {
  mo_dvec3 point = {0.0, 0.0, 0.0};
  for (int i = 0; i < balls->count[which]; ++i) {
    point = mo_dadd(point, mo_ellipsoid_support(balls->axes[which][i], direction));
  }
  return point;
}

#endif
