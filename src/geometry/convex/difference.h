/* The Minkowski difference of two bodies: a convex body that contains the origin if they overlap.
 *
 * The centres are subtracted first, exactly. So all coordinates have the magnitude of the bodies
 * and of the gap between them, not that of the distance to the world's origin. */
#ifndef MO_GEOMETRY_CONVEX_DIFFERENCE_H
#define MO_GEOMETRY_CONVEX_DIFFERENCE_H

#include "geometry/convex/distance.h"
#include "geometry/convex/minkowski.h"

/* The points a - b for a in A and b in B. The support functions modify it, but only the cached
 * vertices at which the next search in a hull starts; this changes no result. */
typedef struct mo_difference {
  mo_minkowski a, b;   /* the bodies around their centres */
  mo_dvec3 centers[2]; /* world */
  mo_dvec3 offset;     /* of the centre of A from that of B */
} mo_difference;

mo_difference mo_difference_of(const mo_body *a, const mo_body *b);

/* The distance of the two bodies by GJK, as mo_convex_distance. */
mo_convex_gap mo_difference_distance(mo_difference *d, double max_distance);

/* The support point along a direction; its points a and b are relative to the centres of the
 * bodies. */
static inline mo_difference_point mo_difference_support(mo_difference *d, mo_dvec3 direction) {
  mo_difference_point w = {.a = mo_minkowski_support(&d->a, direction),
                           .b = mo_minkowski_support(&d->b, mo_dscale(-1.0, direction))};
  w.difference = mo_dadd(d->offset, mo_dsub(w.a, w.b));
  return w;
}

#endif
