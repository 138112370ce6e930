/* Rotating bodies: their poses over time, their bounds, and bounds of their speed.
 *
 * A rotation about its centre does not change a ball, nor a disc about its own axis. So these
 * summands of a body add nothing to the speed of its surface; only the rest of the body does. */
#include "geometry/cast/rotating.h"

#include <string.h>

#include "geometry/difference/difference.h"
#include "geometry/penetration/penetration.h"
#include "math/angle.h"
#include "math/check.h"

/* The number of orientations of a rotating body of which the bounds are computed and united. */
enum { SAMPLED_ORIENTATIONS = 16 };

/* The error of a distance, relative to sizes and coordinates. */
static const double rounding_error = 0x1p-45;
/* Ellipsoids whose deviation (mo_ellipsoid_ball_deviation) is at most this count as balls or discs.
 */
static const double max_ball_deviation = 0.01;

mo_sine_cosine mo_rotation_at(const mo_movement_rotation *rotation, double t) {
  mo_sine_cosine a;
  mo_sin_cos(t * rotation->angle, &a.sine, &a.cosine);
  return a;
}

mo_dvec3 mo_rotate_by(const mo_movement_rotation *rotation, const mo_sine_cosine *a, mo_dvec3 v) {
  mo_dvec3 across = mo_dcross(rotation->axis, v);
  mo_dvec3 along = mo_dscale(mo_ddot(rotation->axis, v) * (1.0 - a->cosine), rotation->axis);
  return mo_dadd(mo_dadd(mo_dscale(a->cosine, v), mo_dscale(a->sine, across)), along);
}

mo_dvec3 mo_rotate_at(const mo_movement_rotation *rotation, double t, mo_dvec3 v) {
  const mo_sine_cosine a = mo_rotation_at(rotation, t);
  return mo_rotate_by(rotation, &a, v);
}

static mo_dvec3 moved_point(const mo_moving_body *moving, const mo_sine_cosine *a, mo_dvec3 shift,
                            mo_dvec3 p) {
  mo_dvec3 pivot = moving->rotation.pivot;
  return mo_dadd(mo_dadd(pivot, shift), mo_rotate_by(&moving->rotation, a, mo_dsub(p, pivot)));
}

mo_dvec3 mo_moving_point_at(const mo_moving_body *moving, double t, mo_dvec3 shift, mo_dvec3 p) {
  const mo_sine_cosine a = mo_rotation_at(&moving->rotation, t);
  return moved_point(moving, &a, shift, p);
}

/* The body in its orientation at time t, translated by `shift`. */
static mo_body body_at_pose(const mo_moving_body *moving, double t, mo_dvec3 shift) {
  const mo_sine_cosine a = mo_rotation_at(&moving->rotation, t);
  mo_body body = moving->body;
  switch (body.kind) {
    MO_CASES_OF_CONVEX_KINDS
    body.kind = MO_BODY_SOLID;
    body.bounds = mo_aabb_empty();
    body.convex.is_inexact = false;
    for (int i = 0; i < 3; ++i) {
      body.convex.column[i] = mo_rotate_by(&moving->rotation, &a, body.convex.column[i]);
    }
    body.convex.origin = moved_point(moving, &a, shift, body.convex.origin);
    return body;
  case MO_BODY_TRIANGLE:
    for (int i = 0; i < 3; ++i) {
      body.corners[i] = moved_point(moving, &a, shift, body.corners[i]);
    }
    return mo_body_of_triangle(body.corners);
  case MO_BODY_HALF_SPACE:
    body.half_space.origin = moved_point(moving, &a, shift, body.half_space.origin);
    body.half_space.normal = mo_rotate_by(&moving->rotation, &a, body.half_space.normal);
    return body;
  }
  __builtin_unreachable();
}

/* A half-space goes through the transform even at t = 0, so that its plane is rounded in the same
 * way at all times. */
