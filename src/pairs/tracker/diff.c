/* Compares two similar lists of keys by walking along both. The result is exact for any lists; only
 * the time depends on how similar the lists are. */
#include "pairs/tracker/diff.h"

#include "base/prefetch.h"
#include "pairs/tracker/policy.h"

typedef struct list_comparison {
  mo_pair_diff *diff;
  uint64_t *earlier_keys, *later_keys;
  uint32_t earlier_count, later_count;
  uint32_t earlier_index, later_index; /* current positions in `earlier_keys` and in `later_keys` */
  uint32_t failed_far_search_count;    /* how many calls of find_match_far in a row have failed */
  uint32_t far_search_pause_end; /* index in the later list before which find_match_far gives up */
} list_comparison;

MO_INLINE void prefetch_rows(const list_comparison *w, uint64_t key) {
  const mo_pair_diff *diff = w->diff;
  if (diff->prefetched_rows != NULL) {
    mo_prefetch(diff->prefetched_rows + (key >> 32 & MO_MAX_ITEMS) * diff->row_size, 1);
    mo_prefetch(diff->prefetched_rows + (key & MO_MAX_ITEMS) * diff->row_size, 1);
  }
}

static inline bool is_match(const list_comparison *w, uint32_t before, uint32_t now) {
  return (w->earlier_keys[before] & ~MO_KEY_REFUSED) == w->later_keys[now];
}

/* Moves the keys of `earlier_keys` up to `end`, which have no match, to the front of that list,
 * without those of refused pairs. */
static void collect_gone(list_comparison *w, uint32_t end) {
  for (; w->earlier_index < end; w->earlier_index++) {
    uint64_t key = w->earlier_keys[w->earlier_index];
    prefetch_rows(w, key);
    w->earlier_keys[w->diff->gone_count] = key;
    w->diff->gone_count += !(key & MO_KEY_REFUSED);
  }
}

static void mark_new(list_comparison *w, uint32_t end) {
  w->diff->new_count += end - w->later_index;
  for (; w->later_index < end; w->later_index++) {
    prefetch_rows(w, w->later_keys[w->later_index]);
    w->later_keys[w->later_index] |= MO_KEY_NEW;
  }
}

/* Skips the keys before the nearest match of both lists, if it is a few keys ahead. Returns whether
 * it is. */
static bool find_match_near(list_comparison *w) {
  uint32_t left_before = w->earlier_count - w->earlier_index,
           left_now = w->later_count - w->later_index;
  for (uint32_t steps = 1; steps <= MO_NEAR_MATCH_MAX_STEPS; steps++) {
    for (uint32_t i = 0; i <= steps; i++) {
      uint32_t j = steps - i;
      if (i < left_before && j < left_now &&
          is_match(w, w->earlier_index + i, w->later_index + j)) {
        collect_gone(w, w->earlier_index + i);
        mark_new(w, w->later_index + j);
        return true;
      }
    }
  }
  return false;
}

/* Skips the keys of one list up to a match of the other list's current key. Returns whether there
 * is one in reach. */
static bool find_match_far(list_comparison *w) {
  if (w->later_index < w->far_search_pause_end) {
    return false;
  }
  for (uint32_t i = 1; i < MO_FAR_MATCH_MAX_STEPS && w->earlier_index + i < w->earlier_count; i++) {
    if (is_match(w, w->earlier_index + i, w->later_index)) {
      collect_gone(w, w->earlier_index + i);
      w->failed_far_search_count = 0;
      return true;
    }
  }
  for (uint32_t j = 1; j < MO_FAR_MATCH_MAX_STEPS && w->later_index + j < w->later_count; j++) {
    if (is_match(w, w->earlier_index, w->later_index + j)) {
      mark_new(w, w->later_index + j);
      w->failed_far_search_count = 0;
      return true;
    }
  }
  w->failed_far_search_count += w->failed_far_search_count < MO_MAX_FAR_SEARCH_DOUBLINGS;
  w->far_search_pause_end = w->later_index + (1u << w->failed_far_search_count);
  return false;
}

void mo_pair_diff_find(mo_pair_diff *diff, uint64_t *before, uint32_t before_count, uint64_t *now,
                       uint32_t now_count) {
  list_comparison w = {diff, before, now, before_count, now_count, 0, 0, 0, 0};
  diff->new_count = diff->gone_count = 0;
  while (w.earlier_index < before_count && w.later_index < now_count) {
    if (before[w.earlier_index] == now[w.later_index]) {
      w.earlier_index++;
      w.later_index++;
    } else if (is_match(&w, w.earlier_index, w.later_index)) {
      now[w.later_index++] = before[w.earlier_index++];
    } else if (!find_match_near(&w) && !find_match_far(&w)) {
      collect_gone(&w, w.earlier_index + 1);
      mark_new(&w, w.later_index + 1);
    }
  }
  collect_gone(&w, before_count);
  mark_new(&w, now_count);
}
