/* The first contact of a moving cylinder or cone with a triangle, in closed form. */
#ifndef MO_GEOMETRY_CAST_CYLINDER_CONE_H
#define MO_GEOMETRY_CAST_CYLINDER_CONE_H

#include "geometry/cast/separating_plane.h"

/* Finds the first contact. Corners are relative to the centre of the body at t = 0. False if the
 * body is no cylinder or cone, or is rounded, if the two do not meet after t = 0, or if rounding
 * hides the contact. Rounding may also give a false contact, or a later one: the caller has to
 * check that the triangle is at the point, and that the two are apart along the normal. */
bool mo_cylinder_cone_sweep_triangle(const mo_body *body, const mo_dvec3 corners[3],
                                     mo_dvec3 displacement, mo_sweep_contact *contact);

#endif
