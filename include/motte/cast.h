/** \defgroup cast Casts (motte/cast.h)
 *
 * Shape casts: a convex shape, a mesh or a compound moves along a path, and the query finds the
 * first contact, whether there is any, or all of them in order.
 *
 * A cast moves a shape by `displacement` while t goes from 0 to 1. Shapes other than balls may also
 * rotate. Touching counts, also at t = 1. A shape that touches or overlaps something at the start
 * has a contact at t = 0, with the penetration depth and a normal along which it can be moved out.
 *
 * Errors, statistics, threads and exactness are as in motte/query.h: the answer is that of a loop
 * over all shapes and triangles with the same test, bit for bit. The tests are in double precision.
 * Balls against triangles use closed forms: at t, the gap or penetration is at most about 2^-48 of
 * the coordinates and the displacement. Cylinders and cones against triangles do so too, to within
 * 2^-44 of the sizes and the displacement (a path that only grazes may pass). Boxes, hulls and
 * other polytopes meet triangles by their faces and edges. Balls against solids, and all other
 * pairs, use conservative advancement: at t, the penetration is at most 2^-45 of the sizes and the
 * displacement, and the remaining gap mostly no more than that, but up to 1e-7 of the sizes in rare
 * cases, as in mo_primitive_find_distance. Then t is rounded to the nearest float. A cast that
 * starts with its centre in a solid takes 40 KiB of stack. */
#ifndef MOTTE_CAST_H
#define MOTTE_CAST_H

#include <motte/movement.h>
#include <motte/query.h>

/** \{ */

/// What a cast can touch, and which contacts count. Must not change during the call.
typedef struct mo_cast_options {
  bool hit_volumes; ///< let MO_SHAPE_VOLUME shapes be hit, as their boxes; else they are ignored
  /// Ignores triangles whose unit normal (that of mo_ray_hit), rounded to float, has a positive dot
  /// product with the displacement (if the shape rotates: with the velocity of the contact point).
  /// These are triangles hit from behind, and triangles overlapped at the start that the motion
  /// leaves. Degenerate triangles have no normal and always count.
  bool cull_back_faces;
  /// For functions that list all contacts in a scene: list every triangle that is touched, not only
  /// the first of each mesh.
  bool every_triangle;
  /// A contact counts only if the displacement approaches it by more than this: -dot(normal,
  /// displacement) > min_approach, with the normal of the hit. If the shape rotates, the velocity
  /// of the contact point takes the place of the displacement. With 0 the shape may leave, or slide
  /// along, what it touches or overlaps at the start. A rotating shape that leaves a contact passes
  /// it for the rest of the cast, even if it rotates back into it. Negative: all contacts count.
  float min_approach;
  mo_filter filter; ///< selects the shapes that can be touched
  /// The shape that `ignore_triangle` belongs to; unused in a query of a single mesh.
  mo_shape_id ignore_triangle_shape;
  /// A triangle to pass through (the one that the moving shape stands on). MO_NO_TRIANGLE for none.
  uint32_t ignore_triangle;
  uint32_t ignore_triangle_child; ///< the child of the shape that it belongs to; 0 without children
  /// Optional callback for each triangle that is touched; false lets the cast pass through the
  /// triangle. It may be called in any order, and for contacts that turn out not to be the first.
  /// If a mesh moves, it decides on contacts of two triangles, and may be called again and again
  /// for one. In a query of a single mesh the shape is null.
  bool (*accept_triangle)(mo_triangle_ref triangle, float t, void *context);
  void *accept_context; ///< passed to `accept_triangle`
} mo_cast_options;

/// A ball and its path through a scene or a mesh.
typedef struct mo_sphere_cast_def {
  /// The ball at t = 0, in world space (of a single mesh: local); its radius may be 0.
  mo_sphere sphere;
  mo_vec3 displacement;    ///< translation while t goes from 0 to 1; may be 0
  mo_cast_options options; ///< what the ball can touch, and which contacts count
  uint32_t cookie;         ///< set by mo_default_sphere_cast_def; not for the caller
} mo_sphere_cast_def;

