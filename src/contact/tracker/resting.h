/* Contacts at rest: those of pairs of which neither shape is awake. An update does not read them,
 * and to add, find or remove those of a shape costs nothing for the others: they lie in an array in
 * no order, and in two lists, one for each of their shapes. */
#ifndef MO_CONTACT_TRACKER_RESTING_H
#define MO_CONTACT_TRACKER_RESTING_H

#include <motte/contact_tracker.h>

#include "base/memory.h"

/* A link of a list says where a contact is in the array, doubled, plus 1 where the shape of the
 * list is its second one; or MO_NONE. Both arrays of links are by the side of the contact. */
typedef struct mo_resting_contact {
  mo_tracked_contact tracked;
  uint32_t next[2], before[2];
} mo_resting_contact;

typedef struct mo_resting {
  mo_resting_contact *contacts;
  uint32_t count, capacity;
  uint32_t needed;  /* at most, since it was last decided whether to give memory back */
  uint32_t *firsts; /* by slot: the first link of its list */
  uint32_t slot_capacity;
} mo_resting;

/* Where a contact is, and its place in the order of contacts. */
typedef struct mo_resting_place {
  uint64_t pair, triangles;
  uint32_t place;
} mo_resting_place;

typedef struct mo_resting_places {
  mo_resting_place *items;
  uint32_t count, capacity, needed;
} mo_resting_places;

/* Lists for so many slots. False when out of memory. */
bool mo_resting_reserve_slots(const mo_allocator *allocator, mo_resting *resting, uint32_t slots);

/* Gives back what is hardly needed, or all that is not; lists of so many slots are kept. */
void mo_resting_trim(const mo_allocator *allocator, mo_resting *resting, bool all, uint32_t slots);

void mo_resting_destroy(const mo_allocator *allocator, mo_resting *resting);
size_t mo_resting_bytes(const mo_resting *resting);

/* Capacity for so many more contacts. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_resting_reserve(const mo_allocator *allocator, mo_resting *resting, uint64_t extra);

/* Adds a contact; there is capacity. */
void mo_resting_add(mo_resting *resting, const mo_tracked_contact *contact);

/* The first link of a shape's list, and the one after a link. */
static inline uint32_t mo_resting_first(const mo_resting *resting, uint32_t slot) {
  return slot < resting->slot_capacity ? resting->firsts[slot] : MO_NONE;
}

static inline uint32_t mo_resting_next(const mo_resting *resting, uint32_t link) {
  return resting->contacts[link / 2].next[link % 2];
}

/* Adds the contacts of a shape to a list of places, but for those whose first shape is another one
 * that is marked in `taken` (by slot, may be null). MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_resting_collect(const mo_allocator *allocator, const mo_resting *resting,
                             uint32_t slot, const uint8_t *taken, mo_resting_places *places);

/* Sorts places in the order of contacts. */
void mo_resting_sort(mo_resting_places *places);

/* Leaves each place once in a list. */
void mo_resting_unite(mo_resting_places *places);

/* Removes the contacts at these places, whose order is lost. */
void mo_resting_remove(mo_resting *resting, mo_resting_places *places);

#endif
