/** \defgroup distance Distances (motte/distance.h)
 *
 * Distances and closest points between a point, any convex shape, a mesh or a compound, and a scene
 * or a mesh.
 * They use exact geometry: solids and the triangles of meshes under any transform, also one that
 * shears, mirrors or flattens.
 *
 * For two meshes there are mo_mesh_find_closest_mesh and mo_mesh_test_within_mesh.
 *
 * Distances are computed in double precision, rounded to float, and then compared. At equal
 * distance the lower shape index comes first, then the lower triangle. So the results are those of
 * a brute-force loop over all shapes and triangles with the same test, bit for bit, whatever the
 * tree, the instruction set or the thread. If volumes count, they count as their world boxes.
 *
 * Errors, filters, lists and statistics are as in motte/query.h. Nothing is allocated, and any
 * number of threads may query at once. The scene must not change during a call, and callbacks,
 * which run in the calling thread, must not change it either. */
#ifndef MOTTE_DISTANCE_H
#define MOTTE_DISTANCE_H

#include <motte/query.h>

/** \{ */

/// Options for the closest point of a scene to a query point.
typedef struct mo_closest_def {
  mo_vec3 point;      ///< the query point, world
  float max_distance; ///< inclusive; not negative; may be INFINITY
  bool hit_volumes;   ///< let MO_SHAPE_VOLUME shapes count, as their boxes; else they are ignored
  mo_filter filter;   ///< which shapes count
  uint32_t cookie;    ///< set by mo_default_closest_def; not for the caller
} mo_closest_def;

typedef struct mo_closest_hit mo_closest_hit;

/// Options for the distance of a convex shape, a mesh or a compound from a scene or a mesh. The
/// shape need not be in the scene.
typedef struct mo_distance_def {
  /// The shape that distances are measured from. Its transform maps to world space, on a mesh alone
  /// to the mesh's local space. It may be a convex shape, also rounded, sheared, mirrored or
  /// flattened; a volume, which counts as its world box; a point, segment, triangle or half-space;
  /// a mesh, which counts as its surface; or a compound, of which each child counts as a shape of
  /// its own, volumes only if `hit_volumes`. A mesh or compound must not change during the call.
  mo_primitive primitive;
  float max_distance; ///< inclusive; not negative; may be INFINITY
  bool hit_volumes;   ///< let MO_SHAPE_VOLUME shapes count, as their boxes; else they are ignored
  mo_filter filter;   ///< which shapes count; makes no difference on a mesh alone
  /// For lists on a scene. True: each triangle of a mesh is listed by itself. False: each mesh is
  /// listed once, with its closest triangle.
  bool every_triangle;
  /// If not null: return only hits that follow this one in the order (distance, shape, child,
  /// triangle, own child).
  /// Continues a list or an enumeration that has ended; the shape may have been removed from the
  /// scene.
  const mo_closest_hit *after;
  uint32_t cookie; ///< set by mo_default_distance_def; not for the caller
} mo_distance_def;

/// The closest point of a mesh or a scene.
struct mo_closest_hit {
  bool found;        ///< false: nothing lies within the distance, and no other member is set
  mo_shape_id shape; ///< the shape that the point lies on; null in queries on one mesh
  /// Which child of the shape it lies on, if that is a compound (mo_compound_find_path); else 0.
  uint32_t child;
  uint64_t user_data;          ///< user data of the shape or child
  uint32_t triangle;           ///< the triangle that the point lies on; MO_NO_TRIANGLE for a solid
  uint32_t triangle_user_data; ///< user data of the triangle; 0 for a solid
  mo_feature feature;     ///< the part of the triangle that the point lies on; face for a solid
  uint32_t feature_index; ///< index of the edge or corner in the triangle; 0 for a face
  mo_vec3 point;          ///< the closest point, in the frame of the query
  /// Unit vector from the closest point to the query point. If the two points coincide (to within
  /// 2^-44 of the triangle's coordinates), the triangle's normal (right-hand rule); zero for a
  /// degenerate triangle, and in or on a solid. In queries with a convex shape: from `point` to
  /// `from`; zero if they overlap.
  mo_vec3 normal;
  /// Distance between the closest point and the query point or shape, rounded to nearest; 0 in a
  /// solid. In signed distance queries negative inside.
  float distance;
  float u; ///< barycentric weight of the second corner; 0 for a solid
  float v; ///< barycentric weight of the third corner; 0 for a solid
  /// The closest point of the query's shape, or the query point itself. If the shape overlaps the
  /// hit, `from` and `point` are the same point, which lies in both, up to rounding.
  mo_vec3 from;
  /// The triangle that `from` lies on if the query's shape is a mesh: the lowest that is as close.
  /// In queries on two meshes, the triangle of the mesh that the hit is not on. Else
  /// MO_NO_TRIANGLE.
  uint32_t own_triangle;
  uint32_t own_triangle_user_data; ///< user data of `own_triangle`; 0 if there is none
  /// The child of the query's shape that `from` lies on, if that is a compound; else 0.
  uint32_t own_child;
};

