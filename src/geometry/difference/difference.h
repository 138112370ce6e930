/* The Minkowski difference of two bodies: a convex body that contains the origin if they overlap.
 *
 * The centres are subtracted first, exactly. So all coordinates have the magnitude of the bodies
 * and of the gap between them, not that of the distance to the world's origin. */
#ifndef MO_GEOMETRY_DIFFERENCE_DIFFERENCE_H
#define MO_GEOMETRY_DIFFERENCE_DIFFERENCE_H

#include "geometry/difference/minkowski.h"
#include "geometry/gjk.h"

/* The points a - b for a in A and b in B. The support functions modify it, but only the cached
 * vertices at which the next search in a hull starts; this changes no result. */
typedef struct mo_difference {
  mo_minkowski a, b;   /* the bodies around their centres */
  mo_dvec3 centers[2]; /* world */
  mo_dvec3 offset;     /* of the centre of A from that of B */
} mo_difference;

mo_difference mo_difference_of(const mo_body *a, const mo_body *b);

/* One body around its centre, which is returned (world). */
mo_dvec3 mo_minkowski_of(mo_minkowski *sum, const mo_body *body);

/* The distance of the two bodies by GJK, as mo_convex_distance
 * (geometry/distance/distance.h). */
mo_convex_gap mo_difference_distance(mo_difference *d, double max_distance);

/* The support point along a direction; its points a and b are relative to the centres of the
 * bodies. */
static inline mo_difference_point mo_difference_support(mo_difference *d, mo_dvec3 direction) {
  mo_difference_point w = {.a = mo_minkowski_support(&d->a, direction),
                           .b = mo_minkowski_support(&d->b, mo_dscale(-1.0, direction))};
  w.difference = mo_dadd(d->offset, mo_dsub(w.a, w.b));
  return w;
}

/* The balls by which bodies are rounded. Without them, a body is a polytope or nearly one, and GJK
 * ends after a few steps.
 *
 * These are the ellipsoids of two bodies that are balls up to the rounding errors of a rotation. */
typedef struct mo_balls {
  mo_dvec3 axes[2][MO_MAX_SUMMED_ELLIPSOIDS][3];
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

/* A body above a half-space: what their difference is if it has no bounds. */
typedef struct mo_stand {
  const mo_half_space_body *half_space; /* the first one of two */
  bool first;                           /* the half-space is the first of the two bodies */
  double height;  /* of the lowest point of the other; -INFINITY if it is a half-space that no
                     translation separates */
  double noise;   /* heights up to this count as 0 */
  mo_dvec3 point; /* the lowest point; if there is none, a point that lies in both */
} mo_stand;

/* At least one of the bodies is a half-space. */
mo_stand mo_stand_of(const mo_body *a, const mo_body *b);

#endif
