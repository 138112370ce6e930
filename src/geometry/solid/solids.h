/* Functions on solids of any kind: switches over MO_SOLID_KINDS, which compilers inline and check
 * for completeness.
 *
 * To add a kind: a row in geometry/solid.h, a file beside this one with the functions that are
 * called here, and its include below. */
#ifndef MO_GEOMETRY_SOLID_SOLIDS_H
#define MO_GEOMETRY_SOLID_SOLIDS_H

#include "geometry/solid/box.h"
#include "geometry/solid/capsule.h"
#include "geometry/solid/cone.h"
#include "geometry/solid/cylinder.h"
#include "geometry/solid/hull.h"
#include "geometry/solid/sphere.h"

/* A switch over all kinds of solids: returns the result of mo_NAME_function for the kind's name. */
#define MO_RETURN_BY_KIND(kind, function, arguments)                                               \
  switch (kind) { MO_SOLID_KINDS_WITH(MO_RETURN_OF_KIND, function, arguments) }                    \
  __builtin_unreachable()
#define MO_RETURN_OF_KIND(NAME, name, function, arguments)                                         \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_##function arguments;

/* Functions on mo_geometry, the public definition of a solid. */

/* The kind of a public shape type that is a solid. */
static inline mo_solid_kind mo_solid_kind_of(mo_shape_type type) {
  switch (type) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SHAPE_##NAME:                                                                            \
    return MO_SOLID_##NAME;
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  case MO_SHAPE_MESH:
  case MO_SHAPE_VOLUME:
  case MO_SHAPE_HALF_SPACE:
  case MO_SHAPE_COMPOUND:
    break;
  }
  __builtin_unreachable();
}

/* Writes the default definition of a kind; leaves `type` unchanged. */
static inline void mo_solid_set_default(mo_solid_kind kind, mo_geometry *g) {
  MO_RETURN_BY_KIND(kind, set_default, (g));
}

/* Whether a definition is legal. `refusal` names it for error messages; null: nothing is logged.
 * Errors: MO_ERROR_NULL_ARGUMENT (hull), MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. */
static inline mo_result mo_solid_check(mo_solid_kind kind, const mo_geometry *g,
                                       const mo_refusal *refusal) {
  mo_result result = mo_check_size(g->rounding, MO_MAX_COORDINATE, refusal, ".rounding");
  if (result != MO_OK) {
    return result;
  }
  MO_RETURN_BY_KIND(kind, check, (g, refusal));
}

/* The largest magnitude of a local coordinate of a legal definition. */
static inline float mo_solid_max_coordinate(mo_solid_kind kind, const mo_geometry *g) {
  MO_RETURN_BY_KIND(kind, max_coordinate, (g) + g->rounding);
}

