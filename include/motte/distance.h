/** \defgroup distance Distances (motte/distance.h)
 *
 * The closest points of a point or of any convex shape to a scene or a mesh, by exact geometry:
 * solids and the triangles of meshes under any transform, also one that shears, mirrors or
 * flattens.
 *
 * Distances are found in double precision and compared after they are rounded to float. Of equal
 * ones the lower shape comes first, then the lower triangle. So the answers are those of a loop
 * over all shapes and triangles with the same test, bit for bit, whatever the tree, the instruction
 * set or the thread. Volumes, where they count, are their world boxes.
 *
 * Errors, filters, lists and statistics are as in motte/query.h. Nothing is allocated, any number
 * of threads may query at once, and the scene must not change during a call, nor by its callbacks,
 * which run in the calling thread. */
#ifndef MOTTE_DISTANCE_H
#define MOTTE_DISTANCE_H

#include <motte/query.h>

/** \{ */

/// The point whose closest point in a scene is wanted, and how far away that may be.
typedef struct mo_closest_def {
  mo_vec3 point;      ///< what distances are measured from, world
  float max_distance; ///< not negative; what is exactly so far away counts; may be INFINITY
  bool hit_volumes;   ///< let MO_SHAPE_VOLUME shapes count, as their boxes; else they are ignored
  mo_filter filter;   ///< which shapes count
  uint32_t cookie;    ///< set by mo_default_closest_def; not for the caller
} mo_closest_def;

typedef struct mo_closest_hit mo_closest_hit;

/// The convex shape whose distance from a scene or a mesh is wanted; it need not be in the scene.
typedef struct mo_distance_def {
  /// What distances are measured from; its transform goes to the world, on a mesh alone to the
  /// mesh's own space. A convex shape, also one that is rounded, sheared, mirrored or flattened; a
  /// volume, as its world box; a point, segment, triangle or half-space. Anything but a mesh.
  mo_primitive primitive;
  float max_distance; ///< not negative; what is exactly so far away counts; may be INFINITY
  bool hit_volumes;   ///< let MO_SHAPE_VOLUME shapes count, as their boxes; else they are ignored
  mo_filter filter;   ///< which shapes count; not on a mesh alone
  /// In lists of a scene, each triangle of a mesh by itself; else each shape once, by its closest.
  bool every_triangle;
  /// If not null: only what follows this one in the order (distance, shape, triangle), which need
  /// not be in the scene any more. To go on where a list or an enumeration has ended.
  const mo_closest_hit *after;
  uint32_t cookie; ///< set by mo_default_distance_def; not for the caller
} mo_distance_def;

/// The closest point of a mesh or a scene.
struct mo_closest_hit {
  bool found;         ///< false: nothing lies within the distance, and nothing below is set
  mo_shape_id shape;  ///< null on a mesh alone
  uint64_t user_data; ///< the shape's
  uint32_t triangle;  ///< the triangle that the point lies on; MO_NO_TRIANGLE of a solid
  uint32_t triangle_user_data; ///< the triangle's; 0 of a solid
  mo_feature feature;          ///< where on the triangle; the face of a solid
  uint32_t feature_index;      ///< of the edge or corner; 0 for the face
  mo_vec3 point;               ///< the closest point, in the frame of the query
  /// Unit vector from the closest point to the point of the query. Where they are the same
  /// point (to within 2^-44 of the triangle's coordinates), the triangle's normal (right-hand
  /// rule); zero for a degenerate triangle, and in or on a solid. Of a convex shape, from the
  /// closest point to that of the shape; zero where they overlap.
  mo_vec3 normal;
  /// Between the two points, rounded to nearest; 0 in a solid. Signed distances: negative inside.
  float distance;
  float u; ///< barycentric weight of the second corner; 0 of a solid
  float v; ///< barycentric weight of the third corner; 0 of a solid
  /// The other point: of the convex shape that the query is about, or its point itself. Where a
  /// convex shape overlaps what it is closest to, both are the same point, in both to within
  /// rounding.
  mo_vec3 from;
};

MO_BEGIN_DECLS

