/** \defgroup separation Separation (motte/separation.h)
 *
 * How deep a convex shape overlaps a scene or a mesh, and a translation that separates it from
 * everything: for pushing a character, or an object that is being placed, out of the geometry it
 * overlaps.
 *
 * Errors, statistics, threads and exactness are as in motte/query.h. */
#ifndef MOTTE_SEPARATION_H
#define MOTTE_SEPARATION_H

#include <motte/cast.h>

/** \{ */

/// The deepest overlap of a shape, and a translation that separates the shape from everything.
typedef struct mo_separation {
  bool overlaps; ///< false: nothing is overlapped, and nothing below is set
  /// The solid or triangle with the deepest overlap, as from a cast without displacement: the
  /// depth, the normal along which the way out is shortest, and its point that is deepest inside
  /// the shape. The shape's point that is deepest inside the solid is `point` - `depth` * `normal`.
  mo_cast_hit deepest;
  bool found;          ///< false: no translation was found, and nothing below is set
  mo_vec3 translation; ///< in the frame of the query
} mo_separation;

MO_BEGIN_DECLS

/// The deepest overlap of a convex shape in a scene, and a translation that separates it from all
/// shapes that the def lets count; meshes count as their surfaces. If a translation is found, then
/// the shape with the translation added to the origin of its transform, in floats, touches nothing
/// any more; the function has verified this, and a cast and mo_scene_overlap_shapes agree. It
/// starts with the shortest way out of the deepest overlap, and repeats this for the deepest
/// overlap that remains, up to 32 times. Each time it moves to the closest place that satisfies all
/// ways out so far (a quadratic program), and 2^-22 of the coordinates farther, or more if rounding
/// cancels that. So it is not the shortest translation in general. None is found if the ways out
/// contradict each other, as between two walls that are closer than the shape is wide, or if they
/// lead beyond a quarter of MO_MAX_COORDINATE. The translation may lead through a surface, since it
/// is not known which side of a triangle is the outside. The def's displacement, rotation,
/// precision, back faces, approach and `every_triangle` make no difference. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (as of mo_scene_cast_shape). Cost: up to 33 casts without
/// displacement: each is a query with the shape's box, 1 to 5 µs for each solid and triangle that
/// is overlapped, and 1 to 200 µs for those that may be deeper than all before, mostly a few of
/// them; the `distance_count` of `stats` says how many.
MO_API mo_result mo_scene_find_separation(const mo_scene *scene, const mo_shape_cast_def *def,
                                          mo_separation *separation, mo_query_stats *stats);

/// The deepest overlap of a convex shape with a mesh (its surface), and a translation that
/// separates it from all triangles; everything is local. As mo_scene_find_separation, with the same
/// errors.
MO_API mo_result mo_mesh_find_separation(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                         mo_separation *separation, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
