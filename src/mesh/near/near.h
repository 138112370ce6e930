/* The point of a mesh that is closest to a point, as meshes and scenes ask for it. Distances are of
 * the world, also under transforms that do not preserve them. */
#ifndef MO_MESH_NEAR_NEAR_H
#define MO_MESH_NEAR_NEAR_H

#include <motte/near.h>

#include "mesh/query.h"

/* Closest points compare by distance, rounded to float, then by triangle: so two triangles that
 * share the closest point tie, whatever the rounding of either. */
typedef struct mo_mesh_closest {
  mo_dvec3 point;          /* world; of a mesh alone, local */
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  /* The best so far, at first the limit: `triangle` is MO_NO_TRIANGLE until one is found. */
  float distance;
  uint32_t triangle;
  mo_dvec3 offset;   /* from the point to the closest one */
  double weights[3]; /* of the triangle's corners; exactly 0 for corners that do not take part */
  /* Culling: a box is at least as far as the weighted gaps between it and `from`, in the mesh's
   * space or, where that metric says too little, the world (`bake`). */
  const mo_affine *bake;
  double from[3], error[3], weight[3];
  double limit; /* squared, of boxes that may still contain something as good as the best */
} mo_mesh_closest;

/* Sets the query up for triangles at most `max_distance` away: not negative, may be infinite. */
void mo_mesh_closest_init(mo_mesh_closest *query, const mo_mesh *mesh, mo_vec3 point,
                          const mo_affine *affine, float max_distance);

/* Finds the closest triangle within the limit. */
void mo_mesh_closest_find(mo_mesh_closest *query, mo_isa isa, const mo_mesh *mesh,
                          mo_query_stats *stats);

/* Tests one triangle, local corners: what decides. */
void mo_mesh_closest_test(const mo_vec3 corners[3], uint32_t triangle, void *query);

/* The hit that a finished query stands for; but for the shape. */
mo_closest_hit mo_mesh_closest_hit(const mo_mesh_closest *query, const mo_mesh *mesh);

/* A bound on squared distances that round to a distance, or to a smaller one. */
static inline double mo_closest_limit(float distance) {
  double most = distance * (1.0 + 0x1p-23) + 0x1p-149;
  return fmin(most * most * (1.0 + 0x1p-50), DBL_MAX);
}

MO_ISA_DECLARE(void, mo_mesh_closest_full,
               (const mo_mesh *mesh, mo_mesh_closest *query, mo_query_stats *stats));
MO_ISA_DECLARE(void, mo_mesh_closest_compact,
               (const mo_mesh *mesh, mo_mesh_closest *query, mo_query_stats *stats));

#endif
