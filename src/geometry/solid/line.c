/* Lines against a ball, a box and a cylinder centred at the origin. */
#include "geometry/solid/line.h"

#include <float.h>

mo_line mo_line_make(mo_dvec3 start, mo_dvec3 direction) {
  double squared = mo_ddot(direction, direction);
  double foot_t = squared > 0.0 ? -mo_ddot(start, direction) / squared : 0.0;
  mo_dvec3 move = mo_dscale(foot_t, direction);
  mo_line line = {mo_dadd(start, move), direction, foot_t, 0.0};
  if (squared > 0.0) {
    /* Each coordinate of the foot has its own rounding error; the component of the error along the
     * line does not matter. */
    mo_dvec3 s = mo_dvec(direction.x * direction.x / squared, direction.y * direction.y / squared,
                         direction.z * direction.z / squared);
    line.error = 4.0 * DBL_EPSILON *
                 ((fabs(start.x) + fabs(move.x)) * sqrt(s.y + s.z) +
                  (fabs(start.y) + fabs(move.y)) * sqrt(s.x + s.z) +
                  (fabs(start.z) + fabs(move.z)) * sqrt(s.x + s.y));
  }
  return line;
}

bool mo_line_clip_to_ball(const mo_line *line, double radius, mo_span *span) {
  double squared = mo_ddot(line->direction, line->direction);
  if (!(squared > 0.0)) {
    return false;
  }
  /* The foot is closest to the origin only up to rounding, so `middle`, the t of the closest point,
   * is near 0 but not 0. */
  double middle = -mo_ddot(line->foot, line->direction) / squared;
  double distance = mo_dlength(mo_line_at(line, middle));
  if (distance > radius + line->error) {
    return false;
  }
  double half = sqrt(fmax(0.0, (radius - distance) * (radius + distance)) / squared);
  *span = (mo_span){middle - half, middle + half};
  return true;
}

bool mo_line_clip_to_box(const mo_line *line, mo_dvec3 half, mo_span *span) {
  const double foot[3] = {line->foot.x, line->foot.y, line->foot.z};
  const double direction[3] = {line->direction.x, line->direction.y, line->direction.z};
  const double extent[3] = {half.x, half.y, half.z};
  double enter = -INFINITY, leave = INFINITY;
  /* The span in the box enlarged by the error, which decides whether the line misses the box. */
  double outer_enter = -INFINITY, outer_leave = INFINITY;
  for (int k = 0; k < 3; ++k) {
    double speed = fabs(direction[k]);
    double position = direction[k] < 0.0 ? -foot[k] : foot[k];
    if (speed == 0.0) {
      if (fabs(position) > extent[k] + line->error) {
        return false;
      }
      continue;
    }
    enter = fmax(enter, (-extent[k] - position) / speed);
    leave = fmin(leave, (extent[k] - position) / speed);
    outer_enter = fmax(outer_enter, (-extent[k] - line->error - position) / speed);
    outer_leave = fmin(outer_leave, (extent[k] + line->error - position) / speed);
  }
  if (!(outer_enter <= outer_leave) || isinf(enter)) {
    return false;
  }
  /* If a line is nearly in the plane of a flat box, the position where it crosses the plane is
   * uncertain by the error. */
  enter = fmin(enter, outer_leave);
  *span = (mo_span){enter, fmax(enter, leave)};
  return true;
}

