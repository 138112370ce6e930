/** \defgroup overlap Overlaps (motte/overlap.h)
 *
 * Overlap queries: shapes and triangles that touch a region. The region is a box, a ball, a point,
 * or any convex shape, mesh or compound under any transform; it need not be in the scene. Also,
 * functions that return triangles with their corners in world space.
 *
 * Each kind of query has three functions. They tell whether there is any overlap, list all
 * overlaps, or pass them one by one to a callback:
 *   - shapes of a scene: mo_scene_test_overlap, mo_scene_overlap_shapes, mo_scene_visit_overlaps;
 *   - triangles of a scene: mo_scene_test_triangles, mo_scene_overlap_triangles,
 *     mo_scene_visit_triangles;
 *   - triangles of one mesh: mo_mesh_test_overlap, mo_mesh_overlap_triangles,
 *     mo_mesh_visit_triangles.
 *
 * For two meshes there are mo_mesh_test_overlap_mesh and mo_mesh_overlap_mesh; for a mesh that may
 * intersect itself, mo_mesh_test_overlap_self and mo_mesh_overlap_self.
 *
 * A region that is a mesh is the surface of that mesh, whether it is open or closed: it touches the
 * solids, half-spaces and triangles that one of its own triangles touches, by mo_primitive_overlap.
 * So it touches neither a solid nor a mesh that lies wholly inside of it, nor a mesh that contains
 * it; but it touches a solid that contains it. A region that is a compound is the union of its
 * children (motte/compound.h).
 *
 * For an oriented box, use a MO_OVERLAP_PRIMITIVE that is a MO_SHAPE_BOX with a transform: it is
 * exact, even if sheared or rounded. For a frustum, use a MO_SHAPE_HULL of its eight corners: it is
 * exact for shapes and triangles, while mo_scene_cull_planes only compares boxes with each plane
 * separately. Create the hull once, from the projection alone; its transform is that of the camera:
 *
 *     mo_vec3 corners[8];
 *     result = mo_frustum_corners(projection, corners);
 *     mo_hull_def hull_def = mo_default_hull_def();
 *     hull_def.positions = corners;
 *     hull_def.position_count = 8;
 *     mo_geometry frustum = {.type = MO_SHAPE_HULL};
 *     result = mo_hull_create(&hull_def, &frustum.hull);
 *     // in each frame:
 *     mo_overlap_def def = mo_overlap_primitive_def(mo_primitive_of_geometry(&frustum, &camera));
 *
 * Triangles in world space: a world corner is mo_transform_point of the local corner by the shape's
 * transform. Queries test the same coordinates in double precision, before they are rounded to
 * float. Corners are returned in the mesh's original order; a mirroring transform reverses the
 * winding.
 *
 * Errors, filters, lists, statistics and threads are as in motte/query.h. */
#ifndef MOTTE_OVERLAP_H
#define MOTTE_OVERLAP_H

#include <motte/query.h>

/** \{ */

/// The kind of region of an overlap query.
typedef enum mo_overlap_type {
  MO_OVERLAP_AABB,   ///< shapes that touch a box
  MO_OVERLAP_SPHERE, ///< shapes that touch a ball
  /// Shapes that contain a point. A mesh contains the points that its surface encloses: a ray from
  /// the point along +x in the mesh's local space (in world space, if the transform has no inverse)
  /// crosses the surface an odd number of times. An open mesh encloses nothing, but such a ray may
  /// still cross it an odd number of times: such points count as contained if they lie in its
  /// bounds (the local bounds, and the world AABB without margin). No point outside these bounds is
  /// contained.
  MO_OVERLAP_POINT,
  /// Shapes that touch a primitive: a convex shape, mesh or compound under a transform, a point, a
  /// segment or a triangle, which is not in the scene. A point touches only the surface of a mesh,
  /// not its inside.
  MO_OVERLAP_PRIMITIVE,
} mo_overlap_type;

