/* Cones: the convex hull of an apex a and a disc around b, perpendicular to the line from a to b,
 * which must not coincide. The centre is halfway between them; `half` is the vector from the centre
 * to the base. */
#ifndef MO_GEOMETRY_SOLID_CONE_H
#define MO_GEOMETRY_SOLID_CONE_H

#include "geometry/solid/line.h"
#include "geometry/solid/parts.h"
#include "geometry/solid/revolution.h"
#include "geometry/solid/rounded.h"

static inline void mo_cone_set_default(mo_geometry *g) {
  g->cone.a = mo_vec(1.0f, 0.0f, 0.0f);
  g->cone.b = mo_vec(-1.0f, 0.0f, 0.0f);
  g->cone.radius = 1.0f;
}

static inline mo_result mo_cone_check(const mo_geometry *g, const mo_refusal *refusal) {
  static const mo_solid_member_names names = {".cone.a", ".cone.b", ".cone.radius",
                                              ".cone has its apex in its base"};
  return mo_check_axis(g->cone.a, g->cone.b, g->cone.radius, &names, refusal);
}

static inline float mo_cone_max_coordinate(const mo_geometry *g) {
  return mo_max(mo_max_magnitude(g->cone.a), mo_max_magnitude(g->cone.b) + g->cone.radius);
}

static inline mo_solid mo_cone_read(const mo_geometry *g) {
  return (mo_solid){.kind = MO_SOLID_CONE,
                    .a = mo_widen(g->cone.a),
                    .b = mo_widen(g->cone.b),
                    .radius = g->cone.radius};
}

static inline mo_solid_field_offsets mo_cone_field_offsets(void) {
  return (mo_solid_field_offsets){MO_FIELD_OFFSET(mo_cone, a), MO_FIELD_OFFSET(mo_cone, b),
                                  MO_FIELD_OFFSET(mo_cone, radius)};
}

static inline mo_center_points mo_cone_center_points(const mo_solid *s) {
  return (mo_center_points){2, {s->a, s->b}};
}

static inline mo_dvec3 mo_cone_half(const mo_solid *s) {
  return mo_half_axis(s);
}

static inline mo_dvec3 mo_cone_support(const mo_solid *s, mo_dvec3 direction) {
  mo_dvec3 rim = mo_disc_support(s, s->b, direction);
  return mo_ddot(mo_dsub(rim, s->a), direction) > 0.0 ? rim : s->a;
}

static inline mo_solid_image mo_cone_linear_image(const mo_solid *s, const mo_dvec3 column[3]) {
  mo_solid_image image = mo_axis_and_disc(s, column);
  image.is_cone = true;
  return image;
}

/* The half widths of the disc around the base's centre. The apex is a point, so it has none. */
static inline int mo_cone_extents(const mo_solid4 *s, int point, const mo_d4vec *row,
                                  mo_d4 extent[3]) {
  if (point == 0) {
    return 0;
  }
  extent[0] = mo_disc_extent(s, row);
  return 1;
}

static inline bool mo_cone_is_axis_aligned(const mo_dvec3 column[3]) {
  (void)column;
  return false;
}

static inline bool mo_cone_is_defined_by_axis(void) {
  return true;
}

/* The vector to a point from the cone before rounding (mo_vector_from_solid). Computed in the plane
 * of the axis and the point, where the closest point lies on the base, on the side, or at an end of
 * the side. */
static inline mo_dvec3 mo_cone_vector_to(const mo_centered_solid *s, mo_dvec3 point) {
  double length = mo_dlength(s->half), radius = s->radius;
  mo_dvec3 axis = mo_dvec(s->half.x / length, s->half.y / length, s->half.z / length);
  double along = mo_ddot(point, axis);
  mo_dvec3 across = mo_dsub(point, mo_dscale(along, axis));
  double distance = mo_dlength(across);
  if (along >= length && distance <= radius) {
    return mo_dscale(along - length, axis);
  }
  /* The side goes from the apex by `height` along the axis and by the radius away from it. */
  double height = 2.0 * length, slant2 = height * height + radius * radius;
  double from_apex = along + length, out = distance;
  double outside = (out * height - from_apex * radius) / slant2;
  double part = (from_apex * height + out * radius) / slant2;
  if (!(outside > 0.0) && part >= 0.0 && along <= length) {
    return mo_dvec(0.0, 0.0, 0.0);
  }
  double away, forward; /* components of the result: away from the axis, along the axis */
  if (part <= 0.0) {
    away = out;
    forward = from_apex;
  } else if (part >= 1.0) {
    away = out - radius;
    forward = along - length;
  } else {
    away = outside * height;
    forward = -outside * radius;
  }
  double share = distance > 0.0 ? away / distance : 0.0;
  return mo_dadd(mo_dscale(forward, axis), mo_dscale(share, across));
}

