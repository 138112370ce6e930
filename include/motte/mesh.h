/** \defgroup mesh Meshes (motte/mesh.h)
 *
 * Meshes: triangles in local space under a triangle octree.
 *
 * A mesh never changes after mo_mesh_create, except by mo_mesh_edit, mo_mesh_refit,
 * mo_mesh_rebuild_parts and mo_mesh_insert_triangles if it was built for that. Height fields are
 * meshes too, made by mo_mesh_create_height_field and changed by mo_mesh_edit_heights
 * (motte/height_field.h). Any number of threads may query one mesh at once, and any number of
 * shapes in any number of scenes may refer to it. */
#ifndef MOTTE_MESH_H
#define MOTTE_MESH_H

#include <motte/math.h>

/** \{ */

/// Triangles under an octree; a reference-counted object.
typedef struct mo_mesh mo_mesh;

/// "No triangle" wherever a triangle index is expected.
#define MO_NO_TRIANGLE UINT32_MAX

/// The maximum number of triangles in a mesh.
#define MO_MAX_TRIANGLES 0x3ffffffeu

/// How triangles refer to vertices.
typedef enum mo_index_type {
  MO_INDEX_NONE, ///< a soup: triangle i uses vertices 3i, 3i + 1, 3i + 2
  MO_INDEX_U16,  ///< three uint16_t per triangle
  MO_INDEX_U32,  ///< three uint32_t per triangle
} mo_index_type;

/// How the triangle octree is built.
typedef enum mo_mesh_builder {
  /// Split planes by the surface-area heuristic. At MO_MESH_QUALITY_HIGH a triangle that straddles
  /// a plane may be referenced from both sides (a spatial split), each reference with exactly
  /// clipped bounds, within `duplicate_budget`; at lower qualities spatial splits do not pay off.
  MO_MESH_BUILDER_SPLIT,
  /// As MO_MESH_BUILDER_SPLIT, but each triangle is stored once at any quality, as refitting
  /// requires.
  MO_MESH_BUILDER_SINGLE,
  /// A full tree of `depth` levels over `bounds` first, then insertion of the triangles; more may
  /// be inserted later by mo_mesh_insert_triangles.
  MO_MESH_BUILDER_TOP_DOWN,
  /// The classical octree, to compare with: each node is split at the middle of its cell on all
  /// three axes, and a triangle that straddles a split plane is referenced from every child that it
  /// touches, with up to eight references per triangle in all.
  MO_MESH_BUILDER_MIDPOINT,
} mo_mesh_builder;

/// Trade-off between the cost of building and the cost of queries.
typedef enum mo_mesh_quality {
  /// Splits along a Morton curve without searching for planes, for meshes that are built while a
  /// game runs. Half the build time of MO_MESH_QUALITY_DEFAULT (7 to 14 million triangles per
  /// second on one thread), 70 bytes per triangle instead of 57. Rays visit an eighth to a fifth
  /// more, in maps with vast triangles twice as much.
  MO_MESH_QUALITY_FAST,
  /// 16 bins per axis; large triangles are then reinserted at the nodes where they cost least.
  MO_MESH_QUALITY_DEFAULT,
  /// 32 bins per axis; references may be split; all triangles are reinserted at the nodes where
  /// they cost least. Takes several times as long to build; rays visit some 5 % less, with long and
  /// thin triangles up to 20 % less.
  MO_MESH_QUALITY_HIGH,
} mo_mesh_quality;

