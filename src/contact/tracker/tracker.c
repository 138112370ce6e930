/* Contact trackers: creation, destruction, updates and reading. */
#include "contact/tracker/tracker.h"

#include <string.h>

#include "base/tasks.h"
#include "math/check.h"

mo_contact_tracker_def mo_default_contact_tracker_def(void) {
  return (mo_contact_tracker_def){.speculative_distance = 0.02f,
                                  .match_distance = 0.01f,
                                  .material = {.friction = 0.5f},
                                  .cookie = MO_COOKIE};
}

/* --- giving back memory --- */

/* Gives back a list of contacts, or what its items do not need, if few were lately; or in any case.
 */
static void trim_contacts(mo_contact_tracker *tracker, mo_contact_list *list, uint32_t kept,
                          bool all) {
  if (all || mo_is_spare(list->capacity, sizeof *list->items, list->needed)) {
    void *items = list->items;
    mo_array_trim(&tracker->host.allocator, &items, sizeof *list->items, kept, &list->capacity);
    list->items = items;
    list->count = kept;
  }
  list->needed = kept;
}

static void trim_pairs(mo_contact_tracker *tracker, mo_touch_list *list, bool all) {
  if (all || mo_is_spare(list->capacity, sizeof *list->items, list->needed)) {
    mo_deallocate(&tracker->host.allocator, list->items, list->capacity, sizeof *list->items);
    *list = (mo_touch_list){.items = NULL};
  }
  list->needed = 0;
}

/* Gives back workspace: all of it, or what was hardly needed since the last time. */
static void free_workspace(mo_contact_tracker *tracker, bool all) {
  for (int i = 0; i < MO_CONTACT_PARTS; i++) {
    mo_contact_part *part = &tracker->parts[i];
    trim_contacts(tracker, &part->contacts, 0, all);
    trim_pairs(tracker, &part->begins, all);
    trim_pairs(tracker, &part->ends, all);
    if (all) {
      const mo_allocator *allocator = &tracker->host.allocator;
      mo_deallocate(allocator, part->found, part->found_capacity, sizeof *part->found);
      mo_deallocate(allocator, part->claimed, part->claimed_capacity, sizeof *part->claimed);
      part->found = NULL;
      part->claimed = NULL;
      part->found_capacity = part->claimed_capacity = 0;
    }
  }
  trim_contacts(tracker, &tracker->next, 0, all);
  trim_contacts(tracker, &tracker->now, tracker->now.count, all);
  trim_pairs(tracker, &tracker->pairs, all);
  trim_pairs(tracker, &tracker->begins, all);
  trim_pairs(tracker, &tracker->ends, all);
}

/* The change log's `trim`. */
static void trim(mo_changes *log) {
  mo_contact_tracker *tracker = (mo_contact_tracker *)log;
  free_workspace(tracker, true);
  mo_island_memory_destroy(&tracker->host.allocator, &tracker->islands);
}

/* --- creation and destruction --- */

static mo_result check_def(const mo_contact_tracker_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_contact_tracker_def");
  if (result == MO_OK) {
    result = mo_check_size(def->speculative_distance, MO_MAX_COORDINATE, refusal,
                           ".speculative_distance");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->match_distance, MO_MAX_COORDINATE, refusal, ".match_distance");
  }
  return result;
}

/* After a shift of the scene: positions of points in the world follow the first shape, so that they
 * do not drift; where that has moved besides, they move by the shift. All else is relative. */
static void shift_positions(mo_changes *log, mo_vec3 by) {
  mo_contact_tracker *tracker = (mo_contact_tracker *)log;
  for (uint32_t i = 0; i < tracker->now.count; i++) {
    mo_contact *contact = &tracker->now.items[i].contact;
    uint32_t slot = contact->a.index;
    const mo_vec3 *origin =
        log->pending[slot] ? NULL : &log->scene->shapes[slot].affine.to_world.origin;
    for (uint32_t k = 0; k < contact->manifold.point_count; k++) {
      mo_manifold_point *p = &contact->manifold.points[k];
      p->position = origin != NULL ? mo_add(*origin, p->anchor_a) : mo_add(p->position, by);
    }
  }
}

