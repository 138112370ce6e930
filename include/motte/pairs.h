/** \defgroup pairs Pairs (motte/pairs.h)
 *
 * Pairs of shapes whose world AABBs touch: the broad phase of a simulation step.
 *
 * Which pairs there are is exact: those that a loop over all shapes with mo_scene_get_bounds would
 * find, boxes that merely touch included, whatever the tree, the instruction set or the number of
 * workers. Two static shapes (mo_motion) are never a pair, and of a pair each shape's filter has to
 * let the other pass: (a.category & b.mask) and (b.category & a.mask).
 *
 * A search takes about 80 KiB of the stack of the thread that runs it. */
#ifndef MOTTE_PAIRS_H
#define MOTTE_PAIRS_H

#include <motte/scene.h>

/** \{ */

/// Two shapes, in one scene a.index < b.index. Pairs are sorted by a.index, then b.index.
typedef struct mo_pair {
  mo_shape_id a; ///< the one with the lower index, or of the first scene
  mo_shape_id b; ///< the other
} mo_pair;

/// Which pairs are wanted.
typedef struct mo_pair_def {
  /// Only pairs of which one shape is awake: neither static nor sleeping. Parts of the scene where
  /// all is at rest cost nothing.
  bool awake_only;
  /// Asked, if not null, about each pair that the filters let pass; false refuses it. In any order;
  /// must not change the scene. Always called from the calling thread.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context; ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_pair_def; not for the caller
} mo_pair_def;

/// Keeps the pairs of a scene from update to update. It belongs to the scene as far as threads are
/// concerned: functions that take a non-const one must have both to themselves. A scene may have
/// several.
typedef struct mo_pairs mo_pairs;

/// Which pairs a tracker keeps, and what it reports.
typedef struct mo_pairs_def {
  /// Asked, if not null, about each pair that is not in the set and that the filters let pass;
  /// false keeps it out until it is found again, which is when one of its shapes has changed once
  /// more. As for mo_pair_def.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context;        ///< passed to `accept`
  bool report_persists; ///< fill mo_pair_events::persists
  uint32_t cookie;      ///< set by mo_default_pairs_def; not for the caller
} mo_pairs_def;

/// What an update found. The arrays are sorted, belong to the mo_pairs, and last until its next
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
typedef struct mo_pairs_stats {
  uint64_t pairs;          ///< in the set
  uint32_t pending;        ///< shapes that have changed since the last update
  uint64_t updates;        ///< calls of mo_pairs_update
  uint64_t whole_searches; ///< updates that searched the whole tree, for many shapes had changed
  size_t bytes;            ///< all memory held
  size_t set_bytes;        ///< of it, the set of pairs alone
} mo_pairs_stats;

MO_BEGIN_DECLS

/// All pairs, no callback.
MO_API mo_pair_def mo_default_pair_def(void);

/// All pairs of one scene: writes up to `capacity` of them, the first in their order, and their
/// `total` (which stops at UINT32_MAX). Allocates nothing; any number of threads at once.
/// `def` may be null for the default.
/// Errors: MO_ERROR_NULL_ARGUMENT (`scene`, `total`; `pairs` where `capacity` is not 0);
/// MO_ERROR_UNINITIALIZED_DEF.
/// Cost: O(shapes + pairs) for evenly spread shapes that are not static; the static ones far from
/// any other cost nothing. One descent of the tree against itself, each two of its nodes met once;
/// where `total` is above `capacity`, a heap of the first pairs besides.
MO_API mo_result mo_scene_find_pairs(const mo_scene *scene, const mo_pair_def *def, mo_pair *pairs,
                                     uint32_t capacity, uint32_t *total);

/// Gives the pairs of mo_scene_find_pairs one by one, in no particular order, to `visit`, which
/// returns false to end the search (that is no error) and must not change the scene. Errors:
/// MO_ERROR_NULL_ARGUMENT (`scene`, `visit`); MO_ERROR_UNINITIALIZED_DEF.
MO_API mo_result mo_scene_visit_pairs(const mo_scene *scene, const mo_pair_def *def,
                                      bool (*visit)(const mo_pair *pair, void *context),
                                      void *context);

/// Pairs of a shape of `first` (pair.a) with one of `second` (pair.b); both in one world frame.
/// Otherwise as mo_scene_find_pairs. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT (the same scene twice). The log is that of `first`.
MO_API mo_result mo_scene_find_pairs_between(const mo_scene *first, const mo_scene *second,
                                             const mo_pair_def *def, mo_pair *pairs,
                                             uint32_t capacity, uint32_t *total);

/// Gives the pairs of mo_scene_find_pairs_between one by one, as mo_scene_visit_pairs.
MO_API mo_result mo_scene_visit_pairs_between(const mo_scene *first, const mo_scene *second,
                                              const mo_pair_def *def,
                                              bool (*visit)(const mo_pair *pair, void *context),
                                              void *context);

/// No callback, no persists.
MO_API mo_pairs_def mo_default_pairs_def(void);

/// A tracker for the pairs of a scene, empty before its first update. `def` may be null for the
/// default. Memory comes from the scene's host. Destroy it before or after the scene; after it,
/// only the functions that read the set still work. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_OUT_OF_MEMORY. Cost: O(slots).
MO_API mo_result mo_pairs_create(mo_scene *scene, const mo_pairs_def *def, mo_pairs **pairs);

/// Frees the tracker, without events. Null is ignored.
MO_API void mo_pairs_destroy(mo_pairs *pairs);

/// Brings the set in line with the scene as it is now, best right after mo_scene_update. Only
/// shapes that were added, moved, removed, or given another geometry, filter or motion since the
/// last update are looked at. `events` may be null. Errors: MO_ERROR_NULL_ARGUMENT (`pairs`);
/// MO_ERROR_INVALID_ARGUMENT (its scene is gone); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY
/// (nothing has changed; may be repeated). Cost: O(changed shapes * (log shapes + their pairs)), or
/// where a fifth of all shapes or more have changed, one descent of the whole tree against
/// itself; the cheaper is chosen. What does not change costs nothing.
MO_API mo_result mo_pairs_update(mo_pairs *pairs, mo_pair_events *events);

/// How many pairs there are, as of the last update; 0 for null.
MO_API uint64_t mo_pairs_count(const mo_pairs *pairs);

/// Writes up to `capacity` of the pairs, the first in their order, and how many there are.
/// Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(slots + pairs).
MO_API mo_result mo_pairs_get(const mo_pairs *pairs, mo_pair *buffer, uint32_t capacity,
                              uint64_t *total);

/// Writes up to `capacity` of the shapes that one is paired with, ascending by index, and how many
/// there are. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID (not there at the last update).
/// Cost: O(written).
MO_API mo_result mo_pairs_of_shape(const mo_pairs *pairs, mo_shape_id id, mo_shape_id *partners,
                                   uint32_t capacity, uint32_t *total);

/// Whether two shapes are a pair, as of the last update; in any order. Cost: O(log partners).
MO_API bool mo_pairs_contains(const mo_pairs *pairs, mo_shape_id a, mo_shape_id b);

/// Statistics of the tracker. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(1).
MO_API mo_result mo_pairs_get_stats(const mo_pairs *pairs, mo_pairs_stats *stats);

/// Checks every invariant of the set; not against the scene. MO_ERROR_CORRUPT names a defect of the
/// library; the host's log receives which. Cost: O(slots + pairs). For tests.
MO_API mo_result mo_pairs_validate(const mo_pairs *pairs);

MO_END_DECLS

/** \} */

#endif
