/* A set of pairs, stored as a list of partners for each shape. */
#include "pairs/tracker/set.h"

#include <string.h>

#include "base/assert.h"

/* Makes an arena of an array of `count` entries, all of which belong to chunks of lists. */
static mo_partner_arena arena_of(uint32_t *partners, uint32_t count) {
  mo_partner_arena arena = {.partners = partners, .count = count, .capacity = count};
  for (int size = 0; size < MO_PARTNER_CHUNK_SIZE_COUNT; size++) {
    arena.free_chunk[size] = MO_NONE;
  }
  return arena;
}

void mo_pair_set_init(mo_pair_set *set, const mo_allocator *allocator) {
  *set = (mo_pair_set){.allocator = *allocator};
  for (int range = 0; range < MO_SLOT_RANGE_COUNT; range++) {
    set->arenas[range] = arena_of(NULL, 0);
  }
}

void mo_pair_set_destroy(mo_pair_set *set) {
  mo_deallocate(&set->allocator, set->lists, set->slot_capacity, sizeof *set->lists);
  for (int range = 0; range < MO_SLOT_RANGE_COUNT; range++) {
    const mo_partner_arena *arena = &set->arenas[range];
    mo_deallocate(&set->allocator, arena->partners, arena->capacity, sizeof *arena->partners);
  }
}

mo_result mo_pair_set_reserve_slots(mo_pair_set *set, uint32_t count) {
  if (count <= set->slot_capacity) {
    return MO_OK;
  }
  if (count > MO_MAX_PAIR_SET_SLOTS) {
    return MO_ERROR_TOO_MANY;
  }
  uint32_t before = set->slot_capacity;
  const mo_array array = {&set->lists, sizeof *set->lists};
  mo_result result =
      mo_arrays_resize(&set->allocator, &array, 1, before, &set->slot_capacity, count);
  for (uint32_t slot = before; result == MO_OK && slot < count; slot++) {
    set->lists[slot] = (mo_partners){0, {MO_NONE, MO_NONE, MO_NONE}};
  }
  return result;
}

/* The index of a partner in a sorted list; if it is not there, the index where it would be
 * inserted. */
static uint32_t lower_bound(const uint32_t *partners, uint32_t count, uint32_t partner) {
  uint32_t begin = 0;
  while (count > 0) {
    uint32_t half = count / 2;
    bool after = (partners[begin + half] & ~MO_PARTNER_MARK) < partner;
    begin = after ? begin + half + 1 : begin;
    count = after ? count - half - 1 : half;
  }
  return begin;
}

/* The index of a partner in a short list; `count` if it is not there. */
static inline uint32_t index_of(const uint32_t *partners, uint32_t count, uint32_t partner) {
  uint32_t at = 0;
  while (at < count && (partners[at] & ~MO_PARTNER_MARK) != partner) {
    at++;
  }
  return at;
}

uint32_t *mo_partners_find(const mo_pair_set *set, uint32_t slot, uint32_t partner) {
  mo_partners *list = &set->lists[slot];
  if (!mo_partners_have_chunk(list)) {
    bool here[MO_MAX_INLINE_PARTNERS];
    for (int i = 0; i < MO_MAX_INLINE_PARTNERS; i++) {
      here[i] = (list->entries[i] & ~MO_PARTNER_MARK) == partner;
    }
    bool found = here[0] | here[1] | here[2];
    return found ? &list->entries[here[1] + 2 * here[2]] : NULL;
  }
  uint32_t count = mo_partners_count(set, slot);
  uint32_t *partners = mo_partners_of(set, slot);
  uint32_t at = count <= MO_MAX_SHORT_PARTNER_LIST ? index_of(partners, count, partner)
                                                   : lower_bound(partners, count, partner);
  return at < count && (partners[at] & ~MO_PARTNER_MARK) == partner ? &partners[at] : NULL;
}

uint32_t mo_partners_lower_bound(const mo_pair_set *set, uint32_t slot, uint32_t partner) {
  return lower_bound(mo_partners_of(set, slot), mo_partners_count(set, slot), partner);
}

static void sort_partners(uint32_t *partners, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t partner = partners[i], at = i;
    for (; at > 0 && partners[at - 1] > partner; at--) {
      partners[at] = partners[at - 1];
    }
    partners[at] = partner;
  }
}

