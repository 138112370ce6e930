/** \defgroup query Queries (motte/query.h)
 *
 * Queries, on a scene (world frame) and on one mesh alone (its local frame).
 *
 * Exact: every query returns what a loop over all shapes and all their triangles with the same
 * primitive test would return, bit for bit, whatever the tree, the instruction set or the thread.
 * Queries allocate nothing and write nothing but their outputs; any number may run at once.
 *
 * Many results: the caller gives a buffer of `capacity` entries (null if 0) and learns the `total`
 * that exist. Results are sorted; if there are more than fit, the first `capacity` in that order
 * are written. Lists that mostly go by boxes (shapes in regions, planes, levels of detail)
 * have no user data, as the records of most shapes are not read: mo_scene_get_user_data has it, and
 * mo_scene_visit_overlaps gives it.
 *
 * Errors of all queries: MO_ERROR_NULL_ARGUMENT, MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
 * MO_ERROR_INVALID_ARGUMENT (negative radius, lower > upper, zero ray direction, ...),
 * MO_ERROR_UNINITIALIZED_DEF (a def, or the filter in it). The host's log is told what was wrong.
 * `stats` may be null everywhere; a query adds to its counters, so zero it first. Filters that are
 * arguments may be null for the default. Callbacks run in the calling thread, and may call other
 * queries.
 *
 * Volumes (MO_SHAPE_VOLUME) mark a region, for triggers or visibility. Queries that list what is
 * somewhere list volumes too: planes, cells, and those of motte/overlap.h, motte/near.h,
 * motte/watch.h and motte/pairs.h. To leave volumes out of a list, give them a category of their
 * own. Queries about what is in the way or closest ignore volumes, unless `hit_volumes` of their
 * def is set: rays, casts, characters, room for a shape (mo_scene_shape_fits), closest points.
 * Lines of sight and heights always ignore them.
 *
 * Margins and velocities enlarge the box under which a shape is stored (mo_scene_get_bounds).
 * They make no difference to answers that depend on geometry: rays, casts, closest points,
 * overlaps and room for a shape by exact geometry. Answers that depend on boxes use the stored
 * ones: MO_PRECISION_BOUNDS, planes, cells, distances, levels of detail, pairs. Volumes are
 * always stored as they are.
 *
 * Half-spaces have no box, whatever mo_scene_get_bounds says. Where boxes decide about others, the
 * half-space itself decides: whether it overlaps, reaches into a cell, how far its plane is. No
 * planes cull it, and unless there are none it is inside of none. Every query tests each of them.
 *
 * Cost: in scenes and meshes that are spread evenly about O(log n) nodes, and what is found; the
 * statistics tell. Queries take some kilobytes of stack.
 *
 * All this holds for each function below; its own comment says what else there is to know. */
#ifndef MOTTE_QUERY_H
#define MOTTE_QUERY_H

#include <motte/scene.h>

/** \{ */

/// What a query did. Visit maps are optional arrays of the caller's, one counter per node, for
/// drawing (motte/debug.h); nodes beyond a capacity are not counted.
typedef struct mo_query_stats {
  uint64_t scene_node_count;  ///< inner nodes of the shape octree
  uint64_t scene_block_count; ///< blocks of eight shape boxes
  uint64_t shape_count;       ///< shapes whose geometry was tested
  uint64_t mesh_node_count;   ///< inner nodes of triangle octrees
  uint64_t mesh_block_count;  ///< blocks of eight triangles
  /// Triangles of the blocks that were read, less mailbox hits. Most of them are ruled out eight at
  /// a time, before the exact test.
  uint64_t triangle_count;
  /// Triangle tests saved because the query had met the triangle before.
  uint64_t mailbox_hit_count;
  uint32_t *scene_visits;        ///< visits per node of the shape octree, or null
  uint32_t scene_visit_capacity; ///< length of `scene_visits`
  uint32_t *mesh_visits; ///< visits per node of the triangle octree of `visited_mesh`, or null
  uint32_t mesh_visit_capacity; ///< length of `mesh_visits`
  const mo_mesh *visited_mesh;  ///< the mesh whose nodes `mesh_visits` counts, or null
} mo_query_stats;

