/* Contacts of a shape with several others whose surfaces go on in one another: floors that are laid
 * of boxes or meshes side by side. */
#ifndef MO_CONTACT_PAIR_SEAM_H
#define MO_CONTACT_PAIR_SEAM_H

#include "contact/pair/pair.h"

/* A contact as seen from one of its two shapes. */
typedef struct mo_contact_side {
  uint32_t slot;  /* of the shape */
  uint32_t other; /* of the other one */
  bool is_second; /* whether the shape is the second of the contact */
  mo_vec3 normal; /* towards the shape */
  mo_vec3 place;  /* the mean of its points on the other shape's surface, from the shape's origin */
} mo_contact_side;

/* Of a contact with points. */
mo_contact_side mo_contact_side_of(const mo_contact *contact, bool is_second);

/* A shape whose contacts are looked at together. */
typedef struct mo_seam_body {
  const mo_scene *scene;
  uint32_t slot;
  mo_dvec3 origin; /* of its transform: what places are seen from */
  float near;      /* at least what counts as one place */
  float upright;   /* cosine: normals closer to each other than this are one */
} mo_seam_body;

mo_seam_body mo_seam_body_of(const mo_scene *scene, uint32_t slot);

/* The sine between the normal of a contact along a face and that of the face, at most; and the
 * cosine between a normal and one that presses into the face that it points out of. */
#define MO_SEAM_SLIGHT_LEAN 0.05f
#define MO_SEAM_INTO_FACE (-0.5f)

/* Whether normals differ, so that one of two contacts may hide the other. */
static inline bool mo_seam_leans(const mo_seam_body *body, const mo_contact_side *a,
                                 const mo_contact_side *b) {
  float cosine = mo_dot(a->normal, b->normal);
  return cosine <= body->upright && cosine >= MO_SEAM_INTO_FACE;
}

/* Whether a contact may be no higher than the face that a carrier holds the body by. By far most
 * are higher. */
static inline bool mo_seam_is_low(const mo_seam_body *body, const mo_contact_side *side,
                                  const mo_contact_side *carrier) {
  mo_vec3 way = mo_sub(side->place, carrier->place);
  float above = mo_dot(carrier->normal, way) - body->near;
  return !(above > 0.0f) ||
         above * above <= MO_SEAM_SLIGHT_LEAN * MO_SEAM_SLIGHT_LEAN * mo_dot(way, way);
}

/* One of its contacts. */
typedef struct mo_seam_contact {
  const mo_contact_side *side;
  const mo_contact *contact;
} mo_seam_contact;

/* Which points of a contact are none of the surface that its shape and that of another contact, the
 * carrier, have in common, as bits: a point that lies where the carrier, which is along a face,
 * shows that the surface goes on, and from which the normal leans over that face. None but where
 * mo_seam_leans and mo_seam_is_low. The answer depends on these two contacts and on where the three
 * shapes are. */
uint32_t mo_seam_hidden_points(const mo_seam_body *body, mo_seam_contact contact,
                               mo_seam_contact carrier);

#endif
