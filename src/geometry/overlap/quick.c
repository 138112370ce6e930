/* A quick overlap test that decides nearly all pairs of solids: by projections if one of them is an
 * axis-aligned box or a ball, else, or if these do not suffice, by GJK
 * (geometry/overlap/quick_gjk.c).
 *
 * One solid is an axis-aligned box grown by a radius (a ball is a point, grown). The other consists
 * of the points p + t0 g0 + t1 g1 + t2 g2 with |t| <= 1, where p is its centre, also grown by a
 * radius: without segments g it is a ball, with one a capsule, with three a box. Under most maps,
 * only bounds of the other's radius are known. The test uses von Neumann's alternating projections:
 * from p to the nearest point of the axis-aligned box, from there to the nearest point of the other
 * solid, and so on. A point within the radii of both proves that they touch, whatever the rounding
 * of earlier steps. A plane through the gap proves that they do not, if each solid lies wholly on
 * its own side. */
#include "geometry/overlap/overlap.h"

#include "base/inline.h"

/* The number of alternating projections after which GJK takes fewer steps. */
enum { MAX_PROJECTIONS = 2 };

/* More than the relative rounding error of a sum of a dozen products. */
static const double rounding_error = 0x1p-46;
/* More than the tolerance of mo_bodies_within, relative to the sizes. */
static const double touch_tolerance = 1e-9;
/* If no solid has a radius, points are projected to a box that is smaller by this fraction, so that
 * they end in the box despite rounding. */
static const double box_inset_fraction = 0.25;

/* Sets `min_radius` and `max_radius` to bounds of the mapped radius. By Gershgorin's theorem,
 * applied to the dot products of the columns, the squared singular values of the map lie between
 * `min` and `max`. For a map that preserves angles, both are exact but for rounding. */
static void set_radius(mo_quick_test_solid *solid, const mo_convex *convex, double radius) {
  const mo_dvec3 *c = convex->column;
  double xx = mo_ddot(c[0], c[0]), yy = mo_ddot(c[1], c[1]), zz = mo_ddot(c[2], c[2]);
  double xy = fabs(mo_ddot(c[0], c[1])), xz = fabs(mo_ddot(c[0], c[2]));
  double yz = fabs(mo_ddot(c[1], c[2]));
  double min = mo_dmin(xx - xy - xz, mo_dmin(yy - xy - yz, zz - xz - yz));
  double max = mo_dmax(xx + xy + xz, mo_dmax(yy + xy + yz, zz + xz + yz));
  solid->min_radius = radius * sqrt(mo_dmax(min - rounding_error * max, 0.0));
  solid->max_radius = radius * sqrt(max * (1.0 + rounding_error));
}

/* mo_quick_test_solid_of, inlined once per kind of solid. `image` lacks the rounding. */
MO_INLINE mo_quick_test_solid quick_test_solid_of(const mo_convex *convex, mo_solid_image image,
                                                  mo_center_points core, bool is_axis_aligned) {
  const mo_dvec3 *column = convex->column;
  mo_dvec3 lengths = mo_dvec(mo_sum_of_magnitudes(column[0]), mo_sum_of_magnitudes(column[1]),
                             mo_sum_of_magnitudes(column[2]));
  mo_dvec3 reach = {0.0, 0.0, 0.0}, middle = {0.0, 0.0, 0.0};
  for (int i = 0; i < core.count; ++i) {
    mo_dvec3 p = core.point[i];
    reach = mo_dadd(reach, mo_dvec(fabs(p.x), fabs(p.y), fabs(p.z)));
    middle = i == 0 ? p : mo_dadd(middle, p);
  }
  middle = mo_dscale(1.0 / core.count, middle);
  mo_quick_test_solid solid; /* set member by member, as it is large */
  solid.center = mo_dadd(convex->origin, mo_map_columns(column, middle));
  solid.magnitude = mo_sum_of_magnitudes(convex->origin) + mo_ddot(lengths, reach);
  solid.half_vector_count = image.segment_count;
  solid.has_disc = image.has_disc;
  solid.is_cone = image.is_cone;
  solid.is_triangle = false;
  solid.is_axis_aligned = is_axis_aligned;
  solid.hull.hull = image.hull;
  solid.min_radius = solid.max_radius = 0.0;
  for (int i = 0; i < image.segment_count; ++i) {
    solid.half[i] = image.segment[i];
  }
  const double radius = image.ball + convex->solid.rounding;
  if (radius > 0.0) {
    set_radius(&solid, convex, radius);
  }
  if (image.has_disc) {
    solid.half[solid.half_vector_count++] = image.disc[0];
    solid.half[solid.half_vector_count++] = image.disc[1];
  }
  solid.size = solid.max_radius;
  if (image.hull != NULL) {
    solid.hull = (mo_hull_image){image.hull, {column[0], column[1], column[2]}, MO_NONE};
    solid.size += mo_ddot(lengths, mo_solid_half(&convex->solid));
  }
  for (int i = 0; i < solid.half_vector_count; ++i) {
    solid.size += mo_sum_of_magnitudes(solid.half[i]);
  }
  return solid;
}

