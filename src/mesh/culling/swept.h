/* Culling by the path of a convex body, in the space of one mesh: node boxes by a moving box,
 * triangles by a moving rounded box, and by planes around the body. */
#ifndef MO_MESH_CULLING_SWEPT_H
#define MO_MESH_CULLING_SWEPT_H

#include "geometry/cast/convex.h"
#include "mesh/culling/frame.h"
#include "mesh/culling/sides.h"

/* What encloses a moving body at t = 0, in all its orientations if it rotates; in the space of the
 * query. */
typedef struct mo_bounding_volumes {
  mo_rounded_box rounded_box;
  bool has_planes;
  mo_bounding_planes planes; /* in the frame of `rounded_box` */
} mo_bounding_volumes;

/* Makes the volumes around a body that is no half-space and does not rotate. `box`: the body itself
 * if that is a box; else `capsule` is a bounding capsule of it; `displacement`: relative to the
 * mesh. mo_bounding_volumes_make_of_bounds: of the bounds alone, for a body that rotates. */
void mo_bounding_volumes_make(mo_bounding_volumes *volumes, const mo_body *body,
                              const mo_box_body *box, const mo_bounding_capsule *capsule,
                              mo_dvec3 displacement);
void mo_bounding_volumes_make_of_bounds(mo_bounding_volumes *volumes, mo_aabb bounds);

typedef struct mo_swept_culling {
  const mo_affine *world_map; /* as in mo_cull_frame */
  mo_path_axis path[3];       /* of the box around the body, in the culling space (frame.h) */
  mo_culling_box culling_box;
  bool culls_nodes_by_box; /* nodes are culled by `culling_box` and `lane_path`, not by `path` */
  mo_lanes_path lane_path; /* `path` in floats */
  const mo_bounding_planes *planes; /* null: none */
} mo_swept_culling;

/* Sets up culling of a mesh. `bounds`: of the body at t = 0, in all its orientations, or anything
 * if `volumes` has a ball; `displacement`: relative to the mesh; `volumes`: kept; `margin`: how
 * near the body and a triangle may be at a contact. `affine` is null if the mesh is not in a scene.
 */
void mo_swept_culling_set(mo_swept_culling *culling, const mo_mesh *mesh, const mo_affine *affine,
                          mo_aabb bounds, mo_dvec3 displacement, const mo_bounding_volumes *volumes,
                          double margin);

#endif
