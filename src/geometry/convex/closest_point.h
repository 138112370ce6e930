/* Points against convex primitives: the point of a body that is closest to a given point, and the
 * shortest translation that takes a point out of a solid. */
#ifndef MO_GEOMETRY_CONVEX_CLOSEST_POINT_H
#define MO_GEOMETRY_CONVEX_CLOSEST_POINT_H

#include "geometry/convex/distance.h"

/* The point of a solid or half-space that is closest to a given world point. */
typedef struct mo_convex_closest {
  double distance; /* 0 if and only if mo_bodies_within finds that the body contains the point */
  mo_dvec3 point;  /* on the body; the given point if the distance is 0 */
  mo_dvec3 normal; /* of unit length, from the body to the given point; zero if the distance is 0 */
} mo_convex_closest;

/* Same result as mo_primitive_closest_point, bit for bit. The distance is never less than that of
 * the point from the bounds, as mo_box_gap2 computes it. So a query can cull boxes by
 * mo_box_gap2 without a margin. */
mo_convex_closest mo_body_closest_point(const mo_body *body, mo_vec3 point);

/* A translation that takes a point out of a solid. */
typedef struct mo_convex_exit {
  mo_dvec3 normal; /* its direction, of unit length */
  double depth;    /* its length: after it, the point touches the solid from outside */
} mo_convex_exit;

/* The shortest translation that takes a point in or on a body out of it, as exact as
 * mo_convex_penetrate. For bodies other than half-spaces, the opposite direction and the direction
 * of -displacement are tried too: of those that are equally short to within rounding, the one most
 * opposed to `displacement` is returned. */
mo_convex_exit mo_body_find_exit(const mo_body *body, mo_dvec3 point, mo_dvec3 displacement);

#endif
