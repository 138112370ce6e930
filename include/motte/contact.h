/** \defgroup contact Contacts (motte/contact.h)
 *
 * Contact manifolds for physics solvers: where two shapes touch, with up to four points, one
 * normal, separations, and feature ids that match points from frame to frame for warm starting.
 *
 * Points are computed relative to the origins of both shapes, in double precision. So a stack far
 * from the world origin has the same contacts as one at the origin, as far as transforms in floats
 * allow.
 *
 *     mo_collide_shape_def def = mo_default_collide_shape_def();
 *     def.primitive = mo_primitive_of_geometry(&gripper, &pose); // in no scene
 *     mo_contact contacts[32];
 *     uint32_t total;
 *     result = mo_scene_collide_shape(scene, &def, contacts, 32, &total, NULL);
 *     // the first 32 of `total` contacts: contacts[i].manifold has their points and normal
 *
 * The answers depend only on the two poses: no state is kept between calls. For a simulation,
 * contact trackers (motte/contact_tracker.h) keep contacts between steps. Nothing is allocated, and
 * any number of threads may call at once as long as the scene does not change. After an error
 * nothing has been written. */
#ifndef MOTTE_CONTACT_H
#define MOTTE_CONTACT_H

#include <motte/distance.h>
#include <motte/pairs.h>

/** \{ */

/// The greatest number of points of a manifold.
#define MO_MAX_MANIFOLD_POINTS 4

/// Options for finding contacts.
typedef struct mo_collide_def {
  /// Speculative contacts: points with a gap of up to this are contacts too, with a positive
  /// separation, so that a solver can stop shapes before they touch. World units, not negative, at
  /// most MO_MAX_COORDINATE; 0.02 by default, which suits metres.
  float speculative_distance;
  /// Triangles of meshes are one-sided: contacts are dropped whose normal points out of the back of
  /// a triangle by more than 0.45 degrees. So a body that is behind a surface, or whose centre has
  /// passed it, can leave or pass through, and no body is held inside a closed mesh. The front is
  /// where the normal points by the right-hand rule from the winding in the mesh's own space, under
  /// the shape's transform. Between two meshes it applies to the triangles of both. Degenerate
  /// triangles, and a primitive that is a triangle, are two-sided. False by default.
  bool cull_back_faces;
  uint32_t cookie; ///< set by mo_default_collide_def; not for the caller
} mo_collide_def;

/// A contact point: where two shapes touch or come close.
typedef struct mo_manifold_point {
  /// World; halfway between the two surfaces along the normal. The surface of the first shape is at
  /// `position` - `separation` / 2 * normal, that of the second at `position` + `separation` / 2 *
  /// normal.
  mo_vec3 position;
  /// `position` relative to the origin of the first shape's transform, world axes
  mo_vec3 anchor_a;
  /// `position` relative to the origin of the second shape's transform, world axes
  mo_vec3 anchor_b;
  float separation; ///< gap along the normal; negative: penetration depth
  /// Feature id: the feature of the first shape in the upper 32 bits, that of the second in the
  /// lower. Each half has a mo_feature in its upper two bits and the index of the vertex, edge or
  /// face in the others. For triangles, boxes, and vertices and faces of hulls the index is that of
  /// mo_feature; for other features it is a number that differs from those of neighbouring
  /// features. There is no reference and incident shape: if the shapes are exchanged, only the
  /// halves are exchanged. Points of one manifold have different ids. Where several triangles share
  /// one contact (mo_scene_collide_pair), edges and vertices of triangle t are numbered from 3 t
  /// on, and the interior of all these triangles is face 0.
  uint64_t id;
} mo_manifold_point;

/// A contact manifold: where two shapes touch, along one normal.
typedef struct mo_manifold {
  /// Whether the shapes touch or overlap: some separation is not positive. For volumes, and for two
  /// half-spaces, which have no points: whether they overlap (mo_primitive_overlap).
  bool touching;
  uint32_t point_count; ///< up to MO_MAX_MANIFOLD_POINTS; 0: the shapes are too far apart
  mo_vec3 normal;       ///< unit, world, from the first shape to the second; not set without points
  mo_manifold_point points[MO_MAX_MANIFOLD_POINTS]; ///< the first `point_count` are set
} mo_manifold;

