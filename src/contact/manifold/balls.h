/* Manifolds of balls with balls and boxes by a path of their own, which makes no bodies of them. */
#ifndef MO_CONTACT_MANIFOLD_BALLS_H
#define MO_CONTACT_MANIFOLD_BALLS_H

#include <motte/contact.h>

#include "contact/body/body.h"

/* Of two spheres, or a sphere and a box, neither rounded: as mo_manifold_of, seen from the origin
 * of the first. False where it does not decide, and nothing is written: the ball becomes an
 * ellipsoid, its centre lies in the box or on the other's, or the box is flat or sheared. */
bool mo_balls_manifold(const mo_placed_solid solids[2], double most, mo_manifold *manifold);

#endif
