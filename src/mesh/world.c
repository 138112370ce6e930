/* Normals of a mesh's triangles in the world. */
#include "mesh/world.h"

#include "geometry/triangle/normal.h"

mo_vec3 mo_mesh_world_normal(const mo_mesh *mesh, uint32_t triangle, const mo_affine *affine) {
  mo_vec3 local[3];
  mo_dvec3 corners[3];
  mo_mesh_corners(mesh, triangle, local);
  mo_relative_corners(affine, local, mo_dvec(0.0, 0.0, 0.0), corners);
  return affine != NULL ? mo_triangle_world_normal(affine, local, corners)
                        : mo_unit_normal(mo_triangle_cross(local));
}