/// A manifold of two shapes of a scene, or of a shape of a scene and one in no scene. For a mesh it
/// belongs to one triangle, or to several triangles in one plane, of which one is named
/// (mo_scene_collide_pair).
typedef struct mo_contact {
  mo_shape_id a;    ///< the first shape; null: the primitive of the def, in no scene. In events
                    ///< of a tracker the shape with the lower index
  mo_shape_id b;    ///< the second shape
  uint32_t child_a; ///< which child of `a`, if that is a compound (mo_compound_find_path); else 0
  uint32_t child_b; ///< which child of `b`, if that is a compound; else 0
  uint64_t user_data_a; ///< of the first shape or child; 0 for a primitive that is no compound
  uint64_t user_data_b; ///< of the second shape or child
  uint32_t triangle_a;  ///< of `a`; MO_NO_TRIANGLE: not a mesh, or a contact without points
  uint32_t triangle_b;  ///< of `b`; MO_NO_TRIANGLE: not a mesh, or a contact without points
  uint32_t triangle_user_data_a; ///< of `triangle_a`, such as a material; 0 if there is none
  uint32_t triangle_user_data_b; ///< of `triangle_b`; 0 if there is none
  /// Normal from `a` to `b`. Without points for volumes, sensors of trackers, and two half-spaces.
  mo_manifold manifold;
} mo_contact;

/// Options of mo_scene_collide_shape: a shape that need not be in the scene.
typedef struct mo_collide_shape_def {
  /// The first shape of all contacts; its transform maps to the world. A convex shape, also one
  /// that is rounded, sheared, mirrored or flattened; a half-space; a volume; a point, segment or
  /// triangle; a mesh; or a compound, of which each child counts as a shape of its own, volumes
  /// only if `hit_volumes`. A mesh or compound must not change during the call.
  mo_primitive primitive;
  float speculative_distance; ///< as in mo_collide_def
  bool cull_back_faces;       ///< as in mo_collide_def
  bool hit_volumes;           ///< report also volumes (MO_SHAPE_VOLUME) that `primitive` touches
  mo_filter filter;           ///< which shapes of the scene are tested
  uint32_t cookie;            ///< set by mo_default_collide_shape_def; not for the caller
} mo_collide_shape_def;

MO_BEGIN_DECLS

/// A speculative distance of 0.02, two-sided triangles.
MO_API mo_collide_def mo_default_collide_def(void);

/// Computes the contact manifold of two primitives (world). It has points if and only if the
/// primitives are at most the speculative distance apart (to within 1e-9 of their sizes). Volumes,
/// and pairs of half-spaces, have no points.
///
/// Normal: for shapes that overlap, the direction of the shortest translation that separates them;
/// for others, that of the shortest distance (for two polytopes that are apart, the axis of
/// greatest separation, if their faces overlap along it). The normal of a face is preferred to any
/// other direction if the separation along it is less by no more than 1/128 of the thickness of the
/// thinner shape (of the other shape if one is flat), so that contacts of nearly parallel faces
/// keep the normal of the face. Shapes with a gap of up to that may be reported as `touching`, with
/// a negative separation. For shapes without curved sides, and for shapes rounded by a ball
/// (spheres, capsules, rounded boxes and hulls, under transforms that keep angles), the normal is
/// exact but for rounding errors.
///
/// Methods: boxes, triangles, and hulls of at most 48 vertices, 64 faces and 96 edges (34 vertices
/// if all faces are triangles) use the separating axis theorem (Gottschalk, Lin and Manocha 1996;
/// pairs of edges after Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013).
/// Balls and capsules with each other and with triangles, and balls with boxes, have closed forms.
/// Cylinders and cones that are not sheared use closed forms and searches along their rims. Two of
/// them that overlap first try a face, which is taken if a bound of the depth shows that no
/// direction is better by more than the 1/128 above; else the direction of least overlap is found
/// to within 1/16,384 of their sizes. All others use GJK and an expanding polytope
/// (mo_primitive_find_distance, mo_primitive_find_penetration), with the accuracy stated there.
///
/// Points: of each shape the face whose normal is closest to the contact normal is chosen, and the
/// two faces are clipped against each other, projected along the normal. Corners of the
/// intersection are vertices of one shape over the face of the other, and crossings of edges. Each
/// has its own separation, between the planes of the two faces. Corners within the speculative
/// distance are candidates. If there are more than four, four are chosen that span a large area,
/// with one of the deepest among them. In any direction they leave out at most half of the width of
/// all candidates, or a little more where depth decides. The choice depends on the poses
/// alone, does not change if both shapes are moved together, and prefers earlier ids where choices
/// are nearly equal. If the faces do not overlap, there is one point: where the shapes are closest,
/// or deepest.
///
/// Edges that are nearly parallel: where two shapes meet at edges at an angle of less than 14.5
/// degrees (at a line, for capsules and the sides of cylinders and cones), the faces on both sides
/// of the edges are clipped, and cut where they are the speculative distance apart. If all that is
/// left reaches farther than 1/16 of the shorter edge from where the edges cross, two to four of
/// its corners are taken: the two that are farthest apart, the deepest, and the one that is
/// farthest from the line between these; or a deeper one within 1/16 of the whole length. They
/// leave out up to a fifth of the length at either end, and up to half of the width.
///
/// Round shapes: a capsule, or a cylinder or cone on its side, has both ends of the segment that is
/// clipped against a face. An end of a cylinder, or the base of a cone, has four points that are
/// fixed to it, 90 degrees apart. If it is tilted by more than one degree, it also has the deepest
/// point of its rim. That point moves outwards with the tilt and is on the rim from five degrees
/// on; in between, the depth of the whole contact is too low by up to 1/100 of the radius. When
/// clipped against other outlines, rims are regular polygons with 32 corners: points at the edge of
/// a rim are off by up to 1/200 of its radius, along the face. Ellipsoids have one point.
///
/// On a half-space, points are the corners of the face, or of the rim, that faces the plane most
/// directly, and the lowest point of the shape. Faces of hulls with more than 32 corners are
/// reduced to the corners that are farthest in 32 directions.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also for a null hull); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (a negative speculative
/// distance; what mo_primitive_cast_ray says of primitives). Cost: 0.2 to 2 µs for balls, capsules
/// and boxes, 0.5 to 5 µs with triangles and hulls of 16 vertices, 1 to 15 µs with cylinders and
/// cones; for ellipsoids, and sheared cylinders and cones, that of the distance or penetration
/// query; up to 64 KiB of stack.
MO_API mo_result mo_collide(const mo_primitive *a, const mo_primitive *b, const mo_collide_def *def,
                            mo_manifold *manifold);

