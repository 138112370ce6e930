/* Internal (ghost) edges between shapes: contacts of a body with several shapes that form one
 * continuous surface, such as a floor made of boxes or meshes side by side. Each child of a
 * compound counts as a shape of its own: as body, as supporter and as neighbour. */
#ifndef MO_CONTACT_PAIR_SEAM_H
#define MO_CONTACT_PAIR_SEAM_H

#include "contact/pair/children.h"
#include "math/four.h"

/* The two shapes of a contact, as seen from one of them. */
typedef struct mo_contact_side {
  uint32_t slot, child;        /* the slot of this shape, and the number of its child; or 0 */
  uint32_t other, other_child; /* those of the other shape */
  bool is_second;              /* whether this shape is the second one (`b`) of the contact */
} mo_contact_side;

/* A contact as seen from its second shape, or from its first. */
static inline mo_contact_side mo_contact_side_of(const mo_contact *c, bool is_second) {
  return (mo_contact_side){is_second ? c->b.index : c->a.index, is_second ? c->child_b : c->child_a,
                           is_second ? c->a.index : c->b.index, is_second ? c->child_a : c->child_b,
                           is_second};
}

/* Whether two contacts of a body are with the same shape, or with the same child of it. */
static inline bool mo_are_contacts_with_same_shape(const mo_contact_side *a,
                                                   const mo_contact_side *b) {
  return a->other == b->other && a->other_child == b->other_child;
}

/* A shape near a body, or the body itself, as the rule for seams needs it. */
typedef struct mo_seam_shape {
  uint32_t slot, child; /* its slot, and the number of its child; or 0 */
  double max_extent;    /* the longest extent of its bounds; negative: not computed yet */
  mo_contact_body body; /* relative to the origin of the body; of a mesh: one triangle */
} mo_seam_shape;

enum { MO_SEAM_CACHED_SHAPES = 24 };

/* The first convex shapes that the rule needs for a body, as it needs most of them for several
 * contacts. In a pyramid of boxes this saves 6 % of an update of contacts. */
typedef struct mo_seam_shape_cache {
  uint32_t count;
  mo_seam_shape items[MO_SEAM_CACHED_SHAPES];
} mo_seam_shape_cache;

/* A body whose contacts with several other shapes are compared, to hide points at seams: a shape or
 * a child of a shape. */
typedef struct mo_seam_body {
  const mo_scene *scene;
  uint32_t slot;
  const mo_placed_child *child; /* null: the shape itself */
  mo_dvec3
      origin; /* origin of the transform of the shape in `slot`, which points are relative to */
  float point_tolerance;    /* upper bound of the distance within which points count as the same */
  float max_depth;          /* the greatest depth of a contact point of the body */
  float same_normal_cosine; /* normals with a greater cosine between them count as the same */
  /* A shape counts as supporting the body by a face if the cosine between the contact normal and
   * the face's normal is above this. */
  float min_supporter_cosine;
  /* Slots of the shapes whose AABBs touch the body's AABB, in any order, with MO_NONE for none; and
   * the categories of sensors. There are none at first. */
  const uint32_t *partners;
  uint32_t partner_count;
  uint64_t sensor_categories;
  mo_seam_shape_cache *cache; /* null at first: no shapes are cached */
  /* The following members are computed only when a contact needs them. */
  bool is_measured; /* whether the following members are set */
  bool is_rounded;
  double min_extent; /* the shortest extent of the body's bounds */
  double
      coordinate_error_bound; /* the greatest gap that rounding of the body's coordinates causes */
} mo_seam_body;

/* The face of a shape. Positions are relative to the origin of the body that touches it. */
typedef struct mo_seam_face {
  mo_dvec3 normal; /* unit, towards the body; zero: the shape has no such face */
  double offset;   /* offset of the face's plane from the body's origin, along `normal` */
} mo_seam_face;

/* One contact of a body. */
typedef struct mo_seam_contact {
  mo_contact_side side; /* the body, and the shape that it touches */
  const mo_contact *contact;
  mo_vec3 normal;     /* contact normal, towards the body */
  mo_vec3 mean_point; /* of the contact points on the other shape's surface */
  /* The following members are set when they are needed first (mo_seam_face_of). */
  bool knows_face;
  mo_seam_face face;  /* the face of the other shape whose normal is closest to the contact's */
  double face_cosine; /* the cosine between both normals */
} mo_seam_contact;

/* Sets `normal` and `mean_point` from the contact, which must have points. Returns the greatest
 * depth of a point; at least 0. */
float mo_seam_contact_measure(mo_seam_contact *contact);

/* The face of the other shape whose normal is closest to that of the contact. */
const mo_seam_face *mo_seam_face_of(const mo_seam_body *body, mo_seam_contact *contact);

/* The body in a slot or, if `child` is not null, a child of it; `child` must outlive the body. */
mo_seam_body mo_seam_body_of(const mo_scene *scene, uint32_t slot, const mo_placed_child *child);

/* The greatest sine between a face normal and the normal of a contact that counts as along the
 * face. */
#define MO_SEAM_MAX_TILT_SINE 0.05f
/* Two contacts press on the body from opposite sides if the cosine between their normals is below
 * this: then neither hides the other. */
