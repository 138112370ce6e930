/** \defgroup pairs Pairs (motte/pairs.h)
 *
 * Pairs of shapes whose world AABBs touch: the broad phase of a simulation step. The functions here
 * find all pairs anew with each call; a pair tracker (motte/pair_tracker.h) keeps them from step to
 * step, and reports which begin, persist and end.
 *
 * Which pairs there are is exact: those that a loop over all shapes with mo_scene_get_bounds would
 * find, boxes that merely touch included, whatever the tree, the instruction set or the number of
 * workers. Two static shapes (mo_motion) are never a pair, and of a pair each shape's filter has to
 * let the other pass: (a.category & b.mask) and (b.category & a.mask).
 *
 * A half-space has no box. It is a pair with each shape whose box it overlaps, by the definition of
 * mo_primitive_overlap for the half-space and a volume; and with another half-space that it
 * overlaps.
 *
 * A pair is two ids and no more, so that millions of them stay small. User data come by
 * mo_scene_get_pair_user_data, for as many pairs as are of interest; `accept` is given them anyway.
 * Or let the host keep an array of its own by mo_shape_id::index, which also serves for shapes that
 * are gone when their pair ends.
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

/// Which pairs a query finds.
typedef struct mo_pair_query_def {
  /// Only pairs of which one shape is awake: neither static nor sleeping. Parts of the scene where
  /// all is at rest cost nothing.
  bool awake_only;
  /// Called, if not null, for each pair that the filters let pass; false refuses it. In any order;
  /// must not change the scene. Always called from the calling thread.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context;   ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_pair_query_def; not for the caller
} mo_pair_query_def;

MO_BEGIN_DECLS

/// All pairs, no callback.
MO_API mo_pair_query_def mo_default_pair_query_def(void);

/// All pairs of one scene: writes up to `capacity` of them, the first in their order, and their
/// `total` (which stops at UINT32_MAX). Allocates nothing; any number of threads at once.
/// `def` may be null for the default.
/// Errors: MO_ERROR_NULL_ARGUMENT (`scene`, `total`; `pairs` where `capacity` is not 0);
/// MO_ERROR_UNINITIALIZED_DEF.
/// Cost: O(shapes + pairs) for evenly spread shapes that are not static; the static ones far from
/// any other cost nothing. One descent of the tree against itself, each two of its nodes met once;
/// where `total` is above `capacity`, a heap of the first pairs besides.
MO_API mo_result mo_scene_find_pairs(const mo_scene *scene, const mo_pair_query_def *def,
                                     mo_pair *pairs, uint32_t capacity, uint32_t *total);

/// Gives the pairs of mo_scene_find_pairs one by one, in no particular order, to `visit`, which
/// returns false to end the search (that is no error), runs in the calling thread, and must not
/// change the scene. Allocates nothing; any number of threads at once. Cost: as there. Errors:
/// MO_ERROR_NULL_ARGUMENT (`scene`, `visit`); MO_ERROR_UNINITIALIZED_DEF.
MO_API mo_result mo_scene_visit_pairs(const mo_scene *scene, const mo_pair_query_def *def,
                                      bool (*visit)(const mo_pair *pair, void *context),
                                      void *context);

/// Pairs of a shape of `first` (pair.a) with one of `second` (pair.b); both in one world frame.
/// Which are pairs, threads and cost: as mo_scene_find_pairs. Writes up to `capacity` of them, the
/// first in the order of (a.index, b.index), and their `total`. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (the same scene twice). The log is that of
/// `first`.
MO_API mo_result mo_scene_find_pairs_between(const mo_scene *first, const mo_scene *second,
                                             const mo_pair_query_def *def, mo_pair *pairs,
                                             uint32_t capacity, uint32_t *total);

/// Gives the pairs of mo_scene_find_pairs_between one by one, in no particular order, to `visit`,
/// which returns false to end the search (that is no error), runs in the calling thread, and must
/// not change the scenes. Allocates nothing; any number of threads at once. Cost: as there. Errors:
/// MO_ERROR_NULL_ARGUMENT (scenes, `visit`); MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT
/// (the same scene twice).
MO_API mo_result mo_scene_visit_pairs_between(const mo_scene *first, const mo_scene *second,
                                              const mo_pair_query_def *def,
                                              bool (*visit)(const mo_pair *pair, void *context),
                                              void *context);

/// The user data of the shapes of pairs, also of those of a pair tracker: writes two numbers for each
/// of `count` pairs of one scene, that of `a` and that of `b`. Any number of threads at once. Errors,
/// with which nothing is written: MO_ERROR_NULL_ARGUMENT (`scene`; the arrays where `count` is not
/// 0); MO_ERROR_STALE_ID (a shape is gone, as of pairs that have ended it may be). Cost: O(count).
MO_API mo_result mo_scene_get_pair_user_data(const mo_scene *scene, const mo_pair *pairs,
                                             uint32_t count, uint64_t (*user_data)[2]);

MO_END_DECLS

/** \} */

#endif
