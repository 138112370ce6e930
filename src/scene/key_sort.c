/* Sorting many 64-bit keys, which differ in few of their bits.
 *
 * Some thousands are spread by the leading ones of those bits: about as many as it takes to tell
 * the keys apart, in two rounds from the lower ones. What is still out of order then lies close
 * together and is sorted by insertion; where it does not, as many keys have the leading bits in
 * common, they are sorted on their own in the same way. Of very many keys, which are no longer in
 * the nearest cache and whose insertions would each be guessed wrongly, all bits are gone through
 * in rounds. */
#include "scene/key_sort.h"

#include <string.h>

enum {
  FEW = 32,
  MANY = 1 << 14,
  DIGIT_BITS = 11, /* at most; wider ones have more buckets than stay in the nearest cache */
  SPARE_BITS = 1,  /* beyond those that could tell all keys apart */
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

/* By all bits from the lowest on, passing over those that all keys share. */
static void sort_many(uint64_t *keys, uint64_t *scratch, uint32_t count, uint64_t different) {
  uint64_t *from = keys, *to = scratch;
  uint32_t mask = (1u << DIGIT_BITS) - 1;
  for (uint32_t shift = 0; shift < 64 && different >> shift != 0; shift += DIGIT_BITS) {
    shift += (uint32_t)__builtin_ctzll(different >> shift);
    uint32_t starts[1 << DIGIT_BITS] = {0};
    for (uint32_t i = 0; i < count; i++) {
      starts[from[i] >> shift & mask]++;
    }
    to_starts(starts, mask + 1);
    for (uint32_t i = 0; i < count; i++) {
      to[starts[from[i] >> shift & mask]++] = from[i];
    }
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != keys) {
    memcpy(keys, from, count * sizeof *keys);
  }
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
  uint64_t different = 0;
  for (uint32_t i = 1; i < count; i++) {
    different |= keys[i] ^ keys[0];
  }
  if (different == 0) {
    return;
  }
  if (count >= MANY) {
    sort_many(keys, scratch, count, different);
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
