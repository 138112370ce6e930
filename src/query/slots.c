/* Sorting the slots that a query found. */
#include "query/slots.h"

enum {
  /* So many are put in order by counting, for each, those before it: more work than by digits, but
   * without a branch, and many at a time. */
  FEW = 32,
  PASSES = 3,
  BITS = 11, /* of a digit, at most: PASSES of them hold a key */
};

static void sort_few(const uint32_t *from, uint32_t *to, uint32_t count) {
  int32_t slots[FEW]; /* signed numbers are quicker to compare */
  uint32_t padded = (count + 7) & ~7u;
  for (uint32_t i = 0; i < count; i++) {
    slots[i] = (int32_t)(from[i] & ~MO_SLOT_FLAG);
  }
  for (uint32_t i = count; i < padded; i++) {
    slots[i] = INT32_MAX;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t rank = 0;
    for (uint32_t j = 0; j < padded; j += 8) {
      for (uint32_t k = 0; k < 8; k++) {
        rank += slots[j + k] < slots[i];
      }
    }
    to[rank] = from[i];
  }
}

static uint32_t bits_of(uint32_t bits, uint32_t passes) {
  return (bits + passes - 1) / passes;
}

/* Fewer digits take fewer passes, but each of them more buckets. */
static uint32_t passes_for(uint32_t bits, uint32_t count) {
  uint32_t best = PASSES;
  uint64_t least = UINT64_MAX;
  for (uint32_t passes = PASSES; passes > 0 && bits_of(bits, passes) <= BITS; passes--) {
    uint64_t cost = passes * (4 * (uint64_t)count + (1u << bits_of(bits, passes)));
    best = cost < least ? passes : best;
    least = cost < least ? cost : least;
  }
  return best;
}

static void pass(const uint32_t *from, uint32_t *to, uint32_t count, uint32_t shift,
                 uint32_t bits) {
  uint32_t starts[1 << BITS], mask = (1u << bits) - 1, sum = 0;
  memset(starts, 0, (mask + 1) * sizeof *starts);
  for (uint32_t i = 0; i < count; i++) {
    starts[from[i] >> shift & mask]++;
  }
  for (uint32_t bucket = 0; bucket <= mask; bucket++) {
    uint32_t size = starts[bucket];
    starts[bucket] = sum;
    sum += size;
  }
  for (uint32_t i = 0; i < count; i++) {
    to[starts[from[i] >> shift & mask]++] = from[i];
  }
}

const uint32_t *mo_slots_sort(mo_bounded *list, size_t size) {
  uint32_t count = list->count;
  if (count == 0) { /* there may be no memory to point to */
    return NULL;
  }
  uint32_t *front = list->items, *back = front + (size / sizeof *front - 1) * count;
  if (count <= FEW) {
    sort_few(front, back, count);
    return back;
  }
  uint32_t different = 0;
  for (uint32_t i = 1; i < count; i++) {
    different |= front[i] ^ front[0];
  }
  uint32_t bits = 32 - (uint32_t)__builtin_clz(different & ~MO_SLOT_FLAG);
  uint32_t passes = passes_for(bits, count), each = bits_of(bits, passes);
  uint32_t *from = front, *to = back;
  for (uint32_t i = 0; i < passes; i++) {
    pass(from, to, count, i * each, i + 1 < passes ? each : bits - i * each);
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != back) {
    memcpy(back, front, count * sizeof *back);
  }
  return back;
}
