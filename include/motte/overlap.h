/** \defgroup overlap Overlaps (motte/overlap.h)
 *
 * What touches a region: a box, a ball, a point, or any convex shape under any transform, which
 * need not be in the scene. And triangles with their corners in the world.
 *
 * Whether there is any, all as a list, or one by one:
 *   - shapes of a scene: mo_scene_test_overlap, mo_scene_overlap_shapes, mo_scene_visit_overlaps;
 *   - triangles of a scene: mo_scene_test_triangles, mo_scene_overlap_triangles,
 *     mo_scene_visit_triangles;
 *   - triangles of one mesh: mo_mesh_test_overlap, mo_mesh_overlap_triangles,
 *     mo_mesh_visit_triangles.
 *
 * An oriented box is a MO_SHAPE_BOX under a transform, as a MO_OVERLAP_PRIMITIVE: exact, also where
 * it is sheared or rounded. A frustum is a MO_SHAPE_HULL of its eight corners: exact for shapes and
 * triangles, where planes (mo_scene_cull_planes) only compare boxes, each plane by itself. The hull
 * is made once, of the projection alone; then the camera is the transform:
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
 * Triangles in the world: a corner is mo_transform_point of the local corner by the shape's
 * transform. Queries decide by the same numbers before they are rounded to float, in double
 * precision. Corners come in the order in which the mesh was given them; under a transform that
 * mirrors they go round the other way.
 *
 * Errors, filters, lists, statistics and threads are as in motte/query.h. */
#ifndef MOTTE_OVERLAP_H
#define MOTTE_OVERLAP_H

#include <motte/query.h>

/** \{ */

/// Which region an overlap query is about.
typedef enum mo_overlap_type {
  MO_OVERLAP_AABB,   ///< what touches a box
  MO_OVERLAP_SPHERE, ///< what touches a ball
  /// What contains a point. A mesh contains what its surface encloses: a ray from the point, along
  /// +x in the mesh's space (in the world, if the transform has no inverse), crosses it an odd
  /// number of times. An open mesh encloses nothing, but a ray may cross it an odd number of times
  /// all the same: then it contains those points of its bounds (local ones, and the world AABB
  /// without margin) for which one does. Nothing outside of them.
  MO_OVERLAP_POINT,
  /// What touches a convex shape under a transform, a point, a segment or a triangle; none of them
  /// is in the scene. A point touches the surface of a mesh, not what that encloses.
  MO_OVERLAP_PRIMITIVE,
} mo_overlap_type;

/// A region, and which shapes that overlap it are wanted.
typedef struct mo_overlap_def {
  mo_overlap_type type; ///< which member of the union counts
  union {
    mo_aabb box;      ///< of MO_OVERLAP_AABB, world (of a mesh alone: local, as the others)
    mo_sphere sphere; ///< of MO_OVERLAP_SPHERE, world
    mo_vec3 point;    ///< of MO_OVERLAP_POINT, world
    /// Of MO_OVERLAP_PRIMITIVE; its transform goes to the world. Anything but a mesh. A half-space
    /// finds all that reaches behind a plane, exactly.
    mo_primitive primitive;
  };
  mo_filter filter;       ///< which shapes count; makes no difference on a mesh alone
  mo_precision precision; ///< whether their geometry or their boxes decide
  /// A triangle that does not count, of `ignore_triangle_shape`; MO_NO_TRIANGLE for none. Triangles
  /// that do not count make no difference to points, nor by MO_PRECISION_BOUNDS.
  uint32_t ignore_triangle;
  /// The shape that `ignore_triangle` belongs to; does not matter on a mesh alone.
  mo_shape_id ignore_triangle_shape;
  /// If not null: called for triangles that touch the region, in any order, each once at most;
  /// false lets one not count. A mesh touches the region where a triangle that counts does. On a
  /// mesh alone the shape is null.
  bool (*accept_triangle)(mo_shape_id shape, uint32_t triangle, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  uint32_t cookie;      ///< set by mo_default_overlap_def and the like; not for the caller
} mo_overlap_def;

/// A triangle where it is.
typedef struct mo_triangle {
  mo_shape_id shape;           ///< null on a mesh alone
  uint64_t user_data;          ///< the shape's; 0 on a mesh alone
  uint32_t triangle;           ///< its index in the mesh
  uint32_t triangle_user_data; ///< its own
  mo_vec3 corners[3];          ///< world (mesh alone: local), rounded to float
} mo_triangle;

MO_BEGIN_DECLS

/// A box of no size at the origin, default filter, exact geometry, all triangles.
MO_API mo_overlap_def mo_default_overlap_def(void);

/// What touches a box (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_aabb_def(mo_aabb box);

/// What touches a ball (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_sphere_def(mo_sphere sphere);

/// What contains a point (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_point_def(mo_vec3 point);

/// What touches a primitive (world); otherwise as mo_default_overlap_def.
MO_API mo_overlap_def mo_overlap_primitive_def(mo_primitive primitive);

/** \name Overlap
 * Touching counts. A mesh overlaps where one of its triangles does. Triangles are tested
 * in double precision in world space: box by separating axes (Akenine-Moeller 2001), sphere by
 * closest point (Ericson 2005, 5.1.5). Convex shapes under transforms: GJK (Gilbert et al. 1988).
 */
/** \{ */

/// Shapes that touch the region of the def (world), or contain its point: writes up to `capacity`
/// of them, ascending by index, and their `total`. Cost: nodes that the region meets, and an exact
/// test for each shape whose box it meets and, if it is a box, does not contain.
MO_API mo_result mo_scene_overlap_shapes(const mo_scene *scene, const mo_overlap_def *def,
                                         mo_shape_id *shapes, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

/// Whether any shape touches the region of the def (world), or contains its point: whether
/// mo_scene_overlap_shapes finds one. Cheaper, as it stops at the first.
MO_API mo_result mo_scene_test_overlap(const mo_scene *scene, const mo_overlap_def *def,
                                       bool *found, mo_query_stats *stats);

/// Gives the shapes of mo_scene_overlap_shapes one by one, in no particular order, with their user
/// data, to `visit`, which returns false to end the visit (that is no error). Cost: as there, up to
/// the end.
MO_API mo_result mo_scene_visit_overlaps(const mo_scene *scene, const mo_overlap_def *def,
                                         bool (*visit)(mo_shape_id shape, uint64_t user_data,
                                                       void *context),
                                         void *context, mo_query_stats *stats);

/// Triangles of mesh shapes that touch the region of the def (world): writes up to `capacity` of
/// them, ascending by (shape index, triangle), each once, and their `total`. Other shapes do not
/// count, and MO_PRECISION_BOUNDS makes no difference to triangles. Errors: also
/// MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT). Cost: nodes of scene and meshes that the region
/// meets, and a test for each triangle near it.
MO_API mo_result mo_scene_overlap_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                            mo_triangle_ref *triangles, uint32_t capacity,
                                            uint32_t *total, mo_query_stats *stats);

/// Whether any triangle of mesh shapes touches the region of the def (world): whether
/// mo_scene_overlap_triangles finds one. Cheaper, as it stops at the first. Errors: also
/// MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT).
MO_API mo_result mo_scene_test_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                         bool *found, mo_query_stats *stats);

