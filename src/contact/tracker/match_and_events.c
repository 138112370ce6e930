/* The later tasks of a part of a tracker's update: remove points that are hidden at seams or too
 * far away, match points with those of the previous update, and find the pairs that begin or end to
 * touch. */
#include <string.h>

#include "base/assert.h"
#include "contact/tracker/tracker.h"

/* Marks all old points of a pair as unmatched, before its points are matched. */
static bool mark_all_as_unmatched(const mo_contact_tracker *tracker, mo_contact_update_part *part,
                                  uint32_t old_count) {
  const bool ok =
      mo_contact_update_part_reserve(tracker, part, &part->matched_points.list, 1, old_count);
  if (ok && old_count > 0) {
    memset(part->matched_points.items, 0, old_count);
  }
  return ok;
}

static void remove_points_of(mo_manifold *m, uint32_t removed) {
  uint32_t count = 0;
  m->touching = false;
  for (uint32_t i = 0; i < m->point_count; i++) {
    if (!(removed >> i & 1)) {
      m->points[count++] = m->points[i];
      m->touching = m->touching || m->points[i].separation <= 0.0f;
    }
  }
  m->point_count = count;
}

/* Returns a bit for each point of a contact that is hidden at seams. Contacts must be passed in
 * order, as `side` advances to the entries in `sides` of the next contact. */
static uint32_t hidden_points(const mo_contact_update_part *part, uint32_t contact,
                              uint32_t *side) {
  uint32_t hidden = 0;
  for (; *side < part->sides.count && part->sides.items[*side].contact == contact; ++*side) {
    hidden |= part->sides.items[*side].hidden_points;
  }
  return hidden;
}

/* Whether how far away points may be follows from how fast shapes approach. */
static bool has_speculative_range(const mo_contact_tracker *tracker) {
  return tracker->def.max_speculative_distance > tracker->def.speculative_distance;
}

/* Returns a bit for each point of a contact that is too far away. */
static uint32_t far_points(const mo_contact_tracker *tracker, const mo_contact *contact) {
  const mo_pair pair = {contact->a, contact->b};
  const mo_speculative_limits reach = mo_speculative_limits_of(tracker, &pair);
  return reach.max > reach.min ? mo_speculative_find_far_points(&reach, &contact->manifold) : 0;
}

/* Removes points that are hidden at seams or too far away, and contacts that lose all points. Later
 * contacts move up to close the gaps, and `first` and `count` of updated pairs are adapted. Points
 * that are too far away are removed only now, as their contacts may hide others. */
static void remove_points(const mo_contact_tracker *tracker, mo_contact_update_part *part) {
  mo_tracked_contact *contacts = part->contacts.items;
  uint32_t kept = 0, side = 0, pair = 0;
  const bool has_far_points = has_speculative_range(tracker);
  for (uint32_t i = 0; i < part->contacts.count; i++) {
    for (; pair < part->updated.count && part->updated.items[pair].first <= i; pair++) {
      part->updated.items[pair].first = kept; /* without meaning for pairs without contacts */
    }
    uint32_t removed = hidden_points(part, i, &side);
    if (has_far_points && !contacts[i].unchanged) {
      const uint32_t far = far_points(tracker, &contacts[i].contact);
      if (far != 0) {
        mo_contact_tracker_log_points(tracker, &contacts[i].contact, far,
                                      "removed, too far away for how fast the shapes approach");
      }
      removed |= far;
    }
    if (removed != 0) {
      remove_points_of(&contacts[i].contact.manifold, removed);
    }
    if (removed != 0 && contacts[i].contact.manifold.point_count == 0) {
      part->updated.items[pair - 1].count--;
    } else {
      if (kept < i) {
        contacts[kept] = contacts[i];
      }
      kept++;
    }
  }
  MO_ASSERT(kept <= part->contacts.count && side == part->sides.count);
  part->contacts.count = kept;
}

static bool has_hidden_points(const mo_contact_update_part *part) {
  uint32_t hidden = 0;
  for (uint32_t i = 0; i < part->sides.count; i++) {
    hidden |= part->sides.items[i].hidden_points;
  }
  return hidden != 0;
}

/* Matches the points of a pair with its old points, and decides whether the pair touches, and
 * begins or ends to touch. */
static bool match_pair(const mo_contact_tracker *tracker, mo_contact_update_part *part,
                       const mo_updated_pair *pair) {
  MO_ASSERT(pair->count == 0 || pair->first + pair->count <= part->contacts.count);
  MO_ASSERT(pair->old_count == 0 ||
            pair->first_old + pair->old_count <= tracker->old_contacts->count);
  mo_tracked_contact *now = pair->count > 0 ? &part->contacts.items[pair->first] : NULL;
  const mo_tracked_contact *old =
      pair->old_count > 0 ? &tracker->old_contacts->items[pair->first_old] : NULL;
  bool touched = pair->old_count > 0 && old->touching, touching = false;
  for (uint32_t i = 0; i < pair->count; i++) {
    touching = touching || (!now[i].rejected && (touched || now[i].contact.manifold.touching));
  }
  for (uint32_t i = 0; i < pair->count; i++) {
    now[i].touching = touching;
    now[i].began = touching && !touched;
  }
  if (!mo_match_same_points(now, pair->count, old, pair->old_count)) {
    if (!mark_all_as_unmatched(tracker, part, pair->old_count)) {
      return false;
    }
    mo_match_points(now, pair->count, old, pair->old_count, part->matched_points.items,
                    tracker->def.match_distance);
  }
  mo_touch_list *list = touching ? &part->begins : &part->ends;
  return touching == touched ||
         mo_contact_update_part_add(tracker, part, &list->list, sizeof pair->pair, &pair->pair);
}

void mo_contact_update_part_remove_points(uint32_t index, void *tracker) {
  const mo_contact_tracker *t = tracker;
  mo_contact_update_part *part = &((mo_contact_tracker *)tracker)->parts[index];
  mo_contact_update_part_keep_seams(t, part);
  if (has_hidden_points(part) || has_speculative_range(t)) {
    remove_points(t, part);
  }
}

void mo_contact_update_part_match_and_events(uint32_t index, void *tracker) {
  const mo_contact_tracker *t = tracker;
  mo_contact_update_part *part = &((mo_contact_tracker *)tracker)->parts[index];
  part->begins.count = part->ends.count = 0;
  bool ok = true;
  for (uint32_t i = 0; ok && i < part->updated.count; i++) {
    ok = match_pair(t, part, &part->updated.items[i]);
  }
}
