/* Caches the separating axis or contact normal of each pair for which the last update found one by
 * a search. Mostly the axis still separates the shapes, and no search is needed; else the search
 * starts at it. */
#include "base/assert.h"
#include "contact/tracker/tracker.h"

static const mo_pair_axis *find(const mo_axis_list *list, uint32_t *next, uint64_t pair) {
  while (*next < list->count && list->items[*next].pair < pair) {
    ++*next;
  }
  return *next < list->count && list->items[*next].pair == pair ? &list->items[*next] : NULL;
}

mo_dvec3 mo_find_cached_axis(const mo_axis_list *list, uint32_t *next, uint64_t pair) {
  const mo_pair_axis *known = find(list, next, pair);
  return known != NULL ? mo_dunit(mo_widen(known->axis)) : mo_dvec(0.0, 0.0, 0.0);
}

bool mo_contact_update_part_keep_axis(const mo_contact_tracker *tracker,
                                      mo_contact_update_part *part, uint32_t *next, uint64_t pair) {
  const mo_pair_axis *known = find(&tracker->axes, next, pair);
  return known == NULL ||
         mo_contact_update_part_add(tracker, part, &part->axes.list, sizeof *known, known);
}

bool mo_contact_update_part_add_axis(const mo_contact_tracker *tracker,
                                     mo_contact_update_part *part, uint64_t pair, mo_dvec3 axis) {
  const mo_axis_list *list = &part->axes;
  const mo_pair_axis added = {pair, mo_narrow(axis)};
  MO_ASSERT(mo_is_unit(axis) && (list->count == 0 || list->items[list->count - 1].pair < pair));
  return mo_contact_update_part_add(tracker, part, &part->axes.list, sizeof added, &added);
}
