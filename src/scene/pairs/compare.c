/* The events of a search of the whole tree: the pairs found against those of the last one. */
#include "base/key_sort.h"
#include "scene/pairs/diff.h"
#include "scene/pairs/tracker.h"

static inline uint8_t pending_of(const mo_pair_tracker *tracker, uint64_t key) {
  return tracker->log.pending[key >> 32 & MO_MAX_ITEMS] | tracker->log.pending[key & MO_MAX_ITEMS];
}

/* Makes `last` the pairs of the set, without refused pairs, if it is not in step. */
static bool recall_last(mo_pair_tracker *tracker) {
  if (tracker->last_is_set) {
    return true;
  }
  tracker->last.count = 0;
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->last, tracker->count)) {
    return false;
  }
  for (uint32_t slot = 0; slot < tracker->log.slot_capacity; slot++) {
    uint32_t count = mo_partners_count(&tracker->set, slot);
    const uint32_t *partners = count > 0 ? mo_partners_of(&tracker->set, slot) : NULL;
    for (uint32_t i = 0; i < count; i++) {
      if (partners[i] > slot) {
        tracker->last.keys[tracker->last.count++] = mo_pair_key(slot, partners[i]);
      }
    }
  }
  tracker->last_is_set = true;
  return true;
}

/* Examines the pairs in both lists. One of a slot that has another shape now ends and begins; one
 * that was refused and has changed is offered to the callback again; others persist. */
static void examine_matches(mo_pair_tracker *tracker) {
  mo_pair_keys *found = &tracker->found, *begins = &tracker->begins;
  for (uint32_t i = 0; i < found->count; i++) {
    uint64_t key = found->keys[i];
    uint8_t pending = pending_of(tracker, key);
    if (!pending || (key & MO_KEY_CAME)) {
      continue;
    }
    bool reborn = pending & MO_CHANGE_REBORN, refused = key & MO_KEY_REFUSED;
    key &= ~MO_KEY_REFUSED;
    if (reborn || refused) {
      found->keys[i] = key | MO_KEY_CAME;
      begins->keys[begins->count++] = key;
    }
    if (reborn && !refused) {
      tracker->ends.keys[tracker->ends.count++] = key;
    }
    if (!reborn && !refused && tracker->def.report_persists) {
      tracker->persists.keys[tracker->persists.count++] = key;
    }
  }
}

/* Takes pairs that both begin and end, and so persist, out of both lists. */
static void cancel(mo_pair_tracker *tracker) {
  mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends;
  uint32_t i = 0, j = 0, begin_count = 0, end_count = 0;
  while (i < begins->count || j < ends->count) {
    uint64_t begin = i < begins->count ? begins->keys[i] : UINT64_MAX;
    uint64_t end = j < ends->count ? ends->keys[j] : UINT64_MAX;
    uint8_t pending = begin == end ? pending_of(tracker, begin) : 0;
    bool goes_on = begin == end && !(pending & MO_CHANGE_REBORN);
    if (goes_on && pending && tracker->def.report_persists) {
      tracker->persists.keys[tracker->persists.count++] = begin;
    }
    if (begin <= end) {
      begins->keys[begin_count] = begin;
      begin_count += !goes_on;
      i++;
    }
    if (end <= begin) {
      ends->keys[end_count] = end;
      end_count += !goes_on;
      j++;
    }
  }
  begins->count = begin_count;
  ends->count = end_count;
}

/* After a shift: takes pairs of which neither shape has changed back from those that end, and adds
 * them to `found`, for which there is memory. */
static void keep_unchanged(mo_pair_tracker *tracker) {
  mo_pair_keys *ends = &tracker->ends, *found = &tracker->found;
  uint32_t ended = 0;
  for (uint32_t i = 0; i < ends->count; i++) {
    uint64_t key = ends->keys[i];
    if (pending_of(tracker, key)) {
      ends->keys[ended++] = key;
    } else {
      found->keys[found->count++] = key;
    }
  }
  ends->count = ended;
}

/* Offers pairs that begin to the callback, and marks the refused ones in `found`; and those of
 * which neither shape has changed, as after a shift. */
static void offer_begins(mo_pair_tracker *tracker) {
  mo_pair_keys *begins = &tracker->begins, *refused = &tracker->sorting; /* as long as `begins` */
  uint32_t accepted = 0;
  refused->count = 0;
  for (uint32_t i = 0; i < begins->count; i++) {
    uint64_t key = begins->keys[i];
    if (pending_of(tracker, key) &&
        mo_pair_tracker_accepts(tracker, (uint32_t)(key >> 32), (uint32_t)key)) {
      begins->keys[accepted++] = key;
    } else {
      refused->keys[refused->count++] = key;
    }
  }
  begins->count = accepted;
  for (uint32_t i = 0; i < tracker->found.count && refused->count > 0; i++) {
    uint64_t key = tracker->found.keys[i] & ~MO_KEY_CAME;
    if (key != tracker->found.keys[i] && mo_keys_contain(refused->keys, refused->count, key)) {
      tracker->found.keys[i] |= MO_KEY_REFUSED;
    }
  }
}

bool mo_pair_tracker_compare_with_last(mo_pair_tracker *tracker) {
  mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends, *persists = &tracker->persists;
  mo_pair_keys *found = &tracker->found;
  begins->count = ends->count = persists->count = 0;
  if (!recall_last(tracker) || !mo_pair_tracker_reserve_keys(tracker, begins, found->count) ||
      !mo_pair_tracker_reserve_keys(tracker, ends, tracker->last.count) ||
      (tracker->def.report_persists &&
       !mo_pair_tracker_reserve_keys(tracker, persists, found->count))) {
    return false;
  }
  mo_pair_diff diff = {
      .came = begins->keys,
      .gone = ends->keys,
      .rows = (const char *)tracker->set.lists,
      .row_size = sizeof *tracker->set.lists,
  };
  mo_pair_diff_find(&diff, tracker->last.keys, tracker->last.count, found->keys, found->count);
  begins->count = diff.came_count;
  ends->count = diff.gone_count;
  if ((tracker->log.any & MO_CHANGE_REBORN) || tracker->def.accept || tracker->shifted ||
      tracker->def.report_persists) {
    examine_matches(tracker);
  }
  if (!mo_pair_tracker_sort_keys(tracker, begins) || !mo_pair_tracker_sort_keys(tracker, ends)) {
    return false;
  }
  cancel(tracker);
  if (tracker->shifted) {
    if (!mo_pair_tracker_reserve_keys(tracker, found, ends->count)) {
      return false;
    }
    keep_unchanged(tracker);
  }
  if (tracker->def.accept || tracker->shifted) {
    offer_begins(tracker);
  }
  return true;
}
