/* What may be asked of any solid, whatever its kind: switches over MO_SOLID_KINDS, which compilers
 * inline and check.
 *
 * To add a kind: a row in geometry/solid.h, a file beside this one with the functions that are
 * called here, and its include below. */
#ifndef MO_GEOMETRY_SOLID_SOLIDS_H
#define MO_GEOMETRY_SOLID_SOLIDS_H

#include "geometry/solid/box.h"
#include "geometry/solid/capsule.h"
#include "geometry/solid/cylinder.h"
#include "geometry/solid/sphere.h"

/* Public definitions. */

/* The kind of a public type that is that of a solid. */
static inline mo_solid_kind mo_solid_kind_of(mo_shape_type type) {
  switch (type) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SHAPE_##NAME:                                                                            \
    return MO_SOLID_##NAME;
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  case MO_SHAPE_MESH:
  case MO_SHAPE_VOLUME:
    break;
  }
  __builtin_unreachable();
}

/* Writes a default definition; `type` stays. */
static inline void mo_solid_set_default(mo_solid_kind kind, mo_geometry *g) {
  switch (kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_set_default(g);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* Whether a definition, whose place is `refusal` (null checks in silence), is legal:
 * MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE. */
static inline mo_result mo_solid_check(mo_solid_kind kind, const mo_geometry *g,
                                       const mo_refusal *refusal) {
  switch (kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_check(g, refusal);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* The largest magnitude of a local coordinate of a legal definition. */
static inline float mo_solid_reach(mo_solid_kind kind, const mo_geometry *g) {
  switch (kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_reach(g);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* Whether a definition is a box or a ball around a point, and which. */
static inline bool mo_solid_block(mo_solid_kind kind, const mo_geometry *g, mo_block *block) {
  switch (kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_block(g, block);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* The numbers of a legal definition. */
static inline mo_solid mo_solid_read(mo_solid_kind kind, const mo_geometry *g) {
  switch (kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_read(g);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* The solid of a legal geometry; false, and nothing is written, for meshes and volumes. */
static inline bool mo_geometry_solid(const mo_geometry *g, mo_solid *solid) {
  switch (g->type) {
  case MO_SHAPE_MESH:
  case MO_SHAPE_VOLUME:
    return false;
    MO_CASES_OF_SOLIDS {
      *solid = mo_solid_read(mo_solid_kind_of(g->type), g);
      return true;
    }
  }
  __builtin_unreachable();
}

/* In the local frame. */

/* The points whose mean is the centre of symmetry. With the extents around each of them they give
 * the bounds. */
static inline mo_solid_core mo_solid_core_of(const mo_solid *s) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_core(s);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* `half` of mo_centred. */
static inline mo_dvec3 mo_solid_half(const mo_solid *s) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_half(s);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* The farthest point in a direction of any length; of zero, some point. */
static inline mo_dvec3 mo_solid_support(const mo_solid *s, mo_dvec3 direction) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_support(s, direction);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

static inline mo_dvec3 mo_solid_center(const mo_solid *s) {
  mo_solid_core core = mo_solid_core_of(s);
  return core.count == 1 ? core.point[0] : mo_dscale(0.5, mo_dadd(core.point[0], core.point[1]));
}

static inline mo_centred mo_solid_centred(const mo_solid *s) {
  return (mo_centred){s->kind, mo_solid_half(s), s->radius};
}

/* Under a map, given by the columns of its linear part or by one row of it. */

/* The image around its centre as a Minkowski sum. */
static inline mo_summands mo_solid_summands(const mo_solid *s, const mo_dvec3 column[3]) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_summands(s, column);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* Terms of half the width of the image along the world axis of a row, around each core point.
 * Returns how many. */
static inline int mo_solid_extents(const mo_solid *s, mo_dvec3 row, double extent[3]) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_extents(s, row, extent);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* Whether the image is an ellipsoid or a box along the world axes. */
static inline bool mo_solid_is_axis_aligned(const mo_solid *s, const mo_dvec3 column[3]) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_is_axis_aligned(column);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* Lines, relative to the centre. */

/* Whether a rotated solid is the same one with its half axis rotated. Otherwise lines are to be
 * taken into the frame of its axes. */
static inline bool mo_solid_rotates(mo_solid_kind kind) {
  switch (kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_rotates();
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* Whether a point lies in the closed solid. */
static inline bool mo_solid_contains(const mo_centred *s, mo_dvec3 point) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_contains(s, point);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* Whether a line meets the solid to within its error, and where. A direction of zero meets nothing.
 */
static inline bool mo_solid_meets_line(const mo_centred *s, const mo_line *line, mo_span *span) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_meets_line(s, line, span);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

/* An outward normal where a line enters; not zero, also where a thin solid has no surface to speak
 * of. */
static inline mo_dvec3 mo_solid_normal(const mo_centred *s, const mo_line *line, double enter) {
  switch (s->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return mo_##name##_normal(s, line, enter);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

#endif
