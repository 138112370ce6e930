/* The volume of a distance query for culling eight triangles at a time: an oriented rounded box, at
 * rest or moving. Nodes and triangles are transformed to the frame of this box in floats. There,
 * lower bounds of distances and times are computed, with a margin for rounding. Triangles that
 * these bounds let pass are tested exactly. */
#ifndef MO_MESH_CULLING_PLACED_H
#define MO_MESH_CULLING_PLACED_H

#include "geometry/cast/capsule.h"
#include "geometry/penetration/box_triangle.h"
#include "mesh/query.h"

/* An oriented box, rounded by a radius; in world space, or local for a mesh alone. */
typedef struct mo_placed_box {
  mo_dvec3 center;
  mo_dvec3 axis[3]; /* orthonormal */
  double half[3];   /* half extents of the box before rounding */
  double radius;
} mo_placed_box;

/* The rounded box of a ball. */
mo_placed_box mo_placed_ball(mo_dvec3 center, double radius);

/* A rounded box around a body that is no half-space: a capsule if that is hardly larger than a
 * box. */
mo_placed_box mo_placed_around(const mo_body *body, const mo_around *around);

/* The box itself if it has right angles, else one around it. */
mo_placed_box mo_placed_box_body(const mo_box_body *box);

/* The path of a box among boxes whose sides are parallel to its own, in floats. The box meets
 * another one from the time at which it is at `enter` from the side that it approaches until it is
 * at `leave` from the opposite side. */
typedef struct mo_lanes_path {
  float enter[3], leave[3];
  float inverse[3]; /* of the displacement; large if there is none */
} mo_lanes_path;

/* Errors of positions in floats below `error` are covered. */
mo_lanes_path mo_lanes_path_make(const double from[3], const double displacement[3],
                                 const double grow[3], double error);

/* A placed box in floats, for one mesh: `map` transforms from the mesh's space to the frame of the
 * box, whose origin is the box's centre. All positions in this frame have an error below
 * `error`. */
typedef struct mo_placed_lanes {
  bool is_usable;   /* false if numbers may exceed the range of floats: no culling then */
  bool tells_nodes; /* it is more than a ball, so culling nodes by it is worthwhile too */
  bool is_aligned;  /* its axes are those of the mesh's space */
  mo_transform map;
  float half[3], radius, displacement[3], error;
  mo_lanes_path path; /* along the axes of the frame, of the box with its rounding */
} mo_placed_lanes;

/* `affine` is null for a mesh alone. `tolerance` is the amount by which the exact test may find a
 * triangle too near, or too early as a share of the path. */
mo_placed_lanes mo_placed_lanes_make(const mo_placed_box *box, mo_dvec3 displacement,
                                     const mo_mesh *mesh, const mo_affine *affine,
                                     double tolerance);

#endif
