/* Memory of contact trackers: counts bytes, notes what updates need, and frees what was not needed
 * lately. */
#include <stddef.h>

#include "contact/tracker/tracker.h"

/* When the memory of a list is freed, other than on request. */
typedef enum when_freed {
  IF_SPARE,         /* if little of it was needed lately */
  WITH_LIST_BEFORE, /* if that of the list before it is */
  ON_REQUEST,       /* never */
} when_freed;

/* A list that is a member of a struct. */
typedef struct member_list {
  size_t offset, item_size; /* of size 0: the end of a table */
  when_freed when;
  bool keeps_items; /* only the memory beyond its items is freed */
} member_list;

#define LIST(type, list, items, ...)                                                               \
  { offsetof(type, list), sizeof *((type *)NULL)->items, __VA_ARGS__ }
#define OF_PART(name, when) LIST(mo_contact_part, name.list, name.items, when, false)
#define OF_TRACKER(name, items, ...) LIST(mo_contact_tracker, name.list, name.items, __VA_ARGS__)

static const member_list lists_of_carried[] = {
    LIST(mo_carried_list, list, pairs, IF_SPARE, true),
    LIST(mo_carried_list, contacts.list, contacts.items, WITH_LIST_BEFORE, true),
    {0},
};

/* Without its carried pairs. */
static const member_list lists_of_part[] = {
    OF_PART(contacts, IF_SPARE),  OF_PART(rests, IF_SPARE),
    OF_PART(begins, IF_SPARE),    OF_PART(ends, IF_SPARE),
    OF_PART(updated, IF_SPARE),   OF_PART(sides, IF_SPARE),
    OF_PART(axes, IF_SPARE),      OF_PART(unmodified, ON_REQUEST),
    OF_PART(claimed, ON_REQUEST), {0},
};

static const member_list lists_of_tracker[] = {
    OF_TRACKER(seams, items, IF_SPARE, false),
    OF_TRACKER(seams.starts, items, WITH_LIST_BEFORE, false),
    OF_TRACKER(seams.slots, items, WITH_LIST_BEFORE, false),
    OF_TRACKER(merging, items, IF_SPARE, false),
    OF_TRACKER(merging.starts, items, WITH_LIST_BEFORE, false),
    OF_TRACKER(merging.planes, items, WITH_LIST_BEFORE, false),
    OF_TRACKER(next, items, IF_SPARE, false),
    OF_TRACKER(joined, items, IF_SPARE, false),
    OF_TRACKER(now, items, IF_SPARE, true),
    OF_TRACKER(resting, contacts, IF_SPARE, true),
    OF_TRACKER(resting.firsts, items, ON_REQUEST, true),
    OF_TRACKER(woken, items, IF_SPARE, false),
    OF_TRACKER(pairs, keys, IF_SPARE, false),
    OF_TRACKER(sorting, keys, IF_SPARE, false),
    OF_TRACKER(begins, items, IF_SPARE, false),
    OF_TRACKER(ends, items, IF_SPARE, false),
    OF_TRACKER(axes, items, IF_SPARE, false),
    OF_TRACKER(moving, items, ON_REQUEST, true),
    {0},
};

static mo_list *list_in(const void *owner, const member_list *of) {
  return (mo_list *)(void *)((char *)owner + of->offset);
}

static void trim(const mo_allocator *allocator, void *owner, const member_list *of, bool all) {
  for (bool frees = all; of->item_size > 0; of++) {
    mo_list *list = list_in(owner, of);
    const uint32_t kept = of->keeps_items ? list->count : 0;
    if (!all && of->when != WITH_LIST_BEFORE) {
      frees = of->when == IF_SPARE && mo_is_spare(list->capacity, of->item_size, list->needed);
    }
    if (frees) {
      mo_list_trim(allocator, list, of->item_size, kept);
    }
    list->needed = kept;
  }
}

static void note_needs(void *owner, const member_list *of) {
  for (; of->item_size > 0; of++) {
    mo_list_note_need(list_in(owner, of), list_in(owner, of)->count);
  }
}

static size_t bytes_of(const void *owner, const member_list *of) {
  size_t bytes = 0;
  for (; of->item_size > 0; of++) {
    bytes += list_in(owner, of)->capacity * of->item_size;
  }
  return bytes;
}

static void trim_part(mo_contact_tracker *tracker, mo_contact_part *part, bool all) {
  const mo_allocator *allocator = &tracker->host.allocator;
  trim(allocator, part, lists_of_part, all);
  for (uint32_t k = 0; k < 2; k++) {
    mo_carried_list *list = &part->carried[k];
    bool is_before = k == tracker->carried && part < tracker->parts + tracker->carried_parts;
    if (!is_before) {
      list->count = list->contacts.count = 0;
    }
    trim(allocator, list, lists_of_carried,
         all || mo_is_spare(list->contacts.capacity, sizeof(mo_contact), list->contacts.needed));
  }
}

void mo_contact_tracker_free_workspace(mo_contact_tracker *tracker, bool all) {
  for (int i = 0; i < MO_CONTACT_PARTS; i++) {
    trim_part(tracker, &tracker->parts[i], all);
  }
  trim(&tracker->host.allocator, tracker, lists_of_tracker, all);
}

void mo_contact_tracker_note_needs(mo_contact_tracker *tracker) {
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    mo_contact_part *part = &tracker->parts[i];
    note_needs(part, lists_of_part);
    note_needs(&part->carried[0], lists_of_carried);
    note_needs(&part->carried[1], lists_of_carried);
  }
  note_needs(tracker, lists_of_tracker);
  mo_list_note_need(&tracker->next.list, tracker->now.count);
}

size_t mo_contact_tracker_bytes(const mo_contact_tracker *tracker) {
  size_t bytes = sizeof *tracker + tracker->log.slot_capacity * (sizeof(uint32_t) + 1) +
                 mo_island_memory_bytes(&tracker->islands) +
                 mo_joint_memory_bytes(&tracker->joints) + bytes_of(tracker, lists_of_tracker);
  for (int i = 0; i < MO_CONTACT_PARTS; i++) {
    const mo_contact_part *part = &tracker->parts[i];
    bytes += bytes_of(part, lists_of_part) + bytes_of(&part->carried[0], lists_of_carried) +
             bytes_of(&part->carried[1], lists_of_carried);
  }
  return bytes;
}
