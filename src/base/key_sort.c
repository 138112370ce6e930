/* Radix sorts of integer keys.
 *
 * 64-bit keys typically differ in few of their bits. Up to some thousands of keys are sorted by
 * only the leading ones of these bits, as many as are needed to distinguish the keys, in two passes
 * from the lower digit up. Keys that are then still out of order are close together and are sorted
 * by insertion. If many keys share their leading bits, each such group is sorted separately in the
 * same way. More keys do not fit the first-level cache, and each insertion would cause a branch
 * misprediction: they are sorted by all bits that differ, from the lowest digit up (LSD radix
 * sort).
 *
 * 32-bit keys are always sorted by all of their digits; a few keys are sorted by counting ranks. */
#include "base/key_sort.h"

#include <string.h>

#include "base/assert.h"
#include "base/inline.h"
#include "base/memory.h"
#include "base/tasks.h"

enum {
  SMALL_SORT_MAX = 32,      /* up to so many keys are sorted by insertion or by ranks */
  LARGE_SORT_MIN = 1 << 14, /* from so many keys on, all differing bits are sorted */
  MAX_DIGIT_BITS = 11,      /* buckets of wider digits do not fit the first-level cache */
  SPARE_BITS = 1,           /* bits sorted in addition to the log2(count) leading ones */
  DIGIT_VALUES = 1 << MAX_DIGIT_BITS,
  KEYS_PER_PIECE = 1 << 14, /* 64-bit keys that one task processes in a pass */
  MAX_PASSES = 3,           /* largest number of passes of a radix sort of 32-bit keys */
  KEYS_PER_PART = 1 << 12,  /* 32-bit keys sorted at a time, in a buffer on the stack */
};

/* --- digits of 32-bit and 64-bit keys --- */

/* How keys are divided into digits, from the lowest digit up. */
typedef struct digits {
  uint32_t shift;     /* position of the lowest bit of the first digit */
  uint32_t bits;      /* width of each digit */
  uint32_t count;     /* number of digits */
  uint64_t sort_bits; /* mask of the key bits by which keys are sorted */
} digits;

MO_INLINE uint64_t key_at(const void *keys, size_t size, uint32_t i) {
  return size == sizeof(uint32_t) ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

/* Counts, in one sweep over the keys from `begin` to `end`, how often each digit has each value. */
MO_INLINE void count_digits(uint32_t counts[][DIGIT_VALUES], const void *keys, size_t size,
                            uint32_t begin, uint32_t end, const digits *d) {
  uint32_t mask = (1u << d->bits) - 1;
  for (uint32_t i = 0; i < d->count; i++) {
    memset(counts[i], 0, (mask + 1) * sizeof **counts);
  }
  for (uint32_t i = begin; i < end; i++) {
    uint64_t key = (key_at(keys, size, i) & d->sort_bits) >> d->shift;
    for (uint32_t j = 0; j < d->count; j++) {
      counts[j][key & mask]++;
      key >>= d->bits;
    }
  }
}

/* Turns the counts of a digit into start positions of each value (exclusive prefix sum). */
static void counts_to_starts(uint32_t *counts, uint32_t count) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t size = counts[i];
    counts[i] = sum;
    sum += size;
  }
}

