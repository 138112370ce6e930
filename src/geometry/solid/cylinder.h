/* Cylinders: the points within a radius of the line through a and b, between the planes through a
 * and b perpendicular to it. a and b must not coincide. */
#ifndef MO_GEOMETRY_SOLID_CYLINDER_H
#define MO_GEOMETRY_SOLID_CYLINDER_H

#include "geometry/solid/line.h"
#include "geometry/solid/parts.h"
#include "geometry/solid/revolution.h"
#include "geometry/solid/rounded.h"

static inline void mo_cylinder_set_default(mo_geometry *g) {
  g->cylinder.a = mo_vec(-1.0f, 0.0f, 0.0f);
  g->cylinder.b = mo_vec(1.0f, 0.0f, 0.0f);
  g->cylinder.radius = 1.0f;
}

static inline mo_result mo_cylinder_check(const mo_geometry *g, const mo_refusal *refusal) {
  static const mo_solid_member_names names = {".cylinder.a", ".cylinder.b", ".cylinder.radius",
                                              ".cylinder has ends that coincide"};
  return mo_check_axis(g->cylinder.a, g->cylinder.b, g->cylinder.radius, &names, refusal);
}

static inline float mo_cylinder_max_coordinate(const mo_geometry *g) {
  return mo_max(mo_max_magnitude(g->cylinder.a), mo_max_magnitude(g->cylinder.b)) +
         g->cylinder.radius;
}

static inline mo_solid mo_cylinder_read(const mo_geometry *g) {
  return (mo_solid){.kind = MO_SOLID_CYLINDER,
                    .a = mo_widen(g->cylinder.a),
                    .b = mo_widen(g->cylinder.b),
                    .radius = g->cylinder.radius};
}

static inline mo_solid_field_offsets mo_cylinder_field_offsets(void) {
  return (mo_solid_field_offsets){MO_FIELD_OFFSET(mo_cylinder, a), MO_FIELD_OFFSET(mo_cylinder, b),
                                  MO_FIELD_OFFSET(mo_cylinder, radius)};
}

static inline mo_center_points mo_cylinder_center_points(const mo_solid *s) {
  return (mo_center_points){2, {s->a, s->b}};
}

static inline mo_dvec3 mo_cylinder_half(const mo_solid *s) {
  return mo_half_axis(s);
}

static inline mo_dvec3 mo_cylinder_support(const mo_solid *s, mo_dvec3 direction) {
  return mo_disc_support(s, mo_farther_end(s, direction), direction);
}

static inline mo_solid_image mo_cylinder_linear_image(const mo_solid *s, const mo_dvec3 column[3]) {
  return mo_axis_and_disc(s, column);
}

static inline int mo_cylinder_extents(const mo_solid4 *s, int point, const mo_d4vec *row,
                                      mo_d4 extent[3]) {
  (void)point;
  extent[0] = mo_disc_extent(s, row);
  return 1;
}

static inline bool mo_cylinder_is_axis_aligned(const mo_dvec3 column[3]) {
  (void)column;
  return false;
}

static inline bool mo_cylinder_is_defined_by_axis(void) {
  return true;
}

/* The vector to a point from the cylinder before rounding (mo_vector_from_solid). */
static inline mo_dvec3 mo_cylinder_vector_to(const mo_centered_solid *s, mo_dvec3 point) {
  double along = mo_ddot(point, s->half) / mo_ddot(s->half, s->half);
  mo_dvec3 across = mo_dsub(point, mo_dscale(along, s->half));
  double distance = mo_dlength(across);
  double past = along > 1.0 ? along - 1.0 : along < -1.0 ? along + 1.0 : 0.0;
  double outside = distance > s->radius ? (distance - s->radius) / distance : 0.0;
  return mo_dadd(mo_dscale(past, s->half), mo_dscale(outside, across));
}

static inline bool mo_cylinder_contains(const mo_centered_solid *s, mo_dvec3 point) {
  if (s->rounding > 0.0) {
    return mo_ball_contains(s->rounding, mo_cylinder_vector_to(s, point));
  }
  double squared = mo_ddot(s->half, s->half), along = mo_ddot(point, s->half);
  mo_dvec3 across = mo_dsub(point, mo_dscale(along / squared, s->half));
  return fabs(along) <= squared && mo_ball_contains(s->radius, across);
}

