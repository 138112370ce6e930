/* What a query by distance is about, as eight triangles at a time are told from it: a rounded box
 * with axes of its own, still or moving. Nodes and triangles are taken to the frame of this box by
 * floats; there they are lower bounds of distances and times, with a margin for the rounding. What
 * decides is the test of each triangle that these bounds let pass. */
#ifndef MO_MESH_NEAR_PLACED_H
#define MO_MESH_NEAR_PLACED_H

#include "geometry/cast/capsule.h"
#include "mesh/query.h"

/* A box with axes of its own, rounded by a radius; world, or local of a mesh alone. */
typedef struct mo_placed_box {
  mo_dvec3 center;
  mo_dvec3 axis[3]; /* of unit length, at right angles */
  double half[3];   /* from the centre to the sides of the box that is rounded */
  double radius;
} mo_placed_box;

/* A ball. */
mo_placed_box mo_placed_ball(mo_dvec3 center, double radius);

/* Around a body, no half-space: the capsule around it where that is hardly larger than a box. */
mo_placed_box mo_placed_around(const mo_distance_body *body, const mo_around *around);

/* The same in floats, for one mesh: `map` leads from the mesh's space to the axes of the box, from
 * its centre. Everything there is off by less than `error`. */
typedef struct mo_placed_lanes {
  bool is_usable;   /* false where numbers may be too large for floats: nothing may be told */
  bool tells_nodes; /* it is more than a ball, so that nodes are worth telling from it as well */
  mo_transform map;
  float half[3], radius, displacement[3], error;
} mo_placed_lanes;

/* `affine` is null for a mesh alone. `tolerance` is how much nearer than it is, or earlier by how
 * much of its path, a test may find a triangle. */
mo_placed_lanes mo_placed_lanes_make(const mo_placed_box *box, mo_dvec3 displacement,
                                     const mo_mesh *mesh, const mo_affine *affine,
                                     double tolerance);

#endif
