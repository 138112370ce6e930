/* Compensated sums of doubles, with their rounding error (Knuth's two-sum) and a bound of it. A sum
 * that is representable in double, such as one of coordinates of similar magnitude, is exact;
 * otherwise the remaining error is bounded. */
#ifndef MO_GEOMETRY_SUM_H
#define MO_GEOMETRY_SUM_H

#include "math/vector.h"

/* A sum of doubles. The exact sum is `value` + `error`, up to the (second-order) rounding error of
 * `error`. */
typedef struct mo_sum {
  double value, error;
  double bound;     /* upper bound of |error| */
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
