/** \defgroup pair_tracker Pair trackers (motte/pair_tracker.h)
 *
 * A pair tracker stores the set of pairs of a scene, updates it incrementally, and reports which
 * pairs begin, persist and end. After each update its set is what mo_scene_find_pairs
 * (motte/pairs.h) would find with the same `accept`, but the cost depends only on what has
 * changed.
 *
 * When the scene's origin is shifted (mo_scene_shift_origin), pairs stay. Where the rounding of
 * the shift makes two shapes touch or separate, their pair begins or ends once one of them
 * changes.
 *
 * Thread rule: a function that takes a non-const tracker needs exclusive access to both the
 * tracker and its scene; other functions may run concurrently with queries. A scene may have
 * several trackers. */
#ifndef MOTTE_PAIR_TRACKER_H
#define MOTTE_PAIR_TRACKER_H

#include <motte/pairs.h>

/** \{ */

/// The set of pairs of a scene, updated incrementally.
typedef struct mo_pair_tracker mo_pair_tracker;

/// Which pairs a tracker stores, and which events it reports.
typedef struct mo_pair_tracker_def {
  /// Called, if not null, for each pair that is not in the set and that passes the filters.
  /// Returning false keeps the pair out of the set; the callback is called again when the pair is
  /// next found, after one of its shapes has changed again. Otherwise as in mo_pair_query_def.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context;        ///< passed to `accept`
  bool report_persists; ///< fill mo_pair_events::persists
  uint32_t cookie;      ///< set by mo_default_pair_tracker_def; not for the caller
} mo_pair_tracker_def;

/// The events of an update. The arrays are sorted, belong to the tracker, and stay valid until its
/// next update; an empty array is null.
typedef struct mo_pair_events {
  const mo_pair *begins; ///< pairs that are in the set now and were not before
  /// Pairs that are no longer in the set. Removed shapes are given by their former ids.
  const mo_pair *ends;
  /// Pairs that were in the set before and still are, of which a shape changed; only if
  /// `report_persists` is set. Pairs of which neither shape changed stay in the set and are not
  /// reported.
  const mo_pair *persists;
  uint32_t begin_count;   ///< length of `begins`
  uint32_t end_count;     ///< length of `ends`
  uint32_t persist_count; ///< length of `persists`
} mo_pair_events;

/// Statistics of a tracker.
typedef struct mo_pair_tracker_stats {
  uint64_t pair_count;          ///< pairs in the set
  uint32_t pending_shape_count; ///< shapes that have changed since the last update
  uint64_t update_count;        ///< calls of mo_pair_tracker_update
  /// Updates that searched the whole tree because many shapes had changed.
  uint64_t whole_search_count;
  size_t bytes;     ///< all memory of the tracker
  size_t set_bytes; ///< the part of `bytes` for the set of pairs alone
} mo_pair_tracker_stats;

MO_BEGIN_DECLS

/// A def without a callback that does not report persisting pairs.
MO_API mo_pair_tracker_def mo_default_pair_tracker_def(void);

/// Makes a tracker of the pairs of a scene, owned by the caller; it is empty before its first
/// update. `def` may be null for the default. Memory comes from the scene's host. Destroy the
/// tracker before or after the scene; without the scene, only functions that read the set work.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_OUT_OF_MEMORY. Cost:
/// O(slots).
MO_API mo_result mo_pair_tracker_create(mo_scene *scene, const mo_pair_tracker_def *def,
                                        mo_pair_tracker **tracker);

/// Frees the tracker, without events, before or after its scene. Null is ignored. Cost: O(slots).
MO_API void mo_pair_tracker_destroy(mo_pair_tracker *tracker);

/// Updates the set to the current state of the scene; call it right after mo_scene_update. Only
/// shapes that were added, moved, removed, or given another geometry, filter or motion since the
/// last update are examined. `events` may be null. Errors: MO_ERROR_NULL_ARGUMENT (`tracker`);
/// MO_ERROR_INVALID_ARGUMENT (its scene was destroyed); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY
/// (nothing has changed; the call may be repeated). Cost: O(changed shapes * (log shapes + their
/// pairs)), or where a fifth of all shapes or more have changed, one traversal of the whole tree
/// against itself; the cheaper of the two is chosen. Shapes that do not change cost nothing.
MO_API mo_result mo_pair_tracker_update(mo_pair_tracker *tracker, mo_pair_events *events);

/// The number of pairs, as of the last update; 0 for null. Cost: O(1).
MO_API uint64_t mo_pair_tracker_pair_count(const mo_pair_tracker *tracker);

/// Writes the first `capacity` of the pairs in sorted order, and their number to `total` (at most
/// UINT32_MAX; mo_pair_tracker_pair_count has no such limit), as of the last update. Errors:
/// MO_ERROR_NULL_ARGUMENT. Cost: O(slots + pairs).
MO_API mo_result mo_pair_tracker_get_pairs(const mo_pair_tracker *tracker, mo_pair *pairs,
                                           uint32_t capacity, uint32_t *total);

/// Writes the first `capacity` of the shapes that form a pair with shape `id`, ascending by index,
/// and their number to `total`, as of the last update. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID (the shape did not exist at the last update). Cost: O(written).
MO_API mo_result mo_pair_tracker_get_partners(const mo_pair_tracker *tracker, mo_shape_id id,
                                              mo_shape_id *partners, uint32_t capacity,
                                              uint32_t *total);

/// Whether two shapes, given in any order, are a pair, as of the last update. Cost: O(log
/// partners).
MO_API bool mo_pair_tracker_contains(const mo_pair_tracker *tracker, mo_shape_id a, mo_shape_id b);

/// Statistics of the tracker. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(1).
MO_API mo_result mo_pair_tracker_get_stats(const mo_pair_tracker *tracker,
                                           mo_pair_tracker_stats *stats);

/// Checks every invariant of the set, but does not compare it with the scene. MO_ERROR_CORRUPT
/// means a defect of the library; the host's log says which invariant is broken. Cost: O(slots +
/// pairs). For tests.
MO_API mo_result mo_pair_tracker_validate(const mo_pair_tracker *tracker);

MO_END_DECLS

/** \} */

#endif
