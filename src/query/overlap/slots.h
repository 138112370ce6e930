/* The shapes that a region query found: their slots, kept in the memory that the caller gave for
 * the answers until it is known which these are. An answer is at least twice as wide as a slot, so
 * there is enough memory to sort them there. */
#ifndef MO_QUERY_OVERLAP_SLOTS_H
#define MO_QUERY_OVERLAP_SLOTS_H

#include "base/bounded.h"
#include "scene/scene.h"

/* A bit of a key that does not count for the order. The other bits are a slot. */
#define MO_SLOT_FLAG 0x80000000u

/* `list` is of keys (uint32_t), in memory for so many answers. */
static inline mo_bounded mo_slots_make(void *answers, uint32_t capacity) {
  return mo_bounded_make(answers, capacity);
}

static inline bool mo_slot_before(const void *a, const void *b) {
  uint32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x & ~MO_SLOT_FLAG) < (y & ~MO_SLOT_FLAG);
}

static inline void mo_slots_add(mo_bounded *list, uint32_t key) {
  mo_bounded_offer(list, &key, sizeof key, mo_slot_before);
}

/* Sorts the keys to the end of the memory that as many answers of `size` bytes take, a multiple of
 * four and at least eight. So answers can be written from the front while the keys are read one by
 * one. */
const uint32_t *mo_slots_sort(mo_bounded *list, size_t size);

/* The same, and writes their ids. */
void mo_slots_write_ids(mo_bounded *list, const mo_scene *scene, mo_shape_id *ids);

#endif
