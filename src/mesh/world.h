/* Triangles of a mesh in world space, for queries that measure distances there. */
#ifndef MO_MESH_WORLD_H
#define MO_MESH_WORLD_H

#include "geometry/body/body.h"
#include "geometry/triangle/normal.h"
#include "mesh/query.h"

/* The world positions of a triangle's corners relative to a point; if `affine` is null, the local
 * positions. */
static inline void mo_relative_corners(const mo_affine *affine, const mo_vec3 corners[3],
                                       mo_dvec3 point, mo_dvec3 relative[3]) {
  for (int i = 0; i < 3; i++) {
    mo_dvec3 corner =
        affine != NULL ? mo_affine_point_to_world(affine, corners[i]) : mo_widen(corners[i]);
    relative[i] = mo_dsub(corner, point);
  }
}

/* A triangle as a body in the world; in the mesh's own space if `affine` is null. */
static inline mo_body mo_body_of_local_triangle(const mo_affine *affine, const mo_vec3 corners[3]) {
  mo_dvec3 world[3];
  mo_relative_corners(affine, corners, mo_dvec(0.0, 0.0, 0.0), world);
  return mo_body_of_triangle(world);
}

static inline mo_body mo_body_of_mesh_triangle(const mo_mesh *mesh, uint32_t triangle,
                                               const mo_affine *affine) {
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  return mo_body_of_local_triangle(affine, corners);
}

/* If the vector from a triangle to a point is not longer than this, it is only rounding error, and
 * does not tell the side of the point. `relative` has the corners relative to the point. */
static inline double mo_gap_rounding_error(const mo_dvec3 relative[3]) {
  double max = 0.0;
  for (int i = 0; i < 3; i++) {
    max = fmax(max, fmax(fabs(relative[i].x), fmax(fabs(relative[i].y), fabs(relative[i].z))));
  }
  return 0x1p-44 * max;
}

/* The unit normal of a triangle in the world, by the right-hand rule for its local winding; zero
 * for a triangle that is degenerate in the world up to rounding. */
static inline mo_vec3 mo_mesh_world_normal(const mo_mesh *mesh, uint32_t triangle,
                                           const mo_affine *affine) {
  mo_vec3 local[3];
  mo_dvec3 corners[3];
  mo_mesh_corners(mesh, triangle, local);
  mo_relative_corners(affine, local, mo_dvec(0.0, 0.0, 0.0), corners);
  return affine != NULL ? mo_triangle_world_normal(affine, local, corners)
                        : mo_unit_normal(mo_triangle_cross(local));
}

#endif
