/** \defgroup near Distances of boxes (motte/near.h)
 *
 * Queries by the distance of boxes: nearby shapes, nearby pairs, levels of detail, and free space
 * for a shape. For distances by exact geometry see motte/distance.h.
 *
 * Only the search for free space (mo_scene_shape_fits) can also use exact geometry. All other
 * distances are between world AABBs as mo_scene_get_bounds returns them: the smallest distance of
 * two points of two closed boxes, 0 if they touch. They are computed in double precision and
 * compared squared: the gaps per axis, then x * x + y * y + z * z, each operation rounded to
 * nearest. So the results are those of a brute-force loop over all shapes with the same arithmetic,
 * bit for bit, whatever the tree, the instruction set or the thread: by the same arithmetic, the
 * box of a node is never farther than its contents, and only nodes are culled. Half-spaces have no
 * box: their distance is the height of the box's lowest corner above the plane, 0 below it, in
 * double precision.
 *
 * Errors, filters, lists and statistics are as in motte/query.h. Nothing is allocated, and any
 * number of threads may query at once. The scene must not change during a call, and callbacks,
 * which run in the calling thread, must not change it either. */
#ifndef MOTTE_NEAR_H
#define MOTTE_NEAR_H

#include <motte/pairs.h>
#include <motte/query.h>

/** \{ */

/// A shape and its distance.
typedef struct mo_near_shape {
  mo_shape_id shape;  ///< which shape
  uint64_t user_data; ///< user data of the shape
  double distance;    ///< the square root of `distance2`
  double distance2;   ///< the squared distance, by which shapes are compared
} mo_near_shape;

/// Options for the search for shapes near a box or point.
typedef struct mo_near_def {
  mo_aabb from;       ///< the box that distances are measured from, world; lower == upper: a point
  float max_distance; ///< not negative; shapes at exactly this distance count; may be INFINITY
  mo_filter filter;   ///< which shapes count
  /// If not null: return only shapes that follow this one in the order (distance2, shape index).
  /// Continues an enumeration that has ended; the shape may have been removed from the scene.
  const mo_near_shape *after;
  uint32_t cookie; ///< set by mo_default_near_def; not for the caller
} mo_near_def;

/// The measure that determines a shape's level of detail.
typedef enum mo_level_measure {
  MO_LEVEL_BY_DISTANCE, ///< distance of the eye from the shape's box, in world units
  /// Size: length of the diagonal of the shape's box, divided by the distance of the eye from the
  /// box; infinite if the eye is in the box, and for half-spaces. With a vertical field of view a,
  /// a shape that covers a fraction s of the image height has a size of about s * 2 * tan(a / 2).
  MO_LEVEL_BY_SIZE,
} mo_level_measure;

/// The largest number of levels of detail in one query.
#define MO_MAX_LEVELS 32

/// Options for levels of detail: the eye, the thresholds, and which shapes count.
typedef struct mo_level_def {
  mo_vec3 eye;              ///< the point from which distances are measured, world
  mo_level_measure measure; ///< what is compared with the thresholds
  /// The limits of the levels: a shape has the first level i with distance <= thresholds[i], or
  /// size >= thresholds[i]; a shape beyond the last threshold is not listed. Distances must ascend
  /// and may be INFINITY, sizes must descend; none is negative. Squares are compared.
  const float *thresholds;
  uint32_t level_count;   ///< 1 to MO_MAX_LEVELS
  const mo_plane *planes; ///< lists only shapes that mo_scene_cull_planes would list; may be null
  uint32_t plane_count;   ///< up to MO_MAX_PLANES; 0: no culling
  mo_filter filter;       ///< which shapes count
  uint32_t cookie;        ///< set by mo_default_level_def; not for the caller
} mo_level_def;

/// A shape and its level of detail.
typedef struct mo_level_result {
  mo_shape_id shape; ///< which shape
  uint32_t level;    ///< index of the threshold, 0 for the nearest or largest
} mo_level_result;

