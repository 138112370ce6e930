/* Pools: indices, growth, free list, failure. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/memory.h"
#include "support/counting_allocator.h"
#include "support/rng.h"

typedef struct item {
  uint32_t first; /* overwritten by the free list while the item is free */
  uint32_t name;
  uint32_t copy[5];
} item;

static counting_allocator counter;
static mo_pool pool;

static void setup(void) {
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  mo_pool_init(&pool, &allocator, sizeof(item));
}

static void teardown(void) {
  mo_pool_destroy(&pool);
  cr_assert(counting_allocator_is_clean(&counter));
}

static item *at(uint32_t index) {
  return (item *)pool.items + index;
}

TestSuite(pool, .init = setup, .fini = teardown);

Test(pool, starts_empty) {
  cr_assert_eq(counter.calls, 0);
  cr_assert_eq(mo_pool_bytes(&pool), 0);
  cr_assert_eq(pool.count, 0);
}

Test(pool, indices_are_dense_and_reused) {
  for (uint32_t i = 0; i < 100; i++) {
    cr_assert_eq(mo_pool_allocate(&pool), i);
  }
  cr_assert_geq(mo_pool_bytes(&pool), 100 * sizeof(item));
  cr_assert_eq(mo_pool_bytes(&pool), counter.outstanding_bytes);
  mo_pool_free(&pool, 40);
  mo_pool_free(&pool, 7);
  cr_assert_eq(pool.free_count, 2);
  cr_assert_eq(mo_pool_allocate(&pool), 7);
  cr_assert_eq(mo_pool_allocate(&pool), 40);
  cr_assert_eq(pool.free_count, 0);
  cr_assert_eq(mo_pool_allocate(&pool), 100);
}

Test(pool, failure_leaves_it_unchanged) {
  uint32_t first = mo_pool_allocate(&pool);
  at(first)->name = 77;
  while (pool.count < pool.capacity) {
    mo_pool_allocate(&pool);
  }
  mo_pool before = pool;
  counting_allocator_fail_at(&counter, 1, false);
  cr_assert_eq(mo_pool_allocate(&pool), MO_NONE);
  cr_assert_eq(memcmp(&before, &pool, sizeof pool), 0);
  cr_assert_eq(at(first)->name, 77);
  counting_allocator_fail_at(&counter, 1, false);
  cr_assert_eq(mo_pool_reserve(&pool, 1), MO_ERROR_OUT_OF_MEMORY);
  cr_assert_eq(memcmp(&before, &pool, sizeof pool), 0);
  cr_assert_neq(mo_pool_allocate(&pool), MO_NONE);
}

Test(pool, reserved_items_need_no_allocation) {
  for (uint32_t i = 0; i < 20; i++) {
    mo_pool_allocate(&pool);
  }
  mo_pool_free(&pool, 3);
  mo_pool_free(&pool, 9);
  cr_assert_eq(mo_pool_reserve(&pool, 500), MO_OK);
  counting_allocator_fail_at(&counter, 1, true);
  for (uint32_t i = 0; i < 500; i++) {
    cr_assert_neq(mo_pool_allocate(&pool), MO_NONE);
  }
  cr_assert_eq(counter.failures, 0);
}

Test(pool, absurd_reserves_are_refused) {
  mo_pool_allocate(&pool);
  cr_assert_eq(mo_pool_reserve(&pool, UINT32_MAX), MO_ERROR_TOO_MANY);
  cr_assert_eq(mo_pool_reserve(&pool, 0), MO_OK);
}

Test(pool, items_keep_their_contents_under_churn) {
  rng r = rng_make(rng_seed("pool churn", 11));
  enum { LIVE = 2000 };
  static uint32_t live[LIVE];
  uint32_t count = 0, next_name = 0;
  static uint32_t names[LIVE];
  for (int round = 0; round < 40000; round++) {
    bool grow = count == 0 || (count < LIVE && rng_chance(&r, round < 20000 ? 0.6 : 0.4));
    if (grow) {
      uint32_t index = mo_pool_allocate(&pool);
      cr_assert_neq(index, MO_NONE);
      live[count] = index;
      names[count++] = next_name;
      *at(index) = (item){.first = next_name, .name = next_name};
      next_name++;
    } else {
      uint32_t k = rng_below(&r, count);
      cr_assert_eq(at(live[k])->first, names[k]);
      cr_assert_eq(at(live[k])->name, names[k]);
      mo_pool_free(&pool, live[k]);
      live[k] = live[--count];
      names[k] = names[count];
    }
    cr_assert_eq(pool.count - pool.free_count, count);
  }
  for (uint32_t k = 0; k < count; k++) {
    cr_assert_eq(at(live[k])->first, names[k]);
  }
}
