/** \defgroup query_batch Batches of queries (motte/query_batch.h)
 *
 * Batches of all queries that take a def: an array of defs in, an array of answers out.
 * (Closest-hit and any-hit rays have their own batches, motte/batch.h, which also trace rays
 * together.)
 *
 *     mo_query_batch batch = mo_query_batch_of(MO_QUERY_CAST_SPHERE, defs, count, hits);
 *     result = mo_scene_run_queries(scene, &batch, &first_bad, NULL);
 *
 * Each answer is that of the function for one query, bit for bit, whatever the number of workers.
 * Within a task queries run one by one, in the order of the array; the tasks of the scene's or
 * mesh's host spread them over threads. So callbacks in defs (`accept`, `accept_triangle`) may be
 * called from several threads at once. Nothing is allocated. For speed, place queries that are
 * close in space next to each other in the array: they find the same nodes in the cache.
 *
 * On a mesh, MO_QUERY_CLOSEST_POINT and MO_QUERY_SIGNED_DISTANCE begin each search with the
 * triangle found for the previous point. Signed distances from a closed mesh also reuse the sign of
 * the previous point where the surface cannot lie between the two points: if a batch has more
 * points than a sixteenth of the triangles, it first tests whether the mesh is closed (some 20 ns
 * per triangle). Points along the lines of a grid take three quarters to nine tenths of the time of
 * single calls. */
#ifndef MOTTE_QUERY_BATCH_H
#define MOTTE_QUERY_BATCH_H

#include <motte/cast.h>
#include <motte/character.h>
#include <motte/distance.h>
#include <motte/near.h>
#include <motte/overlap.h>
#include <motte/separation.h>

/** \{ */