/// A point at the origin, a speculative distance of 0.02, two-sided triangles, default filter,
/// volumes ignored.
MO_API mo_collide_shape_def mo_default_collide_shape_def(void);

/// Finds the contacts of two shapes of a scene. The order of the pair is kept: `a` need not have
/// the lower index. Two convex shapes have at most one contact, as by mo_collide. A mesh without
/// `edges` (mo_mesh_build_options) has one for each of its triangles that is near the other shape;
/// two such meshes have one for each pair of near triangles. Unless `cull_back_faces` is set,
/// triangles are two-sided: the normal points out of the side that takes the shorter translation. A
/// volume that is touched has a contact without points. Its shape is its world box; a convex shape
/// touches it by mo_primitive_overlap, a mesh if a triangle touches the box, another volume if the
/// boxes touch. Filters, also of children, margins and velocities make no difference.
///
/// Internal (ghost) edges: a mesh that was built with `edges` is treated as one surface. A body
/// that slides over a flat floor does not collide with its edges, whatever the triangulation and
/// the windings.
///
/// Convex shape on such a mesh. The contact of each near triangle by itself is judged by the
/// feature of the triangle that it lies on. On the face it is kept; a normal that leans by no more
/// than about a degree is replaced by that of the triangle. On an edge or vertex, a point is kept
/// unless another triangle there hides it: one that is less far away or, where the shapes overlap,
/// one that rises above the plane of the contact. Where they overlap, edges at which the surface is
/// flat or turns towards the shape have no contacts of their own. If several triangles have the
/// same contact, one keeps it. Where the shapes overlap, normals lead to the side of the surface
/// that the shape is on. That is decided once for each connected sheet of triangles, whatever their
/// windings: by the point of the sheet that is closest to the centre of the shape (of a hull, its
/// centroid). But a triangle that the centre sees from the other side, such as the next storey of a
/// spiral ramp, is met from there. Beside the border of a sheet, the shape is on neither side, and
/// the shortest way out decides; and a contact whose deepest point lies on the border may lead over
/// it to either side. A triangle that overlaps the shape and whose own contact was rejected is
/// resolved by another contact if that one moves the shape out of it, too; else it keeps its own
/// contact if that leads over the border, and one along its normal would be missing or more than
/// twice as deep (leaning by more than 45 degrees, it loses what leads along the border); else it
/// has a contact along its own normal, the shallowest first, or keeps the points of the refused one
/// with that normal.
///
/// So whatever overlaps the surface has a touching contact; for a ball, and for a capsule whose
/// axis does not cross the surface, one at the closest points. No contact is deeper than twice the
/// overlap plus 1/1024 of the size of the shape, where the overlap is the greatest with a single
/// triangle, or with the triangles of one plane: a body that is thin, or reaches over an edge, may
/// be farther behind a plane than it has to move, and its depth is limited to that. Where it
/// overlaps the surface deeply, several steps move it out. Tests find no exception for shapes that
/// a quarter of their thickness takes out of the ground. Limit: a shape that reaches through walls
/// or over holes may come out on another side; of thin plates on sharply bent meshes, one in 200
/// does.
///
/// Floors that are flat but for the rounding of coordinates are nearly as good as flat ones: of
/// touching contacts fewer than one in 500 leans. If a body rests on the top of a block, near a
/// side or overhanging it, the side does not hold it back. At seams between shapes, contact
/// trackers (motte/contact_tracker.h) do the same. Against a half-space `edges` makes no
/// difference: each near triangle has a contact of its own. Triangles are taken together in batches
/// of 2048, in the order of their indices.
///
/// Two meshes. The larger one is the surface, as a floor is larger than what lies on it: the one
/// whose bounds, in its own space and scaled as in the world, have the longer diagonal. The sizes
/// of triangles make no difference. If the diagonals differ by less than 1/2048 of their length, it
/// is the one with `edges`; if both have them, the one with the lower index. So the order of the
/// pair and rotations make no difference. Each triangle of the other mesh is a body on the surface,
/// on the side where most of the other mesh is: distances from the surface, negative behind it, are
/// summed over eight points that are spread over that mesh. So links of a chain and knots meet each
/// other from outside. If the surface has `edges`, the other mesh is lowest along the
/// normal at the deepest point of a touching contact, near that point, and the surface highest,
/// unless two of their faces lie on each other. If the other mesh is closed, has `edges` too and is
/// not `editable`, the normal leads in through its outside. Where two meshes overlap so deep that
/// there is no such place within the speculative distance, contacts are along the surface's
/// normals, and some may lead far. Where triangles are apart, only those have a contact that are at
/// a local minimum of the distance of the meshes, or would be after a rotation of seven degrees. A
/// contact is left out if another triangle of the same mesh has all its points with the same
/// normal, as at an edge that both share. Limit: a mesh that reaches around the border of an open
/// surface, as a hook does, may have contacts that are too deep, as its parts are on both sides.
///
/// Coplanar triangles: on such a surface, contacts along the normals of triangles that lie in one
/// plane are merged into one, as if these triangles were one face. A body on a flat floor has one
/// manifold, with the same points as on a half-space. Its points are corners of the convex hull of
/// the intersection of the body's face with the triangles. Its triangle is the lowest one below a
/// corner of the body's face, or if there is none, the lowest one near the body. Triangles are
/// merged if they have the same user data, if their normals differ by at most 2^-10 from that of
/// the lowest among them, and if the heights of the body's centre above their planes differ by at
/// most 2^-10 of its size; with `cull_back_faces` also only if they face the body with the same
/// side. The normal is that of the lowest. Triangles are merged in batches of 2048, in the order of
/// their indices, and in up to 64 planes; each triangle beyond that has its own contact.
///
/// Contacts are sorted by (child of a, child of b, triangle of a, triangle of b). If there are more
/// than `capacity`, the first are written; `total` receives their number, at most UINT32_MAX. The
/// result is the same as from a loop over all triangles. Errors: MO_ERROR_NULL_ARGUMENT (also
/// `contacts` where `capacity` is not 0); MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (one shape
/// twice; a negative speculative distance); MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE. Cost: that of mo_collide; for a mesh a query of the other shape's box,
/// and some 0.5 to 10 µs for each triangle in it, less where the surface is flat; up to 128 KiB of
/// stack, and 12 KiB more for each level of nesting of both compounds.
MO_API mo_result mo_scene_collide_pair(const mo_scene *scene, const mo_pair *pair,
                                       const mo_collide_def *def, mo_contact *contacts,
                                       uint32_t capacity, uint32_t *total);

