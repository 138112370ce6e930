/* Builds the Minkowski difference of two bodies, each relative to its centre. */
#include "geometry/convex/difference.h"

/* The centre of a body is `center` + `rest`. */
typedef struct centered {
  mo_sum center[3];
  mo_dvec3 rest;
} centered;

static centered centered_of(const mo_body *from, mo_minkowski *sum) {
  centered b = {.rest = {0.0, 0.0, 0.0}};
  *sum = (mo_minkowski){.segments = 0};
  switch (from->kind) {
    MO_CASES_OF_CONVEX
    mo_convex_add_center(&from->convex, 1.0, b.center);
    mo_minkowski_add_solid(sum, &from->convex, 1.0);
    return b;
  case MO_BODY_TRIANGLE: {
    double noise = 0.0;
    mo_dvec3 back = mo_minkowski_add_triangle(sum, from->corners, 1.0, b.center, &noise);
    b.rest = mo_dscale(-1.0, back);
    for (int axis = 0; axis < 3; ++axis) {
      b.center[axis].value = -b.center[axis].value;
      b.center[axis].error = -b.center[axis].error;
    }
    return b;
  }
  case MO_BODY_HALF_SPACE:
    break;
  }
  __builtin_unreachable();
}

static double rounded(const mo_sum *sum) {
  return sum->value + sum->error;
}

static mo_dvec3 center_of(const centered *b) {
  return mo_dadd(b->rest,
                 mo_dvec(rounded(&b->center[0]), rounded(&b->center[1]), rounded(&b->center[2])));
}

/* The exact difference of two sums, rounded once. */
static double difference(const mo_sum *a, const mo_sum *b) {
  mo_sum sum = *a;
  mo_sum_add(&sum, -b->value);
  return sum.value + (sum.error - b->error);
}

mo_difference mo_difference_of(const mo_body *first, const mo_body *second) {
  mo_difference d;
  centered a = centered_of(first, &d.a), b = centered_of(second, &d.b);
  d.centers[0] = center_of(&a);
  d.centers[1] = center_of(&b);
  d.offset = mo_dadd(mo_dsub(a.rest, b.rest), mo_dvec(difference(&a.center[0], &b.center[0]),
                                                      difference(&a.center[1], &b.center[1]),
                                                      difference(&a.center[2], &b.center[2])));
  return d;
}
