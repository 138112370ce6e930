/* Pair trackers: creation, destruction and updates.
 *
 * A tracker stores the set of pairs whose AABBs overlap, and updates it incrementally. An update
 * searches for the events (pairs that begin, end or persist; events.c) and applies them to the set
 * (edits.c). Every slot of the scene has a list of its partners in the set. An update that fails
 * leaves the set as it was and can be repeated. */
#include "pairs/tracker/tracker.h"

#include <string.h>

#include "base/key_sort.h"
#include "pairs/tracker/policy.h"
#include "scene/octree/octree.h"

mo_pair_tracker_def mo_default_pair_tracker_def(void) {
  return (mo_pair_tracker_def){.cookie = MO_COOKIE};
}

/* --- memory --- */

/* Callback of the scene's change log when the scene may get up to `slots` slots: reserves memory.
 */
static mo_result reserve_slots(mo_listener *log, uint32_t slots) {
  return mo_pair_set_reserve_slots(&((mo_pair_tracker *)log)->set, slots);
}

static void note_origin_shift(mo_listener *log, mo_vec3 by) {
  (void)by;
  ((mo_pair_tracker *)log)->origin_was_shifted = true;
}

static bool reserve_list(const mo_pair_tracker *tracker, mo_list *list, size_t size,
                         uint64_t extra) {
  const bool ok = mo_list_reserve(&tracker->host.allocator, list, size, extra) == MO_OK;
  mo_list_record_needed(list, ok ? list->count + extra : 0);
  return ok;
}

bool mo_pair_tracker_reserve_keys(const mo_pair_tracker *tracker, mo_pair_keys *list,
                                  uint64_t extra) {
  return reserve_list(tracker, &list->list, sizeof *list->keys, extra);
}

bool mo_pair_tracker_reserve_part_keys(mo_pair_tracker *tracker, mo_pair_keys *list,
                                       uint64_t extra) {
  if (list->capacity < MO_MIN_KEY_CAPACITY && extra < MO_MIN_KEY_CAPACITY) {
    extra = MO_MIN_KEY_CAPACITY;
  }
  return mo_pair_tracker_reserve_keys(tracker, list, extra);
}

bool mo_pair_tracker_sort_keys(mo_pair_tracker *tracker, mo_pair_keys *list) {
  tracker->scratch.count = 0;
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->scratch, list->count)) {
    return false;
  }
  mo_keys_sort_in_tasks(&tracker->host, list->keys, tracker->scratch.keys, list->count, 0);
  return true;
}

/* Frees the memory of a list: if `all`, or if it was hardly used since the last call. */
static void free_list(const mo_pair_tracker *tracker, mo_list *list, size_t size, bool all) {
  if (all || mo_workspace_is_oversized(list->capacity, size, list->needed)) {
    mo_list_trim(&tracker->host.allocator, list, size, 0);
  }
  list->needed = 0;
}

/* Frees workspace: all, or only buffers that were hardly used since the last call. */
static void free_workspace(mo_pair_tracker *tracker, bool all) {
  for (uint32_t i = 0; i < MO_PAIR_LIST_COUNT; i++) {
    free_list(tracker, &mo_pair_tracker_list_at(tracker, i)->list, sizeof(uint64_t), all);
  }
  tracker->last_found_pairs_are_valid &= tracker->last_found_pairs.capacity > 0;
  for (int i = 0; i < 2; i++) {
    free_list(tracker, &tracker->output[i].list, sizeof(mo_pair), all);
  }
  free_list(tracker, &tracker->many_partner_found.list, sizeof(uint8_t), all);
  if (all) {
    free_list(tracker, &tracker->changed_lanes.list, sizeof(uint8_t), true);
    free_list(tracker, &tracker->changed_blocks.list, sizeof(uint64_t), true);
  }
}

