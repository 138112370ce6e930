/* Capsules: the points within a radius of the segment from a to b, which may coincide. */
#ifndef MO_GEOMETRY_SOLID_CAPSULE_H
#define MO_GEOMETRY_SOLID_CAPSULE_H

#include "geometry/solid/line.h"
#include "geometry/solid/parts.h"
#include "geometry/solid/revolution.h"

static inline void mo_capsule_set_default(mo_geometry *g) {
  g->capsule.a = mo_vec(-1.0f, 0.0f, 0.0f);
  g->capsule.b = mo_vec(1.0f, 0.0f, 0.0f);
  g->capsule.radius = 1.0f;
}

static inline mo_result mo_capsule_check(const mo_geometry *g, const mo_refusal *refusal) {
  mo_result result = mo_check_point(g->capsule.a, refusal, ".capsule.a");
  if (result == MO_OK) {
    result = mo_check_point(g->capsule.b, refusal, ".capsule.b");
  }
  return result == MO_OK
             ? mo_check_size(g->capsule.radius, MO_MAX_COORDINATE, refusal, ".capsule.radius")
             : result;
}

static inline float mo_capsule_max_coordinate(const mo_geometry *g) {
  return mo_max(mo_max_magnitude(g->capsule.a), mo_max_magnitude(g->capsule.b)) + g->capsule.radius;
}

static inline mo_solid mo_capsule_read(const mo_geometry *g) {
  return (mo_solid){.kind = MO_SOLID_CAPSULE,
                    .a = mo_widen(g->capsule.a),
                    .b = mo_widen(g->capsule.b),
                    .radius = g->capsule.radius};
}

static inline mo_solid_field_offsets mo_capsule_field_offsets(void) {
  return (mo_solid_field_offsets){MO_FIELD_OFFSET(mo_capsule, a), MO_FIELD_OFFSET(mo_capsule, b),
                                  MO_FIELD_OFFSET(mo_capsule, radius)};
}

static inline mo_center_points mo_capsule_center_points(const mo_solid *s) {
  return (mo_center_points){2, {s->a, s->b}};
}

static inline mo_dvec3 mo_capsule_half(const mo_solid *s) {
  return mo_half_axis(s);
}

static inline mo_dvec3 mo_capsule_support(const mo_solid *s, mo_dvec3 direction) {
  return mo_ball_support(mo_farther_end(s, direction), s->radius, direction);
}

static inline mo_solid_image mo_capsule_linear_image(const mo_solid *s, const mo_dvec3 column[3]) {
  return (mo_solid_image){
      .segment_count = 1, .segment = {mo_map_columns(column, mo_half_axis(s))}, .ball = s->radius};
}

static inline int mo_capsule_extents(const mo_solid4 *s, int point, const mo_d4vec *row,
                                     mo_d4 extent[3]) {
  (void)point;
  extent[0] = mo_ball_extent(s->radius, row);
  return 1;
}

static inline bool mo_capsule_is_axis_aligned(const mo_dvec3 column[3]) {
  (void)column;
  return false;
}

static inline bool mo_capsule_is_defined_by_axis(void) {
  return true;
}

static inline bool mo_capsule_contains(const mo_centered_solid *s, mo_dvec3 point) {
  return mo_ball_contains(s->radius + s->rounding, mo_vector_from_axis(s->half, point));
}

/* A capsule is the union of a cylinder and two balls: the line is inside from where it first enters
 * one of the three to where it last leaves one. */
static inline bool mo_capsule_clip_line(const mo_centered_solid *s, const mo_line *line,
                                        mo_span *span) {
  const double radius = s->radius + s->rounding;
  if (!(mo_ddot(line->direction, line->direction) > 0.0)) {
    return false;
  }
  if (!(mo_ddot(s->half, s->half) > 0.0)) {
    return mo_line_clip_to_ball(line, radius, span);
  }
  mo_span part;
  if (!mo_line_clip_to_cylinder(line, s->half, radius, &part)) {
    return false; /* a miss of the infinite cylinder, which contains both balls */
  }
  *span = (mo_span){INFINITY, -INFINITY};
  if (part.enter <= part.leave) {
    *span = part;
  }
  for (int end = 0; end < 2; ++end) {
    mo_line moved = *line;
    moved.foot = end == 0 ? mo_dadd(line->foot, s->half) : mo_dsub(line->foot, s->half);
    if (mo_line_clip_to_ball(&moved, radius, &part)) {
      span->enter = fmin(span->enter, part.enter);
      span->leave = fmax(span->leave, part.leave);
    }
  }
  return span->enter <= span->leave;
}

static inline mo_dvec3 mo_capsule_normal(const mo_centered_solid *s, const mo_line *line,
                                         double enter) {
  mo_dvec3 normal = mo_vector_from_axis(s->half, mo_line_at(line, enter));
  return mo_line_vector_is_rounding_error(line, normal, s->half)
             ? mo_line_axis_normal(line, s->half)
             : normal;
}

static inline mo_moments mo_capsule_moments(const mo_solid *s) {
  return mo_rounded_cylinder_moments(s, 0.0, s->radius + s->rounding);
}

#endif
