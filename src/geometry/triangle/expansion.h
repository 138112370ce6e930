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

/* A number of the sign of the sum: its largest part, which is more than all the others together. */
static inline double mo_expansion_sign(const mo_expansion *e) {
  return e->count == 0 ? 0.0 : e->part[e->count - 1];
}

#endif
