/** \defgroup mesh Meshes (motte/mesh.h)
 *
 * Meshes: triangles in local space with a triangle octree over them.
 *
 * A mesh never changes after mo_mesh_create, except by mo_mesh_insert_triangles and mo_mesh_refit
 * where it was built for that. Any number of threads may query one mesh at once, and any number of
 * shapes in any number of scenes may refer to it. */
#ifndef MOTTE_MESH_H
#define MOTTE_MESH_H

#include <motte/math.h>

/** \{ */

/// Triangles with an octree over them; counts its references.
typedef struct mo_mesh mo_mesh;

/// "No triangle" wherever a triangle index is expected.
#define MO_NO_TRIANGLE UINT32_MAX

/// The most triangles that a mesh may have.
#define MO_MAX_TRIANGLES 0x3ffffffeu

/// How triangles refer to vertices.
typedef enum mo_index_type {
  MO_INDEX_NONE, ///< a soup: triangle i uses vertices 3i, 3i + 1, 3i + 2
  MO_INDEX_U16,  ///< three uint16_t per triangle
  MO_INDEX_U32,  ///< three uint32_t per triangle
} mo_index_type;

/// How the triangle octree is built.
typedef enum mo_mesh_builder {
  /// Irregular planes by surface-area heuristic. At MO_MESH_QUALITY_HIGH triangles that straddle a
  /// plane may be referred to from both sides, each reference with exactly clipped bounds, within
  /// `duplicate_budget`; at lower qualities that does not pay.
  MO_MESH_BUILDER_SPLIT,
  /// The same, but each triangle is stored once at any quality: what refitting needs.
  MO_MESH_BUILDER_SINGLE,
  /// A full tree of `depth` levels over `bounds` first, then insertion of the triangles; more may
  /// be inserted later by mo_mesh_insert_triangles.
  MO_MESH_BUILDER_TOP_DOWN,
} mo_mesh_builder;

/// What building takes, against what queries take.
typedef enum mo_mesh_quality {
  /// Cut along a Morton curve without a search: for meshes that are made while a game runs. Half of
  /// default's time (7 to 14 million triangles a second of one thread), 70 bytes a triangle for 57.
  /// Rays visit an eighth to a fifth more, in maps with vast triangles twice as much.
  MO_MESH_QUALITY_FAST,
  /// 16 bins per axis; large triangles are then moved to the nodes where they cost least.
  MO_MESH_QUALITY_DEFAULT,
  /// 32 bins; references may be split; all triangles are moved to the nodes where they cost least.
  /// Several times
  /// the time to build; rays visit some 5 % less, where triangles are long and thin up to 20 %.
  MO_MESH_QUALITY_HIGH,
} mo_mesh_quality;

/// How the octree of a mesh is built.
typedef struct mo_mesh_build_options {
  mo_mesh_builder builder; ///< where planes go and what becomes of triangles that straddle them
  mo_mesh_quality quality; ///< how thoroughly planes are searched for
  /// Leaves with at most this many triangles are not forced to split; 1 to 256. A leaf stores
  /// triangles in blocks of eight.
  uint32_t leaf_capacity;
  /// Upper bound on the depth of the tree, 1 to MO_MESH_MAX_DEPTH. What lies deeper stays in one
  /// leaf.
  uint32_t max_depth;
  /// Split references: duplicate references allowed, as a share of the triangle count, 0 to 8.
  float duplicate_budget;
  /// MO_MESH_BUILDER_TOP_DOWN: levels of the full tree, 1 to 6.
  uint32_t depth;
  /// MO_MESH_BUILDER_TOP_DOWN: the box that holds every triangle, now and later.
  mo_aabb bounds;
  /// MO_MESH_BUILDER_SINGLE: keeps what mo_mesh_refit needs, some 15 bytes a triangle.
  bool deformable;
  /// Three fifths of the memory, for meshes that do not change: on scans and game maps 32 to 36
  /// bytes a triangle in place of 55 to 60. Boxes of nodes are rounded outward to eight bits a
  /// side; triangles of a block share their vertices, which keep all bits (soups share none: there
  /// only nodes become smaller). No answer differs. Where the mesh is cached anyway, rays come at
  /// 0.82 to 0.94 times the rate, as a node takes longer to read and 2 % more are visited; coherent
  /// batches at 0.92 to 0.97 times. Building takes a quarter longer, and needs memory for both
  /// formats meanwhile. MO_ERROR_INVALID_ARGUMENT with `deformable` or MO_MESH_BUILDER_TOP_DOWN;
  /// MO_ERROR_TOO_MANY where the blocks of triangles take more than 16 GB.
  bool compact;
  /// Finds how the surface goes on across each edge (mo_mesh_get_edges), for contacts: one byte a
  /// triangle. MO_ERROR_INVALID_ARGUMENT with `deformable` or MO_MESH_BUILDER_TOP_DOWN.
  bool edges;
  uint32_t cookie; ///< set by mo_default_mesh_build_options; not for the caller
} mo_mesh_build_options;

