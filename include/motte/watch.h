/** \defgroup watch Watched regions (motte/watch.h)
 *
 * Watching regions: which shapes enter them and which leave, from update to update.
 *
 * A watch keeps a set of regions of one scene and the shapes that are in each. What is in a region
 * is what a query for it would list (mo_scene_overlap_shapes,
 * mo_scene_cull_planes), so it does not depend on the tree, the instruction set, or when the watch
 * looked. It belongs to the scene as far as threads are concerned: functions that take a non-const
 * one must have both to themselves, others may run with queries.
 *
 * Where the scene's origin is shifted (mo_scene_shift_origin), regions and members move along,
 * without a word; what rounding takes into a region or out of it is found once the shape or the
 * region changes.
 *
 * Each enter has its leave: when the shape moves out, is removed, changes its geometry or filter,
 * or when the region moves away, changes its filter, or is removed. Only the end of the watch or of
 * the scene comes without a word. */
#ifndef MOTTE_WATCH_H
#define MOTTE_WATCH_H

#include <motte/query.h>

/** \{ */

/// A set of regions of a scene.
typedef struct mo_watch mo_watch;

/// Names a region of one watch, as mo_shape_id names a shape. All zero is the null id.
typedef struct mo_region_id {
  uint32_t index;      ///< slot; reused with a new generation
  uint32_t generation; ///< 1 or more
} mo_region_id;

/// What a region is.
typedef enum mo_region_type {
  MO_REGION_AABB,   ///< a box, as MO_OVERLAP_AABB
  MO_REGION_SPHERE, ///< a ball, as MO_OVERLAP_SPHERE
  /// What no single plane excludes, by the shapes' world AABBs, as mo_scene_cull_planes: a frustum,
  /// a half-space, a convex cell.
  MO_REGION_CONVEX,
} mo_region_type;

/// The planes that bound a convex region.
typedef struct mo_region_planes {
  const mo_plane *planes; ///< copied
  uint32_t count;         ///< up to MO_MAX_PLANES; none: all of space
} mo_region_planes;

/// A region, world.
typedef struct mo_region_form {
  mo_region_type type; ///< which member of the union counts
  union {
    mo_aabb box;             ///< of MO_REGION_AABB
    mo_sphere sphere;        ///< of MO_REGION_SPHERE
    mo_region_planes convex; ///< of MO_REGION_CONVEX
  };
} mo_region_form;

/// Everything that mo_watch_add_region needs.
typedef struct mo_region_def {
  mo_region_form form; ///< what it is and where
  /// Which shapes count. `accept` must answer the same about a shape as long as it is not changed
  /// (moved, refreshed, given another geometry or filter); it may be called at any update, or not,
  /// as long as the region is there.
  mo_filter filter;
  mo_precision precision; ///< boxes and balls: by the shapes' exact geometry, or their world AABBs
  uint64_t user_data;     ///< comes back with each event
  uint32_t cookie;        ///< set by mo_default_region_def; not for the caller
} mo_region_def;

/// A shape entered or left a region. Shapes and regions that were removed go by the ids they had.
typedef struct mo_region_event {
  mo_region_id region; ///< which region
  mo_shape_id shape;   ///< which shape
  uint64_t user_data;  ///< the region's
} mo_region_event;

/// What an update found, each sorted by (region index, shape index). The arrays belong to the watch
/// and last until its next update; null where there is nothing. Of two shapes with the same index
/// (a slot that was reused), one that leaves left before the other entered.
typedef struct mo_watch_events {
  const mo_region_event *leaves; ///< in the region at the last update, and no more
  const mo_region_event *enters; ///< in it now, and not at the last update
  uint32_t leave_count;          ///< length of `leaves`
  uint32_t enter_count;          ///< length of `enters`
} mo_watch_events;

/// What a watch holds and has done.
typedef struct mo_watch_stats {
  uint32_t region_count;        ///< added and not removed
  uint64_t member_count;        ///< shapes in regions, as of the last update
  uint32_t pending_shape_count; ///< shapes that have changed since then
  uint64_t update_count;        ///< calls of mo_watch_update
  uint64_t search_count;        ///< regions for which an update searched the scene
  uint64_t lookup_count;        ///< changed shapes for which an update looked for regions
  uint64_t test_count;          ///< shapes tested against a region, in all updates
  size_t bytes;                 ///< all memory held
} mo_watch_stats;

