/* Radix sorts of integer keys, from the lowest digit up (LSD). Keys typically differ in few of
 * their bits: runs of bits that all keys share are skipped. Digits are as wide as the number of
 * keys, so that a pass takes little more time than reading and writing the keys. A few keys are
 * sorted by insertion, or by counting ranks. */
#include "base/key_sort.h"

#include <string.h>

#include "base/assert.h"
#include "base/inline.h"
#include "base/tasks.h"

enum {
  SMALL_SORT_MAX = 32, /* up to so many keys are sorted by insertion or by ranks */
  MAX_DIGIT_BITS = 11, /* buckets of wider digits do not fit the first-level cache */
  DIGIT_VALUES = 1 << MAX_DIGIT_BITS,
  MAX_STACK_SORT_KEYS = 1 << 12, /* 32-bit keys sorted at a time, in a buffer on the stack */
};

MO_INLINE uint64_t key_at(const void *keys, size_t size, uint32_t i) {
  return size == sizeof(uint32_t) ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static inline uint32_t bit_length(uint64_t x) {
  return 64 - (uint32_t)__builtin_clzll(x);
}

MO_INLINE uint64_t differing_bits(const void *keys, size_t size, uint32_t count) {
  uint64_t different = 0, first = key_at(keys, size, 0);
  for (uint32_t i = 1; i < count; i++) {
    different |= key_at(keys, size, i) ^ first;
  }
  return different;
}

/* Distributes keys by the digit at bit `shift`, whose highest value is `mask`. */
MO_INLINE void distribute_keys(const void *from, void *to, size_t size, uint32_t count,
                               uint64_t sort_bits, uint32_t shift, uint32_t mask) {
  uint32_t starts[DIGIT_VALUES];
  memset(starts, 0, (mask + 1) * sizeof *starts);
  for (uint32_t i = 0; i < count; i++) {
    starts[(key_at(from, size, i) & sort_bits) >> shift & mask]++;
  }
  for (uint32_t digit = 0, sum = 0; digit <= mask; digit++) {
    uint32_t keys = starts[digit];
    starts[digit] = sum;
    sum += keys;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint64_t key = key_at(from, size, i);
    uint32_t at = starts[(key & sort_bits) >> shift & mask]++;
    if (size == sizeof(uint32_t)) {
      ((uint32_t *)to)[at] = (uint32_t)key;
    } else {
      ((uint64_t *)to)[at] = key;
    }
  }
}

/* The width of digits, which are no wider than the number of keys, and of equal width. */
static uint32_t digit_width(uint64_t sort_bits, uint32_t count) {
  uint32_t max = bit_length(count) < MAX_DIGIT_BITS ? bit_length(count) : MAX_DIGIT_BITS;
  uint32_t bits = bit_length(sort_bits) - (uint32_t)__builtin_ctzll(sort_bits);
  uint32_t passes = (bits + max - 1) / max;
  return (bits + passes - 1) / passes;
}

/* Sorts keys stably by those of their bits that are in `sort_bits`; returns the array, `keys` or
 * `scratch`, that contains them then. */
MO_INLINE void *sort_by_bits(void *keys, void *scratch, size_t size, uint32_t count,
                             uint64_t sort_bits) {
  void *from = keys, *to = scratch;
  if (sort_bits == 0) {
    return keys;
  }
  uint32_t width = digit_width(sort_bits, count);
  for (uint32_t shift = 0; shift < 64 && sort_bits >> shift != 0; shift += width) {
    shift += (uint32_t)__builtin_ctzll(sort_bits >> shift);
    distribute_keys(from, to, size, count, sort_bits, shift, (1u << width) - 1);
    void *sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

/* --- keys of 64 bits --- */

static void insertion_sort(uint64_t *keys, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint64_t key = keys[i];
    uint32_t at = i;
    for (; at > 0 && keys[at - 1] > key; at--) {
      keys[at] = keys[at - 1];
    }
    keys[at] = key;
  }
}

/* Whether keys are in ascending order, for assertions. */
static bool keys_ascend(const uint64_t *keys, uint32_t count) {
  uint32_t i = 1;
  while (i < count && keys[i - 1] <= keys[i]) {
    i++;
  }
  return i >= count;
}

/* As mo_keys_sort, for keys that are in order by the bits below `low` where they are equal in the
 * bits above. */
static void sort_from_bit(uint64_t *keys, uint64_t *scratch, uint32_t count, uint32_t low) {
  if (count <= SMALL_SORT_MAX) {
    insertion_sort(keys, count);
    return;
  }
  uint64_t different = differing_bits(keys, sizeof *keys, count) >> low << low;
  const uint64_t *sorted = sort_by_bits(keys, scratch, sizeof *keys, count, different);
  if (sorted != keys) {
    memcpy(keys, sorted, count * sizeof *keys);
  }
}

void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count) {
  sort_from_bit(keys, scratch, count, 0);
  MO_ASSERT(keys_ascend(keys, count));
}

/* --- keys of 64 bits, by tasks --- */

enum {
  TASK_COUNT = 32,           /* number of tasks, each for an equal share of the keys */
  MIN_KEYS_FOR_TASKS = 4096, /* with fewer keys tasks do not pay off */
  BUCKET_BITS = 8,
  BUCKET_COUNT = 1 << BUCKET_BITS,
};

/* The distribution of keys to buckets by their leading bits, after which tasks sort the buckets
 * separately. */
typedef struct bucket_distribution {
  uint64_t *keys, *scratch;
  uint32_t count, shift, low;
  uint32_t starts[TASK_COUNT][BUCKET_COUNT]; /* [share][bucket]: target of the next key */
  uint32_t groups[TASK_COUNT + 1]; /* first key of each group of buckets; a task sorts a group */
} bucket_distribution;

static inline uint32_t share_begin(const bucket_distribution *s, uint32_t share) {
  return mo_part_begin(s->count, share, TASK_COUNT);
}

static inline uint32_t bucket_of(const bucket_distribution *s, uint64_t key) {
  return (uint32_t)(key >> s->shift) & (BUCKET_COUNT - 1);
}

static void count_buckets_of_share(uint32_t share, void *context) {
  bucket_distribution *s = context;
  uint32_t counts[BUCKET_COUNT] = {0};
  for (uint32_t i = share_begin(s, share); i < share_begin(s, share + 1); i++) {
    counts[bucket_of(s, s->keys[i])]++;
  }
  memcpy(s->starts[share], counts, sizeof counts);
}

static void distribute_keys_of_share(uint32_t share, void *context) {
  bucket_distribution *s = context;
  uint32_t *starts = s->starts[share];
  for (uint32_t i = share_begin(s, share); i < share_begin(s, share + 1); i++) {
    s->scratch[starts[bucket_of(s, s->keys[i])]++] = s->keys[i];
  }
}

static void sort_group(uint32_t group, void *context) {
  const bucket_distribution *s = context;
  uint32_t begin = s->groups[group], count = s->groups[group + 1] - begin;
  sort_from_bit(s->scratch + begin, s->keys + begin, count, s->low);
  memcpy(s->keys + begin, s->scratch + begin, count * sizeof *s->keys);
}

void mo_keys_sort_in_tasks(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count,
                           uint32_t low) {
  uint64_t different = 0;
  if (count < MIN_KEYS_FOR_TASKS || mo_tasks_workers(host) == 1 ||
      (different = differing_bits(keys, sizeof *keys, count) >> low << low) == 0) {
    sort_from_bit(keys, scratch, count, low);
    MO_ASSERT(keys_ascend(keys, count));
    return;
  }
  uint32_t top = bit_length(different);
  bucket_distribution s = {.keys = keys,
                           .scratch = scratch,
                           .count = count,
                           .low = low,
                           .shift = top > BUCKET_BITS ? top - BUCKET_BITS : 0};
  mo_tasks_run(host, TASK_COUNT, count_buckets_of_share, &s);
  uint32_t sum = 0, group = 1;
  for (uint32_t bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    for (; group < TASK_COUNT && sum >= share_begin(&s, group); group++) {
      s.groups[group] = sum;
    }
    for (uint32_t share = 0; share < TASK_COUNT; share++) {
      uint32_t size = s.starts[share][bucket];
      s.starts[share][bucket] = sum;
      sum += size;
    }
  }
  for (; group <= TASK_COUNT; group++) {
    s.groups[group] = count;
  }
  mo_tasks_run(host, TASK_COUNT, distribute_keys_of_share, &s);
  mo_tasks_run(host, TASK_COUNT, sort_group, &s);
  MO_ASSERT(keys_ascend(keys, count));
}

uint32_t mo_keys_lower_bound(const uint64_t *keys, uint32_t count, uint64_t key) {
  uint32_t begin = 0;
  while (count > 0) {
    uint32_t half = count / 2;
    bool after = keys[begin + half] < key;
    begin += after ? half + 1 : 0;
    count = after ? count - half - 1 : half;
  }
  return begin;
}

bool mo_keys_contain(const uint64_t *keys, uint32_t count, uint64_t key) {
  uint32_t at = mo_keys_lower_bound(keys, count, key);
  return at < count && keys[at] == key;
}

/* --- keys of 32 bits --- */

/* Sorts by ranks: the rank of a key is the number of keys before it. More operations than a radix
 * sort, but without branches, and eight at a time. */
static void rank_sort(const uint32_t *keys, uint32_t *sorted, uint32_t count, uint32_t sort_bits) {
  int32_t few[SMALL_SORT_MAX]; /* signed, as vector instructions compare these faster */
  uint32_t padded = (count + 7) & ~7u;
  for (uint32_t i = 0; i < count; i++) {
    few[i] = (int32_t)(keys[i] & sort_bits);
  }
  for (uint32_t i = count; i < padded; i++) {
    few[i] = INT32_MAX;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t rank = 0;
    for (uint32_t j = 0; j < padded; j += 8) {
      for (uint32_t k = 0; k < 8; k++) {
        rank += few[j + k] < few[i];
      }
    }
    sorted[rank] = keys[i];
  }
}

void mo_keys32_sort(uint32_t *keys, uint32_t *sorted, uint32_t count, uint32_t sort_bits) {
  if (count <= SMALL_SORT_MAX) {
    rank_sort(keys, sorted, count, sort_bits);
    return;
  }
  uint64_t different = differing_bits(keys, sizeof *keys, count) & sort_bits;
  if (sort_by_bits(keys, sorted, sizeof *keys, count, different) != sorted) {
    memcpy(sorted, keys, count * sizeof *sorted);
  }
}

static bool key_before(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

static void sort_on_stack(char *keys, uint32_t count) {
  uint32_t sorted[MAX_STACK_SORT_KEYS];
  mo_keys32_sort((uint32_t *)(void *)keys, sorted, count, INT32_MAX);
  memcpy(keys, sorted, count * sizeof *sorted);
}

void mo_keys32_sort_list(mo_bounded_list *list) {
  mo_bounded_sort_with(list, sizeof(uint32_t), key_before, MAX_STACK_SORT_KEYS, sort_on_stack);
}
