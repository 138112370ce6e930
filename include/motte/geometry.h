/** \defgroup geometry Geometry (motte/geometry.h)
 *
 * What shapes are made of; and queries on single convex shapes, points, segments and triangles, in
 * no scene. They keep no state: any number of threads may call them at once. Nothing is written
 * where an error is returned. */
#ifndef MOTTE_GEOMETRY_H
#define MOTTE_GEOMETRY_H

#include <motte/math.h>

/** \{ */

struct mo_mesh;
struct mo_hull;

/// What a shape is made of.
typedef enum mo_shape_type {
  MO_SHAPE_MESH,     ///< the surface of a mesh; not solid
  MO_SHAPE_SPHERE,   ///< solid; an ellipsoid under a general transform
  MO_SHAPE_BOX,      ///< solid; a parallelepiped under a general transform
  MO_SHAPE_CAPSULE,  ///< solid: the points within `radius` of a segment
  MO_SHAPE_VOLUME,   ///< a bounding volume alone (visibility, triggers): the world AABB of a local
                     ///< box
  MO_SHAPE_CYLINDER, ///< solid: around a segment, with flat ends
  MO_SHAPE_CONE,     ///< solid: from a point to a disc across its axis
  MO_SHAPE_HULL,     ///< solid: a convex hull of points (motte/hull.h)
  MO_SHAPE_HALF_SPACE, ///< solid: all that lies behind a plane, without end
} mo_shape_type;

/// A box along the axes of its shape's local frame.
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

/// The points within `radius` of the line through a and b, between the planes across it there;
/// local.
typedef struct mo_cylinder {
  mo_vec3 a;    ///< the centre of one end
  mo_vec3 b;    ///< the centre of the other; must not coincide with `a`
  float radius; ///< not negative
} mo_cylinder;

/// All points between an apex and a disc around b, across the line from the apex to there; local.
typedef struct mo_cone {
  mo_vec3 a;    ///< the apex
  mo_vec3 b;    ///< the centre of the base; must not coincide with `a`
  float radius; ///< of the base; not negative
} mo_cone;

/// All points p with dot(normal, p) <= offset: what lies behind a plane, without end; local. The
/// normal leads out, as from any solid; that of mo_plane points inside. A half-space that is to be
/// rounded is one with a greater offset.
typedef struct mo_half_space {
  mo_vec3 normal; ///< out of it; of any length but zero
  float offset;   ///< of the plane from the origin, in units of the normal's length
} mo_half_space;

/// The geometry of a shape in its local frame.
typedef struct mo_geometry {
  mo_shape_type type; ///< which member of the union counts
  /// A convex shape is all points within this distance of what the union says, in local units: it
  /// grows on all sides, and edges and corners become round. The transform maps this with the rest,
  /// so that it scales too. Spheres and capsules have a larger radius by it. Not negative; 0 for
  /// meshes, volumes and half-spaces.
  float rounding;
  union {
    struct mo_mesh *mesh; ///< the scene holds a reference while a shape uses it
    mo_sphere sphere;     ///< of MO_SHAPE_SPHERE
    mo_box box;           ///< of MO_SHAPE_BOX
    mo_capsule capsule;   ///< of MO_SHAPE_CAPSULE
    mo_cylinder cylinder; ///< of MO_SHAPE_CYLINDER
    mo_cone cone;         ///< of MO_SHAPE_CONE
    /// Of MO_SHAPE_HULL. The scene holds a reference while a shape uses it: one hull may serve any
    /// number of shapes.
    struct mo_hull *hull;
    mo_aabb volume; ///< of MO_SHAPE_VOLUME
    /// Of MO_SHAPE_HALF_SPACE. The transform must have an inverse, however sheared.
    mo_half_space half_space;
  };
} mo_geometry;

/// What a primitive is.
typedef enum mo_primitive_type {
  MO_PRIMITIVE_GEOMETRY,   ///< a convex shape, a volume or a half-space: `geometry`
  MO_PRIMITIVE_POINT,      ///< points[0]
  MO_PRIMITIVE_SEGMENT,    ///< from points[0] to points[1]
  MO_PRIMITIVE_TRIANGLE,   ///< the three points; flat, without an inside
  MO_PRIMITIVE_HALF_SPACE, ///< `half_space`; as a geometry of MO_SHAPE_HALF_SPACE
} mo_primitive_type;

/// A convex primitive by itself, in no scene. Everything is copied and nothing is owned; a hull is
/// referred to, and has to live while the primitive is used.
typedef struct mo_primitive {
  mo_primitive_type type; ///< which member of the union counts
  /// Local to world: any affine map, also one that mirrors or flattens. Of a half-space it must
  /// have an inverse, however sheared: a flattened half-space is none any more.
  mo_transform transform;
  union {
    mo_geometry geometry; ///< anything but a mesh
    /// Of points, segments and triangles; they may coincide. These are not rounded; a capsule is a
    /// rounded segment.
    mo_vec3 points[3];
    mo_half_space half_space; ///< of MO_PRIMITIVE_HALF_SPACE
  };
} mo_primitive;

