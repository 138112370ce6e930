/* Pairs of triangles of two moving meshes that may come close to each other. */
#ifndef MO_MESH_PAIR_SWEEP_H
#define MO_MESH_PAIR_SWEEP_H

#include "geometry/cast/rotating.h"
#include "mesh/cast/cast.h"
#include "mesh/pair/pair.h"

typedef struct mo_mesh_sweep {
  const mo_mesh *mesh[2]; /* neither is empty */
  const mo_affine *affine[2];
  const mo_moving_body *moving[2]; /* bodies that contain the meshes, with their movements */
  double margin; /* pairs that come this close are tested, up to the time `limit` */
  const double *limit;
  /* Called for each such pair, and for some others. May lower the limit. It may be called for a
   * pair again and again, if many pairs stay close during many intervals. */
  void (*test)(uint32_t triangle_a, uint32_t triangle_b, void *context);
  void *context;
  uint64_t max_tests; /* the sweep ends before it would make more of these calls */
  mo_query_stats *stats;
} mo_mesh_sweep;

/* Tests the pairs, roughly in the order of the times at which they come close. Returns 1; or if
 * `max_tests` are not enough, the time up to which all pairs were tested. */
double mo_mesh_sweep_find(const mo_mesh_sweep *sweep, mo_isa isa);

/* As mo_mesh_cast_find, for a cast that moves and rotates a mesh, and for its first contact or any.
 */
void mo_mesh_cast_find_mesh(mo_mesh_cast *query, mo_isa isa, mo_query_stats *stats);

/* The most traversals of both octrees that a sweep takes. */
enum { MO_MESH_SWEEP_MAX_TRAVERSALS = 1024 };

#endif
