/** \defgroup watch Watched regions (motte/watch.h)
 *
 * Watched regions (trigger volumes): reports which shapes enter and leave them, from update to
 * update.
 *
 * A watch keeps a set of regions of one scene and the shapes in each. A region contains the shapes
 * that a query for it would list (mo_scene_overlap_shapes, mo_scene_cull_planes). So the result
 * does not depend on the tree, the instruction set, or the time of updates. Thread rule: a watch
 * counts as part of its scene. Functions that take a non-const watch need exclusive access to the
 * watch and its scene; the others may run at the same time as queries.
 *
 * If the scene's origin is shifted (mo_scene_shift_origin), regions and shapes in them move along,
 * without events. A shape that rounding moves into a region or out of it is noticed once the shape
 * or the region changes.
 *
 * Each enter event has a matching leave event: when the shape moves out, is removed, or no longer
 * matches after a change of its geometry or filter; or when the region moves away, changes its
 * filter, or is removed. Only when the watch or its scene is destroyed are there no events. */
#ifndef MOTTE_WATCH_H
#define MOTTE_WATCH_H

#include <motte/query.h>

/** \{ */

/// A set of watched regions of a scene. Opaque.
typedef struct mo_watch mo_watch;

/// The id of a region of one watch, like mo_shape_id for a shape. All zero is the null id.
typedef struct mo_region_id {
  uint32_t index;      ///< index of the region's slot; a slot is reused with a new generation
  uint32_t generation; ///< tells apart the regions that use the slot one after the other; 1 or more
} mo_region_id;

/// The form of a region.
typedef enum mo_region_type {
  MO_REGION_AABB,   ///< a box, as MO_OVERLAP_AABB
  MO_REGION_SPHERE, ///< a sphere, as MO_OVERLAP_SPHERE
  /// An intersection of half-spaces, such as a frustum, a half-space or a convex cell: contains the
  /// shapes whose world AABB no single plane excludes, as mo_scene_cull_planes.
  MO_REGION_CONVEX,
} mo_region_type;

/// The planes that bound a convex region.
typedef struct mo_region_planes {
  const mo_plane *planes; ///< `count` planes, of which the watch stores a copy
  /// Number of planes, up to MO_MAX_PLANES; without planes the region is all of space.
  uint32_t count;
} mo_region_planes;

/// The form and position of a region, in world space.
typedef struct mo_region_form {
  mo_region_type type; ///< which member of the union is used
  union {
    mo_aabb box;             ///< of MO_REGION_AABB
    mo_sphere sphere;        ///< of MO_REGION_SPHERE
    mo_region_planes convex; ///< of MO_REGION_CONVEX
  };
} mo_region_form;

/// Options of mo_watch_add_region.
typedef struct mo_region_def {
  mo_region_form form; ///< the region's form and position
  /// Which shapes the region may contain. `accept` must return the same for a shape as long as the
  /// shape is not changed (moved, refreshed, given another geometry or filter). While the region
  /// exists, any update may call it, or not.
  mo_filter filter;
  /// for boxes and spheres: whether the shapes' exact geometry or their world AABBs are tested
  mo_precision precision;
  uint64_t user_data; ///< returned with each event
  uint32_t cookie;    ///< set by mo_default_region_def; not for the caller
} mo_region_def;

/// A shape entered or left a region. Removed shapes and regions are reported with the ids they had.
typedef struct mo_region_event {
  mo_region_id region; ///< the region
  mo_shape_id shape;   ///< the shape
  uint64_t user_data;  ///< user data of the region
} mo_region_event;

/// The events of an update, each array sorted by (region index, shape index). The arrays belong to
/// the watch and are valid until its next update; null if there are none. If a slot was reused, so
/// that two shapes have the same index, the old shape left before the new one entered.
typedef struct mo_watch_events {
  /// shapes that were in the region at the last update and no longer are
  const mo_region_event *leaves;
  /// shapes that are in the region now and were not at the last update
  const mo_region_event *enters;
  uint32_t leave_count; ///< length of `leaves`
  uint32_t enter_count; ///< length of `enters`
} mo_watch_events;

/// Statistics of a watch.
typedef struct mo_watch_stats {
  uint32_t region_count;        ///< regions added and not removed
  uint64_t member_count;        ///< pairs of a region and a shape in it, as of the last update
  uint32_t pending_shape_count; ///< shapes that have changed since the last update
  uint64_t update_count;        ///< calls of mo_watch_update since creation
  uint64_t search_count;        ///< regions for which an update searched the scene
  uint64_t lookup_count;        ///< changed shapes for which an update searched for regions
  uint64_t test_count;          ///< shapes tested against a region, in all updates
  size_t bytes;                 ///< bytes of all memory that the watch has allocated
} mo_watch_stats;