/// How the surface goes on across an edge of one of its triangles. The front of a triangle is the
/// side from which its corners, as given, go round counter-clockwise.
typedef enum mo_mesh_edge {
  /// In the triangle's plane; or there are neighbours both in front and behind.
  MO_MESH_EDGE_FLAT,
  MO_MESH_EDGE_CONVEX,  ///< behind that plane: a ridge, as seen from the front
  MO_MESH_EDGE_CONCAVE, ///< in front of that plane: a valley, as seen from the front
  MO_MESH_EDGE_OPEN,    ///< nowhere: a border
} mo_mesh_edge;

/// The greatest depth that an octree of triangles may be given.
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
  mo_isa isa;                  ///< the instruction set of queries on the mesh alone
  mo_host host;                ///< memory, log and tasks of the mesh
  /// Output, may be null: see MO_NO_INDEX. With MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE the
  /// vertex, with MO_ERROR_INVALID_INDEX the place in `indices` (of triangle first_bad / 3), or
  /// without indices the first vertex that is missing.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_mesh_def; not for the caller
} mo_mesh_def;

/// What the octree of a mesh is made of.
typedef struct mo_mesh_stats {
  uint32_t triangle_count;            ///< as mo_mesh_triangle_count
  uint32_t degenerate_triangle_count; ///< kept; of zero area exactly: no ray hits them
  uint32_t vertex_count;              ///< that the mesh was given
  uint32_t node_count;                ///< 8-wide inner nodes
  uint32_t leaf_count;                ///< children of nodes that hold triangles
  uint32_t block_count;               ///< blocks of eight triangles in the leaves
  uint32_t reference_count;           ///< triangles in leaves, duplicates counted
  uint32_t duplicate_count;           ///< references beyond the first of each triangle
  uint32_t max_depth;                 ///< of a leaf; 1 where the root's children are leaves
  uint32_t leaf_count_at_depth[MO_MESH_MAX_DEPTH + 1]; ///< how many leaves there are at each depth
  size_t bytes;                                        ///< all memory the mesh holds
  double build_seconds;                                ///< wall time of the octree build
  /// Nodes that a random line which meets the root's bounds is expected to visit (surface-area
  /// ratio).
  double expected_node_visits;
  double expected_block_visits; ///< blocks that such a line is expected to visit
} mo_mesh_stats;

/// How good the octree of a deformable mesh is for its triangles where they are now.
typedef struct mo_mesh_refit_info {
  /// Nodes and blocks that a random line which meets the mesh's bounds is expected to visit
  /// (surface-area ratios).
  double expected_visits;
  double built_visits; ///< the same when the octree was built
  /// `expected_visits` over `built_visits`: 1 is as good as when built, 1.5 costs a ray half as
  /// much again. Meshes that move as a whole or stretch evenly stay near 1.
  double degradation;
} mo_mesh_refit_info;

