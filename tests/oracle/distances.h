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

/* Shortens a list to one of its entries and what is before or as far, and makes that the limit. */
static inline void oracle_distances_limit(oracle_list *distances, uint32_t last,
                                          mo_distance_def *def) {
  const oracle_distance *d = distances->items;
  while (last + 1 < distances->count && d[last + 1].distance == d[last].distance) {
    last++;
  }
  distances->count = last + 1;
  def->max_distance = d[last].distance;
}

#endif