/// The closest point of a mesh (its surface) to a point, at most `max_distance` away: both local.
/// The distance is not negative and may be INFINITY. Of triangles at the same distance, rounded to
/// float, the lower index is taken; degenerate triangles count as the segments or points they are.
/// Distances are found in double precision (after Ericson, Real-Time Collision Detection, 2005,
/// 5.1.5, in a frame that stays perpendicular for slivers). Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_NOT_FINITE (the point; a distance that is NaN); MO_ERROR_OUT_OF_RANGE (the point);
/// MO_ERROR_INVALID_ARGUMENT (negative distance). Cost: O(log triangles) nodes near the surface;
/// nodes nearer first, until none is nearer than the best so far.
MO_API mo_result mo_mesh_closest_point(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                       mo_closest_hit *hit, mo_query_stats *stats);

/// How often a closed mesh encloses a local point, by its normals (right-hand rule): 1 inside,
/// where they point outward, -1 where they point inward, 0 outside and in a cavity, 2 where two
/// parts overlap. It is the sum of the signed crossings of the ray along +x, decided exactly, also
/// through edges and corners. So it is right, unless the point lies on the surface to within 2^-52
/// of the distance of the corners: then it is that of one side. Degenerate triangles make no
/// difference, nor does how a surface is cut into triangles. A mesh is closed where each edge is
/// used as often in one direction as in the other. Of any other, as one with a hole or with a
/// triangle twice, the number is that of this ray: wrong where the ray misses the hole's rim on the
/// far side, or meets the doubled triangle; always 0 outside the mesh's box. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE. Cost: nodes along the ray.
MO_API mo_result mo_mesh_winding_number(const mo_mesh *mesh, mo_vec3 point, int32_t *winding,
                                        mo_query_stats *stats);

/// The distance of a local point from the surface of a closed mesh, at most `max_distance` away if
/// it is outside; negative inside, where mo_mesh_winding_number is not 0. The closest point as in
/// mo_mesh_closest_point, but the normal always leads out of the mesh, as the distance grows. Of a
/// mesh that is not closed the sign is that of the winding number, and inside the distance is at
/// most that from the sides of the mesh's box. Errors: those of mo_mesh_closest_point. Cost: that
/// of a ray and of the closest point.
MO_API mo_result mo_mesh_signed_distance(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                         mo_closest_hit *hit, mo_query_stats *stats);

/// From the origin, without limit, default filter, volumes ignored.
MO_API mo_closest_def mo_default_closest_def(void);

/// The closest point of the shapes of a scene to a world point: of the surfaces of meshes and of
/// solids with their insides, by exact geometry under any transform, also one that shears, mirrors
/// or flattens. A point in or on a solid is its own closest point, at distance 0, exactly where
/// mo_scene_overlap_shapes finds the solid. Of equal distances, rounded to float, the lower shape
/// is taken, then the lower triangle. Triangles as in mo_mesh_closest_point, in the world; solids,
/// and volumes as their world boxes, as in mo_primitive_closest_point, but never nearer than their
/// world AABB. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE (the
/// point; a distance that is NaN); MO_ERROR_OUT_OF_RANGE (the point); MO_ERROR_INVALID_ARGUMENT
/// (negative distance). Cost: nodes nearer first, until none is nearer than the best so far, in
/// the scene and in each mesh whose box is; some microseconds for each such solid.
MO_API mo_result mo_scene_closest_point(const mo_scene *scene, const mo_closest_def *def,
                                        mo_closest_hit *hit, mo_query_stats *stats);

/// The least signed distance of a world point from the shapes of a scene: outside all of them that
/// of the closest; inside some, that of the one in which it is deepest, negative. Closed meshes as
/// in mo_mesh_signed_distance, in the world; where a transform flattens a mesh, nothing is inside.
/// The depth in a solid is that of the shortest way out, as mo_primitive_find_penetration has it
/// for a point; `point` is where it ends, on the surface. Never below the distance of the point
/// from the sides of the shape's box. The distance from the union of the shapes is the same
/// outside; inside it may be deeper than this. Of equal distances, rounded to float, the lower
/// shape is taken, then the lower triangle. Errors: those of mo_scene_closest_point. Cost: as
/// there; and a ray in each mesh whose box holds the point.
MO_API mo_result mo_scene_signed_distance(const mo_scene *scene, const mo_closest_def *def,
                                          mo_closest_hit *hit, mo_query_stats *stats);

