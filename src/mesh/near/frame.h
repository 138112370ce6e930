/* Where queries that measure distances cull a mesh: in its own space where possible.
 *
 * A local vector v has the squared length v' G v in the world, with the matrix G of the products of
 * the transform's columns. Scaled to a unit diagonal, G has no eigenvalue below 1 less the largest
 * sum of magnitudes beside the diagonal (Gershgorin), so the squared length is at least that times
 * the sum of G_ii v_i^2: exactly the sum where columns are orthogonal, as under rotation and scale
 * per axis. Where that bound is poor (strong shear, singular maps) boxes are taken to the world. */
#ifndef MO_MESH_NEAR_FRAME_H
#define MO_MESH_NEAR_FRAME_H

#include "mesh/query.h"

typedef struct mo_cull_frame {
  const mo_affine *bake;  /* not null: boxes are taken to the world by it */
  double from[3];         /* a point of the query, in the culling space */
  double displacement[3]; /* a displacement of it */
  /* At least the error of all of the above, and of what a test in double precision computes of
   * triangles in the world (2^-46 of the coordinates), per axis of the culling space. */
  double error[3];
  double weight[3];  /* a squared length in the world is at least the weighted sum of squares */
  double most[3];    /* and at most the sum by these weights */
  double inverse[3]; /* a vector as long as 1 in the world has at most these components */
} mo_cull_frame;

/* For a mesh under a transform, null for a mesh alone. Point and displacement are of the world, or
 * local of a mesh alone; `radius` of a ball around the point that the query is about. */
mo_cull_frame mo_cull_frame_make(const mo_mesh *mesh, const mo_affine *affine, mo_dvec3 point,
                                 mo_dvec3 displacement, double radius);

/* The same for what lies in a box, of the world or local of a mesh alone: the errors are those of
 * the box around its centre, and of what it measures less than `tolerance` too low. */
mo_cull_frame mo_cull_frame_of_box(const mo_mesh *mesh, const mo_affine *affine, mo_aabb box,
                                   double tolerance);

#endif