/// How the octree of a mesh is built.
typedef struct mo_mesh_build_options {
  mo_mesh_builder builder; ///< choice of planes; storage of triangles that straddle them
  mo_mesh_quality quality; ///< how much work the search for planes takes
  /// Leaves with at most this many triangles are not forced to split; 1 to 256. A leaf stores
  /// triangles in blocks of eight.
  uint32_t leaf_capacity;
  /// Upper bound on the depth of the tree, 1 to MO_MESH_MAX_DEPTH. At this depth a node becomes one
  /// leaf.
  uint32_t max_depth;
  /// Limit of duplicate references by spatial splits, as a share of the triangle count, 0 to 8.
  float duplicate_budget;
  /// MO_MESH_BUILDER_TOP_DOWN: levels of the full tree, 1 to 6.
  uint32_t depth;
  /// MO_MESH_BUILDER_TOP_DOWN: the local box that contains every triangle, including those inserted
  /// later.
  mo_aabb bounds;
  /// MO_MESH_BUILDER_SINGLE: stores the data that mo_mesh_refit needs, some 15 bytes per triangle.
  bool deformable;
  /// Compact format, for meshes that do not change: three fifths of the memory, on scans and game
  /// maps 32 to 36 bytes per triangle instead of 55 to 60. Boxes of nodes are quantized outward to
  /// eight bits a side; triangles of a block share their vertices, which keep all bits (triangle
  /// soups share none, so only their nodes become smaller). All answers are the same. While the
  /// mesh fits the cache, rays run at 0.82 to 0.94 times the rate, as a node takes longer to decode
  /// and 2 % more are visited; coherent batches at 0.92 to 0.97 times. Building takes a quarter
  /// longer, and needs memory for both formats meanwhile. MO_ERROR_INVALID_ARGUMENT with
  /// `deformable` or MO_MESH_BUILDER_TOP_DOWN; MO_ERROR_TOO_MANY where the blocks of triangles take
  /// more than 16 GB.
  bool compact;
  /// Classifies each edge by how the surface continues across it (mo_mesh_get_edges), for contacts:
  /// one byte per triangle. MO_ERROR_INVALID_ARGUMENT with `deformable` or
  /// MO_MESH_BUILDER_TOP_DOWN.
  bool edges;
  /// MO_MESH_BUILDER_SINGLE: stores what mo_mesh_edit needs, some 48 bytes per triangle and 18 per
  /// vertex, with `edges` 55 bytes per triangle more, and a quarter of free capacity for the
  /// octree. Queries cost the same, but for short segments, which have no shortcut. All answers are
  /// the same. MO_ERROR_INVALID_ARGUMENT with `deformable` or `compact`.
  bool editable;
  uint32_t cookie; ///< set by mo_default_mesh_build_options; not for the caller
} mo_mesh_build_options;

/// How the surface continues across an edge of one of its triangles. The front of a triangle is the
/// side from which its corners, as given, appear in counter-clockwise order.
typedef enum mo_mesh_edge {
  /// The neighbour lies in the triangle's plane; or there are neighbours both in front and behind.
  MO_MESH_EDGE_FLAT,
  MO_MESH_EDGE_CONVEX,  ///< the neighbour lies behind the triangle's plane: a ridge, seen from the
                        ///< front
  MO_MESH_EDGE_CONCAVE, ///< the neighbour lies in front of the triangle's plane: a valley
  MO_MESH_EDGE_OPEN,    ///< no neighbour: a border of the surface
} mo_mesh_edge;

/// The upper limit of mo_mesh_build_options::max_depth.
#define MO_MESH_MAX_DEPTH 40

/// Everything that mo_mesh_create needs. Arrays are read during the call only.
typedef struct mo_mesh_def {
  /// `vertex_count` positions of three floats each, `position_stride` bytes apart (at least 12; any
  /// alignment), local frame.
  const void *positions;
  size_t position_stride; ///< bytes from one position to the next
  uint32_t vertex_count;  ///< how many positions there are
  /// 3 * triangle_count indices of `index_type`; null for MO_INDEX_NONE.
  const void *indices;
  mo_index_type index_type; ///< how triangles refer to vertices
  uint32_t triangle_count;  ///< up to MO_MAX_TRIANGLES; 0 is legal
  /// One number per triangle, handed back with every hit; null for zeros.
  const uint32_t *triangle_user_data;
  mo_mesh_build_options build; ///< how the octree is built
  mo_isa isa;   ///< the instruction set of queries on the mesh itself, without a scene
  mo_host host; ///< the mesh's allocator, log and task hooks
  /// Output, may be null: the index of what was refused, see MO_NO_INDEX. With MO_ERROR_NOT_FINITE
  /// and MO_ERROR_OUT_OF_RANGE it is a vertex. With MO_ERROR_INVALID_INDEX it is the position in
  /// `indices` (of triangle first_bad / 3), or without indices the first vertex that is missing.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_mesh_def; not for the caller
} mo_mesh_def;