/// A point at the origin, without limit, default filter, volumes ignored.
MO_API mo_distance_def mo_default_distance_def(void);

/// The closest points of a convex shape and the shapes of a scene: the surfaces of meshes, and
/// solids with their insides. The distance of two is that of mo_primitive_find_distance, of the
/// solid or triangle as the first primitive; so it is 0 exactly where mo_scene_overlap_shapes and
/// mo_scene_overlap_triangles find an overlap. Of a triangle, the weights and the feature are those
/// of the point; what is not beyond 2^-40 of an edge lies on it. For points
/// mo_scene_closest_point is several times as fast; its distances may differ by rounding. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (a negative distance, also of `after`; what mo_primitive_cast_ray says
/// of primitives). Cost: nodes nearer first, by their distance from the box of the shape, until
/// none is nearer than the best so far, in the scene and in each mesh whose box is; some 0.2 to 25
/// µs for each solid and triangle that is near.
MO_API mo_result mo_scene_find_closest(const mo_scene *scene, const mo_distance_def *def,
                                       mo_closest_hit *hit, mo_query_stats *stats);

/// The closest points of a convex shape and a mesh (its surface), as of a scene with this mesh
/// alone; all is local. Errors: those of mo_scene_find_closest.
MO_API mo_result mo_mesh_find_closest(const mo_mesh *mesh, const mo_distance_def *def,
                                      mo_closest_hit *hit, mo_query_stats *stats);

/// Everything within the limit of the def, sorted by (distance, shape, triangle): each shape by its
/// closest points, or with `every_triangle` each triangle of meshes and each solid. `total` is how
/// many there are; if more than `capacity`, the first are written. Distances and errors as in
/// mo_scene_find_closest; MO_ERROR_NULL_ARGUMENT (`total`; `hits` where `capacity` is not 0). Cost:
/// that of a distance of 0.2 to 25 µs for each of them; to have the closest of many, see the next.
MO_API mo_result mo_scene_find_within(const mo_scene *scene, const mo_distance_def *def,
                                      mo_closest_hit *hits, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

/// The triangles of a mesh within the limit of the def, as mo_scene_find_within with
/// `every_triangle`; all is local. Errors: as there.
MO_API mo_result mo_mesh_find_within(const mo_mesh *mesh, const mo_distance_def *def,
                                     mo_closest_hit *hits, uint32_t capacity, uint32_t *total,
                                     mo_query_stats *stats);

/// The closest `capacity`: what mo_scene_find_within writes, without the total, and so without
/// looking beyond them. `*count` is how many were written. Errors: as there. Cost: nodes nearer
/// first, until none is nearer than the worst so far; the list is a heap (Roussopoulos, Kelley and
/// Vincent 1995).
MO_API mo_result mo_scene_find_closest_few(const mo_scene *scene, const mo_distance_def *def,
                                           mo_closest_hit *hits, uint32_t capacity, uint32_t *count,
                                           mo_query_stats *stats);

/// The closest `capacity` triangles of a mesh; all is local. Errors: as in mo_scene_find_within.
MO_API mo_result mo_mesh_find_closest_few(const mo_mesh *mesh, const mo_distance_def *def,
                                          mo_closest_hit *hits, uint32_t capacity, uint32_t *count,
                                          mo_query_stats *stats);

/// What mo_scene_find_within lists, one by one, closest first, to `visit`, which returns false to
/// end (that is no error). Hits are found four at a time, then sixteen, then 64, each time from the
/// root; so filters may be asked about a shape more than once. Errors: as there, without a buffer.
/// Cost: that of mo_scene_find_closest_few for what is taken; each time nodes that lie wholly
/// within the distance given last are left out. 10 KiB of stack.
MO_API mo_result mo_scene_visit_closest(const mo_scene *scene, const mo_distance_def *def,
                                        bool (*visit)(const mo_closest_hit *hit, void *context),
                                        void *context, mo_query_stats *stats);

/// The triangles of a mesh one by one, closest first; all is local. Errors: as in
/// mo_scene_visit_closest.
MO_API mo_result mo_mesh_visit_closest(const mo_mesh *mesh, const mo_distance_def *def,
                                       bool (*visit)(const mo_closest_hit *hit, void *context),
                                       void *context, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
