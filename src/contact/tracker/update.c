/* The steps of mo_contact_tracker_update, from which shapes have moved to the list of contacts; and
 * waking contacts that are at rest. */
#include <string.h>

#include "base/assert.h"
#include "base/bounded.h"
#include "base/log.h"
#include "base/tasks.h"
#include "contact/tracker/tracker.h"

uint32_t mo_contact_lower_bound(const mo_contact_list *contacts, uint64_t key) {
  uint32_t lower = 0, upper = contacts->count;
  while (lower < upper) {
    uint32_t middle = lower + (upper - lower) / 2;
    const mo_contact *c = &contacts->items[middle].contact;
    if (mo_contact_key(c) < key) {
      lower = middle + 1;
    } else {
      upper = middle;
    }
  }
  return lower;
}

static bool is_moved_kinematic(const mo_contact_tracker *tracker, uint32_t slot) {
  const mo_scene *scene = tracker->log.scene;
  return (tracker->log.pending[slot] & MO_CONTACT_CHANGE_KINDS) != 0 &&
         mo_slot_is_alive(scene, slot) && mo_slot_motion(scene, slot) == MO_MOTION_KINEMATIC;
}

/* Reserves memory for the list of kinematic shapes that have moved. */
static mo_result reserve_moved_kinematic(mo_contact_tracker *tracker) {
  const mo_listener *log = &tracker->log;
  mo_moved_kinematic_list *list = &tracker->moved_kinematic;
  uint32_t count = 0;
  for (uint32_t i = 0; i < log->count && log->scene->kinematic_count > 0; i++) {
    count += is_moved_kinematic(tracker, log->changed[i]);
  }
  return mo_list_reserve_total(&tracker->host.allocator, &list->list, sizeof *list->items, count);
}

static bool id_before(const void *a, const void *b) {
  return ((const mo_shape_id *)a)->index < ((const mo_shape_id *)b)->index;
}

/* Lists the kinematic shapes that have moved; memory must have been reserved. */
static void list_moved_kinematic(mo_contact_tracker *tracker) {
  const mo_listener *log = &tracker->log;
  mo_moved_kinematic_list *list = &tracker->moved_kinematic;
  list->count = 0;
  for (uint32_t i = 0; i < log->count && log->scene->kinematic_count > 0; i++) {
    if (is_moved_kinematic(tracker, log->changed[i])) {
      MO_ASSERT(list->count < list->capacity);
      list->items[list->count++] = mo_shape_id_of(log->scene, log->changed[i]);
    }
  }
  mo_bounded_list all = mo_bounded_make(list->items, list->capacity);
  all.count = list->count;
  mo_bounded_sort(&all, sizeof *list->items, id_before);
}

bool mo_contact_tracker_has_moved(const mo_contact_tracker *tracker, mo_shape_id id) {
  const mo_moved_kinematic_list *list = &tracker->moved_kinematic;
  uint32_t lower = 0, upper = list->count;
  while (lower < upper) {
    uint32_t middle = lower + (upper - lower) / 2;
    if (list->items[middle].index < id.index) {
      lower = middle + 1;
    } else {
      upper = middle;
    }
  }
  return lower < list->count && list->items[lower].index == id.index &&
         list->items[lower].generation == id.generation;
}