static inline bool mo_cone_contains(const mo_centered_solid *s, mo_dvec3 point) {
  if (s->rounding > 0.0) {
    return mo_ball_contains(s->rounding, mo_cone_vector_to(s, point));
  }
  double squared = mo_ddot(s->half, s->half), along = mo_ddot(point, s->half);
  mo_dvec3 across = mo_dsub(point, mo_dscale(along / squared, s->half));
  return fabs(along) <= squared &&
         mo_ball_contains(0.5 * s->radius * (1.0 + along / squared), across);
}

/* A line relative to a cone, as linear functions of t. */
typedef struct mo_cone_line {
  mo_dvec3 foot, direction; /* perpendicular to the axis, its point is foot + t * direction */
  double cone_radius, cone_radius_rate; /* cone radius at its height: cone_radius + t *
                                           cone_radius_rate; negative beyond the apex */
  double foot_height, height_rate; /* height of its point: foot_height + t * height_rate, in units
                                      of `half` */
} mo_cone_line;

static inline mo_cone_line mo_cone_line_of(const mo_centered_solid *s, const mo_line *line) {
  double squared = mo_ddot(s->half, s->half);
  double foot_height = mo_ddot(line->foot, s->half) / squared;
  double height_rate = mo_ddot(line->direction, s->half) / squared;
  return (mo_cone_line){.foot = mo_dsub(line->foot, mo_dscale(foot_height, s->half)),
                        .direction = mo_dsub(line->direction, mo_dscale(height_rate, s->half)),
                        .cone_radius = 0.5 * s->radius * (1.0 + foot_height),
                        .cone_radius_rate = 0.5 * s->radius * height_rate,
                        .foot_height = foot_height,
                        .height_rate = height_rate};
}

/* The interval of t where |foot + t direction| <= cone_radius + t cone_radius_rate; empty
 * (enter > leave) if nowhere. This is a quadratic inequality, d t^2 - 2 p t + c <= 0, whose
 * discriminant is the difference of two squares, |w|^2 and x^2. A root that would suffer from
 * cancellation is computed from the other root. A line that moves away from the axis faster than
 * the cone grows is inside between the roots, on one side of the apex. Any other line is inside
 * from one root on; before that, it is beyond the apex or outside. */
static inline mo_span mo_cone_side_span(mo_dvec3 foot, mo_dvec3 direction, double cone_radius,
                                        double cone_radius_rate) {
  const mo_span empty = {INFINITY, -INFINITY};
  double speed = mo_dlength(direction), start = mo_dlength(foot);
  mo_dvec3 w = mo_dsub(mo_dscale(cone_radius, direction), mo_dscale(cone_radius_rate, foot));
  mo_dvec3 cross = mo_dcross(foot, direction);
  double size = mo_dlength(w), x = mo_dlength(cross);
  double d = (speed - cone_radius_rate) * (speed + cone_radius_rate),
         p = cone_radius * cone_radius_rate - mo_ddot(foot, direction);
  double c = (start - cone_radius) * (start + cone_radius);
  if (speed > fabs(cone_radius_rate)) {
    if (size < x || cone_radius * d + cone_radius_rate * p < 0.0) {
      return empty;
    }
    double root = sqrt((size - x) * (size + x));
    if (p >= 0.0) {
      double sum = p + root;
      return (mo_span){sum > 0.0 ? c / sum : 0.0, sum / d};
    }
    double sum = p - root;
    return (mo_span){sum / d, c / sum};
  }
  double root = sqrt(fmax(0.0, (size - x) * (size + x)));
  if (cone_radius_rate == 0.0) { /* parallel to the axis */
    return c <= 0.0 ? (mo_span){-INFINITY, INFINITY} : empty;
  }
  /* From here on, the line is followed in the direction in which the cone grows. */
  double sign = cone_radius_rate > 0.0 ? 1.0 : -1.0, ahead = sign * p, sum = ahead + root, t;
  if (ahead >= 0.0) {
    t = sum > 0.0 ? c / sum : 0.0;
  } else {
    t = d < 0.0 ? (root - ahead) / -d : INFINITY;
  }
  return sign > 0.0 ? (mo_span){t, INFINITY} : (mo_span){-INFINITY, -t};
}

/* For a line that misses a cone by no more than the error: finds the point of the line that is
 * closest to the cone, or the first of equally close ones. False if the line misses by more. */
