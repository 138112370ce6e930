/* Functions shared by several kinds of solids: parameter checks, maps given by columns, balls, axes
 * and discs. */
#ifndef MO_GEOMETRY_SOLID_PARTS_H
#define MO_GEOMETRY_SOLID_PARTS_H

#include <float.h>
#include <stddef.h>

#include "geometry/solid.h"
#include "math/aabb.h"
#include "math/check.h"
#include "math/four.h"

/* Texts for error messages about a solid that is defined by an axis. */
typedef struct mo_solid_member_names {
  const char *a, *b, *radius; /* names of the members a, b and radius */
  const char *no_axis;        /* message if a and b coincide */
} mo_solid_member_names;

/* Checks an axis from a to b, which must not coincide, and a radius around it. */
static inline mo_result mo_check_axis(mo_vec3 a, mo_vec3 b, float radius,
                                      const mo_solid_member_names *names,
                                      const mo_refusal *refusal) {
  mo_result result = mo_check_point(a, refusal, names->a);
  if (result == MO_OK) {
    result = mo_check_point(b, refusal, names->b);
  }
  if (result == MO_OK) {
    result = mo_check_size(radius, MO_MAX_COORDINATE, refusal, names->radius);
  }
  if (result == MO_OK && a.x == b.x && a.y == b.y && a.z == b.z) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, "%s", names->no_axis);
  }
  return result;
}

/* The vector from the centre of a solid to b, half of its axis. */
static inline mo_dvec3 mo_half_axis(const mo_solid *s) {
  return mo_dscale(0.5, mo_dsub(s->b, s->a));
}

static inline mo_dvec3 mo_farther_end(const mo_solid *s, mo_dvec3 direction) {
  return mo_ddot(mo_dsub(s->b, s->a), direction) > 0.0 ? s->b : s->a;
}

/* The vector to a point from its closest point on the segment from -half_axis to half_axis. */
static inline mo_dvec3 mo_vector_from_axis(mo_dvec3 half_axis, mo_dvec3 point) {
  double squared = mo_ddot(half_axis, half_axis), along = mo_ddot(point, half_axis);
  double s = along >= squared ? 1.0 : along <= -squared ? -1.0 : along / squared;
  return mo_dsub(point, mo_dscale(s, half_axis));
}

static inline bool mo_ball_contains(double radius, mo_dvec3 point) {
  return mo_ddot(point, point) <= radius * radius;
}

static inline mo_dvec3 mo_ball_support(mo_dvec3 center, double radius, mo_dvec3 direction) {
  double length = mo_dlength(direction);
  return length > 0.0 ? mo_dadd(center, mo_dscale(radius / length, direction)) : center;
}

/* Four solids of one kind, one per lane; for hulls only the rounding is set. */
typedef struct mo_solid4 {
  mo_solid_kind kind;
  mo_d4vec a, b;
  mo_d4 radius, rounding;
} mo_solid4;

static inline mo_solid4 mo_solid4_splat(const mo_solid *s) {
  return (mo_solid4){s->kind, mo_d4vec_splat(s->a), mo_d4vec_splat(s->b), mo_d4_splat(s->radius),
                     mo_d4_splat(s->rounding)};
}

/* The offsets of a kind's parameters in the union of mo_geometry, counted in floats: a, b and the
 * radius of mo_solid. MO_NO_FIELD: the parameter is zero. */
typedef struct mo_solid_field_offsets {
  int a, b, radius;
} mo_solid_field_offsets;

enum { MO_NO_FIELD = -1 };

#define MO_FIELD_OFFSET(type, member) ((int)(offsetof(type, member) / sizeof(float)))

/* Extents, half widths of images, are computed in four lanes. Each lane is the image of a solid
 * along one world axis, given by a row of the map's linear part. Lanes may be the same solid along
 * several axes, or several solids. */

