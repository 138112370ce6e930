/** \defgroup separation Separation (motte/separation.h)
 *
 * How deep a convex shape, mesh or compound overlaps a scene or a mesh, and a translation that
 * separates it from everything: for pushing a character, or an object that is being placed, out of
 * the geometry it overlaps.
 *
 * For two meshes there is mo_mesh_find_separation_mesh.
 *
 * Errors, statistics, threads and exactness are as in motte/query.h. */
#ifndef MOTTE_SEPARATION_H
#define MOTTE_SEPARATION_H

#include <motte/cast.h>

/** \{ */

/// The deepest overlap of a shape, and a translation that separates the shape from everything.
typedef struct mo_separation {
  bool overlaps; ///< false: nothing is overlapped, and nothing below is set
  /// The solid or triangle with the deepest overlap, as reported by a cast without displacement:
  /// `normal` is the direction of the shortest way out, `depth` the length of that way, and `point`
  /// the point of the solid or triangle that is deepest inside the shape. The shape's point that is
  /// deepest inside the solid is `point` - `depth` * `normal`.
  mo_cast_hit deepest;
  bool found;          ///< false: no translation was found, and nothing below is set
  mo_vec3 translation; ///< the translation that separates the shape, in the frame of the query
} mo_separation;

/// Another mesh, and where both are.
typedef struct mo_separation_mesh_def {
  const mo_mesh *other;         ///< may be the same mesh; must not change during the call
  mo_transform transform;       ///< of the mesh that the function is called with, to the world
  mo_transform other_transform; ///< of `other`, to the world
  /// The mesh is closed (mo_mesh_winding_number), and counts with its inside. False by default: it
  /// is only a surface. If it is not closed, it is not defined which points are inside.
  bool is_filled;
  bool other_is_filled; ///< as `is_filled`, of `other`
  uint32_t cookie;      ///< set by mo_default_separation_mesh_def; not for the caller
} mo_separation_mesh_def;

/// How deep two meshes overlap, and a translation that separates them. World.
typedef struct mo_mesh_separation {
  bool overlaps; ///< false: the meshes do not overlap, and nothing below is set
  /// The depth of the vertex that is deepest inside the other mesh: its distance from the surface
  /// of that mesh. 0 if no vertex is inside, and then `vertex`, `surface` and `triangle` are not
  /// set. No shorter translation separates the meshes, up to rounding.
  float depth;
  bool is_vertex_of_other; ///< the vertex is one of `other`, and lies inside the mesh
  mo_vec3 vertex;          ///< the deepest vertex, rounded to float
  mo_vec3 surface;         ///< the point of the other mesh's surface that is closest to it
  uint32_t triangle;       ///< a triangle with that vertex: the lowest
  bool found;              ///< false: no translation was found; it is not set
  mo_vec3 translation;     ///< to be added to the origin of `other_transform`
} mo_mesh_separation;

MO_BEGIN_DECLS

/// The deepest overlap of a convex shape, mesh or compound in a scene, and a translation that
/// separates it from all shapes that the def lets count; meshes count as their surfaces. If a
/// translation is found, then the shape with the translation added to the origin of its transform,
/// in floats, touches nothing any more; the function has verified this, and a cast and
/// mo_scene_overlap_shapes agree. It starts with the shortest way out of the deepest overlap, and
/// repeats this for the deepest overlap that remains, up to 32 times. Each time it moves to the
/// closest place that satisfies all ways out so far (a quadratic program), and 2^-22 of the
/// coordinates farther, or more if rounding cancels that. So it is not the shortest translation in
/// general. None is found if the ways out contradict each other, as between two walls that are
/// closer than the shape is wide, or if they lead beyond a quarter of MO_MAX_COORDINATE. The
/// translation may lead through a surface, since it is not known which side of a triangle is the
/// outside. A mesh has the overlaps of its triangles, each by itself, which often contradict each
/// other if the mesh overlaps by more than its triangles are large. For two meshes
/// mo_mesh_find_separation_mesh does not depend on that. The def's displacement, rotation,
/// precision, back faces, approach and `every_triangle` make no difference. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (as of mo_scene_cast_shape). Cost: up to 33 casts without
/// displacement: each is a query with the shape's box, 1 to 5 µs for each solid and triangle that
/// is overlapped, and 1 to 200 µs for those that may be deeper than all before, mostly a few of
/// them; the `distance_count` of `stats` says how many.
MO_API mo_result mo_scene_find_separation(const mo_scene *scene, const mo_shape_cast_def *def,
                                          mo_separation *separation, mo_query_stats *stats);

