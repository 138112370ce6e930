/* Contacts of a run that was saved. */
#include "contact/tracker/tracker.h"

/* The contact of the last update with the same shapes and triangles, or null. */
static mo_tracked_contact *find(const mo_contact_tracker *tracker, const mo_contact *contact) {
  const mo_contact_list *now = &tracker->now;
  const uint64_t key = mo_contact_key(contact);
  for (uint32_t i = mo_first_contact_from(now, key); i < now->count; i++) {
    const mo_contact *c = &now->items[i].contact;
    if (mo_contact_key(c) != key) {
      break;
    }
    if (!mo_contact_before(c, contact) && !mo_contact_before(contact, c)) {
      bool same =
          c->a.generation == contact->a.generation && c->b.generation == contact->b.generation;
      return same ? &now->items[i] : NULL;
    }
  }
  return NULL;
}

mo_result mo_contact_tracker_restore(mo_contact_tracker *tracker, const mo_tracked_contact *saved,
                                     uint32_t count) {
  if (tracker == NULL || (saved == NULL && count > 0)) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, "saved");
  }
  mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "saved");
  for (uint32_t i = 0; i < count; i++) {
    refusal.index = i;
    if (find(tracker, &saved[i].contact) == NULL) {
      return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " is no contact of the last update");
    }
    const uint32_t points = saved[i].contact.manifold.point_count;
    if (points > MO_MAX_MANIFOLD_POINTS) {
      return mo_refuse_number(&refusal, MO_ERROR_INVALID_ARGUMENT, ".contact.manifold.point_count",
                              points, "beyond MO_MAX_MANIFOLD_POINTS");
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    *find(tracker, &saved[i].contact) = saved[i];
  }
  return MO_OK;
}