const uint32_t *mo_partners_in_order(const mo_pair_set *set, uint32_t slot,
                                     uint32_t sorted[MO_MAX_SHORT_PARTNER_LIST]) {
  const uint32_t *partners = mo_partners_of(set, slot);
  uint32_t count = mo_partners_count(set, slot);
  if (count > MO_MAX_SHORT_PARTNER_LIST) {
    return partners;
  }
  memcpy(sorted, partners, count * sizeof *sorted);
  sort_partners(sorted, count);
  return sorted;
}

/* The index of the smallest chunk size that holds a list of `count` partners. */
static uint32_t chunk_size(uint32_t count) {
  if (count <= 4 * MO_SMALL_CHUNK_SIZE_COUNT) {
    return count <= MO_MAX_INLINE_PARTNERS ? 0 : (count + 3) / 4;
  }
  const uint32_t largest_small = 4 * MO_SMALL_CHUNK_SIZE_COUNT; /* in partners; a power of two */
  return MO_SMALL_CHUNK_SIZE_COUNT + (uint32_t)__builtin_clz(largest_small - 1) -
         (uint32_t)__builtin_clz(count - 1);
}

static uint32_t allocate_chunk(mo_partner_arena *arena, uint32_t size) {
  MO_ASSERT(size > 0 && size < MO_PARTNER_CHUNK_SIZE_COUNT);
  uint32_t chunk = arena->free_chunk[size];
  if (chunk != MO_NONE) {
    arena->free_chunk[size] = arena->partners[chunk];
    arena->free_entry_count -= mo_partner_chunk_capacity(size);
    return chunk;
  }
  chunk = arena->count;
  arena->count += mo_partner_chunk_capacity(size);
  MO_ASSERT(arena->count <= arena->capacity);
  return chunk;
}

static void release_chunk(mo_partner_arena *arena, uint32_t chunk, uint32_t size) {
  MO_ASSERT(chunk + mo_partner_chunk_capacity(size) <= arena->count);
  arena->partners[chunk] = arena->free_chunk[size];
  arena->free_chunk[size] = chunk;
  arena->free_entry_count += mo_partner_chunk_capacity(size);
}

static mo_result reserve_arena(mo_pair_set *set, mo_partner_arena *arena, uint64_t needed) {
  return mo_list_reserve(&set->allocator, &arena->list, sizeof *arena->partners, needed);
}

/* Whether a chunk can be taken without allocating memory. */
static bool can_allocate_chunk(const mo_partner_arena *arena, uint32_t size) {
  return arena->free_chunk[size] != MO_NONE ||
         arena->capacity - arena->count >= mo_partner_chunk_capacity(size);
}

static inline void set_chunk(mo_partners *list, uint32_t first, uint32_t size, uint32_t count) {
  list->entries[0] = MO_PARTNERS_CHUNK_MARKER;
  list->entries[1] = first;
  list->entries[2] = size << MO_PARTNER_COUNT_BITS | count;
}

/* Reserves capacity for one more partner in a list of `count`. */
static mo_result reserve_partners(mo_pair_set *set, uint32_t slot, uint32_t count) {
  mo_partners *list = &set->lists[slot];
  mo_partner_arena *arena = &set->arenas[mo_pair_set_range_of_slot(slot)];
  uint32_t size = chunk_size(count + 1), before = mo_partners_chunk_size(list);
  if (count == MO_MAX_PARTNERS) {
    return MO_ERROR_TOO_MANY;
  }
  if (!can_allocate_chunk(arena, size)) {
    mo_result result = reserve_arena(set, arena, mo_partner_chunk_capacity(size));
    if (result != MO_OK) {
      return result;
    }
  }
  uint32_t first = allocate_chunk(arena, size);
  memcpy(arena->partners + first, mo_partners_of(set, slot), count * sizeof *arena->partners);
  if (before > 0) {
    release_chunk(arena, list->entries[1], before);
  }
  set_chunk(list, first, size, count);
  return MO_OK;
}

