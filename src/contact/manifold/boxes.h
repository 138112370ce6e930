/* Manifolds of two boxes by a path of their own, as most contacts of many scenes are theirs. */
#ifndef MO_CONTACT_MANIFOLD_BOXES_H
#define MO_CONTACT_MANIFOLD_BOXES_H

#include <motte/contact.h>

#include "base/isa.h"
#include "contact/body/body.h"

/* Of two boxes that are not rounded: as mo_manifold_of, seen from the origin of the first. False
 * where it does not decide, and nothing is written: a box is flat, or the features that meet along
 * the normal do not lie over each other where the boxes are deepest. */
MO_ISA_DECLARE(bool, mo_boxes_manifold,
               (const mo_placed_solid boxes[2], double most, mo_manifold *manifold));

#endif