/// A convex shape, a mesh or a compound and its path through a scene or a mesh. The shape need not
/// be in the scene.
typedef struct mo_shape_cast_def {
  /// The moving shape at t = 0; its transform maps to world space (in a query of a single mesh: to
  /// the mesh's local space). It may be a convex shape, also rounded, sheared, mirrored or
  /// flattened; a volume, which moves as its world box; a point, segment or triangle; a half-space,
  /// as a moving wall; a mesh, which moves as its surface; or a compound, of which each child moves
  /// as a shape of its own, volumes only if `options.hit_volumes`. A mesh or compound must not
  /// change during the call.
  mo_primitive primitive;
  mo_vec3 displacement; ///< translation while t goes from 0 to 1; may be 0
  /// Centre of the rotation at t = 0, which moves with the shape (mo_movement).
  mo_vec3 pivot;
  mo_vec3 axis; ///< axis of the rotation, of any length; not zero where `angle` is not 0
  float angle;  ///< angle of the rotation, in radians, from -2 pi to 2 pi; 0: no rotation
  /// MO_PRECISION_BOUNDS casts the world AABB of the primitive, around all its orientations,
  /// against the stored boxes of shapes (mo_scene_get_bounds), also those of meshes: a broad phase.
  /// A half-space has no box: cast or hit, it is the half-space itself. A mesh without triangles is
  /// a point there. Of a compound the boxes of its children are cast. On a mesh alone `precision`
  /// makes no difference.
  mo_precision precision;
  mo_cast_options options; ///< what the shape can touch, and which contacts count
  uint32_t cookie;         ///< set by mo_default_shape_cast_def; not for the caller
} mo_shape_cast_def;

/// The first contact of a cast.
typedef struct mo_cast_hit {
  bool found;        ///< false: there is no contact, and nothing below is set
  mo_shape_id shape; ///< the touched shape; the null id in a query of a single mesh
  /// Which child of the shape is touched, if that is a compound (mo_compound_find_path); else 0.
  uint32_t child;
  uint64_t user_data;          ///< user data of the touched shape or child
  uint32_t triangle;           ///< index of the touched triangle; MO_NO_TRIANGLE for a solid
  uint32_t triangle_user_data; ///< user data of the touched triangle; 0 for a solid
  float t;                     ///< time of contact, from 0 to 1, as a fraction of the displacement
  /// The point of contact, on the surface of what is touched, in the frame of the query. At the
  /// start of a cast that begins with an overlap, it is the point of the triangle or solid that is
  /// deepest in the moving shape, and `point` - `depth` * `normal` is the point of that shape that
  /// is deepest in the other; for a ball whose centre lies in a solid, it is where the shortest way
  /// of the centre out of it ends. With MO_PRECISION_BOUNDS and an overlap at the start, it is the
  /// middle of the intersection of the boxes.
  mo_vec3 point;
  /// Unit vector from the touched triangle or solid towards the moving shape; for a ball, from the
  /// point of contact to its centre. If the centre lies on the triangle (to within 2^-44 of the
  /// coordinates: at the start, or if the radius is 0), it is the triangle's normal on the side
  /// that the ball comes from, or a perpendicular of a degenerate triangle. If the centre lies in a
  /// solid, it is the direction of the shortest way out, as from mo_primitive_find_penetration.
  mo_vec3 normal;
  /// Penetration depth of a contact at t = 0: the distance to move the shape along `normal` to end
  /// the overlap with the triangle or solid; 0 at a later t. INFINITY, with a `normal` of zero, if
  /// no translation separates two half-spaces.
  float depth;
  /// The feature of the touched triangle or solid that reaches farthest along the normal; the point
  /// of contact lies on it. An edge counts as perpendicular to the normal up to an angle of 2^-16,
  /// a face up to 2^-14, so that a box that rests on a floor touches it with a face despite
  /// rounding, and not with a corner. If several faces of a hull at its vertex are that flat, the
  /// flattest one is taken.
  mo_feature feature;
  uint32_t feature_index; ///< index of this vertex, edge or face
  /// The feature of the moving shape, in its pose at t, that reaches farthest against the normal;
  /// of a mesh, that of its triangle. With MO_PRECISION_BOUNDS both features are those of boxes.
  mo_feature own_feature;
  uint32_t own_feature_index; ///< index of this vertex, edge or face
  /// The triangle of the moving shape that touches, if that shape is a mesh and the precision is
  /// MO_PRECISION_GEOMETRY; else MO_NO_TRIANGLE.
  uint32_t own_triangle;
  uint32_t own_triangle_user_data; ///< user data of `own_triangle`; 0 if there is none
  /// The child of the moving shape that touches, if that shape is a compound; else 0.
  uint32_t own_child;
} mo_cast_hit;

MO_BEGIN_DECLS

/// A def of a ball with radius 0 at the origin that does not move; both sides of triangles and all
/// contacts count, default filter, volumes ignored, no callback.
MO_API mo_sphere_cast_def mo_default_sphere_cast_def(void);

/// A def of a point at the origin that does not move; exact geometry, both sides of triangles and
/// all contacts count, default filter, volumes ignored, no callback.
MO_API mo_shape_cast_def mo_default_shape_cast_def(void);

