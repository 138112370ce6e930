/* Lines against rounded solids, by Newton's method.
 *
 * The distance of a point to a convex solid is a convex function along a line. Where the line comes
 * from outside and draws closer, the tangent of that function lies below it: a step to where the
 * tangent reaches the radius of the rounding never goes past the point where the line enters. So
 * steps from the left come to the entry without more ado, twice as many digits right with each, or
 * half of what is left where the line is tangent. A step that leads to where the distance grows
 * again, without the radius having been reached, proves that it never is.
 *
 * Steps begin where the line enters a ball around the solid, so that numbers are of its size. */
#include "geometry/solid/rounded.h"

#include <float.h>

/* A tangent line halves what is left with each step: 53 of them, and some at the start. */
enum { MAX_STEPS = 80 };

typedef struct subject {
  const mo_centred *solid;
  mo_beyond *beyond;
  const mo_line *line;
} subject;

/* Where a line that goes forward (`sign` 1) or backward (-1) from `t` first comes within a distance
 * of the solid without its rounding. False if it does not. */
static bool first_within(const subject *s, double distance, double sign, double *t) {
  for (int i = 0; i < MAX_STEPS; ++i) {
    mo_dvec3 v = s->beyond(s->solid, mo_line_at(s->line, *t));
    double away = sqrt(mo_ddot(v, v));
    if (away <= distance) {
      return true;
    }
    double speed = -sign * mo_ddot(v, s->line->direction) / away;
    if (!(speed > 0.0)) {
      return false;
    }
    double next = *t + sign * ((away - distance) / speed);
    if (next == *t) {
      return true;
    }
    *t = next;
  }
  return true;
}

bool mo_rounded_meets_line(const mo_centred *s, mo_beyond *beyond, double reach,
                           const mo_line *line, mo_span *span) {
  const subject of = {s, beyond, line};
  double error = line->error + 8.0 * DBL_EPSILON * (reach + s->rounding);
  mo_span around;
  if (!mo_line_ball(line, reach + s->rounding + error, &around)) {
    return false;
  }
  *span = around;
  double distance = s->rounding;
  if (!first_within(&of, distance, 1.0, &span->enter)) {
    /* A line that is tangent to within the error comes within the distance by that much. */
    distance += error;
    span->enter = around.enter;
    if (!first_within(&of, distance, 1.0, &span->enter)) {
      return false;
    }
  }
  if (!first_within(&of, distance, -1.0, &span->leave)) {
    span->leave = span->enter; /* seen from the other side, rounding makes it miss */
  }
  span->leave = fmax(span->enter, span->leave);
  return true;
}

bool mo_rounded_normal(const mo_centred *s, mo_beyond *beyond, const mo_line *line, double enter,
                       mo_dvec3 *normal) {
  *normal = beyond(s, mo_line_at(line, enter));
  return !mo_line_is_noise(line, *normal, s->half);
}
