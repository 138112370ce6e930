/* Contacts along edges that are nearly parallel. */
#ifndef MO_CONTACT_MANIFOLD_RIDGE_H
#define MO_CONTACT_MANIFOLD_RIDGE_H

#include "contact/manifold/clip.h"

/* Sine of an angle: edges that cross at a larger angle are not nearly parallel. */
#define MO_NEARLY_PARALLEL_EDGES_SINE 0x1p-2

/* Fraction of half of the shorter of two edges. If the bodies are close enough for contacts only up
 * to this distance from where the edges cross, one contact point there is enough. */
#define MO_LONG_RIDGE_FRACTION 0x1p-3

/* Whether two edges are nearly parallel, and close enough for contacts along more than the fraction
 * MO_LONG_RIDGE_FRACTION of the shorter one. `sine`: of the angle between them; `slope`: the
 * smallest slope (tangent) of a face beside the edges, against the plane of both edges; `room`: how
 * much the separation may grow from where the edges cross; `half`: half the length of the shorter
 * edge. */
static inline bool mo_ridge_contact_is_long(double sine, double slope, double room, double half) {
  return sine < MO_NEARLY_PARALLEL_EDGES_SINE &&
         room > MO_LONG_RIDGE_FRACTION * half * slope * sine;
}

/* The contact of two bodies whose supporting features `a` and `b` along the normal of the clip are
 * faces or lines, but which meet at edges of these faces. Clips the faces on both sides of the
 * edges against each other, and cuts them where they are farther apart than `max` of the clip. The
 * candidates are the two corners of the clipped parts that are farthest apart, the deepest corner,
 * and one or two far from the line between the first two; or deeper corners next to these.
 * `separation`: the separation of the edges where they cross. Returns false, with nothing written,
 * if the bodies do not meet at edges, or only along a short part of them, or if no corner has a
 * separation of at most `deepest`. */
bool mo_clip_ridges(const mo_clip *clip, const mo_contact_body *const bodies[2],
                    const mo_contact_feature *a, const mo_contact_feature *b, double separation,
                    double deepest, mo_candidates *candidates);

#endif
