/* The part of a body that supports it along a normal: a face with its outline, a line, or a point.
 */
#ifndef MO_CONTACT_BODY_FEATURE_H
#define MO_CONTACT_BODY_FEATURE_H

#include <motte/distance.h>

#include "contact/body/body.h"

enum { MO_MAX_OUTLINE = 32, MO_RIM_POINTS = 5 };

typedef struct mo_contact_feature {
  int count; /* of the outline: 1: a point, 2: a line, more: a face, in order around it */
  mo_dvec3 outline[MO_MAX_OUTLINE];
  uint32_t vertex[MO_MAX_OUTLINE]; /* ids of corners */
  uint32_t edge[MO_MAX_OUTLINE];   /* ids of edges, from corner i to the next */
  mo_dvec3 normal;                 /* of a face: unit, at most 90 degrees from that along which it
                                      supports */
  uint32_t face;                   /* id of the whole */
  /* Of a round face, the outline is a polygon on its rim, whose corners mean nothing: contact
   * points are these. */
  int rim_count; /* 0: not round */
  mo_dvec3 rim[MO_RIM_POINTS];
  uint32_t rim_id[MO_RIM_POINTS];
} mo_contact_feature;

/* Half of an id of a point (mo_manifold_point). */
static inline uint32_t mo_feature_id(mo_feature kind, uint32_t index) {
  return (uint32_t)kind << 30 | (index & 0x3fffffffu);
}

/* The feature of a body along a unit normal, rounding included. A face is the one that is most
 * aligned with the normal; where none is within some 80 degrees of it, the line or point of it that
 * is farthest. */
void mo_contact_feature_of(mo_contact_feature *feature, const mo_contact_body *body, mo_dvec3 n);

/* The normal of the face that would be taken; zero where there is no face. */
mo_dvec3 mo_contact_face_normal(const mo_contact_body *body, mo_dvec3 n);

#endif
