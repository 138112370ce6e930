/* Pair trackers: creation, destruction and updates.
 *
 * A tracker keeps the set of pairs whose AABBs overlap from update to update. An update searches
 * for the events (pairs that begin, end or persist) and applies them to the set. Every slot of the
 * scene has a list of its partners in the set. Short lists are changed pair by pair; changes of
 * long lists are collected, sorted and merged in one pass per list.
 *
 * An update reserves all memory before it changes long lists, and undoes the changes of short lists
 * if there is none. So a failed update leaves the set as it was and can be repeated. */
#include "scene/pairs/tracker.h"

#include <string.h>

#include "base/key_sort.h"
#include "scene/octree/octree.h"
#include "scene/pairs/diff.h"
#include "scene/pairs/policy.h"

mo_pair_tracker_def mo_default_pair_tracker_def(void) {
  return (mo_pair_tracker_def){.cookie = MO_COOKIE};
}

/* --- memory --- */

/* Called by the change log when the scene may have up to `slots` slots. */
static mo_result reserve_slots(mo_changes *log, uint32_t slots) {
  return mo_pair_set_reserve_slots(&((mo_pair_tracker *)log)->set, slots);
}

static void note_shift(mo_changes *log, mo_vec3 by) {
  (void)by;
  ((mo_pair_tracker *)log)->shifted = true;
}

static inline uint32_t greater(uint32_t a, uint64_t b) {
  return a > b ? a : (uint32_t)b;
}

bool mo_pair_tracker_reserve_keys(mo_pair_tracker *tracker, mo_pair_keys *list, uint64_t extra) {
  if (list->count + extra <= list->capacity) {
    list->needed = greater(list->needed, list->count + extra);
    return true;
  }
  void *keys = list->keys;
  bool ok = mo_array_reserve(&tracker->host.allocator, &keys, sizeof *list->keys, list->count,
                             &list->capacity, extra);
  list->keys = keys;
  list->needed = ok ? greater(list->needed, list->count + extra) : list->needed;
  return ok;
}

bool mo_pair_tracker_sort_keys(mo_pair_tracker *tracker, mo_pair_keys *list) {
  tracker->sorting.count = 0;
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->sorting, list->count)) {
    return false;
  }
  mo_keys_sort(list->keys, tracker->sorting.keys, list->count);
  return true;
}

static bool reserve_output(mo_pair_tracker *tracker, mo_pair_tracker_output *output,
                           uint32_t count) {
  void *items = output->pairs;
  output->count = 0;
  bool ok = mo_array_reserve(&tracker->host.allocator, &items, sizeof *output->pairs, 0,
                             &output->capacity, count);
  output->pairs = items;
  output->needed = greater(output->needed, count);
  return ok;
}

static bool reserve_merging(mo_pair_tracker *tracker, uint32_t count) {
  void *merging = tracker->merging;
  bool ok = mo_array_reserve(&tracker->host.allocator, &merging, sizeof *tracker->merging, 0,
                             &tracker->merging_capacity, count);
  tracker->merging = merging;
  tracker->merging_needed = greater(tracker->merging_needed, count);
  return ok;
}

static void free_keys(mo_pair_tracker *tracker, mo_pair_keys *list) {
  mo_deallocate(&tracker->host.allocator, list->keys, list->capacity, sizeof *list->keys);
  *list = (mo_pair_keys){.keys = NULL};
}

/* Gives back workspace: all of it, or what was hardly needed since the last time. */
static void free_workspace(mo_pair_tracker *tracker, bool all) {
  const mo_allocator *allocator = &tracker->host.allocator;
  for (uint32_t i = 0; i < MO_PAIR_LISTS; i++) {
    mo_pair_keys *list = mo_pair_tracker_list(tracker, i);
    if (all || mo_is_spare(list->capacity, sizeof *list->keys, list->needed)) {
      tracker->last_is_set &= list != &tracker->last;
      free_keys(tracker, list);
    }
    list->needed = 0;
  }
  for (int i = 0; i < 3; i++) {
    mo_pair_tracker_output *output = &tracker->output[i];
    if (all || mo_is_spare(output->capacity, sizeof *output->pairs, output->needed)) {
      mo_deallocate(allocator, output->pairs, output->capacity, sizeof *output->pairs);
      *output = (mo_pair_tracker_output){.pairs = NULL};
    }
    output->needed = 0;
  }
  if (all ||
      mo_is_spare(tracker->merging_capacity, sizeof *tracker->merging, tracker->merging_needed)) {
    mo_deallocate(allocator, tracker->merging, tracker->merging_capacity, sizeof *tracker->merging);
    tracker->merging = NULL;
    tracker->merging_capacity = 0;
  }
  tracker->merging_needed = 0;
  if (all || mo_is_spare(tracker->busy_capacity, 1, tracker->busy_needed)) {
    mo_deallocate(allocator, tracker->busy.found, tracker->busy_capacity, 1);
    tracker->busy.found = NULL;
    tracker->busy_capacity = 0;
  }
  tracker->busy_needed = 0;
  if (all) {
    mo_deallocate(allocator, tracker->lanes, tracker->lane_capacity, sizeof *tracker->lanes);
    mo_deallocate(allocator, tracker->touched, tracker->lane_capacity / 64,
                  sizeof *tracker->touched);
    tracker->lanes = NULL;
    tracker->touched = NULL;
    tracker->lane_capacity = 0;
  }
}

