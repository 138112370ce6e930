/* Solids: filled convex shapes in their own frame, before any transform.
 *
 * MO_SOLID_KINDS_WITH is the only list of kinds. Each kind has a file of its own,
 * geometry/solid/NAME.h, with the functions to which geometry/solid/solids.h dispatches. If one is
 * missing, the library does not compile. */
#ifndef MO_GEOMETRY_SOLID_H
#define MO_GEOMETRY_SOLID_H

#include <motte/geometry.h>

#include "math/vector.h"

/* X(NAME, name, ...): MO_SHAPE_NAME is the public type, MO_SOLID_NAME the kind here, and functions
 * of this kind begin with mo_name_. */
#define MO_SOLID_KINDS_WITH(X, ...)                                                                \
  X(SPHERE, sphere, __VA_ARGS__)                                                                   \
  X(BOX, box, __VA_ARGS__)                                                                         \
  X(CAPSULE, capsule, __VA_ARGS__)                                                                 \
  X(CYLINDER, cylinder, __VA_ARGS__)                                                               \
  X(CONE, cone, __VA_ARGS__)                                                                       \
  X(HULL, hull, __VA_ARGS__)

/* The list of kinds without further arguments: expands to X(NAME, name) for each kind of solid. */
#define MO_SOLID_KINDS(X) MO_SOLID_KINDS_WITH(MO_SOLID_ROW, X)
#define MO_SOLID_ROW(NAME, name, X) X(NAME, name)

typedef enum mo_solid_kind {
#define MO_SOLID_ENUMERATOR(NAME, name) MO_SOLID_##NAME,
  MO_SOLID_KINDS(MO_SOLID_ENUMERATOR)
#undef MO_SOLID_ENUMERATOR
} mo_solid_kind;

/* MO_CASES_OF_SOLIDS: the case labels of all solids, for switches over mo_shape_type. */
#define MO_CASE_OF_SOLID(NAME, name) case MO_SHAPE_##NAME:
#define MO_CASES_OF_SOLIDS MO_SOLID_KINDS(MO_CASE_OF_SOLID)

/* The case labels of all shapes that are one body (geometry/body/body.h), not made of triangles. */
#define MO_CASES_OF_BODIES                                                                         \
  case MO_SHAPE_VOLUME:                                                                            \
  case MO_SHAPE_HALF_SPACE:                                                                        \
    MO_CASES_OF_SOLIDS

/* Traits of shape types, as bits. A new type needs a case here, and one in each switch over types
 * without a default: the compiler names them. */
enum {
  MO_TYPE_SOLID = 1,         /* one convex body under a map, with an inside */
  MO_TYPE_HAS_TRIANGLES = 2, /* a surface of triangles, which queries report one by one */
  MO_TYPE_UNBOUNDED = 4,     /* of infinite size, so in no tree */
  MO_TYPE_HAS_CHILDREN = 8,  /* shapes under one map, which queries report one by one */
};

static inline uint32_t mo_type_traits(mo_shape_type type) {
  switch (type) {
  case MO_SHAPE_MESH:
    return MO_TYPE_HAS_TRIANGLES;
  case MO_SHAPE_VOLUME:
    return 0;
  case MO_SHAPE_HALF_SPACE:
    return MO_TYPE_UNBOUNDED;
  case MO_SHAPE_COMPOUND:
    return MO_TYPE_HAS_CHILDREN;
    MO_CASES_OF_SOLIDS
    return MO_TYPE_SOLID;
  }
  __builtin_unreachable();
}

struct mo_hull;

/* The parameters of a solid, widened from floats, so that products of two are exact in double. The
 * solid is all points within `rounding` of the shape that they describe. A hull is referenced. */
typedef struct mo_solid {
  mo_solid_kind kind;
  mo_dvec3 a, b; /* two ends of an axis, or the centre and the half extents */
  double radius, rounding;
  const struct mo_hull *hull; /* of MO_SOLID_HULL */
} mo_solid;

/* A solid whose centre has been moved to the origin. */
typedef struct mo_centered_solid {
  mo_solid_kind kind;
  mo_dvec3 half; /* from the centre to b, one end of the axis; or the half extents */
  double radius, rounding;
  const struct mo_hull *hull; /* of MO_SOLID_HULL; its points are taken relative to hull->center */
} mo_centered_solid;

/* The points whose mean is the centre of a solid: the centre itself, two ends of an axis, or twice
 * each of two parts that sum to the centre of a hull. The mean is the centre of symmetry if there
 * is one, and always a point of the solid. */
typedef struct mo_center_points {
  int count;
  mo_dvec3 point[2];
} mo_center_points;

/* A solid under a linear map, as a Minkowski sum relative to its centre. */
typedef struct mo_solid_image {
  int segment_count;
  mo_dvec3 segment[3]; /* from the centre to one end */
  bool has_disc;
  bool is_cone; /* not a sum: the disc is at the end of the only segment and shrinks to a point at
                   its start */
  mo_dvec3 disc[2];           /* the images of two perpendicular radii */
  double ball;                /* radius of the ball, in the local frame; 0: no ball */
  const struct mo_hull *hull; /* null: no hull */
} mo_solid_image;

#endif
