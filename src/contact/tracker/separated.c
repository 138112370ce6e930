/* Caches a separating axis for each pair whose boxes touch but whose shapes were apart in the last
 * update. Mostly that axis still separates them, and no search is needed. */
#include <string.h>

#include "base/assert.h"
#include "contact/tracker/tracker.h"

uint32_t mo_first_separated_from(const mo_separated_list *list, uint64_t pair) {
  uint32_t lower = 0, upper = list->count;
  while (lower < upper) {
    uint32_t middle = lower + (upper - lower) / 2;
    if (list->items[middle].pair < pair) {
      lower = middle + 1;
    } else {
      upper = middle;
    }
  }
  return lower;
}

mo_dvec3 mo_separated_axis(const mo_separated_list *list, uint32_t *next, uint64_t pair) {
  while (*next < list->count && list->items[*next].pair < pair) {
    ++*next;
  }
  bool known = *next < list->count && list->items[*next].pair == pair;
  return known ? mo_dunit(mo_widen(list->items[*next].axis)) : mo_dvec(0.0, 0.0, 0.0);
}

bool mo_contact_part_add_separated(const mo_contact_tracker *tracker, mo_contact_part *part,
                                   uint64_t pair, mo_dvec3 axis) {
  const mo_separated_list *list = &part->separated;
  const mo_separated_pair added = {pair, mo_narrow(axis)};
  MO_ASSERT(mo_is_unit(axis) && (list->count == 0 || list->items[list->count - 1].pair < pair));
  return mo_contact_part_add(tracker, part, &part->separated.list, sizeof added, &added);
}

void mo_contact_tracker_join_separated(mo_contact_tracker *tracker) {
  mo_separated_list *list = &tracker->separated;
  list->count = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    const mo_separated_list *more = &tracker->parts[i].separated;
    if (more->count > 0) {
      MO_ASSERT(list->count + more->count <= list->capacity);
      memcpy(list->items + list->count, more->items, more->count * sizeof *more->items);
      list->count += more->count;
    }
  }
}
