/* How far shapes and triangles are from a convex shape: by mo_primitive_find_distance, one by one.
 */
#ifndef TEST_ORACLE_DISTANCES_H
#define TEST_ORACLE_DISTANCES_H

#include "oracle/oracle.h"

typedef struct oracle_distance {
  const oracle_shape *shape;   /* null on a mesh alone */
  uint32_t triangle;           /* MO_NO_TRIANGLE of a solid */
  float distance;              /* as it is compared */
  mo_primitive_distance found; /* of the solid or triangle and the convex shape */
} oracle_distance;

/* Everything within the limit of the def (oracle_distance), sorted by (distance, shape, triangle).
 * Of each shape its closest triangle, or all triangles. */
void oracle_scene_distances(const oracle_scene *oracle, const mo_distance_def *def,
                            bool by_triangles, oracle_list *distances);
void oracle_mesh_distances(const oracle_mesh *oracle, const mo_distance_def *def,
                           oracle_list *distances);

#endif
