/* Compares two similar lists of keys by walking along both. The result is exact for any lists; only
 * the time depends on how similar the lists are. */
#include "pairs/tracker/diff.h"

#include "base/prefetch.h"
#include "pairs/tracker/policy.h"

typedef struct list_comparison {
  mo_pair_diff *diff;
  uint64_t *before, *now;
  uint32_t before_count, now_count;
  uint32_t before_at, now_at; /* current positions in `before` and in `now` */
  uint32_t failures;          /* how many far searches in a row have failed */
  uint32_t next_far_search;   /* index in the later list; before it no far search is made */
} list_comparison;

MO_INLINE void prefetch_rows(const list_comparison *w, uint64_t key) {
  const mo_pair_diff *diff = w->diff;
  if (diff->rows != NULL) {
    mo_prefetch(diff->rows + (key >> 32 & MO_MAX_ITEMS) * diff->row_size, 1);
    mo_prefetch(diff->rows + (key & MO_MAX_ITEMS) * diff->row_size, 1);
  }
}

static inline bool is_match(const list_comparison *w, uint32_t before, uint32_t now) {
  return (w->before[before] & ~MO_KEY_REFUSED) == w->now[now];
}

/* Moves the keys of `before` up to `end`, which have no match, to the front of that list. */
static void collect_gone(list_comparison *w, uint32_t end) {
  for (; w->before_at < end; w->before_at++) {
    uint64_t key = w->before[w->before_at];
    prefetch_rows(w, key);
    w->before[w->diff->gone_count] = key;
    w->diff->gone_count += !(key & MO_KEY_REFUSED);
  }
}

static void mark_new(list_comparison *w, uint32_t end) {
  w->diff->new_count += end - w->now_at;
  for (; w->now_at < end; w->now_at++) {
    prefetch_rows(w, w->now[w->now_at]);
    w->now[w->now_at] |= MO_KEY_NEW;
  }
}

/* Skips the keys before the nearest match of both lists, if it is a few keys ahead. Returns whether
 * it is. */
static bool find_match_near(list_comparison *w) {
  uint32_t left_before = w->before_count - w->before_at, left_now = w->now_count - w->now_at;
  for (uint32_t steps = 1; steps <= MO_NEAR_MATCH_MAX_STEPS; steps++) {
    for (uint32_t i = 0; i <= steps; i++) {
      uint32_t j = steps - i;
      if (i < left_before && j < left_now && is_match(w, w->before_at + i, w->now_at + j)) {
        collect_gone(w, w->before_at + i);
        mark_new(w, w->now_at + j);
        return true;
      }
    }
  }
  return false;
}

/* Skips the keys of one list up to a match of the other list's current key. Returns whether there
 * is one in reach. */
static bool find_match_far(list_comparison *w) {
  if (w->now_at < w->next_far_search) {
    return false;
  }
  for (uint32_t i = 1; i < MO_FAR_MATCH_MAX_STEPS && w->before_at + i < w->before_count; i++) {
    if (is_match(w, w->before_at + i, w->now_at)) {
      collect_gone(w, w->before_at + i);
      w->failures = 0;
      return true;
    }
  }
  for (uint32_t j = 1; j < MO_FAR_MATCH_MAX_STEPS && w->now_at + j < w->now_count; j++) {
    if (is_match(w, w->before_at, w->now_at + j)) {
      mark_new(w, w->now_at + j);
      w->failures = 0;
      return true;
    }
  }
  w->failures += w->failures < MO_MAX_FAR_SEARCH_DOUBLINGS;
  w->next_far_search = w->now_at + (1u << w->failures);
  return false;
}

void mo_pair_diff_find(mo_pair_diff *diff, uint64_t *before, uint32_t before_count, uint64_t *now,
                       uint32_t now_count) {
  list_comparison w = {diff, before, now, before_count, now_count, 0, 0, 0, 0};
  diff->new_count = diff->gone_count = 0;
  while (w.before_at < before_count && w.now_at < now_count) {
    if (before[w.before_at] == now[w.now_at]) {
      w.before_at++;
      w.now_at++;
    } else if (is_match(&w, w.before_at, w.now_at)) {
      now[w.now_at++] = before[w.before_at++];
    } else if (!find_match_near(&w) && !find_match_far(&w)) {
      collect_gone(&w, w.before_at + 1);
      mark_new(&w, w.now_at + 1);
    }
  }
  collect_gone(&w, before_count);
  mark_new(&w, now_count);
}
