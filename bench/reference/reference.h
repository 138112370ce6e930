/* Classical traversals of both octrees by rays. Tests compare their answers with those of the
 * library, which are the same, bit for bit; benchmarks show what each part of the library's own
 * traversals is worth. They are scalar, and use the library's tests of triangles and shapes. */
#ifndef BENCH_REFERENCE_REFERENCE_H
#define BENCH_REFERENCE_REFERENCE_H

#include <motte/query.h>

/* How a ray traverses an octree. */
typedef enum reference_traversal {
  REFERENCE_FAST, /* the library's: 8-wide culling, octants from front to back */
  /* Walks from octant to octant: begins in the octant that contains the ray's origin, then always
   * crosses the nearest split plane ahead. */
  REFERENCE_PLANE_WALK,
  REFERENCE_NAIVE, /* tests every node and every triangle */
} reference_traversal;

typedef struct reference_ray {
  mo_ray_def ray;
  reference_traversal traversal; /* of the shape octree and the triangle octrees */
  bool no_mailbox;               /* test a triangle again in each leaf that refers to it */
} reference_ray;

/* Each answers as the query of motte/query.h that it is named after, and returns the same codes for
 * an illegal ray. Pointers must not be null, but for `stats`. */
mo_result reference_scene_cast_ray(const mo_scene *scene, const reference_ray *ray, mo_ray_hit *hit,
                                   mo_query_stats *stats);
mo_result reference_mesh_cast_ray(const mo_mesh *mesh, const reference_ray *ray, mo_ray_hit *hit,
                                  mo_query_stats *stats);
mo_result reference_scene_test_ray(const mo_scene *scene, const reference_ray *ray, bool *hit,
                                   mo_query_stats *stats);
mo_result reference_mesh_test_ray(const mo_mesh *mesh, const reference_ray *ray, bool *hit,
                                  mo_query_stats *stats);
mo_result reference_scene_cast_ray_all(const mo_scene *scene, const reference_ray *ray,
                                       mo_ray_hit *hits, uint32_t capacity, uint32_t *total,
                                       mo_query_stats *stats);
mo_result reference_mesh_cast_ray_all(const mo_mesh *mesh, const reference_ray *ray,
                                      mo_ray_hit *hits, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

#endif
