/** \defgroup near Distances of boxes (motte/near.h)
 *
 * What is near what, how much of it matters from here, and whether there is room: queries by the
 * distance of boxes. motte/distance.h has distances by exact geometry.
 *
 * Room for a shape goes by exact geometry too. All other distances are between world
 * AABBs as mo_scene_get_bounds returns them: the least distance of two
 * points of two closed boxes, 0 where they touch. They are computed in double precision and
 * compared squared: the gaps per axis, then x * x + y * y + z * z, each operation rounded to
 * nearest. So the answers are those of a loop over all shapes with the same arithmetic, bit for
 * bit, whatever the tree, the instruction set or the thread: boxes of nodes are no farther than
 * what is in them, by the same arithmetic, and nothing else is left out. Half-spaces have no box:
 * theirs is the height of the box's lowest corner above the plane, 0 below, in double precision.
 *
 * Errors, filters, lists and statistics are as in motte/query.h. Nothing is allocated, any number
 * of threads may query at once, and the scene must not change during a call, nor by its callbacks,
 * which run in the calling thread. */
#ifndef MOTTE_NEAR_H
#define MOTTE_NEAR_H

#include <motte/pairs.h>
#include <motte/query.h>

/** \{ */

/// A shape and how far it is.
typedef struct mo_near_shape {
  mo_shape_id shape;  ///< which shape
  uint64_t user_data; ///< the shape's
  double distance;    ///< the square root of `distance2`
  double distance2;   ///< the squared distance, by which shapes are compared
} mo_near_shape;

/// Which shapes near a box or point are wanted.
typedef struct mo_near_def {
  mo_aabb from;       ///< where distances are measured from, world; lower == upper for a point
  float max_distance; ///< not negative; shapes at exactly this distance count; may be INFINITY
  mo_filter filter;   ///< which shapes count
  /// If not null: only what follows this one in the order (distance2, shape index), which need not
  /// be a shape of the scene any more. To go on where an enumeration has ended.
  const mo_near_shape *after;
  uint32_t cookie; ///< set by mo_default_near_def; not for the caller
} mo_near_def;

/// By what a shape's level of detail is chosen.
typedef enum mo_level_measure {
  MO_LEVEL_BY_DISTANCE, ///< distance of the eye from the shape's box, in world units
  /// Length of the box's diagonal divided by that distance; infinite with the eye in the box, and
  /// for half-spaces. A shape that is to take up a share s of a picture with the vertical angle of
  /// view a has about the size s * 2 * tan(a / 2).
  MO_LEVEL_BY_SIZE,
} mo_level_measure;

/// The most levels of detail that one query may tell apart.
#define MO_MAX_LEVELS 32

/// Which shapes matter to an eye, and how much.
typedef struct mo_level_def {
  mo_vec3 eye;              ///< world
  mo_level_measure measure; ///< what is compared with the thresholds
  /// Where levels end: a shape is of the first level i whose threshold it reaches, which is
  /// distance <= thresholds[i], or size >= thresholds[i]; none, and not listed, beyond the last. By
  /// distance ascending, by size descending; none negative; may be INFINITY by distance. Compared
  /// squared.
  const float *thresholds;
  uint32_t level_count;   ///< 1 to MO_MAX_LEVELS
  const mo_plane *planes; ///< only shapes that mo_scene_cull_planes would list; may be null
  uint32_t plane_count;   ///< up to MO_MAX_PLANES; 0 for shapes on all sides
  mo_filter filter;       ///< which shapes count
  uint32_t cookie;        ///< set by mo_default_level_def; not for the caller
} mo_level_def;

/// A shape and its level of detail.
typedef struct mo_level_result {
  mo_shape_id shape; ///< which shape
  uint32_t level;    ///< index of the threshold, 0 for the nearest or largest
} mo_level_result;

/// A shape that is to be placed, and how far it has to be from others.
typedef struct mo_fit_def {
  const mo_shape_def *shape; ///< which shape and where, world; for the caller to set
  /// Which shapes may be in the way: besides the filters of both shapes, which have to let each
  /// other pass as in pairs (motte/pairs.h). `ignore` for a shape that is to be moved.
  mo_filter filter;
  /// By exact geometry, or the shape's world AABB (without a margin) against the boxes under which
  /// the others are stored.
  mo_precision precision;
  /// How far others have to be away, world units, not negative, up to MO_MAX_COORDINATE. At 0 they
  /// must not touch.
  float clearance;
  bool hit_volumes; ///< let MO_SHAPE_VOLUME shapes be in the way; else they are ignored, as by rays
  uint32_t cookie;  ///< set by mo_default_fit_def; not for the caller
} mo_fit_def;

MO_BEGIN_DECLS

/// From the origin, without limit, default filter.
MO_API mo_near_def mo_default_near_def(void);

/// What is near a shape: from its box, for shapes that would be its pairs (motte/pairs.h) by their
/// filters, itself left out. `max_distance` is for the caller to set; static shapes are not left
/// out. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (a half-space,
/// which has no box).
MO_API mo_result mo_near_def_of_shape(const mo_scene *scene, mo_shape_id id, mo_near_def *def);

/// Everything near, sorted by (distance2, shape index); `total` is how many shapes there are within
/// the limit. If there are more than `capacity`, the nearest are written.
/// Errors: MO_ERROR_NULL_ARGUMENT (`scene`, `def`, `total`; `shapes` where `capacity` is not 0);
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE (`from` or `after` has NaN, the limit is NaN);
/// MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (lower > upper, negative limit). Cost: that of
/// visiting all shapes within the limit; to have the nearest of many, see the next.
MO_API mo_result mo_scene_find_near(const mo_scene *scene, const mo_near_def *def,
                                    mo_near_shape *shapes, uint32_t capacity, uint32_t *total,
                                    mo_query_stats *stats);

