/* Compares the lists of pairs from two successive searches of a scene. The tree changes little
 * between them, so the lists are in nearly the same order, and walking along both lists in parallel
 * matches most of the pairs that are in both. */
#ifndef MO_PAIRS_TRACKER_DIFF_H
#define MO_PAIRS_TRACKER_DIFF_H

#include "base/memory.h"

/* Marks in keys (mo_pair_key); slots have 31 bits. */
#define MO_KEY_REFUSED ((uint64_t)1 << 63) /* not in the set, as the callback refused it */
#define MO_KEY_NEW ((uint64_t)1 << 31) /* in the later list: without a match in the earlier one */

typedef struct mo_pair_diff {
  uint32_t new_count;  /* number of keys of the later list that get MO_KEY_NEW */
  uint32_t gone_count; /* number of keys of the earlier list without a match and without marks */
  /* An array by slot; its rows for the keys without a match are needed next, so they are prefetched
   * during the comparison, which hardly uses the memory bus. Null: none. */
  const char *rows;
  size_t row_size;
} mo_pair_diff;

/* Each key occurs at most once in a list. The later list takes over the marks of matched keys of
 * the earlier one, and gets MO_KEY_NEW where no match was found. The unmatched keys of the earlier
 * list are moved to its beginning; the rest of it becomes invalid. If a key is in both lists but
 * its match was not found, it counts as both begun and ended. */
void mo_pair_diff_find(mo_pair_diff *diff, uint64_t *before, uint32_t before_count, uint64_t *now,
                       uint32_t now_count);

#endif