/* The change log's `trim`. */
static void trim(mo_changes *log) {
  mo_pair_tracker *tracker = (mo_pair_tracker *)log;
  free_workspace(tracker, true);
  mo_pair_set_trim(&tracker->set, log->slot_capacity);
}

/* --- creation and destruction --- */

mo_result mo_pair_tracker_create(mo_scene *scene, const mo_pair_tracker_def *def,
                                 mo_pair_tracker **tracker) {
  if (!scene || !tracker) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "tracker");
  }
  if (def && def->cookie != MO_COOKIE) {
    mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
    return mo_refuse_def(&refusal, "", "mo_default_pair_tracker_def");
  }
  mo_pair_tracker *made = mo_allocate(&scene->host.allocator, 1, sizeof *made);
  if (!made) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *made = (mo_pair_tracker){
      .log = {.kinds = MO_CHANGE_BOUNDS | MO_CHANGE_REBORN,
              .reserve = reserve_slots,
              .shift = note_shift,
              .trim = trim},
      .def = def ? *def : mo_default_pair_tracker_def(),
      .host = scene->host,
  };
  mo_pair_set_init(&made->set, &scene->host.allocator);
  mo_result result = mo_changes_begin(&made->log, scene);
  if (result != MO_OK) {
    mo_pair_tracker_destroy(made);
    return result;
  }
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot)) {
      mo_changes_add(&made->log, slot, MO_CHANGE_BOUNDS | MO_CHANGE_REBORN);
    }
  }
  *tracker = made;
  return MO_OK;
}

void mo_pair_tracker_destroy(mo_pair_tracker *tracker) {
  if (!tracker) {
    return;
  }
  const mo_allocator allocator = tracker->host.allocator;
  mo_changes_end(&tracker->log, &allocator);
  mo_pair_set_destroy(&tracker->set);
  free_workspace(tracker, true);
  mo_deallocate(&allocator, tracker, 1, sizeof *tracker);
}

/* --- an update --- */

/* An iterator over the keys of a sorted list that are not in another sorted list.
 *
 * A key names two slots. If a shape is removed and its slot reused, the same key can both end (the
 * pair with the old shape) and begin (with the new one). Such keys are in `both`: their entries in
 * the set stay as they are. */
typedef struct key_difference {
  const mo_pair_keys *keys, *others;
  uint32_t next, other; /* the next positions in the two lists */
} key_difference;

static key_difference only_begins(const mo_pair_tracker *tracker) {
  return (key_difference){&tracker->begins, &tracker->both, 0, 0};
}

static key_difference only_ends(const mo_pair_tracker *tracker) {
  return (key_difference){&tracker->ends, &tracker->both, 0, 0};
}

/* Stores the keys that both end and begin in `both`: few or none. The merge has no branch on which
 * of two keys is lower, as that branch would be unpredictable. False if out of memory. */
static bool find_both(mo_pair_tracker *tracker) {
  const mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends;
  uint32_t most = begins->count < ends->count ? begins->count : ends->count;
  tracker->both.count = 0;
  if (!(tracker->log.any & MO_CHANGE_REBORN)) {
    return true;
  }
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->both, most)) {
    return false;
  }
  uint32_t count = 0;
  for (uint32_t i = 0, j = 0; i < begins->count && j < ends->count;) {
    uint64_t begin = begins->keys[i], end = ends->keys[j];
    tracker->both.keys[count] = begin;
    count += begin == end;
    i += begin <= end;
    j += end <= begin;
  }
  tracker->both.count = count;
  return true;
}

/* Returns the next key of the difference; false at the end. */
static bool next_key(key_difference *o, uint64_t *key) {
  while (o->next < o->keys->count) {
    *key = o->keys->keys[o->next++];
    while (o->other < o->others->count && o->others->keys[o->other] < *key) {
      o->other++;
    }
    if (o->other == o->others->count || o->others->keys[o->other] != *key) {
      return true;
    }
  }
  return false;
}

