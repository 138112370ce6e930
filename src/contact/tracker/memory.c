/* Memory of contact trackers: counts its bytes, records how much updates need, and frees memory
 * that was not needed lately. */
#include <stddef.h>

#include "contact/tracker/tracker.h"

/* When the memory of a list is freed automatically; on request, that of all lists is freed. */
typedef enum when_freed {
  FREED_IF_MOSTLY_UNUSED,   /* when few items of the list were needed lately */
  FREED_WITH_PREVIOUS_LIST, /* together with the list before it in the table */
  FREED_ONLY_ON_REQUEST,    /* never automatically */
} when_freed;

/* Describes a list (MO_LIST) that is a member of a struct: a row of the tables below. */
typedef struct member_list {
  size_t offset, item_size; /* in bytes; item_size 0 marks the end of the table */
  when_freed when;
  bool keeps_items; /* only memory beyond the items is freed; false: the items are not needed */
} member_list;

#define MEMBER_LIST_ROW(type, list, items, ...)                                                    \
  { offsetof(type, list), sizeof *((type *)NULL)->items, __VA_ARGS__ }
#define PART_LIST_ROW(name, when)                                                                  \
  MEMBER_LIST_ROW(mo_contact_update_part, name.list, name.items, when, false)
#define TRACKER_LIST_ROW(name, items, ...)                                                         \
  MEMBER_LIST_ROW(mo_contact_tracker, name.list, name.items, __VA_ARGS__)

static const member_list lists_of_reusable[] = {
    MEMBER_LIST_ROW(mo_reusable_list, list, pairs, FREED_IF_MOSTLY_UNUSED, true),
    MEMBER_LIST_ROW(mo_reusable_list, contacts.list, contacts.items, FREED_IF_MOSTLY_UNUSED, true),
    MEMBER_LIST_ROW(mo_reusable_list, points.list, points.items, FREED_IF_MOSTLY_UNUSED, true),
    {0},
};

/* The lists of a mo_contact_update_part, except the lists of reusable pairs. */
static const member_list lists_of_part[] = {
    PART_LIST_ROW(contacts, FREED_IF_MOSTLY_UNUSED),
    PART_LIST_ROW(new_resting, FREED_IF_MOSTLY_UNUSED),
    PART_LIST_ROW(begins, FREED_IF_MOSTLY_UNUSED),
    PART_LIST_ROW(ends, FREED_IF_MOSTLY_UNUSED),
    PART_LIST_ROW(updated, FREED_IF_MOSTLY_UNUSED),
    PART_LIST_ROW(sides, FREED_IF_MOSTLY_UNUSED),
    PART_LIST_ROW(axes, FREED_IF_MOSTLY_UNUSED),
    PART_LIST_ROW(unmodified, FREED_ONLY_ON_REQUEST),
    PART_LIST_ROW(matched_points, FREED_ONLY_ON_REQUEST),
    {0},
};

