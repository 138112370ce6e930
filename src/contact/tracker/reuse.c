/* Pairs whose contacts may be reused (mo_contact_tracker_def::reuse_distance), each with its
 * contacts and the poses of its shapes when these were computed. Each part of an update has two
 * lists of such pairs: one that the last update wrote, and one that this update writes. The two are
 * swapped when the whole update has succeeded. */
#include "base/assert.h"
#include "contact/tracker/tracker.h"

static const mo_reusable_list *previous_reusable_list(const mo_contact_tracker *tracker,
                                                      uint32_t part) {
  return &tracker->parts[part].reusable[tracker->reusable_index];
}

/* If a cursor is at the end of a part, advances it to the next part that has reusable pairs. */
static void skip_to_part_with_pairs(const mo_contact_tracker *tracker, mo_reusable_position *at) {
  while (at->part < tracker->reusable_part_count &&
         at->item == previous_reusable_list(tracker, at->part)->count) {
    at->part++;
    at->item = 0;
  }
}

mo_reusable_position mo_reusable_lower_bound(const mo_contact_tracker *tracker, uint64_t pair) {
  mo_reusable_position at = {0, 0};
  for (; at.part < tracker->reusable_part_count; at.part++) {
    const mo_reusable_list *list = previous_reusable_list(tracker, at.part);
    if (list->count > 0 && list->pairs[list->count - 1].pair >= pair) {
      at.item = mo_item_lower_bound(&list->list, sizeof *list->pairs, pair);
      break;
    }
  }
  return at;
}

const mo_reusable_pair *mo_reusable_find(const mo_contact_tracker *tracker,
                                         mo_reusable_position *next, uint64_t pair) {
  skip_to_part_with_pairs(tracker, next);
  while (next->part < tracker->reusable_part_count) {
    const mo_reusable_pair *found = &previous_reusable_list(tracker, next->part)->pairs[next->item];
    if (found->pair >= pair) {
      return found->pair == pair ? found : NULL;
    }
    next->item++;
    skip_to_part_with_pairs(tracker, next);
  }
  return NULL;
}

const mo_contact *mo_reusable_contacts(const mo_contact_tracker *tracker, mo_reusable_position at) {
  const mo_reusable_list *list = previous_reusable_list(tracker, at.part);
  MO_ASSERT(at.part < tracker->reusable_part_count && at.item < list->count);
  const mo_contact *contacts = list->contacts.items;
  return contacts != NULL ? contacts + list->pairs[at.item].first : NULL;
}

mo_contact *mo_contact_part_add_reusable(const mo_contact_tracker *tracker, mo_contact_part *part,
                                         mo_reusable_pair pair) {
  mo_reusable_list *list = &part->reusable[!tracker->reusable_index];
  if (!mo_contact_part_reserve(tracker, part, &list->list, sizeof *list->pairs, 1) ||
      !mo_contact_part_reserve(tracker, part, &list->contacts.list, sizeof *list->contacts.items,
                               pair.count + 1)) {
    return NULL;
  }
  MO_ASSERT(list->count == 0 || list->pairs[list->count - 1].pair < pair.pair);
  pair.first = list->contacts.count;
  list->contacts.count += pair.count;
  list->pairs[list->count++] = pair;
  return list->contacts.items + pair.first;
}
