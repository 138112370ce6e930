/* Most pairs of solids of which one is a box that keeps the world's axes, or a ball, need no more
 * than a point that both have, or a plane between them, and either is soon found. */
#ifndef MO_GEOMETRY_CONVEX_QUICK_H
#define MO_GEOMETRY_CONVEX_QUICK_H

#include "geometry/convex/convex.h"
#include "geometry/solid/solids.h"

typedef enum mo_quick_answer { MO_QUICK_NO, MO_QUICK_YES, MO_QUICK_DOUBT } mo_quick_answer;

/* A solid for the quick answer: seen from its centre, the points t0 g0 + t1 g1 + t2 g2 with |t| <=
 * 1 (the last two in the unit disc, if it has one; in one of radius (1 + t0) / 2, if it tapers),
 * and those within a radius; or the points of a hull. */
typedef struct mo_blob {
  mo_dvec3 center, half[3];
  int halves;
  bool has_disc;      /* the last two halves span an ellipse, not a parallelogram */
  bool tapers;        /* the first one leads to it from a point */
  mo_hull_image hull; /* in place of halves */
  double magnitude;   /* of the terms of the centre */
  double size;        /* of the halves or the hull, and the radius, in sum */
  double least, most; /* of the radius */
} mo_blob;

/* A ball, or a box that keeps the world's axes. */
bool mo_convex_is_axis_aligned(const mo_convex *convex);
mo_blob mo_blob_of(const mo_convex *convex);

/* Whether two solids come within a distance of each other, as mo_convex_within says: yes and no
 * only where rounding cannot change the answer, and where no tolerance counts.
 * Symmetric, but for what is left in doubt. */
mo_quick_answer mo_convex_quick(const mo_convex *a, const mo_convex *b, double distance);

/* The same, the second solid axis-aligned, with its blob. */
mo_quick_answer mo_convex_quick_from(const mo_convex *a, const mo_convex *b, const mo_blob *b_blob,
                                     double distance);

/* mo_convex_within of any solids, without the quick tests first. */
bool mo_convex_within_by_descent(const mo_convex *a, const mo_convex *b, double distance);

#endif
