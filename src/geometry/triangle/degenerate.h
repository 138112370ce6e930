/* Exact test for degenerate triangles, which have no area. A triangle is degenerate if the cross
 * product of two of its edges is exactly zero: its corners are collinear.
 *
 * Such a triangle has no inside that a ray could cross, so rays do not hit it. The ray test itself
 * (geometry/ray/triangle.h) transforms the corners, and its rounding can turn a segment into a
 * triangle. So degenerate triangles are detected beforehand. */
#ifndef MO_GEOMETRY_TRIANGLE_DEGENERATE_H
#define MO_GEOMETRY_TRIANGLE_DEGENERATE_H

#include "math/vector.h"

/* The cross product of two edges of a triangle: normal to it, with twice its area as length.
 * Rounded; zero only if the exact one is nearly zero. */
static inline mo_dvec3 mo_triangle_cross(const mo_vec3 c[3]) {
  mo_dvec3 a = mo_dsub(mo_widen(c[1]), mo_widen(c[0]));
  mo_dvec3 b = mo_dsub(mo_widen(c[2]), mo_widen(c[0]));
  return mo_dcross(a, b);
}

/* The exact test, for any triangle. Needed only where rounding could change the result. */
bool mo_triangle_is_degenerate_exactly(const mo_vec3 c[3]);

/* Whether p - q, a difference of products of rounded differences, is certainly not zero. With u =
 * 2^-53, each product has a relative error below 4 u and the difference one of u: at most 5 u of
 * both. Products of floats neither overflow nor underflow in double. False for NaN. */
static inline bool mo_differ_surely(double p, double q) {
  return fabs(p - q) > 0x1p-50 * (fabs(p) + fabs(q));
}

/* Whether a triangle is degenerate; false if a corner is not finite. */
static inline bool mo_triangle_is_degenerate(const mo_vec3 c[3]) {
  mo_dvec3 a = mo_dsub(mo_widen(c[1]), mo_widen(c[0]));
  mo_dvec3 b = mo_dsub(mo_widen(c[2]), mo_widen(c[0]));
  bool surely_not = mo_differ_surely(a.y * b.z, a.z * b.y) ||
                    mo_differ_surely(a.z * b.x, a.x * b.z) ||
                    mo_differ_surely(a.x * b.y, a.y * b.x);
  return !surely_not && mo_triangle_is_degenerate_exactly(c);
}

/* The subset of the lanes `lanes` whose triangles, corner[i][axis][lane], are degenerate. */
uint32_t mo_degenerate_lanes(const float (*corner)[3][8], uint32_t lanes);

#endif
