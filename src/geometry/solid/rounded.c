/* Lines against rounded solids, by Newton's method.
 *
 * The distance of a point from a convex solid is a convex function along a line. On a line that
 * approaches from outside, the tangent of that function lies below it: so a Newton step, to where
 * the tangent reaches the rounding radius, never passes the point where the line enters. Steps from
 * the left therefore converge to the entry without safeguards: each doubles the number of correct
 * digits, or halves the remaining distance if the line is tangent. If a step ends where the
 * distance grows again, and the radius has not been reached, then it never is.
 *
 * Steps begin where the line enters a bounding ball of the solid, so that all numbers have the
 * magnitude of the solid. */
#include "geometry/solid/rounded.h"

#include <float.h>

/* The largest number of Newton steps. For a tangent line, each step halves the remaining distance:
 * 53 steps, and some more at the start. */
enum { MAX_NEWTON_STEPS = 80 };

/* A line and a solid, whose distance along the line is the function in Newton's method. */
typedef struct line_and_solid {
  const mo_centered_solid *solid;
  mo_vector_from_solid *vector_to;
  const mo_line *line;
} line_and_solid;

/* Follows a line forward (`sign` 1) or backward (-1) from `t` to where it first comes within
 * `distance` of the solid before rounding. False if it never does. */
static bool advance_until_within(const line_and_solid *s, double distance, double sign, double *t) {
  for (int i = 0; i < MAX_NEWTON_STEPS; ++i) {
    mo_dvec3 v = s->vector_to(s->solid, mo_line_at(s->line, *t));
    double away = mo_dlength(v);
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

bool mo_rounded_clip_line(const mo_centered_solid *s, mo_vector_from_solid *vector_to, double reach,
                          const mo_line *line, mo_span *span) {
  const line_and_solid of = {s, vector_to, line};
  double error = line->error + 8.0 * DBL_EPSILON * (reach + s->rounding);
  mo_span around;
  if (!mo_line_clip_to_ball(line, reach + s->rounding + error, &around)) {
    return false;
  }
  *span = around;
  double distance = s->rounding;
  if (!advance_until_within(&of, distance, 1.0, &span->enter)) {
    /* A line that is tangent, to within the error, comes at least within distance + error. */
    distance += error;
    span->enter = around.enter;
    if (!advance_until_within(&of, distance, 1.0, &span->enter)) {
      return false;
    }
  }
  if (!advance_until_within(&of, distance, -1.0, &span->leave)) {
    span->leave = span->enter; /* a tangent line: rounding makes it miss from the other side */
  }
  span->leave = fmax(span->enter, span->leave);
  return true;
}

bool mo_rounded_normal(const mo_centered_solid *s, mo_vector_from_solid *vector_to,
                       const mo_line *line, double enter, mo_dvec3 *normal) {
  *normal = vector_to(s, mo_line_at(line, enter));
  return !mo_line_vector_is_rounding_error(line, *normal, s->half);
}
