/* Planes around a convex body that is neither a box nor a capsule, for culling eight triangles at a
 * time: the planes of a hull's faces, or planes that touch a cylinder or cone. A rounded box around
 * the body (mesh/culling/placed.h) leaves far more triangles for the exact test. */
#ifndef MO_MESH_CULLING_SIDES_H
#define MO_MESH_CULLING_SIDES_H

#include "geometry/hull/hull.h"
#include "mesh/culling/placed.h"

/* A convex body in floats, in the frame of the rounded box around it. */
typedef struct mo_bounding_planes {
  /* The first `leading_count` planes are in front of the moving body, those from `first_trailing`
   * on behind it; the entries between are unused. */
  int leading_count, first_trailing;
  float normal[MO_HULL_TABLE_MAX_FACES][3];     /* outward, unit */
  float reach[MO_HULL_TABLE_MAX_FACES];         /* how far the body reaches along the normal */
  float inverse_speed[MO_HULL_TABLE_MAX_FACES]; /* 1 / upper bound of the body's speed along the
                                                   normal */
  /* The body as a Minkowski sum around `middle`, for its extent in any direction
   * (geometry/difference/minkowski.h). */
  float middle[3];
  int segment_count, ellipsoid_count, vertex_count; /* numbers of summands of each kind */
  bool has_cone;
  float segment[3][3], ellipsoid[2][3][3], cone[3][3]; /* half axes of the summands */
  float vertex[MO_HULL_TABLE_MAX_VERTICES][3];
} mo_bounding_planes;

/* Makes the planes around a moving body. Returns false if there are none: for bodies that a rounded
 * box fits well, and for those that would need too many planes. */
bool mo_bounding_planes_make(mo_bounding_planes *bounding_planes, const mo_body *body,
                             const mo_rounded_box *box, mo_dvec3 displacement);

#endif
