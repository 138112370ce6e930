/* Exact sums of doubles, as expansions: lists of non-overlapping doubles, the smallest first
 * (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
 * 1997, section 2.4). Terms must not be so small or so large that a part would underflow or
 * overflow; products of up to three floats never are. */
#ifndef MO_GEOMETRY_TRIANGLE_EXPANSION_H
#define MO_GEOMETRY_TRIANGLE_EXPANSION_H

enum { MO_EXPANSION_MAX_PARTS = 48 };

typedef struct mo_expansion {
  double part[MO_EXPANSION_MAX_PARTS]; /* doubles with the exact sum; smallest first, none is 0 */
  int count; /* number of parts: at most the number of terms that were added */
} mo_expansion;

/* Adds a term by Knuth's two-sum, from the smallest part up: the rounding error of a sum of doubles
 * is a double. */
static inline void mo_expansion_add(mo_expansion *e, double term) {
  int count = 0;
  for (int i = 0; i < e->count; i++) {
    double sum = e->part[i] + term;
    double part = sum - e->part[i];
    double error = (e->part[i] - (sum - part)) + (term - part);
    if (error != 0.0) {
      e->part[count++] = error;
    }
    term = sum;
  }
  if (term != 0.0) {
    e->part[count++] = term;
  }
  e->count = count;
}

/* The exact rounding error of a product of doubles, by Veltkamp's split into halves of 26 bits,
 * whose products are exact (Dekker 1971). */
static inline double mo_product_error(double a, double b, double product) {
  const double splitter = 0x1p27 + 1.0;
  double wide_a = splitter * a, wide_b = splitter * b;
  double high_a = wide_a - (wide_a - a), high_b = wide_b - (wide_b - b);
  double low_a = a - high_a, low_b = b - high_b;
  return low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b);
}

/* Adds the product of two doubles exactly, as two terms at most. */
static inline void mo_expansion_add_product(mo_expansion *e, double a, double b) {
  double product = a * b;
  double error = mo_product_error(a, b, product);
  if (error != 0.0) {
    mo_expansion_add(e, error);
  }
  if (product != 0.0) {
    mo_expansion_add(e, product);
  }
}

/* Adds a product of three doubles exactly, as at most four terms; two if a * b is exact. */
static inline void mo_expansion_add_triple(mo_expansion *e, double a, double b, double c) {
  double product = a * b;
  double error = mo_product_error(a, b, product);
  if (error != 0.0) {
    mo_expansion_add_product(e, error, c);
  }
  mo_expansion_add_product(e, product, c);
}

/* A number with the sign of the sum: its largest part, whose magnitude exceeds that of all others
 * together. */
static inline double mo_expansion_sign(const mo_expansion *e) {
  return e->count == 0 ? 0.0 : e->part[e->count - 1];
}

#endif