/* The parts of a line that decide where it crosses a cylinder. */
typedef struct mo_cylinder_line {
  mo_span slab;        /* the part between the planes of the ends */
  mo_span wide_slab;   /* the part between these two planes, moved outward by the error */
  mo_span cylinder;    /* the part in the infinite cylinder; empty if none */
  double min_distance; /* smallest distance from the axis of a point in the wide slab */
  double closest_t;    /* the t of the point at `min_distance` */
} mo_cylinder_line;

static inline mo_cylinder_line mo_cylinder_line_of(const mo_centered_solid *s,
                                                   const mo_line *line) {
  double squared = mo_ddot(s->half, s->half);
  double along_foot = mo_ddot(line->foot, s->half) / squared;
  double along = mo_ddot(line->direction, s->half) / squared;
  mo_dvec3 foot = mo_dsub(line->foot, mo_dscale(along_foot, s->half));
  mo_dvec3 direction = mo_dsub(line->direction, mo_dscale(along, s->half));
  double across = mo_ddot(direction, direction);
  mo_cylinder_line cut = {.slab = mo_line_slab(along_foot, along, 1.0),
                          .wide_slab =
                              mo_line_slab(along_foot, along, 1.0 + line->error / sqrt(squared)),
                          .cylinder = {-INFINITY, INFINITY},
                          .min_distance = mo_dlength(foot),
                          .closest_t = 0.0};
  cut.closest_t = fmin(fmax(0.0, cut.wide_slab.enter), cut.wide_slab.leave);
  if (across > DBL_EPSILON * DBL_EPSILON * mo_ddot(line->direction, line->direction)) {
    double middle = -mo_ddot(foot, direction) / across;
    mo_dvec3 closest = mo_dadd(foot, mo_dscale(middle, direction));
    double distance = mo_dlength(closest);
    double half = sqrt(fmax(0.0, (s->radius - distance) * (s->radius + distance)) / across);
    cut.cylinder = (mo_span){middle - half, middle + half};
    cut.closest_t = fmin(fmax(middle, cut.wide_slab.enter), cut.wide_slab.leave);
    closest = mo_dadd(foot, mo_dscale(cut.closest_t, direction));
    cut.min_distance = mo_dlength(closest);
  }
  return cut;
}

static inline bool mo_cylinder_clip_line(const mo_centered_solid *s, const mo_line *line,
                                         mo_span *span) {
  double speed = mo_dlength(line->direction);
  if (!(speed > 0.0)) {
    return false;
  }
  if (s->rounding > 0.0) {
    double reach = sqrt(mo_ddot(s->half, s->half) + s->radius * s->radius);
    return mo_rounded_clip_line(s, mo_cylinder_vector_to, reach, line, span);
  }
  mo_cylinder_line cut = mo_cylinder_line_of(s, line);
  if (!(cut.wide_slab.enter <= cut.wide_slab.leave) ||
      cut.min_distance >
          s->radius + line->error + 4.0 * DBL_EPSILON * fabs(cut.closest_t) * speed) {
    return false;
  }
  /* If a line is nearly in the plane of a flat cylinder, the position where it crosses the plane is
   * uncertain by the error: then the line's closest point is taken. */
  *span = mo_span_intersection(cut.slab, cut.cylinder);
  if (!(span->enter <= span->leave)) {
    span->enter = span->leave = cut.closest_t;
  }
  return true;
}

static inline mo_dvec3 mo_cylinder_normal(const mo_centered_solid *s, const mo_line *line,
                                          double enter) {
  mo_dvec3 normal;
  if (s->rounding > 0.0 && mo_rounded_normal(s, mo_cylinder_vector_to, line, enter, &normal)) {
    return normal;
  }
  mo_cylinder_line cut = mo_cylinder_line_of(s, line);
  double along = mo_ddot(line->direction, s->half);
  if (along != 0.0 && cut.slab.enter >= cut.cylinder.enter) {
    return along > 0.0 ? mo_dscale(-1.0, s->half) : s->half;
  }
  mo_dvec3 point = mo_line_at(line, enter);
  normal = mo_perpendicular_component(point, s->half);
  return mo_line_vector_is_rounding_error(line, normal, s->half)
             ? mo_line_axis_normal(line, s->half)
             : normal;
}

static inline mo_moments mo_cylinder_moments(const mo_solid *s) {
  return mo_rounded_cylinder_moments(s, s->radius, s->rounding);
}

#endif