/* Prefetches the two lists of partners that the pair MO_PARTNERS_AHEAD keys later belongs to. */
MO_INLINE void prefetch_partners(const mo_pair_tracker *tracker, const key_difference *o) {
  if (o->next + MO_PARTNERS_AHEAD < o->keys->count) {
    uint64_t key = o->keys->keys[o->next + MO_PARTNERS_AHEAD];
    mo_prefetch(&tracker->set.lists[key >> 32], 1);
    mo_prefetch(&tracker->set.lists[(uint32_t)key], 1);
  }
}

/* Collects a change of a list that is too long to be edited for a single partner. */
static void change_later(mo_pair_tracker *tracker, uint32_t slot, uint32_t partner, bool add) {
  tracker->changes.keys[tracker->changes.count++] = mo_partner_change(slot, partner, add);
}

/* Removes a partner from a slot's list, now or later. Lists that may shrink go to `wide`. */
static void take_partner(mo_pair_tracker *tracker, uint32_t slot, uint32_t partner) {
  if (!mo_partners_are_few(&tracker->set, slot)) {
    change_later(tracker, slot, partner, false);
  } else if (mo_pair_set_take(&tracker->set, slot, partner)) {
    tracker->wide.keys[tracker->wide.count++] = slot;
  }
}

/* Removes pairs that end from short lists, and collects the changes of long ones. */
static void take_ends(mo_pair_tracker *tracker) {
  key_difference ends = only_ends(tracker);
  for (uint64_t key; next_key(&ends, &key);) {
    prefetch_partners(tracker, &ends);
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    take_partner(tracker, a, b);
    take_partner(tracker, b, a);
  }
}

static mo_result add_partner(mo_pair_tracker *tracker, uint32_t slot, uint32_t partner) {
  if (mo_partners_are_few(&tracker->set, slot)) {
    return mo_pair_set_add(&tracker->set, slot, partner);
  }
  change_later(tracker, slot, partner, true);
  return MO_OK;
}

/* Adds pairs that begin to short lists, and collects the changes of long ones. */
static mo_result add_begins(mo_pair_tracker *tracker) {
  key_difference begins = only_begins(tracker);
  mo_result result = MO_OK;
  for (uint64_t key; result == MO_OK && next_key(&begins, &key);) {
    prefetch_partners(tracker, &begins);
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    result = add_partner(tracker, a, b);
    result = result == MO_OK ? add_partner(tracker, b, a) : result;
  }
  return result;
}

/* Undoes the changes of short lists: removes the partners that were added, then adds those that
 * were removed. The lists have had capacity for these before, so no memory is needed. */
static void undo_changes(mo_pair_tracker *tracker) {
  key_difference begins = only_begins(tracker), ends = only_ends(tracker);
  for (uint64_t key; next_key(&begins, &key);) {
    uint32_t pair[] = {(uint32_t)(key >> 32), (uint32_t)key};
    for (int i = 0; i < 2; i++) {
      if (mo_partners_find(&tracker->set, pair[i], pair[1 - i])) {
        mo_pair_set_take(&tracker->set, pair[i], pair[1 - i]);
      }
    }
  }
  for (uint64_t key; next_key(&ends, &key);) {
    uint32_t pair[] = {(uint32_t)(key >> 32), (uint32_t)key};
    for (int i = 0; i < 2; i++) {
      if (!mo_partners_find(&tracker->set, pair[i], pair[1 - i])) {
        mo_pair_set_add(&tracker->set, pair[i], pair[1 - i]);
      }
    }
  }
}