/// Changes of a mesh that was built as `editable`, all made by one call of mo_mesh_edit. Vertices
/// and triangles have the numbers of mo_mesh_def, where vertex i of a mesh without indices is
/// corner i % 3 of triangle i / 3; all keep their numbers. Arrays are read during the call only,
/// are tightly packed, and may be null if their count is 0.
typedef struct mo_mesh_edit_def {
  /// Vertices that move, and with them their triangles; the last position counts if a vertex is
  /// named twice. Vertices that no triangle uses may move too, so their numbers can be used again.
  const uint32_t *moved_vertices;
  const mo_vec3 *moved_positions;    ///< the new positions of `moved_vertices`, local frame
  uint32_t moved_vertex_count;       ///< how many vertices move
  const mo_vec3 *added_positions;    ///< new vertices, numbered on from the present vertex count
  uint32_t added_vertex_count;       ///< how many vertices are new
  const uint32_t *removed_triangles; ///< triangles to remove, each once; vertices stay
  uint32_t removed_triangle_count;   ///< how many triangles are removed
  /// Triangles that get other vertices, each once, and none of those to remove. Contacts and hits
  /// know them by the same numbers as before.
  const uint32_t *replaced_triangles;
  const uint32_t *replaced_indices; ///< three vertices each, new ones too
  /// One number per replaced triangle; null: they keep theirs.
  const uint32_t *replaced_user_data;
  uint32_t replaced_triangle_count; ///< how many triangles get other vertices
  const uint32_t *added_indices;    ///< new triangles: three vertices each, new ones too
  const uint32_t *added_user_data;  ///< one number per new triangle; null for zeros
  uint32_t added_triangle_count;    ///< how many triangles are new
  /// Output, may be null: the number of each new triangle. New triangles take the numbers of
  /// removed ones, those removed last (also by this edit) first, then numbers from
  /// mo_mesh_triangle_count on.
  uint32_t *added_triangles;
  /// Limit of the triangles of a part of the octree that is rebuilt at once, so of the time that
  /// one call takes. A part of up to 2,048 triangles is rebuilt when a sixteenth as many as it has,
  /// and at least 8, were changed; a larger one when a quarter as many were, which makes rare calls
  /// long. Parts beyond the limit stay as they are until an edit with a higher limit changes them,
  /// but for the top of a part of more than 2,048: a sixteenth of changes rebuilds it over at most
  /// 256 subtrees, under any limit. Small values cost quality. UINT32_MAX, no limit, by default.
  uint32_t max_rebuilt_triangles;
  /// Output, may be null: the index in the array that has the fault, see MO_NO_INDEX. With
  /// MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE the array is `moved_positions` or
  /// `added_positions`, or that of the indices if these name a vertex with such a position; with
  /// MO_ERROR_INVALID_INDEX one of vertices, triangles or indices; the log says which.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_mesh_edit_def; not for the caller
} mo_mesh_edit_def;

