/* Manifolds of two boxes by a path of their own, as most contacts of many scenes are theirs. */
#ifndef MO_CONTACT_MANIFOLD_BOXES_H
#define MO_CONTACT_MANIFOLD_BOXES_H

#include <motte/contact.h>

#include "base/isa.h"
#include "geometry/solid.h"

/* A solid of the kind box, not rounded, and its map to the world. */
typedef struct mo_contact_box {
  const mo_solid *solid;
  const mo_transform *map;
} mo_contact_box;

/* As mo_manifold_of, seen from the origin of the first. False where it does not decide, and nothing
 * is written: a box is flat, or the features that meet along the normal do not lie over each
 * other where the boxes are deepest. */
MO_ISA_DECLARE(bool, mo_boxes_manifold,
               (const mo_contact_box boxes[2], double most, mo_manifold *manifold));

#endif
