/* Compares the lists of pairs that two successive searches of a scene found. Trees change little
 * between them, so the lists are in nearly the same order, and most pairs in both are found by
 * walking along the lists side by side. */
#ifndef MO_SCENE_PAIRS_DIFF_H
#define MO_SCENE_PAIRS_DIFF_H

#include "base/memory.h"

/* Marks in keys (mo_pair_key); slots have 31 bits. */
#define MO_KEY_REFUSED ((uint64_t)1 << 63) /* not in the set, as the callback refused it */
#define MO_KEY_CAME ((uint64_t)1 << 31)    /* in the later list: has no match in the earlier one */

typedef struct mo_pair_diff {
  uint32_t came_count; /* keys of the later list that get MO_KEY_CAME */
  uint32_t gone_count; /* those of the earlier list without a match and without marks */
  /* An array by slot of which the rows of these keys are needed next: prefetched during the
   * comparison, which leaves the memory idle. Null: nothing. */
  const char *rows;
  size_t row_size;
} mo_pair_diff;

/* Each key is in a list once. The later list takes over the marks of the earlier one, and gets
 * MO_KEY_CAME where no match was found. The keys of the earlier list that are gone are moved to its
 * beginning; what follows them there is of no use any more. A key in both lists whose match was not
 * found came and is gone. */
void mo_pair_diff_find(mo_pair_diff *diff, uint64_t *before, uint32_t before_count, uint64_t *now,
                       uint32_t now_count);

#endif
