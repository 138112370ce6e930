/* The first contact of a moving cylinder or cone with a triangle, in closed form. */
#ifndef MO_GEOMETRY_CAST_CYLINDER_CONE_H
#define MO_GEOMETRY_CAST_CYLINDER_CONE_H

#include "geometry/difference/difference.h"

typedef struct mo_round_contact {
  double t;        /* at least 0 */
  mo_dvec3 normal; /* unit, from the triangle */
  mo_dvec3 point;  /* from the centre of the body at t = 0 */
} mo_round_contact;

/* `between`: of a triangle and a body at t = 0, which may be of any kind. False if the body is no
 * cylinder or cone, if the two do not meet after t = 0, or if no contact was found for lack of
 * precision. For lack of precision, a contact may also be none, or not the first: the caller checks
 * that the triangle is at the point, and that the bodies are not deeper in each other along the
 * normal. */
bool mo_cylinder_cone_meets(const mo_difference *between, mo_dvec3 displacement,
                            mo_round_contact *contact);

#endif