/* Callback of the scene's change log: frees memory that was hardly needed lately. */
static void trim_memory(mo_listener *log) {
  mo_pair_tracker *tracker = (mo_pair_tracker *)log;
  free_workspace(tracker, true);
  mo_pair_set_trim(&tracker->set, log->slot_capacity);
}

/* --- creation and destruction --- */

mo_result mo_pair_tracker_create(mo_scene *scene, const mo_pair_tracker_def *def,
                                 mo_pair_tracker **tracker) {
  if (scene == NULL || tracker == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "tracker");
  }
  if (def != NULL && def->cookie != MO_COOKIE) {
    mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
    return mo_refuse_def(&refusal, "", "mo_default_pair_tracker_def");
  }
  mo_pair_tracker *made = mo_allocate(&scene->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *made = (mo_pair_tracker){
      .log = {.kinds = MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED,
              .reserve = reserve_slots,
              .shift = note_origin_shift,
              .trim = trim_memory},
      .def = def != NULL ? *def : mo_default_pair_tracker_def(),
      .host = scene->host,
  };
  mo_pair_set_init(&made->set, &scene->host.allocator);
  mo_result result = mo_listener_register(&made->log, scene);
  if (result != MO_OK) {
    mo_pair_tracker_destroy(made);
    return result;
  }
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot)) {
      mo_listener_add(&made->log, slot, MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED);
    }
  }
  *tracker = made;
  return MO_OK;
}

void mo_pair_tracker_destroy(mo_pair_tracker *tracker) {
  if (tracker == NULL) {
    return;
  }
  const mo_allocator allocator = tracker->host.allocator;
  mo_listener_unregister(&tracker->log, &allocator);
  mo_pair_set_destroy(&tracker->set);
  free_workspace(tracker, true);
  mo_deallocate(&allocator, tracker, 1, sizeof *tracker);
}

/* --- an update --- */

/* Stores the keys that are in both `ends` and `begins` in `ended_and_begun`: few or none, of slots
 * that now have another shape. The loop does not branch on which of two keys is lower, as that
 * branch would be unpredictable. Returns false when out of memory. */
static bool find_ended_and_begun(mo_pair_tracker *tracker) {
  const mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends;
  uint32_t max = begins->count < ends->count ? begins->count : ends->count;
  tracker->ended_and_begun.count = 0;
  if (!(tracker->log.pending_kinds & MO_CHANGE_SLOT_REUSED)) {
    return true;
  }
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->ended_and_begun, max)) {
    return false;
  }
  uint32_t count = 0;
  for (uint32_t i = 0, j = 0; i < begins->count && j < ends->count;) {
    uint64_t begin = begins->keys[i], end = ends->keys[j];
    tracker->ended_and_begun.keys[count] = begin;
    count += begin == end;
    i += begin <= end;
    j += end <= begin;
  }
  tracker->ended_and_begun.count = count;
  return true;
}

/* The part of an update that can fail: reserves all memory that the rest of the update needs, and
 * changes the short lists of the set. */
