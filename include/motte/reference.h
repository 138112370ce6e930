/** \defgroup reference References (motte/reference.h)
 *
 * For tests, measurements and study: classical octrees and traversals, to compare with those that
 * Motte uses. Their answers are the same, bit for bit; they are only slower. A program that uses
 * Motte does not need this header, and motte/motte.h does not include it. */
#ifndef MOTTE_REFERENCE_H
#define MOTTE_REFERENCE_H

#include <motte/query.h>

/** \{ */

/// An additional builder, for mo_mesh_build_options::builder: the classical octree. Each node is
/// split at the middle of its cell on all three axes, and a triangle that straddles a split plane
/// is referenced from every child that it touches, with up to eight references per triangle in all.
#define MO_MESH_BUILDER_MIDPOINT ((mo_mesh_builder)3)

/// An additional policy, for mo_tree_options::policy: the classical octree. Split planes are in the
/// middle of cubic cells, and each shape is stored in the lowest cell that contains it.
#define MO_TREE_MIDPOINT ((mo_tree_policy)2)

/// How a ray traverses an octree.
typedef enum mo_traversal {
  MO_TRAVERSAL_FAST, ///< the traversal of all other queries: 8-wide culling, octants from front to
                     ///< back
  /// Walks from octant to octant: begins in the octant that contains the ray's origin, then always
  /// crosses the nearest split plane ahead.
  MO_TRAVERSAL_PLANE_WALK,
  MO_TRAVERSAL_NAIVE, ///< tests every node and every triangle
} mo_traversal;

/// A ray, and the traversal to trace it with.
typedef struct mo_reference_ray_def {
  mo_ray_def ray;         ///< the ray, as for other queries
  mo_traversal traversal; ///< of the shape octree and the triangle octrees
  bool no_mailbox;        ///< test a triangle again in each leaf that refers to it
  uint32_t cookie;        ///< set by mo_default_reference_ray_def; not for the caller
} mo_reference_ray_def;

MO_BEGIN_DECLS

/// A def with the ray of mo_default_ray_def, the fast traversal, and mailboxes.
MO_API mo_reference_ray_def mo_default_reference_ray_def(void);

/** \name Rays by another traversal
 * Frames, order of hits, buffers, statistics and threads are those of the query that each function
 * is named after (motte/query.h). Errors: as there; MO_ERROR_UNINITIALIZED_DEF also of the outer
 * def, MO_ERROR_INVALID_ARGUMENT also for a traversal that does not exist. Cost:
 * MO_TRAVERSAL_PLANE_WALK visits the nodes along the ray, one octant at a time; MO_TRAVERSAL_NAIVE
 * takes O(shapes and triangles). No memory is allocated. */
/** \{ */

/// The closest hit of a ray (world) with the shapes of a scene: the answer of mo_scene_cast_ray.
MO_API mo_result mo_reference_scene_cast_ray(const mo_scene *scene, const mo_reference_ray_def *ray,
                                             mo_ray_hit *hit, mo_query_stats *stats);

/// The closest hit of a ray with one mesh (local): the answer of mo_mesh_cast_ray.
MO_API mo_result mo_reference_mesh_cast_ray(const mo_mesh *mesh, const mo_reference_ray_def *ray,
                                            mo_ray_hit *hit, mo_query_stats *stats);

/// Whether a ray (world) hits any shape of a scene: the answer of mo_scene_test_ray.
MO_API mo_result mo_reference_scene_test_ray(const mo_scene *scene, const mo_reference_ray_def *ray,
                                             bool *hit, mo_query_stats *stats);

/// Whether a ray (local) hits one mesh: the answer of mo_mesh_test_ray.
MO_API mo_result mo_reference_mesh_test_ray(const mo_mesh *mesh, const mo_reference_ray_def *ray,
                                            bool *hit, mo_query_stats *stats);

/// All hits of a ray (world) with the shapes of a scene: the answer of mo_scene_cast_ray_all.
MO_API mo_result mo_reference_scene_cast_ray_all(const mo_scene *scene,
                                                 const mo_reference_ray_def *ray, mo_ray_hit *hits,
                                                 uint32_t capacity, uint32_t *total,
                                                 mo_query_stats *stats);

/// All hits of a ray with one mesh (local): the answer of mo_mesh_cast_ray_all.
MO_API mo_result mo_reference_mesh_cast_ray_all(const mo_mesh *mesh,
                                                const mo_reference_ray_def *ray, mo_ray_hit *hits,
                                                uint32_t capacity, uint32_t *total,
                                                mo_query_stats *stats);

/** \} */

MO_END_DECLS

/** \} */

#endif