/// Options for the search for free space: the shape to be placed, and its clearance from others.
typedef struct mo_fit_def {
  /// The shape to place, at its place in the world; must be set by the caller.
  const mo_shape_def *shape;
  /// Which shapes can be obstacles, in addition to the filters of the two shapes, which must accept
  /// each other as in pairs (motte/pairs.h). To test a new place for an existing shape, set
  /// `ignore` to it.
  mo_filter filter;
  /// Exact geometry, or the shape's world AABB (without a margin) against the stored boxes of the
  /// others.
  mo_precision precision;
  /// The minimum distance from other shapes, in world units, not negative, up to MO_MAX_COORDINATE.
  /// At 0 the shapes must not touch.
  float clearance;
  bool hit_volumes; ///< let MO_SHAPE_VOLUME shapes be obstacles; else they are ignored, as by rays
  uint32_t cookie;  ///< set by mo_default_fit_def; not for the caller
} mo_fit_def;

MO_BEGIN_DECLS

/// A def of a point at the origin, without a distance limit, default filter.
MO_API mo_near_def mo_default_near_def(void);

/// A def for what is near a shape: distances are from its box, and the filter accepts the shapes
/// that would form pairs with it (motte/pairs.h), except the shape itself. Unlike in pairs, static
/// shapes always count. The caller must set `max_distance`. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (a half-space, which has no box).
MO_API mo_result mo_near_def_of_shape(const mo_scene *scene, mo_shape_id id, mo_near_def *def);

/// All shapes within `max_distance`, sorted by (distance2, shape index); `total` is how many there
/// are. If there are more than `capacity`, the nearest are written. Errors: MO_ERROR_NULL_ARGUMENT
/// (`scene`, `def`, `total`; `shapes` where `capacity` is not 0); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE (`from` or `after` has NaN, the limit is NaN); MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (lower > upper, negative limit). Cost: that of visiting all shapes
/// within the limit. If only the nearest of many are needed, use mo_scene_find_nearest.
MO_API mo_result mo_scene_find_near(const mo_scene *scene, const mo_near_def *def,
                                    mo_near_shape *shapes, uint32_t capacity, uint32_t *total,
                                    mo_query_stats *stats);

/// The nearest `capacity` shapes: the same that mo_scene_find_near writes, but without their total
/// number, so that the search can end once the buffer has the nearest ones. `*count` is how many
/// were written. Errors: as there. Cost: O(log shapes + capacity) nodes for evenly distributed
/// shapes, and a heap of `capacity`. The search is depth first, nearer children first, and ends
/// when no node is nearer than the farthest shape of a full buffer (Roussopoulos, Kelley and
/// Vincent 1995).
MO_API mo_result mo_scene_find_nearest(const mo_scene *scene, const mo_near_def *def,
                                       mo_near_shape *shapes, uint32_t capacity, uint32_t *count,
                                       mo_query_stats *stats);

/// Calls `visit` for the shapes that mo_scene_find_near finds, nearest first; `visit` returns false
/// to stop early (not an error). The filter is evaluated for a shape just before its visit. Errors:
/// as there, without a buffer. Cost: proportional to the number of shapes visited, not to the
/// total: nodes and shapes are in a priority queue by distance (Hjaltason and Samet 1999), on the
/// stack, 16 KiB. If it overflows, the farthest entries are dropped, and found again by a search
/// from the root when their turn comes, about 500 shapes later.
MO_API mo_result mo_scene_visit_nearest(const mo_scene *scene, const mo_near_def *def,
                                        bool (*visit)(const mo_near_shape *shape, void *context),
                                        void *context, mo_query_stats *stats);

