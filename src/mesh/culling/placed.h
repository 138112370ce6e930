/* The volume of a distance query or cast, for culling eight triangles at a time: an oriented
 * rounded box, at rest or moving. Nodes and triangles are transformed to the frame of this box in
 * floats. There, lower bounds of distances and times are computed, with a margin for rounding.
 * Triangles that these bounds let pass are tested exactly. */
#ifndef MO_MESH_CULLING_PLACED_H
#define MO_MESH_CULLING_PLACED_H

#include "geometry/cast/capsule.h"
#include "geometry/penetration/box_triangle.h"
#include "mesh/query.h"

/* An oriented box, rounded by a radius; in world space, or in local space for a mesh that is not in
 * a scene. */
typedef struct mo_rounded_box {
  mo_dvec3 center;
  mo_dvec3 axis[3]; /* orthonormal */
  double half[3];   /* half extents of the box before rounding */
  double radius;
} mo_rounded_box;

/* The rounded box of a ball. */
mo_rounded_box mo_rounded_box_of_ball(mo_dvec3 center, double radius);

/* A rounded box around a body that is no half-space: the capsule `around` if that is hardly larger
 * than a box. */
mo_rounded_box mo_rounded_box_around(const mo_body *body, const mo_bounding_capsule *around);

/* The box body itself if its angles are right angles, else a box around it. */
mo_rounded_box mo_rounded_box_of_box(const mo_box_body *box);

/* The path of a moving box, in floats, to find when it overlaps boxes with parallel sides. By axis:
 * coordinates at t = 0 of its leading side (`enter`) and of its trailing side (`leave`). */
typedef struct mo_lanes_path {
  float leading_side[3], trailing_side[3]; /* their coordinates at t = 0 */
  float inverse_displacement[3];           /* 1 / displacement; a large number if there is none */
} mo_lanes_path;

/* Makes the path of a point at `from`, which meets boxes that are enlarged by `grow` on all sides.
 * It allows for errors of positions below `error`. */
mo_lanes_path mo_lanes_path_make(const double from[3], const double displacement[3],
                                 const double grow[3], double error);

/* A rounded box in floats, for one mesh: `map` transforms from the mesh's space to the frame of the
 * box, whose origin is the box's centre. All positions in this frame have an error below
 * `error`. */
typedef struct mo_culling_box {
  bool is_usable;   /* false if numbers may exceed the range of floats: then nothing is culled */
  bool culls_nodes; /* also cull nodes by the box, which is not worthwhile for a ball */
  bool is_aligned;  /* the axes of the box are parallel to those of the mesh's space */
  mo_transform map;
  float half[3], radius; /* half extents and radius of the box */
  float displacement[3]; /* displacement of the box, in its frame */
  float error;
  mo_lanes_path path; /* path of the box, radius included, along the axes of its frame */
} mo_culling_box;

/* Converts a rounded box for culling a mesh; `affine` is null if the mesh is not in a scene.
 * `tolerance` is the error of the exact test: the distance, or share of the path, by which it may
 * find a triangle too near or too early. */
mo_culling_box mo_culling_box_make(const mo_rounded_box *box, mo_dvec3 displacement,
                                   const mo_mesh *mesh, const mo_affine *affine, double tolerance);

#endif
