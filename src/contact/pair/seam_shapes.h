/* What the rule for seams (seam_rule.c) needs of the shapes that meet at a seam: their colliders,
 * bodies and faces. Positions are relative to the origin of the body (mo_seam_body). */
#ifndef MO_CONTACT_PAIR_SEAM_SHAPES_H
#define MO_CONTACT_PAIR_SEAM_SHAPES_H

#include "contact/body/feature.h"
#include "contact/pair/seam.h"

/* Two contacts are along the same face if the cosine between their normals is above this. Round
 * bodies have a stricter limit, but what stands on a flat end is supported by a face of nearly the
 * same normal. */
static const float MO_SEAM_FLAT_SAME_NORMAL_COSINE = 0.9998f;
/* Points closer to a face than this count as on the face. Fraction of the shortest extent of the
 * body or of the longest extent of the other shape, whichever is smaller. */
static const double MO_SEAM_ON_FACE_TOLERANCE = 0x1p-10;

static inline double mo_seam_face_height(const mo_seam_face *face, mo_dvec3 position) {
  return mo_ddot(face->normal, position) - face->offset;
}

/* A contact point on the surface of the other shape. */
mo_dvec3 mo_seam_point_on_other(const mo_seam_contact *contact, uint32_t point);

/* The collider of the body itself. */
mo_collider mo_seam_own_collider(const mo_seam_body *body);

/* The collider of the other shape of a contact; it may keep pointers to `memory`. */
mo_collider mo_seam_other_collider(const mo_seam_body *body, const mo_contact_side *side,
                                   mo_placed_child *memory);

/* Prepares a shape near a body, or the body itself; if it is a mesh, a triangle of it. Returns the
 * shape in the cache of the body, or `memory` if it is not cached. */
mo_seam_shape *mo_seam_shape_of(const mo_seam_body *body, const mo_collider *shape,
                                uint32_t triangle, mo_seam_shape *memory);

/* Prepares the other shape of a contact; if it is a mesh, the triangle of the contact. */
mo_seam_shape *mo_seam_other_shape(const mo_seam_body *body, const mo_collider *other,
                                   const mo_seam_contact *contact, mo_seam_shape *memory);

/* The shape in the cache of a body; null if it is not there. */
mo_seam_shape *mo_seam_find_cached(const mo_seam_body *body, uint32_t slot, uint32_t child);

/* The longest extent of the bounds of a shape, of which `collider` is the collider. */
double mo_seam_max_extent(mo_seam_shape *shape, const mo_collider *collider);

/* The highest point of a body along a unit vector, with its rounding. */
mo_dvec3 mo_seam_rounded_support(const mo_contact_body *body, mo_dvec3 up);

/* The world box with half extents `near` around a position. */
mo_aabb mo_seam_box_around(const mo_seam_body *body, mo_dvec3 position, float near);

/* Sets the members of a body that depend on its bounds, which are expensive to compute. */
void mo_seam_measure_body(mo_seam_body *body);

#endif
