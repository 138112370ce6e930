/* mo_contact_tracker_restore: replaces the contacts of a new tracker by those of a saved
 * simulation. */
#include <string.h>

#include "base/bounded.h"
#include "contact/tracker/tracker.h"

static bool is_pair(const mo_contact_tracker *tracker, mo_shape_id a, mo_shape_id b) {
  const mo_scene *scene = tracker->log.scene;
  return mo_shape_is_known(scene, a) && mo_shape_is_known(scene, b) && a.index < b.index &&
         mo_partners_find(&tracker->pair_tracker->set, a.index, b.index) != NULL;
}

static mo_result check_contact(const mo_contact_tracker *tracker, const mo_contact *c,
                               const mo_refusal *refusal) {
  if (!is_pair(tracker, c->a, c->b)) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".contact is of no pair of the tracker");
  }
  if (!mo_shape_has_triangle(tracker->log.scene, c->a.index, c->child_a, c->triangle_a) ||
      !mo_shape_has_triangle(tracker->log.scene, c->b.index, c->child_b, c->triangle_b)) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                     ".contact is of a triangle that the shape does not have");
  }
  if (c->manifold.point_count > MO_MAX_MANIFOLD_POINTS) {
    return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".contact.manifold.point_count",
                            c->manifold.point_count, "beyond MO_MAX_MANIFOLD_POINTS");
  }
  return MO_OK;
}

static mo_result check_tracker(const mo_contact_tracker *tracker) {
  mo_refusal refusal = mo_refusal_of(&tracker->host, "mo_contact_tracker_restore", "tracker");
  if (tracker->log.scene == NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  return tracker->update_count == 1
             ? MO_OK
             : mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has not been updated once only");
}

mo_result mo_contact_tracker_restore(mo_contact_tracker *tracker, const mo_tracked_contact *saved,
                                     uint32_t count, mo_contact_events *events) {
  if (tracker == NULL || (saved == NULL && count > 0)) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, "saved");
  }
  mo_result result = check_tracker(tracker);
  mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "saved");
  for (uint32_t i = 0; i < count && result == MO_OK; i++) {
    refusal.index = i;
    result = check_contact(tracker, &saved[i].contact, &refusal);
  }
  mo_contact_list *next = &tracker->contacts_to_write;
  if (result == MO_OK) {
    result = mo_list_reserve_total(&tracker->host.allocator, &next->list, sizeof *saved, count);
  }
  if (result != MO_OK) {
    return result;
  }
  mo_bounded_list list = {.items = next->items, .capacity = count, .count = count};
  if (count > 0) {
    memcpy(next->items, saved, count * sizeof *saved);
    mo_bounded_sort(&list, sizeof *saved, mo_tracked_before);
  }
  for (uint32_t i = 0; i < count; i++) { /* the scene may have been made anew */
    next->items[i].children = mo_contact_children(tracker->log.scene, &next->items[i].contact);
  }
  for (uint32_t i = 1; i < count; i++) {
    if (!mo_tracked_before(&next->items[i - 1], &next->items[i])) {
      refusal.index = MO_NO_INDEX;
      return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has a contact twice");
    }
  }
  next->count = count;
  tracker->begins.count = tracker->ends.count = 0;
  mo_contact_list before = tracker->current_contacts;
  tracker->current_contacts = *next;
  *next = before;
  next->count = 0;
  mo_contact_tracker_list_events(tracker, events);
  return MO_OK;
}
