/* Bounding capsules of moving bodies: a cheap conservative test that rejects most triangles near a
 * path that are not touched.
 */
#ifndef MO_GEOMETRY_CAST_CAPSULE_H
#define MO_GEOMETRY_CAST_CAPSULE_H

#include "geometry/distance/distance.h"

/* All points at most `radius` away from a segment; world. */
typedef struct mo_bounding_capsule {
  mo_dvec3 center; /* of the segment */
  mo_dvec3 half;   /* from the centre to one end of the segment; may be zero */
  double radius;
} mo_bounding_capsule;

/* A bounding capsule of a body. For a capsule or ball that is only translated and scaled, it is the
 * body itself, to within rounding. It is tight around most other shapes, but not around boxes. */
mo_bounding_capsule mo_bounding_capsule_of(const mo_body *body);

/* The smallest legal `margin` of the tests below, relative to the sum of the capsule's size, the
 * triangle's coordinates and the displacement. */
#define MO_CAPSULE_RELATIVE_MARGIN 0x1p-26

/* A lower bound of the t at which a moving capsule comes within `margin` of a triangle: not
 * negative; INFINITY if the two stay farther apart until `limit`. Corners are relative to the
 * capsule's centre at t = 0. The margin (see MO_CAPSULE_RELATIVE_MARGIN) is needed since the planes
 * of sliver triangles are determined by rounding. */
double mo_capsule_entry_time(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                             const mo_dvec3 corners[3], double margin, double limit);

/* The quick part of mo_capsule_entry_time: whether the plane of a triangle, or a plane through one
 * of its edges and perpendicular to it, separates it from a moving capsule until `limit` by more
 * than the margin. */
bool mo_capsule_is_separated(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                             const mo_dvec3 corners[3], double margin, double limit);

#endif
