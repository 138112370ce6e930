/* Finds the events of an update that has searched the whole tree, by comparing the pairs found with
 * the pairs that the last such search found. */
#include <string.h>

#include "base/key_sort.h"
#include "base/tasks.h"
#include "pairs/tracker/diff.h"
#include "pairs/tracker/tracker.h"

static inline uint8_t pending_changes_of(const mo_pair_tracker *tracker, uint64_t key) {
  return tracker->log.pending[key >> 32 & MO_MAX_ITEMS] | tracker->log.pending[key & MO_MAX_ITEMS];
}

/* If `last_found_pairs` is not valid, fills it with the pairs of the set; pairs that the host has
 * refused are not in the set. */
static bool restore_last_found(mo_pair_tracker *tracker) {
  if (tracker->last_found_pairs_are_valid) {
    return true;
  }
  tracker->last_found_pairs.count = 0;
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->last_found_pairs, tracker->pair_count)) {
    return false;
  }
  for (uint32_t slot = 0; slot < tracker->log.slot_capacity; slot++) {
    uint32_t count = mo_partners_count(&tracker->set, slot);
    const uint32_t *partners = count > 0 ? mo_partners_of(&tracker->set, slot) : NULL;
    for (uint32_t i = 0; i < count; i++) {
      if (partners[i] > slot) {
        tracker->last_found_pairs.keys[tracker->last_found_pairs.count++] =
            mo_pair_key(slot, partners[i]);
      }
    }
  }
  tracker->last_found_pairs_are_valid = true;
  return true;
}

/* --- the two lists, in segments that are compared by tasks --- */

typedef struct list_segment {
  uint32_t last_begin,
      found_begin;      /* where the segment begins in the lists `last_found_pairs` and `found` */
  uint32_t first_begin; /* where its pairs that begin are written in the list `begins` */
  mo_pair_diff diff;
} list_segment;

typedef struct comparison {
  mo_pair_tracker *tracker;
  bool keeps_new_marks; /* whether MO_KEY_NEW stays set in `found` */
  uint32_t count;
  list_segment list_segments[MO_MAX_UPDATE_PARTS + 1]; /* after `count`: where both lists end */
} comparison;

/* Returns the index of a key in the list `last` if it is near index `near` and not before `min`,
 * else MO_NONE. */
static uint32_t find_key_near(const mo_pair_keys *last, uint64_t key, uint32_t near, uint32_t min) {
  for (uint32_t distance = 0; distance < MO_FAR_MATCH_MAX_STEPS; distance++) {
    const uint32_t at[2] = {near + distance, near - distance};
    for (int i = 0; i < 2; i++) {
      if (at[i] >= min && at[i] < last->count && (last->keys[at[i]] & ~MO_KEY_REFUSED) == key) {
        return at[i];
      }
    }
  }
  return MO_NONE;
}

/* Cuts both lists into segments, at pairs that are in both: into up to MO_MAX_UPDATE_PARTS
 * segments, or fewer if no such pairs are found. The result of the comparison does not depend on
 * where the lists are cut. */
static void cut_into_segments(comparison *c) {
  const mo_pair_keys *last = &c->tracker->last_found_pairs, *found = &c->tracker->found;
  uint32_t max = found->count / MO_MIN_KEYS_PER_SEGMENT;
  max = mo_tasks_workers(&c->tracker->host) == 1 ? 1 : max;
  max = max < MO_MAX_UPDATE_PARTS ? max : MO_MAX_UPDATE_PARTS;
  c->list_segments[0] = (list_segment){0};
  c->count = 1;
  for (uint32_t i = 1; i < max; i++) {
    const list_segment *before = &c->list_segments[c->count - 1];
    uint32_t at = mo_part_begin(found->count, i, max), tries = 0, same = MO_NONE;
    for (; tries < MO_NEAR_MATCH_MAX_STEPS && same == MO_NONE; tries++) {
      uint32_t near = before->last_begin + (at + tries - before->found_begin);
      same = find_key_near(last, found->keys[at + tries], near, before->last_begin);
    }
    if (same != MO_NONE) {
      c->list_segments[c->count++] =
          (list_segment){.last_begin = same, .found_begin = at + tries - 1};
    }
  }
  c->list_segments[c->count] =
      (list_segment){.last_begin = last->count, .found_begin = found->count};
}

/* Avoids arithmetic on a null pointer: an empty list may have no memory. */
static uint64_t *keys_from(const mo_pair_keys *list, uint32_t at) {
  return at == 0 ? list->keys : list->keys + at;
}

/* A task: compares a segment of both lists. Pairs that end are moved to the beginning of the
 * segment in `last_found_pairs`. */
static void compare_segment(uint32_t index, void *context) {
  comparison *c = context;
  mo_pair_tracker *tracker = c->tracker;
  list_segment *s = &c->list_segments[index];
  s->diff = (mo_pair_diff){
      .prefetched_rows = (const char *)tracker->set.lists,
      .row_size = sizeof *tracker->set.lists,
  };
  mo_pair_diff_find(&s->diff, keys_from(&tracker->last_found_pairs, s->last_begin),
                    s[1].last_begin - s->last_begin, keys_from(&tracker->found, s->found_begin),
                    s[1].found_begin - s->found_begin);
}

