/* Sorting many 64-bit keys, which differ in few of their bits.
 *
 * Some thousands are spread by the leading ones of those bits: about as many as it takes to tell
 * the keys apart, in two rounds from the lower ones. What is still out of order then lies close
 * together and is sorted by insertion; where it does not, as many keys have the leading bits in
 * common, they are sorted on their own in the same way. Of very many keys, which are no longer in
 * the nearest cache and whose insertions would each be guessed wrongly, all bits are gone through
 * in rounds. */
#include "base/key_sort.h"

#include <string.h>

#include "base/memory.h"
#include "base/tasks.h"

enum {
  FEW = 32,
  MANY = 1 << 14,
  DIGIT_BITS = 11, /* at most; wider ones have more buckets than stay in the nearest cache */
  SPARE_BITS = 1,  /* beyond those that could tell all keys apart */
  DIGITS = 1 << DIGIT_BITS,
  PIECE = 1 << 14, /* keys that a task takes on at a time */
};

static void insert_all(uint64_t *keys, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint64_t key = keys[i];
    uint32_t at = i;
    for (; at > 0 && keys[at - 1] > key; at--) {
      keys[at] = keys[at - 1];
    }
    keys[at] = key;
  }
}

static void to_starts(uint32_t *sizes, uint32_t count) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t size = sizes[i];
    sizes[i] = sum;
    sum += size;
  }
}

/* By 2 `bits` bits from `shift` on, in two rounds. */
static void spread(uint64_t *keys, uint64_t *scratch, uint32_t count, uint32_t shift,
                   uint32_t bits) {
  uint32_t starts[2][1 << DIGIT_BITS], mask = (1u << bits) - 1;
  memset(starts[0], 0, (mask + 1) * sizeof *starts[0]);
  memset(starts[1], 0, (mask + 1) * sizeof *starts[1]);
  for (uint32_t i = 0; i < count; i++) {
    starts[0][keys[i] >> shift & mask]++;
    starts[1][keys[i] >> shift >> bits & mask]++;
  }
  to_starts(starts[0], mask + 1);
  to_starts(starts[1], mask + 1);
  for (uint32_t i = 0; i < count; i++) {
    scratch[starts[0][keys[i] >> shift & mask]++] = keys[i];
  }
  for (uint32_t i = 0; i < count; i++) {
    keys[starts[1][scratch[i] >> shift >> bits & mask]++] = scratch[i];
  }
}

static inline uint32_t bits_of(uint64_t x) {
  return 64 - (uint32_t)__builtin_clzll(x);
}

/* A round of a sort of many keys, in pieces of equal size. */
typedef struct sort_round {
  const uint64_t *from;
  uint64_t *to;
  uint32_t *starts; /* by piece and digit: where the next such key of the piece goes */
  uint32_t count, piece_size, shift;
} sort_round;

static uint32_t piece_end(const sort_round *r, uint32_t piece) {
  uint32_t begin = piece * r->piece_size;
  return r->count - begin < r->piece_size ? r->count : begin + r->piece_size;
}

static void count_digits(uint32_t piece, void *context) {
  const sort_round *r = context;
  uint32_t *counts = &r->starts[(size_t)piece * DIGITS];
  memset(counts, 0, DIGITS * sizeof *counts);
  for (uint32_t i = piece * r->piece_size, end = piece_end(r, piece); i < end; i++) {
    counts[r->from[i] >> r->shift & (DIGITS - 1)]++;
  }
}

static void place_keys(uint32_t piece, void *context) {
  const sort_round *r = context;
  uint32_t *starts = &r->starts[(size_t)piece * DIGITS];
  for (uint32_t i = piece * r->piece_size, end = piece_end(r, piece); i < end; i++) {
    r->to[starts[r->from[i] >> r->shift & (DIGITS - 1)]++] = r->from[i];
  }
}

/* By all bits in which keys differ, from the lowest on; passes over those that all keys share.
 * `host` may be null for a single piece. */
