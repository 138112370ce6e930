/* A set of pairs as a sorted list of partners for each shape. */
#include "scene/pair_set.h"

#include <string.h>

void mo_pair_set_init(mo_pair_set *set, const mo_allocator *allocator) {
  *set = (mo_pair_set){.allocator = *allocator};
  for (int size = 0; size < MO_CHUNK_SIZES; size++) {
    set->free_chunk[size] = MO_NONE;
  }
}

void mo_pair_set_destroy(mo_pair_set *set) {
  mo_deallocate(&set->allocator, set->lists, set->slot_capacity, sizeof *set->lists);
  mo_deallocate(&set->allocator, set->arena, set->arena_capacity, sizeof *set->arena);
}

mo_result mo_pair_set_reserve_slots(mo_pair_set *set, uint32_t count) {
  if (count <= set->slot_capacity) {
    return MO_OK;
  }
  mo_partners *lists = mo_allocate(&set->allocator, count, sizeof *lists);
  if (!lists) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(lists, 0, count * sizeof *lists);
  if (set->slot_capacity > 0) {
    memcpy(lists, set->lists, set->slot_capacity * sizeof *lists);
  }
  mo_deallocate(&set->allocator, set->lists, set->slot_capacity, sizeof *lists);
  set->lists = lists;
  set->slot_capacity = count;
  return MO_OK;
}

/* Where a partner is or would be. */
static uint32_t lower_bound(const uint32_t *partners, uint32_t count, uint32_t partner) {
  uint32_t begin = 0;
  while (count > 0) {
    uint32_t half = count / 2;
    bool after = (partners[begin + half] & ~MO_PARTNER_SEEN) < partner;
    begin = after ? begin + half + 1 : begin;
    count = after ? count - half - 1 : half;
  }
  return begin;
}

uint32_t *mo_partners_find(const mo_pair_set *set, uint32_t slot, uint32_t partner) {
  uint32_t count = set->lists[slot].count;
  if (count == 0) {
    return NULL;
  }
  uint32_t *partners = mo_partners_of(set, slot);
  uint32_t at = lower_bound(partners, count, partner);
  return at < count && (partners[at] & ~MO_PARTNER_SEEN) == partner ? &partners[at] : NULL;
}

/* The binary logarithm of the size of the chunk that holds a list; 0 for lists without one. */
static uint32_t chunk_size(uint32_t count) {
  return count < 2 ? 0 : 32 - (uint32_t)__builtin_clz(count - 1);
}

static uint32_t take_chunk(mo_pair_set *set, uint32_t size) {
  uint32_t chunk = set->free_chunk[size];
  if (chunk != MO_NONE) {
    set->free_chunk[size] = set->arena[chunk];
    return chunk;
  }
  chunk = set->arena_count;
  set->arena_count += 1u << size;
  return chunk;
}

static void give_chunk(mo_pair_set *set, uint32_t chunk, uint32_t size) {
  set->arena[chunk] = set->free_chunk[size];
  set->free_chunk[size] = chunk;
}

static mo_partners make_list(uint32_t count, uint32_t size, uint32_t first) {
  mo_partners list;
  list.count = count & MO_MAX_PARTNERS;
  list.size = size & 31;
  list.first = first;
  return list;
}

static mo_result reserve_arena(mo_pair_set *set, uint64_t needed) {
  if (set->arena_count + needed > MO_MAX_ITEMS) {
    return MO_ERROR_TOO_MANY;
  }
  void *arena = set->arena;
  bool ok = mo_array_reserve(&set->allocator, &arena, sizeof *set->arena, set->arena_count,
                             &set->arena_capacity, needed);
  set->arena = arena;
  return ok ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}

mo_result mo_pair_set_add(mo_pair_set *set, uint32_t slot, uint32_t partner) {
  mo_partners list = set->lists[slot];
  if (list.count == 0) {
    set->lists[slot] = make_list(1, 0, partner);
    return MO_OK;
  }
  uint32_t size = list.size;
  if (list.count == 1u << size) {
    size++;
    if (size == MO_CHUNK_SIZES) {
      return MO_ERROR_TOO_MANY;
    }
    mo_result result = set->free_chunk[size] == MO_NONE ? reserve_arena(set, 1u << size) : MO_OK;
    if (result != MO_OK) {
      return result;
    }
  }
  uint32_t first = size == list.size ? list.first : take_chunk(set, size);
  const uint32_t *from = list.count == 1 ? &list.first : set->arena + list.first;
  uint32_t *to = set->arena + first, at = list.count;
  for (; at > 0 && from[at - 1] > partner; at--) {
    to[at] = from[at - 1];
  }
  to[at] = partner;
  if (size != list.size) {
    while (at > 0) {
      at--;
      to[at] = from[at];
    }
    if (list.size > 0) {
      give_chunk(set, list.first, list.size);
    }
  }
  set->lists[slot] = make_list(list.count + 1, size, first);
  return MO_OK;
}