/** \name Balls
 * Contacts with triangles are computed by closed forms, contacts with solids by conservative
 * advancement of the centre. Errors of all functions: MO_ERROR_NULL_ARGUMENT;
 * MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE (also an approach that is NaN);
 * MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (negative radius). */
/** \{ */

/// Moves a ball until it touches a shape: the surface of a mesh, from either side, or a solid, by
/// exact geometry under any transform, also one that shears, mirrors or flattens. There is no
/// tunnelling, however fast the ball and thin the shape. Among shapes touched at the same t, the
/// one with the lowest index is taken, then the lowest triangle. At t = 0 it is the one whose
/// nearest point is closest to the centre; if several solids contain the centre, the lowest of
/// them. Cost: nodes whose boxes the ball meets before the first contact, in order of distance, in
/// the scene and in each mesh along the path; about five distance computations for each solid whose
/// box it meets by then.
MO_API mo_result mo_scene_cast_sphere(const mo_scene *scene, const mo_sphere_cast_def *def,
                                      mo_cast_hit *hit, mo_query_stats *stats);

/// Moves a ball until it touches a triangle of a mesh (its surface, from either side); ball,
/// displacement and hit are local. Degenerate triangles count as the segments or points they are.
/// Among triangles touched at the same t, the lowest index is taken; at t = 0 the one with the
/// deepest overlap. Filter and volumes make no difference. Cost: nodes whose boxes the ball meets
/// before the first contact, in order of distance; seven closed forms for each triangle tested.
MO_API mo_result mo_mesh_cast_sphere(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                     mo_cast_hit *hit, mo_query_stats *stats);

/// Whether a moving ball touches any shape of a scene: what mo_scene_cast_sphere returns in
/// `found`. Cheaper, as it stops at the first contact that it encounters.
MO_API mo_result mo_scene_test_sphere_cast(const mo_scene *scene, const mo_sphere_cast_def *def,
                                           bool *found, mo_query_stats *stats);

/// Whether a moving ball touches any triangle of a mesh: what mo_mesh_cast_sphere returns in
/// `found`. Cheaper, as it stops at the first contact that it encounters.
MO_API mo_result mo_mesh_test_sphere_cast(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                          bool *found, mo_query_stats *stats);

/// All contacts of a moving ball along its whole path, sorted by (t, shape index, triangle): the
/// first contact with each shape. For a mesh this is the contact that mo_scene_cast_sphere finds
/// with the mesh alone, or with `every_triangle` the first contact with each of its triangles.
/// Writes the first `capacity` of them in that order, and their `total`. Cost: all nodes whose
/// boxes the ball meets along the path, and the shapes and triangles there; a heap where `total` is
/// above `capacity`.
MO_API mo_result mo_scene_cast_sphere_all(const mo_scene *scene, const mo_sphere_cast_def *def,
                                          mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                          mo_query_stats *stats);