/* A task: copies the pairs of a segment that begin to the list `begins`. */
static void collect_begins(uint32_t index, void *context) {
  const comparison *c = context;
  const list_segment *s = &c->list_segments[index];
  const uint64_t kept = c->keeps_new_marks ? ~(uint64_t)0 : ~MO_KEY_NEW;
  uint64_t *found = c->tracker->found.keys, *to = keys_from(&c->tracker->begins, s->first_begin);
  for (uint32_t i = s->found_begin, left = s->diff.new_count; left > 0; i++) {
    uint64_t key = found[i];
    bool begins = key & MO_KEY_NEW;
    *to = key & ~MO_KEY_NEW; /* overwritten by the next key unless this pair begins */
    found[i] = key & kept;
    to += begins;
    left -= begins;
  }
}

static void append_keys(mo_pair_keys *list, const uint64_t *keys, uint32_t count) {
  if (count > 0) {
    memmove(list->keys + list->count, keys, count * sizeof *keys);
    list->count += count;
  }
}

/* Fills the lists `begins` and `ends`. `examined`: whether examine_matches will be called, which
 * needs the marks MO_KEY_NEW, and memory for more pairs. Afterwards `last_found_pairs` is invalid.
 * Returns false when out of memory. */
static bool compare_lists(mo_pair_tracker *tracker, bool examined) {
  mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends;
  comparison c = {.tracker = tracker, .keeps_new_marks = examined};
  if (tracker->last_found_pairs.count > 0 || tracker->found.count > 0) {
    cut_into_segments(&c);
  }
  tracker->last_found_pairs_are_valid = false;
  mo_tasks_run(&tracker->host, c.count, compare_segment, &c);
  uint32_t new_keys = 0, gone = 0;
  for (uint32_t i = 0; i < c.count; i++) {
    c.list_segments[i].first_begin = new_keys;
    new_keys += c.list_segments[i].diff.new_count;
    gone += c.list_segments[i].diff.gone_count;
  }
  if (!mo_pair_tracker_reserve_keys(tracker, begins, examined ? tracker->found.count : new_keys) ||
      !mo_pair_tracker_reserve_keys(tracker, ends,
                                    examined ? tracker->last_found_pairs.count : gone)) {
    return false;
  }
  mo_tasks_run(&tracker->host, c.count, collect_begins, &c);
  begins->count = new_keys;
  for (uint32_t i = 0; i < c.count; i++) {
    append_keys(ends, keys_from(&tracker->last_found_pairs, c.list_segments[i].last_begin),
                c.list_segments[i].diff.gone_count);
  }
  return true;
}

/* --- events --- */

/* Examines the pairs that are in both lists and of which a shape has changed. If a slot now has
 * another shape, its pair ends and begins. A refused pair is offered to the callback again. Other
 * pairs persist. */
