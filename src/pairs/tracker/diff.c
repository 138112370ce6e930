/* Compares two similar lists by walking along both. The result is exact for any lists; only the
 * time depends on how similar they are. */
#include "pairs/tracker/diff.h"

#include "base/prefetch.h"
#include "pairs/tracker/policy.h"

typedef struct list_walk {
  mo_pair_diff *diff;
  uint64_t *before, *now;
  uint32_t before_count, now_count;
  uint32_t at, to;          /* positions in `before` and in `now` */
  uint32_t failures;        /* of far searches in a row */
  uint32_t next_far_search; /* the position in `now` from which on these are done */
} list_walk;

MO_INLINE void prefetch_rows(const list_walk *w, uint64_t key) {
  const mo_pair_diff *diff = w->diff;
  if (diff->rows != NULL) {
    mo_prefetch(diff->rows + (key >> 32 & MO_MAX_ITEMS) * diff->row_size, 1);
    mo_prefetch(diff->rows + (key & MO_MAX_ITEMS) * diff->row_size, 1);
  }
}

static inline bool is_match(const list_walk *w, uint32_t before, uint32_t now) {
  return (w->before[before] & ~MO_KEY_REFUSED) == w->now[now];
}

/* Moves the keys up to `end`, which have no match, to the front of the list. */
static void collect_gone(list_walk *w, uint32_t end) {
  for (; w->at < end; w->at++) {
    uint64_t key = w->before[w->at];
    prefetch_rows(w, key);
    w->before[w->diff->gone_count] = key;
    w->diff->gone_count += !(key & MO_KEY_REFUSED);
  }
}

static void mark_new(list_walk *w, uint32_t end) {
  w->diff->new_count += end - w->to;
  for (; w->to < end; w->to++) {
    prefetch_rows(w, w->now[w->to]);
    w->now[w->to] |= MO_KEY_NEW;
  }
}

/* Skips the keys before the nearest match, which lies a few steps ahead. */
static bool find_match_near(list_walk *w) {
  uint32_t left_before = w->before_count - w->at, left_now = w->now_count - w->to;
  for (uint32_t steps = 1; steps <= MO_NEAR_MATCH_MAX_STEPS; steps++) {
    for (uint32_t i = 0; i <= steps; i++) {
      uint32_t j = steps - i;
      if (i < left_before && j < left_now && is_match(w, w->at + i, w->to + j)) {
        collect_gone(w, w->at + i);
        mark_new(w, w->to + j);
        return true;
      }
    }
  }
  return false;
}

/* Skips the keys of one list up to the current key of the other. */
static bool find_match_far(list_walk *w) {
  if (w->to < w->next_far_search) {
    return false;
  }
  for (uint32_t i = 1; i < MO_FAR_MATCH_MAX_STEPS && w->at + i < w->before_count; i++) {
    if (is_match(w, w->at + i, w->to)) {
      collect_gone(w, w->at + i);
      w->failures = 0;
      return true;
    }
  }
  for (uint32_t j = 1; j < MO_FAR_MATCH_MAX_STEPS && w->to + j < w->now_count; j++) {
    if (is_match(w, w->at, w->to + j)) {
      mark_new(w, w->to + j);
      w->failures = 0;
      return true;
    }
  }
  w->failures += w->failures < MO_MAX_FAR_SEARCH_DOUBLINGS;
  w->next_far_search = w->to + (1u << w->failures);
  return false;
}

void mo_pair_diff_find(mo_pair_diff *diff, uint64_t *before, uint32_t before_count, uint64_t *now,
                       uint32_t now_count) {
  list_walk w = {diff, before, now, before_count, now_count, 0, 0, 0, 0};
  diff->new_count = diff->gone_count = 0;
  while (w.at < before_count && w.to < now_count) {
    if (before[w.at] == now[w.to]) {
      w.at++;
      w.to++;
    } else if (is_match(&w, w.at, w.to)) {
      now[w.to++] = before[w.at++];
    } else if (!find_match_near(&w) && !find_match_far(&w)) {
      collect_gone(&w, w.at + 1);
      mark_new(&w, w.to + 1);
    }
  }
  collect_gone(&w, before_count);
  mark_new(&w, now_count);
}