/// Statistics of a mesh's octree.
typedef struct mo_mesh_stats {
  uint32_t triangle_count;            ///< as mo_mesh_triangle_count
  uint32_t degenerate_triangle_count; ///< triangles of exactly zero area, which no ray hits
  uint32_t vertex_count;              ///< the `vertex_count` of the def
  uint32_t node_count;                ///< 8-wide inner nodes
  uint32_t leaf_count;                ///< children of nodes that are leaves
  uint32_t block_count;               ///< blocks of eight triangles in the leaves
  uint32_t reference_count;           ///< references to triangles; a triangle may have several
  uint32_t duplicate_count;           ///< references beyond the first of each triangle
  uint32_t max_depth; ///< depth of the deepest leaf; 1 where the root's children are leaves
  uint32_t leaf_count_at_depth[MO_MESH_MAX_DEPTH + 1]; ///< number of leaves at each depth
  size_t bytes;                                        ///< all memory the mesh holds
  double build_seconds;                                ///< wall time of the octree build
  /// Expected number of nodes visited by a random line that hits the root's bounds (sum of
  /// surface-area ratios).
  double expected_node_visits;
  double expected_block_visits; ///< expected number of blocks visited by that random line
} mo_mesh_stats;

/// The quality of a deformable mesh's octree for the present positions of its triangles.
typedef struct mo_mesh_refit_info {
  /// Expected number of nodes and blocks visited by a random line that hits the mesh's bounds (sum
  /// of surface-area ratios).
  double expected_visits;
  double built_visits; ///< the value of `expected_visits` when the octree was built
  /// `expected_visits` over `built_visits`: 1 means as good as when built; at 1.5 a ray costs half
  /// as much again. Meshes that move as a whole or stretch evenly stay near 1.
  double degradation;
} mo_mesh_refit_info;

/// Options of mo_mesh_rebuild_parts: which parts of a deformable mesh's octree to rebuild.
typedef struct mo_mesh_rebuild_options {
  /// A subtree is rebuilt if the expected visits of a ray in it exceed this many times the expected
  /// visits when it was built. At least 1.
  float threshold;
  /// Limit of triangles to rebuild in one call; subtrees where it helps most come first. The whole
  /// octree is rebuilt if that fits the limit and is worth it. Where the top of the octree has
  /// degraded, a quarter of the limit is reserved for the top, which is rebuilt over the existing
  /// subtrees; each of these counts as one triangle.
  uint32_t max_triangles;
  uint32_t cookie; ///< set by mo_default_mesh_rebuild_options; not for the caller
} mo_mesh_rebuild_options;

/// Result of mo_mesh_rebuild_parts.
typedef struct mo_mesh_rebuild_info {
  uint32_t subtree_count;     ///< subtrees that were rebuilt, not counting the top
  uint32_t triangle_count;    ///< triangles in these subtrees
  mo_mesh_refit_info quality; ///< after the rebuild; `built_visits` is that of the last root build
} mo_mesh_rebuild_info;

MO_BEGIN_DECLS

/// Default options: split builder, default quality, leaves of 24 triangles, depths up to
/// MO_MESH_MAX_DEPTH, a duplicate budget of 0.5, neither deformable nor compact.
MO_API mo_mesh_build_options mo_default_mesh_build_options(void);

/// A def with default options and host, a position stride of 12 and 32-bit indices; the caller must
/// set the arrays.
MO_API mo_mesh_def mo_default_mesh_def(void);

/// Makes a mesh with one reference, owned by the caller. Positions and indices are copied. Zero
/// triangles are legal. Degenerate triangles (corners exactly on a line) are stored: they count for
/// overlap, but no ray hits them. For a shape whose transform is singular, the corners in world
/// space, rounded to floats, decide whether a triangle is degenerate; for other shapes, the corners
/// of the mesh do. Errors: MO_ERROR_NULL_ARGUMENT (also for arrays whose count is not 0);
/// MO_ERROR_UNINITIALIZED_DEF (also of `build`); MO_ERROR_INVALID_ARGUMENT (stride, options);
/// MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE (beyond MO_MAX_COORDINATE or, top-down,
/// `build.bounds`) of vertices that a triangle uses; MO_ERROR_INVALID_INDEX; MO_ERROR_TOO_MANY;
/// MO_ERROR_OUT_OF_MEMORY; MO_ERROR_UNSUPPORTED (isa). Cost: O(n log n). Any thread.
MO_API mo_result mo_mesh_create(const mo_mesh_def *def, mo_mesh **mesh);

