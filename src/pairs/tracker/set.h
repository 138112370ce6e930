/* A set of pairs, stored as a list of partners for each shape, so that the pairs of one shape can
 * be found, changed and removed without reading other pairs.
 *
 * A pair takes four bytes in each of its two lists. Up to three partners are stored in the head of
 * a list, more in a chunk of an arena. Chunks have a few sizes, with a free list for each: small
 * sizes are multiples of four, which fit well, larger ones are powers of two. Most shapes have at
 * most two partners, so a change touches one cache line and needs hardly a branch. A head does not
 * store its count: unused entries are MO_NONE. That leaves space for a tag, which is read
 * together with the partners.
 *
 * Slots belong to ranges, and each range has an arena of its own (mo_pair_set_range_of_slot). So
 * tasks may change the set concurrently, each the lists of different ranges.
 *
 * Long lists (those for which mo_partner_list_is_short is false), and lists that only
 * mo_pair_set_apply changes, are in ascending order. Short lists are unordered after partners were
 * added or removed one by one. */
#ifndef MO_PAIRS_TRACKER_SET_H
#define MO_PAIRS_TRACKER_SET_H

#include "base/memory.h"

/* Flag on a partner in a list during an update: the search has found the pair again. */
#define MO_PARTNER_MARK 0x80000000u

enum { MO_MAX_INLINE_PARTNERS = 3 };

typedef struct mo_partners {
  uint32_t tag; /* a number that the user of the set may store; 0 at first */
  /* Without a chunk: up to three partners; unused entries are MO_NONE. With a chunk:
   * MO_PARTNERS_CHUNK_MARKER, the chunk's position in the arena, and (number of the chunk's size <<
   * MO_PARTNER_COUNT_BITS | number of partners). */
  uint32_t entries[MO_MAX_INLINE_PARTNERS];
} mo_partners;

/* Value of entries[0] of a list with a chunk: neither a slot nor a marked slot, as slots are below
 * MO_MAX_PAIR_SET_SLOTS. */
#define MO_PARTNERS_CHUNK_MARKER 0xfffffffeu
#define MO_MAX_PAIR_SET_SLOTS 0x7ffffffeu

enum {
  MO_PARTNER_COUNT_BITS = 26,     /* bits of an entry for the count of a list with a chunk */
  MO_SMALL_CHUNK_SIZE_COUNT = 16, /* sizes 4, 8, 12, ... partners; larger sizes double each time */
  MO_PARTNER_CHUNK_SIZE_COUNT = 37, /* number of chunk sizes; size number 0: no chunk */
  MO_MAX_PARTNERS = (1 << MO_PARTNER_COUNT_BITS) - 1,
  /* Lists of up to this many partners are changed partner by partner, longer lists by merging. */
  MO_MAX_SHORT_PARTNER_LIST = 32,
  MO_SLOT_RANGE_COUNT = 32,
  MO_SLOT_RANGE_BITS =
      4, /* 2^this consecutive slots are in one range: a few cache lines of lists */
};

typedef struct mo_partner_arena {
  MO_LIST(uint32_t, partners);
  uint32_t free_entry_count; /* number of entries in free chunks */
  uint32_t workspace_begin;  /* position after all chunks, where mo_pair_set_apply has workspace */
  uint32_t
      free_chunk[MO_PARTNER_CHUNK_SIZE_COUNT]; /* by size number: first free chunk, or MO_NONE */
} mo_partner_arena;

typedef struct mo_pair_set {
  mo_allocator allocator;
  mo_partners *lists; /* the list of partners of each slot */
  uint32_t slot_capacity;
  mo_partner_arena arenas[MO_SLOT_RANGE_COUNT];
} mo_pair_set;

static inline uint32_t mo_pair_set_range_of_slot(uint32_t slot) {
  return slot >> MO_SLOT_RANGE_BITS & (MO_SLOT_RANGE_COUNT - 1);
}

void mo_pair_set_init(mo_pair_set *set, const mo_allocator *allocator);
void mo_pair_set_destroy(mo_pair_set *set);

/* Reserves capacity for the lists of `count` slots. MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_reserve_slots(mo_pair_set *set, uint32_t count);

/* An entry of a list that another task may be marking. */
static inline uint32_t mo_partner_entry(const uint32_t *partners, uint32_t i) {
  return __atomic_load_n(&partners[i], __ATOMIC_RELAXED);
}

static inline bool mo_partners_have_chunk(const mo_partners *list) {
  return list->entries[0] == MO_PARTNERS_CHUNK_MARKER;
}