/// Which shapes a query considers: those with (shape.category & mask) and (category & shape.mask),
/// except `ignore`, and for which `accept` (if not null) returns true. `accept` may be called in
/// any order and must not change the scene. A mask or category of zero is legal, and lets nothing
/// pass.
typedef struct mo_filter {
  uint64_t category;  ///< bits of what the query is
  uint64_t mask;      ///< bits of what it finds
  mo_shape_id ignore; ///< a shape that is left out; the null id, or one that is gone, for none
  /// False leaves a shape out. Null accepts all.
  bool (*accept)(mo_shape_id shape, uint64_t user_data, void *context);
  void *context;   ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_filter; not for the caller
} mo_filter;

/// The points origin + t * direction, min_t <= t <= max_t. t is in units of the direction's length,
/// which need not be 1.
typedef struct mo_ray_def {
  mo_vec3 origin;    ///< where t is 0
  mo_vec3 direction; ///< not zero, unless max_t <= 1: a segment with equal ends, which hits nothing
  float min_t;       ///< >= 0; hits before it do not count. 0 is exact: see below, Rays
  float max_t;       ///< may be INFINITY; below min_t nothing is hit
  bool cull_back_faces; ///< triangles met from behind do not count
  bool hit_volumes;     ///< let MO_SHAPE_VOLUME shapes be hit; else rays ignore them
  mo_filter filter;     ///< which shapes the ray may hit
  /// The shape that `ignore_triangle` belongs to; does not matter on a mesh alone.
  mo_shape_id ignore_triangle_shape;
  /// A triangle to pass through (the one a ray starts on). MO_NO_TRIANGLE for none.
  uint32_t ignore_triangle;
  /// If not null: called for each candidate triangle hit; false lets the ray pass. May be called
  /// in any order, and for hits that turn out not to be the closest. On a mesh alone the shape is
  /// null.
  bool (*accept_triangle)(mo_shape_id shape, uint32_t triangle, float t, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  uint32_t cookie;      ///< set by mo_default_ray_def or mo_segment_def; not for the caller
} mo_ray_def;

/// What a ray hit, and where.
typedef struct mo_ray_hit {
  bool found;                  ///< false: the ray hit nothing, and nothing below is set
  mo_shape_id shape;           ///< null on a mesh alone
  uint64_t user_data;          ///< the shape's
  uint32_t triangle;           ///< MO_NO_TRIANGLE where the shape is no mesh
  uint32_t triangle_user_data; ///< 0 where the shape is no mesh
  float t;                     ///< along the ray, in units of the direction's length
  mo_vec3 point;               ///< world (mesh alone: local)
  /// Unit geometric normal, world (mesh alone: local). Triangles: by the right-hand rule from their
  /// winding in local space, carried by the inverse transpose, so that outward stays outward under
  /// mirroring. Zero for a ray that starts inside a solid shape.
  mo_vec3 normal;
  float u;    ///< barycentric weight of the triangle's second corner; 0 where the shape is no mesh
  float v;    ///< barycentric weight of the triangle's third corner; 0 where the shape is no mesh
  bool front; ///< met from the side the normal points to
} mo_ray_hit;

/// What lies below a point.
typedef struct mo_ground {
  float height;   ///< of the point above the ground, in world units; INFINITY where there is none
  mo_ray_hit hit; ///< the ground, as mo_scene_cast_ray gives it
} mo_ground;

/// Hits that a cursor fetches at a time.
#define MO_CURSOR_HITS 8

/// A place among the hits of a ray, before the first or after one of them, with a few of the next.
/// The caller's memory, made by mo_ray_cursor_init; it owns nothing, and may be copied or dropped.
/// What is in it is not for the caller.
typedef struct mo_ray_cursor {
  /** \cond */
  uint32_t state;
  uint32_t next, count; // which of `hits` comes next
  float t;              // the last that was fetched
  uint32_t shape, triangle;
  mo_ray_hit hits[MO_CURSOR_HITS];
  /** \endcond */
} mo_ray_cursor;

/// One triangle of one shape.
typedef struct mo_triangle_ref {
  mo_shape_id shape; ///< of type MO_SHAPE_MESH
  uint32_t triangle; ///< its index in the mesh
} mo_triangle_ref;

/// How an overlap query decides about a shape.
typedef enum mo_precision {
  MO_PRECISION_GEOMETRY, ///< by its exact geometry; margins and velocities make no difference
  /// By its stored world AABB (mo_scene_get_bounds), which margins and velocities make larger.
  MO_PRECISION_BOUNDS,
} mo_precision;

/// A set of planes, and which shapes are compared with it.
typedef struct mo_cull_def {
  /// `plane_count` planes, world (of a mesh alone: local), read during the call only; null if 0.
  const mo_plane *planes;
  uint32_t plane_count; ///< up to MO_MAX_PLANES; without planes nothing is excluded
  mo_filter filter;     ///< which shapes count; makes no difference on a mesh alone
  uint32_t cookie;      ///< set by mo_default_cull_def; not for the caller
} mo_cull_def;

/// A shape that a set of planes does not exclude.
typedef struct mo_cull_result {
  mo_shape_id shape; ///< which shape
  bool inside;       ///< wholly inside all planes, for sure
} mo_cull_result;

/// Which cells of the shape octree are wanted, and which shapes in them.
typedef struct mo_cell_query_def {
  mo_aabb box;      ///< world; cells that it touches are reported
  mo_filter filter; ///< which shapes are listed
  bool once;        ///< list a shape only the first time that it comes up
  /// The caller's memory for the ids of one cell at a time; null where `scratch_capacity` is 0.
  mo_shape_id *scratch;
  uint32_t scratch_capacity; ///< length of `scratch`
  uint32_t cookie;           ///< set by mo_default_cell_query_def; not for the caller
} mo_cell_query_def;

/// A leaf cell of the shape octree that a box touches.
typedef struct mo_cell {
  mo_aabb bounds; ///< of the cell, world; infinite on sides with no plane
  uint32_t depth; ///< of the cell; the root is at 0
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

/// A ray without an end: min_t 0, max_t INFINITY, both sides of triangles, volumes ignored, default
/// filter, no callback. Origin and direction are zero, and for the caller to set.
MO_API mo_ray_def mo_default_ray_def(void);

/// The segment from `from` (t = 0) to `to` (t = 1), in the frame of the query that it is for;
/// otherwise as mo_default_ray_def. Equal ends are legal and hit nothing.
MO_API mo_ray_def mo_segment_def(mo_vec3 from, mo_vec3 to);

/** \name Rays
 * Watertight: a ray through a shared edge or vertex of a closed mesh hits it. Ties of equal t
 * go to the lower (shape index, triangle). Triangle hits at t are found after Woop, Benthin and
 * Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013), decided in double precision where
 * single does not suffice.
 *
 * Rays that start on a surface, and segments that end on one: t is rounded, but not across 0 or 1.
 *   - A triangle that holds the origin is hit at t = 0 exactly, whatever the direction; one with
 *     the plane a float behind the origin is not hit, and one with it a float ahead is. The side of
 *     the plane is decided in the real numbers, for corners and origin as the floats that they are.
 *   - The end of a segment, origin + direction, is as exact as its direction, a rounded difference.
 *     Where the plane of a triangle passes it by no more than that rounding, as it does if the end
 *     was on the plane, t is 1 exactly, so the triangle is hit. Otherwise t lies on the right side
 *     of 1. That holds for t = 1 of any ray. Against a min_t above 0 and another max_t, t is
 *     compared as it is returned.
 *   - The exception: with r the distance of the origin or end from the edges of the triangle, and e
 *     the largest distance along an axis from the origin to a corner, the ray may pass the triangle
 *     by where r * sin(angle between ray and plane) <= 2^-20 e, so within a millionth of the edges,
 *     or where the ray is nearly in the plane. Where it hits, t is 0 at an origin on the triangle
 *     all the same.
 *   - An origin at a corner of triangles hits all of them that the ray does not see edge on; one on
 *     a shared edge at least one of the two, where the ray sees them on different sides of it.
 *   - A ray in the plane of a triangle does not hit it where the plane is perpendicular to an axis;
 *     in other planes it may, where rounding takes it out of the plane.
 *   - A shape takes the ray to its own space and rounds it there. Where that is exact, as by a
 *     transform that only moves by amounts that round nothing, all of this holds in the world;
 *     elsewhere, for the rounded ray.
 *   - Solid shapes are closed: a ray that starts in or on one hits it at min_t, as far as the
 *     surface is a float, with a normal of zero.
 * So a ray from a surface hits that first: pass through it with `ignore_triangle`, or start it at a
 * small min_t or off the surface. */
/** \{ */

/// The closest hit of a ray (world) with the shapes of a scene. `hit->found` tells whether there is
/// one. Cost: nodes and shapes along the ray up to the hit, nearer ones first.
MO_API mo_result mo_scene_cast_ray(const mo_scene *scene, const mo_ray_def *ray, mo_ray_hit *hit,
                                   mo_query_stats *stats);

/// The closest hit of a ray with one mesh; ray and hit are in the mesh's local frame. `hit->found`
/// tells whether there is one. Filter and volumes make no difference. Cost: nodes and triangles
/// along the ray up to the hit, nearer ones first.
MO_API mo_result mo_mesh_cast_ray(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hit,
                                  mo_query_stats *stats);

/// Whether a ray (world) hits any shape of a scene: what mo_scene_cast_ray says in `found`.
/// Cheaper, as it stops at the first hit that it comes upon.
MO_API mo_result mo_scene_test_ray(const mo_scene *scene, const mo_ray_def *ray, bool *hit,
                                   mo_query_stats *stats);

/// Whether a ray hits one mesh at all, in its local frame: what mo_mesh_cast_ray says in `found`.
/// Cheaper, as it stops at the first hit that it comes upon. Filter and volumes make no difference.
MO_API mo_result mo_mesh_test_ray(const mo_mesh *mesh, const mo_ray_def *ray, bool *hit,
                                  mo_query_stats *stats);

/// All hits of a ray (world) with the shapes of a scene, sorted by (t, shape index, triangle), each
/// triangle once, and solid shapes once, where the ray enters. Writes up to `capacity` of them, the
/// nearest, and their `total`. Cost: all nodes and shapes along the ray; a heap where `total` is
/// above `capacity`.
MO_API mo_result mo_scene_cast_ray_all(const mo_scene *scene, const mo_ray_def *ray,
                                       mo_ray_hit *hits, uint32_t capacity, uint32_t *total,
                                       mo_query_stats *stats);

/// All hits of a ray with one mesh, both in its local frame, sorted by (t, triangle), each triangle
/// once. Writes up to `capacity` of them, the nearest, and their `total`. Filter and volumes make
/// no difference. Cost: all nodes and triangles along the ray; a heap where `total` is above
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

/// Sets a cursor before the first hit of a ray (`after` null), or right after a hit, which need not
/// be one of the ray's: what comes next is what follows its (t, shape index, triangle).
/// Errors: MO_ERROR_NULL_ARGUMENT (cursor); MO_ERROR_NOT_FINITE (t is NaN). No host is told.
MO_API mo_result mo_ray_cursor_init(mo_ray_cursor *cursor, const mo_ray_hit *after);

/// The hits of a ray one at a time, in order, each once: together they are those of
/// mo_scene_cast_ray_all. `hit->found` is false after the last, and stays so. The ray is given
/// again with each call, and should be the same. Cost: one traversal for every MO_CURSOR_HITS hits
/// (the first fetches half as many), which goes no further than these; other calls copy a hit.
/// After a change of the scene the hits fetched before come first, then those that follow them as
/// it is then; setting the cursor after the last hit drops the former. Errors: as other queries;
/// MO_ERROR_INVALID_ARGUMENT if the cursor was never set.
MO_API mo_result mo_scene_next_hit(const mo_scene *scene, const mo_ray_def *ray,
                                   mo_ray_cursor *cursor, mo_ray_hit *hit, mo_query_stats *stats);

/// The hits of a ray with one mesh one at a time, in order of (t, triangle), each once; ray and hit
/// are in the mesh's local frame. `hit->found` is false after the last, and stays so. The ray is
/// given again with each call, and should be the same. Cost: one traversal for every MO_CURSOR_HITS
/// hits (the first fetches half as many); other calls copy a hit. After a change of the mesh the
/// hits fetched before come first. Errors: as other queries; MO_ERROR_INVALID_ARGUMENT if the
/// cursor was never set.
MO_API mo_result mo_mesh_next_hit(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_cursor *cursor,
                                  mo_ray_hit *hit, mo_query_stats *stats);

/// Whether nothing but volumes lies on the segment between two points (world), ends included. Equal
/// ends see each other. `filter` may be null for the default. What a ray def says besides
/// (`ignore_triangle`, `accept_triangle`, ...) is heeded by mo_scene_test_ray with mo_segment_def:
/// the ends see each other where it hits nothing. Cost: as mo_scene_test_ray.
MO_API mo_result mo_scene_line_of_sight(const mo_scene *scene, mo_vec3 from, mo_vec3 to,
                                        const mo_filter *filter, bool *visible,
                                        mo_query_stats *stats);

/// The ground below a point: the first hit of a ray against `up` (not zero; its length does not
/// matter), world, which ignores volumes, and how far below it is. `filter` may be null for the
/// default. Cost: as mo_scene_cast_ray.
MO_API mo_result mo_scene_height_below(const mo_scene *scene, mo_vec3 point, mo_vec3 up,
                                       const mo_filter *filter, mo_ground *ground,
                                       mo_query_stats *stats);

/// The ground along a ray (world) that leads down, with all that its def says heeded: triangles to
/// ignore or to accept, how far down to look, volumes. The height is the distance from the origin
/// to the hit. mo_scene_height_below is this for a ray from the point against `up`. Cost: as
/// mo_scene_cast_ray.
MO_API mo_result mo_scene_find_ground(const mo_scene *scene, const mo_ray_def *down,
                                      mo_ground *ground, mo_query_stats *stats);

/** \} */

/** \name Sets of planes
 * Frustum culling and other convex regions given by up to MO_MAX_PLANES planes. Normals have
 * components up to 1e6 and offsets lie within 1e37, or it is MO_ERROR_OUT_OF_RANGE. */
/** \{ */

/// The most planes that a query may be given.
#define MO_MAX_PLANES 32

/// No planes, default filter.
MO_API mo_cull_def mo_default_cull_def(void);

/// Shapes whose stored world AABBs (mo_scene_get_bounds) no single plane (world) excludes: writes
/// up to `capacity` of them, ascending by index, and their `total`. Cost: nodes that no plane
/// excludes.
MO_API mo_result mo_scene_cull_planes(const mo_scene *scene, const mo_cull_def *def,
                                      mo_cull_result *shapes, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

/// Triangles of one mesh with a point inside all planes, in its local frame: writes up to
/// `capacity` of them, ascending by index, each once, and their `total`. Decided by clipping in
/// double precision. Cost: nodes that no plane excludes, and a test for each triangle in them.
MO_API mo_result mo_mesh_cull_planes(const mo_mesh *mesh, const mo_cull_def *def,
                                     uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                     mo_query_stats *stats);

/** \} */

/** \name Cells of the octree
 * What "The Octorial" calls occupants and visitors. */
/** \{ */

/// A box of no size at the origin, default filter, shapes in each of their cells, no scratch
/// memory.
MO_API mo_cell_query_def mo_default_cell_query_def(void);

/// Reports each leaf cell of the shape octree that touches the box, breadth first, with its
/// occupants and visitors, to `visit`, which returns false to stop. The cells tile all of space;
/// cells with no shape in them are reported too. A cell with more than `scratch_capacity` shapes is
/// reported with the first of them, and `*complete` is then false. What `visit` is given lasts
/// until it returns; it must not change the scene. Cost: for each depth of the tree, the nodes down
/// to there whose cells touch the box, and an overlap query by boxes for each leaf cell.
MO_API mo_result mo_scene_visit_cells(const mo_scene *scene, const mo_cell_query_def *def,
                                      bool (*visit)(const mo_cell *cell, void *context),
                                      void *context, bool *complete, mo_query_stats *stats);

/** \} */

MO_END_DECLS

/** \} */

#endif
