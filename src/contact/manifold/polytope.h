/* Normals of contacts of polytopes. */
#ifndef MO_CONTACT_MANIFOLD_POLYTOPE_H
#define MO_CONTACT_MANIFOLD_POLYTOPE_H

#include "contact/manifold/axis.h"

/* Whether the core of a body is a triangle, a box or a hull that is not large. */
bool mo_contact_body_is_polytope(const mo_contact_body *body);

/* The axis of two such bodies that separates their cores by most: without points; that they are
 * near is not certain where the separation is positive. False where there is none, as both are
 * segments or points. */
bool mo_contact_axis_of_polytopes(const mo_contact_body *a, const mo_contact_body *b, double most,
                                  mo_contact_axis *axis);

#endif