static inline bool mo_cone_grazing_point(const mo_centered_solid *s, const mo_line *line,
                                         const mo_cone_line *view, mo_span *span) {
  double length = mo_dlength(s->half), radius = s->radius;
  double slope = sqrt(1.0 + 0.25 * radius * radius / (length * length));
  double velocity = mo_dlength(line->direction);
  /* Only near the cone's bounding cylinder: the rim of a flat cone is sharp, so the side, moved
   * outward by the error, would reach far beyond the rim. */
  mo_span near = mo_span_intersection(
      mo_line_slab(view->foot_height, view->height_rate, 1.0 + line->error / length),
      mo_cone_side_span(view->foot, view->direction, radius + line->error, 0.0));
  if (!(near.enter <= near.leave)) {
    return false;
  }
  /* The distance from the axis minus the cone's radius at that height is a convex function of t. */
  double squared = mo_ddot(view->direction, view->direction), speed = sqrt(squared);
  double t = copysign(INFINITY, view->cone_radius_rate);
  bool has_minimum = speed > fabs(view->cone_radius_rate);
  if (has_minimum) {
    mo_dvec3 cross = mo_dcross(view->foot, view->direction);
    double across = mo_dlength(cross) / speed; /* smallest distance from the axis */
    double rate = sqrt((speed - view->cone_radius_rate) * (speed + view->cone_radius_rate));
    t = -mo_ddot(view->foot, view->direction) / squared +
        view->cone_radius_rate * across / (speed * rate);
  }
  t = mo_span_clamp(near, t);
  mo_dvec3 across = mo_dadd(view->foot, mo_dscale(t, view->direction));
  double beyond = mo_dlength(across) - (view->cone_radius + t * view->cone_radius_rate);
  double slack = (line->error + 4.0 * DBL_EPSILON * fabs(t) * velocity) * slope;
  if (!(beyond <= slack)) {
    return false;
  }
  if (!has_minimum) {
    mo_span wider = mo_cone_side_span(view->foot, view->direction, view->cone_radius + slack,
                                      view->cone_radius_rate);
    t = mo_span_clamp(near, wider.enter);
  }
  *span = (mo_span){t, t};
  return true;
}

/* The part of a line in the cone, and whether the line enters through the base. The part is also
 * clipped to the cone's bounding cylinder, because of the rounding errors of a flat cone. */
static inline mo_span mo_cone_span(const mo_centered_solid *s, const mo_cone_line *view,
                                   bool *base) {
  mo_span slab = mo_line_slab(view->foot_height, view->height_rate, 1.0);
  mo_span side =
      mo_cone_side_span(view->foot, view->direction, view->cone_radius, view->cone_radius_rate);
  *base = view->height_rate < 0.0 && slab.enter >= side.enter;
  return mo_span_intersection(mo_span_intersection(slab, side),
                              mo_cone_side_span(view->foot, view->direction, s->radius, 0.0));
}

static inline bool mo_cone_clip_line(const mo_centered_solid *s, const mo_line *line,
                                     mo_span *span) {
  if (!(mo_ddot(line->direction, line->direction) > 0.0)) {
    return false;
  }
  if (s->rounding > 0.0) {
    double reach = sqrt(mo_ddot(s->half, s->half) + s->radius * s->radius);
    return mo_rounded_clip_line(s, mo_cone_vector_to, reach, line, span);
  }
  bool base;
  mo_cone_line view = mo_cone_line_of(s, line);
  *span = mo_cone_span(s, &view, &base);
  return span->enter <= span->leave || mo_cone_grazing_point(s, line, &view, span);
}

static inline mo_dvec3 mo_cone_normal(const mo_centered_solid *s, const mo_line *line,
                                      double enter) {
  mo_dvec3 normal;
  if (s->rounding > 0.0 && mo_rounded_normal(s, mo_cone_vector_to, line, enter, &normal)) {
    return normal;
  }
  bool base;
  mo_cone_line view = mo_cone_line_of(s, line);
  mo_cone_span(s, &view, &base);
  if (base) {
    return s->half;
  }
  double length = mo_dlength(s->half);
  mo_dvec3 out = mo_dadd(view.foot, mo_dscale(enter, view.direction));
  if (mo_line_vector_is_rounding_error(line, out, s->half)) {
    out = mo_line_axis_normal(line, s->half);
    if (fabs(mo_ddot(out, s->half)) > 0.5 * length * mo_dlength(out)) {
      return out; /* parallel to the axis */
    }
  }
  /* Removes the component along the axis that rounding leaves: for a needle, it would rotate the
   * normal. */
  out = mo_dsub(out, mo_dscale(mo_ddot(out, s->half) / (length * length), s->half));
  normal = mo_dsub(mo_dscale(2.0 * length / mo_dlength(out), out),
                   mo_dscale(s->radius / length, s->half));
  /* At the rim of a flat cone, rounding decides through which side a line enters. */
  return view.height_rate < 0.0 && mo_ddot(normal, line->direction) > 0.0 ? s->half : normal;
}

/* The profile of a rounded cone is the arc around the apex, the side, and the arc around the rim.
 * Both arcs meet the side where their heading is its normal. */
static inline mo_moments mo_cone_moments(const mo_solid *s) {
  double half = mo_dlength(mo_half_axis(s)), radius = s->radius, rounding = s->rounding;
  double slant = sqrt(4.0 * half * half + radius * radius);
  const mo_heading down = {0.0, -1.0}, up = {0.0, 1.0};
  const mo_heading normal = {2.0 * half / slant, -radius / slant};
  double out = rounding * normal.cosine, raised = rounding * normal.sine;
  mo_profile profile = {.zeroth = 0.0};
  mo_profile_add_arc(&profile, -half, 0.0, rounding, down, normal);
  mo_profile_add_line(&profile, -half + raised, out, half + raised, radius + out);
  mo_profile_add_arc(&profile, half, radius, rounding, normal, up);
  return mo_profile_moments(&profile, s);
}

#endif
