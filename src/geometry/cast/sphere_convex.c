/* A moving ball against a solid, by conservative advancement.
 *
 * The distance of the centre from the solid is a convex function of t. Each distance computation
 * also gives a separating plane at that distance from the centre (geometry/distance/distance.c).
 * There is no contact until the centre has come within the radius of that plane, so t advances to
 * that time. This is a step of Newton's method, which approaches the first root of a convex
 * function from one side and never passes it. The iteration ends with a contact when the distance
 * is the radius, to within rounding, and without one when the centre no longer approaches the plane
 * (after Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, with planes in
 * place of bounds on speed).
 *
 * The solid may be flat and the radius 0, so an error in t could move the centre through it.
 * Therefore the tolerance for touching is several times the rounding error of the distance: a step
 * that rounding moves beyond the solid still ends in contact. */
#include "geometry/cast/half_space.h"
#include "geometry/distance/distance.h"
#include "geometry/penetration/penetration.h"

/* The largest number of steps of the advancement. If the path only grazes the solid, each step
 * reduces the distance to a quarter. */
enum { MAX_ADVANCEMENT_STEPS = 128 };

/* Both relative to sizes and distances: bodies closer than contact_tolerance are in contact;
 * normals are accurate at distances above min_normal_distance. */
static const double contact_tolerance = 0x1p-46, min_normal_distance = 0x1p-26;

void mo_path_of_ball(const mo_moving_ball *ball, mo_vec3 reach, mo_path_axis axes[3]) {
  double max = (double)ball->radius;
  for (int axis = 0; axis < 3; ++axis) {
    max += fabs((double)mo_get(ball->center, axis)) +
           fabs((double)mo_get(ball->displacement, axis)) + (double)mo_get(reach, axis);
  }
  for (int axis = 0; axis < 3; ++axis) {
    axes[axis] = (mo_path_axis){mo_get(ball->center, axis), mo_get(ball->displacement, axis),
                                (double)ball->radius + 0x1p-46 * max};
  }
}

/* The time at which the centre enters a grown box, at least 0; INFINITY if never, or after the
 * limit. */
static double bounds_entry_time(mo_aabb box, const mo_moving_ball *ball, double limit) {
  mo_path_axis axes[3];
  mo_path_of_ball(ball, mo_aabb_max_coordinates(box), axes);
  double enter = 0.0, leave = limit;
  for (int axis = 0; axis < 3; ++axis) {
    mo_path_clip_interval(&axes[axis], mo_get(box.lower, axis), mo_get(box.upper, axis), &enter,
                          &leave);
  }
  return enter <= leave ? enter : INFINITY;
}

/* The gap from the solid to the ball's centre at time t. The centre is the unrounded sum of the
 * centre at t = 0 and the displacement until t. */
static mo_convex_gap gap_at(const mo_body *still, const mo_moving_ball *ball, double t) {
  mo_body dot = mo_body_of_point(mo_widen(ball->center));
  dot.convex.solid.a = dot.convex.solid.b = mo_dscale(t, mo_widen(ball->displacement));
  return mo_convex_distance(still, &dot, INFINITY);
}

mo_convex_contact mo_cast_sphere_body(const mo_body *still, const mo_moving_ball *ball,
                                      double limit) {
  if (still->kind == MO_BODY_HALF_SPACE) {
    return mo_cast_sphere_half_space(&still->half_space, ball, limit);
  }
  const mo_convex_contact none = {.t = INFINITY};
  const mo_aabb bounds = mo_body_bounds(still);
  const mo_dvec3 displacement = mo_widen(ball->displacement);
  const double radius = ball->radius, length = sqrt(mo_ddot(displacement, displacement));
  double t = bounds_entry_time(bounds, ball, limit);
  if (t == INFINITY) {
    return none;
  }
  const double size = radius + mo_sum_of_extents(bounds);
  mo_dvec3 plane = {0.0, 0.0, 0.0}; /* the normal of the plane of the last step */
  bool advanced = false;
  mo_convex_gap gap;
  double scale;
  for (int step = 0;; ++step) {
    gap = gap_at(still, ball, t);
    scale = size + gap.distance + t * length;
    double left = gap.lower - radius;
    if (left <= contact_tolerance * scale || step == MAX_ADVANCEMENT_STEPS) {
      break;
    }
    double speed = -mo_ddot(gap.normal, displacement);
    if (!(speed > 0.0)) {
      return none;
    }
    double next = t + left / speed;
    if (!(next <= limit)) {
      return none;
    }
    if (next == t) {
      break;
    }
    t = next;
    plane = gap.normal;
    advanced = true;
  }

  mo_convex_contact contact = {
      .t = t, .distance = gap.distance, .point = gap.points[0], .normal = gap.normal};
  if (t == 0.0) {
    contact.depth = 0.0 + fmax(radius - gap.distance, 0.0);
  }
  if (!(gap.distance > min_normal_distance * scale)) { /* the centre is in or on the solid */
    mo_dvec3 center = mo_dadd(mo_widen(ball->center), mo_dscale(t, displacement));
    mo_push_out out = {plane, 0.0};
    if (!advanced) {
      out = mo_body_find_push_out(still, center, displacement);
    }
    contact.point = mo_dadd(center, mo_dscale(out.depth, out.normal));
    contact.normal = out.normal;
    contact.depth = t == 0.0 ? out.depth + radius : 0.0;
  }
  return contact;
}
