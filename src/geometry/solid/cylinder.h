/* Cylinders: the points within a radius of the line through a and b, between the planes across it
 * at a and b, which must not coincide. */
#ifndef MO_GEOMETRY_SOLID_CYLINDER_H
#define MO_GEOMETRY_SOLID_CYLINDER_H

#include "geometry/solid/line.h"
#include "geometry/solid/parts.h"
#include "geometry/solid/rounded.h"

static inline void mo_cylinder_set_default(mo_geometry *g) {
  g->cylinder.a = mo_vec(-1.0f, 0.0f, 0.0f);
  g->cylinder.b = mo_vec(1.0f, 0.0f, 0.0f);
  g->cylinder.radius = 1.0f;
}

static inline mo_result mo_cylinder_check(const mo_geometry *g, const mo_refusal *refusal) {
  mo_vec3 a = g->cylinder.a, b = g->cylinder.b;
  mo_result result = mo_check_point(a, refusal, ".cylinder.a");
  if (result == MO_OK) {
    result = mo_check_point(b, refusal, ".cylinder.b");
  }
  if (result == MO_OK) {
    result = mo_check_size(g->cylinder.radius, MO_MAX_COORDINATE, refusal, ".cylinder.radius");
  }
  if (result == MO_OK && a.x == b.x && a.y == b.y && a.z == b.z) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".cylinder has ends that coincide");
  }
  return result;
}

static inline float mo_cylinder_reach(const mo_geometry *g) {
  return mo_max(mo_largest(g->cylinder.a), mo_largest(g->cylinder.b)) + g->cylinder.radius;
}

static inline mo_solid mo_cylinder_read(const mo_geometry *g) {
  return (mo_solid){.kind = MO_SOLID_CYLINDER,
                    .a = mo_widen(g->cylinder.a),
                    .b = mo_widen(g->cylinder.b),
                    .radius = g->cylinder.radius};
}

static inline mo_solid_core mo_cylinder_core(const mo_solid *s) {
  return (mo_solid_core){2, {s->a, s->b}};
}

static inline mo_dvec3 mo_cylinder_half(const mo_solid *s) {
  return mo_half_axis(s);
}

/* From a to b; exact along a coordinate axis. */
static inline mo_dvec3 mo_cylinder_unit_axis(const mo_solid *s) {
  mo_dvec3 axis = mo_dsub(s->b, s->a);
  double length = sqrt(mo_ddot(axis, axis));
  return mo_dvec(axis.x / length, axis.y / length, axis.z / length);
}

static inline mo_dvec3 mo_cylinder_support(const mo_solid *s, mo_dvec3 direction) {
  mo_dvec3 axis = mo_cylinder_unit_axis(s);
  mo_dvec3 across = mo_dsub(direction, mo_dscale(mo_ddot(direction, axis), axis));
  return mo_ball_support(mo_farther_end(s, direction), s->radius, across);
}

static inline mo_summands mo_cylinder_summands(const mo_solid *s, const mo_dvec3 column[3]) {
  mo_dvec3 axis = mo_cylinder_unit_axis(s);
  double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
  mo_dvec3 other = x <= y && x <= z ? mo_dvec(1.0, 0.0, 0.0)
                   : y <= z         ? mo_dvec(0.0, 1.0, 0.0)
                                    : mo_dvec(0.0, 0.0, 1.0);
  mo_dvec3 u = mo_dcross(axis, other);
  u = mo_dscale(1.0 / sqrt(mo_ddot(u, u)), u);
  mo_dvec3 v = mo_dcross(axis, u);
  return (mo_summands){.segments = 1,
                       .segment = {mo_map_columns(column, mo_half_axis(s))},
                       .has_disc = true,
                       .disc = {mo_dscale(s->radius, mo_map_columns(column, u)),
                                mo_dscale(s->radius, mo_map_columns(column, v))}};
}

/* Half the width of the image of a disc across the axis: radius * |row x axis|, rounded up; exact
 * where both have one component. */
static inline int mo_cylinder_extents(const mo_solid *s, mo_dvec3 row, double extent[3]) {
  mo_dvec3 axis = mo_cylinder_unit_axis(s), across = mo_dcross(row, axis);
  double width = sqrt(mo_ddot(across, across));
  bool exact = (row.x == 0.0) + (row.y == 0.0) + (row.z == 0.0) >= 2 &&
               (axis.x == 0.0) + (axis.y == 0.0) + (axis.z == 0.0) == 2;
  if (!exact) {
    width = width * (1.0 + 8.0 * DBL_EPSILON) + 4.0 * DBL_EPSILON * sqrt(mo_ddot(row, row));
  }
  extent[0] = s->radius * width;
  return 1;
}

static inline bool mo_cylinder_is_axis_aligned(const mo_dvec3 column[3]) {
  (void)column;
  return false;
}

static inline bool mo_cylinder_rotates(void) {
  return true;
}

/* mo_beyond of a cylinder. */
static inline mo_dvec3 mo_cylinder_beyond(const mo_centred *s, mo_dvec3 point) {
  double along = mo_ddot(point, s->half) / mo_ddot(s->half, s->half);
  mo_dvec3 across = mo_dsub(point, mo_dscale(along, s->half));
  double distance = sqrt(mo_ddot(across, across));
  double past = along > 1.0 ? along - 1.0 : along < -1.0 ? along + 1.0 : 0.0;
  double outside = distance > s->radius ? (distance - s->radius) / distance : 0.0;
  return mo_dadd(mo_dscale(past, s->half), mo_dscale(outside, across));
}

