/** \defgroup query Queries (motte/query.h)
 *
 * Queries on a scene (in world space) and on a single mesh (in its local space).
 *
 * Exact: every query returns what a brute-force loop over all shapes and all their triangles with
 * the same primitive test would return, bit for bit, whatever the tree, the instruction set or the
 * thread. Queries allocate nothing and write nothing but their outputs; any number may run at once.
 *
 * Many results: the caller passes a buffer of `capacity` entries (null if 0) and receives the
 * `total` number of results. Results are sorted; if there are more than fit, the first `capacity`
 * in that order are written. Lists that are mostly decided by boxes (shapes in regions, planes,
 * levels of detail) contain no user data, because the records of most shapes are not read.
 * mo_scene_get_user_data returns it, and mo_scene_visit_overlaps passes it to its callback.
 *
 * Errors of all queries: MO_ERROR_NULL_ARGUMENT, MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
 * MO_ERROR_INVALID_ARGUMENT (negative radius, lower > upper, zero ray direction, ...),
 * MO_ERROR_UNINITIALIZED_DEF (a def, or the filter in it). A message in the host's log says what
 * was wrong. `stats` may be null everywhere; a query adds to its counters, so zero it first. A
 * filter that is an argument may be null for the default. Callbacks run in the calling thread, and
 * may call other queries.
 *
 * Volumes (MO_SHAPE_VOLUME) mark a region, for triggers or visibility. Queries that list the shapes
 * of a region include volumes: planes, cells, and the queries of motte/overlap.h, motte/near.h,
 * motte/watch.h and motte/pairs.h. To exclude volumes from such lists, give them a category of
 * their own. Queries for obstacles or closest points ignore volumes unless `hit_volumes` of their
 * def is set: rays, casts, characters, free space for a shape (mo_scene_shape_fits), closest
 * points. Lines of sight and heights always ignore them.
 *
 * Margins and velocities enlarge the stored box of a shape (mo_scene_get_bounds). They do not
 * affect queries by exact geometry: rays, casts, closest points, overlaps and free space by exact
 * geometry. Queries by boxes use the enlarged ones: MO_PRECISION_BOUNDS, planes, cells, distances
 * of boxes, levels of detail, pairs. Volumes are never enlarged.
 *
 * Half-spaces are unbounded and have no box, whatever mo_scene_get_bounds returns. Where a query
 * uses the boxes of other shapes, it uses the half-space itself: whether it overlaps, whether it
 * reaches into a cell, how far its plane is. Sets of planes never cull a half-space, and never
 * report it as `inside` unless the set is empty. Every query tests every half-space.
 *
 * Cost: about O(log n) nodes plus the results, in evenly distributed scenes and meshes; the
 * statistics count them. Queries take some kilobytes of stack.
 *
 * All this applies to each function below; its own comment only says what is special about it. */
#ifndef MOTTE_QUERY_H
#define MOTTE_QUERY_H

#include <motte/scene.h>

/** \{ */

/// Counters of the work that a query did. Visit maps (`scene_visits`, `mesh_visits`) are optional
/// arrays of the caller with one counter per node, for drawing (motte/debug.h); nodes beyond the
/// capacity are not counted.
typedef struct mo_query_stats {
  uint64_t scene_node_count;  ///< visited inner nodes of the shape octree
  uint64_t scene_block_count; ///< tested blocks of eight shape boxes
  uint64_t shape_count;       ///< shapes whose geometry was tested
  uint64_t mesh_node_count;   ///< visited inner nodes of triangle octrees
  uint64_t mesh_block_count;  ///< tested blocks of eight triangles
  /// Triangles in the tested blocks, without those in `mailbox_hit_count`. Most of them are
  /// rejected eight at a time, before the exact test.
  uint64_t triangle_count;
  /// Mailbox hits: tests saved because the query had already tested the triangle in another block.
  uint64_t mailbox_hit_count;
  /// Pairs of convex shapes or triangles tested by mo_scene_find_impacts, and pairs of triangles by
  /// the queries about two meshes and mo_mesh_overlap_self.
  uint64_t pair_count;
  /// Distances between two bodies that were computed for the pairs in `pair_count`; also
  /// penetration depths that were computed by casts of convex shapes that overlap something at the
  /// start, and by the queries that make such casts (motte/separation.h, motte/character.h).
  uint64_t distance_count;
  uint32_t *scene_visits;        ///< visits per node of the shape octree, or null
  uint32_t scene_visit_capacity; ///< length of `scene_visits`
  uint32_t *mesh_visits; ///< visits per node of the triangle octree of `visited_mesh`, or null
  uint32_t mesh_visit_capacity; ///< length of `mesh_visits`
  const mo_mesh *visited_mesh;  ///< the mesh whose nodes `mesh_visits` counts, or null
} mo_query_stats;

