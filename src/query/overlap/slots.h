/* The slots of the shapes that a region query found. Until all shapes are found, their slots are
 * stored in the caller's result buffer. A result is at least twice as large as a slot, so the
 * buffer also has space to sort the slots. */
#ifndef MO_QUERY_OVERLAP_SLOTS_H
#define MO_QUERY_OVERLAP_SLOTS_H

#include "base/bounded.h"
#include "scene/scene.h"

/* A bit of the keys in the list: the shape is not certainly inside the region. The other bits are
 * the slot, by which alone keys are sorted. */
#define MO_SLOT_NOT_INSIDE_FLAG 0x80000000u

static inline bool mo_slot_before(const void *a, const void *b) {
  uint32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x & ~MO_SLOT_NOT_INSIDE_FLAG) < (y & ~MO_SLOT_NOT_INSIDE_FLAG);
}

static inline void mo_slot_list_add(mo_bounded_list *list, uint32_t key) {
  mo_bounded_offer(list, &key, sizeof key, mo_slot_before);
}

/* Sorts the keys (slots with a flag) and moves them to the end of the memory that as many results
 * will take, `size` bytes each (a multiple of four, at least eight). Returns them. So results can
 * be written from the front while the keys are read one by one. */
const uint32_t *mo_slot_list_sort(mo_bounded_list *list, size_t size);

/* Sorts the slots, and writes the ids of their shapes to the result buffer `ids`. */
void mo_slot_list_write_ids(mo_bounded_list *list, const mo_scene *scene, mo_shape_id *ids);

#endif
