/* A set of pairs: a list of partners for each shape, so that the pairs of one shape are found,
 * changed and removed without reading other pairs.
 *
 * A pair takes four bytes in each of its two lists. Up to three partners lie in the head of a list,
 * more in a chunk of an arena, of few sizes with a free list for each: multiples of four as long as
 * these are small, so that they fit well, then powers of two. Most shapes have at most two
 * partners, so a change is one cache line and hardly a branch. A head does not store its count:
 * unused places are MO_NONE. That leaves space for a tag, which is needed together with the
 * partners.
 *
 * Slots belong to ranges, and each range has an arena of its own (mo_pair_set_range). So tasks may
 * change the set at the same time, each the lists of other ranges.
 *
 * Long lists (mo_partners_are_few) and lists that only mo_pair_set_apply changes are in ascending
 * order. Short lists are in any order after partners were added or removed one by one. */
#ifndef MO_SCENE_PAIRS_SET_H
#define MO_SCENE_PAIRS_SET_H

#include "base/memory.h"

/* A mark on a partner during an update. */
#define MO_PARTNER_SEEN 0x80000000u

enum { MO_PARTNERS_INSIDE = 3 };

typedef struct mo_partners {
  uint32_t tag; /* the user's, 0 at first */
  /* The partners, the rest MO_NONE; or MO_PARTNERS_CHUNK, where they begin in the arena, and how
   * many there are with the number of the chunk's size, << MO_COUNT_BITS. */
  uint32_t inside[MO_PARTNERS_INSIDE];
} mo_partners;

/* Neither a slot nor a marked one: these are below MO_PAIR_SET_SLOTS. */
#define MO_PARTNERS_CHUNK 0xfffffffeu
#define MO_PAIR_SET_SLOTS 0x7ffffffeu

enum {
  MO_COUNT_BITS = 26,
  MO_SMALL_SIZES = 16, /* 4, 8, 12, ... partners; the sizes after that are twice as large each */
  MO_CHUNK_SIZES = 37, /* by number; number 0 is no chunk */
  MO_MAX_PARTNERS = (1 << MO_COUNT_BITS) - 1,
  /* Lists of up to so many are changed partner by partner, longer ones all at once. */
  MO_PARTNERS_FEW = 32,
  MO_PAIR_RANGES = 32,
  MO_RANGE_BITS = 4, /* as many slots in a row belong to one range: some lines of cache */
};

typedef struct mo_partner_arena {
  uint32_t *partners;
  uint32_t count, capacity;
  uint32_t spare;   /* places in free chunks */
  uint32_t scratch; /* where mo_pair_set_apply may write what lies beyond all chunks */
  uint32_t free_chunk[MO_CHUNK_SIZES]; /* by number of the size; MO_NONE for none */
} mo_partner_arena;

typedef struct mo_pair_set {
  mo_allocator allocator;
  mo_partners *lists; /* by slot */
  uint32_t slot_capacity;
  mo_partner_arena arenas[MO_PAIR_RANGES];
} mo_pair_set;

static inline uint32_t mo_pair_set_range(uint32_t slot) {
  return slot >> MO_RANGE_BITS & (MO_PAIR_RANGES - 1);
}

void mo_pair_set_init(mo_pair_set *set, const mo_allocator *allocator);
void mo_pair_set_destroy(mo_pair_set *set);

/* Reserves capacity for the lists of so many slots. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_reserve_slots(mo_pair_set *set, uint32_t count);

static inline bool mo_partners_have_chunk(const mo_partners *list) {
  return list->inside[0] == MO_PARTNERS_CHUNK;
}

/* The number of the size of a list's chunk; 0 for no chunk. */
static inline uint32_t mo_partners_size(const mo_partners *list) {
  return mo_partners_have_chunk(list) ? list->inside[2] >> MO_COUNT_BITS : 0;
}

/* How many partners a list with a chunk of this size, or without a chunk, may have. */
static inline uint32_t mo_chunk_capacity(uint32_t size) {
  return size == 0                ? (uint32_t)MO_PARTNERS_INSIDE
         : size <= MO_SMALL_SIZES ? 4 * size
                                  : 4u * MO_SMALL_SIZES << (size - MO_SMALL_SIZES);
}

static inline uint32_t mo_partners_count(const mo_pair_set *set, uint32_t slot) {
  const mo_partners *list = &set->lists[slot];
  if (mo_partners_have_chunk(list)) {
    return list->inside[2] & MO_MAX_PARTNERS;
  }
  return (uint32_t)(list->inside[0] != MO_NONE) + (list->inside[1] != MO_NONE) +
         (list->inside[2] != MO_NONE);
}

/* Of a list that has one. */
static inline uint32_t *mo_partners_chunk(const mo_pair_set *set, uint32_t slot) {
  return set->arenas[mo_pair_set_range(slot)].partners + set->lists[slot].inside[1];
}

static inline uint32_t *mo_partners_of(const mo_pair_set *set, uint32_t slot) {
  mo_partners *list = &set->lists[slot];
  return mo_partners_have_chunk(list) ? mo_partners_chunk(set, slot) : list->inside;
}

/* Where a partner is in a slot's list, null if it is not. Marked ones count as if they were not. */
uint32_t *mo_partners_find(const mo_pair_set *set, uint32_t slot, uint32_t partner);

static inline bool mo_partners_are_few(const mo_pair_set *set, uint32_t slot) {
  return !mo_partners_have_chunk(&set->lists[slot]) ||
         mo_partners_count(set, slot) <= MO_PARTNERS_FEW;
}

/* A slot's partners in ascending order: the list itself, or a sorted copy of a short one in
 * `room`. */
const uint32_t *mo_partners_ordered(const mo_pair_set *set, uint32_t slot,
                                    uint32_t room[MO_PARTNERS_FEW]);

/* How many partners in a long list are lower. */
uint32_t mo_partners_below(const mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Adds a partner that is not in the list to a short list. MO_ERROR_OUT_OF_MEMORY,
 * MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_add(mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Removes a partner that is in the list, which keeps its capacity. Returns whether that is now much
 * larger than the list. */
bool mo_pair_set_take(mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Frees capacity that a list does not need any more. */
void mo_pair_set_shrink(mo_pair_set *set, uint32_t slot);

/* Changes to lists are keys in ascending order: slot, partner, and whether the partner is added
 * rather than removed (of both, the removal comes first). A change of the set of pairs
 * takes two of these. */
static inline uint64_t mo_partner_change(uint32_t slot, uint32_t partner, bool add) {
  return (uint64_t)slot << 32 | (uint64_t)partner << 1 | add;
}

/* Behind the changes of a list, or alone, once or more: the list is to be shrunk after all
 * changes (mo_pair_set_shrink). */
static inline uint64_t mo_partner_shrinking(uint32_t slot) {
  return (uint64_t)slot << 32 | UINT32_MAX;
}

/* Makes sure that sorted changes can be made next. What is removed must be there, what is added
 * not. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_reserve(mo_pair_set *set, const uint64_t *changes, uint32_t count);

/* Makes changes for which memory has been reserved. */
void mo_pair_set_apply(mo_pair_set *set, const uint64_t *changes, uint32_t count);

/* Gives back memory that no list needs, of lists beyond so many slots too; there are none in
 * those. */
void mo_pair_set_trim(mo_pair_set *set, uint32_t slots);

/* The same for each arena of which no more than a quarter is in use (mo_is_spare). */
void mo_pair_set_trim_spare(mo_pair_set *set);

size_t mo_pair_set_bytes(const mo_pair_set *set);

#endif
