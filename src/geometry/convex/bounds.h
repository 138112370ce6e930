/* Boxes around the images of solids, for the three axes of the world at a time. */
#ifndef MO_GEOMETRY_CONVEX_BOUNDS_H
#define MO_GEOMETRY_CONVEX_BOUNDS_H

#include "base/inline.h"
#include "geometry/solid/solids.h"

/* Sums of doubles that know a bound of their rounding error, as mo_sum (geometry/sum.h). */
typedef struct mo_sum4 {
  mo_d4 value, bound;
} mo_sum4;

static inline void mo_sum4_add(mo_sum4 *sum, mo_d4 term) {
  mo_d4 value = sum->value + term;
  mo_d4 part = value - sum->value;
  sum->bound += mo_d4_abs((sum->value - (value - part)) + (term - part));
  sum->value = value;
}

/* The least that the exact sum may be is minus the most that its negative may be. */
static inline mo_d4 mo_sum4_upper(mo_d4 value, mo_d4 bound) {
  mo_d4 above = mo_d4_next_up(value + 2.0 * bound);
  return mo_d4_select(bound > mo_d4_all(0.0), above, value);
}

/* mo_convex_bounds, given the rows of the map's linear part: row i in lane i. */
MO_INLINE void mo_image_bounds(const mo_solid *s, const mo_d4vec *row, mo_d4 origin, mo_f4 *lower,
                               mo_f4 *upper) {
  mo_d4 below = mo_d4_all(-INFINITY), above = below; /* the lower sides are negated */
  mo_d4vec ends[2];
  int count = mo_solid_ends(s, row, ends);
  for (int i = 0; i < count; i++) {
    mo_sum4 low = {0.0 + origin, mo_d4_all(0.0)};
    mo_sum4_add(&low, row->x * ends[i].x);
    mo_sum4_add(&low, row->y * ends[i].y);
    mo_sum4_add(&low, row->z * ends[i].z);
    mo_sum4 high = low;
    mo_d4 extent[4];
    int terms = mo_solid_extents(s, i, row, extent);
    for (int k = 0; k < terms; k++) {
      mo_sum4_add(&low, -extent[k]);
      mo_sum4_add(&high, extent[k]);
    }
    below = mo_d4_max(below, mo_sum4_upper(-low.value, low.bound));
    above = mo_d4_max(above, mo_sum4_upper(high.value, high.bound));
  }
  *lower = -mo_d4_round_up(below);
  *upper = mo_d4_round_up(above);
}

#endif
