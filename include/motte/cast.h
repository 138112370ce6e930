/** \defgroup cast Casts (motte/cast.h)
 *
 * Moving convex shapes: what they touch first on their way.
 *
 * A cast moves a shape by `displacement` while t goes from 0 to 1, without turning it. Touching
 * counts, also at the very end. A shape that touches or overlaps something at the start is reported
 * at t = 0, with the depth and a direction that leads out.
 *
 * Errors, statistics, threads and exactness are as in motte/query.h: the answer is that of a loop
 * over all triangles with the same test, bit for bit. The test itself is done in double precision,
 * by closed forms; it finds t to within some 2^-48 of the coordinates and the displacement, by the
 * distance that is left or missing then, and rounds it to the nearest float. */
#ifndef MOTTE_CAST_H
#define MOTTE_CAST_H

#include <motte/query.h>

/** \{ */

/// The first contact of a cast.
typedef struct mo_cast_hit {
  bool found;                  ///< false: nothing is in the way, and nothing below is set
  uint32_t triangle;           ///< the triangle that is touched
  uint32_t triangle_user_data; ///< the triangle's
  float t;                     ///< from 0 to 1, of the displacement
  mo_vec3 point;               ///< the point of contact, in the frame of the query
  /// Unit vector out of what is touched, towards the shape: from the point of contact to the centre
  /// of the ball. Where the centre itself lies on the triangle (to within 2^-44 of the coordinates:
  /// at the start, or of a ball without a radius), the triangle's normal on the side that the ball
  /// comes from.
  mo_vec3 normal;
  /// At t = 0, how far the shape has to be moved along `normal` not to overlap the triangle any
  /// more; else 0.
  float depth;
} mo_cast_hit;

MO_BEGIN_DECLS

/// Moves a ball until it touches a triangle of a mesh (its surface, from either side); ball and
/// displacement are local, and so is the hit. Degenerate triangles count as the segments or points
/// they are. Of triangles touched at the same t, the lower index is taken; at t = 0 the one that is
/// overlapped deepest. A radius of 0 and a displacement of 0 are legal. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT
/// (negative radius). Cost: nodes whose boxes the ball meets before the first contact, nearer ones
/// first; seven closed forms for each triangle tested.
MO_API mo_result mo_mesh_cast_sphere(const mo_mesh *mesh, const mo_sphere *sphere,
                                     mo_vec3 displacement, mo_cast_hit *hit, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
