/* Penetration depth: how deep two bodies overlap, and the shortest translation that separates
 * them. */
#ifndef MO_GEOMETRY_PENETRATION_PENETRATION_H
#define MO_GEOMETRY_PENETRATION_PENETRATION_H

#include "geometry/body/body.h"

typedef struct mo_convex_penetration {
  /* If B is moved by this distance along the normal, it no longer overlaps A. Not negative. */
  double depth;
  double lower;       /* no shorter translation separates them, up to rounding */
  mo_dvec3 normal;    /* unit, from A to B */
  mo_dvec3 points[2]; /* the point of A deepest in B, and the point of B deepest in A, world */
} mo_convex_penetration;

/* The shortest translation that separates two overlapping bodies. If they do not overlap, or just
 * touch, the depth is 0, and the normal is arbitrary. Depth and lower bound agree to within 2^-40
 * of the sizes for polytopes, balls, polytopes rounded by balls, and points and balls with their
 * centres in cylinders or cones with circular cross sections; to 2^-18 of the radii if a transform
 * rotates balls, cylinders or cones with rounding; and to 2^-6 of the sizes at worst for other
 * curved bodies with many directions that are nearly as short. Even in this case the depth is
 * nearly always a local minimum, so that the points differ by the translation. If several
 * translations are shortest, any of them is returned, always the same one for the same numbers. For
 * two half-spaces that no translation separates, both bounds are INFINITY, the normal is zero, and
 * both points are the same. */
mo_convex_penetration mo_convex_find_penetration(const mo_body *a, const mo_body *b);

/* As mo_convex_find_penetration, but stops early and returns false if the depth is certainly less
 * than `min_depth`. */
bool mo_convex_find_penetration_min_depth(const mo_body *a, const mo_body *b, double min_depth,
                                          mo_convex_penetration *penetration);

/* As mo_convex_find_penetration, for two bodies of which at least one is a half-space. */
mo_convex_penetration mo_half_space_find_penetration(const mo_body *a, const mo_body *b);

/* Whether no translation shorter than `depth` separates two bodies, neither of them a half-space.
 * Fast unless `depth` is close to the exact depth. Also false if the bounds of the depth do not
 * decide. */
bool mo_convex_overlap_deeper(const mo_body *a, const mo_body *b, double depth);

/* The two halves of mo_convex_find_penetration, for callers that may not need the points.
 * mo_convex_find_depth finds everything but the points, mo_convex_find_deepest the points from the
 * depth and the normal. Neither body is a half-space. */
mo_convex_penetration mo_convex_find_depth(const mo_body *a, const mo_body *b);
void mo_convex_find_deepest(const mo_body *a, const mo_body *b, mo_convex_penetration *penetration);

/* A translation that takes a point out of a solid. */
typedef struct mo_push_out {
  mo_dvec3 normal; /* direction of the translation, of unit length */
  double depth;    /* length of the translation; it ends where the point just touches */
} mo_push_out;

/* The shortest translation that takes a point in or on a body out of the body, as exact as
 * mo_convex_find_penetration. For bodies other than half-spaces, the opposite direction and the
 * direction of -displacement are tried too: of translations that are equally short to within
 * rounding, the one most opposed to `displacement` is returned. */
mo_push_out mo_body_find_push_out(const mo_body *body, mo_dvec3 point, mo_dvec3 displacement);

#endif
