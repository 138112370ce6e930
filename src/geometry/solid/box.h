/* Boxes: a is the centre, b has the half extents along the local axes. Under general maps they
 * become parallelepipeds. */
#ifndef MO_GEOMETRY_SOLID_BOX_H
#define MO_GEOMETRY_SOLID_BOX_H

#include "geometry/moments.h"
#include "geometry/solid/line.h"
#include "geometry/solid/parts.h"
#include "geometry/solid/rounded.h"
#include "math/angle.h"

static inline void mo_box_set_default(mo_geometry *g) {
  g->box.center = mo_vec(0.0f, 0.0f, 0.0f);
  g->box.half_extents = mo_vec(1.0f, 1.0f, 1.0f);
}

static inline mo_result mo_box_check(const mo_geometry *g, const mo_refusal *refusal) {
  static const char *const sizes[] = {".box.half_extents.x", ".box.half_extents.y",
                                      ".box.half_extents.z"};
  mo_result result = mo_check_point(g->box.center, refusal, ".box.center");
  for (int axis = 0; axis < 3 && result == MO_OK; axis++) {
    result =
        mo_check_size(mo_get(g->box.half_extents, axis), MO_MAX_COORDINATE, refusal, sizes[axis]);
  }
  return result;
}

static inline float mo_box_max_coordinate(const mo_geometry *g) {
  return mo_max_magnitude(g->box.center) + mo_max_magnitude(g->box.half_extents);
}

static inline mo_solid mo_box_read(const mo_geometry *g) {
  return (mo_solid){
      .kind = MO_SOLID_BOX, .a = mo_widen(g->box.center), .b = mo_widen(g->box.half_extents)};
}

static inline mo_solid_field_offsets mo_box_field_offsets(void) {
  return (mo_solid_field_offsets){MO_FIELD_OFFSET(mo_box, center),
                                  MO_FIELD_OFFSET(mo_box, half_extents), MO_NO_FIELD};
}

static inline mo_center_points mo_box_center_points(const mo_solid *s) {
  return (mo_center_points){1, {s->a}};
}

static inline mo_dvec3 mo_box_half(const mo_solid *s) {
  return s->b;
}

static inline mo_dvec3 mo_box_support(const mo_solid *s, mo_dvec3 direction) {
  return mo_dadd(s->a, mo_dvec(copysign(s->b.x, direction.x), copysign(s->b.y, direction.y),
                               copysign(s->b.z, direction.z)));
}

static inline mo_solid_image mo_box_linear_image(const mo_solid *s, const mo_dvec3 column[3]) {
  return (mo_solid_image){.segment_count = 3,
                          .segment = {mo_dscale(s->b.x, column[0]), mo_dscale(s->b.y, column[1]),
                                      mo_dscale(s->b.z, column[2])}};
}

static inline int mo_box_extents(const mo_solid4 *s, int point, const mo_d4vec *row,
                                 mo_d4 extent[3]) {
  (void)point;
  extent[0] = mo_d4_abs(row->x * s->b.x);
  extent[1] = mo_d4_abs(row->y * s->b.y);
  extent[2] = mo_d4_abs(row->z * s->b.z);
  return 3;
}

static inline bool mo_box_is_axis_aligned(const mo_dvec3 column[3]) {
  return column[0].y == 0.0 && column[0].z == 0.0 && column[1].x == 0.0 && column[1].z == 0.0 &&
         column[2].x == 0.0 && column[2].y == 0.0;
}

/* False, because half extents cannot represent a rotated box. */
static inline bool mo_box_is_defined_by_axis(void) {
  return false;
}

static inline double mo_distance_beyond_side(double x, double half) {
  return x > half ? x - half : x < -half ? x + half : 0.0;
}

/* The vector to a point from the box before rounding (mo_vector_from_solid). */
static inline mo_dvec3 mo_box_vector_to(const mo_centered_solid *s, mo_dvec3 point) {
  return mo_dvec(mo_distance_beyond_side(point.x, s->half.x),
                 mo_distance_beyond_side(point.y, s->half.y),
                 mo_distance_beyond_side(point.z, s->half.z));
}

static inline bool mo_box_contains(const mo_centered_solid *s, mo_dvec3 point) {
  if (s->rounding > 0.0) {
    return mo_ball_contains(s->rounding, mo_box_vector_to(s, point));
  }
  return fabs(point.x) <= s->half.x && fabs(point.y) <= s->half.y && fabs(point.z) <= s->half.z;
}

static inline bool mo_box_clip_line(const mo_centered_solid *s, const mo_line *line,
                                    mo_span *span) {
  if (s->rounding > 0.0) {
    return mo_rounded_clip_line(s, mo_box_vector_to, sqrt(mo_ddot(s->half, s->half)), line, span);
  }
  return mo_line_clip_to_box(line, s->half, span);
}

static inline mo_dvec3 mo_box_normal(const mo_centered_solid *s, const mo_line *line,
                                     double enter) {
  mo_dvec3 normal;
  if (s->rounding > 0.0 && mo_rounded_normal(s, mo_box_vector_to, line, enter, &normal)) {
    return normal;
  }
  return mo_line_box_normal(line, s->half);
}

/* The integral of x^2 over a box with half extents a, b and c, rounded by r. The cross sections at
 * x are rounded rectangles. Beyond the end of the box, at x = a + s, they are rounded by q =
 * sqrt(r^2 - s^2); `ends` are the integrals of x^2, x^2 q and x^2 q^2 there. */
static inline double mo_box_second_moment(double a, double b, double c, double r) {
  double rr = r * r, middle = 4.0 * b * c + 4.0 * r * (b + c) + MO_PI * rr;
  const double ends[3] = {
      r * (a * a + a * r + rr / 3.0),
      rr * (MO_PI * a * a / 4.0 + 2.0 * a * r / 3.0 + MO_PI * rr / 16.0),
      rr * r * (2.0 * a * a / 3.0 + a * r / 2.0 + 2.0 * rr / 15.0),
  };
  return 2.0 * (middle * a * a * a / 3.0 + 4.0 * b * c * ends[0] + 4.0 * (b + c) * ends[1] +
                MO_PI * ends[2]);
}

/* The moments of a rounded box; the volume is that of Steiner's formula. */
static inline mo_moments mo_box_moments(const mo_solid *s) {
  double a = s->b.x, b = s->b.y, c = s->b.z, r = s->rounding;
  double volume = 8.0 * (a * b * c + r * (a * b + b * c + c * a)) +
                  MO_PI * r * r * (2.0 * (a + b + c) + 4.0 / 3.0 * r);
  return (mo_moments){volume,
                      s->a,
                      {mo_box_second_moment(a, b, c, r), mo_box_second_moment(b, c, a, r),
                       mo_box_second_moment(c, a, b, r), 0.0, 0.0, 0.0}};
}

#endif