/// The type of the queries of a batch. Listed for each: the functions that it runs; the type of a
/// def; the type of an answer, or of the elements of a list of answers.
typedef enum mo_query_type {
  /// mo_scene_test_overlap, mo_mesh_test_overlap. Defs: mo_overlap_def; answers: bool.
  MO_QUERY_TEST_OVERLAP,
  /// mo_scene_overlap_shapes. Defs: mo_overlap_def; answers: lists of mo_shape_id. Only for scenes.
  MO_QUERY_OVERLAP_SHAPES,
  /// mo_scene_test_triangles, mo_mesh_test_overlap. Defs: mo_overlap_def; answers: bool.
  MO_QUERY_TEST_TRIANGLES,
  /// mo_scene_overlap_triangles, mo_mesh_overlap_triangles. Defs: mo_overlap_def; answers: lists of
  /// mo_triangle_ref, for a mesh of uint32_t.
  MO_QUERY_OVERLAP_TRIANGLES,
  /// mo_mesh_contains_point. Defs: mo_vec3; answers: bool. Only for meshes: scenes have overlaps of
  /// points.
  MO_QUERY_CONTAINS_POINT,
  /// mo_scene_cast_sphere, mo_mesh_cast_sphere. Defs: mo_sphere_cast_def; answers: mo_cast_hit.
  MO_QUERY_CAST_SPHERE,
  /// mo_scene_test_sphere_cast, mo_mesh_test_sphere_cast. Defs: mo_sphere_cast_def; answers: bool.
  MO_QUERY_TEST_SPHERE_CAST,
  /// mo_scene_cast_sphere_all, mo_mesh_cast_sphere_all. Defs: mo_sphere_cast_def; answers: lists of
  /// mo_cast_hit.
  MO_QUERY_CAST_SPHERE_ALL,
  /// mo_scene_cast_shape, mo_mesh_cast_shape. Defs: mo_shape_cast_def; answers: mo_cast_hit.
  MO_QUERY_CAST_SHAPE,
  /// mo_scene_test_shape_cast, mo_mesh_test_shape_cast. Defs: mo_shape_cast_def; answers: bool.
  MO_QUERY_TEST_SHAPE_CAST,
  /// mo_scene_cast_shape_all, mo_mesh_cast_shape_all. Defs: mo_shape_cast_def; answers: lists of
  /// mo_cast_hit.
  MO_QUERY_CAST_SHAPE_ALL,
  /// mo_scene_find_separation, mo_mesh_find_separation. Defs: mo_shape_cast_def; answers:
  /// mo_separation.
  MO_QUERY_FIND_SEPARATION,
  /// mo_scene_closest_point, mo_mesh_closest_point. Defs: mo_closest_def; answers: mo_closest_hit.
  MO_QUERY_CLOSEST_POINT,
  /// mo_scene_signed_distance, mo_mesh_signed_distance. Defs: mo_closest_def; answers:
  /// mo_closest_hit.
  MO_QUERY_SIGNED_DISTANCE,
  /// mo_mesh_winding_number. Defs: mo_vec3; answers: int32_t. Only for meshes.
  MO_QUERY_WINDING_NUMBER,
  /// mo_scene_find_closest, mo_mesh_find_closest. Defs: mo_distance_def; answers: mo_closest_hit.
  MO_QUERY_FIND_CLOSEST,
  /// mo_scene_find_within, mo_mesh_find_within. Defs: mo_distance_def; answers: lists of
  /// mo_closest_hit.
  MO_QUERY_FIND_WITHIN,
  /// mo_scene_find_closest_few, mo_mesh_find_closest_few. Defs: mo_distance_def; answers: lists of
  /// mo_closest_hit.
  MO_QUERY_FIND_CLOSEST_FEW,
  /// mo_scene_cast_ray_all, mo_mesh_cast_ray_all. Defs: mo_ray_def; answers: lists of mo_ray_hit.
  MO_QUERY_CAST_RAY_ALL,
  /// mo_scene_cast_ray_first, mo_mesh_cast_ray_first. Defs: mo_ray_def; answers: lists of
  /// mo_ray_hit.
  MO_QUERY_CAST_RAY_FIRST,
  /// mo_scene_find_ground. Defs: mo_ray_def; answers: mo_ground. Only for scenes.
  MO_QUERY_FIND_GROUND,
  /// mo_scene_cull_planes, mo_mesh_cull_planes. Defs: mo_cull_def; answers: lists of
  /// mo_cull_result, for a mesh of uint32_t.
  MO_QUERY_CULL_PLANES,
  /// mo_scene_find_near. Defs: mo_near_def; answers: lists of mo_near_shape. Only for scenes.
  MO_QUERY_FIND_NEAR,
  /// mo_scene_find_nearest. Defs: mo_near_def; answers: lists of mo_near_shape. Only for scenes.
  MO_QUERY_FIND_NEAREST,
  /// mo_scene_find_levels. Defs: mo_level_def; answers: lists of mo_level_result. Only for scenes.
  MO_QUERY_FIND_LEVELS,
  /// mo_scene_shape_fits. Defs: mo_fit_def; answers: bool. Only for scenes.
  MO_QUERY_SHAPE_FITS,
  /// mo_scene_find_obstacles. Defs: mo_fit_def; answers: lists of mo_shape_id. Only for scenes.
  MO_QUERY_FIND_OBSTACLES,
  /// mo_character_move. Defs: mo_character_def; answers: mo_character_move_result. Only for scenes.
  /// Characters do not collide with each other: all move in the scene as it is.
  MO_QUERY_MOVE_CHARACTER,
  /// mo_character_move_allowed. Defs: mo_character_def; answers: bool. Only for scenes.
  MO_QUERY_MOVE_ALLOWED,
  /// mo_mesh_test_overlap_mesh: mo_overlap_mesh_def; bool. This and the following are only for
  /// meshes. For many poses of the same two meshes, use one def for each pose.
  MO_QUERY_TEST_OVERLAP_MESH,
  /// mo_mesh_overlap_mesh: mo_overlap_mesh_def; lists of mo_triangle_pair.
  MO_QUERY_OVERLAP_MESH,
  /// mo_mesh_find_closest_mesh: mo_distance_mesh_def; mo_closest_hit[2]. `start` of a def must not
  /// be one of the answers.
  MO_QUERY_FIND_CLOSEST_MESH,
  /// mo_mesh_test_within_mesh: mo_distance_mesh_def; bool.
  MO_QUERY_TEST_WITHIN_MESH,
  /// mo_mesh_find_separation_mesh: mo_separation_mesh_def; mo_mesh_separation.
  MO_QUERY_FIND_SEPARATION_MESH,
} mo_query_type;