/// Finds the contacts of a shape with the shapes of a scene that pass the filter of the def, as by
/// mo_scene_collide_pair with the shape as `a`, as if it were in the scene with the highest index.
/// Each child of a compound has the contacts of a shape by itself under its composed transform,
/// named by `child_a`, with anchors relative to the origin of the compound; its own filter makes no
/// difference. Contacts are sorted by (shape, child of the primitive, child, triangle of the
/// primitive, triangle). If there are more than `capacity`, the first are written; `total` receives
/// their number, at most UINT32_MAX. `stats` may be null. Errors: MO_ERROR_NULL_ARGUMENT (also
/// `contacts` where `capacity` is not 0, and a null mesh, hull or compound);
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also if the transform
/// takes the box of a mesh or compound beyond MO_MAX_COORDINATE); MO_ERROR_INVALID_ARGUMENT (a
/// negative speculative distance; a rounded mesh or compound; what mo_primitive_cast_ray says of
/// other primitives). Cost: a query of the shape's box, and that of the contacts with each shape in
/// it; for a compound, a search of its octree for each shape in its box, and for each child found
/// near a placement a search of that; up to 128 KiB of stack, and 12 KiB more for each level of
/// nesting of both compounds.
MO_API mo_result mo_scene_collide_shape(const mo_scene *scene, const mo_collide_shape_def *def,
                                        mo_contact *contacts, uint32_t capacity, uint32_t *total,
                                        mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
