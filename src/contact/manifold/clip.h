/* Clips the supporting features of two bodies against each other, projected along the normal: gives
 * the candidates for contact points. */
#ifndef MO_CONTACT_MANIFOLD_CLIP_H
#define MO_CONTACT_MANIFOLD_CLIP_H

#include <motte/contact.h>

#include "base/isa.h"
#include "contact/body/feature.h"

/* How many candidates clipping can find: the corners of both outlines, two crossings for each side
 * of one outline, and one more point (the closest or deepest). */
enum { MO_MAX_CANDIDATES = 4 * MO_MAX_OUTLINE_CORNERS + 1 };

/* A point that may become a contact point of a manifold. */
typedef struct mo_candidate {
  double x, y;       /* coordinates in the plane perpendicular to the normal */
  mo_dvec3 position; /* halfway between the surfaces of A and B */
  double separation;
  uint64_t id;
} mo_candidate;

typedef struct mo_candidates {
  int count;
  mo_candidate items[MO_MAX_CANDIDATES];
} mo_candidates;

/* The parameters of clipping two features. */
typedef struct mo_clip {
  mo_dvec3 normal; /* unit, from A to B */
  double max;      /* the greatest separation that contact points may have */
  double size;     /* summed sizes of the bodies, for tolerances */
  /* Whether one feature is a triangle of a surface that continues in other triangles, so that
   * points on its outline are not at the border of the surface. */
  bool surface_continues;
} mo_clip;

/* The id of a contact point, from the ids of the features of A and B that meet there. */
static inline uint64_t mo_contact_id(uint32_t a, uint32_t b) {
  return (uint64_t)a << 32 | b;
}

/* A number by which ids are ordered. The order does not change when the two halves of all ids are
 * exchanged (A and B swapped), except between two ids that differ only by that exchange: those have
 * the same number. */
static inline uint64_t mo_contact_id_order(uint64_t id) {
  const uint32_t a = (uint32_t)(id >> 32), b = (uint32_t)id;
  return (uint64_t) ~(a > b ? a : b) << 32 | (a > b ? b : a);
}

/* Whether id a comes before id b: by mo_contact_id_order; ids with the same number by themselves.
 */
static inline bool mo_contact_id_before(uint64_t a, uint64_t b) {
  const uint64_t order_a = mo_contact_id_order(a), order_b = mo_contact_id_order(b);
  return order_a != order_b ? order_a < order_b : a < b;
}

/* A frame with the contact normal as its third axis. */
typedef struct mo_contact_frame {
  mo_dvec3 u, v, n;
} mo_contact_frame;

static inline mo_contact_frame mo_contact_frame_of(mo_dvec3 n) {
  mo_dvec3 u = mo_dunit(mo_dcross(n, mo_most_perpendicular_axis(n)));
  return (mo_contact_frame){u, mo_dcross(n, u), n};
}

/* Intersects feature `a` of body A with feature `b` of body B, as projected along the normal. Gives
 * no candidates where the features do not overlap, and where one of them is a vertex. */
void mo_clip_features(const mo_clip *clip, const mo_contact_feature *a, const mo_contact_feature *b,
                      mo_candidates *candidates);
MO_ISA_DECLARE(void, mo_clip_features,
               (const mo_clip *clip, const mo_contact_feature *a, const mo_contact_feature *b,
                mo_candidates *candidates));

/* Sets `x` and `y` of a candidate from its position. */
void mo_candidate_project(mo_dvec3 normal, mo_candidate *candidate);

#endif
