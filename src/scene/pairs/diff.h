/* What has changed between two lists of pairs that a search of the same scene found, one after the
 * other: as trees keep their form, the lists are in nearly the same order, and what is in both is
 * mostly found by walking along them side by side. */
#ifndef MO_SCENE_PAIRS_DIFF_H
#define MO_SCENE_PAIRS_DIFF_H

#include "base/memory.h"

/* Marks that keys (mo_pair_key) carry, as slots have 31 bits. */
#define MO_KEY_REFUSED ((uint64_t)1 << 63) /* not in the set, for a callback did not accept it */
#define MO_KEY_CAME ((uint64_t)1 << 31)    /* of the later list: has no match in the earlier one */

/* What is in one list alone, or was not found to be in both: then it is in both of these. In no
 * order, without marks. */
typedef struct mo_pair_diff {
  uint64_t *came; /* of the later list */
  uint64_t *gone; /* of the earlier one, but for what was refused */
  uint32_t came_count, gone_count;
  /* Not null: by slot, what is needed next of the slots in these; asked of memory on the way, while
   * that has little else to do. */
  const char *rows;
  size_t row_size;
} mo_pair_diff;

/* Each key is in a list once. The later list takes over the marks of the earlier one, and gets
 * MO_KEY_CAME where there is no match. The arrays of `diff` are long enough for all. */
void mo_pair_diff_find(mo_pair_diff *diff, const uint64_t *before, uint32_t before_count,
                       uint64_t *now, uint32_t now_count);

#endif
