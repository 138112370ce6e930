/** \defgroup pairs Pairs (motte/pairs.h)
 *
 * Pairs of shapes whose stored world AABBs touch: the broad phase of a simulation step. The
 * functions here find all pairs anew in each call; a pair tracker (motte/pair_tracker.h) keeps
 * them from step to step, and reports which begin, persist and end.
 *
 * The result is exact: the pairs that a loop over all pairs of boxes from mo_scene_get_bounds
 * would find, including boxes that merely touch. It does not depend on the tree, the instruction
 * set or the number of workers. Two shapes that are static or kinematic (mo_motion) are never a
 * pair, nor are two shapes of one body (mo_shape_def::body), and each shape's filter must let the
 * other one pass: (a.category & b.mask) and (b.category & a.mask).
 *
 * A half-space has no box. It forms a pair with each shape whose box it overlaps, as
 * mo_primitive_overlap defines for a half-space and a volume, and with each other half-space that
 * it overlaps.
 *
 * A pair is only two ids, so that millions of pairs take little memory.
 * mo_scene_get_pair_user_data returns the user data of the pairs that are of interest; `accept`
 * receives it anyway. Alternatively the host can have its own array, indexed by
 * mo_shape_id::index, which also works for removed shapes when their pairs end.
 *
 * A search takes about 80 KiB of the stack of the thread that runs it. */
#ifndef MOTTE_PAIRS_H
#define MOTTE_PAIRS_H

#include <motte/scene.h>

/** \{ */

/// Two shapes; if both are in one scene, a.index < b.index. Pairs are sorted by a.index, then
/// b.index.
typedef struct mo_pair {
  mo_shape_id a; ///< the shape with the lower index, or the shape of the first scene
  mo_shape_id b; ///< the shape with the higher index, or the shape of the second scene
} mo_pair;

/// Which pairs a query finds.
typedef struct mo_pair_query_def {
  /// Find only pairs with at least one awake shape: dynamic or kinematic. Parts of the scene
  /// where everything is at rest cost nothing.
  bool awake_only;
  /// Called, if not null, for each pair that passes the filters; returning false rejects the pair.
  /// The order of calls is unspecified. The callback must not change the scene. It runs on the
  /// thread that called the query.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context;   ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_pair_query_def; not for the caller
} mo_pair_query_def;

MO_BEGIN_DECLS

/// A def that finds all pairs, without a callback.
MO_API mo_pair_query_def mo_default_pair_query_def(void);

/// Finds all pairs of one scene. Writes the first `capacity` of them in sorted order, and their
/// number to `total` (at most UINT32_MAX). Allocates nothing; any number of threads at once. `def`
/// may be null for the default. Errors: MO_ERROR_NULL_ARGUMENT (`scene`, `total`; `pairs` where
/// `capacity` is not 0); MO_ERROR_UNINITIALIZED_DEF. Cost: O(shapes + pairs) for evenly spread
/// shapes that are not static; static shapes far from all others cost nothing. One traversal of the
/// tree against itself, which visits each pair of nodes once; if `total` exceeds `capacity`, also a
/// heap of the first pairs.
MO_API mo_result mo_scene_find_pairs(const mo_scene *scene, const mo_pair_query_def *def,
                                     mo_pair *pairs, uint32_t capacity, uint32_t *total);

/// Calls `visit` for each pair of mo_scene_find_pairs, in no particular order. `visit` returns
/// false to end the search (which is no error), runs on the calling thread, and must not change the
/// scene. Allocates nothing; any number of threads at once. Cost: as mo_scene_find_pairs. Errors:
/// MO_ERROR_NULL_ARGUMENT (`scene`, `visit`); MO_ERROR_UNINITIALIZED_DEF.
MO_API mo_result mo_scene_visit_pairs(const mo_scene *scene, const mo_pair_query_def *def,
                                      bool (*visit)(const mo_pair *pair, void *context),
                                      void *context);

/// Finds pairs of a shape of `first` (pair.a) and a shape of `second` (pair.b); both scenes share
/// one world frame. The definition of a pair, the thread rule and the cost are those of
/// mo_scene_find_pairs. Writes the first `capacity` pairs in the order of (a.index, b.index),
/// and their number to `total`. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT (the same scene twice). Errors are logged to the host of `first`.
MO_API mo_result mo_scene_find_pairs_between(const mo_scene *first, const mo_scene *second,
                                             const mo_pair_query_def *def, mo_pair *pairs,
                                             uint32_t capacity, uint32_t *total);

/// Calls `visit` for each pair of mo_scene_find_pairs_between, in no particular order. `visit`
/// returns false to end the search (which is no error), runs on the calling thread, and must not
/// change the scenes. Allocates nothing; any number of threads at once. Cost: that of
/// mo_scene_find_pairs. Errors:
/// MO_ERROR_NULL_ARGUMENT (scenes, `visit`); MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT
/// (the same scene twice).
MO_API mo_result mo_scene_visit_pairs_between(const mo_scene *first, const mo_scene *second,
                                              const mo_pair_query_def *def,
                                              bool (*visit)(const mo_pair *pair, void *context),
                                              void *context);

/// Looks up the user data of the shapes of pairs, also of pairs from a pair tracker: writes two
/// numbers for each of `count` pairs of one scene, first that of `a`, then that of `b`. Any number
/// of threads at once. Errors, after which nothing has been written: MO_ERROR_NULL_ARGUMENT
/// (`scene`; the arrays where `count` is not 0); MO_ERROR_STALE_ID (a shape was removed, which may
/// be the case for pairs that have ended). Cost: O(count).
MO_API mo_result mo_scene_get_pair_user_data(const mo_scene *scene, const mo_pair *pairs,
                                             uint32_t count, uint64_t (*user_data)[2]);

MO_END_DECLS

/** \} */

#endif
