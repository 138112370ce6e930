/* Lines against solids centred at 0, in double precision: the common core of the rays against
 * solids in their own frame and of those under singular maps.
 *
 * A line is described from its point closest to 0, so that what decides has the magnitude of the
 * solid and not of the distance to the origin of the ray. */
#ifndef MO_GEOMETRY_SOLID_LINE_H
#define MO_GEOMETRY_SOLID_LINE_H

#include "math/vector.h"

/* The points `foot` + (t - shift) * direction. */
typedef struct mo_line {
  mo_dvec3 foot, direction;
  double shift;
  double error; /* bound on the distance from `foot` to the true line */
} mo_line;

/* The part of a line inside a solid, in t - shift. */
typedef struct mo_span {
  double enter, leave;
} mo_span;

/* `start`: the point at t = 0, relative to the centre of the solid. A zero direction is legal. */
mo_line mo_line_make(mo_dvec3 start, mo_dvec3 direction);

/* Whether the line meets the solid to within `error`, and where. A direction of zero meets nothing.
 */
bool mo_line_ball(const mo_line *line, double radius, mo_span *span);
bool mo_line_box(const mo_line *line, mo_dvec3 half, mo_span *span);

/* The part of the line within the radius of the axis from -half_axis to half_axis (not zero) and
 * between the planes through its ends. False if the line misses the infinite cylinder to within
 * `error`. `span` is empty (enter > leave) where only the length is missed. */
bool mo_line_cylinder(const mo_line *line, mo_dvec3 half_axis, double radius, mo_span *span);

/* Where foot + t * along lies between -half and half; empty (enter > leave) if nowhere. */
static inline mo_span mo_line_slab(double foot, double along, double half) {
  if (along == 0.0) {
    return fabs(foot) <= half ? (mo_span){-INFINITY, INFINITY} : (mo_span){INFINITY, -INFINITY};
  }
  double t0 = (-half - foot) / along, t1 = (half - foot) / along;
  return (mo_span){fmin(t0, t1), fmax(t0, t1)};
}

static inline mo_dvec3 mo_line_at(const mo_line *line, double t) {
  return mo_dadd(line->foot, mo_dscale(t, line->direction));
}

/* Whether a vector to a point of the line, from a point of something that `half` reaches around 0,
 * is no more than rounding. */
bool mo_line_is_noise(const mo_line *line, mo_dvec3 v, mo_dvec3 half);

/* An outward normal where the line enters: not zero, also where there is no surface to speak of. */
mo_dvec3 mo_line_ball_normal(const mo_line *line, double enter);
mo_dvec3 mo_line_box_normal(const mo_line *line, mo_dvec3 half);
/* Of the segment from -half_axis to half_axis. */
mo_dvec3 mo_line_axis_normal(const mo_line *line, mo_dvec3 half_axis);

typedef enum mo_line_result {
  MO_LINE_MISSES,
  MO_LINE_ENTERS,
  MO_LINE_STARTS_INSIDE
} mo_line_result;

/* What a ray with this range makes of a solid, and its t. `inside`: whether the point at min_t lies
 * in it; `span`: null if the line misses it. */
mo_line_result mo_line_first(const mo_line *line, bool inside, const mo_span *span, float min_t,
                             float max_t, float *t);

#endif
