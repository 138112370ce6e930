/* The Minkowski difference of two bodies: a convex body that contains the origin if they overlap.
 *
 * The centres are subtracted first, exactly. So all coordinates have the magnitude of the bodies
 * and of the gap between them, not that of the distance to the world's origin. */
#ifndef MO_GEOMETRY_DIFFERENCE_DIFFERENCE_H
#define MO_GEOMETRY_DIFFERENCE_DIFFERENCE_H

#include "geometry/difference/minkowski.h"
#include "geometry/gjk.h"

/* The set of points a - b for a in body A and b in body B. The support functions modify only the
 * cached vertices, at which the next search in a hull starts; this changes no result. */
typedef struct mo_difference {
  mo_minkowski a, b;   /* the bodies, relative to their centres */
  mo_dvec3 centers[2]; /* the centres of both bodies, world */
  mo_dvec3 offset;     /* from the centre of B to the centre of A */
} mo_difference;

/* Both make the difference of two bodies, neither of them a half-space; the first one in place. */
void mo_difference_set(mo_difference *d, const mo_body *a, const mo_body *b);
mo_difference mo_difference_of(const mo_body *a, const mo_body *b);

/* Sets `sum` to a body, relative to its centre. Returns the centre, in world coordinates. */
mo_dvec3 mo_minkowski_of(mo_minkowski *sum, const mo_body *body);

/* The distance of the two bodies by GJK, as mo_convex_distance
 * (geometry/distance/distance.h); `closest` may be null. */
mo_convex_gap mo_difference_distance(mo_difference *d, double max_distance,
                                     mo_gjk_simplex *closest);

/* The support point along a direction; its points a and b are relative to the centres of the
 * bodies. */
static inline mo_difference_point mo_difference_support(mo_difference *d, mo_dvec3 direction) {
  mo_difference_point w = {.a = mo_minkowski_support(&d->a, direction),
                           .b = mo_minkowski_support(&d->b, mo_dscale(-1.0, direction))};
  w.difference = mo_dadd(d->offset, mo_dsub(w.a, w.b));
  return w;
}

/* The balls that are summands of two bodies: ellipsoids that differ from balls only by the rounding
 * of a rotation. Without its balls, a body is a polytope or nearly one, and GJK ends after a few
 * steps. */
typedef struct mo_summed_balls {
  mo_dvec3 axes[2][MO_MAX_SUMMED_ELLIPSOIDS][3]; /* [body][ball][axis] */
  int count[2];                                  /* the number of balls of each body */
  double radius_sum;                             /* of all balls */
} mo_summed_balls;

/* Moves the balls of both bodies from a difference to `balls`. */
void mo_difference_remove_balls(mo_difference *d, mo_summed_balls *balls);

/* How far the balls of a body, the first (0) or second (1), reach along a direction. */
static inline double mo_summed_balls_support_distance(const mo_summed_balls *balls, int which,
                                                      mo_dvec3 direction) {
  double reach = 0.0;
  mo_dvec3 along;
  for (int i = 0; i < balls->count[which]; ++i) {
    reach += mo_ellipsoid_support_distance(balls->axes[which][i], direction, &along);
  }
  return reach;
}

/* The farthest point along a direction of the sum of a body's balls, relative to its centre. */
static inline mo_dvec3 mo_summed_balls_support(const mo_summed_balls *balls, int which,
                                               mo_dvec3 direction) {
  mo_dvec3 point = {0.0, 0.0, 0.0};
  for (int i = 0; i < balls->count[which]; ++i) {
    point = mo_dadd(point, mo_ellipsoid_support(balls->axes[which][i], direction));
  }
  return point;
}

/* A half-space and the height of another body above it, which take the place of the Minkowski
 * difference, as that is unbounded. */
typedef struct mo_half_space_pair {
  const mo_half_space_body *half_space; /* the half-space; body A if both are half-spaces */
  bool half_space_is_first;             /* the half-space is body A */
  double height;      /* of the other body's lowest point above the plane; -INFINITY if that body
                         is a half-space too, and no translation separates the two */
  double error_bound; /* rounding error: heights up to this count as 0 */
  mo_dvec3 point;     /* the lowest point; at height -INFINITY, a point of both bodies */
} mo_half_space_pair;

/* The height of a body above a half-space; at least one of the two bodies is a half-space. */
mo_half_space_pair mo_half_space_pair_of(const mo_body *a, const mo_body *b);

#endif