/* Listens to the changes of the scene, of which each shape is one. */
static mo_result listen(mo_contact_tracker *tracker, mo_scene *scene) {
  mo_pair_tracker_def pairs = mo_default_pair_tracker_def();
  pairs.accept = tracker->def.accept;
  pairs.context = tracker->def.context;
  mo_result result = mo_pair_tracker_create(scene, &pairs, &tracker->pair_tracker);
  if (result == MO_OK) {
    result = mo_changes_begin(&tracker->log, scene);
  }
  for (uint32_t slot = 0; result == MO_OK && slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot)) {
      mo_changes_add(&tracker->log, slot, MO_CHANGE_BOUNDS | MO_CHANGE_REBORN);
    }
  }
  return result;
}

mo_result mo_contact_tracker_create(mo_scene *scene, const mo_contact_tracker_def *def,
                                    mo_contact_tracker **tracker) {
  if (scene == NULL || tracker == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "tracker");
  }
  const mo_contact_tracker_def used = def != NULL ? *def : mo_default_contact_tracker_def();
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_result result = check_def(&used, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_contact_tracker *made = mo_allocate(&scene->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(made, 0, sizeof *made);
  made->log.kinds = MO_CHANGE_BOUNDS | MO_CHANGE_REBORN | MO_CHANGE_INSIDE_BOUNDS;
  made->log.shift = shift_positions;
  made->log.trim = trim;
  made->host = scene->host;
  made->def = used;
  result = listen(made, scene);
  if (result != MO_OK) {
    mo_contact_tracker_destroy(made);
    return result;
  }
  *tracker = made;
  return MO_OK;
}

void mo_contact_tracker_destroy(mo_contact_tracker *tracker) {
  if (tracker == NULL) {
    return;
  }
  const mo_allocator allocator = tracker->host.allocator;
  mo_changes_end(&tracker->log, &allocator);
  mo_pair_tracker_destroy(tracker->pair_tracker);
  mo_island_memory_destroy(&allocator, &tracker->islands);
  tracker->now.count = 0;
  free_workspace(tracker, true);
  mo_deallocate(&allocator, tracker, 1, sizeof *tracker);
}

/* --- an update --- */

uint32_t mo_first_contact_from(const mo_contact_list *contacts, uint64_t key) {
  uint32_t lower = 0, upper = contacts->count;
  while (lower < upper) {
    uint32_t middle = lower + (upper - lower) / 2;
    const mo_contact *c = &contacts->items[middle].contact;
    if (mo_pair_key(c->a, c->b) < key) {
      lower = middle + 1;
    } else {
      upper = middle;
    }
  }
  return lower;
}

/* Capacity for so many items in a list whose items are not needed any more. */
static mo_result reserve(const mo_contact_tracker *tracker, void **items, size_t size,
                         uint32_t *capacity, uint64_t count) {
  if (count > MO_MAX_ITEMS) {
    return MO_ERROR_TOO_MANY;
  }
  bool ok = mo_array_reserve(&tracker->host.allocator, items, size, 0, capacity, count);
  return ok ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}

static mo_result reserve_touches(const mo_contact_tracker *tracker, mo_touch_list *list,
                                 uint64_t count) {
  void *items = list->items;
  mo_result result = reserve(tracker, &items, sizeof *list->items, &list->capacity, count);
  list->items = items;
  return result;
}

static mo_result reserve_contacts(const mo_contact_tracker *tracker, mo_contact_list *list,
                                  uint64_t count) {
  void *items = list->items;
  mo_result result = reserve(tracker, &items, sizeof *list->items, &list->capacity, count);
  list->items = items;
  return result;
}

/* The pairs of the scene as it is now. */
static mo_result read_pairs(mo_contact_tracker *tracker) {
  mo_result result = mo_pair_tracker_update(tracker->pair_tracker, NULL);
  if (result == MO_OK) {
    result = reserve_touches(tracker, &tracker->pairs,
                             mo_pair_tracker_pair_count(tracker->pair_tracker));
  }
  if (result == MO_OK) {
    result = mo_pair_tracker_get_pairs(tracker->pair_tracker, tracker->pairs.items,
                                       tracker->pairs.capacity, &tracker->pairs.count);
  }
  return result;
}

/* Cuts the pairs, and the contacts that there were, into parts. */
static void make_parts(mo_contact_tracker *tracker) {
  uint32_t pairs = tracker->pairs.count, count = pairs / MO_CONTACT_PART_PAIRS;
  count = count < 1 ? 1 : count > MO_CONTACT_PARTS ? MO_CONTACT_PARTS : count;
  tracker->part_count = count;
  for (uint32_t i = 0; i < count; i++) {
    mo_contact_part *part = &tracker->parts[i];
    part->first_pair = (uint32_t)((uint64_t)pairs * i / count);
    part->pair_end = (uint32_t)((uint64_t)pairs * (i + 1) / count);
    part->first_old = 0;
    part->old_end = tracker->now.count;
    if (i > 0) {
      const mo_pair *first = &tracker->pairs.items[part->first_pair];
      part->first_old = mo_first_contact_from(&tracker->now, mo_pair_key(first->a, first->b));
      part[-1].old_end = part->first_old;
    }
  }
}

/* Memory for what all parts have found. */
static mo_result reserve_results(mo_contact_tracker *tracker) {
  uint64_t contacts = 0, begins = 0, ends = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    const mo_contact_part *part = &tracker->parts[i];
    if (part->result == MO_ERROR_INVALID_ARGUMENT) {
      mo_refusal refusal = mo_refusal_of(&tracker->host, "mo_contact_tracker_update", "modify");
      return mo_refuse(&refusal, part->result, " has added points, or changed which contact it is");
    }
    if (part->result != MO_OK) {
      return part->result;
    }
    contacts += part->contacts.count;
    begins += part->begins.count;
    ends += part->ends.count;
  }
  mo_result result = reserve_contacts(tracker, &tracker->next, contacts);
  if (result == MO_OK) {
    result = reserve_touches(tracker, &tracker->begins, begins);
  }
  return result == MO_OK ? reserve_touches(tracker, &tracker->ends, ends) : result;
}