/// Options for the distance of two meshes.
typedef struct mo_distance_mesh_def {
  const mo_mesh *other;         ///< may be the same mesh; must not change during the call
  mo_transform transform;       ///< of the mesh that the function is called with, to the world
  mo_transform other_transform; ///< of `other`, to the world
  float max_distance;           ///< inclusive; not negative; may be INFINITY
  /// If not null: the two hits of an earlier call on these meshes, such as that of the last frame.
  /// The search begins with their triangles. This makes no difference to the result, but a pair
  /// that is still close makes the search shorter. Hits that were not found, or whose triangles
  /// do not exist, are ignored. May be the array that receives the hits.
  const mo_closest_hit *start;
  uint32_t cookie; ///< set by mo_default_distance_mesh_def; not for the caller
} mo_distance_mesh_def;

MO_BEGIN_DECLS

/// The closest point of a mesh (its surface) to a query point, at most `max_distance` away; both
/// points are local. `max_distance` must not be negative and may be INFINITY. Among triangles at
/// the same distance, rounded to float, the lowest index is taken; degenerate triangles count as
/// the segments or points they are. Distances are computed in double precision (after Ericson,
/// Real-Time Collision Detection, 2005, 5.1.5, in a frame that stays orthogonal for slivers).
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE (the point; a distance that is NaN);
/// MO_ERROR_OUT_OF_RANGE (the point); MO_ERROR_INVALID_ARGUMENT (negative distance). Cost: O(log
/// triangles) nodes near the surface; nodes are visited in order of distance until none is nearer
/// than the best hit.
MO_API mo_result mo_mesh_closest_point(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                       mo_closest_hit *hit, mo_query_stats *stats);

/// The winding number of a closed mesh around a local point: how often the mesh encloses the point,
/// signed by its normals (right-hand rule). 1 inside if the normals point outward, -1 if they point
/// inward, 0 outside and in a cavity, 2 where two parts overlap. It is the sum of the signed
/// crossings of the ray along +x, decided exactly, also through edges and corners. So it is correct
/// unless the point lies on the surface to within 2^-52 of the distance of the corners: then it is
/// that of one of the two sides. Neither degenerate triangles nor the choice of triangulation
/// affect it. A mesh is closed if each edge is used as often in one direction as in the other. For
/// any other mesh, such as one with a hole or a duplicated triangle, the number is that of this
/// ray: wrong where the ray misses the hole's rim on the far side, or meets the duplicated
/// triangle; always 0 outside the mesh's box. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE. Cost: nodes along the ray.
MO_API mo_result mo_mesh_winding_number(const mo_mesh *mesh, mo_vec3 point, int32_t *winding,
                                        mo_query_stats *stats);

/// The signed distance of a local point from the surface of a closed mesh: negative inside, where
/// mo_mesh_winding_number is not 0. `max_distance` limits the distance only outside. The closest
/// point is that of mo_mesh_closest_point, but the normal always points out of the mesh, the
/// direction in which the signed distance grows. If the mesh is not closed, the sign still follows
/// the winding number, and inside the distance is at most that from the sides of the mesh's box.
/// Errors: those of mo_mesh_closest_point. Cost: a ray and a closest point.
MO_API mo_result mo_mesh_signed_distance(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                         mo_closest_hit *hit, mo_query_stats *stats);

/// A def of a point at the origin, without a distance limit, default filter, volumes ignored.
MO_API mo_closest_def mo_default_closest_def(void);

/// The closest point of the shapes of a scene to a world point. Meshes count as their surfaces,
/// solids include their inside; all by exact geometry under any transform, also one that shears,
/// mirrors or flattens. A point in or on a solid is its own closest point, at distance 0, exactly
/// if mo_scene_overlap_shapes finds the solid at that point. At equal distance, rounded to float,
/// the lowest shape index is taken, then the lowest triangle. Triangles are tested as in
/// mo_mesh_closest_point, in world space; solids, and volumes as their world boxes, as in
/// mo_primitive_closest_point, but never nearer than their world AABB. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE (the point; a distance
/// that is NaN); MO_ERROR_OUT_OF_RANGE (the point); MO_ERROR_INVALID_ARGUMENT (negative distance).
/// Cost: nodes in order of distance, until none is nearer than the best hit, in the scene and in
/// each mesh whose box is nearer than it; some microseconds for each solid whose box is nearer.
MO_API mo_result mo_scene_closest_point(const mo_scene *scene, const mo_closest_def *def,
                                        mo_closest_hit *hit, mo_query_stats *stats);