/// The deepest overlap of a convex shape, mesh or compound with a mesh (its surface), and a
/// translation that separates it from all triangles; everything is local. As
/// mo_scene_find_separation, with the same errors.
MO_API mo_result mo_mesh_find_separation(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                         mo_separation *separation, mo_query_stats *stats);

/// A def without another mesh, which the caller has to set, with both meshes at the origin, as
/// surfaces.
MO_API mo_separation_mesh_def mo_default_separation_mesh_def(void);

/// Whether two meshes overlap, how deep, and a short translation of `other` that separates them,
/// each under its own transform (any affine map, also one that mirrors, shears or flattens). They
/// overlap if their surfaces touch (mo_mesh_test_overlap_mesh), or if a filled one contains a
/// vertex of the other one. A mesh that its transform flattens has no inside.
///
/// `depth` is exact: the result of mo_scene_signed_distance for each vertex, rounded to float, of
/// which the deepest counts; of equally deep ones that of the mesh, then the one with the lowest
/// triangle, then the first of its corners.
///
/// With the translation added to the origin of `other_transform`, in floats, the meshes do not
/// overlap any more. The function has verified this with the same tests. The translation is short,
/// but not the shortest in general, which would take time that grows with the product of the sizes
/// of both meshes; mostly it is a local minimum to within 0.1 %, but 1 in 80 can still be shortened
/// by sliding along what they touch, by up to a sixth. For two filled convex meshes that overlap by
/// at least 2^-10 of their sizes it is at most 1.1 times the shortest. All this holds near the
/// origin: a gap of some 2^-21 of the coordinates is left, or up to 64 times that where rounding
/// cancels it, which dominates far away from the origin. None is found only if the length of the
/// shortest exit of the boxes and the coordinates of both meshes and of the origin of
/// `other_transform` (the sums of the greatest magnitudes along the axes) together exceed a quarter
/// of MO_MAX_COORDINATE, or if the meshes are smaller than the rounding of their coordinates.
///
/// Method: from a translation that separates, the mesh moves back towards its place until it
/// touches, and along what it touches, as long as that shortens the translation (after Je et al.
/// 2012, PolyDepth). The first start is the shortest exit of the box of `other` from that of the
/// mesh. Further starts are steps in 98 directions, of 1/32 to 1/2 of that length, and less by 3 %
/// than the shortest translation so far. Any direction is within 20 degrees of one of the 98. The
/// search ends after 128 casts, or when the translation is about as short as the gap.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also the `other` of the def); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also if a transform takes a mesh, or a corner of its
/// box, beyond MO_MAX_COORDINATE). Cost: at most 883 starts, each a mo_mesh_test_overlap_mesh that
/// mostly ends at the first pair; and for those that separate, at most 128 casts of `other` along a
/// straight path in all (mostly 4 to 20), each of at most 1,024 such tests, but some 10 as a rule,
/// and as many searches for close pairs. For filled meshes, signed distances of vertices and of
/// boxes of the octree, also for each start where no surfaces touch. `pair_count` and
/// `distance_count` in `stats` say how many pairs of triangles were tested: two to five per
/// triangle of both as a rule, 20 to 50 for a mesh that lies on itself. 50 KiB of stack; no memory.
MO_API mo_result mo_mesh_find_separation_mesh(const mo_mesh *mesh,
                                              const mo_separation_mesh_def *def,
                                              mo_mesh_separation *separation,
                                              mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
