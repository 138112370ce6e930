/* Moving boxes against others that stand still; all keep the world's axes. */
#ifndef MO_GEOMETRY_CAST_BOUNDS_H
#define MO_GEOMETRY_CAST_BOUNDS_H

#include "geometry/cast/convex.h"

/* The contact of a body's bounds with a box, in closed form in double precision; t may be beyond 1.
 * Where they touch or overlap at the start, t is 0, `depth` leads out by the shortest way along an
 * axis, and `distance` is its negative; else the distance is 0. The normal is that of the side of
 * the box that is touched last, of the lowest axis among equals; the point the middle of the sides'
 * common part. Of a half-space, which has no bounds, the contact of the half-space with the box. */
mo_convex_contact mo_cast_bounds(mo_aabb box, const mo_moving_body *moving);

/* The same with a half-space that stands still in place of the box. */
mo_convex_contact mo_cast_bounds_at_half_space(const mo_half_space_body *still,
                                               const mo_moving_body *moving);

#endif