/// All triangles of a mesh that a moving ball touches on its path, with the first contact of each,
/// sorted by (t, triangle). Writes the first `capacity` of them in that order, and their `total`.
/// Cost: all nodes whose boxes the ball meets along the path.
MO_API mo_result mo_mesh_cast_sphere_all(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                         mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

/** \} */

/** \name Convex shapes, meshes and compounds
 * Contacts of boxes that do not rotate with triangles are computed in closed form, by separating
 * axes in time; those of hulls and other polytopes, by portal refinement along the path (after
 * Snethen 2008); cylinders and cones, by the features that meet, where a plane at the contact shows
 * that it is the first; all this if the shape neither rotates nor is rounded. All others meet by
 * conservative advancement over the distance of two shapes (after Mirtich 1996). Neither passes the
 * contact by more than 2^-45 of the sizes and the displacement. For a rotating shape, a contact may
 * be reported early, by 2^-23 of the extents of its bounds: see mo_primitive_cast_turning.
 *
 * A mesh moves as its surface, whether it is open or closed: as all its triangles, each by itself.
 * So its first contact is the first of the casts of its triangles; at the same t of the same shape
 * and triangle, that of its lowest triangle; and at t = 0 the deepest overlap of one of its
 * triangles, whose depth and normal are those of that triangle alone.
 *
 * The first contact of a compound is the first of the casts of its children: by t, at t = 0 by
 * depth, then by the lowest shape, child and triangle that is touched, then by the lowest child of
 * the compound.
 *
 * Errors of all functions: MO_ERROR_NULL_ARGUMENT (also if the primitive's mesh, hull or compound
 * is null); MO_ERROR_UNINITIALIZED_DEF (also of `options.filter`); MO_ERROR_NOT_FINITE (also an
 * approach that is NaN); MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (what
 * mo_primitive_cast_ray says of primitives that are neither meshes nor compounds; no such
 * precision; an angle beyond 2 pi or without an axis). */
/** \{ */

/// Moves a convex shape, which may rotate, until it touches a shape of the scene: the surface of a
/// mesh, from either side, or a solid, by exact geometry under any transforms. There is no
/// tunnelling, however fast the shape and thin the other one. `point` lies on the touched shape.
/// `normal` points from there to the moving shape: it is that of a plane that separates the
/// two at t. Where a box touches a triangle along an edge or face, `point` is the middle of a part
/// of a triangle's edge, or of the box's face if that lies in the triangle. Among shapes touched at
/// the same t, the one with the lowest index is taken, then the lowest triangle. At t = 0 it is the
/// one with the deepest overlap, with the depth and direction of mo_primitive_find_penetration. For
/// balls against meshes mo_scene_cast_sphere is several times as fast. With MO_PRECISION_BOUNDS, a
/// box is cast against boxes in closed form: the normal is that of the side that is touched last,
/// the point is the middle of the area where the two sides touch. Cost: nodes whose boxes the
/// moving shape's box meets before the first contact, in order of distance, in the scene and in
/// each mesh on the way; about five to ten distance computations, of 1 to 25 µs each, for each
/// solid that is near, and for each triangle if the shape rotates or is rounded; else for boxes 0.2
/// µs, for hulls some ten support points, and for cylinders and cones some 4 µs, for each triangle
/// that may be touched first. A moving mesh costs a cast of the other shape
/// at it for each solid that is near, in 16 parts of its path if it rotates; and one for each
/// triangle of a mesh that may be touched first. If it rotates, each mesh that is near costs a
/// sweep of both along the path instead (at most 1,024 traversals of both octrees), with casts of
/// two triangles for pairs that come close, at most as many as both meshes have triangles. Only if
/// that is not enough, and in lists of triangles and on a mesh alone, each triangle near the path
/// is cast at the rotating mesh, which is slow. Each child of a compound costs a cast, which ends
/// at the first contact so far. 90 KiB of stack.
MO_API mo_result mo_scene_cast_shape(const mo_scene *scene, const mo_shape_cast_def *def,
                                     mo_cast_hit *hit, mo_query_stats *stats);

/// Moves a convex shape until it touches a triangle of a mesh (its surface, from either side);
/// everything is in the mesh's local frame, including the hit. The contact is that of a scene with
/// this mesh alone: among triangles touched at the same t, the lowest index is taken; at t = 0 the
/// one with the deepest overlap. Filter and volumes make no difference. Cost: nodes whose boxes the
/// moving shape's box meets before the first contact, in order of distance; for each triangle that
/// is near, as in mo_scene_cast_shape.
MO_API mo_result mo_mesh_cast_shape(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                    mo_cast_hit *hit, mo_query_stats *stats);

/// Whether a moving convex shape touches any shape of a scene: what mo_scene_cast_shape returns in
/// `found`. Cheaper, as it stops at the first contact that it encounters.
MO_API mo_result mo_scene_test_shape_cast(const mo_scene *scene, const mo_shape_cast_def *def,
                                          bool *found, mo_query_stats *stats);

/// Whether a moving convex shape touches any triangle of a mesh: what mo_mesh_cast_shape returns in
/// `found`. Cheaper, as it stops at the first contact that it encounters.
MO_API mo_result mo_mesh_test_shape_cast(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                         bool *found, mo_query_stats *stats);

/// All contacts of a moving convex shape along its whole path, sorted by (t, shape index,
/// triangle): the first contact with each shape. For a mesh this is the contact that
/// mo_scene_cast_shape finds with the mesh alone, or with `every_triangle` the first contact with
/// each of its triangles. Of a compound, those of each of its children; see `own_child`. Writes the
/// first `capacity` of them in that order, and their `total`. Cost: all nodes whose boxes the
/// shape's box meets along the path, and the shapes and triangles there; a heap where `total` is
/// above `capacity`.
MO_API mo_result mo_scene_cast_shape_all(const mo_scene *scene, const mo_shape_cast_def *def,
                                         mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

/// All triangles of a mesh that a moving convex shape touches on its path, with the first contact
/// of each, sorted by (t, triangle). Writes the first `capacity` of them in that order, and their
/// `total`. Cost: all nodes whose boxes the shape's box meets along the path.
MO_API mo_result mo_mesh_cast_shape_all(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                        mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                        mo_query_stats *stats);

/** \} */

MO_END_DECLS

/** \} */

#endif
