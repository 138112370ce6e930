/* Sorting keys: in pieces by tasks as well as at once, and by some of the bits. */
#include "base/key_sort.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/rng.h"
#include "support/task_order.h"

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Keys with an index in the low bits, so that stable order by the others is that of all. */
Test(key_sort, tasks_sort_as_one_does) {
  rng r = rng_make(rng_seed("key_sort/tasks", 43));
  mo_host host = mo_default_host(), many = mo_default_host();
  many.tasks = tasks_backwards(8);
  static const uint32_t counts[] = {0, 1, 2, 40, 4095, 4096, 5000, 16384, 16385, 70000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    uint32_t count = counts[c], low = 20;
    uint64_t *keys = malloc((count + 1) * sizeof *keys), *scratch = malloc((count + 1) * 8);
    uint64_t *all = malloc((count + 1) * sizeof *all), *expected = malloc((count + 1) * 8);
    uint64_t *shared = malloc((count + 1) * sizeof *shared);
    for (uint32_t i = 0; i < count; i++) {
      uint64_t code = rng_u64(&r) >> (20 + rng_below(&r, 40));
      keys[i] = all[i] = shared[i] = expected[i] = code << low | i;
    }
    qsort(expected, count, sizeof *expected, compare);
    mo_keys_sort_in_tasks(&host, keys, scratch, count, low);
    mo_keys_sort(all, scratch, count);
    mo_keys_sort_in_tasks(&many, shared, scratch, count, low);
    for (uint32_t i = 0; i < count; i++) {
      cr_assert_eq(keys[i], expected[i], "key %u of %u", i, count);
      cr_assert_eq(shared[i], expected[i], "key %u of %u, by tasks", i, count);
      cr_assert_eq(all[i], expected[i], "key %u of %u, at once", i, count);
    }
    free(keys);
    free(scratch);
    free(all);
    free(shared);
    free(expected);
  }
}

/* Few different leading bits, and keys that are all the same. */
Test(key_sort, tasks_sort_crowds) {
  rng r = rng_make(rng_seed("key_sort/crowds", 45));
  mo_host host = mo_default_host();
  host.tasks = tasks_backwards(3);
  enum { COUNT = 20000 };
  uint64_t *keys = malloc(COUNT * sizeof *keys), *scratch = malloc(COUNT * sizeof *scratch);
  uint64_t *expected = malloc(COUNT * sizeof *expected);
  for (int bits = 0; bits < 40; bits += 3) {
    for (uint32_t i = 0; i < COUNT; i++) {
      uint64_t leading = (uint64_t)(rng_below(&r, 1000) == 0) << 62;
      keys[i] = expected[i] = leading | (rng_u64(&r) & (((uint64_t)1 << bits) - 1));
    }
    qsort(expected, COUNT, sizeof *expected, compare);
    mo_keys_sort_in_tasks(&host, keys, scratch, COUNT, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
      cr_assert_eq(keys[i], expected[i], "key %u of %d bits", i, bits);
    }
  }
  free(keys);
  free(scratch);
  free(expected);
}

static int compare_slots(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a & 0x7fffffff, y = *(const uint32_t *)b & 0x7fffffff;
  return (x > y) - (x < y);
}

/* Different keys of up to 31 bits, with a flag above that does not count. */
Test(key_sort, narrow_keys_by_some_bits) {
  rng r = rng_make(rng_seed("key_sort/narrow", 44));
  enum { MAX = 40000 };
  uint32_t *keys = malloc(MAX * sizeof *keys), *sorted = malloc(MAX * sizeof *sorted);
  uint32_t *expected = malloc(MAX * sizeof *expected);
  for (uint64_t i = 0, rounds = rng_rounds(300, 20000); i < rounds; i++) {
    uint32_t count = rng_below(&r, rng_chance(&r, 0.1) ? MAX : rng_chance(&r, 0.5) ? 200 : 40);
    uint32_t key = 0, step = 0x7fffffff / (count + 1);
    step = step >> rng_below(&r, 31);
    for (uint32_t j = 0; j < count; j++) {
      key += 1 + rng_below(&r, step > 0 ? step : 1);
      expected[j] = keys[j] = key | (rng_chance(&r, 0.5) ? 0x80000000u : 0);
    }
    for (uint32_t j = count; j > 1; j--) {
      uint32_t other = rng_below(&r, j), swap = keys[j - 1];
      keys[j - 1] = keys[other];
      keys[other] = swap;
    }
    qsort(expected, count, sizeof *expected, compare_slots);
    mo_keys32_sort(keys, sorted, count, 0x7fffffff);
    for (uint32_t j = 0; j < count; j++) {
      cr_assert_eq(sorted[j], expected[j], "key %u of %u", j, count);
    }
    for (uint32_t j = 0; j < count; j++) { /* a list in place, in another order */
      uint32_t other = rng_below(&r, j + 1);
      keys[j] = keys[other];
      keys[other] = expected[j] & 0x7fffffff;
    }
    mo_bounded_list list = {.items = keys, .capacity = MAX, .count = count};
    mo_keys32_sort_list(&list);
    for (uint32_t j = 0; j < count; j++) {
      cr_assert_eq(keys[j], expected[j] & 0x7fffffff, "key %u of a list of %u", j, count);
    }
  }
  free(keys);
  free(sorted);
  free(expected);
}
