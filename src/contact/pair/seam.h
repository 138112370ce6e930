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
  /* of the contact points on the other shape's surface, relative to the shape's origin */
  mo_vec3 mean_point;
} mo_contact_side;

/* `contact` must have points. */
void mo_contact_side_set(mo_contact_side *side, const mo_contact *contact, bool is_second);

/* A shape whose contacts are examined together. */
typedef struct mo_seam_body {
  const mo_scene *scene;
  uint32_t slot;
  mo_dvec3 origin;          /* of its transform; points are relative to it */
  float point_tolerance;    /* at least the distance within which points are the same */
  float same_normal_cosine; /* normals are the same if their cosine is above this */
  /* Slots of the shapes whose AABBs touch its own, in any order, and MO_NONE; and the categories of
   * shapes that are sensors. None at first. */
  const uint32_t *partners;
  uint32_t partner_count;
  uint64_t sensor_categories;
  /* Set by the first contact that needs them, as most shapes have none that does. */
  bool is_measured; /* whether these are set */
  bool is_rounded;
  double min_extent; /* of its bounds */
  double noise;      /* the gap that the rounding of its coordinates may cause */
} mo_seam_body;

mo_seam_body mo_seam_body_of(const mo_scene *scene, uint32_t slot);

/* The greatest sine between the normal of a contact along a face and the face normal. */
#define MO_SEAM_MAX_TILT_SINE 0.05f
/* Two contacts whose normals have a cosine below this press from opposite sides: neither hides the
 * other. */
#define MO_SEAM_OPPOSITE_COSINE (-0.5f)
/* The cosine between the normals of two contacts below which one is sideways: on a side of its
 * shape, which the other shape covers up to its own height. */
#define MO_SEAM_SIDEWAYS_COSINE 0.70710678f

/* Whether the normals of two contacts differ, so that one contact may hide the other. */
static inline bool mo_seam_normals_differ(const mo_seam_body *body, const mo_contact_side *a,
                                          const mo_contact_side *b) {
  float cosine = mo_dot(a->normal, b->normal);
  return cosine <= body->same_normal_cosine && cosine >= MO_SEAM_OPPOSITE_COSINE;
}

/* A quick test: whether a contact may lie as low as the face of the carrier, the contact with a
 * face that supports the body. Most contacts lie higher, and need no exact test. */
static inline bool mo_seam_may_be_at_face_height(const mo_seam_body *body,
                                                 const mo_contact_side *side,
                                                 const mo_contact_side *carrier) {
  mo_vec3 way = mo_sub(side->mean_point, carrier->mean_point);
  float above = mo_dot(carrier->normal, way) - body->point_tolerance;
  return !(above > 0.0f) ||
         above * above <= MO_SEAM_MAX_TILT_SINE * MO_SEAM_MAX_TILT_SINE * mo_dot(way, way);
}

/* One contact of a body. */
typedef struct mo_seam_contact {
  const mo_contact_side *side;
  const mo_contact *contact;
} mo_seam_contact;

/* Whether a contact is along a face of the other shape: then it carries the body, and may hide
 * contacts with others. */
bool mo_seam_is_along_face(const mo_seam_body *body, mo_seam_contact contact);

/* Whether a contact that is along a face may be hidden all the same: it is sideways of the carrier,
 * which may cover that face. Elsewhere the surface bends. So of two contacts that are not sideways
 * of each other, at most one is hidden. */
static inline bool mo_seam_is_sideways(const mo_contact_side *side,
                                       const mo_contact_side *carrier) {
  return mo_dot(side->normal, carrier->normal) < MO_SEAM_SIDEWAYS_COSINE;
}

/* Whether some point of a contact is near the AABB of another partner than its own. Only then can
 * it be hidden: seams are where shapes meet. */
bool mo_seam_is_near_others(const mo_seam_body *body, mo_seam_contact contact);

/* Returns a bit mask of the points of `contact` that are hidden by `carrier`, a contact of the body
 * along a face of another shape. A point is hidden if it lies on an internal edge of the union of
 * both shapes: the normal at the point leans over the face of the carrier, and the surface goes on
 * there in the plane of that face. Where the shapes overlap at the point, moving the body out of
 * the carrier also has to move it out of the other shape (contact/pair/seam.c). Only contacts that
 * pass mo_seam_normals_differ and mo_seam_may_be_at_face_height can be hidden;
 * mo_seam_is_along_face holds for all carriers, and for hidden contacts only if they are sideways.
 * The answer depends only on these two contacts, on the poses of the shapes, and on whether that of
 * `contact` can be moved. */
uint32_t mo_seam_hidden_points(mo_seam_body *body, mo_seam_contact contact,
                               mo_seam_contact carrier);

#endif