/* Distributes the keys from `begin` to `end` by the first digit of `d`. */
MO_INLINE void distribute_keys(const void *from, void *to, size_t size, uint32_t begin,
                               uint32_t end, const digits *d, uint32_t *starts) {
  uint32_t mask = (1u << d->bits) - 1;
  for (uint32_t i = begin; i < end; i++) {
    uint64_t key = key_at(from, size, i);
    uint32_t at = starts[(key & d->sort_bits) >> d->shift & mask]++;
    if (size == sizeof(uint32_t)) {
      ((uint32_t *)to)[at] = (uint32_t)key;
    } else {
      ((uint64_t *)to)[at] = key;
    }
  }
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

/* Sorts by the 2 * `bits` bits from `shift` up, in two passes. */
static void sort_by_two_digits(uint64_t *keys, uint64_t *scratch, uint32_t count, uint32_t shift,
                               uint32_t bits) {
  uint32_t starts[2][DIGIT_VALUES];
  digits d = {shift, bits, 2, UINT64_MAX};
  count_digits(starts, keys, sizeof *keys, 0, count, &d);
  counts_to_starts(starts[0], 1u << bits);
  counts_to_starts(starts[1], 1u << bits);
  distribute_keys(keys, scratch, sizeof *keys, 0, count, &d, starts[0]);
  d.shift += bits;
  distribute_keys(scratch, keys, sizeof *keys, 0, count, &d, starts[1]);
}

static inline uint32_t bit_length(uint64_t x) {
  return 64 - (uint32_t)__builtin_clzll(x);
}

/* One pass of a radix sort of many keys. Tasks process pieces of the keys of equal size. */
typedef struct sort_pass {
  const uint64_t *from;
  uint64_t *to;
  uint32_t *starts;                  /* [piece][digit value]: where the next key is written */
  uint32_t count, piece_size, shift; /* number of keys; keys per piece; position of the digit */
} sort_pass;

static uint32_t piece_end(const sort_pass *r, uint32_t piece) {
  uint32_t begin = piece * r->piece_size;
  return r->count - begin < r->piece_size ? r->count : begin + r->piece_size;
}

static void count_digits_of_piece(uint32_t piece, void *context) {
  const sort_pass *r = context;
  const digits d = {r->shift, MAX_DIGIT_BITS, 1, UINT64_MAX};
  uint32_t(*counts)[DIGIT_VALUES] =
      (uint32_t(*)[DIGIT_VALUES]) & r->starts[(size_t)piece * DIGIT_VALUES];
  count_digits(counts, r->from, sizeof *r->from, piece * r->piece_size, piece_end(r, piece), &d);
}

static void distribute_keys_of_piece(uint32_t piece, void *context) {
  const sort_pass *r = context;
  const digits d = {r->shift, MAX_DIGIT_BITS, 1, UINT64_MAX};
  distribute_keys(r->from, r->to, sizeof *r->from, piece * r->piece_size, piece_end(r, piece), &d,
                  &r->starts[(size_t)piece * DIGIT_VALUES]);
}

/* Sorts by all bits in which keys differ, from the lowest up; skips bits that all keys share.
 * `host` may be null for a single piece. */
static void radix_sort_lsd(const mo_host *host, uint64_t *keys, uint64_t *scratch,
                           uint64_t different, uint32_t pieces, sort_pass *r) {
  r->from = keys;
  r->to = scratch;
  r->shift = 0;
  for (; r->shift < 64 && different >> r->shift != 0; r->shift += MAX_DIGIT_BITS) {
    r->shift += (uint32_t)__builtin_ctzll(different >> r->shift);
    if (pieces == 1) {
      count_digits_of_piece(0, r);
      counts_to_starts(r->starts, DIGIT_VALUES);
      distribute_keys_of_piece(0, r);
    } else {
      mo_tasks_run(host, pieces, count_digits_of_piece, r);
      uint32_t sum = 0;
      for (uint32_t digit = 0; digit < DIGIT_VALUES; digit++) {
        for (uint32_t piece = 0; piece < pieces; piece++) {
          uint32_t *start = &r->starts[(size_t)piece * DIGIT_VALUES + digit];
          uint32_t size = *start;
          *start = sum;
          sum += size;
        }
      }
      mo_tasks_run(host, pieces, distribute_keys_of_piece, r);
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

bool mo_keys_sort_stably(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count,
                         uint32_t low) {
  uint32_t pieces = count / KEYS_PER_PIECE + (count % KEYS_PER_PIECE > 0);
  size_t starts = (size_t)pieces * DIGIT_VALUES;
  sort_pass r = {.starts = mo_allocate(&host->allocator, starts, sizeof *r.starts),
                 .count = count,
                 .piece_size = KEYS_PER_PIECE};
  if (r.starts == NULL) {
    return count == 0;
  }
  radix_sort_lsd(host, keys, scratch, differing_bits(keys, count) >> low << low, pieces, &r);
  mo_deallocate(&host->allocator, r.starts, starts, sizeof *r.starts);
  return true;
}

/* Whether more than SMALL_SORT_MAX keys are equal in the bits from `shift` up, by which the keys
 * are sorted. */
static bool has_large_group(const uint64_t *keys, uint32_t count, uint32_t shift) {
  uint64_t crowds = 0;
  for (uint32_t i = SMALL_SORT_MAX; i < count; i++) {
    crowds += keys[i] >> shift == keys[i - SMALL_SORT_MAX] >> shift;
  }
  return crowds > 0;
}

/* Whether keys are in ascending order, for assertions. */
static bool keys_ascend(const uint64_t *keys, uint32_t count) {
  uint32_t i = 1;
  while (i < count && keys[i - 1] <= keys[i]) {
    i++;
  }
  return i >= count;
}

void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count) {
  if (count <= SMALL_SORT_MAX) {
    insertion_sort(keys, count);
    return;
  }
  uint64_t different = differing_bits(keys, count);
  if (different == 0) {
    return;
  }
  if (count >= LARGE_SORT_MIN) {
    uint32_t starts[DIGIT_VALUES];
    sort_pass r = {.starts = starts, .count = count, .piece_size = count};
    radix_sort_lsd(NULL, keys, scratch, different, 1, &r);
    MO_ASSERT(keys_ascend(keys, count));
    return;
  }
  uint32_t bits = bit_length(count) + SPARE_BITS, top = bit_length(different);
  uint32_t shift = top > bits ? top - bits : 0;
  shift += (uint32_t)__builtin_ctzll(different >> shift);
  sort_by_two_digits(keys, scratch, count, shift, (top - shift + 1) / 2);
  if (!has_large_group(keys, count, shift)) {
    insertion_sort(keys, count);
    MO_ASSERT(keys_ascend(keys, count));
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
  uint32_t count, shift;
  uint32_t starts[TASK_COUNT][BUCKET_COUNT]; /* [share][bucket]: target of the next key */
  uint32_t groups[TASK_COUNT + 1]; /* first key of each group of buckets; a task sorts a group */
} bucket_distribution;

static inline uint32_t share_begin(const bucket_distribution *s, uint32_t share) {
  return (uint32_t)((uint64_t)s->count * share / TASK_COUNT);
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
  mo_keys_sort(s->scratch + begin, s->keys + begin, count);
  memcpy(s->keys + begin, s->scratch + begin, count * sizeof *s->keys);
}

void mo_keys_sort_in_tasks(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count) {
  uint64_t different = 0;
  if (count < MIN_KEYS_FOR_TASKS || mo_tasks_workers(host) == 1 ||
      (different = differing_bits(keys, count)) == 0) {
    mo_keys_sort(keys, scratch, count);
    return;
  }
  uint32_t top = bit_length(different);
  bucket_distribution s = {.keys = keys,
                           .scratch = scratch,
                           .count = count,
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

static uint32_t digit_bits(uint32_t bits, uint32_t passes) {
  return (bits + passes - 1) / passes;
}

/* The number of passes with the lowest cost: wider digits need fewer passes, but more buckets per
 * pass. */
static uint32_t cheapest_pass_count(uint32_t bits, uint32_t count) {
  uint32_t best = MAX_PASSES;
  uint64_t min = UINT64_MAX;
  for (uint32_t passes = MAX_PASSES; passes > 0 && digit_bits(bits, passes) <= MAX_DIGIT_BITS;
       passes--) {
    uint64_t cost = passes * (4 * (uint64_t)count + (1u << digit_bits(bits, passes)));
    best = cost < min ? passes : best;
    min = cost < min ? cost : min;
  }
  return best;
}

void mo_keys32_sort(uint32_t *keys, uint32_t *sorted, uint32_t count, uint32_t sort_bits) {
  if (count <= SMALL_SORT_MAX) {
    rank_sort(keys, sorted, count, sort_bits);
    return;
  }
  uint32_t all = 0;
  for (uint32_t i = 0; i < count; i++) {
    all |= keys[i] & sort_bits;
  }
  uint32_t bits = 64 - (uint32_t)__builtin_clzll((uint64_t)all | 1);
  uint32_t passes = cheapest_pass_count(bits, count), counts[MAX_PASSES][DIGIT_VALUES];
  digits d = {0, digit_bits(bits, passes), passes, sort_bits};
  if (passes == MAX_PASSES) { /* a constant count lets the compiler unroll the loops */
    d.count = MAX_PASSES;
    count_digits(counts, keys, sizeof *keys, 0, count, &d);
  } else {
    count_digits(counts, keys, sizeof *keys, 0, count, &d);
  }
  uint32_t *from = keys, *to = sorted;
  for (uint32_t i = 0; i < passes; i++) {
    counts_to_starts(counts[i], 1u << d.bits);
    distribute_keys(from, to, sizeof *keys, 0, count, &d, counts[i]);
    d.shift += d.bits;
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != sorted) {
    memcpy(sorted, keys, count * sizeof *sorted);
  }
}

static bool key_before(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

static void sort_part(char *keys, uint32_t count) {
  uint32_t sorted[KEYS_PER_PART];
  mo_keys32_sort((uint32_t *)(void *)keys, sorted, count, INT32_MAX);
  memcpy(keys, sorted, count * sizeof *sorted);
}

void mo_keys32_sort_list(mo_bounded_list *list) {
  mo_bounded_sort_with(list, sizeof(uint32_t), key_before, KEYS_PER_PART, sort_part);
}
