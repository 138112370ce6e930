/* The closest pair of triangles of two meshes. */
#ifndef MO_MESH_PAIR_DISTANCE_H
#define MO_MESH_PAIR_DISTANCE_H

#include <motte/distance.h>

#include "geometry/gjk.h"
#include "mesh/pair/pair.h"

/* A query for the closest pair of triangles of two meshes. Pairs are ordered by distance, rounded
 * to float, then by triangle of the first mesh, then of the second. */
typedef struct mo_mesh_pair_distance {
  mo_mesh_pair pair; /* meshes and frames in which boxes are culled; its callbacks find touches */
  mo_mesh_pair_frame world; /* the frame in which triangles are compared: the world, scaled */
  /* By frame of `pair` and axis: the squared gaps of boxes times these weights add up to a lower
   * bound of the squared distance in `world`. */
  float weight[2][3];
  /* The best pair so far, initially the limit; `triangle` has MO_NO_TRIANGLE until a pair is
   * found. */
  float distance;
  uint32_t triangle[2];
  mo_convex_gap gap;
  /* Squared distance in `world` up to which a pair may be as good as the best; -INFINITY: the
   * search has ended. */
  float limit;
  bool ends_at_first_pair; /* the first pair within the initial limit ends the search */
} mo_mesh_pair_distance;

/* The exact test of two triangles, given by local corners: the pair becomes the best if it is
 * better. */
void mo_mesh_pair_distance_test(mo_mesh_pair_distance *query, const mo_vec3 corners[2][3],
                                const uint32_t triangle[2]);

/* Whether two local boxes are surely farther apart than the best pair, along the direction of that
 * pair. In double precision, as floats are too inexact for meshes that are far apart relative to
 * their sizes. */
bool mo_mesh_pair_boxes_are_farther(const mo_mesh_pair_distance *query, const mo_aabb box[2]);

/* The hit on the first mesh in a search for the closest points of two meshes, which mo_closest_hit
 * describes; not found if nothing lies within `max_distance`. */
mo_closest_hit mo_meshes_closest(const mo_mesh *const mesh[2], const mo_affine affine[2],
                                 float max_distance, mo_isa isa, mo_query_stats *stats);

/* Tests all pairs that may be better than the best. Neither mesh may be empty. */
MO_ISA_DECLARE(void, mo_mesh_pair_distance_walk, (mo_mesh_pair_distance * query));

#endif