/* The number of the chunk size of a list; 0 if it has no chunk. */
static inline uint32_t mo_partners_chunk_size(const mo_partners *list) {
  return mo_partners_have_chunk(list) ? list->entries[2] >> MO_PARTNER_COUNT_BITS : 0;
}

/* The capacity, in partners, of a list with a chunk of a size number; 0: without a chunk. */
static inline uint32_t mo_partner_chunk_capacity(uint32_t size) {
  return size == 0 ? (uint32_t)MO_MAX_INLINE_PARTNERS
         : size <= MO_SMALL_CHUNK_SIZE_COUNT
             ? 4 * size
             : 4u * MO_SMALL_CHUNK_SIZE_COUNT << (size - MO_SMALL_CHUNK_SIZE_COUNT);
}

static inline uint32_t mo_partners_count(const mo_pair_set *set, uint32_t slot) {
  const mo_partners *list = &set->lists[slot];
  if (mo_partners_have_chunk(list)) {
    return list->entries[2] & MO_MAX_PARTNERS;
  }
  return (uint32_t)(list->entries[0] != MO_NONE) + (list->entries[1] != MO_NONE) +
         (list->entries[2] != MO_NONE);
}

/* The chunk of a slot's list, which must have one. */
static inline uint32_t *mo_partners_chunk(const mo_pair_set *set, uint32_t slot) {
  return set->arenas[mo_pair_set_range_of_slot(slot)].partners + set->lists[slot].entries[1];
}

static inline uint32_t *mo_partners_of(const mo_pair_set *set, uint32_t slot) {
  mo_partners *list = &set->lists[slot];
  return mo_partners_have_chunk(list) ? mo_partners_chunk(set, slot) : list->entries;
}

/* The entry of a partner in a slot's list, null if it is not there. Marks are ignored. */
uint32_t *mo_partners_find(const mo_pair_set *set, uint32_t slot, uint32_t partner);

static inline bool mo_partner_list_is_short(const mo_pair_set *set, uint32_t slot) {
  return !mo_partners_have_chunk(&set->lists[slot]) ||
         mo_partners_count(set, slot) <= MO_MAX_SHORT_PARTNER_LIST;
}

/* A slot's partners in ascending order: the list itself if it is long, else a sorted copy in
 * `sorted`. */
const uint32_t *mo_partners_in_order(const mo_pair_set *set, uint32_t slot,
                                     uint32_t sorted[MO_MAX_SHORT_PARTNER_LIST]);

/* The number of partners in a long list that are lower than `partner`. */
uint32_t mo_partners_lower_bound(const mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Adds a partner to a short list that does not contain it. MO_ERROR_OUT_OF_MEMORY,
 * MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_add(mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Removes a partner that is in the list of a slot; the list keeps its capacity. Returns whether the
 * capacity is now much larger than needed. */
bool mo_pair_set_remove(mo_pair_set *set, uint32_t slot, uint32_t partner);

/* Moves a list to a smaller chunk if its capacity is much larger than it needs. */
void mo_pair_set_shrink(mo_pair_set *set, uint32_t slot);

/* The key of a change of a list. Keys are ordered by slot, then partner, then removals before
 * additions. To change a pair takes two such changes. */
static inline uint64_t mo_partner_change_key(uint32_t slot, uint32_t partner, bool add) {
  return (uint64_t)slot << 32 | (uint64_t)partner << 1 | add;
}

/* The key of a request to shrink a list after all changes (mo_pair_set_shrink). It may occur
 * several times, and sorts after the other changes of the list. */
static inline uint64_t mo_partner_shrink_key(uint32_t slot) {
  return (uint64_t)slot << 32 | UINT32_MAX;
}

/* Reserves memory for sorted changes, which mo_pair_set_apply then makes. Partners to remove must
 * be in the set, partners to add must not be. Errors: MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_pair_set_reserve(mo_pair_set *set, const uint64_t *changes, uint32_t count);

/* Makes sorted changes for which memory has been reserved. */
void mo_pair_set_apply(mo_pair_set *set, const uint64_t *changes, uint32_t count);

/* Frees memory that no list needs, and the (empty) lists of slots from `slots` on. */
void mo_pair_set_trim(mo_pair_set *set, uint32_t slots);

/* Compacts each arena of which at most a quarter is in use (mo_workspace_is_oversized). */
void mo_pair_set_trim_sparse_arenas(mo_pair_set *set);

size_t mo_pair_set_bytes(const mo_pair_set *set);

#endif