/* Updates the pair tracker, and lists the pairs of which a shape has changed. */
static mo_result update_pairs(mo_contact_tracker *tracker) {
  mo_result result = mo_pair_tracker_update(tracker->pair_tracker, NULL);
  if (result == MO_OK && mo_contact_tracker_reuses(tracker)) {
    mo_contact_tracker_mark_lost_partners(tracker);
  }
  if (result == MO_OK && !mo_pair_tracker_list_changed_pairs(tracker->pair_tracker, &tracker->log,
                                                             MO_CONTACT_CHANGE_KINDS,
                                                             &tracker->pairs, &tracker->sorting)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  return result;
}

/* Merges the contacts of the last update with the woken contacts into the list `current_and_woken`.
 */
static mo_result join_woken_contacts(mo_contact_tracker *tracker) {
  mo_resting_indices *woken = &tracker->woken;
  const mo_contact_list *now = &tracker->current_contacts;
  mo_contact_list *joined = &tracker->current_and_woken;
  joined->count = 0;
  mo_result result = mo_list_reserve(&tracker->host.allocator, &joined->list, sizeof *joined->items,
                                     (uint64_t)now->count + woken->count);
  if (result != MO_OK) {
    return result;
  }
  mo_resting_sort(woken);
  for (uint32_t i = 0, j = 0; i < now->count || j < woken->count;) {
    uint64_t key = i < now->count ? mo_contact_key(&now->items[i].contact) : UINT64_MAX;
    MO_ASSERT(joined->count < joined->capacity);
    mo_tracked_contact *to = &joined->items[joined->count++];
    if (j < woken->count && woken->items[j].pair < key) {
      *to = tracker->resting.contacts[woken->items[j++].index].contact_at_rest;
      mo_contact_renew_user_data(tracker->log.scene, &to->contact);
    } else {
      *to = now->items[i++];
    }
  }
  return MO_OK;
}

/* Sets `old`, the old contacts of this update: those of the last update, and contacts at rest of
 * which a shape has changed or woken. */
static mo_result collect_old_contacts(mo_contact_tracker *tracker) {
  const mo_listener *log = &tracker->log;
  mo_result result = MO_OK;
  tracker->woken.count = tracker->current_and_woken.count = 0;
  tracker->old_contacts = &tracker->current_contacts;
  uint32_t changed = tracker->resting.count > 0 ? log->count : 0;
  for (uint32_t i = 0; i < changed && result == MO_OK; i++) {
    result = mo_resting_collect(&tracker->host.allocator, &tracker->resting, log->changed[i],
                                log->pending, &tracker->woken);
  }
  if (result == MO_OK && tracker->woken.count > 0) {
    result = join_woken_contacts(tracker);
    tracker->old_contacts = &tracker->current_and_woken;
  }
  return result;
}

/* Cuts the changed pairs and the old contacts into parts. Parts have equal numbers of pairs or of
 * old contacts, whichever cost more in total. With one worker there is one part, so that no
 * contacts have to be copied. */
static void make_parts(mo_contact_tracker *tracker) {
  const mo_contact_list *old = tracker->old_contacts;
  uint32_t pairs = tracker->pairs.count, kept = old->count / MO_PAIR_COMPUTATION_COST;
  uint32_t count = (pairs > kept ? pairs : kept) / MO_MIN_PAIRS_PER_CONTACT_UPDATE_PART;
  const bool one = count < 1 || mo_tasks_workers(&tracker->host) == 1;
  count = one ? 1 : count > MO_MAX_CONTACT_UPDATE_PARTS ? MO_MAX_CONTACT_UPDATE_PARTS : count;
  tracker->part_count = count;
  for (uint32_t i = 0; i < count; i++) {
    mo_contact_update_part *part = &tracker->parts[i];
    part->first_pair = part->first_old = 0;
    part->pair_end = pairs;
    part->old_end = old->count;
    if (i > 0) {
      uint64_t key = pairs > kept
                         ? tracker->pairs.keys[(uint64_t)pairs * i / count]
                         : mo_contact_key(&old->items[(uint64_t)old->count * i / count].contact);
      part[-1].pair_end = part->first_pair =
          mo_item_lower_bound(&tracker->pairs.list, sizeof key, key);
      part[-1].old_end = part->first_old = mo_contact_lower_bound(old, key);
      MO_ASSERT(part->first_pair >= part[-1].first_pair && part->first_old >= part[-1].first_old);
    }
  }
}

/* Runs a task for each part. Returns the result of the first part that has failed, or MO_OK. */
static mo_result run_parts(mo_contact_tracker *tracker, mo_task *task) {
  mo_tasks_run(&tracker->host, tracker->part_count, task, tracker);
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    const mo_contact_update_part *part = &tracker->parts[i];
    if (part->result == MO_ERROR_INVALID_ARGUMENT) {
      mo_refusal refusal = mo_refusal_of(&tracker->host, "mo_contact_tracker_update", "modify");
      return mo_refuse(&refusal, part->result, " has added points, or changed which contact it is");
    }
    if (part->result != MO_OK) {
      return part->result;
    }
  }
  return MO_OK;
}

/* Runs all steps of an update on the parts: contacts, seams, merging, matching and events. */
static mo_result run_all_steps(mo_contact_tracker *tracker) {
  make_parts(tracker);
  mo_result result = run_parts(tracker, mo_contact_update_part_find_contacts);
  if (result == MO_OK) {
    result = mo_contact_tracker_hide_seams(tracker);
  }
  if (result == MO_OK) {
    result = run_parts(tracker, mo_contact_update_part_remove_points);
  }
  if (result == MO_OK && (tracker->def.merge_coplanar || tracker->log.scene->mesh_count > 1)) {
    result = mo_contact_tracker_merge_coplanar(tracker);
  }
  return result == MO_OK ? run_parts(tracker, mo_contact_update_part_match_and_events) : result;
}