mo_result mo_pair_set_add(mo_pair_set *set, uint32_t slot, uint32_t partner) {
  mo_partners *list = &set->lists[slot];
  uint32_t count = mo_partners_count(set, slot);
  if (count == mo_partner_chunk_capacity(mo_partners_chunk_size(list))) {
    mo_result result = reserve_partners(set, slot, count);
    if (result != MO_OK) {
      return result;
    }
  }
  MO_ASSERT(mo_partners_find(set, slot, partner) == NULL);
  uint32_t *partners = mo_partners_of(set, slot);
  partners[count] = partner;
  if (mo_partners_have_chunk(list)) {
    list->entries[2]++;
  }
  if (count == MO_MAX_SHORT_PARTNER_LIST) {
    sort_partners(partners, count + 1);
  }
  return MO_OK;
}

/* Whether a list fits a chunk two sizes smaller, or a quarter of the smallest chunk. (With one
 * size, lists would move to and fro: this is hysteresis.) */
static inline bool is_chunk_oversized(const mo_pair_set *set, uint32_t slot) {
  const mo_partners *list = &set->lists[slot];
  uint32_t size = mo_partners_chunk_size(list), count = mo_partners_count(set, slot);
  return size > 0 && (chunk_size(count) + 2 <= size || count <= 1);
}

/* Removes a partner from the head of a list without a chunk; later partners move forward. There is
 * no branch. */
static inline void remove_from_head(uint32_t entries[MO_MAX_INLINE_PARTNERS], uint32_t partner) {
  bool first = entries[0] == partner, second = entries[1] == partner;
  entries[0] = first ? entries[1] : entries[0];
  entries[1] = (first | second) ? entries[2] : entries[1];
  entries[2] = MO_NONE;
}

bool mo_pair_set_remove(mo_pair_set *set, uint32_t slot, uint32_t partner) {
  mo_partners *list = &set->lists[slot];
  MO_ASSERT(mo_partners_find(set, slot, partner) != NULL);
  if (!mo_partners_have_chunk(list)) {
    remove_from_head(list->entries, partner);
    return false;
  }
  uint32_t *partners = mo_partners_chunk(set, slot), last = mo_partners_count(set, slot) - 1u;
  if (last >= MO_MAX_SHORT_PARTNER_LIST) {
    uint32_t at = lower_bound(partners, last + 1, partner);
    memmove(partners + at, partners + at + 1, (last - at) * sizeof *partners);
  } else {
    partners[index_of(partners, last, partner)] = partners[last];
  }
  list->entries[2]--;
  return is_chunk_oversized(set, slot);
}

/* Clears the unused entries of a list without a chunk. */
static void clear_unused_entries(mo_partners *list, uint32_t count) {
  for (uint32_t i = count; i < MO_MAX_INLINE_PARTNERS; i++) {
    list->entries[i] = MO_NONE;
  }
}

void mo_pair_set_shrink(mo_pair_set *set, uint32_t slot) {
  if (!is_chunk_oversized(set, slot)) {
    return;
  }
  mo_partners *list = &set->lists[slot];
  mo_partner_arena *arena = &set->arenas[mo_pair_set_range_of_slot(slot)];
  uint32_t count = mo_partners_count(set, slot), before = mo_partners_chunk_size(list);
  uint32_t size = chunk_size(count), first = list->entries[1];
  const uint32_t *partners = arena->partners + first;
  if (size == 0) {
    memcpy(list->entries, partners, count * sizeof *partners);
    clear_unused_entries(list, count);
  } else if (can_allocate_chunk(arena, size)) {
    set_chunk(list, allocate_chunk(arena, size), size, count);
    memcpy(arena->partners + list->entries[1], partners, count * sizeof *partners);
  } else {
    return;
  }
  release_chunk(arena, first, before);
}

/* The changes of one slot's partner list: their number, and the length of the list before and
 * after. */
typedef struct slot_changes {
  uint32_t slot, count, length_before, length_after;
  uint32_t chunk_size; /* its number, after the changes */
} slot_changes;

static inline bool is_shrink_key(uint64_t change) {
  return (uint32_t)change == UINT32_MAX;
}