/// Adds a reference. Null is ignored. Any thread.
MO_API void mo_mesh_retain(mo_mesh *mesh);

/// Releases a reference; releasing the last one frees the mesh. Null is ignored. Any thread.
MO_API void mo_mesh_release(mo_mesh *mesh);

/// Inserts triangles into a mesh of MO_MESH_BUILDER_TOP_DOWN: `count` of them, three consecutive
/// tightly packed positions each, local frame. Their indices begin at `*first_index`. `user_data`
/// has one number per triangle or is null. No query may run on the mesh meanwhile. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNSUPPORTED (another builder); MO_ERROR_NOT_FINITE,
/// MO_ERROR_OUT_OF_RANGE (outside `build.bounds`) of a position, whose index is written to
/// `*first_bad`, see MO_NO_INDEX; MO_ERROR_TOO_MANY; MO_ERROR_OUT_OF_MEMORY; after any error the
/// mesh is unchanged. Cost: for each triangle, proportional to the leaf cells that it touches.
MO_API mo_result mo_mesh_insert_triangles(mo_mesh *mesh, const mo_vec3 *positions, uint32_t count,
                                          const uint32_t *user_data, uint32_t *first_index,
                                          size_t *first_bad);

/// An edit that changes nothing; the caller sets what is to change.
MO_API mo_mesh_edit_def mo_default_mesh_edit_def(void);

/// Adds, removes and replaces triangles of a mesh that was built as `editable`, and moves vertices.
/// Afterwards all queries and contacts give what a new mesh of the same triangles in the same order
/// would give, to the bit, but for the numbers of triangles; edges too, if it was built with
/// `edges`. One exception: where a contact has more points than a manifold can have, which of them
/// are kept may depend on the numbers of triangles, so they may be others once numbers have gaps.
/// Removed triangles do not exist: no query meets them, and functions that take the number of a
/// triangle return MO_ERROR_INVALID_INDEX, but mo_mesh_triangle_count still counts them. No query
/// may run on the mesh meanwhile. Scenes use the old bounds of its shapes, and contact trackers the
/// old contacts, until each such shape is refreshed (mo_scene_refresh_shape). Until then contacts
/// may name triangles that mo_scene_get_triangle refuses. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_UNSUPPORTED (not editable); MO_ERROR_INVALID_INDEX (a
/// vertex or triangle that does not exist); MO_ERROR_INVALID_ARGUMENT (a triangle that is named
/// twice); MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE of positions; MO_ERROR_TOO_MANY;
/// MO_ERROR_OUT_OF_MEMORY; after any error the mesh is unchanged. Cost: for each triangle that
/// changes, O(depth), and O(log triangles) for parts of the octree that are rebuilt, on average
/// over edits, each part at a bounded cost; for each vertex, its triangles. With `edges` also the
/// edges around them; O(triangles of the mesh) where sheets of the surface are split or merged, or
/// changed triangles are connected with no unchanged one, or a sheet has no two sides, as a Moebius
/// strip. Now and then arrays grow, which copies them; those of the octree also shrink, when most
/// of their memory is free. Those of triangles and vertices never shrink.
MO_API mo_result mo_mesh_edit(mo_mesh *mesh, const mo_mesh_edit_def *def);

