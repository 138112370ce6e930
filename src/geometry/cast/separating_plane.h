/* Separating planes of two bodies, found quickly if the bodies have balls as summands. */
#ifndef MO_GEOMETRY_CAST_SEPARATING_PLANE_H
#define MO_GEOMETRY_CAST_SEPARATING_PLANE_H

#include "geometry/difference/difference.h"

/* Two bodies, each as a Minkowski sum of a core and balls. */
typedef struct mo_cores {
  mo_difference difference; /* Minkowski difference of the cores */
  mo_summed_balls balls;
} mo_cores;

/* Splits two bodies, neither of them a half-space, into cores and balls. */
mo_cores mo_cores_of(const mo_body *a, const mo_body *b);

/* The sum of how far the balls of both bodies reach along a direction. */
double mo_cores_ball_support_distance(const mo_cores *c, mo_dvec3 direction);

/* A separating plane of two bodies, and their separation along its normal. */
typedef struct mo_separating_plane {
  mo_dvec3 normal;      /* unit, from A to B */
  double separation;    /* lower bound of the separation along the normal; may be negative */
  double distance;      /* upper bound of the distance of the bodies */
  double core_distance; /* distance of the cores: determines how well-defined the normal is */
  mo_dvec3 point;       /* the point of A that is closest to B */
} mo_separating_plane;

/* Finds the plane that is perpendicular to the line between the cores' closest points. If the axes
 * of a ball differ in length by a relative rounding error u, the normal has an error of u, and the
 * separation an error of u^2. If the cores are farther apart than `max_distance`, `core_distance`
 * is INFINITY and nothing else is set.
 */
mo_separating_plane mo_cores_find_separating_plane(mo_cores *c, double max_distance);

#endif
