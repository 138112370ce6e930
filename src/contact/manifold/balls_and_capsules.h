/* Fast path for manifolds of balls with balls, capsules and boxes, and of two capsules: makes no
 * contact bodies. */
#ifndef MO_CONTACT_MANIFOLD_BALLS_AND_CAPSULES_H
#define MO_CONTACT_MANIFOLD_BALLS_AND_CAPSULES_H

#include <motte/contact.h>

#include "contact/body/body.h"

/* The manifold of spheres and capsules, or of a sphere and a box, not rounded; the same as by
 * mo_manifold_of with the origin of the first as the reference. Returns false, with nothing
 * written, where the general path is needed: a ball has a radius of 0 or is mapped to an ellipsoid,
 * centres or axes touch, a centre lies in the box, two capsules may be parallel as seen along
 * the normal, or the box is flat or sheared. */
bool mo_manifold_of_balls_and_capsules(const mo_placed_solid solids[2], double max,
                                       mo_manifold *manifold);

#endif
