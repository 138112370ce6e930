/** \defgroup separation Separation (motte/separation.h)
 *
 * How deep a convex shape overlaps a scene or a mesh, and a translation that parts it from
 * everything: to push a character, or what is being placed, out of what it stands in.
 *
 * Errors, statistics, threads and exactness are as in motte/query.h. */
#ifndef MOTTE_SEPARATION_H
#define MOTTE_SEPARATION_H

#include <motte/cast.h>

/** \{ */

/// What a shape overlaps, and how to part it from that.
typedef struct mo_separation {
  bool overlaps; ///< false: nothing is overlapped, and nothing below is set
  /// The solid or triangle that is overlapped deepest, as of a cast without displacement: how deep,
  /// which way out of it is shortest, and the point that is deepest in the shape. That of the shape
  /// which is deepest in the other is `depth` times the normal away, against it.
  mo_cast_hit deepest;
  bool found;          ///< false: no translation was found, and nothing below is set
  mo_vec3 translation; ///< in the frame of the query
} mo_separation;

MO_BEGIN_DECLS

/// What a convex shape overlaps in a scene, deepest, and a translation that parts it from all
/// shapes that the def lets count; meshes are their surfaces. If it is found, the shape with the
/// translation added to the origin of its transform, in floats, touches nothing any more: a cast
/// and mo_scene_overlap_shapes say so, as this was tried. It starts with the shortest way out of
/// what is overlapped deepest, and goes on with what is deepest after that, up to 32 times, each
/// time to the closest place that is beyond all these ways out (by a quadratic program), and by
/// 2^-22 of the coordinates farther, or more where rounding takes that away. So it is not the
/// shortest in general. It is not found where the ways out contradict each other until the end, as
/// between two walls that are closer than the shape is wide, or lead beyond a quarter of
/// MO_MAX_COORDINATE. It may lead through a surface: which side of a triangle is the outside is not
/// known. Of the def, displacement, precision, back faces, approach and `every_triangle` do not
/// matter. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (as of mo_scene_cast_shape). Cost: up to 33
/// casts without displacement, each a query of the shape's box, and 1 to 200 µs for each solid and
/// triangle that is overlapped.
MO_API mo_result mo_scene_find_separation(const mo_scene *scene, const mo_shape_cast_def *def,
                                          mo_separation *separation, mo_query_stats *stats);

/// What a convex shape overlaps of a mesh (its surface), deepest, and a translation that parts it
/// from all triangles; all is local. As mo_scene_find_separation, with the same errors.
MO_API mo_result mo_mesh_find_separation(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                         mo_separation *separation, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
