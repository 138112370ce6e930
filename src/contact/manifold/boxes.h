/* Fast path for manifolds of two boxes, as in many scenes most contacts are between boxes. */
#ifndef MO_CONTACT_MANIFOLD_BOXES_H
#define MO_CONTACT_MANIFOLD_BOXES_H

#include <motte/contact.h>

#include "base/isa.h"
#include "contact/body/body.h"

/* The manifold of two boxes that are not rounded; the same as by mo_manifold_of with the origin of
 * the first as the reference. Returns false, with nothing written, where the general path is
 * needed: a box is flat, the faces along the normal do not overlap where the boxes are deepest, or
 * the boxes meet along edges that are nearly parallel. */
MO_ISA_DECLARE(bool, mo_boxes_manifold,
               (const mo_placed_solid boxes[2], double max, mo_manifold *manifold));

#endif
