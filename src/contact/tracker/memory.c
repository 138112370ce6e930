/* Memory of contact trackers: counts bytes, notes what updates need, and frees what was not needed
 * lately. */
#include "contact/tracker/tracker.h"

/* Trims a list of contacts to its first `kept` items, if little of its capacity was needed lately,
 * or if `all`. */
static void trim_contacts(const mo_allocator *allocator, mo_contact_list *list, uint32_t kept,
                          bool all) {
  if (all || mo_is_spare(list->capacity, sizeof *list->items, list->needed)) {
    void *items = list->items;
    mo_array_trim(allocator, &items, sizeof *list->items, kept, &list->capacity);
    list->items = items;
    list->count = kept;
  }
  list->needed = kept;
}

/* As trim_contacts, for any list whose items are not needed any more: frees it. */
#define TRIM(allocator, list, items, all)                                                          \
  do {                                                                                             \
    if ((all) || mo_is_spare((list)->capacity, sizeof *(list)->items, (list)->needed)) {           \
      mo_deallocate(allocator, (list)->items, (list)->capacity, sizeof *(list)->items);            \
      (list)->items = NULL;                                                                        \
      (list)->count = (list)->capacity = 0;                                                        \
    }                                                                                              \
    (list)->needed = 0;                                                                            \
  } while (0)

static void trim_part(mo_contact_tracker *tracker, mo_contact_part *part, bool all) {
  const mo_allocator *allocator = &tracker->host.allocator;
  trim_contacts(allocator, &part->contacts, 0, all);
  trim_contacts(allocator, &part->rests, 0, all);
  TRIM(allocator, &part->begins, items, all);
  TRIM(allocator, &part->ends, items, all);
  TRIM(allocator, &part->updated, items, all);
  TRIM(allocator, &part->sides, items, all);
  TRIM(allocator, &part->separated, items, all);
  mo_contact_part_trim_carried(tracker, part, all);
  if (all) {
    mo_deallocate(allocator, part->found, part->found_capacity, sizeof *part->found);
    mo_deallocate(allocator, part->claimed, part->claimed_capacity, sizeof *part->claimed);
    part->found = NULL;
    part->claimed = NULL;
    part->found_capacity = part->claimed_capacity = 0;
  }
}

void mo_contact_tracker_free_workspace(mo_contact_tracker *tracker, bool all) {
  const mo_allocator *allocator = &tracker->host.allocator;
  for (int i = 0; i < MO_CONTACT_PARTS; i++) {
    trim_part(tracker, &tracker->parts[i], all);
  }
  mo_seam_memory_trim(allocator, &tracker->seams, all);
  mo_merge_memory_trim(allocator, &tracker->merging, all);
  trim_contacts(allocator, &tracker->next, 0, all);
  trim_contacts(allocator, &tracker->joined, 0, all);
  trim_contacts(allocator, &tracker->now, tracker->now.count, all);
  mo_resting_trim(allocator, &tracker->resting, all, tracker->log.slot_capacity);
  TRIM(allocator, &tracker->woken, items, all);
  TRIM(allocator, &tracker->pairs, keys, all);
  TRIM(allocator, &tracker->sorting, keys, all);
  TRIM(allocator, &tracker->begins, items, all);
  TRIM(allocator, &tracker->ends, items, all);
  TRIM(allocator, &tracker->separated, items, all);
  if (all) {
    void *items = tracker->moving.items;
    mo_array_trim(allocator, &items, sizeof *tracker->moving.items, tracker->moving.count,
                  &tracker->moving.capacity);
    tracker->moving.items = items;
  }
}

static void note_need(uint32_t *needed, uint32_t count) {
  *needed = *needed > count ? *needed : count;
}

void mo_contact_tracker_note_needs(mo_contact_tracker *tracker) {
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    mo_contact_part *part = &tracker->parts[i];
    note_need(&part->contacts.needed, part->contacts.count);
    note_need(&part->rests.needed, part->rests.count);
    note_need(&part->updated.needed, part->updated.count);
    note_need(&part->sides.needed, part->sides.count);
    note_need(&part->separated.needed, part->separated.count);
    for (int k = 0; k < 2; k++) {
      mo_carried_list *carried = &part->carried[k];
      note_need(&carried->needed, carried->count);
      note_need(&carried->contacts_needed, carried->contact_count);
    }
    note_need(&part->begins.needed, part->begins.count);
    note_need(&part->ends.needed, part->ends.count);
  }
  note_need(&tracker->now.needed, tracker->now.count);
  note_need(&tracker->next.needed, tracker->now.count);
  note_need(&tracker->joined.needed, tracker->joined.count);
  note_need(&tracker->begins.needed, tracker->begins.count);
  note_need(&tracker->ends.needed, tracker->ends.count);
  note_need(&tracker->separated.needed, tracker->separated.count);
}

size_t mo_contact_tracker_bytes(const mo_contact_tracker *tracker) {
  size_t contacts =
      (size_t)tracker->now.capacity + tracker->next.capacity + tracker->joined.capacity;
  size_t touches = (size_t)tracker->begins.capacity + tracker->ends.capacity;
  size_t apart = tracker->separated.capacity;
  size_t keys = (size_t)tracker->pairs.capacity + tracker->sorting.capacity;
  size_t bytes = sizeof *tracker + tracker->log.slot_capacity * sizeof(uint32_t) +
                 tracker->log.slot_capacity + mo_island_memory_bytes(&tracker->islands) +
                 mo_joint_memory_bytes(&tracker->joints) +
                 mo_merge_memory_bytes(&tracker->merging) +
                 tracker->moving.capacity * sizeof *tracker->moving.items +
                 mo_resting_bytes(&tracker->resting) + mo_seam_memory_bytes(&tracker->seams) +
                 tracker->woken.capacity * sizeof(mo_resting_place);
  for (int i = 0; i < MO_CONTACT_PARTS; i++) {
    const mo_contact_part *part = &tracker->parts[i];
    contacts += (size_t)part->contacts.capacity + part->rests.capacity;
    touches += (size_t)part->begins.capacity + part->ends.capacity;
    apart += part->separated.capacity;
    bytes += part->found_capacity * sizeof *part->found + part->claimed_capacity +
             part->updated.capacity * sizeof *part->updated.items + mo_carried_bytes(part) +
             part->sides.capacity * sizeof *part->sides.items;
  }
  return bytes + contacts * sizeof(mo_tracked_contact) + touches * sizeof(mo_pair) +
         keys * sizeof(uint64_t) + apart * sizeof(mo_separated_pair);
}
