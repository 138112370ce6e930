/* The default allocator, arrays through an allocator, and the counting allocator that other tests
 * rely on. */
#include "base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/counting_allocator.h"

Test(memory, default_allocator_aligns) {
  mo_allocator allocator = mo_default_allocator();
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (size_t size = 1; size < 300; size += 37) {
      unsigned char *memory = allocator.allocate(size, alignment, allocator.context);
      cr_assert_not_null(memory);
      cr_assert_eq((uintptr_t)memory % alignment, 0);
      memset(memory, 0xff, size);
      allocator.release(memory, size, alignment, allocator.context);
    }
  }
}

/* Arrays that are large enough for huge pages: no byte is shared with another array. */
Test(memory, default_allocator_gives_large_arrays) {
  enum { MIB = 1 << 20, COUNT = 12 };
  static const size_t alignments[] = {1, 64, 4096, 8 * MIB};
  mo_allocator allocator = mo_default_allocator();
  for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
    unsigned char *memory[COUNT];
    size_t size[COUNT];
    for (size_t j = 0; j < COUNT; j++) {
      size[j] = (j / 3 + 1) * MIB + j % 3 - 1; /* a byte less, as much, a byte more */
      memory[j] = allocator.allocate(size[j], alignments[i], allocator.context);
      cr_assert_not_null(memory[j]);
      cr_assert_eq((uintptr_t)memory[j] % alignments[i], 0);
      memset(memory[j], (int)j, size[j]);
    }
    for (size_t j = 0; j < COUNT; j++) {
      cr_assert_eq(memory[j][0], j);
      cr_assert_eq(memcmp(memory[j], memory[j] + 1, size[j] - 1), 0, "array %zu", j);
      allocator.release(memory[j], size[j], alignments[i], allocator.context);
    }
  }
}

Test(memory, default_allocator_fails_with_null) {
  mo_allocator allocator = mo_default_allocator();
  cr_assert_null(allocator.allocate(SIZE_MAX - 7, 64, allocator.context));
}

Test(memory, arrays_are_aligned_to_cache_lines) {
  mo_allocator allocator = mo_default_allocator();
  for (size_t count = 1; count < 100; count += 7) {
    void *memory = mo_allocate(&allocator, count, 12);
    cr_assert_not_null(memory);
    cr_assert_eq((uintptr_t)memory % MO_ALIGNMENT, 0);
    mo_deallocate(&allocator, memory, count, 12);
  }
}

Test(memory, empty_and_overflowing_arrays_allocate_nothing) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  cr_assert_null(mo_allocate(&allocator, 0, 4));
  cr_assert_null(mo_allocate(&allocator, 4, 0));
  cr_assert_null(mo_allocate(&allocator, SIZE_MAX / 2, 4));
  cr_assert_null(mo_allocate(&allocator, SIZE_MAX, SIZE_MAX));
  cr_assert_eq(counter.calls, 0);
  mo_deallocate(&allocator, NULL, 3, 4);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(memory, counting_allocator_counts) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  void *a = mo_allocate(&allocator, 10, 3);
  void *b = mo_allocate(&allocator, 5, 4);
  cr_assert_eq(counter.outstanding_bytes, 50);
  cr_assert_eq(counter.outstanding_blocks, 2);
  cr_assert(!counting_allocator_is_clean(&counter));
  mo_deallocate(&allocator, a, 10, 3);
  mo_deallocate(&allocator, b, 5, 4);
  cr_assert_eq(counter.peak_bytes, 50);
  cr_assert_eq(counter.calls, 2);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(memory, counting_allocator_notices_wrong_sizes) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  void *a = mo_allocate(&allocator, 10, 3);
  mo_deallocate(&allocator, a, 10, 4);
  cr_assert_eq(counter.misuses, 1);
  cr_assert(!counting_allocator_is_clean(&counter));
}

