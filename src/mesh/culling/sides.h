/* Planes around a convex body that is neither a box nor a capsule, for culling eight triangles at a
 * time: the planes of a hull's faces, or planes that touch a cylinder or cone. A rounded box around
 * the body (mesh/culling/placed.h) leaves far more triangles for the exact test. */
#ifndef MO_MESH_CULLING_SIDES_H
#define MO_MESH_CULLING_SIDES_H

#include "geometry/hull/hull.h"
#include "mesh/culling/placed.h"

/* A body in floats, in the frame of its placed box. */
typedef struct mo_placed_sides {
  /* The body moves towards what lies beyond the first `ahead` planes, and away from what lies
   * beyond those from `behind` on; between them there are none. */
  int ahead, behind;
  float normal[MO_TABLE_FACES][3]; /* outward, unit */
  float reach[MO_TABLE_FACES];     /* of the body along the normal */
  float inverse[MO_TABLE_FACES]; /* of a speed along it, too low: ahead not below the body's, behind
                                    not above it */
  /* How far the body reaches in any direction: as a Minkowski sum
   * (geometry/difference/minkowski.h), from `middle` on. */
  float middle[3];
  int segments, ellipsoids, vertices;
  bool has_cone;
  float segment[3][3], ellipsoid[2][3][3], cone[3][3];
  float vertex[MO_TABLE_VERTICES][3];
} mo_placed_sides;

/* Makes the planes around a body that moves; false for boxes, and for kinds for which the box does
 * as well or planes would be too many. */
bool mo_placed_sides_make(mo_placed_sides *sides, const mo_body *body, const mo_placed_box *box,
                          mo_dvec3 displacement);

#endif