mo_body mo_body_at(const mo_moving_body *moving, double t) {
  return t > 0.0 || moving->body.kind == MO_BODY_HALF_SPACE
             ? body_at_pose(moving, t, mo_dscale(t, mo_widen(moving->displacement)))
             : moving->body;
}

/* The sines and cosines of the multiples of 2 pi / 16, and the cosine of pi / 16, with the same
 * bits as mo_sin_cos gives. */
static const double sine_cosine_table[16][2] = {{0x0p+0, 0x1p+0},
                                                {0x1.87de2a6aea962p-2, 0x1.d906bcf328d46p-1},
                                                {0x1.6a09e667f3bcbp-1, 0x1.6a09e667f3bccp-1},
                                                {0x1.d906bcf328d46p-1, 0x1.87de2a6aea963p-2},
                                                {0x1p+0, 0x1.1a626331p-54},
                                                {0x1.d906bcf328d46p-1, -0x1.87de2a6aea962p-2},
                                                {0x1.6a09e667f3bccp-1, -0x1.6a09e667f3bcbp-1},
                                                {0x1.87de2a6aea964p-2, -0x1.d906bcf328d46p-1},
                                                {0x1.1a626331p-53, -0x1p+0},
                                                {-0x1.87de2a6aea961p-2, -0x1.d906bcf328d47p-1},
                                                {-0x1.6a09e667f3bcbp-1, -0x1.6a09e667f3bcdp-1},
                                                {-0x1.d906bcf328d44p-1, -0x1.87de2a6aea96dp-2},
                                                {-0x1p+0, -0x1.a79394cap-53},
                                                {-0x1.d906bcf328d45p-1, 0x1.87de2a6aea967p-2},
                                                {-0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcbp-1},
                                                {-0x1.87de2a6aea96dp-2, 0x1.d906bcf328d44p-1}};
static const double cosine_of_pi_over_16 = 0x1.f6297cff75cb1p-1;

/* An upper bound of the distances of a body's points from the axis. The support is evaluated in 16
 * directions. The largest result is divided by the cosine of pi / 16, because the farthest point
 * may lie in a direction up to pi / 16 away from the nearest of these. */
static double max_distance_from_axis(const mo_movement_rotation *rotation, mo_minkowski *sum,
                                     mo_dvec3 center) {
  mo_dvec3 a = rotation->axis, out = mo_dsub(center, rotation->pivot);
  double max = 0.0;
  mo_dvec3 e = mo_dcross(a, mo_most_perpendicular_axis(a));
  e = mo_dscale(1.0 / mo_dlength(e), e);
  mo_dvec3 f = mo_dcross(a, e);
  for (int i = 0; i < 16; ++i) {
    mo_dvec3 direction =
        mo_dadd(mo_dscale(sine_cosine_table[i][1], e), mo_dscale(sine_cosine_table[i][0], f));
    max = fmax(max, mo_ddot(out, direction) + mo_minkowski_support_distance(sum, direction));
  }
  return max / cosine_of_pi_over_16;
}

/* Removes balls and discs from a sum; adds to the `round_radius` and `round_reach` of the rotation.
 */
static void remove_balls_and_discs(mo_movement_rotation *rotation, mo_minkowski *sum) {
  int kept = 0;
  for (int i = 0; i < sum->ellipsoid_count; ++i) {
    const mo_dvec3 *axes = sum->axes[i];
    double radius = mo_dlength(axes[0]);
    bool is_disc = axes[2].x == 0.0 && axes[2].y == 0.0 && axes[2].z == 0.0;
    double deviation = mo_ellipsoid_ball_deviation(axes, is_disc ? 2 : 3);
    if (!(deviation <= max_ball_deviation)) {
      memmove(sum->axes[kept++], sum->axes[i], sizeof sum->axes[0]);
      continue;
    }
    /* `left` bounds how far the surface moves per radian. For a summand that is not
     * exactly a ball, only its deviation from a ball moves. */
    double left = 4.0 * deviation * radius;
    if (is_disc) {
      mo_dvec3 normal = mo_dcross(axes[0], axes[1]);
      mo_dvec3 tilt = mo_dcross(rotation->axis, normal);
      left += radius * sqrt(mo_ddot(tilt, tilt) / mo_ddot(normal, normal));
    }
    rotation->round_radius += radius;
    rotation->round_reach += left;
  }
  sum->ellipsoid_count = kept;
}

