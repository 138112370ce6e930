/** \defgroup geometry Geometry (motte/geometry.h)
 *
 * The geometry types of shapes, and queries on single convex shapes, points, segments and triangles
 * without a scene. The functions keep no state: any number of threads may call them at once. If a
 * function returns an error, it writes nothing. */
#ifndef MOTTE_GEOMETRY_H
#define MOTTE_GEOMETRY_H

#include <motte/math.h>

/** \{ */

struct mo_mesh;
struct mo_hull;
struct mo_compound;

/// The kind of geometry of a shape.
typedef enum mo_shape_type {
  MO_SHAPE_MESH,    ///< the surface of a mesh; not solid
  MO_SHAPE_SPHERE,  ///< solid; an ellipsoid under a general transform
  MO_SHAPE_BOX,     ///< solid; a parallelepiped under a general transform
  MO_SHAPE_CAPSULE, ///< solid: the points within `radius` of a segment
  MO_SHAPE_VOLUME, ///< only a bounding volume (visibility, triggers): the world AABB of a local box
  MO_SHAPE_CYLINDER,   ///< solid: a right circular cylinder with flat ends
  MO_SHAPE_CONE,       ///< solid: a right circular cone, from an apex to a disc
  MO_SHAPE_HULL,       ///< solid: a convex hull of points (motte/hull.h)
  MO_SHAPE_HALF_SPACE, ///< solid: everything behind a plane, unbounded
  MO_SHAPE_COMPOUND,   ///< shapes under one transform (motte/compound.h)
} mo_shape_type;

/// A box aligned with the axes of its shape's local frame.
typedef struct mo_box {
  mo_vec3 center;       ///< of the box
  mo_vec3 half_extents; ///< from the centre to the sides, per axis; not negative
} mo_box;

/// The points within `radius` of a segment, local.
typedef struct mo_capsule {
  mo_vec3 a;    ///< one end of the segment
  mo_vec3 b;    ///< the other end; may coincide with `a`
  float radius; ///< not negative
} mo_capsule;

/// The points within `radius` of the line through a and b, between the planes through a and b
/// perpendicular to that line; local.
typedef struct mo_cylinder {
  mo_vec3 a;    ///< the centre of one end
  mo_vec3 b;    ///< the centre of the other end; must not coincide with `a`
  float radius; ///< not negative
} mo_cylinder;

/// The convex hull of the apex a and a disc around b that is perpendicular to the line from a to b;
/// local.
typedef struct mo_cone {
  mo_vec3 a;    ///< the apex
  mo_vec3 b;    ///< the centre of the base; must not coincide with `a`
  float radius; ///< of the base; not negative
} mo_cone;

/// All points p with dot(normal, p) <= offset: everything behind a plane; local. The normal points
/// outward, as for every solid, while that of a mo_plane points inward. To round a half-space,
/// increase its offset.
typedef struct mo_half_space {
  mo_vec3 normal; ///< points outward; of any length but zero
  float offset;   ///< distance of the plane from the origin, times the normal's length
} mo_half_space;

/// The geometry of a shape in its local frame.
typedef struct mo_geometry {
  mo_shape_type type; ///< selects the member of the union that is used
  /// Rounding radius of a convex shape, in local units: the shape is all points within this
  /// distance of the geometry in the union, so it grows on all sides and its edges and corners
  /// become round. The transform applies to the rounded shape, so it scales the rounding too.
  /// Spheres and capsules just get a larger radius. Not negative; 0 for meshes, volumes,
  /// half-spaces and compounds.
  float rounding;
  union {
    struct mo_mesh *mesh; ///< the scene owns a reference while a shape uses it
    mo_sphere sphere;     ///< of MO_SHAPE_SPHERE
    mo_box box;           ///< of MO_SHAPE_BOX
    mo_capsule capsule;   ///< of MO_SHAPE_CAPSULE
    mo_cylinder cylinder; ///< of MO_SHAPE_CYLINDER
    mo_cone cone;         ///< of MO_SHAPE_CONE
    /// Of MO_SHAPE_HULL. The scene owns a reference while a shape uses it. Any number of shapes may
    /// share one hull.
    struct mo_hull *hull;
    mo_aabb volume; ///< of MO_SHAPE_VOLUME
    /// Of MO_SHAPE_HALF_SPACE. The transform must have an inverse; shear is legal.
    mo_half_space half_space;
    /// Of MO_SHAPE_COMPOUND. The scene owns a reference while a shape uses it. Any number of shapes
    /// may share one compound.
    struct mo_compound *compound;
  };
} mo_geometry;

