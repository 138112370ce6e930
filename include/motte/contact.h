/** \defgroup contact Contacts (motte/contact.h)
 *
 * Where shapes touch, as solvers of physics need it: up to four points for each pair, with one
 * normal, separations, and ids by which points are known again from frame to frame.
 *
 * Points are worked out relative to the origins of both shapes, in double precision, so that a
 * stack far from the world's origin has the contacts of one at the origin, as far as transforms in
 * floats allow.
 *
 *     mo_collide_shape_def def = mo_default_collide_shape_def();
 *     def.primitive = mo_primitive_of_geometry(&gripper, &pose); // in no scene
 *     mo_contact contacts[32];
 *     uint32_t total;
 *     result = mo_scene_collide_shape(scene, &def, contacts, 32, &total, NULL);
 *     // the first 32 of `total` contacts: contacts[i].manifold has their points and normal
 *
 * The answers are a function of the two poses alone: nothing is kept from call to call; for a
 * simulation, contact trackers (motte/contact_tracker.h) do that. Nothing is allocated, and any
 * number of threads may call at once. */
#ifndef MOTTE_CONTACT_H
#define MOTTE_CONTACT_H

#include <motte/distance.h>
#include <motte/pairs.h>

/** \{ */

/// The most points that a manifold has.
#define MO_MAX_MANIFOLD_POINTS 4

/// How contacts are looked for.
typedef struct mo_collide_def {
  /// Points that are apart by up to this are contacts too, with a positive separation, so that a
  /// solver sees them coming. Not negative, at most MO_MAX_COORDINATE; 0.02 by default, which suits
  /// metres.
  float speculative_distance;
  /// Triangles of meshes have one side: contacts are left out whose normal leads out of the back of
  /// a triangle by more than half a degree. So a body that is behind a surface, or whose middle has
  /// got behind it, leaves or goes through, and none is held inside of a closed mesh. The front is
  /// where the normal points by the right-hand rule from the winding in the mesh's own space, under
  /// the shape's transform; of two meshes it counts of both. Degenerate triangles have two sides,
  /// and so has a primitive that is a triangle. False by default.
  bool cull_back_faces;
  uint32_t cookie; ///< set by mo_default_collide_def; not for the caller
} mo_collide_def;

/// A point where two shapes touch, or come close.
typedef struct mo_manifold_point {
  /// World; halfway between the two surfaces along the normal: that of the first shape is at
  /// `position` - `separation` / 2 * normal, that of the second at `position` + `separation` / 2 *
  /// normal.
  mo_vec3 position;
  mo_vec3 anchor_a; ///< the same point from the origin of the first shape's transform, world axes
  mo_vec3 anchor_b; ///< the same point from the origin of the second shape's transform
  float separation; ///< along the normal; negative: how deep the shapes overlap here
  /// Which features touch: that of the first shape in the upper 32 bits, that of the second in the
  /// lower. Each is a mo_feature in the upper two bits, and in the others an index of the vertex,
  /// edge or face: as mo_feature has it of triangles, boxes, and vertices and faces of hulls; of
  /// others, a number that tells it from those beside it. It does not depend on which of the two
  /// shapes is clipped against the other; with the shapes exchanged, the halves are exchanged.
  /// Points of one manifold differ in it. Where several triangles have one contact
  /// (mo_scene_collide_pair), edges and vertices of triangle t are numbered from 3 t on, and the
  /// inside of all of them is face 0.
  uint64_t id;
} mo_manifold_point;

/// Where two shapes touch, along one normal.
typedef struct mo_manifold {
  /// Whether the shapes overlap: some separation is not positive. Of volumes, and of two
  /// half-spaces, which have no points, whether they do (mo_primitive_overlap).
  bool touching;
  uint32_t point_count; ///< up to MO_MAX_MANIFOLD_POINTS; 0: the shapes are farther apart
  mo_vec3 normal;       ///< unit, world, from the first shape to the second; not set without points
  mo_manifold_point points[MO_MAX_MANIFOLD_POINTS]; ///< the first `point_count` are set
} mo_manifold;