/* Sorts the collected changes of long lists, and reserves the memory to apply them. */
static mo_result reserve_changes(mo_pair_tracker *tracker) {
  if (!mo_pair_tracker_sort_keys(tracker, &tracker->changes)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  const uint64_t *changes = tracker->changes.keys;
  uint32_t count = tracker->changes.count;
  if (!reserve_merging(tracker, mo_pair_set_longest(&tracker->set, changes, count))) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  return mo_pair_set_reserve(&tracker->set, changes, count);
}

/* The part of an update that can fail: reserves all memory that the rest needs, and changes the
 * short lists of the set. */
static mo_result prepare(mo_pair_tracker *tracker) {
  uint64_t events = (uint64_t)tracker->begins.count + tracker->ends.count;
  tracker->changes.count = tracker->wide.count = 0;
  if (!mo_pair_tracker_sort_keys(tracker, &tracker->persists) || !find_both(tracker) ||
      !mo_pair_tracker_reserve_keys(tracker, &tracker->changes, 2 * events) ||
      !mo_pair_tracker_reserve_keys(tracker, &tracker->wide, 2 * (uint64_t)tracker->ends.count) ||
      !reserve_output(tracker, &tracker->output[0], tracker->begins.count) ||
      !reserve_output(tracker, &tracker->output[1], tracker->ends.count) ||
      !reserve_output(tracker, &tracker->output[2], tracker->persists.count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  take_ends(tracker);
  mo_result result = add_begins(tracker);
  if (result != MO_OK || (result = reserve_changes(tracker)) != MO_OK) {
    undo_changes(tracker);
  }
  return result;
}

/* Applies the collected changes to the long lists, and moves lists that have become much shorter
 * than their memory to smaller chunks. */
static void finish_set(mo_pair_tracker *tracker) {
  mo_pair_set_apply(&tracker->set, tracker->changes.keys, tracker->changes.count, tracker->merging);
  for (uint32_t i = 0; i < tracker->wide.count; i++) {
    mo_pair_set_shrink(&tracker->set, (uint32_t)tracker->wide.keys[i]);
  }
  tracker->count += tracker->begins.count;
  tracker->count -= tracker->ends.count;
}

/* Writes the pairs of a list as the shape ids that the caller receives. */
static void write_output(const mo_pair_tracker *tracker, mo_pair_tracker_output *output,
                         const mo_pair_keys *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    output->pairs[i] = (mo_pair){mo_pair_tracker_id_of(tracker, (uint32_t)(list->keys[i] >> 32)),
                                 mo_pair_tracker_id_of(tracker, (uint32_t)list->keys[i])};
  }
  output->count = list->count;
}

/* Clears the change log, and stores the current generation of each slot that was freed or reused as
 * the tag of its list of partners. */
static void forget_changes(mo_pair_tracker *tracker) {
  const mo_changes *log = &tracker->log;
  for (uint32_t i = 0; (log->any & MO_CHANGE_REBORN) && i < log->count; i++) {
    uint32_t slot = log->changed[i];
    if (log->pending[slot] & MO_CHANGE_REBORN) {
      bool alive = mo_pair_tracker_is_alive_now(tracker, slot);
      tracker->set.lists[slot].tag = alive ? log->scene->generations[slot] : 0;
    }
  }
  mo_changes_clear(&tracker->log);
}

/* After an update: stores the keys that a search of the whole tree has found, as the next such
 * search is compared with them. */
static void keep_last(mo_pair_tracker *tracker, mo_pair_method method) {
  tracker->last_is_set = method == MO_METHOD_LISTS;
  if (method != MO_METHOD_LISTS) {
    return;
  }
  for (uint32_t i = 0; i < tracker->found.count; i++) {
    tracker->found.keys[i] &= ~MO_KEY_CAME;
  }
  mo_pair_keys last = tracker->last;
  tracker->last = tracker->found;
  tracker->found = last;
}

static mo_pair_method choose_method(const mo_pair_tracker *tracker) {
  const uint64_t shapes = tracker->log.scene->shape_count;
  if ((uint64_t)tracker->log.count * MO_WHOLE_SHARE < shapes) {
    return MO_METHOD_GROUPS;
  }
  return tracker->count > MO_MARKED_PAIRS * shapes ? MO_METHOD_MARKS : MO_METHOD_LISTS;
}

mo_result mo_pair_tracker_update(mo_pair_tracker *tracker, mo_pair_events *events) {
  if (!tracker) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!tracker->log.scene) {
    mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (tracker->searches % MO_PAIR_TRIM_PERIOD == 0) {
    free_workspace(tracker, false);
    mo_pair_set_trim_spare(&tracker->set);
  }
  const mo_pair_method method = choose_method(tracker);
  mo_result result =
      mo_pair_tracker_find_events(tracker, method) ? prepare(tracker) : MO_ERROR_OUT_OF_MEMORY;
  if (result != MO_OK) {
    return result;
  }
  finish_set(tracker);
  write_output(tracker, &tracker->output[1], &tracker->ends);
  forget_changes(tracker);
  write_output(tracker, &tracker->output[0], &tracker->begins);
  write_output(tracker, &tracker->output[2], &tracker->persists);
  keep_last(tracker, method);
  if (events) {
    *events = (mo_pair_events){
        .begins = tracker->output[0].pairs,
        .begin_count = tracker->output[0].count,
        .ends = tracker->output[1].pairs,
        .end_count = tracker->output[1].count,
        .persists = tracker->output[2].pairs,
        .persist_count = tracker->output[2].count,
    };
  }
  return MO_OK;
}
