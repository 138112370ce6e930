/* Casts of moving AABBs against stationary AABBs (world axes). */
#ifndef MO_GEOMETRY_CAST_BOUNDS_H
#define MO_GEOMETRY_CAST_BOUNDS_H

#include "geometry/cast/convex.h"

/* The contact of a body's bounds with a box, in closed form in double precision; t may be beyond 1.
 * If they touch or overlap at the start, t is 0, `depth` is the length of the shortest way out
 * along an axis, and `distance` is its negative; else the distance is 0. The normal is that of the
 * side of the box that is reached last, and of the lowest axis if several are reached at once. The
 * point is the middle of the area where the two sides touch. A half-space has no bounds: the
 * contact is that of the half-space itself with the box. */
mo_convex_contact mo_cast_bounds(mo_aabb box, const mo_moving_body *moving);

/* As mo_cast_bounds, for a stationary half-space in place of the box. */
mo_convex_contact mo_cast_bounds_at_half_space(const mo_half_space_body *still,
                                               const mo_moving_body *moving);

#endif