static inline bool mo_cylinder_contains(const mo_centred *s, mo_dvec3 point) {
  if (s->rounding > 0.0) {
    return mo_ball_contains(s->rounding, mo_cylinder_beyond(s, point));
  }
  double squared = mo_ddot(s->half, s->half), along = mo_ddot(point, s->half);
  mo_dvec3 across = mo_dsub(point, mo_dscale(along / squared, s->half));
  return fabs(along) <= squared && mo_ball_contains(s->radius, across);
}

/* A line between the two planes (`slab`), also somewhat farther apart (`wide`), and within the
 * radius of the infinite axis (`tube`; empty if it passes it by). */
typedef struct mo_cylinder_line {
  mo_span slab, wide, tube;
  double least; /* distance from the axis, of the points between the wide planes */
  double where; /* and the point that has it */
} mo_cylinder_line;

static inline mo_span mo_cylinder_slab(double along_foot, double along, double half) {
  if (along == 0.0) {
    return fabs(along_foot) <= half ? (mo_span){-INFINITY, INFINITY}
                                    : (mo_span){INFINITY, -INFINITY};
  }
  double t0 = (-half - along_foot) / along, t1 = (half - along_foot) / along;
  return (mo_span){fmin(t0, t1), fmax(t0, t1)};
}

static inline mo_cylinder_line mo_cylinder_cut(const mo_centred *s, const mo_line *line) {
  double squared = mo_ddot(s->half, s->half);
  double along_foot = mo_ddot(line->foot, s->half) / squared;
  double along = mo_ddot(line->direction, s->half) / squared;
  mo_dvec3 foot = mo_dsub(line->foot, mo_dscale(along_foot, s->half));
  mo_dvec3 direction = mo_dsub(line->direction, mo_dscale(along, s->half));
  double across = mo_ddot(direction, direction);
  mo_cylinder_line cut = {
      .slab = mo_cylinder_slab(along_foot, along, 1.0),
      .wide = mo_cylinder_slab(along_foot, along, 1.0 + line->error / sqrt(squared)),
      .tube = {-INFINITY, INFINITY},
      .least = sqrt(mo_ddot(foot, foot)),
      .where = 0.0};
  cut.where = fmin(fmax(0.0, cut.wide.enter), cut.wide.leave);
  if (across > DBL_EPSILON * DBL_EPSILON * mo_ddot(line->direction, line->direction)) {
    double middle = -mo_ddot(foot, direction) / across;
    mo_dvec3 closest = mo_dadd(foot, mo_dscale(middle, direction));
    double distance = sqrt(mo_ddot(closest, closest));
    double half = sqrt(fmax(0.0, (s->radius - distance) * (s->radius + distance)) / across);
    cut.tube = (mo_span){middle - half, middle + half};
    cut.where = fmin(fmax(middle, cut.wide.enter), cut.wide.leave);
    closest = mo_dadd(foot, mo_dscale(cut.where, direction));
    cut.least = sqrt(mo_ddot(closest, closest));
  }
  return cut;
}

static inline bool mo_cylinder_meets_line(const mo_centred *s, const mo_line *line, mo_span *span) {
  double speed = sqrt(mo_ddot(line->direction, line->direction));
  if (!(speed > 0.0)) {
    return false;
  }
  if (s->rounding > 0.0) {
    double reach = sqrt(mo_ddot(s->half, s->half) + s->radius * s->radius);
    return mo_rounded_meets_line(s, mo_cylinder_beyond, reach, line, span);
  }
  mo_cylinder_line cut = mo_cylinder_cut(s, line);
  if (!(cut.wide.enter <= cut.wide.leave) ||
      cut.least > s->radius + line->error + 4.0 * DBL_EPSILON * fabs(cut.where) * speed) {
    return false;
  }
  /* A line nearly in the plane of a flat one crosses that plane where it likes, by the error. */
  double enter = fmax(cut.slab.enter, cut.tube.enter), leave = fmin(cut.slab.leave, cut.tube.leave);
  if (!(enter <= leave)) {
    enter = leave = cut.where;
  }
  *span = (mo_span){enter, leave};
  return true;
}

static inline mo_dvec3 mo_cylinder_normal(const mo_centred *s, const mo_line *line, double enter) {
  mo_dvec3 normal;
  if (s->rounding > 0.0 && mo_rounded_normal(s, mo_cylinder_beyond, line, enter, &normal)) {
    return normal;
  }
  mo_cylinder_line cut = mo_cylinder_cut(s, line);
  double along = mo_ddot(line->direction, s->half);
  if (along != 0.0 && cut.slab.enter >= cut.tube.enter) {
    return along > 0.0 ? mo_dscale(-1.0, s->half) : s->half;
  }
  mo_dvec3 point = mo_line_at(line, enter);
  normal = mo_dsub(point, mo_dscale(mo_ddot(point, s->half) / mo_ddot(s->half, s->half), s->half));
  return mo_line_is_noise(line, normal, s->half) ? mo_line_axis_normal(line, s->half) : normal;
}

static inline bool mo_cylinder_block(const mo_geometry *g, mo_block *block) {
  (void)g;
  (void)block;
  return false;
}

#endif