static void examine_matches(mo_pair_tracker *tracker) {
  mo_pair_keys *found = &tracker->found, *begins = &tracker->begins;
  for (uint32_t i = 0; i < found->count; i++) {
    uint64_t key = found->keys[i];
    uint8_t pending = pending_changes_of(tracker, key);
    if (!pending || (key & MO_KEY_NEW)) {
      continue;
    }
    bool reborn = pending & MO_CHANGE_SLOT_REUSED, refused = key & MO_KEY_REFUSED;
    key &= ~MO_KEY_REFUSED;
    if (reborn || refused) {
      found->keys[i] = key | MO_KEY_NEW;
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

/* A range of keys, as a part of the sorted lists `begins` and `ends`. The keys that remain in a
 * list are moved to the beginning of the part; pairs that persist are written to `scratch`, from
 * the position `begin` on. */
typedef struct list_part {
  mo_pair_tracker *tracker;
  uint32_t begin, end; /* positions in `begins` and in `ends` where the part begins */
  uint32_t begin_count, end_count, persist_count;
} list_part;

/* A task: removes pairs that are in both `begins` and `ends`, and so persist, from a part of these
 * lists. */
static void remove_persisting_of_part(uint32_t part, void *context) {
  list_part *c = (list_part *)context + part;
  mo_pair_tracker *tracker = c->tracker;
  const uint32_t begins_end = c[1].begin, ends_end = c[1].end;
  uint64_t *begins = keys_from(&tracker->begins, c->begin);
  uint64_t *ends = keys_from(&tracker->ends, c->end);
  uint64_t *persists = keys_from(&tracker->scratch, c->begin);
  uint32_t i = 0, j = 0, begin_count = begins_end - c->begin, end_count = ends_end - c->end;
  while (i < begin_count || j < end_count) {
    uint64_t begin = i < begin_count ? begins[i] : UINT64_MAX;
    uint64_t end = j < end_count ? ends[j] : UINT64_MAX;
    uint8_t pending = begin == end ? pending_changes_of(tracker, begin) : 0;
    bool is_old_pair = begin == end && !(pending & MO_CHANGE_SLOT_REUSED);
    if (is_old_pair && pending && tracker->def.report_persists) {
      persists[c->persist_count++] = begin;
    }
    if (begin <= end) {
      begins[c->begin_count] = begin;
      c->begin_count += !is_old_pair;
      i++;
    }
    if (end <= begin) {
      ends[c->end_count] = end;
      c->end_count += !is_old_pair;
      j++;
    }
  }
}

static void remove_persisting(mo_pair_tracker *tracker) {
  mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends, *sorting = &tracker->scratch;
  list_part all[MO_MAX_UPDATE_PARTS + 1];
  uint32_t part_count = mo_pair_tracker_part_count(tracker, (uint64_t)begins->count + ends->count);
  for (uint32_t i = 0; i <= part_count; i++) {
    uint32_t begin = mo_part_begin(begins->count, i, part_count), end = ends->count;
    if (i == 0) {
      end = 0;
    } else if (begin < begins->count) {
      end = mo_keys_lower_bound(ends->keys, ends->count, begins->keys[begin]);
    }
    all[i] = (list_part){.tracker = tracker, .begin = begin, .end = end};
  }
  mo_tasks_run(&tracker->host, part_count, remove_persisting_of_part, all);
  begins->count = ends->count = 0;
  for (uint32_t i = 0; i < part_count; i++) {
    append_keys(begins, keys_from(begins, all[i].begin), all[i].begin_count);
    append_keys(ends, keys_from(ends, all[i].end), all[i].end_count);
    append_keys(&tracker->persists, keys_from(sorting, all[i].begin), all[i].persist_count);
  }
}

/* After a shift of the origin, pairs of which neither shape has changed must not end: moves such
 * pairs from `ends` to `found`, for which memory was reserved. */
static void keep_unchanged_pairs(mo_pair_tracker *tracker) {
  mo_pair_keys *ends = &tracker->ends, *found = &tracker->found;
  uint32_t ended = 0;
  for (uint32_t i = 0; i < ends->count; i++) {
    uint64_t key = ends->keys[i];
    if (pending_changes_of(tracker, key)) {
      ends->keys[ended++] = key;
    } else {
      found->keys[found->count++] = key;
    }
  }
  ends->count = ended;
}

/* Offers pairs that begin to the callback, and marks those that it refuses in `found`. Pairs of
 * which neither shape has changed, as may occur after a shift of the origin, are marked as refused
 * too. */
static void offer_begins(mo_pair_tracker *tracker) {
  /* `refused` has at least the capacity of `begins`. */
  mo_pair_keys *begins = &tracker->begins, *refused = &tracker->scratch;
  uint32_t accepted = 0;
  refused->count = 0;
  for (uint32_t i = 0; i < begins->count; i++) {
    uint64_t key = begins->keys[i];
    if (pending_changes_of(tracker, key) &&
        mo_pair_tracker_accepts(tracker, (uint32_t)(key >> 32), (uint32_t)key)) {
      begins->keys[accepted++] = key;
    } else {
      refused->keys[refused->count++] = key;
    }
  }
  begins->count = accepted;
  for (uint32_t i = 0; i < tracker->found.count && refused->count > 0; i++) {
    uint64_t key = tracker->found.keys[i] & ~MO_KEY_NEW;
    if (key != tracker->found.keys[i] && mo_keys_contain(refused->keys, refused->count, key)) {
      tracker->found.keys[i] |= MO_KEY_REFUSED;
    }
  }
}

bool mo_pair_tracker_compare_with_last(mo_pair_tracker *tracker) {
  mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends, *persists = &tracker->persists;
  mo_pair_keys *found = &tracker->found;
  bool examined = (tracker->log.pending_kinds & MO_CHANGE_SLOT_REUSED) ||
                  tracker->def.accept != NULL || tracker->origin_was_shifted ||
                  tracker->def.report_persists;
  begins->count = ends->count = persists->count = 0;
  if (!restore_last_found(tracker) ||
      (tracker->def.report_persists &&
       !mo_pair_tracker_reserve_keys(tracker, persists, found->count)) ||
      !compare_lists(tracker, examined)) {
    return false;
  }
  if (examined) {
    examine_matches(tracker);
  }
  if (!mo_pair_tracker_sort_keys(tracker, begins) || !mo_pair_tracker_sort_keys(tracker, ends)) {
    return false;
  }
  remove_persisting(tracker);
  if (tracker->origin_was_shifted) {
    if (!mo_pair_tracker_reserve_keys(tracker, found, ends->count)) {
      return false;
    }
    keep_unchanged_pairs(tracker);
  }
  if (tracker->def.accept != NULL || tracker->origin_was_shifted) {
    offer_begins(tracker);
  }
  for (uint32_t i = 0; examined && i < found->count; i++) {
    found->keys[i] &= ~MO_KEY_NEW;
  }
  return true;
}
