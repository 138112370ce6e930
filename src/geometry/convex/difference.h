/* The differences of the points of two bodies: a convex body that holds 0 where they overlap.
 *
 * The centres are subtracted first, exactly, so that numbers have the size of the bodies and of the
 * gap between them, not of the distance to the origin of the world. */
#ifndef MO_GEOMETRY_CONVEX_DIFFERENCE_H
#define MO_GEOMETRY_CONVEX_DIFFERENCE_H

#include "geometry/convex/distance.h"
#include "geometry/convex/minkowski.h"

/* The points a - b for a in A and b in B. Looking for its support points changes no answer, only
 * where the next search in a hull begins. */
typedef struct mo_difference {
  mo_minkowski a, b;   /* the bodies around their centres */
  mo_dvec3 centers[2]; /* world */
  mo_dvec3 offset;     /* of the centre of A from that of B */
} mo_difference;

mo_difference mo_difference_of(const mo_distance_body *a, const mo_distance_body *b);

/* mo_convex_distance of the two bodies. */
mo_convex_gap mo_difference_distance(mo_difference *d, double max_distance);

/* The farthest point along a direction; its points of the bodies are seen from their centres. */
static inline mo_difference_point mo_difference_support(mo_difference *d, mo_dvec3 direction) {
  mo_difference_point w = {.a = mo_minkowski_support(&d->a, direction),
                           .b = mo_minkowski_support(&d->b, mo_dscale(-1.0, direction))};
  w.difference = mo_dadd(d->offset, mo_dsub(w.a, w.b));
  return w;
}

#endif
