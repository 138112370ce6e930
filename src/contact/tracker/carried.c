/* Pairs whose contacts may be reused (mo_contact_tracker_def::reuse_distance), each with its
 * contacts and the poses of its shapes when these were computed. Each part of an update has two
 * lists of such pairs: one written by the last update, and one that this update writes. They are
 * swapped once the whole update has succeeded. */
#include <string.h>

#include "base/assert.h"
#include "contact/tracker/tracker.h"

static const mo_carried_list *list_before(const mo_contact_tracker *tracker, uint32_t part) {
  return &tracker->parts[part].carried[tracker->carried];
}

/* Advances a cursor to the next part with pairs left, if its part has none. */
static void skip_ended_parts(const mo_contact_tracker *tracker, mo_carried_cursor *at) {
  while (at->part < tracker->carried_parts && at->item == list_before(tracker, at->part)->count) {
    at->part++;
    at->item = 0;
  }
}

mo_carried_cursor mo_first_carried_from(const mo_contact_tracker *tracker, uint64_t pair) {
  mo_carried_cursor at = {0, 0};
  for (; at.part < tracker->carried_parts; at.part++) {
    const mo_carried_list *list = list_before(tracker, at.part);
    if (list->count > 0 && list->pairs[list->count - 1].pair >= pair) {
      uint32_t lower = 0, upper = list->count - 1;
      while (lower < upper) {
        uint32_t middle = lower + (upper - lower) / 2;
        if (list->pairs[middle].pair < pair) {
          lower = middle + 1;
        } else {
          upper = middle;
        }
      }
      at.item = lower;
      break;
    }
  }
  return at;
}

const mo_carried_pair *mo_carried_find(const mo_contact_tracker *tracker, mo_carried_cursor *next,
                                       uint64_t pair) {
  skip_ended_parts(tracker, next);
  while (next->part < tracker->carried_parts) {
    const mo_carried_pair *found = &list_before(tracker, next->part)->pairs[next->item];
    if (found->pair >= pair) {
      return found->pair == pair ? found : NULL;
    }
    next->item++;
    skip_ended_parts(tracker, next);
  }
  return NULL;
}

const mo_contact *mo_carried_contacts(const mo_contact_tracker *tracker, mo_carried_cursor at) {
  const mo_carried_list *list = list_before(tracker, at.part);
  MO_ASSERT(at.part < tracker->carried_parts && at.item < list->count);
  return list->contacts != NULL ? list->contacts + list->pairs[at.item].first : NULL;
}

bool mo_contact_part_add_carried(const mo_contact_tracker *tracker, mo_contact_part *part,
                                 mo_carried_pair pair, const mo_contact *contacts) {
  mo_carried_list *list = &part->carried[!tracker->carried];
  void *pairs = list->pairs, *more = list->contacts;
  bool ok = mo_contact_part_reserve(tracker, part, &pairs, sizeof *list->pairs, list->count,
                                    &list->capacity, 1);
  list->pairs = pairs;
  ok = ok && mo_contact_part_reserve(tracker, part, &more, sizeof *list->contacts,
                                     list->contact_count, &list->contact_capacity, pair.count);
  list->contacts = more;
  if (!ok) {
    return false;
  }
  if (pair.count > 0) {
    memcpy(list->contacts + list->contact_count, contacts, pair.count * sizeof *contacts);
  }
  MO_ASSERT(list->count == 0 || list->pairs[list->count - 1].pair < pair.pair);
  pair.first = list->contact_count;
  list->contact_count += pair.count;
  list->pairs[list->count++] = pair;
  return true;
}

static void trim_list(const mo_allocator *allocator, mo_carried_list *list, bool all) {
  if (all || mo_is_spare(list->capacity, sizeof *list->pairs, list->needed) ||
      mo_is_spare(list->contact_capacity, sizeof *list->contacts, list->contacts_needed)) {
    void *pairs = list->pairs, *contacts = list->contacts;
    mo_array_trim(allocator, &pairs, sizeof *list->pairs, list->count, &list->capacity);
    mo_array_trim(allocator, &contacts, sizeof *list->contacts, list->contact_count,
                  &list->contact_capacity);
    list->pairs = pairs;
    list->contacts = contacts;
  }
  list->needed = list->count;
  list->contacts_needed = list->contact_count;
}

void mo_contact_part_trim_carried(const mo_contact_tracker *tracker, mo_contact_part *part,
                                  bool all) {
  for (uint32_t k = 0; k < 2; k++) {
    mo_carried_list *list = &part->carried[k];
    bool is_before = k == tracker->carried && part < tracker->parts + tracker->carried_parts;
    if (!is_before) {
      list->count = list->contact_count = 0;
    }
    trim_list(&tracker->host.allocator, list, all);
  }
}

size_t mo_carried_bytes(const mo_contact_part *part) {
  size_t bytes = 0;
  for (int k = 0; k < 2; k++) {
    bytes += part->carried[k].capacity * sizeof *part->carried[k].pairs +
             part->carried[k].contact_capacity * sizeof *part->carried[k].contacts;
  }
  return bytes;
}
