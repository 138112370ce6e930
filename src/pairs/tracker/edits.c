/* Applies the pairs that begin and end to the set of pairs, in tasks.
 *
 * Each event becomes two changes, one for the list of each of its shapes. Changes are distributed
 * by ranges of the slots that they change, so that each range is a task. Short lists are changed
 * partner by partner; changes of long lists are collected, sorted and merged in one pass per list.
 *
 * All memory is reserved before long lists change. If that fails, the changes of short lists are
 * undone. */
#include <string.h>

#include "base/assert.h"
#include "base/key_sort.h"
#include "base/tasks.h"
#include "pairs/tracker/tracker.h"

_Static_assert((int)MO_MAX_UPDATE_PARTS == (int)MO_SLOT_RANGE_COUNT, "a task for each range");
_Static_assert(sizeof(mo_pair) == 2 * sizeof(uint64_t), "two changes take the place of an event");

typedef struct edits {
  mo_pair_tracker *tracker;
  uint64_t *changes;   /* changes of partner lists, range by range, each in the order of events */
  uint32_t part_count; /* number of tasks, both for distributing events and for applying ranges */
  uint32_t next_change[MO_MAX_UPDATE_PARTS]
                      [MO_SLOT_RANGE_COUNT];      /* where the next change is written */
  uint32_t first_change[MO_SLOT_RANGE_COUNT + 1]; /* by range: first of its changes */
  mo_result results[MO_SLOT_RANGE_COUNT];
} edits;

/* The range of a slot; if there is only one task, all slots are in range 0. */
static inline uint32_t range_of(const edits *e, uint32_t slot) {
  return e->part_count == 1 ? 0 : mo_pair_set_range_of_slot(slot);
}

/* Gets event i: pairs that end come first, then pairs that begin. Returns false for a key that is
 * in both lists, as a slot has another shape now: such a pair stays in the set unchanged. */
static inline bool event_at(const mo_pair_tracker *tracker, uint32_t i, uint64_t *key, bool *add) {
  *add = i >= tracker->ends.count;
  *key = *add ? tracker->begins.keys[i - tracker->ends.count] : tracker->ends.keys[i];
  return tracker->ended_and_begun.count == 0 ||
         !mo_keys_contain(tracker->ended_and_begun.keys, tracker->ended_and_begun.count, *key);
}

static uint32_t event_count(const mo_pair_tracker *tracker) {
  return tracker->begins.count + tracker->ends.count;
}

static void count_part(uint32_t part, void *context) {
  edits *e = context;
  uint32_t counts[MO_SLOT_RANGE_COUNT] = {0}, count = event_count(e->tracker);
  for (uint32_t i = mo_part_begin(count, part, e->part_count);
       i < mo_part_begin(count, part + 1, e->part_count); i++) {
    uint64_t key;
    bool add;
    if (event_at(e->tracker, i, &key, &add)) {
      counts[range_of(e, (uint32_t)(key >> 32))]++;
      counts[range_of(e, (uint32_t)key)]++;
    }
  }
  memcpy(e->next_change[part], counts, sizeof counts);
}

static void distribute_part(uint32_t part, void *context) {
  edits *e = context;
  uint32_t *starts = e->next_change[part], count = event_count(e->tracker);
  for (uint32_t i = mo_part_begin(count, part, e->part_count);
       i < mo_part_begin(count, part + 1, e->part_count); i++) {
    uint64_t key;
    bool add;
    if (event_at(e->tracker, i, &key, &add)) {
      uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
      e->changes[starts[range_of(e, a)]++] = mo_partner_change_key(a, b, add);
      e->changes[starts[range_of(e, b)]++] = mo_partner_change_key(b, a, add);
    }
  }
}

static void distribute_changes(edits *e) {
  mo_tasks_run(&e->tracker->host, e->part_count, count_part, e);
  uint32_t sum = 0;
  for (uint32_t range = 0; range < MO_SLOT_RANGE_COUNT; range++) {
    e->first_change[range] = sum;
    for (uint32_t part = 0; part < e->part_count; part++) {
      uint32_t count = e->next_change[part][range];
      e->next_change[part][range] = sum;
      sum += count;
    }
  }
  e->first_change[MO_SLOT_RANGE_COUNT] = sum;
  MO_ASSERT(sum <= 2 * event_count(e->tracker));
  mo_tasks_run(&e->tracker->host, e->part_count, distribute_part, e);
}

