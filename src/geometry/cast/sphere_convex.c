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
 * If the solid is a polytope, the closest corner, edge or face mostly is the one that the ball
 * meets, in closed form, after one step (geometry/cast/separating_plane.h).
 *
 * The solid may be flat and the radius 0, so an error in t could move the centre through it.
 * Therefore the tolerance for touching is several times the rounding error of the distance: a step
 * that rounding moves beyond the solid still ends in contact. */
#include "geometry/cast/convex.h"
#include "geometry/cast/half_space.h"
#include "geometry/cast/separating_plane.h"
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

mo_convex_contact mo_cast_sphere_body(const mo_body *still, const mo_moving_ball *ball,
                                      double limit) {
  if (still->kind == MO_BODY_HALF_SPACE) {
    return mo_cast_sphere_half_space(&still->half_space, ball, limit);
  }
  const mo_convex_contact none = {.t = INFINITY};
  const mo_aabb bounds = mo_body_bounds(still);
  const mo_dvec3 displacement = mo_widen(ball->displacement);
  const double radius = ball->radius, length = mo_dlength(displacement);
  mo_path_axis axes[3];
  mo_path_of_ball(ball, mo_aabb_max_coordinates(bounds), axes);
  const double enter = mo_path_entry_time(axes, bounds, limit);
  double t = enter;
  if (t == INFINITY) {
    return none;
  }
  const double size = radius + mo_sum_of_extents(bounds);
  /* Only the moving ball is removed from the core. Balls of the solid stay: rounding may have made
   * them ellipsoids. */
  const mo_body dot = mo_body_of_point(mo_widen(ball->center));
  mo_cores c;
  mo_difference_set(&c.difference, still, &dot);
  c.balls.count[0] = 0;
  c.balls.count[1] = 1;
  c.balls.radius_sum = radius;
  c.balls.axes[1][0][0] = mo_dvec(radius, 0.0, 0.0);
  c.balls.axes[1][0][1] = mo_dvec(0.0, radius, 0.0);
  c.balls.axes[1][0][2] = mo_dvec(0.0, 0.0, radius);
  const mo_dvec3 offset = c.difference.offset;
  mo_dvec3 plane = {0.0, 0.0, 0.0}; /* the normal of the plane of the last step */
  bool advanced = false;
  mo_separating_plane p;
  double scale;
  for (int step = 0;; ++step) {
    mo_gjk_simplex closest;
    c.difference.offset = mo_dsub(offset, mo_dscale(t, displacement));
    p = mo_cores_find_separating_plane(&c, INFINITY, &closest);
    scale = size + p.core_distance + t * length;
    if (p.separation <= contact_tolerance * scale || step == MAX_ADVANCEMENT_STEPS) {
      break;
    }
    double speed = -mo_ddot(p.normal, displacement);
    if (!(speed > 0.0)) {
      return none;
    }
    double next = t + p.separation / speed;
    if (!(next - contact_tolerance * scale / speed <= limit)) {
      return none;
    }
    mo_sweep_contact met = {.normal = p.normal};
    c.difference.offset = offset;
    if (mo_cores_sweep_simplex(&c, &closest, displacement, contact_tolerance * scale, &met)) {
      return mo_contact_of_sweep(&c, &met, enter, limit);
    }
    if (!(next <= limit)) {
      return none;
    }
    if (next == t) {
      break;
    }
    t = next;
    plane = p.normal;
    advanced = true;
  }

  mo_convex_contact contact = {
      .t = t, .distance = p.core_distance, .point = p.point, .normal = p.normal};
  if (t == 0.0) {
    contact.depth = 0.0 + fmax(radius - p.core_distance, 0.0);
  }
  if (!(p.core_distance > min_normal_distance * scale)) { /* the centre is in or on the solid */
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