/// A manifold of two shapes of a scene, or of one of a scene and one of none; of meshes, of one of
/// their triangles, or of several in one plane, named by one of them (mo_scene_collide_pair).
typedef struct mo_contact {
  mo_shape_id a;                 ///< null: the shape of the def, which is in no scene
  mo_shape_id b;                 ///< the other shape
  uint64_t user_data_a;          ///< that of the first shape; 0 where it is in no scene
  uint64_t user_data_b;          ///< that of the second shape
  uint32_t triangle_a;           ///< of the first shape; MO_NO_TRIANGLE if it is no mesh
  uint32_t triangle_b;           ///< of the second shape; MO_NO_TRIANGLE if it is no mesh
  uint32_t triangle_user_data_a; ///< that of the triangle, say its material; 0 if it is no mesh
  uint32_t triangle_user_data_b; ///< that of the triangle; 0 if it is no mesh
  mo_manifold manifold;          ///< `normal` from `a` to `b`; of volumes without points
} mo_contact;

/// A convex shape whose contacts with a scene are wanted; it need not be in the scene.
typedef struct mo_collide_shape_def {
  /// The first shape of all contacts; its transform goes to the world. A convex shape, also one
  /// that is rounded, sheared, mirrored or flattened; a volume; a point, segment or triangle.
  /// Anything but a mesh.
  mo_primitive primitive;
  float speculative_distance; ///< as in mo_collide_def
  bool cull_back_faces;       ///< as in mo_collide_def
  bool hit_volumes; ///< report also which volumes (MO_SHAPE_VOLUME) of the scene are touched
  mo_filter filter; ///< which shapes count
  uint32_t cookie;  ///< set by mo_default_collide_shape_def; not for the caller
} mo_collide_shape_def;

MO_BEGIN_DECLS

/// A speculative distance of 0.02.
MO_API mo_collide_def mo_default_collide_def(void);

/// Where two primitives touch. There are points exactly where they are at most the speculative
/// distance apart (to within 1e-9 of their sizes). A volume has no points, nor have two
/// half-spaces.
///
/// The normal is the direction of the shortest translation that parts shapes that overlap, or of
/// the shortest distance of others (of two polytopes that are apart, the axis that separates them
/// by most, if their faces meet). A face's normal is preferred to any other direction where it is
/// worse by no more than 1/128 of the lesser of the two thicknesses; so contacts of faces that are
/// nearly parallel keep the face's normal. Of shapes without curved sides and of those around which
/// there is a ball (spheres, capsules, rounded boxes and hulls, under transforms that keep angles),
/// it is exact but for rounding. Boxes, triangles and hulls of up to 48 vertices go by the
/// separating axis theorem (Gottschalk, Lin and Manocha 1996; pairs of edges after Gregorius, "The
/// Separating Axis Test between Convex Polyhedra", GDC 2013); balls and capsules among each other
/// and with triangles, and balls with boxes, by closed forms; others by GJK and an expanding
/// polytope (mo_primitive_find_distance, mo_primitive_find_penetration), whose accuracy holds here.
/// Cylinders and cones that are not sheared go by closed forms and searches along their rims; two
/// of them that overlap first by a face, which is taken where a bound of the depth shows that no
/// direction is better by more than is said above, then by the direction in which they overlap
/// least, to within 1/16,384 of their sizes.
///
/// Points: the face of each shape that is most aligned with the normal is taken along the normal,
/// and the two are intersected. Corners of the intersection are vertices of one shape over the
/// other's face and crossings of edges, each with its own separation between the planes of the two
/// faces. Those within the speculative distance are candidates. Of more than four, those are taken
/// that span a large area, and one of the deepest. In any direction they leave out at most 0.43 of
/// the width of all, or a little over half where depth decides. The choice is a function of the
/// poses, does not change if both shapes are moved together, and prefers earlier ids where choices
/// are nearly equal. Where faces do not meet, there is one point: where the shapes are closest, or
/// deepest. Capsules on a face have both ends of the clipped segment; so have cylinders and cones
/// that lie on their side. An end of a
/// cylinder, or the base of a cone, has four points that are fixed to it, 90 degrees apart; where
/// it is tilted by more than one degree, the deepest point of its rim besides, which from there on
/// moves out to the rim and is on it from five degrees; in between, the depth of the whole contact
/// is too low by up to 1/100 of the radius. Against outlines of others, rims count as
/// regular polygons with 32 corners: points at the edge of a rim are off by up to 1/200 of its
/// radius, along the face. On a half-space, points are the corners of the face, or of the rim, that
/// is most aligned with its normal, and the lowest point of the shape. Faces of hulls with more
/// than 32 corners are taken by those that are farthest in 32 directions. Ellipsoids have one
/// point.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also of a hull); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (a negative speculative
/// distance; what mo_primitive_cast_ray says of primitives). Cost: 0.2 to 2 µs for balls, capsules
/// and boxes, 0.5 to 5 µs with triangles and hulls of 16 vertices, 1 to 15 µs with cylinders and
/// cones; where they are sheared, and of ellipsoids, that of the distance or the penetration; up to
/// 64 KiB of stack.
MO_API mo_result mo_collide(const mo_primitive *a, const mo_primitive *b, const mo_collide_def *def,
                            mo_manifold *manifold);