MO_BEGIN_DECLS

/// A watch without regions. Memory comes from the scene's host. Destroy it before or after the
/// scene; after it, only the functions that read still work. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_OUT_OF_MEMORY. Cost: O(slots).
MO_API mo_result mo_watch_create(mo_scene *scene, mo_watch **watch);

/// Frees the watch, without events, before or after its scene. Null is ignored. Cost: O(slots).
MO_API void mo_watch_destroy(mo_watch *watch);

/// A box of no size at the origin; default filter, exact geometry.
MO_API mo_region_def mo_default_region_def(void);

/// Adds a region; what is in it enters at the next update. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF (also of its filter);
/// MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE, MO_ERROR_INVALID_ARGUMENT (type, precision, and what
/// the query for the region refuses; or the scene is gone); MO_ERROR_TOO_MANY;
/// MO_ERROR_OUT_OF_MEMORY. Cost: O(log regions).
MO_API mo_result mo_watch_add_region(mo_watch *watch, const mo_region_def *def, mo_region_id *id);

/// Removes a region; its id is stale from then on, what is in it leaves at the next update.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID. Cost: O(1), the rest with the next update.
MO_API mo_result mo_watch_remove_region(mo_watch *watch, mo_region_id id);

/// Moves a region, or gives it another form, from the next update on. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
/// MO_ERROR_INVALID_ARGUMENT (type, and what the query for the region refuses; or the scene is
/// gone); MO_ERROR_OUT_OF_MEMORY. Cost: that of mo_watch_add_region, and a search of the region
/// with the next update.
MO_API mo_result mo_watch_set_form(mo_watch *watch, mo_region_id id, const mo_region_form *form);

/// Changes which shapes count, from the next update on. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_STALE_ID. Cost: O(1), and a search of the region with the
/// next update.
MO_API mo_result mo_watch_set_filter(mo_watch *watch, mo_region_id id, const mo_filter *filter);

/// How a region is defined now; planes belong to the watch, until the region is changed or removed.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID.
MO_API mo_result mo_watch_get_region(const mo_watch *watch, mo_region_id id, mo_region_def *def);

/// Brings the watch in line with the scene as it is now, best right after mo_scene_update. `events`
/// may be null. Errors: MO_ERROR_NULL_ARGUMENT (`watch`); MO_ERROR_INVALID_ARGUMENT (its scene is
/// gone); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY (nothing has changed; may be repeated).
/// Cost: shapes that were added, moved, removed, or given another geometry or filter look for the
/// regions they are in: O(changed shapes * log regions), and a test for each that is near one; or,
/// where these are many more than there are shapes in regions, the regions search the scene.
/// Regions that were added or changed always do. What does not change costs nothing. Allocates
/// nothing once it has seen as much.
MO_API mo_result mo_watch_update(mo_watch *watch, mo_watch_events *events);

/// Writes up to `capacity` of the shapes in a region, ascending by index, and how many there are,
/// as of the last update. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID. Cost: O(written).
MO_API mo_result mo_watch_get_shapes(const mo_watch *watch, mo_region_id id, mo_shape_id *shapes,
                                     uint32_t capacity, uint32_t *total);

/// Writes up to `capacity` of the regions that a shape is in, ascending by index, and how many
/// there are, as of the last update; none for shapes that were not there. Regions removed since are
/// among them. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(written).
MO_API mo_result mo_watch_get_regions(const mo_watch *watch, mo_shape_id id, mo_region_id *regions,
                                      uint32_t capacity, uint32_t *total);

/// Statistics of the watch. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(regions).
MO_API mo_result mo_watch_get_stats(const mo_watch *watch, mo_watch_stats *stats);

/// Checks every invariant of the watch; not against the scene. MO_ERROR_CORRUPT names a defect of
/// the library; the host's log receives which. Cost: O(slots + members). For tests.
MO_API mo_result mo_watch_validate(const mo_watch *watch);

MO_END_DECLS

/** \} */

#endif