/* Changes the short partner lists of a range, and reserves memory for the other changes. */
static mo_result change_short_lists(mo_pair_tracker *tracker, mo_pair_keys *later,
                                    mo_pair_keys *scratch, const uint64_t *changes,
                                    uint32_t count) {
  mo_pair_set *set = &tracker->set;
  mo_result result = MO_OK;
  for (uint32_t i = 0; i < count && result == MO_OK; i++) {
    uint32_t slot = (uint32_t)(changes[i] >> 32), partner = (uint32_t)changes[i] >> 1;
    bool ok = true;
    mo_pair_set_prefetch(set, changes, i, count);
    if (!mo_partner_list_is_short(set, slot)) {
      ok = mo_pair_tracker_add_part_key(tracker, later, changes[i]);
    } else if (changes[i] & 1) {
      result = mo_pair_set_add(set, slot, partner);
    } else if (mo_pair_set_remove(set, slot, partner)) {
      ok = mo_pair_tracker_add_part_key(tracker, later, mo_partner_shrink_key(slot));
    }
    result = ok ? result : MO_ERROR_OUT_OF_MEMORY;
  }
  if (result == MO_OK && !mo_pair_tracker_reserve_part_keys(tracker, scratch, later->count)) {
    result = MO_ERROR_OUT_OF_MEMORY;
  }
  if (result == MO_OK) {
    mo_keys_sort(later->keys, scratch->keys, later->count);
    result = mo_pair_set_reserve(set, later->keys, later->count);
  }
  return result;
}

/* The list of postponed changes of a part, for which a list of results is reused. */
static mo_pair_keys *postponed_changes(mo_pair_tracker *tracker, uint32_t part) {
  return &tracker->parts[MO_PART_BEGINS][part];
}

static void change_short_lists_of_part(uint32_t part, void *context) {
  edits *e = context;
  mo_pair_keys *later = postponed_changes(e->tracker, part),
               *scratch = &e->tracker->parts[MO_PART_ENDS][part];
  later->count = scratch->count = 0;
  e->results[part] =
      change_short_lists(e->tracker, later, scratch, e->changes + e->first_change[part],
                         e->first_change[part + 1] - e->first_change[part]);
}

/* Undoes the changes of short lists: removes the partners that were added, then adds the partners
 * that were removed. The lists have had capacity for them, so no memory is needed. */
static void undo_short_lists(edits *e) {
  mo_pair_set *set = &e->tracker->set;
  const uint32_t ends = e->tracker->ends.count, events = event_count(e->tracker);
  for (uint32_t i = 0; i < events; i++) {
    uint64_t key;
    bool added, is_event = event_at(e->tracker, i < events - ends ? ends + i : i - (events - ends),
                                    &key, &added);
    uint32_t pair[] = {(uint32_t)(key >> 32), (uint32_t)key};
    for (int side = 0; side < 2 && is_event; side++) {
      bool is_there = mo_partners_find(set, pair[side], pair[1 - side]) != NULL;
      if (added && is_there) {
        mo_pair_set_remove(set, pair[side], pair[1 - side]);
      } else if (!added && !is_there) {
        mo_pair_set_add(set, pair[side], pair[1 - side]);
      }
    }
  }
}

mo_result mo_pair_tracker_begin_edits(mo_pair_tracker *tracker, uint32_t part_count) {
  if (event_count(tracker) == 0) {
    postponed_changes(tracker, 0)->count = 0;
    return MO_OK;
  }
  edits e = {.tracker = tracker,
             .changes = (uint64_t *)(void *)tracker->output[0].pairs,
             .part_count = part_count};
  distribute_changes(&e);
  mo_tasks_run(&tracker->host, part_count, change_short_lists_of_part, &e);
  mo_result result = MO_OK;
  for (uint32_t part = 0; part < part_count && result == MO_OK; part++) {
    result = e.results[part];
  }
  if (result != MO_OK) {
    undo_short_lists(&e);
  }
  return result;
}

static void apply_part(uint32_t part, void *context) {
  mo_pair_tracker *tracker = context;
  const mo_pair_keys *later = postponed_changes(tracker, part);
  mo_pair_set_apply(&tracker->set, later->keys, later->count);
}

void mo_pair_tracker_end_edits(mo_pair_tracker *tracker, uint32_t part_count) {
  mo_tasks_run(&tracker->host, part_count, apply_part, tracker);
}
