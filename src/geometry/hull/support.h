/* Comparing vertices along a direction, exactly. */
#ifndef MO_GEOMETRY_HULL_SUPPORT_H
#define MO_GEOMETRY_HULL_SUPPORT_H

#include "geometry/hull/hull.h"

/* Up to so many vertices a scan is faster than climbing from a vertex near the answer (a tenth of a
 * radian away: 38 against 48 ns at 64 with AVX-512, 62 against 57 at 128). */
enum { MO_HULL_SCANNED = 64 };

/* A number of the sign of direction . (a - b) where rounding may decide. */
double mo_hull_compare_exactly(mo_dvec3 direction, mo_vec3 a, mo_vec3 b);

/* The same for any; each product has one difference, one multiplication and two additions behind
 * it, so that its relative error is at most (1 + 2^-53)^4 - 1. */
static inline double mo_hull_compare(mo_dvec3 direction, mo_vec3 a, mo_vec3 b) {
  double x = direction.x * ((double)a.x - (double)b.x);
  double y = direction.y * ((double)a.y - (double)b.y);
  double z = direction.z * ((double)a.z - (double)b.z);
  double value = x + y + z, magnitude = fabs(x) + fabs(y) + fabs(z);
  bool certain = fabs(value) > 6.0 * 0x1p-53 * magnitude || magnitude == 0.0;
  return certain ? value : mo_hull_compare_exactly(direction, a, b);
}

#endif