/* All ones in the lanes whose rows have at most one nonzero component. */
static inline mo_l4 mo_rows_are_axis_aligned(const mo_d4vec *row) {
  const mo_d4 zero = mo_d4_splat(0.0);
  mo_l4 x = row->x == zero, y = row->y == zero, z = row->z == zero;
  return (x & y) | (y & z) | (z & x);
}

/* Half the width of the image of a ball along the world axes: radius * |row|, rounded up; exact if
 * the row has one nonzero component. */
static inline mo_d4 mo_ball_extent(mo_d4 radius, const mo_d4vec *row) {
  mo_d4 exact = mo_d4_abs(row->x) + mo_d4_abs(row->y) + mo_d4_abs(row->z);
  mo_d4 rounded = mo_d4_length(row) * (1.0 + 8.0 * DBL_EPSILON);
  return radius * mo_d4_select(mo_rows_are_axis_aligned(row), exact, rounded);
}

/* Functions on a disc with the solid's radius, perpendicular to the axis from a to b. */

/* The unit vector from a to b; exact along a coordinate axis. */
static inline mo_dvec3 mo_unit_axis(const mo_solid *s) {
  mo_dvec3 axis = mo_dsub(s->b, s->a);
  double length = mo_dlength(axis);
  return mo_dvec(axis.x / length, axis.y / length, axis.z / length);
}

static inline mo_dvec3 mo_disc_support(const mo_solid *s, mo_dvec3 center, mo_dvec3 direction) {
  mo_dvec3 axis = mo_unit_axis(s);
  mo_dvec3 across = mo_dsub(direction, mo_dscale(mo_ddot(direction, axis), axis));
  /* If the direction is along the axis, `across` is only a rounding error, also along the axis. */
  across = mo_dsub(across, mo_dscale(mo_ddot(across, axis), axis));
  return mo_ball_support(center, s->radius, across);
}

/* The images of two perpendicular radii of the disc. */
static inline void mo_disc_image(const mo_solid *s, const mo_dvec3 column[3], mo_dvec3 disc[2]) {
  mo_dvec3 axis = mo_unit_axis(s);
  mo_dvec3 u = mo_dcross(axis, mo_most_perpendicular_axis(axis));
  u = mo_dscale(1.0 / mo_dlength(u), u);
  mo_dvec3 v = mo_dcross(axis, u);
  disc[0] = mo_dscale(s->radius, mo_map_columns(column, u));
  disc[1] = mo_dscale(s->radius, mo_map_columns(column, v));
}

/* The image of the axis, and of a disc perpendicular to it, as summands. */
static inline mo_solid_image mo_axis_and_disc(const mo_solid *s, const mo_dvec3 column[3]) {
  mo_solid_image image = {
      .segment_count = 1, .segment = {mo_map_columns(column, mo_half_axis(s))}, .has_disc = true};
  mo_disc_image(s, column, image.disc);
  return image;
}

/* Half the width of the image of a disc along the world axes: radius * |row x axis|, rounded up;
 * exact if both have one nonzero component. */
static inline mo_d4 mo_disc_extent(const mo_solid4 *s, const mo_d4vec *row) {
  mo_d4vec axis = {s->b.x - s->a.x, s->b.y - s->a.y, s->b.z - s->a.z};
  mo_d4 length = mo_d4_length(&axis);
  axis = (mo_d4vec){axis.x / length, axis.y / length, axis.z / length};
  const mo_d4vec across = {row->y * axis.z - row->z * axis.y, row->z * axis.x - row->x * axis.z,
                           row->x * axis.y - row->y * axis.x};
  mo_d4 width = mo_d4_length(&across);
  mo_d4 wider = width * (1.0 + 8.0 * DBL_EPSILON) + 4.0 * DBL_EPSILON * mo_d4_length(row);
  return s->radius * mo_d4_select(mo_rows_are_axis_aligned(row) & mo_rows_are_axis_aligned(&axis),
                                  width, wider);
}

#endif
