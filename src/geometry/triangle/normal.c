/* Normals of triangles in world space. */
#include "geometry/triangle/normal.h"

/* An upper bound of the terms' magnitudes in the sums that give the corners in world space. */
static double max_term_sum(const mo_transform *map, const mo_vec3 corners[3]) {
  double max = 0.0;
  for (int i = 0; i < 3; i++) {
    mo_vec3 p = corners[i];
    max = fmax(max, fabs((double)p.x) * mo_max_magnitude(map->x_axis) +
                        fabs((double)p.y) * mo_max_magnitude(map->y_axis) +
                        fabs((double)p.z) * mo_max_magnitude(map->z_axis));
  }
  return max + mo_max_magnitude(map->origin);
}

mo_vec3 mo_triangle_world_normal(const mo_affine *affine, const mo_vec3 local[3],
                                 const mo_dvec3 world[3]) {
  mo_dvec3 e = mo_dsub(world[1], world[0]), f = mo_dsub(world[2], world[0]);
  mo_dvec3 normal = mo_dcross(e, f);
  /* If the transform collapses the triangle to a segment, the normal is only a rounding error. */
  double error_bound = 0x1p-44 * max_term_sum(&affine->to_world, local);
  if (mo_ddot(normal, normal) <= error_bound * error_bound * fmax(mo_ddot(e, e), mo_ddot(f, f))) {
    return mo_vec(0.0f, 0.0f, 0.0f);
  }
  return mo_unit_normal(mo_affine_mirrors(affine) ? mo_dscale(-1.0, normal) : normal);
}
