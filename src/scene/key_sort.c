/* Sorting many 64-bit keys. */
#include "scene/key_sort.h"

#include <string.h>

enum {
  FEW = 48,
  /* Of a digit; wider ones make fewer rounds, but of few keys clearing the buckets costs more. */
  BITS_OF_SOME = 8,
  BITS_OF_MANY = 11,
  MANY = 2048,
};

static void sort_few(uint64_t *keys, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint64_t key = keys[i];
    uint32_t at = i;
    for (; at > 0 && keys[at - 1] > key; at--) {
      keys[at] = keys[at - 1];
    }
    keys[at] = key;
  }
}

void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count) {
  if (count <= FEW) {
    sort_few(keys, count);
    return;
  }
  uint64_t different = 0;
  for (uint32_t i = 1; i < count; i++) {
    different |= keys[i] ^ keys[0];
  }
  uint64_t *from = keys, *to = scratch;
  uint32_t bits = count < MANY ? BITS_OF_SOME : BITS_OF_MANY, mask = (1u << bits) - 1;
  for (uint32_t shift = 0; shift < 64 && different >> shift != 0; shift += bits) {
    shift += (uint32_t)__builtin_ctzll(different >> shift);
    uint32_t starts[1 << BITS_OF_MANY];
    memset(starts, 0, (mask + 1) * sizeof *starts);
    for (uint32_t i = 0; i < count; i++) {
      starts[from[i] >> shift & mask]++;
    }
    uint32_t sum = 0;
    for (uint32_t bucket = 0; bucket <= mask; bucket++) {
      uint32_t size = starts[bucket];
      starts[bucket] = sum;
      sum += size;
    }
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
