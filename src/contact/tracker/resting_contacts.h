/* Contacts at rest: contacts of pairs in which neither shape is awake. An update does not read
 * them. The cost to add, find or remove the contacts of a shape does not depend on how many other
 * contacts there are: contacts are stored in an unordered array, and each is in two linked lists,
 * one for each of its shapes. */
#ifndef MO_CONTACT_TRACKER_RESTING_CONTACTS_H
#define MO_CONTACT_TRACKER_RESTING_CONTACTS_H

#include <motte/contact_tracker.h>

#include "base/memory.h"

/* A contact at rest, with its links in the lists of its first shape ([0]) and second shape ([1]). A
 * link is 2 * the index of a contact in the array, plus 1 if the list's shape is the second shape
 * of that contact; or MO_NONE. */
typedef struct mo_resting_contact {
  mo_tracked_contact contact_at_rest;
  uint32_t next[2], previous[2];
} mo_resting_contact;

typedef struct mo_resting {
  MO_LIST(mo_resting_contact, contacts);
  MO_LIST(uint32_t, items) heads; /* by slot: the first link of the shape's list, or MO_NONE */
} mo_resting;

/* The index of a contact in the array, with its sort key (`pair`, `children`, then `triangles`).
 */
typedef struct mo_resting_index {
  uint64_t pair, children, triangles;
  uint32_t index;
} mo_resting_index;

typedef MO_LIST(mo_resting_index, items) mo_resting_indices;

/* Adds a contact at rest; memory must have been reserved. */
void mo_resting_add(mo_resting *resting, const mo_tracked_contact *contact);

/* The first link of a shape's list, and the link after a given link. */
static inline uint32_t mo_resting_first(const mo_resting *resting, uint32_t slot) {
  return slot < resting->heads.count ? resting->heads.items[slot] : MO_NONE;
}

static inline uint32_t mo_resting_next(const mo_resting *resting, uint32_t link) {
  return resting->contacts[link / 2].next[link % 2];
}

/* Appends the indices of all contacts of a shape, except contacts whose first shape is another
 * shape that is marked in `taken` (by slot, may be null), as these are collected with that shape.
 * Errors: MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_resting_collect(const mo_allocator *allocator, const mo_resting *resting,
                             uint32_t slot, const uint8_t *taken, mo_resting_indices *indices);

/* Sorts indices in the order of contacts. */
void mo_resting_sort(mo_resting_indices *indices);

/* Sorts indices and removes duplicates. */
void mo_resting_sort_unique(mo_resting_indices *indices);

/* Removes the contacts at these indices. Changes the order of `indices`. */
void mo_resting_remove(mo_resting *resting, mo_resting_indices *indices);

#endif