/// The kind of a primitive.
typedef enum mo_primitive_type {
  MO_PRIMITIVE_GEOMETRY,   ///< a convex shape, a volume or a half-space: `geometry`
  MO_PRIMITIVE_POINT,      ///< points[0]
  MO_PRIMITIVE_SEGMENT,    ///< from points[0] to points[1]
  MO_PRIMITIVE_TRIANGLE,   ///< the three points; flat, without an inside
  MO_PRIMITIVE_HALF_SPACE, ///< `half_space`; same as a geometry of MO_SHAPE_HALF_SPACE
} mo_primitive_type;

/// A convex primitive that belongs to no scene; for queries that say so, also a mesh or compound.
/// It copies its data and owns nothing; a hull, mesh or compound is referenced by pointer and must
/// outlive the use of the primitive.
typedef struct mo_primitive {
  mo_primitive_type type; ///< selects the member of the union that is used
  /// Local to world: any affine map, including mirroring and flattening ones. For a half-space it
  /// must have an inverse (shear is legal), since a flattened half-space is not a half-space.
  mo_transform transform;
  union {
    /// A mesh or compound is legal only in queries of motte/overlap.h, motte/distance.h,
    /// motte/cast.h or motte/separation.h, and in mo_scene_collide_shape.
    mo_geometry geometry;
    /// Of points, segments and triangles; points may coincide. These primitives cannot be rounded;
    /// for a rounded segment use a capsule.
    mo_vec3 points[3];
    mo_half_space half_space; ///< of MO_PRIMITIVE_HALF_SPACE
  };
} mo_primitive;

/// Where a ray hits a primitive.
typedef struct mo_primitive_hit {
  bool found;     ///< false: the ray hits nothing, and nothing below is set
  float t;        ///< along the ray, in units of the direction's length
  mo_vec3 point;  ///< world
  mo_vec3 normal; ///< unit, world, outward; of a triangle by the right-hand rule from its winding
                  ///< in local space; zero for a ray that starts inside
} mo_primitive_hit;

/// The distance between two primitives and their closest points.
typedef struct mo_primitive_distance {
  bool found;      ///< false: they are farther apart than `max_distance`, and nothing below is set
  double distance; ///< between the two points; 0 if the primitives overlap
  double lower;    ///< proven lower bound of the true distance, up to rounding
  mo_vec3 point_a; ///< the closest point of the first primitive, world, rounded to float
  mo_vec3 point_b; ///< the closest point of the second; `point_a` if the two overlap
  mo_vec3 normal;  ///< unit, from the first to the second; zero at distance 0
} mo_primitive_distance;

/// The kinds of features: parts of the surface of a shape before rounding (for a sphere its centre,
/// for a capsule its segment). Features are numbered as follows:
///   - triangles: corner i; edge i, from corner i to corner (i + 1) % 3; face 0;
///   - boxes and volumes: vertex i is at the upper end of x if i & 1, of y if i & 2, of z if i & 4;
///     edge 8 * axis + i runs along an axis (x is 0) and starts at vertex i, its lower end; face 2
///     * axis + 1 is at the upper end of an axis, face 2 * axis at the lower end;
///   - hulls: as mo_hull_get_vertices, mo_hull_get_edges and mo_hull_get_face number them;
///   - cylinders: edges 0 and 1 are the rims around `a` and `b`, faces 0 and 1 the ends, face 2 the
///     side;
///   - cones: vertex 0 is the apex, edge 1 the rim, face 1 the base, face 2 the side;
///   - spheres and points: vertex 0; capsules and segments: vertices 0 and 1 at the ends, and edge
///     0;
///   - half-spaces: face 0.
typedef enum mo_feature {
  MO_FEATURE_FACE,   ///< the inside of a face
  MO_FEATURE_EDGE,   ///< the inside of an edge
  MO_FEATURE_VERTEX, ///< a vertex
} mo_feature;

