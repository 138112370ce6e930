/* Internal (ghost) edges between shapes: contacts of a body with several shapes that form one
 * continuous surface, such as a floor made of boxes or meshes side by side. */
#ifndef MO_CONTACT_PAIR_SEAM_H
#define MO_CONTACT_PAIR_SEAM_H

#include "contact/pair/pair.h"

/* A contact from the point of view of one of its two shapes. */
typedef struct mo_contact_side {
  uint32_t slot;  /* of the shape */
  uint32_t other; /* of the other shape */
  bool is_second; /* whether the shape is the second one (`b`) of the contact */
  mo_vec3 normal; /* towards the shape */
  /* the mean of the contact points on the other shape's surface, relative to the shape's origin */
  mo_vec3 place;
} mo_contact_side;

/* `contact` must have points. */
void mo_contact_side_set(mo_contact_side *side, const mo_contact *contact, bool is_second);

/* A shape whose contacts are examined together. */
typedef struct mo_seam_body {
  const mo_scene *scene;
  uint32_t slot;
  mo_dvec3 origin;   /* of its transform; places are relative to it */
  float near;        /* at least the tolerance within which points are the same */
  float same_normal; /* cosine between two normals above which they are the same */
  /* Slots of the shapes whose AABBs touch its own, in any order, and MO_NONE; and the categories of
   * sensors among them. None at first. */
  const uint32_t *partners;
  uint32_t partner_count;
  uint64_t sensor_categories;
  /* Of its own bounds, found by the first contact that needs them: most shapes have none. */
  bool is_measured, is_rounded;
  double min_extent, noise;
} mo_seam_body;

mo_seam_body mo_seam_body_of(const mo_scene *scene, uint32_t slot);

/* MO_SEAM_SLIGHT_LEAN: the greatest sine between the normal of a contact along a face and the face
 * normal. MO_SEAM_INTO_FACE: two contacts whose normals have a cosine below this press from
 * opposite sides, and neither hides the other. */
#define MO_SEAM_SLIGHT_LEAN 0.05f
#define MO_SEAM_INTO_FACE (-0.5f)
/* The cosine between the normals of two contacts below which one is sideways: on a side of its
 * shape, which the other shape covers where they are level. */
#define MO_SEAM_SIDEWAYS 0.70710678f

/* Whether the normals of two contacts differ, so that one contact may hide the other. */
static inline bool mo_seam_leans(const mo_seam_body *body, const mo_contact_side *a,
                                 const mo_contact_side *b) {
  float cosine = mo_dot(a->normal, b->normal);
  return cosine <= body->same_normal && cosine >= MO_SEAM_INTO_FACE;
}

/* A quick test: whether a contact may lie as low as the face of a carrier contact (the contact of a
 * face that supports the body). By far most contacts lie higher, and the exact test is skipped. */
static inline bool mo_seam_is_low(const mo_seam_body *body, const mo_contact_side *side,
                                  const mo_contact_side *carrier) {
  mo_vec3 way = mo_sub(side->place, carrier->place);
  float above = mo_dot(carrier->normal, way) - body->near;
  return !(above > 0.0f) ||
         above * above <= MO_SEAM_SLIGHT_LEAN * MO_SEAM_SLIGHT_LEAN * mo_dot(way, way);
}

/* One contact of a body. */
typedef struct mo_seam_contact {
  const mo_contact_side *side;
  const mo_contact *contact;
} mo_seam_contact;

/* Whether a contact is along a face of the other shape: then it carries the body, and may hide
 * contacts with others. */
bool mo_seam_is_along_face(const mo_seam_body *body, mo_seam_contact contact);

/* Whether a contact that is along a face may be hidden all the same: it is sideways of a carrier,
 * which may cover that face. Others may not: the surface bends there. So of two contacts that are
 * not sideways of each other, never both are hidden. */
static inline bool mo_seam_is_sideways(const mo_contact_side *side,
                                       const mo_contact_side *carrier) {
  return mo_dot(side->normal, carrier->normal) < MO_SEAM_SIDEWAYS;
}

/* Whether some point of a contact is near the AABB of another partner than its own. Only then can
 * it be hidden: seams are where shapes meet. */
bool mo_seam_is_near_others(const mo_seam_body *body, mo_seam_contact contact);

/* Returns a bit mask of the points of `contact` that are hidden by `carrier`, a contact of the body
 * along a face of another shape. A point is hidden if it lies on an internal edge of the union of
 * both shapes: the normal at the point leans over the face of the carrier, and the surface goes on
 * there in the plane of that face. Where the shapes overlap at the point, moving the body out of
 * the carrier also has to move it out of the other shape (contact/pair/seam.c). Only contacts that
 * pass mo_seam_leans and mo_seam_is_low can be hidden; mo_seam_is_along_face holds for all
 * carriers, and for hidden contacts only if they are sideways. The answer depends only on these two
 * contacts, on the poses of the shapes, and on whether that of `contact` can be moved. */
uint32_t mo_seam_hidden_points(mo_seam_body *body, mo_seam_contact contact,
                               mo_seam_contact carrier);

#endif