/// Selects the shapes that a query considers: a shape passes if (shape.category & mask) and
/// (category & shape.mask) are not 0, it is not `ignore`, and `accept` (if not null) returns true.
/// `accept` may be called in any order and must not change the scene. A mask or category of zero is
/// legal and rejects every shape.
typedef struct mo_filter {
  uint64_t category;  ///< category bits of the query, compared with the shapes' masks
  uint64_t mask;      ///< category bits of the shapes that the query finds
  mo_shape_id ignore; ///< a shape to leave out; the null id or the id of a removed shape: none
  /// Optional test of each shape: false leaves the shape out. Null accepts all shapes.
  bool (*accept)(mo_shape_id shape, uint64_t user_data, void *context);
  void *context;   ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_filter; not for the caller
} mo_filter;

/// One triangle of one shape.
typedef struct mo_triangle_ref {
  mo_shape_id shape; ///< the shape, of type MO_SHAPE_MESH or MO_SHAPE_COMPOUND
  uint32_t triangle; ///< its index in the mesh
  uint32_t child;    ///< which child of a compound is the mesh (mo_compound_find_path); else 0
} mo_triangle_ref;

/// A ray: the points origin + t * direction with min_t <= t <= max_t. t is in units of the
/// direction's length, which need not be 1.
typedef struct mo_ray_def {
  mo_vec3 origin;       ///< the point at t = 0
  mo_vec3 direction;    ///< not zero, unless max_t <= 1: a zero-length segment, which hits nothing
  float min_t;          ///< the smallest t of a hit, >= 0. 0 is exact: see "Rays" below
  float max_t;          ///< the largest t of a hit; may be INFINITY; if below min_t, nothing is hit
  bool cull_back_faces; ///< ignore triangles that the ray hits from behind
  bool hit_volumes;     ///< let MO_SHAPE_VOLUME shapes be hit; else rays ignore them
  mo_filter filter;     ///< which shapes the ray may hit
  /// The shape that `ignore_triangle` belongs to; unused in a query of a single mesh.
  mo_shape_id ignore_triangle_shape;
  /// A triangle to pass through (the one a ray starts on). MO_NO_TRIANGLE for none.
  uint32_t ignore_triangle;
  uint32_t ignore_triangle_child; ///< the child of the shape that it belongs to; 0 without children
  /// Optional callback for each triangle that the ray hits; false lets the ray pass through the
  /// triangle. It may be called in any order, and for hits that turn out not to be the closest. In
  /// a query of a single mesh the shape is null.
  bool (*accept_triangle)(mo_triangle_ref triangle, float t, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  uint32_t cookie;      ///< set by mo_default_ray_def or mo_segment_def; not for the caller
} mo_ray_def;

/// The hit of a ray.
typedef struct mo_ray_hit {
  bool found;        ///< false: the ray hit nothing, and nothing below is set
  mo_shape_id shape; ///< the shape that was hit; the null id in a query of a single mesh
  /// Which child of the shape was hit, if that is a compound (mo_compound_find_path); else 0.
  uint32_t child;
  uint64_t user_data;          ///< user data of the shape or child
  uint32_t triangle;           ///< index of the triangle; MO_NO_TRIANGLE if the shape is not a mesh
  uint32_t triangle_user_data; ///< user data of the triangle; 0 if the shape is not a mesh
  /// Parameter of the hit along the ray, in units of the direction's length.
  float t;
  mo_vec3 point; ///< the point that was hit, in world space (of a single mesh: local)
  /// Unit geometric normal in world space (of a single mesh: local). For triangles: by the
  /// right-hand rule from their winding in local space, transformed by the inverse transpose, so
  /// that outward stays outward under mirroring. Zero for a ray that starts inside a solid shape.
  mo_vec3 normal;
  float u;    ///< barycentric weight of the triangle's second corner; 0 where the shape is no mesh
  float v;    ///< barycentric weight of the triangle's third corner; 0 where the shape is no mesh
  bool front; ///< hit from the side that the normal points to
} mo_ray_hit;

/// What lies below a point.
typedef struct mo_ground {
  /// Height of the point above the ground, in world units; INFINITY if there is no ground.
  float height;
  mo_ray_hit hit; ///< the hit on the ground, as mo_scene_cast_ray returns it
} mo_ground;

/// The number of hits that a cursor fetches at a time.
#define MO_CURSOR_HITS 8

/// A position in the sorted hits of a ray, before the first or after one of them, with a buffer of
/// the next few hits. It lives in the caller's memory and is initialised by mo_ray_cursor_init; it
/// owns nothing, and may be copied or discarded. Its members are private.
typedef struct mo_ray_cursor {
  /** \cond */
  uint32_t state;
  uint32_t next, count; // index in `hits` of the next hit to return, and length of `hits`
  float t;              // t, shape index, child and triangle of the last hit that was fetched
  uint32_t shape, child, triangle;
  mo_ray_hit hits[MO_CURSOR_HITS];
  /** \endcond */
} mo_ray_cursor;

/// Whether an overlap query tests the geometry or the boxes of shapes.
typedef enum mo_precision {
  MO_PRECISION_GEOMETRY, ///< exact geometry; margins and velocities make no difference
  /// Stored world AABBs (mo_scene_get_bounds), which margins and velocities enlarge.
  MO_PRECISION_BOUNDS,
} mo_precision;

/// A set of planes, and a filter for the shapes that are tested against it.
typedef struct mo_cull_def {
  /// `plane_count` planes, in world space (of a single mesh: local), read during the call only;
  /// null if there are none.
  const mo_plane *planes;
  uint32_t plane_count; ///< up to MO_MAX_PLANES; without planes nothing is excluded
  mo_filter filter;     ///< which shapes are tested; unused in a query of a single mesh
  uint32_t cookie;      ///< set by mo_default_cull_def; not for the caller
} mo_cull_def;

/// A shape that a set of planes does not cull.
typedef struct mo_cull_result {
  mo_shape_id shape; ///< which shape
  bool inside;       ///< true: certainly wholly inside all planes
} mo_cull_result;

/// Selects cells of the shape octree, and the shapes listed for them.
typedef struct mo_cell_query_def {
  mo_aabb box;      ///< the cells that this box touches are reported; world
  mo_filter filter; ///< which shapes are listed
  bool once;        ///< list a shape only in the first of its cells
  /// The caller's memory for the ids of one cell at a time; null where `scratch_capacity` is 0.
  mo_shape_id *scratch;
  uint32_t scratch_capacity; ///< length of `scratch`
  uint32_t cookie;           ///< set by mo_default_cell_query_def; not for the caller
} mo_cell_query_def;

/// A leaf cell of the shape octree that a box touches.
typedef struct mo_cell {
  mo_aabb bounds; ///< box of the cell, world; infinite on sides without a plane
  uint32_t depth; ///< depth of the cell in the tree; the root is at 0
  /// Shapes stored in this cell whose boxes touch it, ascending.
  const mo_shape_id *occupants;
  uint32_t occupant_count; ///< length of `occupants`
  /// Shapes stored elsewhere whose boxes reach into this cell, ascending.
  const mo_shape_id *visitors;
  uint32_t visitor_count; ///< length of `visitors`
} mo_cell;

MO_BEGIN_DECLS

/// A filter that considers every shape: category and mask all ones, nothing ignored, no callback.
MO_API mo_filter mo_default_filter(void);

/// An infinite ray: min_t 0, max_t INFINITY, both sides of triangles, volumes ignored, default
/// filter, no callback. Origin and direction are zero; the caller must set them.
MO_API mo_ray_def mo_default_ray_def(void);

/// The segment from `from` (t = 0) to `to` (t = 1), in the frame of the query; otherwise as
/// mo_default_ray_def. Equal ends are legal and hit nothing.
MO_API mo_ray_def mo_segment_def(mo_vec3 from, mo_vec3 to);

/** \name Rays
 * Watertight: a ray through a shared edge or vertex of a closed mesh hits it. At equal t, the hit
 * with the lower (shape index, triangle) wins. Triangles are intersected after Woop, Benthin and
 * Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013), in double precision where single
 * precision does not decide.
 *
 * Rays that start on a surface, and segments that end on one: rounding never moves t across 0 or 1.
 *   - A triangle that contains the origin is hit at t = 0 exactly, whatever the direction. If its
 *     plane lies one float behind the origin, it is not hit; if one float ahead, it is. The side of
 *     the plane is decided by exact arithmetic on the floats of the corners and the origin.
 *   - The end of a segment, origin + direction, has the error of its direction, which is a rounded
 *     difference. If the plane of a triangle is no farther from the end than that rounding error,
 *     as it is if the end was on the plane, t is 1 exactly, so the triangle is hit. Otherwise t
 *     lies on the correct side of 1. This applies to t = 1 of any ray. A min_t above 0, and a max_t
 *     other than 1, are compared with the rounded t that is returned.
 *   - The exception: let r be the distance of the origin or end from the edges of the triangle, and
 *     e the largest distance along an axis from the origin to a corner. The ray may miss the
 *     triangle if r * sin(angle between ray and plane) <= 2^-20 e, so within a millionth of the
 *     edges, or if the ray is nearly in the plane. If it hits, t is still exactly 0 for an origin
 *     on the triangle.
 *   - A ray that starts at a corner of triangles hits all of them that it does not see edge-on. A
 *     ray that starts on a shared edge hits at least one of the two triangles, if it sees them on
 *     different sides of the edge.
 *   - A ray in the plane of a triangle does not hit it if the plane is perpendicular to an axis. In
 *     other planes it may, if rounding moves the ray out of the plane.
 *   - The ray is transformed to the local space of each shape and rounded there. If that is exact,
 *     as with a translation that causes no rounding, all of this holds in world space; otherwise it
 *     holds for the rounded ray.
 *   - Solid shapes are closed: a ray that starts in or on one hits it at min_t with a zero normal.
 *     (For an origin on the surface, this holds up to the rounding of the surface to floats.)
 * So a ray that starts on a surface hits that surface first. To avoid this, use `ignore_triangle`,
 * a small min_t, or an origin off the surface.
 *
 * Accuracy against triangles is in proportion to distance, not to their size. Let e be the largest
 * distance along an axis from the ray's origin to a corner of the triangle.
 *   - On a mesh alone, a ray hits a triangle if it passes inside its outline by more than 2^-20 e
 *     (1e-6 e), and misses it if it passes outside by more than that. Only what passes within about
 *     2^-24 e (6e-8 e) is often decided wrongly. The point of the ray at t and the point of the
 *     triangle with weights u and v are at most 2^-17 e apart, seldom more than 2^-21 e, unless t
 *     is 0 or 1 as described above.
 *   - In a scene, the ray is also rounded in the local space of the shape. Let e then be at least
 *     the largest distance along an axis from the ray's origin to that of the shape's transform.
 *     The two bounds are 2^-19 e and 2^-17 e if the transform keeps angles, else 2^-16 e and 2^-14
 *     e. If the transform flattens or shears so strongly that it has no accurate inverse, the
 *     corners are those in world space, rounded to floats.
 *   - So from 1e6 away, outlines are blurred by some 0.1. To hit small things from afar, begin the
 *     ray near them: move the origin along the ray in double precision, for example to where it
 *     enters their bounds, and add the distance moved to t. */
/** \{ */

/// The closest hit of a ray (world) with the shapes of a scene. `hit->found` tells whether there is
/// one. Cost: nodes and shapes along the ray up to the hit, in order of distance.
MO_API mo_result mo_scene_cast_ray(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hit,
                                   mo_query_stats *stats);

/// The closest hit of a ray with one mesh; ray and hit are in the mesh's local frame. `hit->found`
/// tells whether there is one. Filter and volumes make no difference. Cost: nodes and triangles
/// along the ray up to the hit, in order of distance.
MO_API mo_result mo_mesh_cast_ray(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hit,
                                  mo_query_stats *stats);

/// Whether a ray (world) hits any shape of a scene: what mo_scene_cast_ray returns in `found`.
/// Cheaper, as it stops at the first hit that it encounters.
MO_API mo_result mo_scene_test_ray(const mo_scene *scene, const mo_ray_def *ray, bool *hit,
                                   mo_query_stats *stats);

/// Whether a ray (local) hits one mesh: what mo_mesh_cast_ray returns in `found`. Cheaper, as it
/// stops at the first hit that it encounters. Filter and volumes make no difference.
MO_API mo_result mo_mesh_test_ray(const mo_mesh *mesh, const mo_ray_def *ray, bool *hit,
                                  mo_query_stats *stats);

/// All hits of a ray (world) with the shapes of a scene, sorted by (t, shape index, triangle), each
/// triangle once, and each solid shape once, where the ray enters it. Writes the nearest `capacity`
/// of them, and their `total`. Cost: all nodes and shapes along the ray; a heap where `total` is
/// above `capacity`.
MO_API mo_result mo_scene_cast_ray_all(const mo_scene *scene, const mo_ray_def *ray,
                                       mo_ray_hit *hits, uint32_t capacity, uint32_t *total,
                                       mo_query_stats *stats);

/// All hits of a ray with one mesh, both in its local frame, sorted by (t, triangle), each triangle
/// once. Writes the nearest `capacity` of them, and their `total`. Filter and volumes make no
/// difference. Cost: all nodes and triangles along the ray; a heap where `total` is above
/// `capacity`.
MO_API mo_result mo_mesh_cast_ray_all(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hits,
                                      uint32_t capacity, uint32_t *total, mo_query_stats *stats);

/// The first hits of a ray (world), sorted by (t, shape index, triangle), each triangle once: those
/// that mo_scene_cast_ray_all writes for the same capacity, without the total. `*count` is how many
/// were written. Cost: nodes and shapes along the ray up to the last of them; with a small capacity
/// little more than the closest hit.
MO_API mo_result mo_scene_cast_ray_first(const mo_scene *scene, const mo_ray_def *ray,
                                         mo_ray_hit *hits, uint32_t capacity, uint32_t *count,
                                         mo_query_stats *stats);

/// The first hits of a ray with one mesh, both in its local frame, sorted by (t, triangle), each
/// triangle once: those that mo_mesh_cast_ray_all writes for the same capacity, without the total.
/// `*count` is how many were written. Filter and volumes make no difference. Cost: nodes and
/// triangles along the ray up to the last of them.
MO_API mo_result mo_mesh_cast_ray_first(const mo_mesh *mesh, const mo_ray_def *ray,
                                        mo_ray_hit *hits, uint32_t capacity, uint32_t *count,
                                        mo_query_stats *stats);

/// Sets a cursor before the first hit of a ray (`after` null), or right after the hit `after`,
/// which need not be a hit of this ray: the next hit is the first one that follows its (t, shape
/// index, triangle). Errors: MO_ERROR_NULL_ARGUMENT (cursor); MO_ERROR_NOT_FINITE (t is NaN).
/// Nothing is logged.
MO_API mo_result mo_ray_cursor_init(mo_ray_cursor *cursor, const mo_ray_hit *after);

/// Returns the next hit of a ray, in the order of mo_scene_cast_ray_all. Repeated calls return each
/// of its hits once. `hit->found` is false after the last, and stays so. Pass the same ray in each
/// call. Cost: one traversal for every MO_CURSOR_HITS hits (the first one fetches half as many),
/// which stops at the last of them; other calls copy a hit. After a change of the scene, hits that
/// were fetched before the change still come first, then the hits of the changed scene that follow
/// them. To drop the fetched hits, set the cursor after the last returned hit (mo_ray_cursor_init).
/// Errors: as other queries; MO_ERROR_INVALID_ARGUMENT if the cursor was never set.
MO_API mo_result mo_scene_next_hit(const mo_scene *scene, const mo_ray_def *ray,
                                   mo_ray_cursor *cursor, mo_ray_hit *hit, mo_query_stats *stats);

/// Returns the next hit of a ray with one mesh, in order of (t, triangle). Repeated calls return
/// each hit once. Ray and hit are in the mesh's local frame. `hit->found` is false after the last,
/// and stays so. Pass the same ray in each call. Cost: one traversal for every MO_CURSOR_HITS hits
/// (the first one fetches half as many); other calls copy a hit. After a change of the mesh, hits
/// that were fetched before the change still come first. Errors: as other queries;
/// MO_ERROR_INVALID_ARGUMENT if the cursor was never set.
MO_API mo_result mo_mesh_next_hit(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_cursor *cursor,
                                  mo_ray_hit *hit, mo_query_stats *stats);

/// Whether the segment between two points (world), ends included, hits nothing but volumes. Equal
/// points are visible from each other. `filter` may be null for the default. For the other options
/// of a ray def (`ignore_triangle`, `accept_triangle`, ...) call mo_scene_test_ray with
/// mo_segment_def: the points see each other if it hits nothing. Cost: as mo_scene_test_ray.
MO_API mo_result mo_scene_line_of_sight(const mo_scene *scene, mo_vec3 from, mo_vec3 to,
                                        const mo_filter *filter, bool *visible,
                                        mo_query_stats *stats);

/// The ground below a point: the first hit of a ray (world) from the point in the direction -`up`
/// (not zero, of any length), ignoring volumes, and its distance below the point. `filter` may be
/// null for the default. Cost: as mo_scene_cast_ray.
MO_API mo_result mo_scene_height_below(const mo_scene *scene, mo_vec3 point, mo_vec3 up,
                                       const mo_filter *filter, mo_ground *ground,
                                       mo_query_stats *stats);

/// The ground along a ray (world) that points down, with all options of the ray def: triangles to
/// ignore or accept, the largest depth, volumes. The height is the distance from the origin to the
/// hit. mo_scene_height_below calls this with a ray from the point in the direction -`up`. Cost: as
/// mo_scene_cast_ray.
MO_API mo_result mo_scene_find_ground(const mo_scene *scene, const mo_ray_def *down,
                                      mo_ground *ground, mo_query_stats *stats);

/** \} */

/** \name Sets of planes
 * Frustum culling and other convex regions given by up to MO_MAX_PLANES planes. Components of
 * normals beyond 1e6 and offsets beyond 1e37 give MO_ERROR_OUT_OF_RANGE. */
/** \{ */

/// The largest number of planes of a query.
#define MO_MAX_PLANES 32

/// A def without planes, with the default filter.
MO_API mo_cull_def mo_default_cull_def(void);

/// Shapes whose stored world AABBs (mo_scene_get_bounds) are not wholly outside of any single plane
/// (world): writes up to `capacity` of them, ascending by index, and their `total`. Cost: nodes
/// that no plane culls.
MO_API mo_result mo_scene_cull_planes(const mo_scene *scene, const mo_cull_def *def,
                                      mo_cull_result *shapes, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

/// Triangles of one mesh that have a point inside all planes, in its local frame: writes up to
/// `capacity` of them, ascending by index, each once, and their `total`. Decided by clipping in
/// double precision. Cost: nodes that no plane culls, and a test for each triangle in them.
MO_API mo_result mo_mesh_cull_planes(const mo_mesh *mesh, const mo_cull_def *def,
                                     uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                     mo_query_stats *stats);

/** \} */

/** \name Cells of the octree
 * An occupant of a cell is stored in it; a visitor is stored elsewhere and reaches into it (the
 * terms are from "The Octorial"). */
/** \{ */

/// A def with a box of size 0 at the origin, the default filter, `once` false and no scratch
/// memory.
MO_API mo_cell_query_def mo_default_cell_query_def(void);

/// Calls `visit` for each leaf cell of the shape octree that touches the box, breadth first, with
/// its occupants and visitors; `visit` returns false to stop. The cells tile all of space; cells
/// with no shape in them are reported too. A cell with more than `scratch_capacity` shapes is
/// reported with the first of them, and `*complete` is then false. The arguments of `visit` are
/// valid until it returns; it must not change the scene. Cost: for each depth of the tree, a
/// traversal of the nodes down to this depth whose cells touch the box; and an overlap query by
/// boxes for each leaf cell.
MO_API mo_result mo_scene_visit_cells(const mo_scene *scene, const mo_cell_query_def *def,
                                      bool (*visit)(const mo_cell *cell, void *context),
                                      void *context, bool *complete, mo_query_stats *stats);

/** \} */

MO_END_DECLS

/** \} */

#endif