/// A region, and which of the overlapping shapes and triangles count.
typedef struct mo_overlap_def {
  mo_overlap_type type; ///< which member of the union counts
  union {
    mo_aabb box;      ///< the box of MO_OVERLAP_AABB, world (on a mesh alone all regions are local)
    mo_sphere sphere; ///< the ball of MO_OVERLAP_SPHERE, world
    mo_vec3 point;    ///< the point of MO_OVERLAP_POINT, world
    /// Of MO_OVERLAP_PRIMITIVE; its transform maps to world space. May be a mesh or compound, which
    /// must not change during the call. A half-space finds all shapes that reach behind a plane,
    /// exactly.
    mo_primitive primitive;
  };
  mo_filter filter;       ///< which shapes count; makes no difference on a mesh alone
  mo_precision precision; ///< whether exact geometry or stored boxes are tested
  /// A triangle of `ignore_triangle_shape` that does not count; MO_NO_TRIANGLE for none. This
  /// member and `accept_triangle` have no effect for MO_OVERLAP_POINT and MO_PRECISION_BOUNDS.
  uint32_t ignore_triangle;
  /// The shape that `ignore_triangle` belongs to; does not matter on a mesh alone.
  mo_shape_id ignore_triangle_shape;
  uint32_t ignore_triangle_child; ///< the child of that shape; 0 without children
  /// If not null: called for triangles that touch the region, in any order, at most once each;
  /// return false for a triangle that does not count. A mesh touches the region if one of its
  /// triangles that count does. On a mesh alone the shape is null.
  bool (*accept_triangle)(mo_triangle_ref triangle, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  uint32_t cookie;      ///< set by mo_default_overlap_def and the like; not for the caller
} mo_overlap_def;

/// A triangle with its corners in the frame of the query.
typedef struct mo_triangle {
  mo_shape_id shape;           ///< the triangle's shape; null in queries on one mesh
  uint32_t child;              ///< which child of a compound is the mesh; else 0
  uint64_t user_data;          ///< user data of the shape or child; 0 in queries on one mesh
  uint32_t triangle;           ///< its index in the mesh
  uint32_t triangle_user_data; ///< the triangle's own user data
  mo_vec3 corners[3];          ///< in the frame of the query (world or local), rounded to float
} mo_triangle;

/// A shape of a scene, or a child of a compound in it.
typedef struct mo_child_ref {
  mo_shape_id shape; ///< the shape
  uint32_t child;    ///< which child, if the shape is a compound (mo_compound_find_path); else 0
} mo_child_ref;

/// Options for the overlap of two meshes: the second mesh, and the transforms of both.
typedef struct mo_overlap_mesh_def {
  const mo_mesh *other;         ///< may be the same mesh; must not change during the call
  mo_transform transform;       ///< of the mesh that the function is called with, to the world
  mo_transform other_transform; ///< of `other`, to the world
  uint32_t cookie;              ///< set by mo_default_overlap_mesh_def; not for the caller
} mo_overlap_mesh_def;

/// A triangle of each of two meshes.
typedef struct mo_triangle_pair {
  uint32_t triangle; ///< index of a triangle of the mesh that the function was called with
  uint32_t other;    ///< index of a triangle of the other mesh
} mo_triangle_pair;

/// Where two triangles intersect.
typedef struct mo_triangle_segment {
  mo_vec3 from; ///< one end, world
  mo_vec3 to;   ///< the other end, world; equal to `from` if the triangles touch in one point only
  bool is_coplanar; ///< the triangles lie in one plane, and may have more than a segment in common
} mo_triangle_segment;

MO_BEGIN_DECLS

/// A def of a box of size zero at the origin, with default filter, exact geometry and all
/// triangles.
MO_API mo_overlap_def mo_default_overlap_def(void);

/// A def for shapes that touch a box (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_aabb_def(mo_aabb box);

/// A def for shapes that touch a ball (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_sphere_def(mo_sphere sphere);

/// A def for shapes that contain a point (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_point_def(mo_vec3 point);

/// A def for shapes that touch a primitive (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_primitive_def(mo_primitive primitive);

/** \name Overlap
 * Touching counts. A mesh overlaps a region if one of its triangles does. Triangles are tested in
 * double precision in world space: against boxes by separating axes (Akenine-Moeller 2001), against
 * spheres by their closest point (Ericson 2005, 5.1.5), against convex shapes under transforms and
 * against triangles of a mesh by GJK (Gilbert et al. 1988). Errors of all functions with a def:
 * also MO_ERROR_NULL_ARGUMENT (a mesh, hull or compound of the primitive), and what
 * mo_primitive_cast_ray says of primitives that are neither meshes nor compounds. If the region is
 * a mesh, each shape near it costs a query on that mesh, or one on both meshes
 * (mo_mesh_test_overlap_mesh); and each triangle in a list, or offered to `accept_triangle`, a
 * query on that mesh. A compound costs that for each of its children near the shape, found by its
 * octree; for triangles, a query on the mesh for each child near it, and where more than 1,536
 * triangles of a mesh touch, a test of each of the others with further children near it. 36 KiB of
 * stack; for a compound 46, and 6 for each level of nesting.
 */
/** \{ */

/// Shapes that touch the region of the def (world), or contain its point: writes up to `capacity`
/// of them, ascending by index, and their `total`. Cost: nodes that the region meets, and an exact
/// test for each shape whose box it meets (a region that is a box skips the test if it contains the
/// shape's box).
MO_API mo_result mo_scene_overlap_shapes(const mo_scene *scene, const mo_overlap_def *def,
                                         mo_shape_id *shapes, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

/// Whether any shape touches the region of the def (world), or contains its point: whether
/// mo_scene_overlap_shapes finds one. Cheaper, as it stops at the first.
MO_API mo_result mo_scene_test_overlap(const mo_scene *scene, const mo_overlap_def *def,
                                       bool *found, mo_query_stats *stats);

/// Calls `visit` for each shape of mo_scene_overlap_shapes, in no particular order, with its user
/// data; `visit` returns false to stop early (not an error). Cost: that of mo_scene_overlap_shapes
/// up to the stop.
MO_API mo_result mo_scene_visit_overlaps(const mo_scene *scene, const mo_overlap_def *def,
                                         bool (*visit)(mo_shape_id shape, uint64_t user_data,
                                                       void *context),
                                         void *context, mo_query_stats *stats);

/// The shapes of mo_scene_overlap_shapes, with each child of a compound that touches the region by
/// itself: writes up to `capacity` of them, ascending by (shape index, child), and their `total`.
/// With MO_PRECISION_BOUNDS compounds are listed as a whole, as child 0. Cost: that of
/// mo_scene_overlap_shapes, and a test for each child near the region.
MO_API mo_result mo_scene_overlap_children(const mo_scene *scene, const mo_overlap_def *def,
                                           mo_child_ref *children, uint32_t capacity,
                                           uint32_t *total, mo_query_stats *stats);

/// Triangles of mesh shapes that touch the region of the def (world): writes up to `capacity` of
/// them, ascending by (shape index, triangle), each once, and their `total`. Other shapes do not
/// count; `precision` makes no difference. Errors: also MO_ERROR_INVALID_ARGUMENT
/// (MO_OVERLAP_POINT). Cost: nodes of scene and meshes that the region meets, and a test for each
/// triangle near it.
MO_API mo_result mo_scene_overlap_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                            mo_triangle_ref *triangles, uint32_t capacity,
                                            uint32_t *total, mo_query_stats *stats);

/// Whether any triangle of mesh shapes touches the region of the def (world): whether
/// mo_scene_overlap_triangles finds one. Cheaper, as it stops at the first. Errors: also
/// MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT).
MO_API mo_result mo_scene_test_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                         bool *found, mo_query_stats *stats);

