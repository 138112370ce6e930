/* Fast path for the manifold of two boxes: in many scenes most contacts are between boxes. */
#ifndef MO_CONTACT_MANIFOLD_BOXES_H
#define MO_CONTACT_MANIFOLD_BOXES_H

#include <motte/contact.h>

#include "base/isa.h"
#include "contact/manifold/manifold.h"
#include "math/four.h"

/* A box without rounding under an affine map, prepared once for use with several other boxes. Lanes
 * 0 to 2 of the vectors belong to its three axes. */
typedef struct mo_contact_box {
  mo_dvec3 origin;      /* of the box's transform, world */
  mo_dvec3 center;      /* centre of the box, relative to `origin` */
  mo_d4vec axis;        /* half axes, from the centre to the faces */
  mo_d4vec face_normal; /* unit normals of the faces that the axes point to */
  mo_d4 length;         /* the lengths of `axis` */
  mo_d4 area;           /* for each axis: the length of the cross product of the other two axes */
  mo_d4 face_plane_distance; /* for each axis: its component along the normal of the face it points
                                to */
  bool is_flat;
} mo_contact_box;

MO_ISA_DECLARE(void, mo_contact_box_set, (mo_contact_box * box, const mo_placed_solid *from));

/* Finds the manifold of two boxes; the same as by mo_manifold_of with the origin of the first as
 * the reference. Returns which general path has to find it, with nothing written, where a box is
 * flat, the faces that are clipped do not overlap where the boxes are deepest, or the boxes meet
 * along edges that are nearly parallel. */
MO_ISA_DECLARE(mo_general_path, mo_boxes_manifold,
               (const mo_contact_box *const boxes[2], double max, mo_manifold *manifold));

#endif
