/* Compares the lists of pairs from two successive searches of a scene. The tree changes little
 * between the searches, so the lists are in nearly the same order, and walking along both in
 * parallel finds most of the pairs that are in both. */
#ifndef MO_PAIRS_TRACKER_DIFF_H
#define MO_PAIRS_TRACKER_DIFF_H

#include "base/memory.h"

/* Flags in the keys of pairs (mo_pair_key), whose slots have only 31 bits. */
#define MO_KEY_REFUSED ((uint64_t)1 << 63) /* not in the set: the callback refused the pair */
#define MO_KEY_NEW ((uint64_t)1 << 31)     /* the pair was not found in the earlier list */

typedef struct mo_pair_diff {
  uint32_t new_count;  /* number of keys of the later list that get MO_KEY_NEW */
  uint32_t gone_count; /* number of keys of the earlier list without a match and without flags */
  /* An array by slot, or null. Its rows for the slots of keys without a match are needed next, so
   * they are prefetched during the comparison, which hardly uses the memory bus. */
  const char *prefetched_rows;
  size_t row_size;
} mo_pair_diff;

/* Compares an earlier and a later list, in each of which a key occurs at most once. Keys of the
 * later list take over the flags of their match in the earlier list, or get MO_KEY_NEW if none was
 * found. The unmatched keys of the earlier list are moved to its beginning; the rest of that list
 * becomes invalid. If a key is in both lists but the match was not found, it counts as new and as
 * gone. */
void mo_pair_diff_find(mo_pair_diff *diff, uint64_t *before, uint32_t before_count, uint64_t *now,
                       uint32_t now_count);

#endif
