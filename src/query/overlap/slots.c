/* Sorting the slots that a query found. */
#include "query/overlap/slots.h"

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

/* How many keys have each digit. */
MO_INLINE void count_digits(uint32_t counts[PASSES][1 << BITS], const uint32_t *keys,
                            uint32_t count, uint32_t passes, uint32_t bits) {
  uint32_t mask = (1u << bits) - 1;
  for (uint32_t i = 0; i < passes; i++) {
    memset(counts[i], 0, (mask + 1) * sizeof **counts);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t key = keys[i] & ~MO_SLOT_FLAG;
    for (uint32_t j = 0; j < passes; j++) {
      counts[j][key & mask]++;
      key >>= bits;
    }
  }
}

/* Puts keys in the order of one digit; of `counts` it makes where the next key with each goes. */
static void put_in_order(const uint32_t *from, uint32_t *to, uint32_t count, uint32_t *counts,
                         uint32_t shift, uint32_t bits) {
  uint32_t mask = (1u << bits) - 1, sum = 0;
  for (uint32_t digit = 0; digit <= mask; digit++) {
    uint32_t size = counts[digit];
    counts[digit] = sum;
    sum += size;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t key = from[i];
    to[counts[(key & ~MO_SLOT_FLAG) >> shift & mask]++] = key;
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
  uint32_t all = 0;
  for (uint32_t i = 0; i < count; i++) {
    all |= front[i];
  }
  uint32_t bits = 32 - (uint32_t)__builtin_clz(all & ~MO_SLOT_FLAG);
  uint32_t passes = passes_for(bits, count), each = bits_of(bits, passes);
  uint32_t counts[PASSES][1 << BITS];
  if (passes == PASSES) { /* a loop of known length */
    count_digits(counts, front, count, PASSES, each);
  } else {
    count_digits(counts, front, count, passes, each);
  }
  uint32_t *from = front, *to = back;
  for (uint32_t i = 0; i < passes; i++) {
    put_in_order(from, to, count, counts[i], i * each, each);
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != back) {
    memcpy(back, front, count * sizeof *back);
  }
  return back;
}

void mo_slots_write_ids(mo_bounded *list, const mo_scene *scene, mo_shape_id *ids) {
  const uint32_t *sorted = mo_slots_sort(list, sizeof *ids);
  for (uint32_t i = 0; i < list->count; i++) {
    ids[i] = mo_shape_id_of(scene, sorted[i]);
  }
}
