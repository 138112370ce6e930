/** \defgroup cast Casts (motte/cast.h)
 *
 * Moving convex shapes: what they touch along their path, first, at all, or each in order.
 *
 * A cast moves a shape by `displacement` while t goes from 0 to 1; balls aside, it may turn.
 * Touching counts, also at the very end. A shape that touches or overlaps something at the start is
 * reported at t = 0, with the depth and a direction that leads out.
 *
 * Errors, statistics, threads and exactness are as in motte/query.h: the answer is that of a loop
 * over all shapes and triangles with the same test, bit for bit. The tests themselves are done in
 * double precision. Of triangles, by closed forms: they find t to within some 2^-48 of the
 * coordinates and the displacement, by the distance that is left or missing then. Of solids, by
 * conservative advancement, which never passes the contact by more than 2^-45 of the sizes and the
 * displacement; mostly as much is left at most, and up to 1e-7 of the sizes in rare cases, as in
 * mo_primitive_find_distance. Then t is rounded to the nearest float. A cast that starts with its
 * centre in a solid takes 40 KiB of stack. */
#ifndef MOTTE_CAST_H
#define MOTTE_CAST_H

#include <motte/movement.h>
#include <motte/query.h>

/** \{ */

/// A ball and its path through a scene, or a mesh.
typedef struct mo_sphere_cast_def {
  mo_sphere sphere;     ///< at t = 0, world (of a mesh alone: local); its radius may be 0
  mo_vec3 displacement; ///< while t goes from 0 to 1; may be 0
  bool hit_volumes; ///< let MO_SHAPE_VOLUME shapes be hit, as their boxes; else they are ignored
  /// Triangles do not count whose unit normal (mo_ray_hit has it), rounded to float, has a positive
  /// product with the displacement: those met from behind, and those overlapped at the start that
  /// the displacement leads out of. Degenerate triangles have no normal and count.
  bool cull_back_faces;
  /// Contacts count only where the displacement leads against their normal by more than this:
  /// -dot(normal, displacement) > min_approach, with the normal of the hit. 0 lets what moves
  /// leave, or slide along, what it touches or overlaps at the start. Negative: all contacts count.
  float min_approach;
  /// Of lists on scenes: every triangle that is touched is listed, not only the first of each mesh.
  bool every_triangle;
  mo_filter filter; ///< which shapes the ball may touch
  /// The shape that `ignore_triangle` belongs to; does not matter on a mesh alone.
  mo_shape_id ignore_triangle_shape;
  /// A triangle to pass through (the one that it stands on). MO_NO_TRIANGLE for none.
  uint32_t ignore_triangle;
  /// If not null: called for each candidate triangle that is touched; false lets the cast pass. May
  /// be called in any order, and for contacts that turn out not to be the first. On a mesh alone
  /// the shape is null.
  bool (*accept_triangle)(mo_shape_id shape, uint32_t triangle, float t, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  uint32_t cookie;      ///< set by mo_default_sphere_cast_def; not for the caller
} mo_sphere_cast_def;

/// The path of a convex shape through a scene, in which it need not be, or a mesh.
typedef struct mo_shape_cast_def {
  /// What moves, at t = 0; its transform goes to the world (of a mesh alone: to its local frame). A
  /// convex shape, also one that is rounded, sheared, mirrored or flattened; a volume, as its world
  /// box; a point, segment or triangle; a half-space, as a wall that closes in. Anything but a
  /// mesh.
  mo_primitive primitive;
  mo_vec3 displacement; ///< while t goes from 0 to 1; may be 0
  mo_vec3 pivot;        ///< what turns, turns about this point, which moves along: see mo_movement
  mo_vec3 axis;         ///< of any length; not zero where `angle` is not 0
  float angle;          ///< radians, from -2 pi to 2 pi; 0: it does not turn
  /// MO_PRECISION_BOUNDS: the world AABB of the primitive, around all its orientations, moves
  /// against the boxes under which shapes are stored (mo_scene_get_bounds), of meshes too; a broad
  /// phase. A half-space has no box: it moves itself against them, and stands in the way itself. On
  /// a mesh alone it makes no difference.
  mo_precision precision;
  bool hit_volumes; ///< let MO_SHAPE_VOLUME shapes be hit, as their boxes; else they are ignored
  /// Triangles do not count whose unit normal (mo_ray_hit has it), rounded to float, has a positive
  /// product with the displacement (of what turns: the velocity of the point of contact): those met
  /// from behind, and those overlapped at the start that it leads out of. Degenerate triangles have
  /// no normal and count.
  bool cull_back_faces;
  /// Contacts count only where the displacement leads against their normal by more than this:
  /// -dot(normal, displacement) > min_approach, with the normal of the hit, and the velocity of the
  /// point of contact as displacement of what turns. 0 lets what moves leave, or slide along, what
  /// it touches or overlaps at the start; a shape that turns passes what it leaves so, though it
  /// may turn back into it. Negative: all contacts count.
  float min_approach;
  /// Of lists on scenes: every triangle that is touched is listed, not only the first of each mesh.
  bool every_triangle;
  mo_filter filter; ///< which shapes it may touch
  /// The shape that `ignore_triangle` belongs to; does not matter on a mesh alone.
  mo_shape_id ignore_triangle_shape;
  /// A triangle to pass through (the one that it stands on). MO_NO_TRIANGLE for none.
  uint32_t ignore_triangle;
  /// If not null: called for each candidate triangle that is touched; false lets the cast pass. May
  /// be called in any order, and for contacts that turn out not to be the first. On a mesh alone
  /// the shape is null.
  bool (*accept_triangle)(mo_shape_id shape, uint32_t triangle, float t, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  uint32_t cookie;      ///< set by mo_default_shape_cast_def; not for the caller
} mo_shape_cast_def;

/// The first contact of a cast.
typedef struct mo_cast_hit {
  bool found;                  ///< false: nothing is in the way, and nothing below is set
  mo_shape_id shape;           ///< null on a mesh alone
  uint64_t user_data;          ///< the shape's
  uint32_t triangle;           ///< the triangle that is touched; MO_NO_TRIANGLE of a solid
  uint32_t triangle_user_data; ///< the triangle's; 0 of a solid
  float t;                     ///< from 0 to 1, of the displacement
  mo_vec3 point;               ///< the point of contact, in the frame of the query
  /// Unit vector out of what is touched, towards the shape: from the point of contact to the centre
  /// of the ball. Where the centre itself lies on the triangle (to within 2^-44 of the coordinates:
  /// at the start, or of a ball without a radius), the triangle's normal on the side that the ball
  /// comes from; of a degenerate one, across it. Where it lies in a solid, the shortest way out, as
  /// mo_primitive_find_penetration has it.
  mo_vec3 normal;
  /// At t = 0, how far the shape has to be moved along `normal` not to overlap the triangle or
  /// solid any more; else 0.
  float depth;
  /// The part of what is touched that reaches farthest along the normal; the point of contact lies
  /// on it. Edges count as across the normal up to an angle of 2^-16, faces up to 2^-14, so that a
  /// box that is put down on a floor touches it with a face, but for rounding, and not with a
  /// corner; of several faces of a hull that are as flat as that, the flattest at its vertex.
  mo_feature feature;
  uint32_t feature_index; ///< of the vertex, edge or face
  /// The part of the moving shape, as it stands at t, that reaches farthest against the normal. By
  /// MO_PRECISION_BOUNDS both are those of boxes.
  mo_feature own_feature;
  uint32_t own_feature_index; ///< of the vertex, edge or face
} mo_cast_hit;

MO_BEGIN_DECLS

/// A point at the origin that does not move; both sides of triangles and all contacts count,
/// default filter, volumes ignored, no callback.
MO_API mo_sphere_cast_def mo_default_sphere_cast_def(void);

/// A point at the origin that does not move; exact geometry, both sides of triangles and all
/// contacts count, default filter, volumes ignored, no callback.
MO_API mo_shape_cast_def mo_default_shape_cast_def(void);

/** \name Balls
 * Triangles by closed forms, solids by conservative advancement of the centre. Errors of all:
 * MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE (also an approach that is
 * NaN); MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (negative radius). */
/** \{ */

/// Moves a ball until it touches a shape: the surface of a mesh, from either side, or a solid, by
/// exact geometry under any transform, also one that shears, mirrors or flattens. However fast the
/// ball and thin the shape, it does not pass through. Of shapes touched at the same t, the lower
/// one is taken, then the lower triangle; at t = 0 the one whose nearest point is closest to the
/// centre, where several solids have the centre in them the lowest. Cost: nodes whose boxes the
/// ball meets before the first contact, nearer ones first, in the scene and in each mesh along the
/// path; some five distances for each such solid.
MO_API mo_result mo_scene_cast_sphere(const mo_scene *scene, const mo_sphere_cast_def *def,
                                      mo_cast_hit *hit, mo_query_stats *stats);

/// Moves a ball until it touches a triangle of a mesh (its surface, from either side); ball,
/// displacement and hit are local. Degenerate triangles count as the segments or points they are.
/// Of triangles touched at the same t, the lower index is taken; at t = 0 the one that is
/// overlapped deepest. Filter and volumes make no difference. Cost: nodes whose boxes the ball
/// meets before the first contact, nearer ones first; seven closed forms for each triangle tested.
MO_API mo_result mo_mesh_cast_sphere(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                     mo_cast_hit *hit, mo_query_stats *stats);

/// Whether a moving ball touches any shape of a scene: what mo_scene_cast_sphere says in `found`.
/// Cheaper, as it stops at the first contact that it comes upon.
MO_API mo_result mo_scene_test_sphere_cast(const mo_scene *scene, const mo_sphere_cast_def *def,
                                           bool *found, mo_query_stats *stats);

/// Whether a moving ball touches any triangle of a mesh: what mo_mesh_cast_sphere says in `found`.
/// Cheaper, as it stops at the first contact that it comes upon.
MO_API mo_result mo_mesh_test_sphere_cast(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                          bool *found, mo_query_stats *stats);

/// What a moving ball touches on all of its path, each shape where it is touched first, sorted by
/// (t, shape index, triangle): of a mesh the contact of mo_scene_cast_sphere with it alone, or that
/// of each triangle where `every_triangle` is set. Writes up to `capacity` of them, the first in
/// that order, and their `total`. Cost: all nodes whose boxes the ball meets along the path, and
/// the shapes and triangles there; a heap where `total` is above `capacity`.
MO_API mo_result mo_scene_cast_sphere_all(const mo_scene *scene, const mo_sphere_cast_def *def,
                                          mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                          mo_query_stats *stats);

/// All triangles of a mesh that a moving ball touches on its path, each where it is touched first,
/// sorted by (t, triangle). Writes up to `capacity` of them, the first in that order, and their
/// `total`. Cost: all nodes whose boxes the ball meets along the path.
MO_API mo_result mo_mesh_cast_sphere_all(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                         mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

/** \} */

/** \name Convex shapes
 * By conservative advancement over the distance of two shapes (after Mirtich 1996), which never
 * passes the contact by more than 2^-45 of the sizes and the displacement. What turns may be found
 * in contact early, by 2^-23 of the extents of its bounds: mo_primitive_cast_turning. Errors of
 * all: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE;
 * MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (what mo_primitive_cast_ray says of primitives;
 * no such precision; an angle beyond 2 pi or without an axis). */
/** \{ */

/// Moves a convex shape, which may turn, until it touches a shape of the scene: the surface of
/// a mesh, from either side, or a solid, by exact geometry under any transforms. However fast it is
/// and thin the other, it does not pass through. `point` lies on what is touched, `normal` leads
/// from there to the moving shape: across the plane that was last between the two. Of shapes
/// touched at the same t, the lower one is taken, then the lower triangle; at t = 0 the one that is
/// overlapped deepest, with its depth and shortest way out as mo_primitive_find_penetration has
/// them. For balls against meshes mo_scene_cast_sphere is several times as fast. By
/// MO_PRECISION_BOUNDS, a box meets boxes, in closed form: the normal is that of the side that is
/// touched last, the point the middle of the sides' common part. Cost: nodes whose boxes the moving
/// shape's box meets before the first contact, nearer ones first, in the scene and in each mesh on
/// the way; some five to ten distances, of 1 to 25 µs, for each triangle and solid that is near.
MO_API mo_result mo_scene_cast_shape(const mo_scene *scene, const mo_shape_cast_def *def,
                                     mo_cast_hit *hit, mo_query_stats *stats);

/// Moves a convex shape until it touches a triangle of a mesh (its surface, from either side); all
/// is local, as is the hit. The contact is that of a scene with this mesh alone: of triangles
/// touched at the same t, the lower index is taken; at t = 0 the one that is overlapped deepest.
/// Filter and volumes make no difference. Cost: nodes whose boxes the moving shape's box meets
/// before the first contact, nearer ones first; some five to ten distances for each triangle that
/// is near.
MO_API mo_result mo_mesh_cast_shape(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                    mo_cast_hit *hit, mo_query_stats *stats);

/// Whether a moving convex shape touches any shape of a scene: what mo_scene_cast_shape says in
/// `found`. Cheaper, as it stops at the first contact that it comes upon.
MO_API mo_result mo_scene_test_shape_cast(const mo_scene *scene, const mo_shape_cast_def *def,
                                          bool *found, mo_query_stats *stats);

/// Whether a moving convex shape touches any triangle of a mesh: what mo_mesh_cast_shape says in
/// `found`. Cheaper, as it stops at the first contact that it comes upon.
MO_API mo_result mo_mesh_test_shape_cast(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                         bool *found, mo_query_stats *stats);

/// What a moving convex shape touches on all of its path, each shape where it is touched first,
/// sorted by (t, shape index, triangle): of a mesh the contact of mo_scene_cast_shape with it
/// alone, or that of each triangle where `every_triangle` is set. Writes up to `capacity` of them,
/// the first in that order, and their `total`. Cost: all nodes whose boxes the shape's box meets
/// along the path, and the shapes and triangles there; a heap where `total` is above `capacity`.
MO_API mo_result mo_scene_cast_shape_all(const mo_scene *scene, const mo_shape_cast_def *def,
                                         mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

/// All triangles of a mesh that a moving convex shape touches on its path, each where it is touched
/// first, sorted by (t, triangle). Writes up to `capacity` of them, the first in that order, and
/// their `total`. Cost: all nodes whose boxes the shape's box meets along the path.
MO_API mo_result mo_mesh_cast_shape_all(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                        mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                        mo_query_stats *stats);

/** \} */

MO_END_DECLS

/** \} */

#endif
