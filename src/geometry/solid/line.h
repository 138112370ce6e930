/* Lines against solids centred at the origin, in double precision: shared by rays against solids in
 * their local frame and rays against solids under singular maps.
 *
 * A line is parametrized from its point closest to the origin (its foot). So all terms have the
 * magnitude of the solid, not that of the distance to the ray's origin. */
#ifndef MO_GEOMETRY_SOLID_LINE_H
#define MO_GEOMETRY_SOLID_LINE_H

#include "math/vector.h"

/* The line of points `foot` + (t - foot_t) * direction. */
typedef struct mo_line {
  mo_dvec3 foot; /* the point closest to the origin */
  mo_dvec3 direction;
  double foot_t; /* the t of `foot` */
  double error;  /* bound on the distance from `foot` to the true line */
} mo_line;

/* The part of a line inside a solid, in units of t - foot_t. */
typedef struct mo_span {
  double enter, leave;
} mo_span;

/* Makes a line from its point at t = 0, relative to the centre of the solid, and its direction,
 * which may be zero. */
mo_line mo_line_make(mo_dvec3 start, mo_dvec3 direction);

/* Whether the line meets a ball or box to within `line->error`, and where. A line with a direction
 * of zero meets nothing. */
bool mo_line_clip_to_ball(const mo_line *line, double radius, mo_span *span);
bool mo_line_clip_to_box(const mo_line *line, mo_dvec3 half, mo_span *span);

/* The part of the line in a cylinder: within the radius of the axis from -half_axis to half_axis
 * (not zero), and between the planes through the axis's ends. False if the line misses the infinite
 * cylinder to within `error`. `span` is empty (enter > leave) if the line only misses the part
 * between the planes. */
bool mo_line_clip_to_cylinder(const mo_line *line, mo_dvec3 half_axis, double radius,
                              mo_span *span);

/* The interval of t in which foot + t * along lies between -half and half; empty (enter > leave) if
 nowhere. */
static inline mo_span mo_line_slab(double foot, double along, double half) {
  if (along == 0.0) {
    return fabs(foot) <= half ? (mo_span){-INFINITY, INFINITY} : (mo_span){INFINITY, -INFINITY};
  }
  double t0 = (-half - foot) / along, t1 = (half - foot) / along;
  return (mo_span){fmin(t0, t1), fmax(t0, t1)};
}

/* The intersection of two spans. */
static inline mo_span mo_span_intersection(mo_span a, mo_span b) {
  return (mo_span){a.enter > b.enter ? a.enter : b.enter, a.leave < b.leave ? a.leave : b.leave};
}

/* The t in a nonempty span that is nearest to a given t. */
static inline double mo_span_clamp(mo_span span, double t) {
  return t < span.enter ? span.enter : t > span.leave ? span.leave : t;
}

static inline mo_dvec3 mo_line_at(const mo_line *line, double t) {
  return mo_dadd(line->foot, mo_dscale(t, line->direction));
}

/* Whether a vector v, from a point of a solid with half extents `half` to a point of the line, is
 * no longer than its rounding error. */
bool mo_line_vector_is_rounding_error(const mo_line *line, mo_dvec3 v, mo_dvec3 half);

/* An outward normal of a ball or box where the line enters; never zero, even for solids without
 * volume. */
mo_dvec3 mo_line_ball_normal(const mo_line *line, double enter);
mo_dvec3 mo_line_box_normal(const mo_line *line, mo_dvec3 half);
/* An outward normal, where the line enters, of the segment from -half_axis to half_axis. */
mo_dvec3 mo_line_axis_normal(const mo_line *line, mo_dvec3 half_axis);

typedef enum mo_line_result {
  MO_LINE_MISSES,
  MO_LINE_ENTERS,
  MO_LINE_STARTS_INSIDE
} mo_line_result;

/* The result of a ray from min_t to max_t against a solid, and the t of the hit. `inside`: whether
 * the point at min_t lies in the solid; `span`: null if the line misses it. */
mo_line_result mo_line_first_hit(const mo_line *line, bool inside, const mo_span *span, float min_t,
                                 float max_t, float *t);

#endif
