/* A set of pairs as a list of partners for each shape, so that what one shape is paired with is
 * found, changed and removed without a look at other pairs.
 *
 * A pair takes four bytes in each of its two lists; up to three partners are in the list's head,
 * more in a chunk of a common arena: chunks are powers of two, with a list of free ones for each
 * size. Most shapes have none, one or two, so a change is one line of cache and hardly a branch.
 *
 * Lists are in ascending order where they are long (mo_partners_are_few), or all changes to them
 * are made by mo_pair_set_apply; in any order where they are short and partners are added or
 * removed one by one. */
#ifndef MO_SCENE_PAIR_SET_H
#define MO_SCENE_PAIR_SET_H

#include "base/memory.h"

/* A mark that a partner may carry for the time of an update. */
#define MO_PARTNER_SEEN 0x80000000u

typedef struct mo_partners {
  uint32_t count : 27;
  uint32_t size : 5;  /* the binary logarithm of the chunk's; 0 for no chunk */
  uint32_t inside[3]; /* the partners, or where they begin in the arena */
} mo_partners;

enum {
  MO_PARTNERS_INSIDE = 3,
  MO_CHUNK_SIZES = 28,
  MO_MAX_PARTNERS = (1 << 27) - 1,
  /* Lists of up to so many are changed partner by partner, longer ones all at once. */
  MO_PARTNERS_FEW = 32,
};

typedef struct mo_pair_set {
  mo_allocator allocator;
  mo_partners *lists; /* by slot */
  uint32_t slot_capacity;
  uint32_t *arena;
  uint32_t arena_count, arena_capacity;
  uint32_t free_chunk[MO_CHUNK_SIZES]; /* by binary logarithm of the size; MO_NONE for none */
} mo_pair_set;

void mo_pair_set_init(mo_pair_set *set, const mo_allocator *allocator);
void mo_pair_set_destroy(mo_pair_set *set);

/* Room for lists of so many slots. */
mo_result mo_pair_set_reserve_slots(mo_pair_set *set, uint32_t count);

static inline uint32_t *mo_partners_of(const mo_pair_set *set, uint32_t slot) {
  mo_partners *list = &set->lists[slot];
  return list->size == 0 ? list->inside : set->arena + list->inside[0];
}

/* Asks for what is in a list. */
static inline void mo_partners_prefetch(const mo_pair_set *set, uint32_t slot) {
  if (set->lists[slot].size > 0) {
    __builtin_prefetch(set->arena + set->lists[slot].inside[0]);
  }
}

/* Where a partner is in a slot's list, null if it is not. Marked ones count as if they were not. */
uint32_t *mo_partners_find(const mo_pair_set *set, uint32_t slot, uint32_t partner);

static inline bool mo_partners_are_few(const mo_pair_set *set, uint32_t slot) {
  return set->lists[slot].count <= MO_PARTNERS_FEW;
}

/* A slot's partners in ascending order: the list itself, or a copy of a short one in `room`. */
const uint32_t *mo_partners_ordered(const mo_pair_set *set, uint32_t slot,
                                    uint32_t room[MO_PARTNERS_FEW]);

/* Adds one that is not there to a short list. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_add(mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Takes away one that is there; the room it had stays the list's. Whether that now has much more
 * than it needs. */
bool mo_pair_set_take(mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Gives back room that a list does not need any more. */
void mo_pair_set_shrink(mo_pair_set *set, uint32_t slot);

/* Changes to lists are keys in ascending order: slot, partner, and whether the partner is added
 * rather than removed (where both are asked for, it is removed first). A change of the set of pairs
 * takes two of these. */
static inline uint64_t mo_partner_change(uint32_t slot, uint32_t partner, bool add) {
  return (uint64_t)slot << 32 | (uint64_t)partner << 1 | add;
}

/* Makes sure that sorted changes can be made. What is removed must be there, what is added not.
 * MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_reserve(mo_pair_set *set, const uint64_t *changes, uint32_t count);

/* Makes changes for which memory has been reserved. `scratch` is as long as `changes` with the
 * lists that they change. */
void mo_pair_set_apply(mo_pair_set *set, const uint64_t *changes, uint32_t count,
                       uint32_t *scratch);

/* The length of the longest list that sorted changes may leave or find. */
uint32_t mo_pair_set_longest(const mo_pair_set *set, const uint64_t *changes, uint32_t count);

size_t mo_pair_set_bytes(const mo_pair_set *set);

#endif