/* Whether a chunk can be taken without memory. */
static bool has_chunk(const mo_pair_set *set, uint32_t size) {
  return set->free_chunk[size] != MO_NONE || set->arena_capacity - set->arena_count >= 1u << size;
}

void mo_pair_set_remove(mo_pair_set *set, uint32_t slot, uint32_t partner) {
  mo_partners list = set->lists[slot];
  uint32_t count = list.count - 1u;
  if (count == 0) {
    set->lists[slot] = make_list(0, 0, 0);
    return;
  }
  uint32_t *partners = set->arena + list.first;
  uint32_t at = lower_bound(partners, list.count, partner);
  memmove(partners + at, partners + at + 1, (count - at) * sizeof *partners);
  uint32_t size = list.size, first = list.first, fit = chunk_size(count);
  if (count == 1) {
    size = 0;
    first = partners[0];
  } else if (size > fit + 1 && has_chunk(set, fit)) {
    size = fit;
    first = take_chunk(set, size);
    memcpy(set->arena + first, partners, count * sizeof *partners);
  }
  if (size != list.size) {
    give_chunk(set, list.first, list.size);
  }
  set->lists[slot] = make_list(count, size, first);
}

/* The changes of one slot: how many there are, and how they change the length of its list. */
typedef struct batch {
  uint32_t slot, count, before, after;
  uint32_t size; /* of the chunk after them */
} batch;

static batch next_batch(const mo_pair_set *set, const uint64_t *changes, uint32_t count) {
  batch next = {.slot = (uint32_t)(changes[0] >> 32)};
  next.before = next.after = set->lists[next.slot].count;
  for (; next.count < count && changes[next.count] >> 32 == next.slot; next.count++) {
    next.after += changes[next.count] & 1 ? 1 : UINT32_MAX;
  }
  uint32_t size = set->lists[next.slot].size, fit = chunk_size(next.after);
  next.size = fit > 0 && size == fit + 1 ? size : fit;
  return next;
}

mo_result mo_pair_set_reserve(mo_pair_set *set, const uint64_t *changes, uint32_t count) {
  uint64_t needed = 0;
  for (uint32_t i = 0; i < count;) {
    batch next = next_batch(set, changes + i, count - i);
    if (next.after > MO_MAX_PARTNERS) {
      return MO_ERROR_TOO_MANY;
    }
    needed += next.size > 0 && next.size != set->lists[next.slot].size ? 1u << next.size : 0;
    i += next.count;
  }
  return reserve_arena(set, needed);
}

uint32_t mo_pair_set_longest(const mo_pair_set *set, const uint64_t *changes, uint32_t count) {
  uint32_t longest = 0;
  for (uint32_t i = 0; i < count;) {
    batch next = next_batch(set, changes + i, count - i);
    uint32_t most = next.before + next.count;
    longest = longest > most ? longest : most;
    i += next.count;
  }
  return longest;
}

/* A sorted list with sorted changes made to it. */
static void merge(uint32_t *to, const uint32_t *partners, uint32_t count, const uint64_t *changes,
                  uint32_t change_count) {
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

static void apply_batch(mo_pair_set *set, const uint64_t *changes, const batch *one,
                        uint32_t *scratch) {
  mo_partners *list = &set->lists[one->slot];
  const uint32_t *partners = one->before > 0 ? mo_partners_of(set, one->slot) : NULL;
  uint32_t before = list->size, after = one->size;
  /* What comes before the first change stays as it is. */
  uint32_t kept = 0;
  if (one->before > 0) {
    kept = lower_bound(partners, one->before, (uint32_t)changes[0] >> 1);
    merge(scratch, partners + kept, one->before - kept, changes, one->count);
  } else {
    merge(scratch, NULL, 0, changes, one->count);
  }
  uint32_t first = list->first;
  if (before != after && after > 0) {
    first = take_chunk(set, after);
    if (kept > 0) {
      memcpy(set->arena + first, partners, kept * sizeof *partners);
    }
  }
  if (one->after > 1) {
    memcpy(set->arena + first + kept, scratch, (one->after - kept) * sizeof *scratch);
  } else if (one->after == 1) {
    first = kept == 1 ? partners[0] : scratch[0];
  }
  if (before != after && before > 0) {
    give_chunk(set, list->first, before);
  }
  *list = make_list(one->after, after, first);
}

void mo_pair_set_apply(mo_pair_set *set, const uint64_t *changes, uint32_t count,
                       uint32_t *scratch) {
  for (uint32_t i = 0; i < count;) {
    batch next = next_batch(set, changes + i, count - i);
    apply_batch(set, changes + i, &next, scratch);
    i += next.count;
  }
}

size_t mo_pair_set_bytes(const mo_pair_set *set) {
  return set->slot_capacity * sizeof *set->lists + set->arena_capacity * sizeof *set->arena;
}
