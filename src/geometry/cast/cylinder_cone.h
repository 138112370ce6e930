/* The first contact of a moving cylinder or cone with a triangle, in closed form. */
#ifndef MO_GEOMETRY_CAST_CYLINDER_CONE_H
#define MO_GEOMETRY_CAST_CYLINDER_CONE_H

#include "geometry/difference/difference.h"

/* Where a moving body meets a triangle. */
typedef struct mo_sweep_contact {
  double t;        /* time of contact, at least 0 */
  mo_dvec3 normal; /* unit, from the triangle to the body */
  mo_dvec3 point;  /* relative to the centre of the body at t = 0 */
} mo_sweep_contact;

/* Finds the first contact. `between`: the Minkowski difference of the triangle and the body at t =
 * 0. False if the body is no cylinder or cone, or is rounded, if the two do not meet after t = 0,
 * or if rounding hides the contact. Rounding may also give a false contact, or a later one: the
 * caller has to check that the triangle is at the point, and that the two are apart along the
 * normal. */
bool mo_cylinder_cone_sweep_triangle(const mo_body *body, const mo_difference *between,
                                     mo_dvec3 displacement, mo_sweep_contact *contact);

#endif