MO_BEGIN_DECLS

/// Creates a watch without regions. Memory comes from the scene's host. It may be destroyed before
/// or after the scene. Once the scene is destroyed, only the functions that read still work.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_OUT_OF_MEMORY. Cost: O(slots).
MO_API mo_result mo_watch_create(mo_scene *scene, mo_watch **watch);

/// Frees the watch, without events, before or after its scene. Null is ignored. Cost: O(slots).
MO_API void mo_watch_destroy(mo_watch *watch);

/// A def of a box of size 0 at the origin, with the default filter and exact geometry.
MO_API mo_region_def mo_default_region_def(void);

/// Adds a region. The shapes in it enter at the next update. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF (also of its filter); MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
/// MO_ERROR_INVALID_ARGUMENT (type, precision, or anything that the query for the region refuses;
/// or the scene is gone); MO_ERROR_TOO_MANY; MO_ERROR_OUT_OF_MEMORY. Cost: O(log regions).
MO_API mo_result mo_watch_add_region(mo_watch *watch, const mo_region_def *def, mo_region_id *id);

/// Removes a region. Its id is stale from then on; the shapes in it leave at the next update.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID. Cost: O(1), and the rest at the next update.
MO_API mo_result mo_watch_remove_region(mo_watch *watch, mo_region_id id);

/// Moves a region or changes its form, with effect from the next update. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
/// MO_ERROR_INVALID_ARGUMENT (type, or anything that the query for the region refuses; or the scene
/// is gone); MO_ERROR_OUT_OF_MEMORY. Cost: that of mo_watch_add_region, and a search of the region
/// at the next update.
MO_API mo_result mo_watch_set_form(mo_watch *watch, mo_region_id id, const mo_region_form *form);

/// Changes which shapes a region may contain, with effect from the next update. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_STALE_ID. Cost: O(1), and a search
/// of the region at the next update.
MO_API mo_result mo_watch_set_filter(mo_watch *watch, mo_region_id id, const mo_filter *filter);

/// Reads the current def of a region. Its planes belong to the watch and are valid until the region
/// is changed or removed. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID.
MO_API mo_result mo_watch_get_region(const mo_watch *watch, mo_region_id id, mo_region_def *def);

/// Updates the watch to the current state of the scene and reports the events; call it right after
/// mo_scene_update. `events` may be null. Errors: MO_ERROR_NULL_ARGUMENT (`watch`);
/// MO_ERROR_INVALID_ARGUMENT (its scene is gone); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY
/// (nothing has changed; may be repeated). Cost: for each shape that was added, moved, removed, or
/// given another geometry or filter, a search for the regions it is in: O(changed shapes * log
/// regions), and one test for each region near it. If changed shapes are many more than the shapes
/// in regions, each region searches the scene instead. Regions that were added or changed always
/// search the scene. Unchanged shapes and regions cost nothing. Allocates memory only if there is
/// more to process than in any update before.
MO_API mo_result mo_watch_update(mo_watch *watch, mo_watch_events *events);

/// Writes up to `capacity` of the shapes in a region, ascending by index, as of the last update;
/// `total` receives their number. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID. Cost:
/// O(written).
MO_API mo_result mo_watch_get_shapes(const mo_watch *watch, mo_region_id id, mo_shape_id *shapes,
                                     uint32_t capacity, uint32_t *total);

/// Writes up to `capacity` of the regions that a shape is in, ascending by index, as of the last
/// update; `total` receives their number, which is 0 for shapes that did not exist then. Regions
/// removed since that update are included. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(written).
MO_API mo_result mo_watch_get_regions(const mo_watch *watch, mo_shape_id id, mo_region_id *regions,
                                      uint32_t capacity, uint32_t *total);

/// Statistics of the watch. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(regions).
MO_API mo_result mo_watch_get_stats(const mo_watch *watch, mo_watch_stats *stats);

/// Checks every invariant of the watch itself, not against the scene. MO_ERROR_CORRUPT is a defect
/// of the library; the host's log receives its description. Cost: O(slots + members). For tests.
MO_API mo_result mo_watch_validate(const mo_watch *watch);

MO_END_DECLS

/** \} */

#endif
