/* A body on triangles that lie in one plane: one manifold with all of them. */
#ifndef MO_CONTACT_MANIFOLD_PATCH_H
#define MO_CONTACT_MANIFOLD_PATCH_H

#include "contact/manifold/manifold.h"
#include "contact/manifold/points.h"

typedef struct mo_patch {
  const mo_contact_body *body;
  bool body_first; /* whether the body is A, and the triangles are B */
  mo_dvec3 normal; /* unit, from A to B */
  double most;     /* the greatest separation of a contact */
  mo_point_frame frame;
  mo_contact_feature feature; /* of the body */
  int own_count;              /* corners of the body, or points of its rim, over triangles */
  uint32_t own_seen;          /* bit i: corner i, or rim point i, has been added */
  uint32_t marks;             /* bit i: corner i of the polygon on a rim lies over a triangle */
  mo_dvec3 lowest;            /* what of the body is farthest along the normal */
  uint32_t lowest_id;
  bool has_lowest; /* it lies over a triangle */
  mo_candidate lowest_point, deepest;
  mo_candidates candidates;
} mo_patch;

/* No triangles yet. Refers to the body. */
void mo_patch_begin(mo_patch *patch, const mo_contact_body *body, bool body_first,
                    const mo_point_frame *frame, mo_dvec3 normal, double most);

/* Adds corners of the body, and its lowest point, that lie over a triangle; whether one of them is
 * at most `most` away. */
bool mo_patch_add_corners(mo_patch *patch, const mo_contact_body *triangle);

/* Adds all else that the body and a triangle have in common, which is the `index`th of its mesh.
 * Whether some of it is at most `most` away. */
bool mo_patch_add(mo_patch *patch, const mo_contact_body *triangle, uint32_t index);

/* Whether further triangles change nothing: all corners of the body lie over triangles. */
bool mo_patch_is_complete(const mo_patch *patch);

/* Of the common points of the body and the triangles, the corners of their convex hull; of these at
 * most four, as of any manifold. No points where none are near. */
void mo_patch_end(mo_patch *patch, mo_manifold *manifold);

#endif
