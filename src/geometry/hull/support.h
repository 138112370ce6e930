/* Comparing vertices along a direction, exactly. */
#ifndef MO_GEOMETRY_HULL_SUPPORT_H
#define MO_GEOMETRY_HULL_SUPPORT_H

#include "geometry/hull/hull.h"

/* Up to this number of vertices, one scan finds the support along three rows and against them. */
enum { MO_HULL_MAX_VERTICES_SCANNED_FOR_PAIRS = 64 };

/* Scales a finite direction, unless it needs no scaling, so that its components are fit for
 * mo_hull_compare; tiny ones become 0. `largest`: the largest magnitude of a component, not 0. */
static inline mo_dvec3 mo_hull_scaled_direction(mo_dvec3 direction, double largest) {
  const bool fits = largest >= 0x1p-250 && largest <= 0x1p250;
  mo_dvec3 d = fits ? direction : mo_ddivide(direction, largest);
  return mo_dvec(fabs(d.x) < 0x1p-300 ? 0.0 : d.x, fabs(d.y) < 0x1p-300 ? 0.0 : d.y,
                 fabs(d.z) < 0x1p-300 ? 0.0 : d.z);
}

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
