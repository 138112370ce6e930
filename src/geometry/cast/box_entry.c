/* Lower bounds of the time at which a moving body reaches a box, by a few steps of conservative
 * advancement, as in geometry/cast/sphere_convex.c. The plane of a step goes through the point of
 * the box that is closest to a point of the body, perpendicular to the line between the two. So the
 * box is wholly behind it, and the bound holds whichever point of the body that is; a
 * projection to the box and one back only find a good one. */
#include "geometry/cast/box_entry.h"

/* Then the bound is close to the time, mostly; further steps take longer than they save. */
enum { STEPS = 2 };

mo_moving_bound mo_moving_bound_of_ball(const mo_moving_ball *ball) {
  return (mo_moving_bound){.center = mo_widen(ball->center),
                           .radius = (double)ball->radius,
                           .displacement = mo_widen(ball->displacement)};
}

static void add_half(mo_moving_bound *bound, mo_dvec3 half) {
  const double square = mo_ddot(half, half);
  if (square > 0.0) {
    bound->half[bound->half_count] = half;
    bound->inverse_square[bound->half_count++] = 1.0 / square;
  }
}

mo_moving_bound mo_moving_bound_of_body(const mo_moving_body *moving) {
  const mo_bounding_capsule *capsule = &moving->capsule;
  const mo_box_body *box = &moving->box;
  mo_moving_bound bound = {.displacement = mo_widen(moving->displacement)};
  if (box->is_usable) {
    bound.center = box->center;
    for (int i = 0; i < 3; ++i) {
      add_half(&bound, box->segment[i]);
    }
  } else {
    bound.center = capsule->center;
    bound.radius = capsule->radius;
    add_half(&bound, capsule->half);
  }
  return bound;
}

static double clamped(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

static mo_dvec3 closest_in_box(mo_dvec3 point, mo_dvec3 lower, mo_dvec3 upper) {
  return mo_dvec(clamped(point.x, lower.x, upper.x), clamped(point.y, lower.y, upper.y),
                 clamped(point.z, lower.z, upper.z));
}

/* The body's point that is closest to another one, relative to its centre, without its radius; only
 * about that if the vectors are not perpendicular. */
static mo_dvec3 closest_in_body(const mo_moving_bound *moving, mo_dvec3 to) {
  mo_dvec3 point = {0.0, 0.0, 0.0};
  for (int i = 0; i < moving->half_count; ++i) {
    const double along = mo_ddot(to, moving->half[i]) * moving->inverse_square[i];
    point = mo_dadd(point, mo_dscale(clamped(along, -1.0, 1.0), moving->half[i]));
  }
  return point;
}

double mo_moving_bound_min_time(const mo_moving_bound *moving, mo_aabb box, double t,
                                double margin) {
  const mo_dvec3 lower = mo_dsub(mo_widen(box.lower), moving->center),
                 upper = mo_dsub(mo_widen(box.upper), moving->center);
  const double radius = moving->radius + margin;
  for (int step = 0; step < STEPS; ++step) {
    const mo_dvec3 center = mo_dscale(t, moving->displacement);
    const mo_dvec3 near = closest_in_box(center, lower, upper),
                   point = mo_dadd(center, closest_in_body(moving, mo_dsub(near, center))),
                   closest = closest_in_box(point, lower, upper);
    const mo_dvec3 out = mo_dsub(point, closest);
    const double length = mo_dlength(out);
    if (!(length > radius)) {
      return t;
    }
    double gap = mo_ddot(out, mo_dsub(center, closest)) - radius * length;
    for (int i = 0; i < moving->half_count; ++i) {
      gap -= fabs(mo_ddot(out, moving->half[i]));
    }
    const double speed = -mo_ddot(out, moving->displacement);
    if (!(gap > 0.0)) {
      return t;
    }
    if (!(speed > 0.0)) {
      return INFINITY;
    }
    t += gap / speed;
  }
  return t;
}
