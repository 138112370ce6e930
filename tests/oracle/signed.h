/* Signed distances by loops over all triangles, and winding numbers by solid angles. */
#ifndef TEST_ORACLE_SIGNED_H
#define TEST_ORACLE_SIGNED_H

#include "oracle/oracle.h"

/* The sum of what triangles add to the winding number around a point, by mo_triangle_winding; 0
 * outside the box. `shape` is null for a mesh alone. */
int32_t oracle_winding(const oracle_mesh *mesh, const oracle_shape *shape, mo_vec3 point);

/* The solid angle of all triangles as a part of the whole (van Oosterom and Strackee 1983), in long
 * double: of a closed mesh its winding number. */
long double oracle_solid_angle(const oracle_mesh *mesh, const oracle_shape *shape, mo_vec3 point);

/* The least signed distance of a scene; `shape` is null where there is none within the limit. */
typedef struct oracle_signed {
  const oracle_shape *shape;
  uint32_t triangle;
  float distance;
} oracle_signed;

oracle_signed oracle_scene_signed(const oracle_scene *oracle, const mo_closest_def *def);

/* Of a mesh alone. */
oracle_signed oracle_mesh_signed(const oracle_mesh *oracle, mo_vec3 point, float max_distance);

#endif
