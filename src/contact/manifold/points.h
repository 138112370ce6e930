/* Makes contact points from candidates, and names the part of a feature that a point lies on. */
#ifndef MO_CONTACT_MANIFOLD_POINTS_H
#define MO_CONTACT_MANIFOLD_POINTS_H

#include "contact/manifold/clip.h"

/* The reference point that candidates are relative to (world), and the origins of the two bodies,
 * relative to the reference point. */
typedef struct mo_point_frame {
  mo_dvec3 reference, origin_a, origin_b;
} mo_point_frame;

/* Makes a manifold of `count` candidates (1 to MO_MAX_MANIFOLD_POINTS). The manifold is touching if
 * the separation of some candidate is not positive. */
void mo_manifold_set(mo_manifold *manifold, const mo_point_frame *frame, mo_dvec3 normal,
                     const mo_candidate *const *from, int count);

/* The id of the part of a feature that supports its body along n: a vertex, an edge or the whole
 * face. `size` is the size of the body, for tolerances. */
uint32_t mo_contact_supporting_id(const mo_contact_feature *f, mo_dvec3 n, double size);

/* The index, in the outline of a feature, of the edge that supports the body along n; negative if a
 * vertex or the whole face supports it. */
int mo_contact_supporting_edge(const mo_contact_feature *f, mo_dvec3 n, double size);

#endif