static slot_changes next_slot_changes(const mo_pair_set *set, const uint64_t *changes,
                                      uint32_t count) {
  MO_ASSERT((uint32_t)(changes[0] >> 32) < set->slot_capacity);
  slot_changes next = {.slot = (uint32_t)(changes[0] >> 32)};
  next.length_before = next.length_after = mo_partners_count(set, next.slot);
  const uint64_t end = mo_partner_shrink_key(next.slot);
  for (; next.count < count && changes[next.count] < end; next.count++) {
    next.length_after += changes[next.count] & 1 ? 1 : UINT32_MAX;
  }
  uint32_t size = mo_partners_chunk_size(&set->lists[next.slot]),
           fit = chunk_size(next.length_after);
  next.chunk_size = fit > 0 && size == fit + 1 ? size : fit;
  return next;
}

mo_result mo_pair_set_reserve(mo_pair_set *set, const uint64_t *changes, uint32_t count) {
  uint64_t needed[MO_SLOT_RANGE_COUNT] = {0};
  uint32_t longest[MO_SLOT_RANGE_COUNT] = {0};
  for (uint32_t i = 0; i < count;) {
    if (is_shrink_key(changes[i])) {
      i++;
      continue;
    }
    slot_changes next = next_slot_changes(set, changes + i, count - i);
    if (next.length_after > MO_MAX_PARTNERS) {
      return MO_ERROR_TOO_MANY;
    }
    uint32_t range = mo_pair_set_range_of_slot(next.slot), max = next.length_before + next.count;
    bool moves = next.chunk_size != mo_partners_chunk_size(&set->lists[next.slot]);
    needed[range] += next.chunk_size > 0 && moves ? mo_partner_chunk_capacity(next.chunk_size) : 0;
    longest[range] = longest[range] > max ? longest[range] : max;
    i += next.count;
  }
  mo_result result = MO_OK;
  for (int range = 0; range < MO_SLOT_RANGE_COUNT && result == MO_OK; range++) {
    mo_partner_arena *arena = &set->arenas[range];
    if (longest[range] > 0) { /* ranges without changes may be in use by other tasks */
      result = reserve_arena(set, arena, needed[range] + longest[range]);
      arena->workspace_begin = arena->count + (uint32_t)needed[range];
    }
  }
  return result;
}

/* Writes a sorted list to `to`, with sorted changes applied. */
static void merge_changes(uint32_t *to, const uint32_t *partners, uint32_t count,
                          const uint64_t *changes, uint32_t change_count) {
  uint32_t at = 0, made = 0;
  for (uint32_t i = 0; i < change_count; i++) {
    uint32_t partner = (uint32_t)changes[i] >> 1;
    while (at < count && partners[at] < partner) {
      to[made++] = partners[at++];
    }
    if (changes[i] & 1) {
      to[made++] = partner;
    } else {
      at++;
    }
  }
  while (at < count) {
    to[made++] = partners[at++];
  }
}

static void apply_slot_changes(mo_pair_set *set, const uint64_t *changes, const slot_changes *one) {
  mo_partners *list = &set->lists[one->slot];
  mo_partner_arena *arena = &set->arenas[mo_pair_set_range_of_slot(one->slot)];
  const uint32_t *partners = mo_partners_of(set, one->slot);
  uint32_t *scratch = arena->partners + arena->workspace_begin;
  uint32_t before = mo_partners_chunk_size(list), after = one->chunk_size, chunk = list->entries[1];
  /* Partners before the first change stay as they are. */
  uint32_t kept = lower_bound(partners, one->length_before, (uint32_t)changes[0] >> 1);
  merge_changes(scratch, partners + kept, one->length_before - kept, changes, one->count);
  uint32_t first = before == after ? chunk : after > 0 ? allocate_chunk(arena, after) : 0;
  uint32_t *to = after > 0 ? arena->partners + first : list->entries;
  if (before != after) {
    memcpy(to, partners, kept * sizeof *to);
  }
  MO_ASSERT(kept <= one->length_after && one->length_after <= mo_partner_chunk_capacity(after));
  memcpy(to + kept, scratch, (one->length_after - kept) * sizeof *to);
  if (after > 0) {
    set_chunk(list, first, after, one->length_after);
  } else {
    clear_unused_entries(list, one->length_after);
  }
  if (before != after && before > 0) {
    release_chunk(arena, chunk, before);
  }
}

