/* When a moving body reaches an axis-aligned box: a lower bound, for culling. */
#ifndef MO_GEOMETRY_CAST_BOX_ENTRY_H
#define MO_GEOMETRY_CAST_BOX_ENTRY_H

#include "geometry/cast/convex.h"

/* A body that moves, or one around it: the points center + t0 half[0] + t1 half[1] + t2 half[2]
 * with |t| <= 1, rounded by a radius. A ball has no vectors, a capsule one, a box three. */
typedef struct mo_moving_bound {
  mo_dvec3 center; /* at t = 0 */
  mo_dvec3 half[3];
  double inverse_square[3]; /* of their lengths */
  int half_count;
  double radius;
  mo_dvec3 displacement;
} mo_moving_bound;

mo_moving_bound mo_moving_bound_of_ball(const mo_moving_ball *ball);

/* That of a body that is no half-space and does not rotate: the body itself if it is a box that is
 * not rounded, else its bounding capsule. */
mo_moving_bound mo_moving_bound_of_body(const mo_moving_body *moving);

/* A lower bound of the time at which a moving body comes within `margin` of a box, not less than
 * `t`, which is one; INFINITY if it does not. The margin must exceed the rounding error of
 * coordinates. */
double mo_moving_bound_min_time(const mo_moving_bound *moving, mo_aabb box, double t,
                                double margin);

#endif