static double coordinate_magnitude(mo_aabb box, mo_dvec3 pivot) {
  mo_vec3 reach = mo_aabb_max_coordinates(box);
  return (double)reach.x + (double)reach.y + (double)reach.z + fabs(pivot.x) + fabs(pivot.y) +
         fabs(pivot.z);
}

double mo_movement_rotation_measure(mo_movement_rotation *rotation, const mo_body *body) {
  mo_minkowski sum;
  const mo_dvec3 center = mo_minkowski_of(&sum, body);
  rotation->round_radius = rotation->round_reach = 0.0;
  double farthest = max_distance_from_axis(rotation, &sum, center);
  remove_balls_and_discs(rotation, &sum);
  rotation->reach = max_distance_from_axis(rotation, &sum, center);
  return farthest;
}

void mo_moving_body_set_rotation(mo_moving_body *moving, const mo_movement_rotation *like) {
  mo_movement_rotation *rotation = &moving->rotation;
  *rotation =
      (mo_movement_rotation){.pivot = like->pivot, .axis = like->axis, .angle = like->angle};
  moving->rotates = true;
  if (moving->body.kind == MO_BODY_HALF_SPACE) {
    return;
  }
  double farthest = mo_movement_rotation_measure(rotation, &moving->body);

  /* Between two orientations, a point deviates from the chord by at most the height of its arc. */
  mo_aabb bounds = moving->bounds;
  for (int i = 1; i <= SAMPLED_ORIENTATIONS; ++i) {
    const mo_body body =
        body_at_pose(moving, (double)i / SAMPLED_ORIENTATIONS, mo_dvec(0.0, 0.0, 0.0));
    bounds = mo_aabb_union(bounds, mo_body_bounds(&body));
  }
  double sine, cosine;
  mo_sin_cos(0.5 * rotation->angle / SAMPLED_ORIENTATIONS, &sine, &cosine);
  double grow = farthest * (1.0 - cosine) +
                rounding_error * (farthest + coordinate_magnitude(bounds, rotation->pivot));
  const mo_dvec3 by = {grow, grow, grow};
  moving->bounds =
      mo_aabb_around(mo_dsub(mo_widen(bounds.lower), by), mo_dadd(mo_widen(bounds.upper), by));
}

/* Sets all members but the capsule, in place, as they are large. */
static void set_still_body(mo_moving_body *moving, const mo_body *body) {
  moving->body = *body;
  mo_body_cache_bounds(&moving->body);
  moving->bounds = moving->body.bounds;
  moving->displacement = mo_vec(0.0f, 0.0f, 0.0f);
  moving->box.is_usable = false;
  moving->rotates = false;
  moving->rotation = (mo_movement_rotation){.angle = 0.0};
}

mo_moving_body mo_still_body(const mo_body *body) {
  mo_moving_body still;
  set_still_body(&still, body);
  return still;
}

static mo_result check_rotation(const mo_movement *movement, const mo_refusal *refusal) {
  const mo_vec3 axis = movement->axis;
  mo_result result = mo_check_point(movement->pivot, refusal, ".pivot");
  if (result == MO_OK) {
    result = mo_check_finite(axis, refusal, ".axis");
  }
  if (result == MO_OK && axis.x == 0.0f && axis.y == 0.0f && axis.z == 0.0f) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".axis is zero");
  }
  if (result == MO_OK && fabsf(movement->angle) > 6.2831855f) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".angle", (double)movement->angle,
                              "beyond a full turn");
  }
  return result;
}