mo_quick_test_solid mo_quick_test_solid_of(const mo_convex *convex) {
  const mo_solid *s = &convex->solid;
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return quick_test_solid_of(convex, mo_##name##_linear_image(s, convex->column),                \
                               mo_##name##_center_points(s),                                       \
                               mo_##name##_is_axis_aligned(convex->column));
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

mo_quick_test_solid mo_quick_test_solid_of_triangle(const mo_dvec3 corners[3]) {
  const mo_dvec3 sum = mo_dadd(mo_dadd(corners[0], corners[1]), corners[2]);
  mo_quick_test_solid solid = {.center = mo_dscale(1.0 / 3.0, sum), .is_triangle = true};
  for (int i = 0; i < 3; ++i) {
    solid.half[i] = mo_dsub(corners[i], solid.center);
    solid.size += mo_sum_of_magnitudes(solid.half[i]);
    solid.magnitude += mo_sum_of_magnitudes(corners[i]);
  }
  return solid;
}

mo_quick_test_solid mo_quick_test_solid_of_ball(mo_sphere ball) {
  mo_dvec3 center = mo_widen(ball.center);
  double radius = ball.radius;
  return (mo_quick_test_solid){.center = center,
                               .is_axis_aligned = true,
                               .magnitude = mo_sum_of_magnitudes(center),
                               .size = radius,
                               .min_radius = radius,
                               .max_radius = radius};
}

static mo_d4 axis_aligned_extents(const mo_convex *box) {
  const mo_dvec3 half = box->solid.b, *column = box->column;
  return mo_d4_of(half.x * column[0].x, half.y * column[1].y, half.z * column[2].z, 0.0);
}

/* Whether two axis-aligned boxes certainly touch, by exact sums of coordinates, so that boxes with
 * a side in common touch. False if the sums are not exact, or if the boxes without their rounding
 * radius do not touch. */
static bool boxes_touch_exactly(const mo_convex *a, const mo_convex *b) {
  if (a->is_inexact || b->is_inexact) {
    return false;
  }
  mo_sum4 apart = {.value = mo_d4_splat(0.0)};
  mo_convex_add_center(a, 1.0, &apart);
  mo_convex_add_center(b, -1.0, &apart);
  mo_sum4 gap = {.value = mo_d4_abs(apart.value)};
  mo_sum4_add(&gap, -mo_d4_abs(axis_aligned_extents(a)));
  mo_sum4_add(&gap, -mo_d4_abs(axis_aligned_extents(b)));
  const mo_d4 zero = mo_d4_splat(0.0);
  return !mo_d4_any((apart.bound > zero) | (gap.bound > zero) | (gap.value > zero));
}

static double clamp(double x, double max) {
  return x < -max ? -max : x > max ? max : x;
}

static double hypotenuse(double x, double y) {
  return sqrt(x * x + y * y);
}

/* If the last two coordinates t of a point lie outside of the solid's disc, scales them so that
 * they lie in it. Returns the displacement of the point. */
static mo_dvec3 move_into_disc(const mo_quick_test_solid *solid, int first, double *t) {
  double length = hypotenuse(t[first], t[first + 1]);
  double max =
      solid->is_cone ? mo_dmax(0.5 * (1.0 + t[0]) - rounding_error, 0.0) : 1.0 - rounding_error;
  if (!(length > max)) {
    return mo_dvec(0.0, 0.0, 0.0);
  }
  double shorter = max / length - 1.0;
  mo_dvec3 back = mo_dadd(mo_dscale(shorter * t[first], solid->half[first]),
                          mo_dscale(shorter * t[first + 1], solid->half[first + 1]));
  t[first] += shorter * t[first];
  t[first + 1] += shorter * t[first + 1];
  return back;
}

/* How far a solid, without its radius, reaches along the negative of a direction. */
static double support_distance_along_negative(const mo_quick_test_solid *solid,
                                              mo_dvec3 direction) {
  int straight = solid->half_vector_count - (solid->has_disc ? 2 : 0);
  double disc = 0.0, reach = 0.0;
  if (solid->has_disc) {
    disc = hypotenuse(mo_ddot(direction, solid->half[straight]),
                      mo_ddot(direction, solid->half[straight + 1])) *
           (1.0 + rounding_error);
  }
  if (solid->is_cone) {
    double apex = mo_ddot(direction, solid->half[0]);
    return mo_dmax(apex, disc - apex);
  }
  for (int i = 0; i < straight; ++i) {
    reach += fabs(mo_ddot(direction, solid->half[i]));
  }
  return reach + disc;
}

/* The quick test of an axis-aligned box and another solid. A gap of up to `distance` counts as
 * touching. */
static mo_quick_test_answer test_box_and_solid(const mo_quick_test_solid *box,
                                               const mo_quick_test_solid *other, double distance) {
  mo_dvec3 e = mo_dvec(0.0, 0.0, 0.0);
  if (box->half_vector_count > 0) {
    e = mo_dvec(fabs(box->half[0].x), fabs(box->half[1].y), fabs(box->half[2].z));
  }
  mo_dvec3 p = mo_dsub(other->center, box->center);
  double error_bound =
      rounding_error * (box->magnitude + other->magnitude + box->size + other->size);
  double min = (box->min_radius + other->min_radius + distance) * (1.0 - rounding_error);
  double max = (box->max_radius + other->max_radius + distance) * (1.0 + rounding_error);
  double beyond = max + touch_tolerance * (box->size + other->size + distance) + 4.0 * error_bound;
  /* The box shrunk by the error bound certainly lies in the box. If the box is too thin for that,
   * the radius is shrunk by the error bound instead. */
  bool thin = !(e.x > error_bound && e.y > error_bound && e.z > error_bound);
  mo_dvec3 inner = thin ? e : mo_dvec(e.x - error_bound, e.y - error_bound, e.z - error_bound);
  double within = thin ? min - 4.0 * error_bound : min;
  bool deep = max == 0.0;
  double inverse[3], t[3] = {0.0, 0.0, 0.0};
  mo_dvec3 x = p;
  mo_hull_image hull = other->hull;
  for (int step = 0;; ++step) {
    mo_dvec3 y = mo_dvec(clamp(x.x, inner.x), clamp(x.y, inner.y), clamp(x.z, inner.z));
    mo_dvec3 gap = mo_dsub(x, y);
    double squared = mo_ddot(gap, gap);
    if (within >= 0.0 && squared <= within * within * (1.0 - rounding_error)) {
      return MO_QUICK_YES;
    }
    /* The separation along the gap: where the other solid begins, minus where the box ends. */
    mo_dvec3 first = {0.0, 0.0, 0.0}; /* support point of a hull towards the box */
    double reach;
    if (hull.hull != NULL) {
      first = mo_hull_image_support(&hull, mo_dscale(-1.0, gap));
      reach = -mo_ddot(gap, first);
    } else {
      reach = support_distance_along_negative(other, gap);
    }
    double apart = /* the separation, times the length of `gap` */
        mo_ddot(gap, p) - mo_ddot(e, mo_dvec(fabs(gap.x), fabs(gap.y), fabs(gap.z))) - reach;
    if (apart > 0.0 && apart * apart > squared * beyond * beyond) {
      return MO_QUICK_NO;
    }
    if (step == MAX_PROJECTIONS || (other->half_vector_count == 0 && hull.hull == NULL)) {
      return MO_QUICK_UNDECIDED;
    }
    if (step == 0) {
      for (int i = 0; i < other->half_vector_count; ++i) {
        double length2 = mo_ddot(other->half[i], other->half[i]);
        inverse[i] = length2 > 0.0 ? 1.0 / length2 : 0.0;
      }
    }
    if (deep) {
      mo_dvec3 core = mo_dscale(1.0 - box_inset_fraction, inner);
      y = mo_dvec(clamp(x.x, core.x), clamp(x.y, core.y), clamp(x.z, core.z));
    }
    if (hull.hull != NULL) { /* moves x towards the support point, until nearest to y */
      mo_dvec3 segment = mo_dsub(mo_dadd(p, first), x);
      double length2 = mo_ddot(segment, segment);
      double along = length2 > 0.0 ? mo_ddot(mo_dsub(y, x), segment) / length2 : 0.0;
      x = mo_dadd(x, mo_dscale(along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along, segment));
    }
    /* Moves x to the solid's point nearest to y, along one vector of `half` after the other:
     * exactly if these are perpendicular. */
    for (int i = 0; i < other->half_vector_count; ++i) {
      double along = mo_ddot(mo_dsub(y, x), other->half[i]) * inverse[i];
      double moved = clamp(t[i] + along, 1.0);
      x = mo_dadd(x, mo_dscale(moved - t[i], other->half[i]));
      t[i] = moved;
    }
    if (other->has_disc) {
      x = mo_dadd(x, move_into_disc(other, other->half_vector_count - 2, t));
    }
  }
}

mo_quick_test_answer mo_convex_quick_within_prepared(const mo_convex *a, const mo_convex *b,
                                                     const mo_quick_test_solid *b_solid,
                                                     double distance) {
  const mo_quick_test_solid a_solid = mo_quick_test_solid_of(a);
  mo_quick_test_answer answer = MO_QUICK_UNDECIDED;
  if (b_solid->is_axis_aligned) {
    answer = test_box_and_solid(b_solid, &a_solid, distance);
  } else if (a_solid.is_axis_aligned) {
    answer = test_box_and_solid(&a_solid, b_solid, distance);
  }
  if (answer == MO_QUICK_UNDECIDED && a_solid.is_axis_aligned && b_solid->is_axis_aligned &&
      a->solid.kind == MO_SOLID_BOX && b->solid.kind == MO_SOLID_BOX && boxes_touch_exactly(a, b)) {
    return MO_QUICK_YES;
  }
  return answer == MO_QUICK_UNDECIDED ? mo_quick_within_by_gjk(&a_solid, b_solid, distance)
                                      : answer;
}

mo_quick_test_answer mo_convex_quick_within(const mo_convex *a, const mo_convex *b,
                                            double distance) {
  const mo_quick_test_solid b_solid = mo_quick_test_solid_of(b);
  return mo_convex_quick_within_prepared(a, b, &b_solid, distance);
}