static const member_list lists_of_tracker[] = {
    TRACKER_LIST_ROW(seams, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(seams.starts, items, FREED_WITH_PREVIOUS_LIST, false),
    TRACKER_LIST_ROW(seams.slots, items, FREED_WITH_PREVIOUS_LIST, false),
    TRACKER_LIST_ROW(seams.is_examined, items, FREED_WITH_PREVIOUS_LIST, false),
    TRACKER_LIST_ROW(merging, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(merging.starts, items, FREED_WITH_PREVIOUS_LIST, false),
    TRACKER_LIST_ROW(merging.planes, items, FREED_WITH_PREVIOUS_LIST, false),
    TRACKER_LIST_ROW(contacts_to_write, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(current_and_woken, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(current_contacts, items, FREED_IF_MOSTLY_UNUSED, true),
    TRACKER_LIST_ROW(resting, contacts, FREED_IF_MOSTLY_UNUSED, true),
    TRACKER_LIST_ROW(resting.heads, items, FREED_ONLY_ON_REQUEST, true),
    TRACKER_LIST_ROW(woken, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(pairs, keys, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(sorting, keys, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(begins, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(ends, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(axes, items, FREED_IF_MOSTLY_UNUSED, false),
    TRACKER_LIST_ROW(moved_kinematic, items, FREED_ONLY_ON_REQUEST, true),
    TRACKER_LIST_ROW(known_shapes, items, FREED_ONLY_ON_REQUEST, true),
    {0},
};

static mo_list *list_of_member(const void *owner, const member_list *of) {
  return (mo_list *)(void *)((char *)owner + of->offset);
}

static void trim_lists(const mo_allocator *allocator, void *owner, const member_list *of,
                       bool all) {
  for (bool frees = all; of->item_size > 0; of++) {
    mo_list *list = list_of_member(owner, of);
    const uint32_t kept = of->keeps_items ? list->count : 0;
    if (!all && of->when != FREED_WITH_PREVIOUS_LIST) {
      frees = of->when == FREED_IF_MOSTLY_UNUSED &&
              mo_workspace_is_oversized(list->capacity, of->item_size, list->needed);
    }
    if (frees) {
      mo_list_trim(allocator, list, of->item_size, kept);
    }
    list->needed = kept;
  }
}

static void record_needed_counts(void *owner, const member_list *of) {
  for (; of->item_size > 0; of++) {
    mo_list_record_needed(list_of_member(owner, of), list_of_member(owner, of)->count);
  }
}

static size_t bytes_of(const void *owner, const member_list *of) {
  size_t bytes = 0;
  for (; of->item_size > 0; of++) {
    bytes += list_of_member(owner, of)->capacity * of->item_size;
  }
  return bytes;
}

static void trim_part(mo_contact_tracker *tracker, mo_contact_update_part *part, bool all) {
  const mo_allocator *allocator = &tracker->host.allocator;
  trim_lists(allocator, part, lists_of_part, all);
  for (uint32_t k = 0; k < 2; k++) {
    mo_reusable_list *list = &part->reusable[k];
    bool is_before =
        k == tracker->reusable_index && part < tracker->parts + tracker->reusable_part_count;
    if (!is_before) {
      list->count = list->contacts.count = list->points.count = 0;
    }
    trim_lists(allocator, list, lists_of_reusable, all);
  }
}

void mo_contact_tracker_free_workspace(mo_contact_tracker *tracker, bool all) {
  for (int i = 0; i < MO_MAX_CONTACT_UPDATE_PARTS; i++) {
    trim_part(tracker, &tracker->parts[i], all);
  }
  trim_lists(&tracker->host.allocator, tracker, lists_of_tracker, all);
}

void mo_contact_tracker_record_needed_counts(mo_contact_tracker *tracker) {
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    mo_contact_update_part *part = &tracker->parts[i];
    record_needed_counts(part, lists_of_part);
    record_needed_counts(&part->reusable[0], lists_of_reusable);
    record_needed_counts(&part->reusable[1], lists_of_reusable);
  }
  record_needed_counts(tracker, lists_of_tracker);
  mo_list_record_needed(&tracker->contacts_to_write.list, tracker->current_contacts.count);
}

size_t mo_contact_tracker_bytes(const mo_contact_tracker *tracker) {
  size_t bytes = sizeof *tracker + tracker->log.slot_capacity * (sizeof(uint32_t) + 1) +
                 mo_island_workspace_bytes(&tracker->islands) +
                 mo_joint_list_bytes(&tracker->joints) + bytes_of(tracker, lists_of_tracker);
  for (int i = 0; i < MO_MAX_CONTACT_UPDATE_PARTS; i++) {
    const mo_contact_update_part *part = &tracker->parts[i];
    bytes += bytes_of(part, lists_of_part) + bytes_of(&part->reusable[0], lists_of_reusable) +
             bytes_of(&part->reusable[1], lists_of_reusable);
  }
  return bytes;
}
