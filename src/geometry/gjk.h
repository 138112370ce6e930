/* GJK: the distance of two convex bodies A and B, computed as the distance of the origin from their
 * Minkowski difference A - B. The difference is only known by its support mapping. */
#ifndef MO_GEOMETRY_GJK_H
#define MO_GEOMETRY_GJK_H

#include "math/vector.h"

/* A point a - b of the Minkowski difference of two bodies A and B. The caller chooses the origins
 * to which a and b are relative. */
typedef struct mo_difference_point {
  mo_dvec3 difference, a, b;
} mo_difference_point;

/* Support mapping: returns the point of the difference that is farthest along a direction. */
typedef mo_difference_point mo_gjk_support(void *body, mo_dvec3 direction);

typedef struct mo_convex_gap {
  double distance;    /* of the two points: an upper bound of the true distance */
  double lower;       /* proven lower bound of the true distance, up to rounding */
  mo_dvec3 points[2]; /* the closest point of A, and that of B */
  mo_dvec3 normal;    /* unit, from A to B; zero at distance 0 */
  double depth;       /* proven lower bound of the penetration depth, up to rounding; often 0 */
} mo_convex_gap;

/* The points of the difference between which the one that is closest to the origin lies; none if
 * the distance is 0. */
typedef struct mo_gjk_simplex {
  mo_difference_point point[3];
  int count;
} mo_gjk_simplex;

/* The closest points of two bodies. `start` is a rough position of the Minkowski difference. If the
 * bodies are farther apart than max_distance, the search stops as soon as this is proven, and the
 * points are then any two points at least as far apart. `closest` may be null. */
mo_convex_gap mo_gjk_distance(mo_gjk_support *support, void *body, mo_dvec3 start,
                              double max_distance, mo_gjk_simplex *closest);

#endif
