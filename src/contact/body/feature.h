/* The feature that supports a body along a normal: a face with its outline, an edge, or a vertex.
 */
#ifndef MO_CONTACT_BODY_FEATURE_H
#define MO_CONTACT_BODY_FEATURE_H

#include <motte/distance.h>

#include "contact/body/body.h"

enum { MO_MAX_OUTLINE_CORNERS = 32, MO_MAX_RIM_POINTS = 5 };

typedef struct mo_contact_feature {
  int count; /* corners of the outline; 1: a vertex, 2: an edge, more: a face, in cyclic order */
  mo_dvec3 outline[MO_MAX_OUTLINE_CORNERS];
  uint32_t vertex[MO_MAX_OUTLINE_CORNERS]; /* ids of the corners */
  uint32_t edge[MO_MAX_OUTLINE_CORNERS];   /* ids of the edges; edge i begins at corner i */
  /* of a face only: unit, at most 90 degrees from the direction that the face supports */
  mo_dvec3 normal;
  uint32_t face; /* id of the feature as a whole */
  /* A round face (the end of a cylinder or cone) has a regular polygon on its rim as outline, whose
   * corners are not features. Contact points are taken from `rim` instead. */
  int rim_count; /* the number of points in `rim`; 0: not a round face */
  mo_dvec3 rim[MO_MAX_RIM_POINTS];
  uint32_t rim_id[MO_MAX_RIM_POINTS]; /* vertex ids of the points in `rim` */
} mo_contact_feature;

/* The id of a vertex, edge or face of one body: half of the id of a contact point
 * (mo_manifold_point). */
static inline uint32_t mo_feature_id(mo_feature kind, uint32_t index) {
  return (uint32_t)kind << 30 | (index & 0x3fffffffu);
}

/* Finds the feature of a body that supports it along the unit normal n, with the rounding added to
 * the feature's points. The feature is the face whose normal is closest to n; or if that normal is
 * more than some 80 degrees from n, the edge or vertex of that face that is farthest along n. */
void mo_contact_feature_of(mo_contact_feature *feature, const mo_contact_body *body, mo_dvec3 n);

/* As mo_contact_feature_of. `face`: the index of the hull face whose normal is closest to n, or
 * MO_NONE if not known. */
void mo_contact_feature_of_face(mo_contact_feature *feature, const mo_contact_body *body,
                                uint32_t face, mo_dvec3 n);

/* Finds the face `beside` that shares edge number `edge` with the face `f`, which
 * mo_contact_feature_of has found along n; the edge supports the body along n. Returns false if the
 * normal of that face is 89 degrees or more from n, or if the body is neither a box nor a hull. */
bool mo_contact_adjacent_face(mo_contact_feature *beside, const mo_contact_body *body,
                              const mo_contact_feature *f, int edge, mo_dvec3 n);

/* The normal of the face that mo_contact_feature_of would choose; zero if the body has no face. */
mo_dvec3 mo_contact_face_normal(const mo_contact_body *body, mo_dvec3 n);

#endif
