/** \defgroup hull Convex hulls (motte/hull.h)
 *
 * Convex hulls of points in local space, with vertices, faces and edges.
 *
 * A hull is exact: its vertices are points that were given, bit for bit (-0 as 0), and all points
 * that were given lie in it, exactly, unless a vertex limit leaves some out. No tolerance decides
 * anything: points that lie in a face or on an edge are no vertices, however many there are, and a
 * point that is outside by the least float is one. Faces in one plane are one face; faces in nearly
 * the same plane are two. A vertex limit thins out points that are noisy. The hull does not depend
 * on the order of points, on duplicates, nor on the machine: the same points give the same bits.
 *
 * Vertices ascend by x, then y, then z. Edges of a face run counter-clockwise as seen from outside
 * (in a right-handed frame) and begin at its lowest vertex; faces ascend by their first vertex,
 * then their second.
 *
 * Points in a plane have a flat hull: a convex polygon as two faces, back to back. Points on a line
 * have none: a capsule or a sphere says what they mean.
 *
 * A hull may be the geometry of a shape (MO_SHAPE_HULL), or of any number of shapes: they share it,
 * and it costs its memory once.
 *
 * A hull never changes after mo_hull_create. Any number of threads may read one hull at once. */
#ifndef MOTTE_HULL_H
#define MOTTE_HULL_H

#include <motte/math.h>

/** \{ */

/// A convex hull of points; counts its references.
typedef struct mo_hull mo_hull;

/// The most points that a hull may be made of.
#define MO_MAX_HULL_POINTS 0x0fffffffu

/// Everything that mo_hull_create needs. The array is read during the call only.
typedef struct mo_hull_def {
  /// `position_count` positions of three floats each, `position_stride` bytes apart (at least 12;
  /// any alignment), local frame. Their order does not matter, and they may repeat.
  const void *positions;
  size_t position_stride;  ///< bytes from one position to the next
  uint32_t position_count; ///< how many positions there are, up to MO_MAX_HULL_POINTS
  /// The most vertices that the hull may have, at least 4. Of more, those are taken first that are
  /// the farthest from the hull so far; mo_hull_info tells how far outside the others are.
  uint32_t vertex_limit;
  mo_host host; ///< memory and log of the hull
  /// Output, may be null: see MO_NO_INDEX. With MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE the
  /// position.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_hull_def; not for the caller
} mo_hull_def;

/// What a hull is made of, and how large it is.
typedef struct mo_hull_info {
  uint32_t vertex_count; ///< at least 4, of a flat hull 3
  uint32_t face_count;   ///< 2 where it is flat
  uint32_t edge_count;   ///< vertex_count + face_count - 2
  bool flat;             ///< all vertices in one plane, exactly
  mo_aabb bounds;        ///< the tight box around all vertices, local frame
  double volume;         ///< to within 1e-9 of itself; 0 where it is flat
  double surface_area;   ///< of all faces; of a flat hull of both sides
  /// Centre of volume, of a flat hull of area; local frame, rounded.
  mo_vec3 centroid;
  /// How far the farthest position is outside, for the vertex limit; 0 where all are inside.
  float distance_lost;
  size_t bytes; ///< all memory that the hull holds
} mo_hull_info;

/// A face: a convex polygon in one plane.
typedef struct mo_hull_face {
  /// The plane, of unit length but for rounding, with the normal inward as of every mo_plane:
  /// outward is -normal. All vertices are on its inner side, exactly: the offset is rounded
  /// outward, by at most 4e-7 times the sum of the greatest coordinates per axis and the least
  /// float; of faces across an axis it is exact.
  mo_plane plane;
  uint32_t vertex_count; ///< of the polygon, at least 3
} mo_hull_face;

/// An edge between two faces.
typedef struct mo_hull_edge {
  uint32_t vertices[2]; ///< the lower one first
  /// The face in which the edge runs from the first vertex to the second, and the other.
  uint32_t faces[2];
} mo_hull_edge;

MO_BEGIN_DECLS

/// A def with a default host, a position stride of 12 and no vertex limit; the positions are for
/// the caller to set.
MO_API mo_hull_def mo_default_hull_def(void);

/// Makes the hull of points with one reference, owned by the caller. The def's tasks are not used.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (stride,
/// vertex limit, no positions, or all of them on a line); MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE (beyond MO_MAX_COORDINATE); MO_ERROR_TOO_MANY (positions);
/// MO_ERROR_OUT_OF_MEMORY. Cost: about O(n log n); with a vertex limit, twice. Any thread.
MO_API mo_result mo_hull_create(const mo_hull_def *def, mo_hull **hull);

/// Adds a reference. Null is ignored. Any thread.
MO_API void mo_hull_retain(mo_hull *hull);

/// Gives a reference back; the last one frees the hull. Null is ignored. Any thread.
MO_API void mo_hull_release(mo_hull *hull);

/// Counts and measures. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(1). Any thread.
MO_API mo_result mo_hull_get_info(const mo_hull *hull, mo_hull_info *info);

/// Copies out the first `capacity` vertices, local frame. `total` receives how many there are and
/// may be null. Errors: MO_ERROR_NULL_ARGUMENT (also of a buffer that has a capacity). Cost: what
/// is written. Any thread.
MO_API mo_result mo_hull_get_vertices(const mo_hull *hull, mo_vec3 *vertices, uint32_t capacity,
                                      uint32_t *total);

/// Copies out a face. The first `capacity` of its vertices, counter-clockwise from outside, the
/// lowest first, are written to `vertices`. Errors: MO_ERROR_NULL_ARGUMENT (also of a buffer that
/// has a capacity); MO_ERROR_INVALID_INDEX (face). Cost: what is written. Any thread.
MO_API mo_result mo_hull_get_face(const mo_hull *hull, uint32_t index, mo_hull_face *face,
                                  uint32_t *vertices, uint32_t capacity);

/// Copies out the first `capacity` edges, in the order in which `faces[0]` and its polygon have
/// them. `total` receives how many there are and may be null. Errors: MO_ERROR_NULL_ARGUMENT (also
/// of a buffer that has a capacity). Cost: O(edges) at most. Any thread.
MO_API mo_result mo_hull_get_edges(const mo_hull *hull, mo_hull_edge *edges, uint32_t capacity,
                                   uint32_t *total);

/// Copies out the first `capacity` vertices that a vertex shares an edge with, counter-clockwise as
/// seen from outside. `total` receives how many there are and may be null. Errors:
/// MO_ERROR_NULL_ARGUMENT (also of a buffer that has a capacity); MO_ERROR_INVALID_INDEX (vertex).
/// Cost: what is written. Any thread.
MO_API mo_result mo_hull_get_neighbors(const mo_hull *hull, uint32_t vertex, uint32_t *neighbors,
                                       uint32_t capacity, uint32_t *total);

/// Checks every invariant of the hull, exactly: each face is a convex polygon in one plane, the
/// hull is strictly convex at each edge and closed, all vertices are used and numbered as promised,
/// planes have all vertices on their inner side. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT,
/// which names a defect of the library; the host's log receives which. Cost: O(edges), about as
/// much as mo_hull_create. Any thread. For tests.
MO_API mo_result mo_hull_validate(const mo_hull *hull);

MO_END_DECLS

/** \} */

#endif