/// The smallest signed distance of a world point from the shapes of a scene: outside all of them
/// the distance of the closest one; inside some of them, negative, the depth in the one where it is
/// deepest. Closed meshes as in mo_mesh_signed_distance, in world space; a mesh that its transform
/// flattens has no inside. The depth in a solid is the length of the shortest way out, as
/// mo_primitive_find_penetration finds it for a point; `point` is its end, on the surface. The
/// depth never exceeds the distance of the point from the sides of the shape's box. Outside, the
/// result equals the distance from the union of the shapes; inside, the point may be deeper in the
/// union than this. At equal distance, rounded to float, the lowest shape index is taken, then the
/// lowest triangle. Errors: those of mo_scene_closest_point. Cost: that of mo_scene_closest_point,
/// and a ray in each mesh whose box contains the point.
MO_API mo_result mo_scene_signed_distance(const mo_scene *scene, const mo_closest_def *def,
                                          mo_closest_hit *hit, mo_query_stats *stats);

/// A def of a point primitive at the origin, without a distance limit, default filter, volumes
/// ignored.
MO_API mo_distance_def mo_default_distance_def(void);

/// The closest points of a convex shape, or the surface of a mesh, and the shapes of a scene: the
/// surfaces of meshes, and solids including their inside. The distance is that of
/// mo_primitive_find_distance with the solid or triangle as the first primitive; so it is 0 exactly
/// if mo_scene_overlap_shapes and mo_scene_overlap_triangles find an overlap. For a triangle, the
/// barycentric weights and the feature are those of `point`; a point within 2^-40 of an edge counts
/// as on it. The distance of a mesh is the least of its triangles, whether it is open or closed; of
/// equally close pairs of triangles, the one with the lowest triangle of the mesh that is hit is
/// taken, then the lowest of the query's mesh, as in mo_mesh_find_closest_mesh. The distance of a
/// compound is the least of its children, among equal hits that of the lowest child. For points
/// mo_scene_closest_point is several times as fast; its distances may differ by rounding. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (a negative distance, also of `after`; what mo_primitive_cast_ray says
/// of primitives that are neither meshes nor compounds). Cost: nodes in order of their distance
/// from the box of the shape, until none is nearer than the best hit, in the scene and in each mesh
/// whose box is nearer than it; about 0.2 to 25 µs for each solid and triangle that is near. For a
/// mesh, each shape near its box costs a query of that kind on it, or a mo_mesh_find_closest_mesh;
/// in lists of triangles and on a mesh alone, each triangle near it does. For a compound, each
/// child costs a search, which ends at the least distance so far. 50 KiB of stack.
MO_API mo_result mo_scene_find_closest(const mo_scene *scene, const mo_distance_def *def,
                                       mo_closest_hit *hit, mo_query_stats *stats);

/// The closest points of a convex shape or another mesh and a mesh (its surface), as in a scene
/// with this mesh alone; everything is local. For two meshes mo_mesh_find_closest_mesh is faster.
/// Errors: those of mo_scene_find_closest.
MO_API mo_result mo_mesh_find_closest(const mo_mesh *mesh, const mo_distance_def *def,
                                      mo_closest_hit *hit, mo_query_stats *stats);

