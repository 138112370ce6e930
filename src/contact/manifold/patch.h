/* The manifold of a body with all triangles of a mesh that lie in one plane. */
#ifndef MO_CONTACT_MANIFOLD_PATCH_H
#define MO_CONTACT_MANIFOLD_PATCH_H

#include "contact/manifold/manifold.h"
#include "contact/manifold/points.h"

typedef struct mo_patch {
  const mo_contact_body *body;
  bool body_first; /* the body is A, and the triangles are B; else the other way round */
  mo_dvec3 normal; /* unit, from A to B */
  double max;      /* the greatest separation that contact points may have */
  mo_point_frame frame;
  mo_contact_feature feature; /* supporting feature of the body */
  int corner_count;       /* number of corners of `feature`, or points of its rim, over triangles */
  uint32_t added_corners; /* bit i: corner i, or rim point i, of `feature` has been added */
  uint32_t added_polygon_corners; /* bit i: corner i of the polygon on a rim lies over a triangle */
  mo_dvec3 support_point;         /* the support point of the body towards the triangles */
  uint32_t support_feature_id;    /* the id of the vertex, edge or face that has it */
  bool has_support_candidate;     /* whether `support_point` lies over a triangle, and
                                     `support_candidate` is set */
  mo_candidate support_candidate;
  mo_candidate deepest; /* the deepest of all candidates that clipping has found so far */
  mo_candidates candidates;
} mo_patch;

/* Begins a patch without triangles. Keeps a pointer to the body. */
void mo_patch_begin(mo_patch *patch, const mo_contact_body *body, bool body_first,
                    const mo_point_frame *frame, mo_dvec3 normal, double max);

/* Adds the corners of the body's feature, and its lowest point, if they lie over a triangle.
 * Returns whether the separation of one of them is at most `max`. */
bool mo_patch_add_corners(mo_patch *patch, const mo_contact_body *triangle);

/* Adds all other corners of the intersection of the body's feature with a triangle. `index` is the
 * index of the triangle in its mesh. Returns whether the separation of one of these corners is at
 * most `max`. */
bool mo_patch_add_triangle(mo_patch *patch, const mo_contact_body *triangle, uint32_t index);

/* Whether all corners of the body lie over triangles, so that further triangles change nothing. */
bool mo_patch_covers_supporting_feature(const mo_patch *patch);

/* Writes the manifold: of the common points of the body and the triangles, the corners of their
 * convex hull, reduced to at most four as in any manifold. It has no points if none are near. */
void mo_patch_end(mo_patch *patch, mo_manifold *manifold);

#endif
