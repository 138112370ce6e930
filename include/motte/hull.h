/** \defgroup hull Convex hulls (motte/hull.h)
 *
 * Convex hulls of points in local space, with vertices, faces and edges.
 *
 * A hull is exact: its vertices are input points, bit for bit (-0 becomes 0), and all input points
 * lie in it exactly, unless a vertex limit leaves some out. No decision uses a tolerance: points in
 * a face or on an edge are never vertices, however many there are, and a point that is outside by
 * the smallest possible amount is a vertex. Coplanar faces are merged into one; faces that are only
 * nearly coplanar stay separate. For noisy points, use a vertex limit. The hull depends neither on
 * the order of the points, nor on duplicates, nor on the machine: the same points give the same
 * bits.
 *
 * Vertices are sorted by x, then y, then z. The edges of a face run counter-clockwise as seen from
 * outside (in a right-handed frame) and begin at the vertex with the lowest index. Faces are sorted
 * by their first vertex, then their second.
 *
 * Coplanar points have a flat hull: a convex polygon with two faces, back to back. Collinear points
 * have no hull: use a capsule or a sphere for them.
 *
 * A hull may be the geometry of any number of shapes (MO_SHAPE_HULL), which share its memory.
 *
 * A hull never changes after mo_hull_create. Any number of threads may read one hull at once. */
#ifndef MOTTE_HULL_H
#define MOTTE_HULL_H

#include <motte/math.h>

/** \{ */

/// A convex hull of points; reference-counted.
typedef struct mo_hull mo_hull;

/// The largest number of points that mo_hull_create accepts.
#define MO_MAX_HULL_POINTS 0x0fffffffu

/// Everything that mo_hull_create needs. The array is read during the call only.
typedef struct mo_hull_def {
  /// `position_count` positions of three floats each, `position_stride` bytes apart (at least 12;
  /// any alignment), local frame. Their order does not matter, and they may repeat.
  const void *positions;
  size_t position_stride;  ///< bytes from one position to the next
  uint32_t position_count; ///< how many positions there are, up to MO_MAX_HULL_POINTS
  /// The most vertices that the hull may have, at least 4. Construction adds the point that is
  /// farthest from the current hull first, and stops at the limit; mo_hull_info tells how far
  /// outside the remaining points are.
  uint32_t vertex_limit;
  mo_host host; ///< memory and log of the hull
  /// Output, may be null; see MO_NO_INDEX. After MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE the
  /// index of the invalid position.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_hull_def; not for the caller
} mo_hull_def;

/// The counts and measurements of a hull.
typedef struct mo_hull_info {
  uint32_t vertex_count; ///< number of vertices: at least 4; at least 3 if flat
  uint32_t face_count;   ///< number of faces; 2 if flat
  uint32_t edge_count;   ///< number of edges: vertex_count + face_count - 2
  bool flat;             ///< all vertices in one plane, exactly
  mo_aabb bounds;        ///< the tight box around all vertices, local frame
  double volume;         ///< relative error at most 1e-9; 0 if flat
  double surface_area;   ///< sum of the areas of all faces; a flat hull has two
  /// Centroid of the volume, or of the area if flat; local frame, rounded to float.
  mo_vec3 centroid;
  /// Distance from the hull to the farthest position that the vertex limit left outside; 0 if all
  /// are inside.
  float distance_lost;
  size_t bytes; ///< all memory that the hull owns
} mo_hull_info;

/// A face: a convex polygon in one plane.
typedef struct mo_hull_face {
  /// The plane. Its normal has unit length up to rounding and points inward, as for every mo_plane:
  /// the outward normal is -normal. All vertices are exactly on its inner side, because the offset
  /// is rounded outward: by at most 4e-7 times the sum of the largest coordinates on the three axes
  /// plus the smallest positive float. It is exact for faces perpendicular to an axis.
  mo_plane plane;
  uint32_t vertex_count; ///< of the polygon, at least 3
} mo_hull_face;