static void note_need(uint32_t *needed, uint32_t count) {
  *needed = *needed > count ? *needed : count;
}

/* Notes how much of each list an update has needed. */
static void note_needs(mo_contact_tracker *tracker) {
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    mo_contact_part *part = &tracker->parts[i];
    note_need(&part->contacts.needed, part->contacts.count);
    note_need(&part->begins.needed, part->begins.count);
    note_need(&part->ends.needed, part->ends.count);
  }
  note_need(&tracker->now.needed, tracker->now.count);
  note_need(&tracker->next.needed, tracker->now.count);
  note_need(&tracker->pairs.needed, tracker->pairs.count);
  note_need(&tracker->begins.needed, tracker->begins.count);
  note_need(&tracker->ends.needed, tracker->ends.count);
}

static void append_touches(mo_touch_list *list, const mo_touch_list *more) {
  if (more->count > 0) {
    memcpy(list->items + list->count, more->items, more->count * sizeof *list->items);
    list->count += more->count;
  }
}

/* A task: copies the contacts of a part to their place. */
static void copy_part(uint32_t index, void *context) {
  const mo_contact_tracker *tracker = context;
  const mo_contact_part *part = &tracker->parts[index];
  if (part->contacts.count > 0) {
    memcpy(tracker->next.items + part->start, part->contacts.items,
           part->contacts.count * sizeof *part->contacts.items);
  }
}

/* Puts the parts together. There is memory. */
static void join_parts(mo_contact_tracker *tracker) {
  tracker->begins.count = tracker->ends.count = tracker->next.count = tracker->worked_out = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    mo_contact_part *part = &tracker->parts[i];
    append_touches(&tracker->begins, &part->begins);
    append_touches(&tracker->ends, &part->ends);
    tracker->worked_out += part->worked_out;
    part->start = tracker->next.count;
    tracker->next.count += part->contacts.count;
  }
  mo_tasks_run(&tracker->host, tracker->part_count, copy_part, tracker);
  mo_contact_list old = tracker->now;
  tracker->now = tracker->next;
  tracker->next = old;
}