/// All pairs of shapes at most `distance` apart: writes up to `capacity` of them, the first in
/// their order, and their `total` (which stops at UINT32_MAX). At distance 0 these are the pairs of
/// mo_scene_find_pairs; filters, static shapes, and `def` (null for the default) as there.
/// Distances to a half-space are measured from its plane. Errors: MO_ERROR_NULL_ARGUMENT (`scene`,
/// `total`; `pairs` where `capacity` is not 0); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT (negative distance or NaN; INFINITY is legal). Cost: as there, with
/// boxes enlarged by the distance. As in mo_scene_find_pairs, there are no statistics.
MO_API mo_result mo_scene_find_near_pairs(const mo_scene *scene, float distance,
                                          const mo_pair_query_def *def, mo_pair *pairs,
                                          uint32_t capacity, uint32_t *total);

/// Calls `visit` for the pairs of mo_scene_find_near_pairs, in no particular order; `visit` returns
/// false to stop early (not an error). Errors: as mo_scene_find_near_pairs; MO_ERROR_NULL_ARGUMENT
/// (`visit`).
MO_API mo_result mo_scene_visit_near_pairs(const mo_scene *scene, float distance,
                                           const mo_pair_query_def *def,
                                           bool (*visit)(const mo_pair *pair, void *context),
                                           void *context);

/// A def with levels by distance from the origin, no planes, default filter. The caller must set
/// the thresholds.
MO_API mo_level_def mo_default_level_def(void);

/// Shapes with their levels of detail, ascending by index. Errors: MO_ERROR_NULL_ARGUMENT (`scene`,
/// `def`, its thresholds, its planes where there are some, `total`; `levels` where `capacity` is
/// not 0); MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (measure, number or order of thresholds, number of planes). Cost:
/// subtrees beyond the last threshold are culled. By distance: subtrees that lie wholly beyond it.
/// By size: subtrees whose largest shape would be too small even at the nearest point of the
/// subtree's box.
MO_API mo_result mo_scene_find_levels(const mo_scene *scene, const mo_level_def *def,
                                      mo_level_result *levels, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

/// A def with default filter, exact geometry, no clearance, volumes ignored. The shape is null; the
/// caller must set it.
MO_API mo_fit_def mo_default_fit_def(void);

/// Whether the shape of the def could be added (or, with `ignore`, moved) without coming closer to
/// others than the clearance. With exact geometry, solids under any transforms and triangles of
/// meshes are tested by GJK on their Minkowski sum with a ball (Gilbert, Johnson and Keerthi 1988);
/// a distance within 1e-11 of the sizes of the limit counts as too close. If volumes count, they
/// count as their world boxes. A mesh counts as its surface: a shape wholly inside a closed mesh
/// fits (MO_OVERLAP_POINT detects this). A static shape can be an obstacle to another static shape.
/// A compound fits if each of its children does, volumes among them only if `hit_volumes`; a child,
/// and each compound on its path, must also pass the filter of the other shape, as in contacts.
/// Errors: MO_ERROR_NULL_ARGUMENT (also the shape of the def), and what mo_scene_add_shape says
/// about the shape; MO_ERROR_UNINITIALIZED_DEF, MO_ERROR_NOT_FINITE, MO_ERROR_INVALID_ARGUMENT
/// (precision, negative clearance), MO_ERROR_OUT_OF_RANGE. Cost: that of a query with the shape's
/// box, and of the exact tests until the first obstacle; for two meshes, a traversal of both
/// octrees; for a compound, a test of each child near another shape, found by its octree.
MO_API mo_result mo_scene_shape_fits(const mo_scene *scene, const mo_fit_def *def, bool *fits,
                                     mo_query_stats *stats);

/// The obstacles because of which the shape of the def does not fit: writes up to `capacity` of
/// them, ascending by index, and their `total`. Tests and errors as mo_scene_shape_fits. Cost: that
/// of a query with the shape's box, and of the exact test of each shape that it finds.
MO_API mo_result mo_scene_find_obstacles(const mo_scene *scene, const mo_fit_def *def,
                                         mo_shape_id *shapes, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
