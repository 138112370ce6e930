/* Contact points as they are made of candidates. */
#ifndef MO_CONTACT_MANIFOLD_POINTS_H
#define MO_CONTACT_MANIFOLD_POINTS_H

#include "contact/manifold/clip.h"

/* Where candidates are seen from, world; and from there the origins of the two bodies. */
typedef struct mo_point_frame {
  mo_dvec3 reference, origin_a, origin_b;
} mo_point_frame;

void mo_manifold_set(mo_manifold *manifold, const mo_point_frame *frame, mo_dvec3 normal,
                     const mo_candidate *const *from, int count);

/* What of a feature supports its body along n: the id of a vertex, an edge or a face. */
uint32_t mo_contact_supporting(const mo_contact_feature *f, mo_dvec3 n, double size);

#endif