/// A point at the origin, a speculative distance of 0.02, default filter, volumes ignored.
MO_API mo_collide_shape_def mo_default_collide_shape_def(void);

/// The contacts of two shapes of a scene, in this order: `a` and `b` of the pair need not ascend.
/// Convex shapes have one contact at most, as of mo_collide; a mesh without `edges`
/// (mo_mesh_build_options) has one for each of its triangles that is near the other shape, two such
/// meshes one for each two triangles. Unless `cull_back_faces` is set triangles have two sides: the
/// normal leads out by the shorter way. A volume has a contact without points where it is touched:
/// as its world box, by a convex shape as mo_primitive_overlap says, by a mesh that has a triangle
/// in it, by a volume whose box touches. Filters, margins and velocities make no difference.
///
/// Of a mesh that was built with `edges`, contacts are those of one surface: a body that slides
/// over a flat floor meets no edge, whatever the triangulation and the windings. A contact whose
/// normal leans over an edge at which the surface is flat or rises, as seen from the side of the
/// body's centre, takes the normal of the triangle, or is left out where the body is not over the
/// triangle. One that leans over a ridge or a border stays, unless its points lie on triangles next
/// to it that the body reaches as far beyond; of equal ones the lowest triangle's stays. Normals
/// that lean by no more than a degree take that of the triangle. Floors that are flat but for the
/// rounding of coordinates are nearly as good: of touching contacts fewer than one in 500 leans. At
/// seams between shapes, contact trackers (motte/contact_tracker.h) do the same. Of two meshes that
/// have `edges`, the one with larger triangles is the surface, on which each triangle of the other
/// lies as a body, on the side of the centre of the other's bounds.
///
/// On such a surface, contacts along the normals of triangles that lie in one plane are one
/// contact, as if these were one face: a body on a flat floor has one manifold, with the points
/// that it has on a half-space. Its triangle is the lowest of those below corners of the body's
/// face, or where there are none, of those near the body; its points are corners of the convex hull
/// of what that face and the triangles have in common. Triangles go together if they have the same
/// user data, if their normals differ by at most 2^-10 from that of the lowest among them, and the
/// heights of the body's centre above their planes by at most 2^-10 of its size; with
/// `cull_back_faces` also the same side towards the body. The normal is that of the lowest. They
/// are put together by 2048, in the order of triangles, and in up to 64 planes; of the others each
/// has its own contact.
///
/// Sorted by (triangle of a, triangle of b); of more than `capacity` the first are written, and
/// `total` tells how many there are. The same as from a loop over all triangles. Errors:
/// MO_ERROR_NULL_ARGUMENT (`contacts` where `capacity` is not 0); MO_ERROR_STALE_ID;
/// MO_ERROR_INVALID_ARGUMENT (one shape twice; a negative speculative distance);
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE. Cost: that of
/// mo_collide; for a mesh a query of the other shape's box, and some 0.5 to 10 µs for each triangle
/// in it, less where the surface is flat.
MO_API mo_result mo_scene_collide_pair(const mo_scene *scene, const mo_pair *pair,
                                       const mo_collide_def *def, mo_contact *contacts,
                                       uint32_t capacity, uint32_t *total);

/// The contacts of a convex shape with the shapes of a scene that the def lets count, as of
/// mo_scene_collide_pair with the shape as `a`. Sorted by (shape, triangle); of more than
/// `capacity` the first are written, and `total` tells how many there are. Errors:
/// MO_ERROR_NULL_ARGUMENT (`contacts` where `capacity` is not 0; a hull);
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (a negative speculative distance; what mo_primitive_cast_ray says of
/// primitives). Cost: a query of the shape's box, and that of the contacts with each shape in it.
MO_API mo_result mo_scene_collide_shape(const mo_scene *scene, const mo_collide_shape_def *def,
                                        mo_contact *contacts, uint32_t capacity, uint32_t *total,
                                        mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