/// Which parts of a deformable mesh's octree are to be rebuilt.
typedef struct mo_mesh_rebuild_options {
  /// Which subtrees are bad: those in which a ray is expected to make more than so many times the
  /// visits that it would have made when they were built. At least 1.
  float threshold;
  /// Rebuild no more triangles than this in one call, those first where it helps most. The whole
  /// octree is rebuilt if it fits and is worth it. Where its top has become bad, a quarter is set
  /// aside for that: the top is built over subtrees as they are, each of which counts as a
  /// triangle.
  uint32_t max_triangles;
  uint32_t cookie; ///< set by mo_default_mesh_rebuild_options; not for the caller
} mo_mesh_rebuild_options;

/// What mo_mesh_rebuild_parts has done.
typedef struct mo_mesh_rebuild_info {
  uint32_t subtree_count;     ///< that were rebuilt, without the top
  uint32_t triangle_count;    ///< in these subtrees
  mo_mesh_refit_info quality; ///< now; `built_visits` is that of the last build of the root
} mo_mesh_rebuild_info;

MO_BEGIN_DECLS

/// Default options: split builder, default quality, leaves of 24 triangles, depths up to
/// MO_MESH_MAX_DEPTH, a budget of 0.5, neither deformable nor compact.
MO_API mo_mesh_build_options mo_default_mesh_build_options(void);

/// A def with default options and host, a position stride of 12 and 32-bit indices; the arrays are
/// for the caller to set.
MO_API mo_mesh_def mo_default_mesh_def(void);

/// Makes a mesh with one reference, owned by the caller. Positions and indices are copied. Zero
/// triangles are legal. Degenerate triangles (corners on a line, exactly) are kept: they count for
/// overlap, but no ray hits them. For a shape whose transform is singular it is the corners in the
/// world, rounded to floats, that make a triangle degenerate; for others, those of the mesh.
/// Errors: MO_ERROR_NULL_ARGUMENT (also for arrays that a count calls for);
/// MO_ERROR_UNINITIALIZED_DEF (also of `build`);
/// MO_ERROR_INVALID_ARGUMENT (stride, options); MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (beyond
/// MO_MAX_COORDINATE or, top-down, `build.bounds`); MO_ERROR_INVALID_INDEX; MO_ERROR_TOO_MANY;
/// MO_ERROR_OUT_OF_MEMORY; MO_ERROR_UNSUPPORTED (isa).
/// Cost: O(n log n). Any thread.
MO_API mo_result mo_mesh_create(const mo_mesh_def *def, mo_mesh **mesh);

/// Adds a reference. Null is ignored. Any thread.
MO_API void mo_mesh_retain(mo_mesh *mesh);

/// Gives a reference back; the last one frees the mesh. Null is ignored. Any thread.
MO_API void mo_mesh_release(mo_mesh *mesh);

/// Inserts triangles into a mesh of MO_MESH_BUILDER_TOP_DOWN: `count` of them, three consecutive
/// tightly packed positions each. They get the indices from `*first_index` on. `user_data` has one
/// number per triangle or is null. Nothing may query the mesh meanwhile.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNSUPPORTED (another builder); MO_ERROR_NOT_FINITE,
/// MO_ERROR_OUT_OF_RANGE (outside `build.bounds`) of a position, which is `*first_bad`, see
/// MO_NO_INDEX; MO_ERROR_TOO_MANY; MO_ERROR_OUT_OF_MEMORY; after any error the mesh is unchanged.
/// Cost: per triangle, the leaf cells that it touches.
MO_API mo_result mo_mesh_insert_triangles(mo_mesh *mesh, const mo_vec3 *positions, uint32_t count,
                                          const uint32_t *user_data, uint32_t *first_index,
                                          size_t *first_bad);

