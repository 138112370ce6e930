/* How deep two bodies overlap, and which way out is shortest. */
#ifndef MO_GEOMETRY_CONVEX_PENETRATION_H
#define MO_GEOMETRY_CONVEX_PENETRATION_H

#include "geometry/convex/distance.h"

typedef struct mo_convex_penetration {
  /* B moved by this along the normal overlaps A no more. Not negative. */
  double depth;
  double lower;       /* no shorter translation parts them, but for rounding */
  mo_dvec3 normal;    /* unit, from A to B */
  mo_dvec3 points[2]; /* the point of A that is deepest in B, and that of B deepest in A, world */
} mo_convex_penetration;

/* The shortest translation that parts two bodies that overlap. Of bodies that do not, or only
 * touch, the depth is 0, and the normal some direction. Depth and lower bound agree to within 2^-40
 * of the sizes for polytopes, balls among them or around them; to 2^-18 of the radii where a
 * transform rotates balls with rounding; and, of other round bodies where many directions are
 * nearly as short, to 2^-6 of the sizes at worst. Of several shortest translations any one, always
 * the same for the same numbers. Of two half-spaces that nothing parts both bounds are INFINITY,
 * the normal is zero, and both points are the same. */
mo_convex_penetration mo_convex_penetrate(const mo_distance_body *a, const mo_distance_body *b);

/* Whether no translation shorter than a depth parts two bodies, neither a half-space: quickly if
 * the depth is not the exact one. False also where that remains open. */
bool mo_convex_overlap_deeper(const mo_distance_body *a, const mo_distance_body *b, double depth);

/* The two halves of it, for those that may do without the points: all but these, and these alone,
 * from the depth and the normal. Neither body is a half-space. */
mo_convex_penetration mo_convex_find_depth(const mo_distance_body *a, const mo_distance_body *b);
void mo_convex_find_deepest(const mo_distance_body *a, const mo_distance_body *b,
                            mo_convex_penetration *penetration);

#endif
