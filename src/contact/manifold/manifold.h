/* Contact manifolds of two bodies. */
#ifndef MO_CONTACT_MANIFOLD_MANIFOLD_H
#define MO_CONTACT_MANIFOLD_MANIFOLD_H

#include <motte/contact.h>

#include "contact/body/body.h"

/* The contact manifold of two bodies, with points up to a separation of `max`. `reference` (world)
 * is the point that both bodies are relative to. Anchors are relative to the origins of the two
 * bodies. `last_axis`, if not null, is the axis that an earlier call gave: a unit vector, or zero.
 * If the bodies are still too far apart along it for contacts, the call returns at once without
 * points; else a search for the normal by separating axes starts there. `last_axis` receives a
 * separating axis if one was found; if the bodies are in contact and their normal was found by
 * separating axes, that normal; or zero. The manifold does not depend on `last_axis`. */
mo_manifold mo_manifold_of(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 reference,
                           double max, mo_dvec3 *last_axis);

/* The same manifold as by mo_manifold_of for bodies that are apart, and whose faces do not overlap
 * along the axis that separates them most: so the normal is that of the closest points. */
mo_manifold mo_manifold_by_distance(const mo_contact_body *a, const mo_contact_body *b,
                                    mo_dvec3 reference, double max);

/* What a fast path for some kinds of bodies leaves to do. */
typedef enum mo_general_path {
  MO_GENERAL_PATH_NONE, /* the manifold has been found */
  MO_GENERAL_PATH_BY_DISTANCE,
  MO_GENERAL_PATH_FULL,
} mo_general_path;

/* The manifold along a given unit normal (from A to B). It has points only where the supporting
 * features along that normal overlap. */
mo_manifold mo_manifold_along(const mo_contact_body *a, const mo_contact_body *b,
                              mo_dvec3 reference, double max, mo_dvec3 normal);

#endif
