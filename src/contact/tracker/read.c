/* Functions that read contact trackers, and the check of the shape ids that public calls receive.
 */
#include <stdio.h>

#include "base/log.h"
#include "contact/tracker/tracker.h"

mo_result mo_contact_tracker_check_ids(const mo_contact_tracker *tracker, const mo_shape_id *ids,
                                       uint32_t count, const char *function) {
  const mo_scene *scene = tracker->log.scene;
  mo_refusal refusal = mo_refusal_of(&tracker->host, function, "tracker");
  if (scene == NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  refusal.name = "ids";
  for (uint32_t i = 0; i < count; i++) {
    if (!mo_shape_is_known(scene, ids[i])) {
      refusal.index = i;
      return mo_refuse_id(&refusal, ids[i].index, ids[i].generation);
    }
  }
  return MO_OK;
}

mo_result mo_contact_tracker_find(const mo_contact_tracker *tracker, const mo_pair *pair,
                                  uint32_t *first, uint32_t *count) {
  const char *missing = pair == NULL ? "pair" : first == NULL ? "first" : "count";
  if (tracker == NULL || pair == NULL || first == NULL || count == NULL) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, missing);
  }
  bool in_order = pair->a.index <= pair->b.index;
  mo_shape_id a = in_order ? pair->a : pair->b, b = in_order ? pair->b : pair->a;
  uint64_t key = mo_pair_key(a.index, b.index);
  uint32_t from = mo_contact_lower_bound(&tracker->current_contacts, key),
           to = mo_contact_lower_bound(&tracker->current_contacts, key + 1);
  const mo_contact *found = from < to ? &tracker->current_contacts.items[from].contact : NULL;
  bool known =
      found != NULL && found->a.generation == a.generation && found->b.generation == b.generation;
  *first = from;
  *count = known ? to - from : 0;
  return MO_OK;
}

mo_result mo_contact_tracker_get_resting_contacts(const mo_contact_tracker *tracker, mo_shape_id id,
                                                  mo_tracked_contact *contacts, uint32_t capacity,
                                                  uint32_t *total) {
  if (tracker == NULL || total == NULL || (contacts == NULL && capacity > 0)) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__,
                          total == NULL ? "total" : "contacts");
  }
  const mo_scene *scene = tracker->log.scene;
  mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
  if (scene == NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (!mo_shape_is_known(scene, id)) {
    refusal.name = "id";
    return mo_refuse_id(&refusal, id.index, id.generation);
  }
  const mo_resting *resting = &tracker->resting;
  mo_bounded_list list = mo_bounded_make(contacts, capacity);
  uint32_t link = mo_resting_first(resting, id.index);
  for (; link != MO_NONE; link = mo_resting_next(resting, link)) {
    mo_tracked_contact c = resting->contacts[link / 2].contact_at_rest;
    mo_shape_id self = link % 2 == 0 ? c.contact.a : c.contact.b;
    if (self.generation == id.generation) { /* skip contacts of an earlier shape in this slot */
      mo_contact_renew_user_data(scene, &c.contact);
      mo_bounded_offer(&list, &c, sizeof c, mo_tracked_before);
    }
  }
  mo_bounded_sort(&list, sizeof *contacts, mo_tracked_before);
  *total = list.total;
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
  *stats = (mo_contact_tracker_stats){
      .pair_count = (uint32_t)pairs.pair_count,
      .contact_count = tracker->current_contacts.count,
      .resting_count = tracker->resting.count,
      .update_count = tracker->update_count,
      .computed_count = tracker->computed_count,
      .reused_count = tracker->reused_count,
      .unchanged_count = tracker->unchanged_count,
      .apart_by_axis_count = tracker->apart_by_axis_count,
      .apart_by_bounds_count = tracker->apart_by_bounds_count,
      .bytes = mo_contact_tracker_bytes(tracker) + pairs.bytes,
  };
  return MO_OK;
}

void mo_contact_tracker_log_points(const mo_contact_tracker *tracker, const mo_contact *contact,
                                   uint32_t points, const char *why) {
  if (mo_contact_tracker_logs_rules(tracker, contact->a.index, contact->b.index)) {
    char triangle[2][32] = {"", ""};
    const uint32_t triangles[2] = {contact->triangle_a, contact->triangle_b};
    for (int i = 0; i < 2; i++) {
      if (triangles[i] != MO_NO_TRIANGLE) {
        snprintf(triangle[i], sizeof triangle[i], " (triangle %u)", triangles[i]);
      }
    }
    mo_log(&tracker->host, MO_LOG_DEBUG, "contact rule: slots %u%s and %u%s, points %#x: %s",
           contact->a.index, triangle[0], contact->b.index, triangle[1], points, why);
  }
}
