/* Exact sums of doubles, as expansions: sums of doubles that do not overlap, the least first
 * (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
 * 1997, section 2.4). No term may be so small or so large that a part would under- or overflow:
 * products of up to three floats never are. */
#ifndef MO_GEOMETRY_TRIANGLE_EXPANSION_H
#define MO_GEOMETRY_TRIANGLE_EXPANSION_H

enum { MO_EXPANSION_PARTS = 48 };

typedef struct mo_expansion {
  double part[MO_EXPANSION_PARTS]; /* none is 0 */
  int count;                       /* at most the number of terms added */
} mo_expansion;

/* Knuth's two-sums from the least part up: rounding errors of sums of doubles are doubles. */
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

/* What a product of doubles loses by rounding, exactly: Veltkamp's split into halves of 26 bits,
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

/* At most four terms; two where a * b is a double. */
static inline void mo_expansion_add_triple(mo_expansion *e, double a, double b, double c) {
  double product = a * b;
  double error = mo_product_error(a, b, product);
  if (error != 0.0) {
    mo_expansion_add_product(e, error, c);
  }
  mo_expansion_add_product(e, product, c);
}

/* A number of the sign of the sum: its largest part, which is more than all the others together. */
static inline double mo_expansion_sign(const mo_expansion *e) {
  return e->count == 0 ? 0.0 : e->part[e->count - 1];
}

#endif
