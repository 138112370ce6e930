/* Sorting many 64-bit keys. */
#include "scene/key_sort.h"

#include <string.h>

enum { BITS = 8, BUCKETS = 1 << BITS, DIGITS = 64 / BITS, FEW = 48 };

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
  for (uint32_t digit = 0; digit < DIGITS; digit++) {
    uint32_t shift = digit * BITS;
    if (!(different >> shift & (BUCKETS - 1))) {
      continue;
    }
    uint32_t starts[BUCKETS] = {0};
    for (uint32_t i = 0; i < count; i++) {
      starts[from[i] >> shift & (BUCKETS - 1)]++;
    }
    uint32_t sum = 0;
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
      uint32_t size = starts[bucket];
      starts[bucket] = sum;
      sum += size;
    }
    for (uint32_t i = 0; i < count; i++) {
      to[starts[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
    }
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != keys) {
    memcpy(keys, from, count * sizeof *keys);
  }
}