/// Calls `visit` once for each triangle of mo_scene_overlap_triangles, with corners in world space.
/// The triangles of a shape follow one another; otherwise the order is arbitrary. `visit` returns
/// false to stop early (not an error). Errors: also MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT).
/// Cost: that of mo_scene_overlap_triangles up to the stop.
MO_API mo_result mo_scene_visit_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                          bool (*visit)(const mo_triangle *triangle, void *context),
                                          void *context, mo_query_stats *stats);

/// Triangles of one mesh that touch the region of the def, in its local frame: writes up to
/// `capacity` of them, ascending by index, each once, and their `total`. Filter and precision make
/// no difference. Errors: also MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT). Cost: nodes that the
/// region meets, and a test for each triangle near it.
MO_API mo_result mo_mesh_overlap_triangles(const mo_mesh *mesh, const mo_overlap_def *def,
                                           uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                           mo_query_stats *stats);

/// Whether any triangle of one mesh touches the region of the def, in its local frame: whether
/// mo_mesh_overlap_triangles finds one. Cheaper, as it stops at the first. Errors: also
/// MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT).
MO_API mo_result mo_mesh_test_overlap(const mo_mesh *mesh, const mo_overlap_def *def, bool *found,
                                      mo_query_stats *stats);

/// Calls `visit` once for each triangle of mo_mesh_overlap_triangles, in no particular order, with
/// local corners; `visit` returns false to stop early (not an error). Errors: also
/// MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT). Cost: that of mo_mesh_overlap_triangles up to the
/// stop.
MO_API mo_result mo_mesh_visit_triangles(const mo_mesh *mesh, const mo_overlap_def *def,
                                         bool (*visit)(const mo_triangle *triangle, void *context),
                                         void *context, mo_query_stats *stats);