/// The penetration depth of two primitives and the shortest translation that separates them. Two
/// half-spaces whose normals are not opposite cannot be separated: then `depth` and `lower` are
/// INFINITY, the normal is zero, and both points are one point that lies in both.
typedef struct mo_primitive_penetration {
  bool found; ///< false: they do not overlap, and nothing below is set
  /// If the second primitive is moved by this distance along the normal, it just touches the first.
  /// 0 if they just touch already.
  double depth;
  double lower; ///< lower bound of the depth: no shorter translation separates them, up to rounding
  /// Unit, world, from the first to the second. Zero if `depth` is INFINITY.
  mo_vec3 normal;
  mo_vec3 point_a; ///< the point of the first primitive that is deepest in the second; world
  mo_vec3 point_b; ///< the point of the second; `point_a` - `point_b` is `depth` times the normal
  /// `feature`: the vertex, edge or face of the first primitive that reaches farthest along the
  /// normal; `other_feature`: that of the second against the normal. Both with the tolerances of
  /// mo_cast_hit; zero if `depth` is INFINITY.
  mo_feature feature;
  uint32_t feature_index;       ///< of the vertex, edge or face
  mo_feature other_feature;     ///< of the second
  uint32_t other_feature_index; ///< of the vertex, edge or face
} mo_primitive_penetration;

/// The distance of two primitives, or how deep they overlap, as one number: the length of the
/// shortest translation along which they touch, negative if they overlap. `point_b` - `point_a` is
/// `distance` times the normal.
typedef struct mo_primitive_signed_distance {
  bool found; ///< false: they are farther apart than `max_distance`, and nothing below is set
  /// If the primitives are apart, the distance of mo_primitive_find_distance; else minus the depth
  /// of mo_primitive_find_penetration: 0 if they just touch, -INFINITY if no translation separates
  /// two half-spaces.
  double distance;
  /// Error bound of `distance`. The exact one is at most this much less if the primitives are
  /// apart, and at most this much greater if they overlap, up to rounding.
  double error;
  mo_vec3 point_a; ///< the first's point closest to the second, or deepest in it; world
  mo_vec3 point_b; ///< the second's point closest to the first, or deepest in it; world
  /// Unit, world, from the first to the second: if the second moves along it, the distance grows.
  /// Zero only if `distance` is -INFINITY.
  mo_vec3 normal;
  /// `feature`: the vertex, edge or face of the first primitive that reaches farthest along the
  /// normal; `other_feature`: that of the second against the normal. Both with the tolerances of
  /// mo_cast_hit; zero if `distance` is -INFINITY.
  mo_feature feature;
  uint32_t feature_index;       ///< of the vertex, edge or face
  mo_feature other_feature;     ///< of the second
  uint32_t other_feature_index; ///< of the vertex, edge or face
} mo_primitive_signed_distance;

/// The first contact of a moving primitive with a stationary one.
typedef struct mo_primitive_contact {
  bool found;         ///< false: they do not meet, and nothing below is set
  float t;            ///< time of contact, from 0 to 1, as a fraction of the displacement
  mo_vec3 point;      ///< on the stationary primitive, world
  mo_vec3 normal;     ///< unit, world, towards the moving primitive; zero if `depth` is INFINITY
  float depth;        ///< at t = 0, how far to move along the normal to end the overlap; else 0
  mo_feature feature; ///< the touched part of the stationary primitive; see mo_cast_hit
  uint32_t feature_index;     ///< of the vertex, edge or face
  mo_feature own_feature;     ///< the touching part of the moving primitive
  uint32_t own_feature_index; ///< of the vertex, edge or face
} mo_primitive_contact;

MO_BEGIN_DECLS

