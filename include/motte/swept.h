/** \defgroup swept Swept meshes (motte/swept.h)
 *
 * Continuous collision of bodies that deform, such as cloth and soft bodies. A *swept mesh* has two
 * poses: each of its vertices moves along a straight line, at constant speed, from where it is at
 * the start of a step, t = 0, to where it is at the end, t = 1. What it hits on the way is found
 * however fast and thin it is.
 *
 *     mo_swept_mesh_def def = mo_default_swept_mesh_def();
 *     def.positions = positions; // and the other arrays
 *     result = mo_swept_mesh_create(&def, &cloth);
 *     // in each step: the vertices move on from where they are
 *     result = mo_swept_mesh_move(cloth, NULL, positions, sizeof(mo_vec3), count, NULL);
 *     mo_swept_impact_def query = mo_default_swept_impact_def();
 *     query.other = cloth; // with itself
 *     result = mo_swept_mesh_find_impacts(cloth, &query, impacts, capacity, &total, NULL);
 *
 * Swept meshes are in world space. They are in no scene. A rigid body takes part as a swept mesh of
 * its own, which at rest has the same positions at both ends; that of a rotating one moves along
 * the chords of its arcs.
 *
 * The *impact* of two triangles is the first time at which they come so close that they count as
 * touching. The `slop` says how close: they always have an impact if they come within half of it,
 * at a gap of half to three quarters of it, and never if they stay farther apart than three
 * quarters; in between it depends on their paths. Triangles that begin closer than the slop have
 * their distance at the start in its place. So a step up to the time of an impact narrows a gap at
 * most to half, and triangles that begin apart stay apart. Triangles that begin in touch, as
 * mo_primitive_overlap finds, have no impact: mo_mesh_overlap_mesh and mo_mesh_overlap_self list
 * such pairs.
 *
 * Of two triangles of one mesh that share corners (with the same positions in both poses), only the
 * parts that are not shared can touch: the vertices and edges of either that have no shared corner,
 * with all of the other, and of two triangles with a common edge also the other edges that have no
 * end in common. These are the pairs of a vertex and a face, and of two edges, without a common
 * vertex. */
#ifndef MOTTE_SWEPT_H
#define MOTTE_SWEPT_H

#include <motte/mesh.h>
#include <motte/query.h>

/** \{ */

/// Triangles whose vertices move from one pose to another, under an octree.
typedef struct mo_swept_mesh mo_swept_mesh;

/// Everything that mo_swept_mesh_create needs. Arrays are read during the call only.
typedef struct mo_swept_mesh_def {
  /// `vertex_count` positions at the start, of three floats each, `position_stride` bytes apart (at
  /// least 12; any alignment), world.
  const void *positions;
  /// As many positions at the end, as far apart in memory. Null: those at the start.
  const void *end_positions;
  size_t position_stride; ///< bytes from one position to the next
  uint32_t vertex_count;  ///< how many positions there are
  /// 3 * triangle_count indices of `index_type`; null for MO_INDEX_NONE.
  const void *indices;
  mo_index_type index_type; ///< how triangles refer to vertices
  uint32_t triangle_count;  ///< up to MO_MAX_TRIANGLES; 0 is legal
  mo_isa isa;               ///< the instruction set of queries
  mo_host host;             ///< the allocator, log and task hooks
  /// Output, may be null: the index of what was refused, see MO_NO_INDEX. With MO_ERROR_NOT_FINITE
  /// and MO_ERROR_OUT_OF_RANGE it is a vertex, with MO_ERROR_INVALID_INDEX the position in
  /// `indices`, or without indices the first vertex that is missing.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_swept_mesh_def; not for the caller
} mo_swept_mesh_def;

/// Which impacts are found.
typedef struct mo_swept_impact_def {
  /// May be the same mesh: then each pair of its triangles is tested once, the lower one first.
  const mo_swept_mesh *other;
  /// The distance below which triangles touch, see above. World units, not negative, at most
  /// MO_MAX_COORDINATE; 0.001 by default, which suits metres. It is raised to at least 2^-32 of the
  /// largest coordinate of both meshes.
  float slop;
  /// If not null: called for pairs of triangles whose boxes come near each other. It returns false
  /// if the pair has no impact, as two triangles of one rigid part.
  bool (*accept)(uint32_t triangle, uint32_t other_triangle, void *context);
  void *context;   ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_swept_impact_def; not for the caller
} mo_swept_impact_def;

/// An impact of two triangles.
typedef struct mo_swept_impact {
  uint32_t triangle;       ///< of the mesh; MO_NO_TRIANGLE: there is no impact
  uint32_t other_triangle; ///< of the other mesh
  float t;                 ///< time, 0 to 1, rounded down: never later than the impact
  mo_vec3 point;    ///< world, at t: halfway between the two triangles where they are closest
  mo_vec3 normal;   ///< unit, world, from the triangle to the other one
  float separation; ///< distance of the two at t
  /// Features that are closest at t: a vertex, an edge or the face of the triangle, and of the
  /// other one, numbered as in mo_cast_hit.
  mo_feature feature;
  uint32_t feature_index;       ///< index of the vertex or edge; 0 for the face
  mo_feature other_feature;     ///< of the other triangle
  uint32_t other_feature_index; ///< index of the vertex or edge; 0 for the face
} mo_swept_impact;

MO_BEGIN_DECLS

/// A def with default host, a position stride of 12 and 32-bit indices; the caller must set the
/// arrays.
MO_API mo_swept_mesh_def mo_default_swept_mesh_def(void);