/// What a ray hits of a primitive.
typedef struct mo_primitive_hit {
  bool found;     ///< false: the ray hits nothing, and nothing below is set
  float t;        ///< along the ray, in units of the direction's length
  mo_vec3 point;  ///< world
  mo_vec3 normal; ///< unit, world, outward; of a triangle by the right-hand rule from its winding
                  ///< in local space; zero for a ray that starts inside
} mo_primitive_hit;

/// How far two primitives are apart, and where.
typedef struct mo_primitive_distance {
  bool found;      ///< false: they are farther apart than `max_distance`, and nothing below is set
  double distance; ///< of the two points; 0 where the primitives overlap
  double lower;    ///< no two points of theirs are closer than this, but for rounding
  mo_vec3 point_a; ///< the closest point of the first, world, rounded to float
  mo_vec3 point_b; ///< the closest point of the second; where they overlap, the same point
  mo_vec3 normal;  ///< unit, from the first to the second; zero at distance 0
} mo_primitive_distance;

/// How deep two primitives overlap, and the shortest way out. No translation parts two half-spaces
/// with normals that are not opposite: then `depth` and `lower` are INFINITY, the normal is zero,
/// and the points are one that is in both.
typedef struct mo_primitive_penetration {
  bool found; ///< false: they do not overlap, and nothing below is set
  /// The second primitive, moved by this along the normal, only touches the first. 0 where they
  /// only touch already.
  double depth;
  double lower; ///< no shorter translation parts them, but for rounding
  /// Unit, world, from the first to the second. Zero where `depth` is INFINITY.
  mo_vec3 normal;
  mo_vec3 point_a; ///< of the first, where it reaches deepest into the second, world
  mo_vec3 point_b; ///< of the second; `point_a` - `point_b` is `depth` times the normal
} mo_primitive_penetration;

/// The parts of the surface of a shape, without what it is rounded by: of a sphere its centre, of a
/// capsule the segment between its ends. Their indices:
///   - triangles: corner i; edge i, from corner i to corner (i + 1) % 3; face 0;
///   - boxes and volumes: vertex i is at the upper end of x if i & 1, of y if i & 2, of z if i & 4;
///     edge 8 * axis + i goes along an axis (x is 0) from vertex i, at its lower end; face
///     2 * axis + 1 is at the upper end of an axis, 2 * axis at the lower;
///   - hulls: as mo_hull_get_vertices, mo_hull_get_edges and mo_hull_get_face number them;
///   - cylinders: edges 0 and 1, the rims around `a` and `b`; faces 0 and 1, the ends; face 2, the
///     side;
///   - cones: vertex 0, the apex; edge 1, the rim; face 1, the base; face 2, the side;
///   - spheres and points: vertex 0; capsules and segments: vertices 0 and 1, the ends, and edge 0;
///   - half-spaces: face 0.
typedef enum mo_feature {
  MO_FEATURE_FACE,   ///< the inside of a face
  MO_FEATURE_EDGE,   ///< the inside of an edge
  MO_FEATURE_VERTEX, ///< a vertex
} mo_feature;

/// The first contact of a moving primitive with another one.
typedef struct mo_primitive_contact {
  bool found;         ///< false: they do not meet, and nothing below is set
  float t;            ///< from 0 to 1, of the displacement
  mo_vec3 point;      ///< of the primitive that stands still, world
  mo_vec3 normal;     ///< unit, from there to the one that moves; zero where `depth` is INFINITY
  float depth;        ///< at t = 0, how far along the normal it has to go not to overlap; else 0
  mo_feature feature; ///< what is touched of the primitive that stands still: as mo_cast_hit
  uint32_t feature_index;     ///< of the vertex, edge or face
  mo_feature own_feature;     ///< what the moving primitive touches it with
  uint32_t own_feature_index; ///< of the vertex, edge or face
} mo_primitive_contact;

MO_BEGIN_DECLS