/// A primitive from a geometry (local) and its transform. Both are copied without checks: queries
/// later refuse invalid values. To make a segment or triangle with a transform, set the
/// members.
MO_API mo_primitive mo_primitive_of_geometry(const mo_geometry *geometry,
                                             const mo_transform *transform);
/// A point in world coordinates.
MO_API mo_primitive mo_primitive_of_point(mo_vec3 point);
/// A segment in world coordinates.
MO_API mo_primitive mo_primitive_of_segment(mo_vec3 a, mo_vec3 b);
/// A triangle in world coordinates; counter-clockwise as seen from where its normal points to.
MO_API mo_primitive mo_primitive_of_triangle(mo_vec3 a, mo_vec3 b, mo_vec3 c);
/// All points p, in world coordinates, with dot(normal, p) <= offset.
MO_API mo_primitive mo_primitive_of_half_space(mo_vec3 normal, float offset);

/// The first point of a primitive on the ray origin + t * direction, 0 <= t <= max_t, in world
/// space. t has the same bits as that of a ray in a scene with the same shape (for a
/// triangle: a mesh of this one triangle, hit from both sides). Closed forms in double precision;
/// triangles after Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2013; hulls
/// by the planes of their faces; rounded boxes, cylinders, cones and hulls by Newton's method on
/// the distance along the ray, which is a convex function. Degenerate triangles are never hit.
/// Points, segments and flattened shapes are hit by rays that meet them to within rounding. A zero
/// direction hits a primitive that contains the origin. Errors: MO_ERROR_NULL_ARGUMENT (also of a
/// hull); MO_ERROR_INVALID_ARGUMENT (a mesh or compound; a negative size; a rounded volume; a
/// half-space without a normal, or under a transform without an inverse, by exact arithmetic;
/// `max_t` negative); MO_ERROR_NOT_FINITE (`max_t` may be INFINITY); MO_ERROR_OUT_OF_RANGE (also if
/// the point of a half-space's plane that is closest to the transform's origin is beyond
/// MO_MAX_COORDINATE). Cost: about 50 ns; up to 0.3 µs for rounded boxes, cylinders and cones;
/// O(faces) for hulls; no memory; any number of threads.
MO_API mo_result mo_primitive_cast_ray(const mo_primitive *primitive, mo_vec3 origin,
                                       mo_vec3 direction, float max_t, mo_primitive_hit *hit);

/// Whether two primitives have a point in common; touching counts. The answer is conservative:
/// always true if they do, and also true for gaps of up to 1e-11 of the sum of their sizes (for
/// triangles, also up to 1e-14 of their coordinates). Symmetric. By GJK on the Minkowski sum, after
/// a linear map that makes it nearly round (Gilbert, Johnson and Keerthi 1988). Half-spaces are
/// tested by the point of the other primitive that is lowest above the plane, with a tolerance of
/// 2^-45 of the distance between that point and the origin of the half-space's transform. Two
/// half-spaces overlap unless their normals are opposite, to within 2^-48, and their planes are
/// apart. Errors as of mo_primitive_cast_ray. Cost: 0.1 to 3 µs, no memory.
MO_API mo_result mo_primitive_overlap(const mo_primitive *a, const mo_primitive *b, bool *overlap);

/// The distance of two primitives that are at most `max_distance` apart (not negative, may be
/// INFINITY), and their closest points. The distance is 0 exactly if mo_primitive_overlap returns
/// true, and never less than the distance of the AABBs around them. By GJK in double precision,
/// which iterates until the distance of the two points and the proven lower bound agree to the last
/// bits, or until rounding prevents progress. For a half-space it is the height of the other
/// primitive's lowest point above the plane. `distance` and `lower` have an error of about 1e-15 of
/// the sizes and of the distance. They almost always agree to that error; to 1e-11 for one rounded
/// box in a thousand; and to 1e-7 of the sizes in rare cases (one in a million, where the rim of a
/// flattened shape meets a face at a small angle). If several pairs of points are closest, any of
/// them is returned. Errors as of mo_primitive_cast_ray; and MO_ERROR_INVALID_ARGUMENT for a
/// negative distance, MO_ERROR_NOT_FINITE for NaN. Cost: 0.5 to 5 µs, up to 25 with curved sides.
/// If the transform preserves angles, a ball, a capsule or a rounded shape costs no more than its
/// core without rounding. No memory.
MO_API mo_result mo_primitive_find_distance(const mo_primitive *a, const mo_primitive *b,
                                            double max_distance, mo_primitive_distance *distance);