static mo_result prepare_edits(mo_pair_tracker *tracker, uint32_t part_count) {
  if (!mo_pair_tracker_sort_keys(tracker, &tracker->persists) || !find_ended_and_begun(tracker) ||
      !reserve_list(tracker, &tracker->output[0].list, sizeof(mo_pair),
                    (uint64_t)tracker->begins.count + tracker->ends.count) ||
      !reserve_list(tracker, &tracker->output[1].list, sizeof(mo_pair), tracker->persists.count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  return mo_pair_tracker_begin_edits(tracker, part_count);
}

/* The context of tasks that write pairs as shape ids, for the caller. */
typedef struct output_writing {
  const mo_pair_tracker *tracker;
  const mo_pair_keys *keys;
  mo_pair *to;
  uint32_t part_count;
} output_writing;

static void write_part(uint32_t part, void *context) {
  const output_writing *w = context;
  uint32_t i = mo_part_begin(w->keys->count, part, w->part_count);
  uint32_t end = mo_part_begin(w->keys->count, part + 1, w->part_count);
  for (; i < end; i++) {
    uint64_t key = w->keys->keys[i];
    w->to[i] = (mo_pair){mo_pair_tracker_id_of(w->tracker, (uint32_t)(key >> 32)),
                         mo_pair_tracker_id_of(w->tracker, (uint32_t)key)};
  }
}

/* Writes a list of pairs; returns the array of pairs, or null if there are none. */
static const mo_pair *write_output(const mo_pair_tracker *tracker, mo_pair_tracker_output *output,
                                   uint32_t first, const mo_pair_keys *list) {
  if (list->count == 0) {
    return NULL;
  }
  output_writing w = {tracker, list, output->pairs + first,
                      mo_pair_tracker_part_count(tracker, list->count)};
  mo_tasks_run(&tracker->host, w.part_count, write_part, &w);
  return w.to;
}

/* Clears the change log, and stores the current generation of each slot that was freed or reused as
 * the tag of its list of partners. */
static void clear_changes(mo_pair_tracker *tracker) {
  const mo_listener *log = &tracker->log;
  for (uint32_t i = 0; (log->pending_kinds & MO_CHANGE_SLOT_REUSED) && i < log->count; i++) {
    uint32_t slot = log->changed[i];
    if (log->pending[slot] & MO_CHANGE_SLOT_REUSED) {
      bool alive = mo_pair_tracker_is_alive_now(tracker, slot);
      tracker->set.lists[slot].tag = alive ? log->scene->generations[slot] : 0;
    }
  }
  mo_listener_clear(&tracker->log);
}

static mo_pair_search_method choose_method(const mo_pair_tracker *tracker) {
  const uint64_t shapes = tracker->log.scene->shape_count;
  if ((uint64_t)tracker->log.count * MO_WHOLE_SEARCH_DIVISOR < shapes) {
    return MO_SEARCH_CHANGED_SHAPES;
  }
  return tracker->pair_count > MO_MAX_LISTED_PAIRS_PER_SHAPE * shapes ? MO_SEARCH_TREE_AND_MARK
                                                                      : MO_SEARCH_TREE_AND_COMPARE;
}

mo_result mo_pair_tracker_update(mo_pair_tracker *tracker, mo_pair_events *events) {
  if (tracker == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (tracker->log.scene == NULL) {
    mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (tracker->search_count % MO_UPDATES_PER_TRIM == 0) {
    free_workspace(tracker, false);
    mo_pair_set_trim_sparse_arenas(&tracker->set);
  }
  const mo_pair_search_method method = choose_method(tracker);
  if (!mo_pair_tracker_find_events(tracker, method)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  const mo_pair_keys *begins = &tracker->begins, *ends = &tracker->ends;
  const uint32_t part_count =
      mo_pair_tracker_part_count(tracker, (uint64_t)begins->count + ends->count);
  mo_result result = prepare_edits(tracker, part_count);
  if (result != MO_OK) {
    return result;
  }
  mo_pair_tracker_end_edits(tracker, part_count);
  tracker->pair_count += begins->count;
  tracker->pair_count -= ends->count;
  mo_pair_events made = {.begin_count = begins->count,
                         .end_count = ends->count,
                         .persist_count = tracker->persists.count};
  made.ends = write_output(tracker, &tracker->output[0], begins->count, ends);
  clear_changes(tracker);
  made.begins = write_output(tracker, &tracker->output[0], 0, begins);
  made.persists = write_output(tracker, &tracker->output[1], 0, &tracker->persists);
  tracker->last_found_pairs_are_valid = method == MO_SEARCH_TREE_AND_COMPARE;
  if (method == MO_SEARCH_TREE_AND_COMPARE) { /* the next such search is compared with this one */
    mo_pair_keys last = tracker->last_found_pairs;
    tracker->last_found_pairs = tracker->found;
    tracker->found = last;
  }
  if (events != NULL) {
    *events = made;
  }
  return MO_OK;
}