/* Reserves memory for the joined results of all parts. The lists keep their items, as a failed
 * update must change nothing. */
static mo_result reserve_results(mo_contact_tracker *tracker) {
  const mo_allocator *allocator = &tracker->host.allocator;
  uint64_t contacts = 0, rests = 0, begins = 0, ends = 0, apart = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    const mo_contact_update_part *part = &tracker->parts[i];
    contacts += part->contacts.count;
    rests += part->new_resting.count;
    begins += part->begins.count;
    ends += part->ends.count;
    apart += part->axes.count;
  }
  rests += tracker->resting.count - tracker->woken.count;
  const struct {
    mo_list *list;
    size_t size;
    uint64_t total;
  } lists[] = {
      {&tracker->contacts_to_write.list, sizeof *tracker->contacts_to_write.items,
       tracker->part_count > 1 ? contacts : 0},
      {&tracker->resting.list, sizeof *tracker->resting.contacts, rests},
      {&tracker->begins.list, sizeof *tracker->begins.items, begins},
      {&tracker->ends.list, sizeof *tracker->ends.items, ends},
      {&tracker->axes.list, sizeof *tracker->axes.items, apart},
  };
  mo_result result = MO_OK;
  for (size_t i = 0; i < sizeof lists / sizeof *lists && result == MO_OK; i++) {
    result = mo_list_reserve_total(allocator, lists[i].list, lists[i].size, lists[i].total);
  }
  return result == MO_OK ? reserve_moved_kinematic(tracker) : result;
}

/* Appends the items of `more` to `list`; capacity must have been reserved. */
static void append_items(mo_list *list, const mo_list *more, size_t size) {
  if (more->count > 0) {
    MO_ASSERT(list->count + more->count <= list->capacity);
    memcpy((char *)list->items + list->count * size, more->items, more->count * size);
    list->count += more->count;
  }
}

/* A task: copies the contacts of a part to their place in the list of all parts. */
static void copy_part(uint32_t index, void *context) {
  const mo_contact_tracker *tracker = context;
  const mo_contact_update_part *part = &tracker->parts[index];
  if (part->contacts.count > 0) {
    memcpy(tracker->contacts_to_write.items + part->joined_begin, part->contacts.items,
           part->contacts.count * sizeof *part->contacts.items);
  }
}

/* Whether contacts are in their order, each once. For assertions. */
static bool are_contacts_in_order(const mo_contact_list *list) {
  uint32_t i = 1;
  while (i < list->count && mo_tracked_before(&list->items[i - 1], &list->items[i])) {
    i++;
  }
  return i >= list->count;
}

/* Joins the results of all parts in the tracker's lists; memory must have been reserved. */
static void join_parts(mo_contact_tracker *tracker) {
  tracker->begins.count = tracker->ends.count = tracker->axes.count =
      tracker->contacts_to_write.count = 0;
  tracker->computed_count = tracker->reused_count = tracker->unchanged_count =
      tracker->apart_by_axis_count = tracker->apart_by_bounds_count = 0;
  mo_resting_remove(&tracker->resting, &tracker->woken);
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    mo_contact_update_part *part = &tracker->parts[i];
    append_items(&tracker->begins.list, &part->begins.list, sizeof *part->begins.items);
    append_items(&tracker->ends.list, &part->ends.list, sizeof *part->ends.items);
    append_items(&tracker->axes.list, &part->axes.list, sizeof *part->axes.items);
    tracker->computed_count += part->computed_count;
    tracker->reused_count += part->reused_count;
    tracker->unchanged_count += part->unchanged_count;
    tracker->apart_by_axis_count += part->apart_by_axis_count;
    tracker->apart_by_bounds_count += part->apart_by_bounds_count;
    for (uint32_t k = 0; k < part->new_resting.count; k++) {
      mo_resting_add(&tracker->resting, &part->new_resting.items[k]);
    }
    MO_ASSERT(part->result == MO_OK && part->contacts.count <= part->contacts.capacity);
    part->joined_begin = tracker->contacts_to_write.count;
    tracker->contacts_to_write.count += part->contacts.count;
  }
  tracker->reusable_index = !tracker->reusable_index;
  tracker->reusable_part_count = tracker->part_count;
  const bool several = tracker->part_count > 1;
  if (several) {
    MO_ASSERT(tracker->contacts_to_write.count <= tracker->contacts_to_write.capacity);
    mo_tasks_run(&tracker->host, tracker->part_count, copy_part, tracker);
  }
  mo_contact_list *next = several ? &tracker->contacts_to_write : &tracker->parts[0].contacts;
  MO_ASSERT(are_contacts_in_order(next));
  const mo_contact_list old = tracker->current_contacts;
  tracker->current_contacts = *next;
  *next = old;
  tracker->contacts_to_write.count = 0;
}

