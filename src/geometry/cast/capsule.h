/* Moving capsules and triangles: a cheap conservative test of bounding capsules, which rejects most
 * triangles near a path that are not touched, and the first contact. */
#ifndef MO_GEOMETRY_CAST_CAPSULE_H
#define MO_GEOMETRY_CAST_CAPSULE_H

#include "geometry/cast/separating_plane.h"
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

/* When a moving capsule comes near a triangle. */
typedef struct mo_capsule_entry {
  double t;     /* a lower bound: not negative; INFINITY if the two stay apart until the limit */
  mo_dvec3 out; /* if t is positive and finite: from the triangle to the capsule's axis then */
} mo_capsule_entry;

/* The time at which a moving capsule comes within twice `margin` of a triangle. Corners are
 * relative to the capsule's centre at t = 0. The margin (see MO_CAPSULE_RELATIVE_MARGIN) is needed
 * since the planes of sliver triangles are determined by rounding. */
mo_capsule_entry mo_capsule_find_entry(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                                       const mo_dvec3 corners[3], double margin, double limit);

/* Finds the first contact of a moving capsule with a triangle in closed form. Corners are relative
 * to the capsule's centre at t = 0, and so is the point. False if the two do not meet after t = 0.
 * As with mo_cylinder_cone_sweep_triangle, the caller has to check the contact. */
bool mo_capsule_sweep_triangle(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                               const mo_dvec3 corners[3], mo_sweep_contact *contact);

/* The quick part of mo_capsule_find_entry: whether the plane of a triangle, or a plane through one
 * of its edges and perpendicular to it, separates it from a moving capsule until `limit` by more
 * than the margin. */
bool mo_capsule_is_separated(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                             const mo_dvec3 corners[3], double margin, double limit);

#endif