/// Makes a swept mesh, which the caller owns. Degenerate triangles are legal; they are the segments
/// or points that they are. Errors: MO_ERROR_NULL_ARGUMENT (also for arrays whose count is not 0);
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (stride, index type); MO_ERROR_NOT_FINITE,
/// MO_ERROR_OUT_OF_RANGE (beyond MO_MAX_COORDINATE) of vertices that a triangle uses;
/// MO_ERROR_INVALID_INDEX; MO_ERROR_TOO_MANY; MO_ERROR_OUT_OF_MEMORY; MO_ERROR_UNSUPPORTED (isa).
/// Memory: some 110 bytes per triangle and 24 per vertex. Cost: O(n log n). Any thread.
MO_API mo_result mo_swept_mesh_create(const mo_swept_mesh_def *def, mo_swept_mesh **mesh);

/// Frees a swept mesh. Null is ignored.
MO_API void mo_swept_mesh_destroy(mo_swept_mesh *mesh);

/// Sets both poses for the next step. `positions` are those at the start, or null: those at the end
/// until now. `end_positions` are those at the end. Both have `vertex_count` positions, as many as
/// the def had, `position_stride` bytes apart, world; read during the call only. The octree is
/// refitted to the boxes of the new paths. No query may run on the mesh meanwhile. `info`, which
/// may be null, receives how well the octree still separates the triangles. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_INVALID_ARGUMENT (stride, count); MO_ERROR_TOO_MANY;
/// MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE of a vertex that a triangle uses, which is
/// `*first_bad` (may be null; see MO_NO_INDEX), the lowest of the positions at the start, else of
/// those at the end; after any error the mesh is unchanged. Cost: O(triangles); allocates nothing.
MO_API mo_result mo_swept_mesh_move(mo_swept_mesh *mesh, const void *positions,
                                    const void *end_positions, size_t position_stride,
                                    uint32_t vertex_count, mo_mesh_refit_info *info,
                                    size_t *first_bad);

/// Rebuilds the parts of the octree that moves have degraded, as mo_mesh_rebuild_parts, whose
/// options and cost are the same. Answers do not change. No query may run on the mesh meanwhile.
/// `info` may be null. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT (threshold); MO_ERROR_OUT_OF_MEMORY; after any error the mesh is
/// unchanged.
MO_API mo_result mo_swept_mesh_rebuild_parts(mo_swept_mesh *mesh,
                                             const mo_mesh_rebuild_options *options,
                                             mo_mesh_rebuild_info *info);

/// No other mesh, which the caller has to set, a slop of 0.001, and no callback.
MO_API mo_swept_impact_def mo_default_swept_impact_def(void);

/// Finds the first impact of any two triangles: a step may go up to its time, and no triangles come
/// into touch. At the same t that of the lowest triangle of the mesh, then of the lowest other one.
/// Errors: MO_ERROR_NULL_ARGUMENT (also the `other` of the def); MO_ERROR_UNINITIALIZED_DEF; for
/// the slop MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE, MO_ERROR_INVALID_ARGUMENT (negative).
/// Method: one traversal of both octrees of boxes around paths; for each pair of triangles whose
/// boxes come within the slop, conservative advancement along separating planes, which for vertices
/// on straight lines need no iterations (compare Wang and others 2021, "A Large-Scale Benchmark and
/// an Inclusion-Based Algorithm for Continuous Collision Detection"). Cost: O(log triangles) for
/// each pair of near boxes; some 0.1 µs for a pair that a plane separates during all of the step, 1
/// to 5 µs for one that comes close; never more than 1,024 distances. After 512 of them, as where
/// triangles slide along each other at little more than the slop, a gap of half the slop plus 1/512
/// of the path counts as an impact. No memory. Any number of threads may call at once.
MO_API mo_result mo_swept_mesh_find_impact(const mo_swept_mesh *mesh,
                                           const mo_swept_impact_def *def, mo_swept_impact *impact,
                                           mo_query_stats *stats);

/// Lists the impacts of all pairs of triangles, each found as if no other triangles were stopped:
/// sorted by triangle, then by the other one. Writes up to `capacity` of them, the first in that
/// order, and their `total`. Errors as mo_swept_mesh_find_impact; MO_ERROR_NULL_ARGUMENT (`total`;
/// `impacts` where `capacity` is not 0). Cost: several times that of
/// mo_swept_mesh_find_impact, which leaves out pairs that can only meet after the first impact so
/// far; O(log capacity) for each impact, to keep them sorted. Any number of threads may call at
/// once.
MO_API mo_result mo_swept_mesh_find_impacts(const mo_swept_mesh *mesh,
                                            const mo_swept_impact_def *def,
                                            mo_swept_impact *impacts, uint32_t capacity,
                                            uint32_t *total, mo_query_stats *stats);

/// Calls `visit` once for each impact of mo_swept_mesh_find_impacts, in no particular order, in
/// constant memory; `visit` returns false to stop early (not an error). Errors: as
/// mo_swept_mesh_find_impact. Cost: that of mo_swept_mesh_find_impacts up to the stop.
MO_API mo_result mo_swept_mesh_visit_impacts(const mo_swept_mesh *mesh,
                                             const mo_swept_impact_def *def,
                                             bool (*visit)(const mo_swept_impact *impact,
                                                           void *context),
                                             void *context, mo_query_stats *stats);

/// The number of triangles; 0 for null. Cost: O(1). Any thread, concurrently with queries.
MO_API uint32_t mo_swept_mesh_triangle_count(const mo_swept_mesh *mesh);

/// Checks every invariant of the mesh and its octree: boxes around the paths of triangles. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT, which means a defect of the library. Cost:
/// O(triangles). Any thread, concurrently with queries. For tests.
MO_API mo_result mo_swept_mesh_validate(const mo_swept_mesh *mesh);

MO_END_DECLS

/** \} */

#endif