/* Makes a solid from a legal definition. */
static inline mo_solid mo_solid_read(mo_solid_kind kind, const mo_geometry *g) {
  mo_solid solid = {.kind = kind};
  switch (kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    solid = mo_##name##_read(g);                                                                   \
    break;
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  solid.rounding = g->rounding;
  return solid;
}

/* Makes the solid of a legal geometry; returns false, and writes nothing, for meshes, volumes,
 * half-spaces and compounds. */
static inline bool mo_geometry_read_solid(const mo_geometry *g, mo_solid *solid) {
  switch (g->type) {
  case MO_SHAPE_MESH:
  case MO_SHAPE_VOLUME:
  case MO_SHAPE_HALF_SPACE:
  case MO_SHAPE_COMPOUND:
    return false;
    MO_CASES_OF_SOLIDS {
      *solid = mo_solid_read(mo_solid_kind_of(g->type), g);
      return true;
    }
  }
  __builtin_unreachable();
}

/* Functions in the local frame. mo_solid_support, mo_solid_linear_image and mo_solid_extents
 * include the rounding radius; those of each kind (mo_box_support and so on) leave it out. */

/* The points whose mean is the centre of a solid. */
static inline mo_center_points mo_solid_center_points(const mo_solid *s) {
  MO_RETURN_BY_KIND(s->kind, center_points, (s));
}

/* The offsets of a kind's parameters in mo_geometry. */
static inline mo_solid_field_offsets mo_solid_field_offsets_of(mo_solid_kind kind) {
  MO_RETURN_BY_KIND(kind, field_offsets, ());
}

/* The number of points that, each with extents around it, determine the bounds of an image along
 * the rows of a map: a, or a and b; for a hull, two per row (mo_hull_row_support_points). */
static inline int mo_solid_bound_point_count(mo_solid_kind kind) {
  return kind == MO_SOLID_BOX || kind == MO_SOLID_SPHERE ? 1 : 2;
}

/* The member `half` of mo_centered_solid: the half axis or the half extents. */
static inline mo_dvec3 mo_solid_half(const mo_solid *s) {
  MO_RETURN_BY_KIND(s->kind, half, (s));
}

/* The support point of a solid along a direction of any length; any point for direction zero. */
static inline mo_dvec3 mo_solid_support(const mo_solid *s, mo_dvec3 direction) {
  mo_dvec3 point = s->a;
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    point = mo_##name##_support(s, direction);                                                     \
    break;
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  return s->rounding > 0.0 ? mo_ball_support(point, s->rounding, direction) : point;
}

static inline mo_dvec3 mo_solid_center(const mo_solid *s) {
  mo_center_points core = mo_solid_center_points(s);
  mo_dvec3 sum = core.point[0];
  for (int i = 1; i < core.count; ++i) {
    sum = mo_dadd(sum, core.point[i]);
  }
  return mo_dscale(1.0 / core.count, sum);
}

static inline mo_centered_solid mo_solid_centered(const mo_solid *s) {
  return (mo_centered_solid){s->kind, mo_solid_half(s), s->radius, s->rounding, s->hull};
}

/* The moments of a solid in the local frame, with its rounding, which each kind adds itself. */
static inline mo_moments mo_solid_moments(const mo_solid *s) {
  MO_RETURN_BY_KIND(s->kind, moments, (s));
}

/* Functions under a map, which is given by the columns of its linear part or by one row of it. */

/* The image of a solid, relative to its centre, as a Minkowski sum. */
static inline mo_solid_image mo_solid_linear_image(const mo_solid *s, const mo_dvec3 column[3]) {
  mo_solid_image sum = {.segment_count = 0};
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    sum = mo_##name##_linear_image(s, column);                                                     \
    break;
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  sum.ball += s->rounding;
  return sum;
}

/* The half widths of images along the world axes of the rows, around one of the points that
 * determine the bounds (mo_solid_bound_point_count), as terms to be summed. Returns the number of
 * terms: up to three of the kind, and one of the rounding, separate so that it is exact. */
static inline int mo_solid_extents(const mo_solid4 *s, int point, const mo_d4vec *row,
                                   mo_d4 extent[4]) {
  int terms = 0;
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    terms = mo_##name##_extents(s, point, row, extent);                                            \
    break;
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  if (mo_d4_any(s->rounding > mo_d4_splat(0.0))) {
    extent[terms++] = mo_ball_extent(s->rounding, row);
  }
  return terms;
}

/* Whether the image of a solid, before rounding, is an ellipsoid or a box aligned with the world
 * axes. */
static inline bool mo_solid_is_axis_aligned(const mo_solid *s, const mo_dvec3 column[3]) {
  MO_RETURN_BY_KIND(s->kind, is_axis_aligned, (column));
}

/* Functions on lines and points relative to the centre of a solid. They include the rounding: kinds
 * whose radius is that of a ball add the rounding to the radius, others use
 * geometry/solid/rounded.h. */

/* Whether the orientation of a solid is given by its half axis, so that rotating the axis rotates
 * the solid. If not, lines have to be transformed to the solid's own frame. */
static inline bool mo_solid_is_defined_by_axis(mo_solid_kind kind) {
  MO_RETURN_BY_KIND(kind, is_defined_by_axis, ());
}

/* Whether a point lies in the closed solid. */
static inline bool mo_solid_contains(const mo_centered_solid *s, mo_dvec3 point) {
  MO_RETURN_BY_KIND(s->kind, contains, (s, point));
}

/* Whether a line meets the solid, to within the line's error, and where. A line with a direction of
 * zero meets nothing. */
static inline bool mo_solid_clip_line(const mo_centered_solid *s, const mo_line *line,
                                      mo_span *span) {
  MO_RETURN_BY_KIND(s->kind, clip_line, (s, line, span));
}

/* An outward normal where a line enters; never zero, even for a solid without volume. */
static inline mo_dvec3 mo_solid_normal(const mo_centered_solid *s, const mo_line *line,
                                       double enter) {
  MO_RETURN_BY_KIND(s->kind, normal, (s, line, enter));
}

#endif