/// Triangles of one mesh that touch a box, in its local frame, as mo_mesh_overlap_triangles with
/// mo_overlap_aabb_def: writes up to `capacity` of them, ascending by index, each once, and their
/// `total`. Cost: nodes that the box meets, and a test for each triangle near it.
MO_API mo_result mo_mesh_overlap_aabb(const mo_mesh *mesh, const mo_aabb *box, uint32_t *triangles,
                                      uint32_t capacity, uint32_t *total, mo_query_stats *stats);

/// Triangles of one mesh that touch a ball, in its local frame: writes up to `capacity` of them,
/// ascending by index, each once, and their `total`. Cost: nodes that the ball meets, and a test
/// for each triangle near it.
MO_API mo_result mo_mesh_overlap_sphere(const mo_mesh *mesh, const mo_sphere *sphere,
                                        uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                        mo_query_stats *stats);

/// Triangles of one mesh that touch a primitive, which may be another mesh or a compound, both in
/// its local frame: writes up to `capacity` of them, ascending by index, each once, and their
/// `total`. Uses the test of mo_primitive_overlap. Cost: nodes that the primitive's bounds meet,
/// and a test for each triangle near it. (The pairs of triangles of two meshes:
/// mo_mesh_overlap_mesh.)
MO_API mo_result mo_mesh_overlap_primitive(const mo_mesh *mesh, const mo_primitive *primitive,
                                           uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                           mo_query_stats *stats);

/// A def without another mesh, which the caller has to set, and with both meshes at the origin.
MO_API mo_overlap_mesh_def mo_default_overlap_mesh_def(void);

/// Whether two meshes touch: whether mo_mesh_overlap_mesh finds a pair. Cheaper, as it stops at the
/// first. Errors: as mo_mesh_overlap_mesh.
MO_API mo_result mo_mesh_test_overlap_mesh(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                                           bool *found, mo_query_stats *stats);