bool mo_line_clip_to_cylinder(const mo_line *line, mo_dvec3 axis, double radius, mo_span *span) {
  double squared = mo_ddot(axis, axis);
  double along_foot = mo_ddot(line->foot, axis) / squared;
  double along = mo_ddot(line->direction, axis) / squared;
  mo_dvec3 foot = mo_dsub(line->foot, mo_dscale(along_foot, axis));
  mo_dvec3 direction = mo_dsub(line->direction, mo_dscale(along, axis));
  double across = mo_ddot(direction, direction);
  *span = (mo_span){-INFINITY, INFINITY};
  if (across > DBL_EPSILON * DBL_EPSILON * mo_ddot(line->direction, line->direction)) {
    double middle = -mo_ddot(foot, direction) / across;
    double distance = mo_dlength(mo_dadd(foot, mo_dscale(middle, direction)));
    /* If line and axis are nearly parallel, the closest approach may be far away, and its distance
     * less accurate. */
    double error = line->error + 4.0 * DBL_EPSILON * fabs(middle) * mo_dlength(line->direction);
    if (distance > radius + error) {
      return false;
    }
    double half = sqrt(fmax(0.0, (radius - distance) * (radius + distance)) / across);
    *span = (mo_span){middle - half, middle + half};
  } else if (mo_dlength(foot) > radius + line->error) {
    return false;
  }
  *span = mo_span_intersection(*span, mo_line_slab(along_foot, along, 1.0));
  return true;
}

bool mo_line_vector_is_rounding_error(const mo_line *line, mo_dvec3 v, mo_dvec3 half) {
  return mo_dlength(v) <=
         line->error + 8.0 * DBL_EPSILON * (mo_dlength(line->foot) + mo_dlength(half));
}

mo_dvec3 mo_line_ball_normal(const mo_line *line, double enter) {
  mo_dvec3 normal = mo_line_at(line, enter);
  return mo_line_vector_is_rounding_error(line, normal, mo_dvec(0.0, 0.0, 0.0))
             ? mo_dscale(-1.0, line->direction)
             : normal;
}

mo_dvec3 mo_line_box_normal(const mo_line *line, mo_dvec3 half) {
  const double foot[3] = {line->foot.x, line->foot.y, line->foot.z};
  const double direction[3] = {line->direction.x, line->direction.y, line->direction.z};
  const double extent[3] = {half.x, half.y, half.z};
  double enter = -INFINITY, normal[3] = {0.0, 0.0, 0.0};
  int axis = 0;
  for (int k = 0; k < 3; ++k) {
    double position = direction[k] < 0.0 ? -foot[k] : foot[k];
    double t = (-extent[k] - position) / fabs(direction[k]);
    if (direction[k] != 0.0 && t > enter) {
      enter = t;
      axis = k;
    }
  }
  normal[axis] = direction[axis] > 0.0 ? -1.0 : 1.0;
  return mo_dvec(normal[0], normal[1], normal[2]);
}

mo_dvec3 mo_line_axis_normal(const mo_line *line, mo_dvec3 half_axis) {
  /* The normal is opposite to the ray, without the component along the axis, unless the ray is
   * parallel to the axis. */
  mo_dvec3 back = mo_dscale(-1.0, line->direction);
  if (mo_ddot(half_axis, half_axis) > 0.0) {
    mo_dvec3 across = mo_perpendicular_component(back, half_axis);
    if (mo_dlength(across) > 8.0 * DBL_EPSILON * mo_dlength(back)) {
      return across;
    }
  }
  return back;
}

mo_line_result mo_line_first_hit(const mo_line *line, bool inside, const mo_span *span, float min_t,
                                 float max_t, float *t) {
  if (!(min_t <= max_t)) {
    return MO_LINE_MISSES;
  }
  if (inside) {
    *t = min_t;
    return MO_LINE_STARTS_INSIDE;
  }
  if (span == NULL) {
    return MO_LINE_MISSES;
  }
  double enter = line->foot_t + span->enter, leave = line->foot_t + span->leave;
  if (enter < min_t) {
    /* The ray starts outside: either the solid lies behind the start, or rounding has moved
     * `enter`. */
    if (0.5 * enter + 0.5 * leave < min_t) {
      return MO_LINE_MISSES;
    }
    enter = min_t;
  }
  float rounded = (float)enter;
  if (!(rounded <= max_t) || !isfinite(rounded)) {
    return MO_LINE_MISSES;
  }
  *t = rounded;
  return MO_LINE_ENTERS;
}