/// Gives the triangles of mo_scene_overlap_triangles one by one, those of a shape together but else
/// in no particular order, each once, with corners in the world, to `visit`, which returns false to
/// end the visit (that is no error). Errors: also MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT).
/// Cost: as there, up to the end.
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

/// Gives the triangles of mo_mesh_overlap_triangles one by one, in no particular order, each once,
/// with local corners, to `visit`, which returns false to end the visit (that is no error). Errors:
/// also MO_ERROR_INVALID_ARGUMENT (MO_OVERLAP_POINT). Cost: as there, up to the end.
MO_API mo_result mo_mesh_visit_triangles(const mo_mesh *mesh, const mo_overlap_def *def,
                                         bool (*visit)(const mo_triangle *triangle, void *context),
                                         void *context, mo_query_stats *stats);

/// Triangles of one mesh that touch a box, in its local frame, as mo_mesh_overlap_triangles with
/// mo_overlap_aabb_def: writes up to `capacity` of them,
/// ascending by index, each once, and their `total`. Cost: nodes that the box meets, and a test for
/// each triangle near it.
MO_API mo_result mo_mesh_overlap_aabb(const mo_mesh *mesh, const mo_aabb *box, uint32_t *triangles,
                                      uint32_t capacity, uint32_t *total, mo_query_stats *stats);

/// Triangles of one mesh that touch a ball, in its local frame: writes up to `capacity` of them,
/// ascending by index, each once, and their `total`. Cost: nodes that the ball meets, and a test
/// for each triangle near it.
MO_API mo_result mo_mesh_overlap_sphere(const mo_mesh *mesh, const mo_sphere *sphere,
                                        uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                        mo_query_stats *stats);

/// Triangles of one mesh that touch a primitive, both in its local frame: writes up to `capacity`
/// of them, ascending by index, each once, and their `total`. By the test of mo_primitive_overlap.
/// Cost: nodes that the primitive's bounds meet, and a test for each triangle near it.
MO_API mo_result mo_mesh_overlap_primitive(const mo_mesh *mesh, const mo_primitive *primitive,
                                           uint32_t *triangles, uint32_t capacity, uint32_t *total,
                                           mo_query_stats *stats);

/// Whether a closed mesh encloses a point (local): the parity of crossings of a ray along +x, each
/// edge belonging to one of its triangles. Of an open mesh, the same parity for points in its
/// bounds; false outside of them.
MO_API mo_result mo_mesh_contains_point(const mo_mesh *mesh, mo_vec3 point, bool *inside,
                                        mo_query_stats *stats);

/** \} */

/** \name Triangles in the world */
/** \{ */

/// One triangle of a shape, with its corners in the world: of a hit, or of a list. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the shape is no mesh);
/// MO_ERROR_INVALID_INDEX. Cost: O(1).
MO_API mo_result mo_scene_get_triangle(const mo_scene *scene, mo_triangle_ref ref,
                                       mo_triangle *triangle);

/// Gives all triangles of a shape, ascending by index, with their corners in the world, to `visit`,
/// which returns false to end the visit (that is no error). Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the shape is no mesh). Cost: O(triangles).
MO_API mo_result mo_scene_visit_shape_triangles(const mo_scene *scene, mo_shape_id id,
                                                bool (*visit)(const mo_triangle *triangle,
                                                              void *context),
                                                void *context);

/** \} */

MO_END_DECLS

/** \} */

#endif
