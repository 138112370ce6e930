/* Swept meshes: triangles whose vertices move from one pose to another.
 *
 * The octree is that of a mesh of segments, in which segment i is the diagonal of the box around
 * the path of triangle i. So it is built, refitted and rebuilt as that of other meshes. */
#ifndef MO_MESH_SWEPT_SWEPT_H
#define MO_MESH_SWEPT_SWEPT_H

#include <motte/swept.h>

#include "base/isa.h"
#include "mesh/query.h"

struct mo_swept_mesh {
  mo_host host;
  mo_isa isa;
  uint32_t vertex_count, triangle_count;
  mo_vec3 *positions[2];   /* at the start and at the end, by vertex */
  uint32_t (*vertices)[3]; /* by triangle */
  mo_aabb *boxes;          /* by triangle: around its path */
  mo_mesh *segments;       /* the diagonals of `boxes`, whose corners are its vertices */
};

/* The host that receives log messages; null if there is no mesh. */
static inline const mo_host *mo_swept_mesh_host(const mo_swept_mesh *mesh) {
  return mesh != NULL ? &mesh->host : NULL;
}

/* A search for pairs of triangles that may come near each other. */
typedef struct mo_swept_search {
  const mo_swept_mesh *mesh[2]; /* neither is empty; may be the same */
  float reach;                  /* how near, along each axis */
  /* How near, along sums and differences of axes: at least sqrt(2) reach, and rounding errors. */
  float reach_along_directions;
  const float *limit; /* later impacts are not needed; a test may lower it */
  /* Called once for each such pair; if both meshes are the same, with the lower triangle first.
   * Returning false ends the search. */
  bool (*test)(uint32_t triangle, uint32_t other, void *context);
  void *context;
  mo_query_stats *stats;
} mo_swept_search;

MO_ISA_DECLARE(void, mo_swept_search_run, (mo_swept_search * search));

#endif