/// A primitive of a geometry (local) under a transform, both copied and not checked: queries refuse
/// meshes and what is not legal. For a segment or triangle under a transform, set the members.
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
/// space: the same t, to the bit, as a ray in a scene has for a shape like this (of a triangle, for
/// a mesh of it alone, both sides). Closed forms in double precision; triangles after Woop, Benthin
/// and Wald, "Watertight Ray/Triangle Intersection", JCGT 2013; hulls by the planes of their faces;
/// rounded boxes, cylinders, cones and hulls by Newton's method on the distance along the ray,
/// which is convex. Degenerate triangles are never hit; points, segments and flattened shapes by
/// rays that cross them to within rounding. A direction of zero hits what holds the origin. Errors:
/// MO_ERROR_NULL_ARGUMENT (also of a hull); MO_ERROR_INVALID_ARGUMENT (a mesh; a negative size; a
/// rounded volume; a half-space without a normal, or under a transform without an inverse, by exact
/// arithmetic; `max_t` negative); MO_ERROR_NOT_FINITE (`max_t` may be INFINITY);
/// MO_ERROR_OUT_OF_RANGE (also a half-space whose plane is beyond MO_MAX_COORDINATE where it is
/// closest to the transform's origin). Cost: some 50 ns, of rounded boxes, cylinders and cones up
/// to 0.3 µs; of hulls O(faces); no memory; any number of threads.
MO_API mo_result mo_primitive_cast_ray(const mo_primitive *primitive, mo_vec3 origin,
                                       mo_vec3 direction, float max_t, mo_primitive_hit *hit);

/// Whether two primitives have a point in common; touching counts. The answer is yes wherever they
/// do, and up to a gap of 1e-11 of the sum of their sizes (of triangles, also 1e-14 of their
/// coordinates). Symmetric. By GJK on a Minkowski sum that is made round first (Gilbert, Johnson
/// and Keerthi 1988). Half-spaces by the point that is lowest above the plane, also up to a gap of
/// 2^-45 of what is between that point and the origin of the half-space's transform; two of them
/// overlap, unless their normals are opposite, to within 2^-48, and their planes apart. Errors as
/// of mo_primitive_cast_ray. Cost: 0.1 to 3 µs, no memory.
MO_API mo_result mo_primitive_overlap(const mo_primitive *a, const mo_primitive *b, bool *overlap);

/// The distance of two primitives that are at most `max_distance` apart (not negative, may be
/// INFINITY), and their closest points. 0 exactly where mo_primitive_overlap says yes, and never
/// less than the distance of the boxes around them. By GJK in
/// double precision, until the distance of the points and the proven lower bound agree to the last
/// bits, or rounding stops it; that of a half-space is the height of the other one's lowest point
/// above the plane. Both hold to within some 1e-15 of the sizes and of the distance;
/// they agree to that almost always, to 1e-11 for one rounded box in a thousand, and to 1e-7 of the
/// sizes in rare cases (one in a million, where the rim of a flattened shape meets a face at a
/// small angle). Of several closest pairs, any. Errors as of mo_primitive_cast_ray; and
/// MO_ERROR_INVALID_ARGUMENT for a negative distance, MO_ERROR_NOT_FINITE for NaN. Cost: 0.5 to 5
/// µs, with curved sides up to 25; of balls and capsules, and of what is rounded, no more than of
/// what they are around, where the transform keeps angles. No memory.
MO_API mo_result mo_primitive_find_distance(const mo_primitive *a, const mo_primitive *b,
                                            double max_distance, mo_primitive_distance *distance);

/// The shortest translation that parts two primitives that overlap (mo_primitive_overlap). The
/// depth never says too little: the translation parts them, but for rounding. It is the shortest to
/// within 2^-40 of the sizes, for shapes without curved sides and for those that are round by balls
/// around such (spheres, capsules, rounded boxes, under transforms that keep angles); of others, to
/// which hulls of hundreds of faces belong, almost always, and up to 2^-6 of the sizes where many
/// ways out are nearly as short, as for two ellipsoids about one centre. `lower` tells. Of several
/// shortest translations any one, always the same for the same numbers. Flat primitives in one
/// plane are parted across it, at depth 0. What overlaps a half-space is parted from it along its
/// normal. By an expanding polytope (van den Bergen 2001), of
/// rounded shapes around what is rounded. Errors as of mo_primitive_cast_ray. Cost: 1 to 20 µs,
/// with curved sides up to 200; 30 KiB of stack.
MO_API mo_result mo_primitive_find_penetration(const mo_primitive *a, const mo_primitive *b,
                                               mo_primitive_penetration *penetration);

/// Moves a primitive by a displacement (world) while t goes from 0 to 1, without turning it, until
/// it touches another one: the same contact, to the bit, as of mo_scene_cast_shape with a shape
/// like that. Touching counts; of primitives that touch or overlap at the start, t is 0, with depth
/// and normal of mo_primitive_find_penetration. Errors as of mo_primitive_cast_ray, and those of
/// points for the displacement. Cost: some five to ten distances; 40 KiB of stack from an overlap.
MO_API mo_result mo_primitive_cast(const mo_primitive *still, const mo_primitive *moving,
                                   mo_vec3 displacement, mo_primitive_contact *contact);

/// The point of a primitive that is closest to a world point: mo_primitive_find_distance with the
/// point as the second primitive, with the same errors and cost. A point inside a convex shape is
/// its own closest point.
MO_API mo_result mo_primitive_closest_point(const mo_primitive *primitive, mo_vec3 point,
                                            double max_distance, mo_primitive_distance *distance);

MO_END_DECLS

/** \} */

#endif