static void sort_many(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint64_t different,
                      uint32_t pieces, sort_round *r) {
  r->from = keys;
  r->to = scratch;
  r->shift = 0;
  for (; r->shift < 64 && different >> r->shift != 0; r->shift += DIGIT_BITS) {
    r->shift += (uint32_t)__builtin_ctzll(different >> r->shift);
    if (pieces == 1) {
      count_digits(0, r);
      to_starts(r->starts, DIGITS);
      place_keys(0, r);
    } else {
      mo_tasks_run(host, pieces, count_digits, r);
      uint32_t sum = 0;
      for (uint32_t digit = 0; digit < DIGITS; digit++) {
        for (uint32_t piece = 0; piece < pieces; piece++) {
          uint32_t *start = &r->starts[(size_t)piece * DIGITS + digit];
          uint32_t size = *start;
          *start = sum;
          sum += size;
        }
      }
      mo_tasks_run(host, pieces, place_keys, r);
    }
    uint64_t *sorted = r->to;
    r->to = r->from == keys ? keys : scratch;
    r->from = sorted;
  }
  if (r->from != keys) {
    memcpy(keys, r->from, r->count * sizeof *keys);
  }
}

static uint64_t differing_bits(const uint64_t *keys, uint32_t count) {
  uint64_t different = 0;
  for (uint32_t i = 1; i < count; i++) {
    different |= keys[i] ^ keys[0];
  }
  return different;
}

bool mo_keys_sort_in_tasks(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count,
                           uint32_t low) {
  uint32_t pieces = count / PIECE + (count % PIECE > 0);
  size_t starts = (size_t)pieces * DIGITS;
  sort_round r = {.starts = mo_allocate(&host->allocator, starts, sizeof *r.starts),
                  .count = count,
                  .piece_size = PIECE};
  if (r.starts == NULL) {
    return count == 0;
  }
  sort_many(host, keys, scratch, differing_bits(keys, count) >> low << low, pieces, &r);
  mo_deallocate(&host->allocator, r.starts, starts, sizeof *r.starts);
  return true;
}

/* Whether more than FEW keys, which are in order of their leading bits, have those in common. */
static bool has_crowd(const uint64_t *keys, uint32_t count, uint32_t shift) {
  uint64_t crowds = 0;
  for (uint32_t i = FEW; i < count; i++) {
    crowds += keys[i] >> shift == keys[i - FEW] >> shift;
  }
  return crowds > 0;
}

void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count) {
  if (count <= FEW) {
    insert_all(keys, count);
    return;
  }
  uint64_t different = differing_bits(keys, count);
  if (different == 0) {
    return;
  }
  if (count >= MANY) {
    uint32_t starts[DIGITS];
    sort_round r = {.starts = starts, .count = count, .piece_size = count};
    sort_many(NULL, keys, scratch, different, 1, &r);
    return;
  }
  uint32_t bits = bits_of(count) + SPARE_BITS, top = bits_of(different);
  uint32_t shift = top > bits ? top - bits : 0;
  shift += (uint32_t)__builtin_ctzll(different >> shift);
  spread(keys, scratch, count, shift, (top - shift + 1) / 2);
  if (!has_crowd(keys, count, shift)) {
    insert_all(keys, count);
    return;
  }
  for (uint32_t begin = 0; begin < count;) {
    uint32_t end = begin + 1;
    uint64_t leading = keys[begin] >> shift;
    while (end < count && keys[end] >> shift == leading) {
      end++;
    }
    mo_keys_sort(keys + begin, scratch, end - begin);
    begin = end;
  }
}

bool mo_keys_contain(const uint64_t *keys, uint32_t count, uint64_t key) {
  while (count > 0) {
    uint32_t half = count / 2;
    if (keys[half] == key) {
      return true;
    }
    bool after = keys[half] < key;
    keys += after ? half + 1 : 0;
    count = after ? count - half - 1 : half;
  }
  return false;
}