/// All hits within `max_distance` of the def, sorted by (distance, shape, triangle): each shape
/// with its closest points, or with `every_triangle` each solid and each triangle of meshes. If the
/// query's shape is a compound, the list has all hits of each of its children; see `own_child`.
/// `total` is how many there are; if more than `capacity`, the first ones are written. Distances
/// and errors as in mo_scene_find_closest; MO_ERROR_NULL_ARGUMENT (`total`; `hits` if `capacity` is
/// not 0). Cost: a distance computation of 0.2 to 25 µs for each hit. If only the closest of many
/// are needed, use mo_scene_find_closest_few.
MO_API mo_result mo_scene_find_within(const mo_scene *scene, const mo_distance_def *def,
                                      mo_closest_hit *hits, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

/// The triangles of a mesh within `max_distance` of the def, as mo_scene_find_within with
/// `every_triangle`; everything is local. Errors: those of mo_scene_find_within.
MO_API mo_result mo_mesh_find_within(const mo_mesh *mesh, const mo_distance_def *def,
                                     mo_closest_hit *hits, uint32_t capacity, uint32_t *total,
                                     mo_query_stats *stats);

/// The closest `capacity` hits: what mo_scene_find_within writes, but without the total, so the
/// search ends when the buffer has the closest. `*count` is how many were written. Errors: those of
/// mo_scene_find_within. Cost: nodes in order of distance, until none is nearer than the worst hit
/// of a full buffer, which is a heap (Roussopoulos, Kelley and Vincent 1995).
MO_API mo_result mo_scene_find_closest_few(const mo_scene *scene, const mo_distance_def *def,
                                           mo_closest_hit *hits, uint32_t capacity, uint32_t *count,
                                           mo_query_stats *stats);

/// The closest `capacity` triangles of a mesh; everything is local. Errors: as in
/// mo_scene_find_within.
MO_API mo_result mo_mesh_find_closest_few(const mo_mesh *mesh, const mo_distance_def *def,
                                          mo_closest_hit *hits, uint32_t capacity, uint32_t *count,
                                          mo_query_stats *stats);

/// Calls `visit` for the hits that mo_scene_find_within lists, closest first; `visit` returns false
/// to stop early (not an error). Each search from the root finds a batch of hits: four, then
/// sixteen, then 64; so filters may be evaluated more than once for a shape. Errors: those of
/// mo_scene_find_within, except about its buffer. Cost: that of mo_scene_find_closest_few for the
/// hits visited; each search skips nodes that lie wholly within the distance of the last hit. 10
/// KiB of stack.
MO_API mo_result mo_scene_visit_closest(const mo_scene *scene, const mo_distance_def *def,
                                        bool (*visit)(const mo_closest_hit *hit, void *context),
                                        void *context, mo_query_stats *stats);

/// Calls `visit` for the triangles of a mesh, closest first; everything is local. Errors: as in
/// mo_scene_visit_closest.
MO_API mo_result mo_mesh_visit_closest(const mo_mesh *mesh, const mo_distance_def *def,
                                       bool (*visit)(const mo_closest_hit *hit, void *context),
                                       void *context, mo_query_stats *stats);

/// A def without another mesh, which the caller has to set, with both meshes at the origin, and
/// without a distance limit.
MO_API mo_distance_mesh_def mo_default_distance_mesh_def(void);

/// The closest points of two meshes (their surfaces), each under its own transform (any affine map,
/// also one that mirrors, shears or flattens). `hits` has room for two: the first is on the mesh,
/// the second on the other one. Each has a point of its triangle, in world space, and as `from`
/// that of the other triangle; `normal` points from `point` to `from`, so the two are opposite, and
/// zero if the meshes touch. If nothing lies within `max_distance`, both are not found. The
/// distance of two triangles is that of mo_primitive_find_distance with the triangle of the mesh as
/// the first primitive; so it is 0 exactly if mo_mesh_test_overlap_mesh finds that the meshes
/// touch, and both points are then the same. A mesh within another one is at the distance of the
/// surfaces. Among pairs of triangles at the same distance, rounded to float, the one with the
/// lowest triangle of the mesh is taken, then the lowest of the other. Barycentric weights and
/// features are as in mo_mesh_find_closest. The result is the same as from a loop over all pairs.
/// `pair_count` of the statistics counts tests of two triangles. Errors: MO_ERROR_NULL_ARGUMENT
/// (also the `other` of the def); MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE (also if a transform takes a mesh, or a corner of its box, beyond
/// MO_MAX_COORDINATE); MO_ERROR_INVALID_ARGUMENT (negative distance). Method: a search for the
/// first pair that touches, as by mo_mesh_overlap_mesh; if there is none, a traversal of both
/// octrees at once, nearest boxes first, which compares boxes in the spaces of both meshes. Cost:
/// if the meshes touch, a fraction of that of mo_mesh_overlap_mesh; else pairs of nodes that are
/// nearer than the result, and about 1 µs for each pair of triangles that is about as near. Of
/// meshes that are more than about 1e6 times their size apart, many pairs are at the same distance,
/// rounded to float: that takes milliseconds. 28 KiB of stack.
MO_API mo_result mo_mesh_find_closest_mesh(const mo_mesh *mesh, const mo_distance_mesh_def *def,
                                           mo_closest_hit *hits, mo_query_stats *stats);

/// Whether two meshes come within `max_distance` of each other: whether mo_mesh_find_closest_mesh
/// finds something. Cheaper, as it stops at the first pair of triangles that is as close, which may
/// be that of `start`. Errors: as mo_mesh_find_closest_mesh. Cost: at most as there.
MO_API mo_result mo_mesh_test_within_mesh(const mo_mesh *mesh, const mo_distance_mesh_def *def,
                                          bool *found, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