/// A batch of queries of one type, and the arrays for their answers. All arrays are the caller's
/// and are used during the call only; they must not overlap.
typedef struct mo_query_batch {
  mo_query_type query; ///< type of all queries
  size_t count;        ///< how many queries
  /// `count` defs of the query's def type, aligned for it; def i is `i * def_stride` bytes after
  /// the first. May be null if `count` is 0.
  const void *defs;
  size_t def_stride; ///< bytes from one def to the next; 0: defs without gaps
  /// Answers of the query's answer type, aligned for it. May be null only for lists without
  /// capacity.
  void *answers;
  /// Bytes from one answer to the next; 0: answers without gaps. Must be 0 for lists, whose
  /// elements have no gaps.
  size_t answer_stride;
  /// For lists: the capacity of each list in elements. List i begins at element i * capacity.
  uint32_t capacity;
  /// For lists, in place of `capacity`, or null: `count` + 1 element indices, ascending. List i
  /// begins at offsets[i] and has a capacity of offsets[i + 1] - offsets[i] elements. To get lists
  /// of exactly the needed sizes, run the batch once without capacity and add up the totals.
  const size_t *offsets;
  /// For lists: `count` elements; totals[i] receives the `total` of query i
  /// (MO_QUERY_CAST_RAY_FIRST, MO_QUERY_FIND_CLOSEST_FEW, MO_QUERY_FIND_NEAREST: how many elements
  /// were written). Not used by queries with a single answer.
  uint32_t *totals;
  uint32_t cookie; ///< set by mo_default_query_batch and mo_query_batch_of; not for the caller
} mo_query_batch;

MO_BEGIN_DECLS

/// A batch with a count of 0, of type MO_QUERY_TEST_OVERLAP.
MO_API mo_query_batch mo_default_query_batch(void);

/// A batch without gaps between its defs and answers. For lists, the caller must then set `totals`
/// and `capacity` or `offsets`.
MO_API mo_query_batch mo_query_batch_of(mo_query_type query, const void *defs, size_t count,
                                        void *answers);

/// Runs a batch of queries on a scene. With `stats` (may be null) the work is counted, and done by
/// the calling thread alone. Any number of threads may query at once.
///
/// Errors: those of the query. `*first_bad` (may be null) is then the index of the refused def, the
/// lowest if there are several; the log receives the message of the query; the contents of answers
/// and totals are undefined. Errors of the batch itself, with answers and totals as they were:
/// MO_ERROR_NULL_ARGUMENT (also for arrays that the query needs); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT (no such query, or not of a scene; a stride below the size of an
/// element, or any stride for lists; offsets that descend, where `*first_bad` is the index of the
/// list). In the other cases `*first_bad` is MO_NO_INDEX. Cost: that of the queries, and copying
/// some 3 KiB.
MO_API mo_result mo_scene_run_queries(const mo_scene *scene, const mo_query_batch *batch,
                                      size_t *first_bad, mo_query_stats *stats);

/// Runs a batch of queries on one mesh, in its local frame; otherwise like mo_scene_run_queries.
/// Errors: as mo_scene_run_queries.
MO_API mo_result mo_mesh_run_queries(const mo_mesh *mesh, const mo_query_batch *batch,
                                     size_t *first_bad, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
