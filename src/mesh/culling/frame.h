/* The space in which distance queries cull the boxes of a mesh: its own local space where possible.
 *
 * A local vector v has the squared length v' G v in the world, where G is the Gram matrix of the
 * transform's columns. Scaled to a unit diagonal, G has no eigenvalue below 1 minus the largest row
 * sum of magnitudes off the diagonal (Gershgorin). So the squared length is at least this bound
 * times the sum of G_ii v_i^2; it equals the sum if the columns are orthogonal, as under rotation
 * with scale per axis. If this bound is poor (strong shear, singular maps), boxes are transformed
 * to the world instead. */
#ifndef MO_MESH_CULLING_FRAME_H
#define MO_MESH_CULLING_FRAME_H

#include "mesh/query.h"

typedef struct mo_cull_frame {
  const mo_affine *world_map; /* if not null, boxes are transformed to the world by this */
  double from[3];             /* the query's point, in the culling space */
  double displacement[3];     /* the query's displacement, in the culling space */
  /* Per axis of the culling space: an upper bound of the errors of `from`, `displacement`, and the
   * exact tests of triangles in double precision (2^-46 of the coordinates). */
  double error[3];
  double weight[3]; /* a squared world length is at least the sum of squares with these weights */
  double max_weight[3];  /* a squared world length is at most the sum with these weights */
  double unit_extent[3]; /* by axis: largest component of a vector whose length in the world is 1 */
} mo_cull_frame;

/* Makes the frame for a mesh under a transform; `affine` is null if the mesh is not in a scene.
 * Point and displacement are in world space, or local without `affine`; `radius` is that of the
 * query's ball around the point. */
mo_cull_frame mo_cull_frame_make(const mo_mesh *mesh, const mo_affine *affine, mo_dvec3 point,
                                 mo_dvec3 displacement, double radius);

/* As mo_cull_frame_make, for a body in a box with half extents `half` (along the axes of the world,
 * or of the mesh without `affine`). The member `error` holds for the whole box, enlarged by
 * `margin` in all directions. */
mo_cull_frame mo_cull_frame_of_box(const mo_mesh *mesh, const mo_affine *affine, mo_dvec3 center,
                                   mo_dvec3 half, mo_dvec3 displacement, double margin);

#endif
