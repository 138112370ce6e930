/* A moving AABB against a stationary one: intersects the time intervals in which they overlap along
 * each axis.
 *
 * For 0 and -0, fmin and fmax may return either one, depending on the compiler. Where the sign of a
 * zero would be visible, 0 is added, or the value is subtracted from 0. */
#include "geometry/cast/bounds.h"

#include "geometry/cast/half_space.h"

/* A moving and a stationary box on one axis: they overlap while the moving one has been displaced
 * by `min` to `max`. `displacement` is that of the whole motion. */
typedef struct axis_overlap {
  double min, max, displacement;
} axis_overlap;

static mo_dvec3 axis_vector(int axis, double length) {
  return mo_dvec(axis == 0 ? length : 0.0, axis == 1 ? length : 0.0, axis == 2 ? length : 0.0);
}

/* The middle, on one axis, of the intersection of a box with the bounds of a moving body at t. */
static double middle_of_overlap(mo_aabb box, const mo_moving_body *moving, int axis, double t) {
  double moved = t * (double)mo_get(moving->displacement, axis);
  return 0.0 + 0.5 * (fmax(mo_get(box.lower, axis), mo_get(moving->bounds.lower, axis) + moved) +
                      fmin(mo_get(box.upper, axis), mo_get(moving->bounds.upper, axis) + moved));
}

/* Sets the contact's depth and normal to the shortest translation along an axis out of the box. */
static void set_shortest_push_out(const axis_overlap gaps[3], mo_convex_contact *contact) {
  contact->t = 0.0;
  contact->depth = INFINITY;
  for (int axis = 0; axis < 3; ++axis) {
    const axis_overlap *gap = &gaps[axis];
    double depth = 0.0 + fmin(gap->max, -gap->min);
    if (depth < contact->depth) {
      contact->depth = depth;
      contact->normal = axis_vector(axis, gap->max <= -gap->min ? 1.0 : -1.0);
    }
  }
  contact->distance = 0.0 - contact->depth;
}

mo_convex_contact mo_cast_bounds(mo_aabb box, const mo_moving_body *moving) {
  if (moving->body.kind == MO_BODY_HALF_SPACE) {
    const mo_body still = mo_body_of_aabb(box);
    return mo_cast_half_space(&still, moving, 2.0);
  }
  const mo_convex_contact none = {.t = INFINITY};
  axis_overlap gaps[3];
  double enter = -INFINITY, leave = INFINITY;
  int side = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const axis_overlap gap = {
        (double)mo_get(box.lower, axis) - (double)mo_get(moving->bounds.upper, axis),
        (double)mo_get(box.upper, axis) - (double)mo_get(moving->bounds.lower, axis),
        mo_get(moving->displacement, axis)};
    gaps[axis] = gap;
    if (gap.displacement == 0.0) {
      if (gap.min > 0.0 || gap.max < 0.0) {
        return none;
      }
      continue;
    }
    bool ahead = gap.displacement > 0.0;
    double first = (ahead ? gap.min : gap.max) / gap.displacement;
    double last = (ahead ? gap.max : gap.min) / gap.displacement;
    if (first > enter) {
      enter = first;
      side = axis;
    }
    leave = fmin(leave, last);
  }
  if (enter > leave || leave < 0.0) {
    return none;
  }
  mo_convex_contact contact = {.t = enter};
  if (enter <= 0.0) {
    set_shortest_push_out(gaps, &contact);
  } else {
    contact.normal = axis_vector(side, gaps[side].displacement > 0.0 ? -1.0 : 1.0);
  }
  contact.point = mo_dvec(middle_of_overlap(box, moving, 0, contact.t),
                          middle_of_overlap(box, moving, 1, contact.t),
                          middle_of_overlap(box, moving, 2, contact.t));
  return contact;
}

mo_convex_contact mo_cast_bounds_at_half_space(const mo_half_space_body *still,
                                               const mo_moving_body *moving) {
  const mo_body body = mo_body_of_half_space(still);
  if (moving->body.kind == MO_BODY_HALF_SPACE) {
    return mo_cast_half_space(&body, moving, 2.0);
  }
  const mo_moving_body box = {.body = mo_body_of_aabb(moving->bounds),
                              .bounds = moving->bounds,
                              .displacement = moving->displacement};
  return mo_cast_half_space(&body, &box, 2.0);
}
