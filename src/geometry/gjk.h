/* The distance of two convex bodies, as that of 0 from the body of their differences, which is
 * known by its support mapping alone. */
#ifndef MO_GEOMETRY_GJK_H
#define MO_GEOMETRY_GJK_H

#include "math/vector.h"

/* A point a - b of the difference of two bodies A and B. What a and b are seen from is for the
 * caller to say. */
typedef struct mo_difference_point {
  mo_dvec3 difference, a, b;
} mo_difference_point;

/* The point of a difference that is the farthest along a direction. */
typedef mo_difference_point mo_gjk_support(void *body, mo_dvec3 direction);

typedef struct mo_convex_gap {
  double distance;    /* of the two points */
  double lower;       /* no two points are closer than this, but for rounding */
  mo_dvec3 points[2]; /* of A and of B */
  mo_dvec3 normal;    /* unit, from A to B; zero at distance 0 */
} mo_convex_gap;

/* The closest points of two bodies. `start`: where the difference is, roughly. Once they are known
 * to be farther apart than max_distance, the points are any that far apart or farther. */
mo_convex_gap mo_gjk_distance(mo_gjk_support *support, void *body, mo_dvec3 start,
                              double max_distance);

#endif
