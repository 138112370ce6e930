/* Bounds of how fast two moving bodies can approach each other.
 *
 * The speed at which a point of a body approaches a plane is at most that of its displacement, plus
 * that of the rotation: the angle, times the sine of the angle between axis and normal, times the
 * distance from the axis (Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996).
 *
 * For rotating bodies, longer steps than these speeds allow are possible. Along a fixed normal n
 * the separation is s(t) = n (b - a) - H(u) - K(v), where H and K are the support functions of the
 * bodies in their pose at t = 0, and u and v are the normal rotated backwards. Support functions
 * are convex. A direction that rotates about an axis deviates from the chord between two of its
 * positions by at most angle^2 / 8 times its distance from the axis. So between two times, s is at
 * least the lesser of its two values, minus that deviation times the points' distance from the
 * axis. The length of a step is then proportional to the square root of the distance instead of the
 * distance; and along one normal, steps need no new closest points. */
#include "geometry/cast/approach.h"

#include "geometry/cast/rotating.h"
#include "geometry/penetration/penetration.h"

/* The largest number of halvings of a step that is too long: beyond the resolution of double,
 * unless t is 0. */
enum { MAX_STEP_HALVINGS = 64 };

/* An upper bound, for all times, of the speed at which the height of `other` above a half-space
 * shrinks. Uses bounds of `other` around all its orientations; the half-space may rotate too. */
static double max_height_loss_rate(const mo_moving_body *half_space, const mo_moving_body *other) {
  mo_dvec3 between = mo_dsub(mo_widen(other->displacement), mo_widen(half_space->displacement));
  double speed = mo_dlength(between);
  if (other->rotates) {
    speed += fabs(other->rotation.angle) * (other->rotation.reach + other->rotation.round_radius);
  }
  if (half_space->rotates) {
    const mo_movement_rotation *rotation = &half_space->rotation;
    double sine = mo_dlength(mo_dcross(rotation->axis, half_space->body.half_space.normal));
    if (sine > MO_OPPOSITE_NORMALS_TOLERANCE) {
      speed += fabs(rotation->angle) * sine *
               (mo_max_distance_in_box(other->bounds, rotation->pivot) + mo_dlength(between));
    }
  }
  return speed;
}

void mo_approach_init(mo_approach *p, const mo_moving_body *a, const mo_moving_body *b,
                      double end) {
  /* not by one assignment, which would zero the large members too */
  p->a = a;
  p->b = b;
  p->end = end;
  p->backwards = false;
  p->rotates = a->rotates || b->rotates;
  p->has_half_space = mo_either_is_half_space(&a->body, &b->body);
  p->speed = 0.0;
  p->distance_count = 0;
  if (p->has_half_space) {
    p->speed = a->body.kind == MO_BODY_HALF_SPACE ? max_height_loss_rate(a, b)
                                                  : max_height_loss_rate(b, a);
  } else if (p->rotates) {
    p->start = mo_difference_of(&a->body, &b->body);
  } else {
    mo_cores_set(&p->cores, &a->body, &b->body);
  }
}

static mo_approach_gap gap_of_cores(mo_cores *cores) {
  mo_separating_plane found = mo_cores_find_separating_plane(cores, INFINITY, NULL);
  return (mo_approach_gap){found.separation, found.normal,
                           mo_dadd(found.point, mo_dscale(0.5 * found.distance, found.normal))};
}

static mo_approach_gap gap_to_half_space(const mo_body *a, const mo_body *b) {
  mo_convex_gap found = mo_half_space_distance(a, b);
  mo_approach_gap g = {found.distance, found.normal,
                       mo_dscale(0.5, mo_dadd(found.points[0], found.points[1]))};
  if (found.distance == 0.0) {
    mo_convex_penetration p = mo_half_space_find_penetration(a, b);
    g.separation = -p.depth;
    g.normal = p.normal;
  }
  return g;
}

/* Converts a time of an approach, which may run backwards, to the time from the motions' start. */
static double time_from_start(const mo_approach *p, double t) {
  return p->backwards ? 1.0 - t : t;
}

mo_approach_gap mo_approach_at(mo_approach *p, double t) {
  p->distance_count++;
  t = time_from_start(p, t);
  if (!p->rotates && !p->has_half_space) {
    mo_cores cores = p->cores;
    mo_dvec3 a = mo_dscale(t, mo_widen(p->a->displacement)),
             b = mo_dscale(t, mo_widen(p->b->displacement));
    cores.difference.offset = mo_dadd(cores.difference.offset, mo_dsub(a, b));
    cores.difference.centers[0] = mo_dadd(cores.difference.centers[0], a);
    cores.difference.centers[1] = mo_dadd(cores.difference.centers[1], b);
    return gap_of_cores(&cores);
  }
  const mo_body a = mo_body_at(p->a, t), b = mo_body_at(p->b, t);
  if (p->has_half_space) {
    return gap_to_half_space(&a, &b);
  }
  mo_cores cores;
  mo_cores_set(&cores, &a, &b);
  return gap_of_cores(&cores);
}

/* Returns the centre of a body at time t. Also transforms a direction to the frame of the body,
 * which has rotated since t = 0. */