mo_result mo_contact_tracker_update(mo_contact_tracker *tracker, mo_contact_events *events) {
  if (tracker == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (tracker->log.scene == NULL) {
    mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (tracker->update_count % MO_CONTACT_TRIM_PERIOD == 0) {
    free_workspace(tracker, false);
  }
  mo_result result = read_pairs(tracker);
  if (result == MO_OK) {
    make_parts(tracker);
    mo_tasks_run(&tracker->host, tracker->part_count, mo_contact_part_run, tracker);
    result = reserve_results(tracker);
  }
  if (result != MO_OK) {
    return result;
  }
  join_parts(tracker);
  note_needs(tracker);
  mo_changes_clear(&tracker->log);
  tracker->update_count++;
  if (events != NULL) {
    *events = (mo_contact_events){
        .contacts = tracker->now.count > 0 ? tracker->now.items : NULL,
        .contact_count = tracker->now.count,
        .begins = tracker->begins.count > 0 ? tracker->begins.items : NULL,
        .begin_count = tracker->begins.count,
        .ends = tracker->ends.count > 0 ? tracker->ends.items : NULL,
        .end_count = tracker->ends.count,
    };
  }
  return MO_OK;
}

mo_result mo_contact_tracker_refresh_shape(mo_contact_tracker *tracker, mo_shape_id id) {
  if (tracker == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
  if (tracker->log.scene == NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (!mo_shape_is_known(tracker->log.scene, id)) {
    refusal.name = "id";
    return mo_refuse_id(&refusal, id.index, id.generation);
  }
  mo_changes_add(&tracker->log, id.index, MO_CHANGE_INSIDE_BOUNDS);
  return MO_OK;
}

/* --- reading --- */

mo_result mo_contact_tracker_find(const mo_contact_tracker *tracker, const mo_pair *pair,
                                  uint32_t *first, uint32_t *count) {
  const char *missing = pair == NULL ? "pair" : first == NULL ? "first" : "count";
  if (tracker == NULL || pair == NULL || first == NULL || count == NULL) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, missing);
  }
  bool in_order = pair->a.index <= pair->b.index;
  mo_shape_id a = in_order ? pair->a : pair->b, b = in_order ? pair->b : pair->a;
  uint64_t key = mo_pair_key(a, b);
  uint32_t from = mo_first_contact_from(&tracker->now, key),
           to = mo_first_contact_from(&tracker->now, key + 1);
  const mo_contact *found = from < to ? &tracker->now.items[from].contact : NULL;
  bool known =
      found != NULL && found->a.generation == a.generation && found->b.generation == b.generation;
  *first = from;
  *count = known ? to - from : 0;
  return MO_OK;
}

mo_result mo_contact_tracker_get_stats(const mo_contact_tracker *tracker,
                                       mo_contact_tracker_stats *stats) {
  if (tracker == NULL || stats == NULL) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, "stats");
  }
  mo_pair_tracker_stats pairs;
  mo_result result = mo_pair_tracker_get_stats(tracker->pair_tracker, &pairs);
  if (result != MO_OK) {
    return result;
  }
  size_t contacts = (size_t)tracker->now.capacity + tracker->next.capacity;
  size_t touches =
      (size_t)tracker->pairs.capacity + tracker->begins.capacity + tracker->ends.capacity;
  size_t bytes = sizeof *tracker + pairs.bytes + tracker->log.slot_capacity * sizeof(uint32_t) +
                 tracker->log.slot_capacity + mo_island_memory_bytes(&tracker->islands);
  for (int i = 0; i < MO_CONTACT_PARTS; i++) {
    const mo_contact_part *part = &tracker->parts[i];
    contacts += part->contacts.capacity;
    touches += (size_t)part->begins.capacity + part->ends.capacity;
    bytes += part->found_capacity * sizeof *part->found + part->claimed_capacity;
  }
  *stats = (mo_contact_tracker_stats){
      .pair_count = (uint32_t)pairs.pair_count,
      .contact_count = tracker->now.count,
      .update_count = tracker->update_count,
      .worked_out_count = tracker->worked_out,
      .bytes = bytes + contacts * sizeof(mo_tracked_contact) + touches * sizeof(mo_pair),
  };
  return MO_OK;
}