/// The shortest translation that separates two overlapping primitives (mo_primitive_overlap). The
/// depth is never too small: the translation separates them, up to rounding. For shapes without
/// curved sides, and for such shapes with rounding (spheres, capsules, rounded boxes, under
/// transforms that preserve angles), it is the shortest to within 2^-40 of the sizes. The same
/// holds, by a closed form, for a point or ball with its centre in a cylinder or cone, also
/// rounded, under transforms that preserve angles (without rounding also under scales along the
/// axis). For all other shapes, including hulls of hundreds of faces, it is almost always the
/// shortest; it may be longer by up to 2^-6 of the sizes if many directions are nearly as short, as
/// for two concentric ellipsoids. `lower` bounds the error; if a transform rotates curved sides
/// with rounding, it is up to 2^-18 of the radii too low. Where the bounds differ, the translation
/// is still the shortest among similar directions, so that the two points differ by it: to within
/// 1e-5 of the sizes, in rare cases 1e-3. If several translations are shortest, any of them is
/// returned, always the same one for the same numbers. Flat primitives in one plane are separated
/// perpendicular to it, at depth 0. What overlaps a half-space is separated along the plane's
/// normal. By the expanding polytope algorithm, EPA (van den Bergen 2001), and where that does not
/// converge, local descent by a quasi-Newton method; for rounded shapes, on their cores. Errors as
/// of mo_primitive_cast_ray. Cost: 1 to 20 µs, up to 200 with curved sides; O(edges) for the
/// features of a hull; 30 KiB of stack.
MO_API mo_result mo_primitive_find_penetration(const mo_primitive *a, const mo_primitive *b,
                                               mo_primitive_penetration *penetration);

/// The signed distance of two primitives: mo_primitive_find_distance if they are apart, by at most
/// `max_distance` (not negative, may be INFINITY); mo_primitive_find_penetration if they overlap;
/// with the same numbers, and the features of both. Errors as of mo_primitive_find_distance. Cost:
/// that of the search that applies, and up to 3 µs more if they overlap; O(edges) for the features
/// of a hull; 30 KiB of stack.
MO_API mo_result mo_primitive_find_signed_distance(const mo_primitive *a, const mo_primitive *b,
                                                   double max_distance,
                                                   mo_primitive_signed_distance *distance);

/// Moves a primitive by a displacement (world) while t goes from 0 to 1, without rotation, until it
/// touches a stationary one. The contact has the same bits as that of mo_scene_cast_shape against
/// the same shape. Touching counts. If the primitives touch or overlap at the start, t is 0, with
/// the depth and normal of mo_primitive_find_penetration. If `cull_back_faces`, a stationary
/// triangle whose unit normal (that of mo_ray_hit), rounded to float, has a positive dot product
/// with the displacement is ignored: it would be hit from behind, or overlaps at the start and the
/// motion leads out of it. A degenerate triangle has no normal, and is never ignored. Errors as of
/// mo_primitive_cast_ray, and those of points for the displacement. Cost: of boxes and hulls about
/// one distance computation, else five to ten; against a triangle as in mo_scene_cast_shape; 40 KiB
/// of stack if they overlap at the start.
MO_API mo_result mo_primitive_cast(const mo_primitive *still, const mo_primitive *moving,
                                   mo_vec3 displacement, bool cull_back_faces,
                                   mo_primitive_contact *contact);

/// The point of a primitive that is closest to a world point: mo_primitive_find_distance with the
/// point as the second primitive, with the same errors and cost. A point inside a convex shape is
/// its own closest point.
MO_API mo_result mo_primitive_closest_point(const mo_primitive *primitive, mo_vec3 point,
                                            double max_distance, mo_primitive_distance *distance);

MO_END_DECLS

/** \} */

#endif
