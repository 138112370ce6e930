/* Comparing vertices along a direction, exactly. */
#ifndef MO_GEOMETRY_HULL_SUPPORT_H
#define MO_GEOMETRY_HULL_SUPPORT_H

#include "geometry/hull/hull.h"

/* Up to this number of vertices, a scan is faster than climbing from a vertex near the result (from
 * a tenth of a radian away: 38 ns by a scan against 48 ns at 64 vertices, with AVX-512; 62 against
 * 57 at 128). */
enum { MO_HULL_MAX_SCANNED_VERTICES = 64 };

/* As mo_hull_compare, by exact arithmetic: for cases in which rounding could change the sign. */
double mo_hull_compare_exactly(mo_dvec3 direction, mo_vec3 a, mo_vec3 b);

/* Returns a number with the exact sign of direction . (a - b). In double precision each product
 * goes through one difference, one multiplication and two additions, so its relative error is at
 * most (1 + 2^-53)^4 - 1; only if that could change the sign, exact arithmetic decides. */
static inline double mo_hull_compare(mo_dvec3 direction, mo_vec3 a, mo_vec3 b) {
  double x = direction.x * ((double)a.x - (double)b.x);
  double y = direction.y * ((double)a.y - (double)b.y);
  double z = direction.z * ((double)a.z - (double)b.z);
  double value = x + y + z, magnitude = fabs(x) + fabs(y) + fabs(z);
  bool certain = fabs(value) > 6.0 * 0x1p-53 * magnitude || magnitude == 0.0;
  return certain ? value : mo_hull_compare_exactly(direction, a, b);
}

#endif
