/* Whether a triangle has no area, exactly.
 *
 * In each coordinate plane twice its area is a sum of six products of coordinates:
 *
 *   (y1 - y0) (z2 - z0) - (z1 - z0) (y2 - y0)  =  y0 z1 - z0 y1  +  y1 z2 - z1 y2  +  y2 z0 - z2 y0
 *
 * A double holds a product of two floats exactly. Their sum is kept as an expansion, a sum of
 * doubles without overlap, to which a term is added by two-sums from the least one up (Shewchuk,
 * "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997,
 * section 2.4). An expansion is zero if all that it consists of is. */
#include "geometry/degenerate.h"

enum { TERMS = 6 };

typedef struct expansion {
  double part[TERMS]; /* from the least on; their sum is meant */
  int count;
} expansion;

/* Knuth's two-sum: rounding errors of sums of doubles are doubles. */
static void add(expansion *e, double term) {
  for (int i = 0; i < e->count; i++) {
    double sum = e->part[i] + term;
    double part = sum - e->part[i];
    e->part[i] = (e->part[i] - (sum - part)) + (term - part);
    term = sum;
  }
  e->part[e->count++] = term;
}

/* Whether the triangle's shadow in a coordinate plane has no area. */
static bool is_flat(const double x[3], const double y[3]) {
  expansion e = {.count = 0};
  for (int i = 0; i < 3; i++) {
    int next = (i + 1) % 3;
    add(&e, x[i] * y[next]);
    add(&e, -(y[i] * x[next]));
  }
  bool zero = true;
  for (int i = 0; i < e.count; i++) {
    zero = zero && e.part[i] == 0.0;
  }
  return zero;
}

bool mo_triangle_is_degenerate_exactly(const mo_vec3 c[3]) {
  const double x[3] = {c[0].x, c[1].x, c[2].x};
  const double y[3] = {c[0].y, c[1].y, c[2].y};
  const double z[3] = {c[0].z, c[1].z, c[2].z};
  return is_flat(y, z) && is_flat(z, x) && is_flat(x, y);
}

uint32_t mo_degenerate_lanes(const float (*corner)[3][8], uint32_t lanes) {
  uint32_t degenerate = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    mo_vec3 corners[3];
    for (int i = 0; i < 3; i++) {
      corners[i] = mo_vec(corner[i][0][lane], corner[i][1][lane], corner[i][2][lane]);
    }
    degenerate |= (uint32_t)mo_triangle_is_degenerate(corners) << lane;
  }
  return degenerate;
}
