/* The closest pair of triangles of two meshes. */
#ifndef MO_MESH_PAIR_DISTANCE_H
#define MO_MESH_PAIR_DISTANCE_H

#include "geometry/gjk.h"
#include "mesh/pair/pair.h"

/* Pairs compare by distance, rounded to float, then by triangle of the first mesh, then of the
 * second. */
typedef struct mo_mesh_pair_distance {
  mo_mesh_pair pair;        /* its frames cull boxes; it reports nothing */
  mo_mesh_pair_frame world; /* the frame, the scaled world, in which triangles are compared */
  /* By frame of `pair` and axis: the squared gaps of boxes times these weights add up to a lower
   * bound of the squared distance in `world`. */
  float weight[2][3];
  /* The best pair so far, initially the limit; triangles are MO_NO_TRIANGLE until one is found. */
  float distance;
  uint32_t triangle[2];
  mo_convex_gap gap;
  float limit; /* squared distance in `world` up to which a pair may be as good as the best */
} mo_mesh_pair_distance;

/* The exact test of two triangles, given by local corners: the pair becomes the best if it is
 * better. */
void mo_mesh_pair_distance_test(mo_mesh_pair_distance *query, const mo_vec3 corners[2][3],
                                const uint32_t triangle[2]);

/* Whether two local boxes are surely farther apart than the best pair, by its direction, in double
 * precision. Floats are too inexact if the meshes are far apart relative to their sizes. */
bool mo_mesh_pair_boxes_are_farther(const mo_mesh_pair_distance *query, const mo_aabb box[2]);

/* Tests all pairs that may be better than the best. Neither mesh may be empty. */
MO_ISA_DECLARE(void, mo_mesh_pair_distance_walk, (mo_mesh_pair_distance * query));

#endif
