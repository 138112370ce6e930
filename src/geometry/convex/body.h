/* Bodies in world space: what overlaps, distances, depths, casts and impacts are computed of. A
 * body is a value, which may be copied and moved; it refers to nothing but the hull of a solid.
 *
 * A solid is not a kind of its own here (geometry/solid.h lists these). A new kind of body begins
 * with a row in mo_body_kind: the compiler then names each switch that has no case for it. */
#ifndef MO_GEOMETRY_CONVEX_BODY_H
#define MO_GEOMETRY_CONVEX_BODY_H

#include "geometry/convex/half_space.h"

typedef enum mo_body_kind {
  MO_BODY_SOLID, /* under a map */
  MO_BODY_AABB,  /* a box along the world axes, for example a volume */
  MO_BODY_TRIANGLE,
  MO_BODY_HALF_SPACE,
} mo_body_kind;

/* Cases for the kinds that have a `convex`. */
#define MO_CASES_OF_CONVEX                                                                         \
  case MO_BODY_SOLID:                                                                              \
  case MO_BODY_AABB:

typedef struct mo_body {
  mo_body_kind kind;
  mo_aabb bounds; /* world, rounded outward; empty if they are not known, see mo_body_bounds */
  union {
    mo_convex convex;
    mo_dvec3 corners[3]; /* within MO_MAX_COORDINATE */
    mo_half_space_body half_space;
  };
} mo_body;

/* Make bodies. The bounds of a solid are not known, those of other bodies are. */
mo_body mo_body_of_convex(const mo_convex *convex);
mo_body mo_body_of_solid(const mo_solid *solid, const mo_transform *map);
mo_body mo_body_of_aabb(mo_aabb box);
mo_body mo_body_of_sphere(mo_sphere sphere);
mo_body mo_body_of_triangle(const mo_dvec3 corners[3]);
mo_body mo_body_of_half_space(const mo_half_space_body *half_space);

/* A single point, which need not be representable in floats. */
mo_body mo_body_of_point(mo_dvec3 point);

/* Computes the bounds, whether they are known or not; all of space for a half-space. */
mo_aabb mo_body_find_bounds(const mo_body *body);

static inline mo_aabb mo_body_bounds(const mo_body *body) {
  return mo_aabb_is_empty(body->bounds) ? mo_body_find_bounds(body) : body->bounds;
}

/* Makes the bounds known: for a body that is used several times. */
static inline void mo_body_set_bounds(mo_body *body) {
  body->bounds = mo_body_bounds(body);
}

static inline bool mo_is_with_half_space(const mo_body *a, const mo_body *b) {
  return a->kind == MO_BODY_HALF_SPACE || b->kind == MO_BODY_HALF_SPACE;
}

#endif