Test(memory, counting_allocator_fails_at_the_nth_call) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  counting_allocator_fail_at(&counter, 2, false);
  void *a = mo_allocate(&allocator, 1, 8);
  cr_assert_not_null(a);
  cr_assert_null(mo_allocate(&allocator, 1, 8));
  void *b = mo_allocate(&allocator, 1, 8);
  cr_assert_not_null(b);
  mo_deallocate(&allocator, a, 1, 8);
  mo_deallocate(&allocator, b, 1, 8);

  counting_allocator_fail_at(&counter, 1, true);
  cr_assert_null(mo_allocate(&allocator, 1, 8));
  cr_assert_null(mo_allocate(&allocator, 1, 8));
  cr_assert_eq(counter.failures, 3);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(memory, arrays_grow) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  void *items = NULL;
  uint32_t capacity = 0;
  for (uint32_t count = 0; count < 1000; count++) {
    cr_assert(mo_array_reserve(&allocator, &items, 4, count, &capacity, 1));
    cr_assert_gt(capacity, count);
    ((uint32_t *)items)[count] = count;
  }
  cr_assert_leq(counter.calls, 14, "growth is geometric, by half");
  for (uint32_t i = 0; i < 1000; i++) {
    cr_assert_eq(((uint32_t *)items)[i], i);
  }
  cr_assert(mo_array_reserve(&allocator, &items, 4, 1000, &capacity, 99000));
  cr_assert_eq(capacity, 100000);
  cr_assert(mo_array_reserve(&allocator, &items, 4, 100000, &capacity, 1));
  cr_assert_eq(capacity, 125000, "large ones by a quarter");
  mo_deallocate(&allocator, items, capacity, 4);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(memory, arrays_that_cannot_grow_stay_as_they_are) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  void *items = NULL;
  uint32_t capacity = 0;
  cr_assert(mo_array_reserve(&allocator, &items, 4, 0, &capacity, 5));
  void *before = items;
  uint32_t before_capacity = capacity;
  counting_allocator_fail_at(&counter, 1, true);
  cr_assert(!mo_array_reserve(&allocator, &items, 4, 5, &capacity, 100));
  cr_assert(!mo_array_reserve(&allocator, &items, 4, 5, &capacity, MO_MAX_ITEMS - 4));
  cr_assert(!mo_array_reserve(&allocator, &items, 4, 5, &capacity, UINT64_MAX));
  cr_assert_eq(counter.calls, 1, "nothing is allocated beyond the limit");
  cr_assert_eq(items, before);
  cr_assert_eq(capacity, before_capacity);
  mo_deallocate(&allocator, items, capacity, 4);
  cr_assert(counting_allocator_is_clean(&counter));
}

typedef struct pair_of_lists {
  MO_LIST(uint32_t, numbers);
  MO_LIST(char, letters) text;
} pair_of_lists;

Test(memory, lists_grow_and_are_trimmed) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  pair_of_lists l = {.text = {.letters = NULL}};
  for (uint32_t i = 0; i < 1000; i++) {
    cr_assert_eq(mo_list_add(&allocator, &l.list, sizeof i, &i), MO_OK);
    cr_assert(l.count == i + 1 && l.capacity >= l.count && l.list.items == l.numbers);
  }
  cr_assert_eq(mo_list_reserve(&allocator, &l.list, sizeof *l.numbers, 3000), MO_OK);
  cr_assert_eq(l.capacity, 4000);
  cr_assert_eq(mo_list_reserve_total(&allocator, &l.list, sizeof *l.numbers, 4000), MO_OK);
  cr_assert_eq(l.capacity, 4000);
  mo_list_record_needed(&l.list, 7);
  mo_list_record_needed(&l.list, 5);
  cr_assert(l.needed == 7 && l.count == 1000);
  mo_list_trim(&allocator, &l.list, sizeof *l.numbers, 10);
  cr_assert(l.count == 10 && l.capacity == 10);
  for (uint32_t i = 0; i < 10; i++) {
    cr_assert_eq(l.numbers[i], i);
  }
  cr_assert_eq(mo_list_extend(&allocator, &l.text.list, 1, 5, 'a'), MO_OK);
  const uint32_t before = l.text.count;
  cr_assert(before >= 5 && before == l.text.capacity && l.text.letters[before - 1] == 'a');
  cr_assert_eq(mo_list_extend(&allocator, &l.text.list, 1, before + 1, 'b'), MO_OK);
  cr_assert(l.text.letters[before - 1] == 'a' && l.text.letters[before] == 'b');
  cr_assert_eq(l.text.letters[l.text.capacity - 1], 'b');
  mo_list_trim(&allocator, &l.list, sizeof *l.numbers, 0);
  mo_list_trim(&allocator, &l.text.list, 1, 0);
  cr_assert(l.numbers == NULL && l.text.capacity == 0);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(memory, lists_that_cannot_grow_stay_as_they_are) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  pair_of_lists l = {.text = {.letters = NULL}};
  const uint32_t number = 7;
  cr_assert_eq(mo_list_add(&allocator, &l.list, sizeof number, &number), MO_OK);
  const pair_of_lists before = l;
  counting_allocator_fail_at(&counter, 1, true);
  cr_assert_eq(mo_list_reserve(&allocator, &l.list, sizeof number, 100), MO_ERROR_OUT_OF_MEMORY);
  cr_assert_eq(mo_list_extend(&allocator, &l.list, sizeof number, 100, 0), MO_ERROR_OUT_OF_MEMORY);
  cr_assert_eq(mo_list_reserve(&allocator, &l.list, sizeof number, MO_MAX_ITEMS),
               MO_ERROR_TOO_MANY);
  cr_assert_eq(mo_list_reserve(&allocator, &l.list, sizeof number, UINT64_MAX), MO_ERROR_TOO_MANY);
  cr_assert_eq(mo_list_reserve_total(&allocator, &l.list, sizeof number, MO_MAX_ITEMS),
               MO_ERROR_OUT_OF_MEMORY);
  cr_assert(l.numbers == before.numbers && l.count == 1 && l.capacity == before.capacity);
  cr_assert_eq(l.numbers[0], 7);
  mo_list_trim(&allocator, &l.list, sizeof number, 0);
  cr_assert(counting_allocator_is_clean(&counter));
}