mo_result mo_movement_check(const mo_movement *movement, const mo_refusal *refusal) {
  mo_result result = mo_check_point(movement->displacement, refusal, ".displacement");
  if (result == MO_OK && !isfinite(movement->angle)) {
    result =
        mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".angle", (double)movement->angle, NULL);
  }
  if (result == MO_OK && movement->angle != 0.0f) {
    result = check_rotation(movement, refusal);
  }
  return result;
}

mo_movement_rotation mo_rotation_of_movement(const mo_movement *movement) {
  if (movement->angle == 0.0f) {
    return (mo_movement_rotation){.angle = 0.0};
  }
  mo_dvec3 axis = mo_widen(movement->axis);
  return (mo_movement_rotation){.pivot = mo_widen(movement->pivot),
                                .axis = mo_dscale(1.0 / mo_dlength(axis), axis),
                                .angle = movement->angle};
}

mo_result mo_moving_body_make(mo_moving_body *moving, const mo_body *body,
                              const mo_movement *movement, const mo_refusal *refusal) {
  mo_result result = mo_movement_check(movement, refusal);
  if (result != MO_OK) {
    return result;
  }
  set_still_body(moving, body);
  moving->displacement = movement->displacement;
  if (movement->angle == 0.0f) {
    moving->box = mo_box_body_of(&moving->body);
  }
  const bool has_bounds = body->kind != MO_BODY_HALF_SPACE;
  if (has_bounds && !moving->box.is_usable) {
    moving->capsule = mo_bounding_capsule_of(&moving->body);
  }
  if (movement->angle != 0.0f) {
    const mo_movement_rotation rotation = mo_rotation_of_movement(movement);
    mo_moving_body_set_rotation(moving, &rotation);
    bool in_range = mo_is_in_range(moving->bounds.lower) && mo_is_in_range(moving->bounds.upper);
    if (has_bounds && !in_range) {
      return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE, ".angle turns it beyond MO_MAX_COORDINATE");
    }
  }
  return MO_OK;
}

double mo_rotating_coordinate_magnitude(const mo_moving_body *moving, mo_aabb bounds) {
  return coordinate_magnitude(bounds, moving->rotation.pivot) +
         coordinate_magnitude(moving->bounds, mo_widen(moving->displacement));
}

double mo_rotating_approach_speed(const mo_moving_body *moving, mo_dvec3 normal) {
  const mo_movement_rotation *rotation = &moving->rotation;
  mo_dvec3 across = mo_dcross(normal, rotation->axis);
  double sine = mo_dlength(across), angle = fabs(rotation->angle);
  return -mo_ddot(normal, mo_widen(moving->displacement)) +
         angle *
             (sine * rotation->reach + fmin(sine * rotation->round_radius, rotation->round_reach));
}

mo_dvec3 mo_velocity_at(const mo_moving_body *moving, double t, mo_dvec3 point) {
  mo_dvec3 velocity = mo_widen(moving->displacement);
  if (!moving->rotates) {
    return velocity;
  }
  mo_dvec3 pivot = mo_dadd(moving->rotation.pivot, mo_dscale(t, velocity));
  mo_dvec3 per_radian = mo_dcross(moving->rotation.axis, mo_dsub(point, pivot));
  return mo_dadd(velocity, mo_dscale(moving->rotation.angle, per_radian));
}

mo_body_feature mo_moving_feature(const mo_moving_body *moving, double t, mo_dvec3 n) {
  if (moving->rotates) { /* rotates the normal back to the body's initial pose */
    n = mo_rotate_at(&moving->rotation, -t, n);
  }
  return mo_feature_along(&moving->body, n);
}

mo_contact_features mo_find_contact_features(const mo_body *still, const mo_moving_body *moving,
                                             float t, mo_vec3 normal) {
  mo_dvec3 out = mo_widen(normal), back = mo_dscale(-1.0, out);
  return (mo_contact_features){mo_feature_along(still, out),
                               mo_moving_feature(moving, (double)t, back)};
}