/// Moves the vertices of a mesh that was built as `deformable`; its triangles keep their vertices.
/// `positions` has `vertex_count` positions, as many as mo_mesh_def had, `position_stride` bytes
/// apart, local frame; read during the call only. Afterwards all boxes of the octree are tight, so
/// every query is exact; `info`, which may be null, receives how well they still separate the
/// triangles. No query may run on the mesh meanwhile. Scenes use the old bounds of shapes of this
/// mesh until mo_scene_refresh_shape is called for each. Works through the host's tasks; the result
/// does not depend on them. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNSUPPORTED (not deformable);
/// MO_ERROR_INVALID_ARGUMENT (stride, count); MO_ERROR_TOO_MANY; MO_ERROR_NOT_FINITE and
/// MO_ERROR_OUT_OF_RANGE (of a vertex that a triangle uses; the lowest of them is `*first_bad`, see
/// MO_NO_INDEX). Cost: O(triangles), about as long as copying the octree; allocates nothing.
MO_API mo_result mo_mesh_refit(mo_mesh *mesh, const void *positions, size_t position_stride,
                               uint32_t vertex_count, mo_mesh_refit_info *info, size_t *first_bad);

/// Default options: a threshold of 1.5, no limit of triangles.
MO_API mo_mesh_rebuild_options mo_default_mesh_rebuild_options(void);

/// Rebuilds the parts of a deformable mesh's octree that refitting has degraded, with the options
/// that the mesh was built with, and leaves the rest as it is. Answers of queries do not change. No
/// query may run on the mesh meanwhile. `info` may be null. Works through the host's tasks; the
/// result does not depend on them. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_UNSUPPORTED (not deformable); MO_ERROR_INVALID_ARGUMENT (threshold);
/// MO_ERROR_OUT_OF_MEMORY; after any error the mesh is unchanged. Cost: O(nodes) if no part has
/// degraded; else that of building the degraded parts and copying the octree.
MO_API mo_result mo_mesh_rebuild_parts(mo_mesh *mesh, const mo_mesh_rebuild_options *options,
                                       mo_mesh_rebuild_info *info);

/// The tight box around all triangles, local frame (top-down: the declared box). The result is the
/// empty box (lower = +inf, upper = -inf) for null and for an empty mesh. Cost: O(1). Any thread,
/// concurrently with queries.
MO_API mo_aabb mo_mesh_bounds(const mo_mesh *mesh);

/// The number of triangles in the mesh, in a height field those of holes too; 0 for null. Cost:
/// O(1). Any thread, concurrently with queries.
MO_API uint32_t mo_mesh_triangle_count(const mo_mesh *mesh);

/// Copies one triangle: its corners, local frame, in the order in which they were given, and its
/// user data (`user_data` may be null). Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_INVALID_INDEX
/// (also of triangles in holes of height fields). Cost: O(1). Any thread, concurrently with
/// queries.
MO_API mo_result mo_mesh_get_triangle(const mo_mesh *mesh, uint32_t triangle, mo_vec3 corners[3],
                                      uint32_t *user_data);

/// How the surface continues across the edges of a triangle: from corner 0 to 1, from 1 to 2 and
/// from 2 to 0. Two triangles are neighbours if they share both ends of an edge, compared by
/// coordinates, not indices; their winding does not matter. The exact sign of the volume of the
/// tetrahedron of the triangle and the neighbour's third corner decides. There is no threshold, and
/// affine transforms change nothing (mirrors reverse the front too). Neighbours that are folded
/// back into the triangle's plane do not count, and neither do degenerate ones. All edges of
/// degenerate triangles are open, and edges with more than 64 triangles count as open. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNSUPPORTED (built without `edges`); MO_ERROR_INVALID_INDEX.
/// Cost: O(1). Any thread, concurrently with queries.
MO_API mo_result mo_mesh_get_edges(const mo_mesh *mesh, uint32_t triangle, mo_mesh_edge edges[3]);

/// Statistics of the triangle octree. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(nodes). Any thread,
/// concurrently with queries.
MO_API mo_result mo_mesh_get_stats(const mo_mesh *mesh, mo_mesh_stats *stats);

/// Checks every invariant of the octree: each triangle is referenced, references lie inside their
/// bounds, children inside their parents. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT, which
/// means a defect of the library; the host's log says which invariant is broken. Cost:
/// O(references). Any thread, concurrently with queries. For tests.
MO_API mo_result mo_mesh_validate(const mo_mesh *mesh);

MO_END_DECLS

/** \} */

#endif