/* Warns, once per tracker, if a mesh that has contacts was built without edges. */
static void warn_of_missing_edges(mo_contact_tracker *tracker) {
  for (uint32_t i = 0; i < tracker->part_count && !tracker->has_warned_of_missing_edges; i++) {
    const uint32_t slot = tracker->parts[i].mesh_without_edges;
    if (slot != MO_NONE) {
      tracker->has_warned_of_missing_edges = true;
      mo_log(&tracker->host, MO_LOG_WARNING,
             "mo_contact_tracker_update: shape {index %u, generation %u} %s a mesh without `edges` "
             "(mo_mesh_build_options), so what slides over it collides with the edges of triangles",
             slot, mo_shape_id_of(tracker->log.scene, slot).generation,
             mo_slot_is_compound(tracker->log.scene, slot) ? "places" : "is");
    }
  }
}

void mo_contact_tracker_list_events(const mo_contact_tracker *tracker, mo_contact_events *events) {
  if (events != NULL) {
    *events = (mo_contact_events){
        .contacts = tracker->current_contacts.count > 0 ? tracker->current_contacts.items : NULL,
        .contact_count = tracker->current_contacts.count,
        .begins = tracker->begins.count > 0 ? tracker->begins.items : NULL,
        .begin_count = tracker->begins.count,
        .ends = tracker->ends.count > 0 ? tracker->ends.items : NULL,
        .end_count = tracker->ends.count,
    };
  }
}

mo_result mo_contact_tracker_update(mo_contact_tracker *tracker, mo_contact_events *events) {
  if (tracker == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (tracker->log.scene == NULL) {
    mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (tracker->update_count % MO_CONTACT_UPDATES_PER_TRIM == 0) {
    mo_contact_tracker_free_workspace(tracker, false);
  }
  if (tracker->def.merge_coplanar) {
    mo_contact_tracker_copy_changes_to_bodies(tracker);
  }
  mo_result result = update_pairs(tracker);
  if (result == MO_OK) {
    result = collect_old_contacts(tracker);
  }
  if (result == MO_OK) {
    result = mo_contact_tracker_prepare_reuse(tracker);
  }
  if (result == MO_OK) {
    result = run_all_steps(tracker);
  }
  if (result == MO_OK) {
    result = reserve_results(tracker);
  }
  if (result != MO_OK) {
    return result;
  }
  join_parts(tracker);
  list_moved_kinematic(tracker);
  warn_of_missing_edges(tracker);
  mo_contact_tracker_record_needed_counts(tracker);
  mo_listener_clear(&tracker->log);
  tracker->update_count++;
  mo_contact_tracker_list_events(tracker, events);
  return MO_OK;
}

mo_result mo_contact_tracker_wake(mo_contact_tracker *tracker, const mo_shape_id *ids,
                                  uint32_t count, mo_contact_events *events) {
  if (tracker == NULL || (ids == NULL && count > 0)) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, "ids");
  }
  mo_result result = mo_contact_tracker_check_ids(tracker, ids, count, __func__);
  uint32_t found = 0;
  tracker->woken.count = 0;
  if (result == MO_OK) {
    result = mo_contact_tracker_gather_bodies(tracker, ids, count, &found);
  }
  for (uint32_t i = 0; i < found && result == MO_OK; i++) {
    result = mo_resting_collect(&tracker->host.allocator, &tracker->resting,
                                (uint32_t)tracker->islands.slots[i], NULL, &tracker->woken);
  }
  mo_island_workspace_clear(&tracker->islands, found);
  if (result == MO_OK && tracker->woken.count > 0) {
    mo_resting_sort_unique(&tracker->woken);
    result = join_woken_contacts(tracker);
  }
  if (result != MO_OK) {
    return result;
  }
  if (tracker->woken.count > 0) {
    MO_ASSERT(are_contacts_in_order(&tracker->current_and_woken));
    mo_resting_remove(&tracker->resting, &tracker->woken);
    mo_contact_list now = tracker->current_and_woken;
    tracker->current_and_woken = tracker->current_contacts;
    tracker->current_contacts = now;
  }
  mo_contact_tracker_list_events(tracker, events);
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
  mo_listener_add(&tracker->log, id.index, MO_CHANGE_INSIDE_BOUNDS | MO_CHANGE_GEOMETRY);
  return MO_OK;
}
