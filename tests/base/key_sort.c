/* Sorting keys: in pieces by tasks as well as at once, and by some of the bits. */
#include "base/key_sort.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/rng.h"

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Keys with an index in the low bits, so that stable order by the others is that of all. */
Test(key_sort, tasks_sort_as_one_does) {
  rng r = rng_make(rng_seed("key_sort/tasks", 43));
  mo_host host = mo_default_host();
  static const uint32_t counts[] = {0, 1, 2, 40, 5000, 16384, 16385, 70000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    uint32_t count = counts[c], low = 20;
    uint64_t *keys = malloc((count + 1) * sizeof *keys), *scratch = malloc((count + 1) * 8);
    uint64_t *all = malloc((count + 1) * sizeof *all), *expected = malloc((count + 1) * 8);
    for (uint32_t i = 0; i < count; i++) {
      uint64_t code = rng_u64(&r) >> (20 + rng_below(&r, 40));
      keys[i] = all[i] = expected[i] = code << low | i;
    }
    qsort(expected, count, sizeof *expected, compare);
    cr_assert(mo_keys_sort_in_tasks(&host, keys, scratch, count, low));
    mo_keys_sort(all, scratch, count);
    for (uint32_t i = 0; i < count; i++) {
      cr_assert_eq(keys[i], expected[i], "key %u of %u", i, count);
      cr_assert_eq(all[i], expected[i], "key %u of %u, at once", i, count);
    }
    free(keys);
    free(scratch);
    free(all);
    free(expected);
  }
}
