/* Degenerate triangles: those of no area, exactly. A triangle is degenerate if the cross product of
 * two of its edges is zero in the real numbers: its corners, as the floats they are, lie on a line.
 *
 * Such a triangle has no inside that a ray could pass, so rays do not hit it. The ray test itself
 * (geometry/ray/triangle.h) moves corners to the ray and rounds while it does; that can make a
 * triangle of a segment. So whatever is degenerate is told apart before. */
#ifndef MO_GEOMETRY_TRIANGLE_DEGENERATE_H
#define MO_GEOMETRY_TRIANGLE_DEGENERATE_H

#include "math/vector.h"

/* Normal to a triangle, twice its area long: rounded, but zero only where it nearly is. */
static inline mo_dvec3 mo_triangle_cross(const mo_vec3 c[3]) {
  mo_dvec3 a = mo_dsub(mo_widen(c[1]), mo_widen(c[0]));
  mo_dvec3 b = mo_dsub(mo_widen(c[2]), mo_widen(c[0]));
  return mo_dcross(a, b);
}

/* The answer where rounding may decide; any triangle. */
bool mo_triangle_is_degenerate_exactly(const mo_vec3 c[3]);

/* Whether a difference of products of rounded differences is too large to be zero. With u = 2^-53,
 * each product is off by less than 4 u of itself and the difference by u: 5 u of both at most.
 * Doubles hold products of floats without over- or underflow. NaN is never too large. */
static inline bool mo_differ_surely(double p, double q) {
  return fabs(p - q) > 0x1p-50 * (fabs(p) + fabs(q));
}

/* Corners that are not finite make no degenerate triangle. */
static inline bool mo_triangle_is_degenerate(const mo_vec3 c[3]) {
  mo_dvec3 a = mo_dsub(mo_widen(c[1]), mo_widen(c[0]));
  mo_dvec3 b = mo_dsub(mo_widen(c[2]), mo_widen(c[0]));
  bool surely_not = mo_differ_surely(a.y * b.z, a.z * b.y) ||
                    mo_differ_surely(a.z * b.x, a.x * b.z) ||
                    mo_differ_surely(a.x * b.y, a.y * b.x);
  return !surely_not && mo_triangle_is_degenerate_exactly(c);
}

/* Those of some lanes that hold degenerate triangles: corner[i][axis][lane]. */
uint32_t mo_degenerate_lanes(const float (*corner)[3][8], uint32_t lanes);

#endif