/// An edge between two faces.
typedef struct mo_hull_edge {
  uint32_t vertices[2]; ///< vertex indices, the lower one first
  /// Indices of the two faces at the edge. The first is the face whose counter-clockwise order runs
  /// from vertices[0] to vertices[1].
  uint32_t faces[2];
} mo_hull_edge;

MO_BEGIN_DECLS

/// A def with a default host, a position stride of 12 and no vertex limit. The caller must set the
/// positions.
MO_API mo_hull_def mo_default_hull_def(void);

/// Makes the hull of points with one reference, owned by the caller. The def's tasks are not used.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (stride,
/// vertex limit, no positions, or all of them on a line); MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE (beyond MO_MAX_COORDINATE); MO_ERROR_TOO_MANY (positions);
/// MO_ERROR_OUT_OF_MEMORY. Cost: about O(n log n) for n points, twice that with a vertex limit. Any
/// thread.
MO_API mo_result mo_hull_create(const mo_hull_def *def, mo_hull **hull);

/// Adds a reference. Null is ignored. Any thread.
MO_API void mo_hull_retain(mo_hull *hull);

/// Removes a reference; removing the last one frees the hull. Null is ignored. Any thread.
MO_API void mo_hull_release(mo_hull *hull);

/// Returns the counts and measurements of a hull. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(1). Any
/// thread.
MO_API mo_result mo_hull_get_info(const mo_hull *hull, mo_hull_info *info);

/// Copies the first `capacity` vertices, local frame. `total` receives the number of vertices and
/// may be null. Errors: MO_ERROR_NULL_ARGUMENT (also a null buffer with a capacity). Cost:
/// O(written). Any thread.
MO_API mo_result mo_hull_get_vertices(const mo_hull *hull, mo_vec3 *vertices, uint32_t capacity,
                                      uint32_t *total);

/// Copies a face. The first `capacity` indices of its vertices are written to `vertices`,
/// counter-clockwise as seen from outside, the lowest index first. Errors: MO_ERROR_NULL_ARGUMENT
/// (also a null buffer with a capacity); MO_ERROR_INVALID_INDEX (face). Cost: O(written). Any
/// thread.
MO_API mo_result mo_hull_get_face(const mo_hull *hull, uint32_t index, mo_hull_face *face,
                                  uint32_t *vertices, uint32_t capacity);

/// Copies the first `capacity` edges, sorted by `faces[0]`, then in the order of that face's
/// polygon. `total` receives the number of edges and may be null. Errors: MO_ERROR_NULL_ARGUMENT
/// (also a null buffer with a capacity). Cost: O(edges) at most. Any thread.
MO_API mo_result mo_hull_get_edges(const mo_hull *hull, mo_hull_edge *edges, uint32_t capacity,
                                   uint32_t *total);

/// Copies the indices of the first `capacity` vertices that share an edge with a vertex,
/// counter-clockwise as seen from outside. `total` receives the number of neighbours and may be
/// null. Errors: MO_ERROR_NULL_ARGUMENT (also a null buffer with a capacity);
/// MO_ERROR_INVALID_INDEX (vertex). Cost: O(written). Any thread.
MO_API mo_result mo_hull_get_neighbors(const mo_hull *hull, uint32_t vertex, uint32_t *neighbors,
                                       uint32_t capacity, uint32_t *total);

/// Checks every invariant of the hull, exactly: each face is a convex polygon in one plane, the
/// hull is strictly convex at each edge and closed, all vertices are used and numbered as
/// documented above, and all vertices are on the inner side of all planes. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT, which is a defect of the library and is described in
/// the host's log. Cost: O(edges), about as much as mo_hull_create. Any thread. For tests.
MO_API mo_result mo_hull_validate(const mo_hull *hull);

MO_END_DECLS

/** \} */

#endif
