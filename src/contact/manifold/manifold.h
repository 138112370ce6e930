/* Manifolds of two bodies. */
#ifndef MO_CONTACT_MANIFOLD_MANIFOLD_H
#define MO_CONTACT_MANIFOLD_MANIFOLD_H

#include <motte/contact.h>

#include "contact/body/body.h"

/* Where two bodies touch, with points up to a separation of `most`. `reference` is what both are
 * seen from, world: positions of points are made from it; anchors go from the origins of the two
 * bodies. `apart`, if not null, is a unit vector along which the bodies may be farther apart, or
 * zero: where they are, nothing else is looked at. If not, it is set to a vector along which they
 * are, or to zero. The answer does not depend on it. */
mo_manifold mo_manifold_of(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 reference,
                           double most, mo_dvec3 *apart);

/* The same along a given unit normal, where the features that meet along it lie over each other. */
mo_manifold mo_manifold_along(const mo_contact_body *a, const mo_contact_body *b,
                              mo_dvec3 reference, double most, mo_dvec3 normal);

#endif
