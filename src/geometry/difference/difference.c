/* Builds the Minkowski difference of two bodies, each relative to its centre. */
#include "geometry/difference/difference.h"

#include <string.h>

/* The centre of a body without rounding error: `center` plus a small remainder. */
typedef struct exact_center {
  mo_sum4 center;
  mo_dvec3 unrounded_remainder; /* to be added to `center` */
} exact_center;

static exact_center exact_center_of(const mo_body *from, mo_minkowski *sum) {
  exact_center b = {.unrounded_remainder = {0.0, 0.0, 0.0}};
  mo_minkowski_clear(sum);
  switch (from->kind) {
    MO_CASES_OF_CONVEX_KINDS
    mo_convex_add_center(&from->convex, 1.0, &b.center);
    mo_minkowski_add_solid(sum, &from->convex, 1.0);
    return b;
  case MO_BODY_TRIANGLE: {
    double error_bound = 0.0;
    mo_dvec3 back = mo_minkowski_add_triangle(sum, from->corners, 1.0, &b.center, &error_bound);
    b.unrounded_remainder = mo_dscale(-1.0, back);
    b.center.value = -b.center.value;
    b.center.error = -b.center.error;
    return b;
  }
  case MO_BODY_HALF_SPACE:
    break;
  }
  __builtin_unreachable();
}

static mo_dvec3 center_of(const exact_center *b) {
  return mo_dadd(b->unrounded_remainder, mo_sum4_round(&b->center));
}

void mo_difference_set(mo_difference *d, const mo_body *first, const mo_body *second) {
  exact_center a = exact_center_of(first, &d->a), b = exact_center_of(second, &d->b);
  d->centers[0] = center_of(&a);
  d->centers[1] = center_of(&b);
  mo_sum4 between = a.center; /* the exact difference, rounded once */
  mo_sum4_add(&between, -b.center.value);
  between.error -= b.center.error;
  d->offset =
      mo_dadd(mo_dsub(a.unrounded_remainder, b.unrounded_remainder), mo_sum4_round(&between));
}

mo_difference mo_difference_of(const mo_body *a, const mo_body *b) {
  mo_difference d;
  mo_difference_set(&d, a, b);
  return d;
}

mo_dvec3 mo_minkowski_of(mo_minkowski *sum, const mo_body *body) {
  const exact_center c = exact_center_of(body, sum);
  return center_of(&c);
}

static mo_difference_point support(void *body, mo_dvec3 direction) {
  return mo_difference_support(body, direction);
}

mo_convex_gap mo_difference_distance(mo_difference *d, double max_distance,
                                     mo_gjk_simplex *closest) {
  mo_convex_gap gap = mo_gjk_distance(support, d, d->offset, max_distance, closest);
  gap.points[0] = mo_dadd(d->centers[0], gap.points[0]);
  gap.points[1] = mo_dadd(d->centers[1], gap.points[1]);
  return gap;
}

/* Ellipsoids whose deviation (mo_ellipsoid_ball_deviation) is at most this count as balls. */
static const double max_ball_deviation = 0x1p-20;

static void remove_balls_of(mo_minkowski *sum, mo_summed_balls *balls, int which) {
  int kept = 0;
  balls->count[which] = 0;
  for (int i = 0; i < sum->ellipsoid_count; ++i) {
    const bool is_ball = mo_ellipsoid_ball_deviation(sum->axes[i], 3) <= max_ball_deviation;
    balls->radius_sum += is_ball ? mo_dlength(sum->axes[i][0]) : 0.0;
    memmove(is_ball ? balls->axes[which][balls->count[which]++] : sum->axes[kept++], sum->axes[i],
            sizeof sum->axes[i]);
  }
  sum->ellipsoid_count = kept;
}

void mo_difference_remove_balls(mo_difference *d, mo_summed_balls *balls) {
  balls->radius_sum = 0.0;
  remove_balls_of(&d->a, balls, 0);
  remove_balls_of(&d->b, balls, 1);
}