/// The nearest `capacity` shapes: those that mo_scene_find_near writes, without the total, and so
/// without looking beyond them. `*count` is how many were written. Errors: as there.
/// Cost: O(log shapes + capacity) nodes for evenly spread shapes, and a heap of `capacity`. Depth
/// first, nearer children first, until no node is nearer than the worst so far (Roussopoulos,
/// Kelley and Vincent 1995).
MO_API mo_result mo_scene_find_nearest(const mo_scene *scene, const mo_near_def *def,
                                       mo_near_shape *shapes, uint32_t capacity, uint32_t *count,
                                       mo_query_stats *stats);

/// The shapes of mo_scene_find_near one by one, nearest first, to `visit`, which returns false to
/// end (that is no error). The filter is evaluated for a shape when its turn comes. Errors: as
/// there, without a buffer. Cost: proportional to what is taken, however many there are: nodes and
/// shapes wait in a queue by distance (Hjaltason and Samet 1999), on the stack, 16 KiB; where it
/// overflows the farthest are given up, and found again from the root when their turn comes, some
/// 500 shapes later.
MO_API mo_result mo_scene_visit_nearest(const mo_scene *scene, const mo_near_def *def,
                                        bool (*visit)(const mo_near_shape *shape, void *context),
                                        void *context, mo_query_stats *stats);

/// All pairs of shapes at most `distance` apart: writes up to `capacity` of them, the first in
/// their order, and their `total` (which stops at UINT32_MAX). At distance 0 these are the pairs of
/// mo_scene_find_pairs; filters, static shapes, and `def` (null for the default) as there. A
/// half-space is measured from its plane. Errors: MO_ERROR_NULL_ARGUMENT (`scene`, `total`; `pairs`
/// where `capacity` is not 0); MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (negative
/// distance or NaN; INFINITY is legal). Cost: as there, with boxes grown by the distance. As with mo_scene_find_pairs, there are
/// no statistics.
MO_API mo_result mo_scene_find_near_pairs(const mo_scene *scene, float distance,
                                          const mo_pair_query_def *def, mo_pair *pairs,
                                          uint32_t capacity, uint32_t *total);

/// Gives the pairs of mo_scene_find_near_pairs one by one, in no particular order, to `visit`,
/// which returns false to end the search (that is no error). Errors: as mo_scene_find_near_pairs;
/// MO_ERROR_NULL_ARGUMENT (`visit`).
MO_API mo_result mo_scene_visit_near_pairs(const mo_scene *scene, float distance,
                                           const mo_pair_query_def *def,
                                           bool (*visit)(const mo_pair *pair, void *context),
                                           void *context);

/// By distance from the origin, no thresholds (they are for the caller to set), no planes, default
/// filter.
MO_API mo_level_def mo_default_level_def(void);

/// Shapes with their levels of detail, ascending by index. Errors: MO_ERROR_NULL_ARGUMENT (`scene`,
/// `def`, its thresholds, its planes where there are some, `total`; `levels` where `capacity` is
/// not 0); MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (measure, number
/// or order of thresholds, number of planes). Cost: subtrees are left out that lie beyond the last
/// threshold: by distance as a whole; by size where the largest shape of the subtree would, were it
/// at the near end of the subtree's box.
MO_API mo_result mo_scene_find_levels(const mo_scene *scene, const mo_level_def *def,
                                      mo_level_result *levels, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats);

/// Default filter, exact geometry, no clearance, volumes ignored. The shape is null, and for the
/// caller to set.
MO_API mo_fit_def mo_default_fit_def(void);

/// Whether the shape of the def could be added (or, with `ignore`, moved) without coming closer to
/// others than the clearance. By geometry: the distance of solids, under any transforms, and of the
/// triangles of meshes, by GJK on their Minkowski sum with a ball (Gilbert, Johnson and Keerthi
/// 1988); what comes within 1e-11 of the sizes of the limit counts as too close. Volumes, where
/// they count, are their world boxes. A mesh is its surface: what lies wholly inside a closed one
/// fits (MO_OVERLAP_POINT tells). Two static shapes are in each other's way as well. Errors:
/// MO_ERROR_NULL_ARGUMENT (also the shape of the def), and what mo_scene_add_shape says about the
/// shape; MO_ERROR_UNINITIALIZED_DEF, MO_ERROR_NOT_FINITE, MO_ERROR_INVALID_ARGUMENT (precision,
/// negative clearance), MO_ERROR_OUT_OF_RANGE. Cost: that of a query with the shape's box, and of
/// the exact tests until the first shape in the way; of two meshes, a query of the one for each
/// triangle of the other that is near it.
MO_API mo_result mo_scene_shape_fits(const mo_scene *scene, const mo_fit_def *def, bool *fits,
                                     mo_query_stats *stats);

/// Shapes that keep the shape of the def from being added: writes up to `capacity` of them,
/// ascending by index, and their `total`. Which they are, and errors: as mo_scene_shape_fits. Cost:
/// that of a query with the shape's box, and of the exact test of each shape that it finds.
MO_API mo_result mo_scene_find_obstacles(const mo_scene *scene, const mo_fit_def *def,
                                         mo_shape_id *shapes, uint32_t capacity, uint32_t *total,
                                         mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
