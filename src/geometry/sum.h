/* Sums of doubles that know their rounding error (Knuth's two-sum). What is exact in doubles, such
 * as a sum of coordinates of like magnitude, then comes out exact, and the rest is bounded. */
#ifndef MO_GEOMETRY_SUM_H
#define MO_GEOMETRY_SUM_H

#include "math/vector.h"

/* The exact sum is `value` + `error`, but for second-order rounding of `error`. */
typedef struct mo_sum {
  double value, error;
  double bound;     /* of |error| */
  double magnitude; /* sum of the magnitudes of the terms */
} mo_sum;

static inline void mo_sum_add(mo_sum *sum, double term) {
  double value = sum->value + term;
  double part = value - sum->value;
  double error = (sum->value - (value - part)) + (term - part);
  sum->value = value;
  sum->error += error;
  sum->bound += fabs(error);
  sum->magnitude += fabs(term);
}

#endif