void mo_pair_set_apply(mo_pair_set *set, const uint64_t *changes, uint32_t count) {
  for (uint32_t i = 0; i < count;) {
    if (is_shrink_key(changes[i])) {
      i++;
      continue;
    }
    slot_changes next = next_slot_changes(set, changes + i, count - i);
    apply_slot_changes(set, changes + i, &next);
    i += next.count;
  }
  /* Lists shrink only now, as shrinking may use memory that was reserved for the changes. */
  for (uint32_t i = 0; i < count; i++) {
    if (is_shrink_key(changes[i])) {
      mo_pair_set_shrink(set, (uint32_t)(changes[i] >> 32));
    }
  }
}

/* Copies the chunks of the ranges in `which` into new arenas of exactly the needed size, each chunk
 * as small as its list allows. A range stays as it is if there is no memory for its new arena. */
static void compact_arenas(mo_pair_set *set, const bool which[MO_SLOT_RANGE_COUNT]) {
  mo_partner_arena made[MO_SLOT_RANGE_COUNT];
  uint32_t needed[MO_SLOT_RANGE_COUNT] = {0}, count[MO_SLOT_RANGE_COUNT] = {0};
  bool moves[MO_SLOT_RANGE_COUNT];
  for (uint32_t slot = 0; slot < set->slot_capacity; slot++) {
    uint32_t size = chunk_size(mo_partners_count(set, slot));
    needed[mo_pair_set_range_of_slot(slot)] += size > 0 ? mo_partner_chunk_capacity(size) : 0;
  }
  for (int range = 0; range < MO_SLOT_RANGE_COUNT; range++) {
    moves[range] = which[range] && needed[range] < set->arenas[range].capacity;
    uint32_t *partners =
        moves[range] ? mo_allocate(&set->allocator, needed[range], sizeof *partners) : NULL;
    moves[range] &= partners != NULL || needed[range] == 0;
    made[range] = arena_of(partners, needed[range]);
  }
  for (uint32_t slot = 0; slot < set->slot_capacity; slot++) {
    mo_partners *list = &set->lists[slot];
    const uint32_t range = mo_pair_set_range_of_slot(slot);
    if (!moves[range] || !mo_partners_have_chunk(list)) {
      continue;
    }
    const uint32_t *partners = mo_partners_chunk(set, slot);
    uint32_t length = mo_partners_count(set, slot), size = chunk_size(length);
    if (size == 0) {
      memcpy(list->entries, partners, length * sizeof *partners);
      clear_unused_entries(list, length);
    } else {
      memcpy(made[range].partners + count[range], partners, length * sizeof *partners);
      set_chunk(list, count[range], size, length);
      count[range] += mo_partner_chunk_capacity(size);
    }
  }
  for (int range = 0; range < MO_SLOT_RANGE_COUNT; range++) {
    mo_partner_arena *arena = &set->arenas[range];
    if (moves[range]) {
      mo_deallocate(&set->allocator, arena->partners, arena->capacity, sizeof *arena->partners);
      *arena = made[range];
    }
  }
}

void mo_pair_set_trim(mo_pair_set *set, uint32_t slots) {
  mo_array_trim(&set->allocator, &set->lists, sizeof *set->lists, slots, &set->slot_capacity);
  bool all[MO_SLOT_RANGE_COUNT];
  memset(all, true, sizeof all);
  compact_arenas(set, all);
}

void mo_pair_set_trim_sparse_arenas(mo_pair_set *set) {
  bool which[MO_SLOT_RANGE_COUNT], any = false;
  for (int range = 0; range < MO_SLOT_RANGE_COUNT; range++) {
    const mo_partner_arena *arena = &set->arenas[range];
    which[range] = mo_workspace_is_oversized(arena->capacity, sizeof *arena->partners,
                                             arena->count - arena->free_entry_count);
    any |= which[range];
  }
  if (any) {
    compact_arenas(set, which);
  }
}

size_t mo_pair_set_bytes(const mo_pair_set *set) {
  size_t bytes = set->slot_capacity * sizeof *set->lists;
  for (int range = 0; range < MO_SLOT_RANGE_COUNT; range++) {
    bytes += set->arenas[range].capacity * sizeof *set->arenas[range].partners;
  }
  return bytes;
}
