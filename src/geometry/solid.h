/* Solids: filled convex shapes in their own frame, before any transform.
 *
 * MO_SOLID_KINDS is the only list of kinds. A kind has a file of its own, geometry/solid/NAME.h,
 * which defines the functions that geometry/solid/solids.h chooses from. Where one is missing the
 * library does not compile. */
#ifndef MO_GEOMETRY_SOLID_H
#define MO_GEOMETRY_SOLID_H

#include <motte/geometry.h>

#include "math/vector.h"

/* X(NAME, name): MO_SHAPE_NAME is the public type, MO_SOLID_NAME the kind here, and functions of
 * this kind begin with mo_name_. */
#define MO_SOLID_KINDS(X)                                                                          \
  X(SPHERE, sphere)                                                                                \
  X(BOX, box)                                                                                      \
  X(CAPSULE, capsule)                                                                              \
  X(CYLINDER, cylinder)

typedef enum mo_solid_kind {
#define MO_SOLID_ENUMERATOR(NAME, name) MO_SOLID_##NAME,
  MO_SOLID_KINDS(MO_SOLID_ENUMERATOR)
#undef MO_SOLID_ENUMERATOR
} mo_solid_kind;

/* Cases for all solids in a switch over mo_shape_type. */
#define MO_CASE_OF_SOLID(NAME, name) case MO_SHAPE_##NAME:
#define MO_CASES_OF_SOLIDS MO_SOLID_KINDS(MO_CASE_OF_SOLID)

/* The numbers of a solid, widened from floats, so that products of two are exact in double. What a
 * and b mean depends on the kind: two ends of an axis; or the centre and the half extents. */
typedef struct mo_solid {
  mo_solid_kind kind;
  mo_dvec3 a, b;
  double radius;
} mo_solid;

/* A solid whose centre has been moved to 0. `half` goes from the centre to one end of the axis, or
 * holds half extents. */
typedef struct mo_centred {
  mo_solid_kind kind;
  mo_dvec3 half;
  double radius;
} mo_centred;

/* The points whose mean is the centre of symmetry: the centre itself, or two ends of an axis. */
typedef struct mo_solid_core {
  int count;
  mo_dvec3 point[2];
} mo_solid_core;

/* The cross-section of a solid around its core. */
typedef enum mo_round {
  MO_ROUND_NONE, /* a polytope */
  MO_ROUND_BALL, /* the image of a ball */
  MO_ROUND_DISC, /* the image of a disc */
} mo_round;

/* A solid under a linear map as a Minkowski sum around its centre: segments, from the centre to one
 * end, and the image of a ball or a disc. `axes` are the images of perpendicular radii: three of a
 * ball, two of a disc. Unused ones are zero. */
typedef struct mo_summands {
  int segments;
  mo_dvec3 segment[3];
  mo_round round;
  mo_dvec3 axes[3];
} mo_summands;

#endif