#define MO_SEAM_MAX_OPPOSITE_COSINE (-0.5f)
/* A contact is sideways of another one if the cosine between their normals is below this: it is on
 * a side of its shape that the shape of the other contact may cover. */
#define MO_SEAM_MAX_SIDEWAYS_COSINE 0.70710678f

/* Whether the normals of two contacts differ but are not opposite: then one contact may hide the
 * other. */
static inline bool mo_seam_normals_allow_hiding(const mo_seam_body *body, const mo_seam_contact *a,
                                                const mo_seam_contact *b) {
  float cosine = mo_dot(a->normal, b->normal);
  return cosine <= body->same_normal_cosine && cosine >= MO_SEAM_MAX_OPPOSITE_COSINE;
}

/* Four contacts of a body, a lane for each, for quick tests: their members of the same names. */
typedef struct mo_seam_group {
  mo_f4 normal[3], mean_point[3];
} mo_seam_group;

/* The dot products of four vectors. */
static inline mo_f4 mo_seam_dot(const mo_f4 *a, const mo_f4 *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns a bit for each contact of a group that passes two quick tests of whether it may be hidden
 * by `supporter`, a contact with a face that supports the body: the normals allow it, and the
 * contact may lie as low as that face. Most contacts lie higher, and need no exact test. */
static inline uint32_t mo_seam_find_low_contacts(const mo_seam_body *body,
                                                 const mo_seam_group *group,
                                                 const mo_seam_contact *supporter) {
  const mo_vec3 n = supporter->normal, p = supporter->mean_point;
  const mo_f4 normal[3] = {mo_f4_splat(n.x), mo_f4_splat(n.y), mo_f4_splat(n.z)};
  const mo_f4 offset[3] = {group->mean_point[0] - p.x, group->mean_point[1] - p.y,
                           group->mean_point[2] - p.z};
  const mo_f4 cosine = mo_seam_dot(group->normal, normal),
              above = mo_seam_dot(normal, offset) - body->point_tolerance,
              max2 = MO_SEAM_MAX_TILT_SINE * MO_SEAM_MAX_TILT_SINE * mo_seam_dot(offset, offset);
  return mo_i4_bits((cosine <= body->same_normal_cosine) & (cosine >= MO_SEAM_MAX_OPPOSITE_COSINE) &
                    (~(above > 0.0f) | (above * above <= max2)));
}

/* Whether the normal of a contact is that of a face of the other shape. */
static inline bool mo_seam_is_along_face(const mo_seam_body *body, mo_seam_contact *contact) {
  mo_seam_face_of(body, contact);
  return contact->face_cosine > (double)body->same_normal_cosine;
}

/* Whether the other shape of a contact supports the body by a face, so that this contact may hide
 * contacts with other shapes. */
static inline bool mo_seam_is_supporter(const mo_seam_body *body, mo_seam_contact *contact) {
  mo_seam_face_of(body, contact);
  return contact->face_cosine > (double)body->min_supporter_cosine;
}

/* Whether a contact is sideways of `supporter`, the contact that may hide it (see
 * MO_SEAM_MAX_SIDEWAYS_COSINE). A contact along a face can be hidden only if it is, as the
 * supporting shape may then cover that face. */
static inline bool mo_seam_is_sideways(const mo_seam_contact *contact,
                                       const mo_seam_contact *supporter) {
  return mo_dot(contact->normal, supporter->normal) < MO_SEAM_MAX_SIDEWAYS_COSINE;
}

/* Whether `visit` returns true for some shape that may collide with the body and whose AABB meets
 * the box `around`; null: whether there is such a shape. The other shape of the contact `side` does
 * not count, and children count in place of compounds. `visit` receives the slot of the shape or,
 * if it is a child, that of its compound. (seam_partners.c) */
bool mo_seam_find_partner(const mo_seam_body *body, const mo_contact_side *side, mo_aabb around,
                          bool (*visit)(uint32_t slot, const mo_placed_child *child, void *context),
                          void *context);

/* Whether some point of a contact is near the AABB of a shape that touches the body's AABB, other
 * than the contact's own shape. Only then can the contact be hidden, as seams are where shapes
 * meet. That shape's face may be above the point, by up to the depth of the body in it. */
bool mo_seam_is_near_others(const mo_seam_body *body, const mo_seam_contact *contact);

/* Returns a bit mask of the points of `contact` that are hidden by `supporter`, a contact of the
 * body with a face of another shape (mo_seam_is_supporter). A point is hidden if it lies on an
 * internal edge of the union of both shapes: the normal at the point leans over the face of the
 * supporter, and the surface goes on there in the plane of that face. Where the shapes overlap at
 * the point, moving the body out of the supporter also has to move it out of the other shape
 * (contact/pair/seam_rule.c). Only contacts that mo_seam_find_low_contacts finds can be hidden, and
 * of those along a face only such as are sideways. The answer depends only on these two contacts,
 * on the poses of the shapes, and on whether that of `contact` can be moved. */
uint32_t mo_seam_find_hidden_points(mo_seam_body *body, mo_seam_contact *contact,
                                    mo_seam_contact *supporter);

#endif
