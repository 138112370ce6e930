/* Compensated sums of doubles, with their rounding error (Knuth's two-sum). A sum that is
 * representable in double, such as one of coordinates of similar magnitude, is exact; otherwise the
 * remaining error is bounded. */
#ifndef MO_GEOMETRY_SUM_H
#define MO_GEOMETRY_SUM_H

#include "base/inline.h"
#include "math/four.h"

/* A sum of doubles. The exact sum is `value` + `error`, up to the (second-order) rounding error of
 * `error`. */
typedef struct mo_sum {
  double value, error;
} mo_sum;

static inline void mo_sum_add(mo_sum *sum, double term) {
  double value = sum->value + term;
  double part = value - sum->value;
  sum->error += (sum->value - (value - part)) + (term - part);
  sum->value = value;
}

/* As mo_sum, four at a time, mostly along the three world axes. */
typedef struct mo_sum4 {
  mo_d4 value;
  mo_d4 bound; /* upper bounds of the magnitudes of the errors */
  mo_d4 error;
  mo_d4 magnitude; /* sums of the magnitudes of the terms */
} mo_sum4;

MO_INLINE void mo_sum4_add(mo_sum4 *sum, mo_d4 term) {
  const mo_d4 value = sum->value + term, part = value - sum->value;
  const mo_d4 error = (sum->value - (value - part)) + (term - part);
  sum->value = value;
  sum->bound += mo_d4_abs(error);
  sum->error += error;
  sum->magnitude += mo_d4_abs(term);
}

/* The three sums along the axes, rounded once. */
static inline mo_dvec3 mo_sum4_round(const mo_sum4 *sum) {
  return mo_d4_to_vector(sum->value + sum->error);
}

#endif