/// Moves the vertices of a mesh that was built as `deformable`; its triangles keep their vertices.
/// `positions` has `vertex_count` positions, as many as mo_mesh_def had, `position_stride` bytes
/// apart, local frame; read during the call only. All boxes of the octree are tight afterwards, so
/// that every query is exact; how well they still separate the triangles is told in `info`, which
/// may be null. Nothing may query the mesh meanwhile. Scenes look for shapes of the mesh where they
/// were until mo_scene_refresh_shape is called for each. Works through the host's tasks; the result
/// does not depend on them.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNSUPPORTED (not deformable); MO_ERROR_INVALID_ARGUMENT
/// (stride, count); MO_ERROR_TOO_MANY; MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE (of a vertex
/// that a triangle uses; the lowest of them is `*first_bad`, see MO_NO_INDEX). Cost: O(triangles),
/// about that of copying the octree; allocates nothing.
MO_API mo_result mo_mesh_refit(mo_mesh *mesh, const void *positions, size_t position_stride,
                               uint32_t vertex_count, mo_mesh_refit_info *info, size_t *first_bad);

/// A threshold of 1.5, as many triangles as there are.
MO_API mo_mesh_rebuild_options mo_default_mesh_rebuild_options(void);

/// Rebuilds the parts of a deformable mesh's octree that have become bad by refitting, with the
/// options it was built with, and leaves the rest as it is. Answers do not change. Nothing may
/// query the mesh meanwhile. `info` may be null. Works through the host's tasks; the result does
/// not depend on them. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_UNSUPPORTED (not deformable);
/// MO_ERROR_INVALID_ARGUMENT (threshold); MO_ERROR_OUT_OF_MEMORY; after any error the mesh is
/// unchanged. Cost: O(nodes) where nothing is bad; else that of building what is, and of copying
/// the octree.
MO_API mo_result mo_mesh_rebuild_parts(mo_mesh *mesh, const mo_mesh_rebuild_options *options,
                                       mo_mesh_rebuild_info *info);

/// The tight box around all triangles, local frame (top-down: the declared box). An empty mesh has
/// the empty box (lower = +inf, upper = -inf), and so has null. Cost: O(1). Any thread, beside
/// queries.
MO_API mo_aabb mo_mesh_bounds(const mo_mesh *mesh);

/// How many triangles the mesh holds; 0 for null. Cost: O(1). Any thread, beside queries.
MO_API uint32_t mo_mesh_triangle_count(const mo_mesh *mesh);

/// Copies out one triangle: its corners, local frame, in the order that they were given in, and its
/// user data (`user_data` may be null). Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_INVALID_INDEX.
/// Cost: O(1). Any thread, beside queries.
MO_API mo_result mo_mesh_get_triangle(const mo_mesh *mesh, uint32_t triangle, mo_vec3 corners[3],
                                      uint32_t *user_data);

/// How the surface goes on across the edges of a triangle: from corner 0 to 1, from 1 to 2 and from
/// 2 to 0. Neighbours share both ends of an edge, by their coordinates, not their indices; whatever
/// their winding. It is the sign of the tetrahedron of the triangle and the neighbour's third corner
/// that tells, exactly; there is no threshold, and affine transforms change nothing (mirrors turn
/// the front with the rest). Neighbours that lie folded back in the triangle's plane do not count,
/// nor do degenerate ones. All edges of degenerate triangles are open, and edges with more than 64
/// triangles count as open.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNSUPPORTED (built without `edges`);
/// MO_ERROR_INVALID_INDEX. Cost: O(1). Any thread, beside queries.
MO_API mo_result mo_mesh_get_edges(const mo_mesh *mesh, uint32_t triangle, mo_mesh_edge edges[3]);

/// Statistics of the triangle octree. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(nodes). Any thread,
/// beside queries.
MO_API mo_result mo_mesh_get_stats(const mo_mesh *mesh, mo_mesh_stats *stats);

/// Checks every invariant of the octree: each triangle is referenced, references lie inside their
/// bounds, children inside their parents. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT, which
/// names a defect of the library; the host's log receives which. Cost: O(references). Any thread,
/// beside queries. For tests.
MO_API mo_result mo_mesh_validate(const mo_mesh *mesh);

MO_END_DECLS

/** \} */

#endif