static mo_dvec3 center_at(const mo_moving_body *moving, double t, mo_dvec3 center,
                          mo_dvec3 *direction) {
  const mo_movement_rotation *rotation = &moving->rotation;
  mo_dvec3 shift = mo_dscale(t, mo_widen(moving->displacement));
  if (!moving->rotates) {
    return mo_dadd(center, shift);
  }
  const mo_sine_cosine angle = mo_rotation_at(rotation, t), back = {-angle.sine, angle.cosine};
  *direction = mo_rotate_by(rotation, &back, *direction);
  mo_dvec3 out = mo_rotate_by(rotation, &angle, mo_dsub(center, rotation->pivot));
  return mo_dadd(mo_dadd(rotation->pivot, shift), out);
}

double mo_approach_separation(mo_approach *p, double t, mo_dvec3 normal) {
  if (p->has_half_space) {
    return mo_approach_at(p, t).separation;
  }
  t = time_from_start(p, t);
  mo_difference *d = p->rotates ? &p->start : &p->cores.difference;
  mo_dvec3 seen_by_a = normal, seen_by_b = normal;
  mo_dvec3 a = center_at(p->a, t, d->centers[0], &seen_by_a),
           b = center_at(p->b, t, d->centers[1], &seen_by_b);
  double reach = mo_minkowski_support_distance(&d->a, seen_by_a) +
                 mo_minkowski_support_distance(&d->b, mo_dscale(-1.0, seen_by_b)) +
                 (p->rotates ? 0.0 : mo_cores_ball_support_distance(&p->cores, normal));
  return mo_ddot(normal, mo_dsub(b, a)) - reach;
}

/* Half of the largest acceleration that the points of a rotating body have along a normal. */
static double half_acceleration(const mo_movement_rotation *rotation, mo_dvec3 normal) {
  return 0.5 * rotation->angle * rotation->angle * mo_dlength(mo_dcross(normal, rotation->axis)) *
         (rotation->reach + rotation->round_radius);
}

double mo_approach_speed(const mo_approach *p, mo_dvec3 normal) {
  if (p->has_half_space && p->rotates) {
    return p->speed;
  }
  const mo_dvec3 back = mo_dscale(-1.0, normal);
  return mo_rotating_approach_speed(p->a, p->backwards ? normal : back) +
         mo_rotating_approach_speed(p->b, p->backwards ? back : normal);
}

/* An upper bound of the speed that the rotation alone gives to the points of a body. */
static double rotation_speed(const mo_moving_body *moving) {
  const mo_movement_rotation *rotation = &moving->rotation;
  return fabs(rotation->angle) *
         (rotation->reach + fmin(rotation->round_radius, rotation->round_reach));
}

double mo_max_relative_speed(const mo_moving_body *a, const mo_moving_body *b) {
  return mo_dlength(mo_dsub(mo_widen(b->displacement), mo_widen(a->displacement))) +
         rotation_speed(a) + rotation_speed(b);
}

double mo_approach_max_speed(const mo_approach *p) {
  return p->has_half_space && p->rotates ? p->speed : mo_max_relative_speed(p->a, p->b);
}

/* An upper bound of the approach speed along a normal that rotates with the body `frame`. Seen from
 * this body, a point of the other one moves by its own motion, and by the rotation of `frame` in
 * proportion to its distance from the axis. */
static double speed_in_frame(const mo_moving_body *frame, const mo_moving_body *other,
                             mo_dvec3 normal) {
  const mo_movement_rotation *rotation = &frame->rotation;
  if (!frame->rotates) {
    return INFINITY;
  }
  double straight =
      mo_dlength(mo_dsub(mo_widen(other->displacement), mo_widen(frame->displacement)));
  double far = mo_max_distance_in_box(other->bounds, rotation->pivot);
  double sine = mo_dlength(mo_dcross(rotation->axis, normal));
  return straight + rotation_speed(other) + fabs(rotation->angle) * sine * (far + straight);
}

double mo_approach_speed_in_body_frame(const mo_approach *p, mo_dvec3 normal) {
  return p->has_half_space
             ? INFINITY
             : fmin(speed_in_frame(p->a, p->b, normal), speed_in_frame(p->b, p->a, normal));
}

double mo_approach_separated_until(mo_approach *p, double t, const mo_approach_gap *g,
                                   double target) {
  double excess = g->separation - target;
  double speed = mo_approach_speed(p, g->normal);
  if (!(speed > 0.0)) {
    return INFINITY;
  }
  double min = t + excess / speed;
  if (!p->rotates || p->has_half_space) {
    return min;
  }
  double bend =
      half_acceleration(&p->a->rotation, g->normal) + half_acceleration(&p->b->rotation, g->normal);
  if (!(bend > 0.0)) {
    return min;
  }
  double step = fmin(sqrt(2.0 * excess / bend), p->end - t);
  for (int i = 0; i < MAX_STEP_HALVINGS && t + step > min; ++i, step *= 0.5) {
    double left = fmin(excess, mo_approach_separation(p, t + step, g->normal) - target);
    if (left >= 0.25 * bend * step * step) {
      return t + step >= p->end ? INFINITY : t + step;
    }
  }
  return min;
}
