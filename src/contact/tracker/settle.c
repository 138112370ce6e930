/* The second half of a part of an update: leaves out points that are hidden at seams, and finds out
 * which pairs begin and end to touch and which points were there before. */
#include <string.h>

#include "contact/tracker/tracker.h"

static bool add_touch(const mo_contact_tracker *tracker, mo_contact_part *part, mo_touch_list *list,
                      mo_pair pair) {
  void *items = list->items;
  bool ok = mo_contact_part_reserve(tracker, part, &items, sizeof *list->items, list->count,
                                    &list->capacity, 1);
  list->items = items;
  if (ok) {
    list->items[list->count++] = pair;
  }
  return ok;
}

/* No old point of a pair claimed yet. */
static bool reset_claims(const mo_contact_tracker *tracker, mo_contact_part *part,
                         uint32_t old_count) {
  void *claimed = part->claimed;
  bool ok =
      mo_contact_part_reserve(tracker, part, &claimed, 1, 0, &part->claimed_capacity, old_count);
  part->claimed = claimed;
  if (ok && old_count > 0) {
    memset(part->claimed, 0, old_count);
  }
  return ok;
}

static void leave_out(mo_manifold *m, uint32_t hidden) {
  uint32_t count = 0;
  m->touching = false;
  for (uint32_t i = 0; i < m->point_count; i++) {
    if (!(hidden >> i & 1)) {
      m->points[count++] = m->points[i];
      m->touching = m->touching || m->points[i].separation <= 0.0f;
    }
  }
  m->point_count = count;
}

/* Leaves out hidden points, and contacts that have no others. The contacts move to where there is
 * room, and so do the pairs that have met. */
static void leave_out_hidden(mo_contact_part *part) {
  mo_tracked_contact *contacts = part->contacts.items;
  uint32_t kept = 0, side = 0, met = 0;
  for (uint32_t i = 0; i < part->contacts.count; i++) {
    for (; met < part->met.count && part->met.items[met].first <= i; met++) {
      part->met.items[met].first = kept; /* only if it has contacts does this matter */
    }
    uint32_t hidden = 0;
    for (; side < part->sides.count && part->sides.items[side].contact == i; side++) {
      hidden |= part->sides.items[side].hidden;
    }
    if (hidden != 0) {
      leave_out(&contacts[i].contact.manifold, hidden);
    }
    if (hidden != 0 && contacts[i].contact.manifold.point_count == 0) {
      part->met.items[met - 1].count--;
    } else {
      if (kept < i) {
        contacts[kept] = contacts[i];
      }
      kept++;
    }
  }
  part->contacts.count = kept;
}

static bool any_hidden(const mo_contact_part *part) {
  uint32_t hidden = 0;
  for (uint32_t i = 0; i < part->sides.count; i++) {
    hidden |= part->sides.items[i].hidden;
  }
  return hidden != 0;
}

/* What a pair is now, from what it was. */
static bool settle_pair(const mo_contact_tracker *tracker, mo_contact_part *part,
                        const mo_met_pair *met) {
  mo_tracked_contact *now = met->count > 0 ? &part->contacts.items[met->first] : NULL;
  const mo_tracked_contact *old = met->old_count > 0 ? &tracker->old->items[met->first_old] : NULL;
  if (!reset_claims(tracker, part, met->old_count)) {
    return false;
  }
  bool touched = met->old_count > 0 && old->touching, touching = false;
  for (uint32_t i = 0; i < met->count; i++) {
    touching = touching || (!now[i].rejected && (touched || now[i].contact.manifold.touching));
  }
  for (uint32_t i = 0; i < met->count; i++) {
    now[i].touching = touching;
    now[i].began = touching && !touched;
  }
  mo_match_points(now, met->count, old, met->old_count, part->claimed, tracker->def.match_distance);
  return touching == touched ||
         add_touch(tracker, part, touching ? &part->begins : &part->ends, met->pair);
}

void mo_contact_part_settle(uint32_t index, void *tracker) {
  const mo_contact_tracker *t = tracker;
  mo_contact_part *part = &((mo_contact_tracker *)tracker)->parts[index];
  part->begins.count = part->ends.count = 0;
  if (any_hidden(part)) {
    leave_out_hidden(part);
  }
  bool ok = true;
  for (uint32_t i = 0; ok && i < part->met.count; i++) {
    ok = settle_pair(t, part, &part->met.items[i]);
  }
}
