/* Sorts the slots of the shapes that a region query found. */
#include "query/overlap/slots.h"

#include "base/key_sort.h"

const uint32_t *mo_slot_list_sort(mo_bounded_list *list, size_t size) {
  uint32_t count = list->count;
  if (count == 0) { /* `list->items` may be null */
    return NULL;
  }
  uint32_t *front = list->items, *back = front + (size / sizeof *front - 1) * count;
  mo_keys32_sort(front, back, count, ~MO_SLOT_NOT_INSIDE_FLAG);
  return back;
}

void mo_slot_list_write_ids(mo_bounded_list *list, const mo_scene *scene, mo_shape_id *ids) {
  const uint32_t *sorted = mo_slot_list_sort(list, sizeof *ids);
  for (uint32_t i = 0; i < list->count; i++) {
    ids[i] = mo_shape_id_of(scene, sorted[i]);
  }
}
