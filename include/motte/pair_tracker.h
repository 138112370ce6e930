/** \defgroup pair_tracker Pair trackers (motte/pair_tracker.h)
 *
 * A pair tracker keeps the pairs of a scene from update to update, and reports which begin, persist
 * and end. After each update its set is what mo_scene_find_pairs (motte/pairs.h) would find with
 * the same `accept`, at the cost of what has changed.
 *
 * Where the scene's origin is shifted (mo_scene_shift_origin), pairs stay, and those that rounding
 * makes or parts begin or end once one of their shapes changes.
 *
 * A tracker belongs to its scene as far as threads are concerned: functions that take a non-const
 * one must have both to themselves, others may run with queries. A scene may have several. */
#ifndef MOTTE_PAIR_TRACKER_H
#define MOTTE_PAIR_TRACKER_H

#include <motte/pairs.h>

/** \{ */

/// The pairs of a scene, kept from update to update.
typedef struct mo_pair_tracker mo_pair_tracker;

/// Which pairs a tracker keeps, and what it reports.
typedef struct mo_pair_tracker_def {
  /// Called, if not null, for each pair that is not in the set and that the filters let pass;
  /// false keeps it out until it is found again, which is when one of its shapes has changed once
  /// more. As for mo_pair_query_def.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context;        ///< passed to `accept`
  bool report_persists; ///< fill mo_pair_events::persists
  uint32_t cookie;      ///< set by mo_default_pair_tracker_def; not for the caller
} mo_pair_tracker_def;

/// What an update found. The arrays are sorted, belong to the tracker, and last until its next
/// update; null where there is nothing.
typedef struct mo_pair_events {
  const mo_pair *begins; ///< now in the set and not before
  /// No longer in the set. Shapes that were removed go by the ids they had.
  const mo_pair *ends;
  /// In the set before and now, with a shape that changed; only on demand. Pairs of which neither
  /// shape changed stay in the set without a word.
  const mo_pair *persists;
  uint32_t begin_count;   ///< length of `begins`
  uint32_t end_count;     ///< length of `ends`
  uint32_t persist_count; ///< length of `persists`
} mo_pair_events;

/// What a tracker holds and has done.
typedef struct mo_pair_tracker_stats {
  uint64_t pair_count;          ///< in the set
  uint32_t pending_shape_count; ///< shapes that have changed since the last update
  uint64_t update_count;        ///< calls of mo_pair_tracker_update
  /// Updates that searched the whole tree, as many shapes had changed.
  uint64_t whole_search_count;
  size_t bytes;     ///< all memory held
  size_t set_bytes; ///< of it, the set of pairs alone
} mo_pair_tracker_stats;

MO_BEGIN_DECLS

/// No callback, no persists.
MO_API mo_pair_tracker_def mo_default_pair_tracker_def(void);

/// A tracker for the pairs of a scene, empty before its first update. `def` may be null for the
/// default. Memory comes from the scene's host. Destroy it before or after the scene; after it,
/// only the functions that read the set still work. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_OUT_OF_MEMORY. Cost: O(slots).
MO_API mo_result mo_pair_tracker_create(mo_scene *scene, const mo_pair_tracker_def *def,
                                        mo_pair_tracker **tracker);

/// Frees the tracker, without events, before or after its scene. Null is ignored. Cost: O(slots).
MO_API void mo_pair_tracker_destroy(mo_pair_tracker *tracker);

/// Brings the set in line with the scene as it is now, best right after mo_scene_update. Only
/// shapes that were added, moved, removed, or given another geometry, filter or motion since the
/// last update are looked at. `events` may be null. Errors: MO_ERROR_NULL_ARGUMENT (`tracker`);
/// MO_ERROR_INVALID_ARGUMENT (its scene is gone); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY
/// (nothing has changed; may be repeated). Cost: O(changed shapes * (log shapes + their pairs)), or
/// where a fifth of all shapes or more have changed, one descent of the whole tree against
/// itself; the cheaper is chosen. What does not change costs nothing.
MO_API mo_result mo_pair_tracker_update(mo_pair_tracker *tracker, mo_pair_events *events);

/// How many pairs there are, as of the last update; 0 for null. Cost: O(1).
MO_API uint64_t mo_pair_tracker_pair_count(const mo_pair_tracker *tracker);

/// Writes up to `capacity` of the pairs, the first in their order, and their `total` (which stops
/// at UINT32_MAX; mo_pair_tracker_pair_count does not), as of the last update. Errors:
/// MO_ERROR_NULL_ARGUMENT. Cost: O(slots + pairs).
MO_API mo_result mo_pair_tracker_get_pairs(const mo_pair_tracker *tracker, mo_pair *pairs,
                                           uint32_t capacity, uint32_t *total);

/// Writes up to `capacity` of the shapes that one is paired with, ascending by index, and their
/// `total`, as of the last update. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID (not there at
/// the last update). Cost: O(written).
MO_API mo_result mo_pair_tracker_get_partners(const mo_pair_tracker *tracker, mo_shape_id id,
                                              mo_shape_id *partners, uint32_t capacity,
                                              uint32_t *total);

/// Whether two shapes are a pair, as of the last update; in any order. Cost: O(log partners).
MO_API bool mo_pair_tracker_contains(const mo_pair_tracker *tracker, mo_shape_id a, mo_shape_id b);

/// Statistics of the tracker. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(1).
MO_API mo_result mo_pair_tracker_get_stats(const mo_pair_tracker *tracker,
                                           mo_pair_tracker_stats *stats);

/// Checks every invariant of the set; not against the scene. MO_ERROR_CORRUPT names a defect of the
/// library; the host's log receives which. Cost: O(slots + pairs). For tests.
MO_API mo_result mo_pair_tracker_validate(const mo_pair_tracker *tracker);

MO_END_DECLS

/** \} */

#endif
