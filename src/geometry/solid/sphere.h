/* Spheres: a and b are both the centre. Under general maps they become ellipsoids. */
#ifndef MO_GEOMETRY_SOLID_SPHERE_H
#define MO_GEOMETRY_SOLID_SPHERE_H

#include "geometry/moments.h"
#include "geometry/solid/line.h"
#include "geometry/solid/parts.h"

static inline void mo_sphere_set_default(mo_geometry *g) {
  g->sphere = (mo_sphere){{0.0f, 0.0f, 0.0f}, 1.0f};
}

static inline mo_result mo_sphere_check(const mo_geometry *g, const mo_refusal *refusal) {
  mo_result result = mo_check_point(g->sphere.center, refusal, ".sphere.center");
  return result == MO_OK
             ? mo_check_size(g->sphere.radius, MO_MAX_COORDINATE, refusal, ".sphere.radius")
             : result;
}

static inline float mo_sphere_max_coordinate(const mo_geometry *g) {
  return mo_max_magnitude(g->sphere.center) + g->sphere.radius;
}

static inline mo_solid mo_sphere_read(const mo_geometry *g) {
  mo_dvec3 center = mo_widen(g->sphere.center);
  return (mo_solid){.kind = MO_SOLID_SPHERE, .a = center, .b = center, .radius = g->sphere.radius};
}

static inline mo_solid_field_offsets mo_sphere_field_offsets(void) {
  return (mo_solid_field_offsets){MO_FIELD_OFFSET(mo_sphere, center),
                                  MO_FIELD_OFFSET(mo_sphere, center),
                                  MO_FIELD_OFFSET(mo_sphere, radius)};
}

static inline mo_center_points mo_sphere_center_points(const mo_solid *s) {
  return (mo_center_points){1, {s->a}};
}

static inline mo_dvec3 mo_sphere_half(const mo_solid *s) {
  (void)s;
  return mo_dvec(0.0, 0.0, 0.0);
}

static inline mo_dvec3 mo_sphere_support(const mo_solid *s, mo_dvec3 direction) {
  return mo_ball_support(s->a, s->radius, direction);
}

static inline mo_solid_image mo_sphere_linear_image(const mo_solid *s, const mo_dvec3 column[3]) {
  (void)column;
  return (mo_solid_image){.ball = s->radius};
}

static inline int mo_sphere_extents(const mo_solid4 *s, int point, const mo_d4vec *row,
                                    mo_d4 extent[3]) {
  (void)point;
  extent[0] = mo_ball_extent(s->radius, row);
  return 1;
}

/* Always true: the image may be any ellipsoid, since callers only use bounds of its radius. */
static inline bool mo_sphere_is_axis_aligned(const mo_dvec3 column[3]) {
  (void)column;
  return true;
}

static inline bool mo_sphere_is_defined_by_axis(void) {
  return true;
}

static inline bool mo_sphere_contains(const mo_centered_solid *s, mo_dvec3 point) {
  return mo_ball_contains(s->radius + s->rounding, point);
}

static inline bool mo_sphere_clip_line(const mo_centered_solid *s, const mo_line *line,
                                       mo_span *span) {
  return mo_line_clip_to_ball(line, s->radius + s->rounding, span);
}

static inline mo_dvec3 mo_sphere_normal(const mo_centered_solid *s, const mo_line *line,
                                        double enter) {
  (void)s;
  return mo_line_ball_normal(line, enter);
}

/* The volume is 4/3 pi r^3; the second moment along each axis is r^2 / 5 times that. */
static inline mo_moments mo_sphere_moments(const mo_solid *s) {
  double radius = s->radius + s->rounding, square = radius * radius;
  double volume = 4.18879020478639098462 * radius * square, second = 0.2 * square * volume;
  return mo_moments_about_axis(volume, s->a, mo_dvec(0.0, 0.0, 0.0), second, second);
}

#endif
