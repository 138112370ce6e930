/* Planes around a convex body that is neither a box nor a capsule, for culling eight triangles at a
 * time: the planes of a hull's faces, or planes that touch a cylinder or cone. A rounded box around
 * the body (mesh/culling/placed.h) leaves far more triangles for the exact test. */
#ifndef MO_MESH_CULLING_SIDES_H
#define MO_MESH_CULLING_SIDES_H

#include "geometry/hull/hull.h"
#include "mesh/culling/placed.h"

/* A convex body in floats, in the frame of the rounded box around it. */
typedef struct mo_body_sides {
  /* The body moves towards the outside of the first `ahead_count` planes, and away from the outside
   * of the planes from `first_behind` on. The entries between are unused. */
  int ahead_count, first_behind;
  float normal[MO_HULL_TABLE_MAX_FACES][3]; /* outward, unit */
  float reach[MO_HULL_TABLE_MAX_FACES];     /* of the body along the normal */
  float inverse[MO_HULL_TABLE_MAX_FACES]; /* 1 / an upper bound of the body's speed along the normal
                                           */
  /* The body as a Minkowski sum around `middle`, for its extent in any direction
   * (geometry/difference/minkowski.h). */
  float middle[3];
  int segments, ellipsoids, vertices; /* numbers of them */
  bool has_cone;
  float segment[3][3], ellipsoid[2][3][3], cone[3][3]; /* half axes */
  float vertex[MO_HULL_TABLE_MAX_VERTICES][3];
} mo_body_sides;

/* Makes the planes around a moving body. Returns false if there are none: for bodies that a rounded
 * box fits well, and for those that would need too many planes. */
bool mo_body_sides_make(mo_body_sides *sides, const mo_body *body, const mo_rounded_box *box,
                        mo_dvec3 displacement);

#endif