/// Pairs of triangles of two meshes that touch, each mesh under its own transform (any affine map,
/// also one that mirrors, shears or flattens): writes up to `capacity` of them, ascending by
/// (triangle, other), each once, and their `total`, at most UINT32_MAX. Only surfaces count: a mesh
/// within another one does not touch it. Two triangles touch if mo_primitive_overlap finds that
/// they do; degenerate ones count as segments and points. The result is the same as from a loop
/// over all pairs. `pair_count` of the statistics counts tests of two triangles. Errors:
/// MO_ERROR_NULL_ARGUMENT (also the `other` of the def, and `pairs` where `capacity` is not 0);
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also if a transform
/// takes a mesh, or a corner of its box, beyond MO_MAX_COORDINATE). Method: a traversal of both
/// octrees at once that compares boxes in the spaces of both meshes (Gottschalk, Lin and Manocha
/// 1996). Cost: pairs of nodes that meet, pairs of triangles whose boxes do, and about 1 µs for
/// each pair that no axis separates and no edge surely pierces; 16 KiB of stack.
MO_API mo_result mo_mesh_overlap_mesh(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                                      mo_triangle_pair *pairs, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

/// Calls `visit` once for each pair of mo_mesh_overlap_mesh, in no particular order, in constant
/// memory; `visit` returns false to stop early (not an error). Errors: as mo_mesh_overlap_mesh.
/// Cost: that of mo_mesh_overlap_mesh up to the stop.
MO_API mo_result mo_mesh_visit_overlap_mesh(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                                            bool (*visit)(mo_triangle_pair pair, void *context),
                                            void *context, mo_query_stats *stats);

/// The segments in which pairs of triangles of two meshes intersect, such as pairs from
/// mo_mesh_overlap_mesh with the same def, or, with the mesh itself as `other`, from
/// mo_mesh_overlap_self: `count` of them, in the order of the pairs. If two triangles lie in one
/// plane, to within 1e-12 of their sizes and 4e-15 of their coordinates (sums over all corners),
/// and neither is degenerate, the segment joins the two points of their common polygon that are
/// farthest apart. If they touch only to within the tolerance of mo_mesh_overlap_mesh, if both are
/// degenerate, or if they do not touch, both ends are one point between their closest points.
/// Errors: as mo_mesh_overlap_mesh; MO_ERROR_NULL_ARGUMENT (`pairs` or `segments` where `count` is
/// not 0); MO_ERROR_INVALID_INDEX (a pair with a triangle that its mesh does not have; nothing is
/// written then). Cost: O(count).
MO_API mo_result mo_mesh_get_overlap_segments(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                                              const mo_triangle_pair *pairs, uint32_t count,
                                              mo_triangle_segment *segments);

/// Whether a mesh intersects itself: whether mo_mesh_overlap_self finds a pair. Cheaper, as it
/// stops at the first. Errors: MO_ERROR_NULL_ARGUMENT.
MO_API mo_result mo_mesh_test_overlap_self(const mo_mesh *mesh, bool *found, mo_query_stats *stats);

/// Pairs of triangles of one mesh that intersect (local): writes up to `capacity` of them,
/// ascending by (triangle, other), each two triangles once, the lower one first, and their `total`,
/// at most UINT32_MAX. Triangles without a common corner count if they touch, as in
/// mo_mesh_overlap_mesh. Corners are common if their positions are equal, whether or not by the
/// same index. Triangles with common corners count if they overlap beyond these: with one, if the
/// edge opposite to it of one triangle touches the other triangle, or one of its other corners if
/// it is degenerate; with two, if both triangles lie in one plane, on the same side of the common
/// edge, and neither is degenerate (decided exactly); with three, always. `pair_count` of the
/// statistics counts tests of two triangles. Errors: MO_ERROR_NULL_ARGUMENT (also `pairs` where
/// `capacity` is not 0). Cost: that of mo_mesh_overlap_mesh for a mesh with a copy of itself, but
/// each pair of nodes once: some microseconds for each triangle, as all neighbours touch; 16 KiB of
/// stack.
MO_API mo_result mo_mesh_overlap_self(const mo_mesh *mesh, mo_triangle_pair *pairs,
                                      uint32_t capacity, uint32_t *total, mo_query_stats *stats);

/// Calls `visit` once for each pair of mo_mesh_overlap_self, in no particular order, in constant
/// memory; `visit` returns false to stop early (not an error). Errors: MO_ERROR_NULL_ARGUMENT.
/// Cost: that of mo_mesh_overlap_self up to the stop.
MO_API mo_result mo_mesh_visit_overlap_self(const mo_mesh *mesh,
                                            bool (*visit)(mo_triangle_pair pair, void *context),
                                            void *context, mo_query_stats *stats);

/// Whether a closed mesh encloses a point (local): the parity of the crossings of a ray along +x,
/// where each edge belongs to exactly one of its triangles. For an open mesh, the same parity for
/// points in its bounds, and false outside of them.
MO_API mo_result mo_mesh_contains_point(const mo_mesh *mesh, mo_vec3 point, bool *inside,
                                        mo_query_stats *stats);

/** \} */

/** \name Triangles in the world */
/** \{ */

/// Returns one triangle of a shape, such as one from a hit or a list, with its corners in world
/// space. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the shape
/// or child is no mesh); MO_ERROR_INVALID_INDEX (also of a child). Cost: O(1); for a child that of
/// mo_compound_find_path.
MO_API mo_result mo_scene_get_triangle(const mo_scene *scene, mo_triangle_ref ref,
                                       mo_triangle *triangle);

/// Calls `visit` for all triangles of a mesh shape, or of the meshes among the children of a
/// compound, ascending by (child, index), with their corners in world space; `visit` returns false
/// to stop early (not an error). Children beyond MO_MAX_COORDINATE are left out. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the shape is neither a
/// mesh nor a compound). Cost: O(triangles), and O(log children) per level for each child.
MO_API mo_result mo_scene_visit_shape_triangles(const mo_scene *scene, mo_shape_id id,
                                                bool (*visit)(const mo_triangle *triangle,
                                                              void *context),
                                                void *context);

/** \} */

MO_END_DECLS

/** \} */

#endif
