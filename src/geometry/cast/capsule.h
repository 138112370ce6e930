/* Capsules around moving bodies: they tell most triangles near a path from those that are touched.
 */
#ifndef MO_GEOMETRY_CAST_CAPSULE_H
#define MO_GEOMETRY_CAST_CAPSULE_H

#include "geometry/convex/distance.h"

/* All points at most `radius` away from a segment; world. */
typedef struct mo_around {
  mo_dvec3 center; /* of the segment */
  mo_dvec3 half;   /* from there to one end; may be zero */
  double radius;
} mo_around;

/* A capsule around a body. It is the body itself, to within rounding, if that is a capsule or ball
 * under a map that moves and scales; small around most other shapes, but not around boxes. */
mo_around mo_capsule_around(const mo_distance_body *body);

#define MO_CAPSULE_MARGIN 0x1p-26

/* A lower bound on the t at which a moving capsule comes to within `margin` of a triangle: not
 * negative; INFINITY if it does not until `limit`. Corners are relative to the capsule's centre at
 * t = 0. The margin is MO_CAPSULE_MARGIN times the sizes, the corners and the displacement at
 * least, as slivers have planes of rounding. */
double mo_capsule_enters(const mo_around *capsule, mo_dvec3 displacement, const mo_dvec3 corners[3],
                         double margin, double limit);

/* Whether the plane of a triangle, or one across it along an edge, keeps it apart from a moving
 * capsule until `limit` by more than the margin: the quick part of the above. */
bool mo_capsule_is_parted(const mo_around *capsule, mo_dvec3 displacement,
                          const mo_dvec3 corners[3], double margin, double limit);

#endif
