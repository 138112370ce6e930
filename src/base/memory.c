/* The default allocator, and allocation of arrays through any allocator.
 *
 * mimalloc is used through its plain aligned calls, not its heaps: heaps of mimalloc 2 belong to
 * the thread that created them, but objects of this library are created and destroyed on any
 * thread.
 *
 * On Linux, the default allocator requests large pages (madvise): trees are accessed randomly, and
 * with pages of 4 KiB most of the latency is TLB misses. Arrays of one MiB benefit too. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* declares madvise */
#include <sys/mman.h>
#endif

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

#ifdef MO_HAVE_MIMALLOC
#include <mimalloc.h>

static void *allocate_aligned(size_t size, size_t alignment) {
  return mi_malloc_aligned(size, alignment);
}

static void default_release(void *memory, size_t size, size_t alignment, void *context) {
  (void)size;
  (void)alignment;
  (void)context;
  mi_free(memory);
}

#else

static void *allocate_aligned(size_t size, size_t alignment) {
  /* C17 requires a size that is a multiple of the alignment, and POSIX an alignment of at least
   * that of a pointer. */
  if (alignment < sizeof(void *)) {
    alignment = sizeof(void *);
  }
  if (size > SIZE_MAX - (alignment - 1)) {
    return NULL;
  }
  return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

static void default_release(void *memory, size_t size, size_t alignment, void *context) {
  (void)size;
  (void)alignment;
  (void)context;
  free(memory);
}

#endif

/* Uses large pages for a whole number of pages, rounded to nearest: so an array that ends in the
 * first half of a large page wastes no memory, and one that fills most of a large page gets it. */
static void *default_allocate(size_t size, size_t alignment, void *context) {
  (void)context;
#ifdef MADV_HUGEPAGE
  enum { LARGE_PAGE_SIZE = 2 << 20 };
  size_t large = size <= SIZE_MAX - LARGE_PAGE_SIZE
                     ? (size + LARGE_PAGE_SIZE / 2) / LARGE_PAGE_SIZE * LARGE_PAGE_SIZE
                     : 0;
  if (large > 0) {
    void *memory =
        allocate_aligned(size > large ? size : large,
                         alignment > LARGE_PAGE_SIZE ? alignment : (size_t)LARGE_PAGE_SIZE);
    if (memory != NULL) {
      (void)madvise(memory, large, MADV_HUGEPAGE); /* only a hint, which may fail */
    }
    return memory;
  }
#endif
  return allocate_aligned(size, alignment);
}

mo_allocator mo_default_allocator(void) {
  return (mo_allocator){default_allocate, default_release, NULL};
}

mo_host mo_default_host(void) {
  return (mo_host){.allocator = mo_default_allocator()};
}

void *mo_allocate(const mo_allocator *allocator, size_t count, size_t size) {
  /* In arrays larger than half of the address space, pointer differences would overflow. */
  if (count == 0 || size == 0 || count > PTRDIFF_MAX / size) {
    return NULL;
  }
  return allocator->allocate(count * size, MO_ALIGNMENT, allocator->context);
}

void mo_deallocate(const mo_allocator *allocator, void *memory, size_t count, size_t size) {
  if (memory != NULL) {
    allocator->release(memory, count * size, MO_ALIGNMENT, allocator->context);
  }
}

mo_result mo_arrays_resize(const mo_allocator *allocator, const mo_array *arrays, uint32_t count,
                           uint32_t kept, uint32_t *capacity, uint32_t to_capacity) {
  void *to[4];
  bool ok = true;
  MO_ASSERT(count <= sizeof to / sizeof *to);
  for (uint32_t i = 0; i < count; i++) {
    to[i] = mo_allocate(allocator, to_capacity, arrays[i].item_size);
    ok &= to[i] != NULL || to_capacity == 0;
  }
  kept = kept < to_capacity ? kept : to_capacity;
  for (uint32_t i = 0; i < count; i++) {
    void *freed = to[i];
    if (ok) {
      /* Reading the pointer as a `void *` would break strict aliasing. */
      memcpy(&freed, arrays[i].items, sizeof freed);
      MO_ASSERT(kept <= *capacity || freed == NULL);
      if (kept > 0) {
        memcpy(to[i], freed, kept * arrays[i].item_size);
      }
      memcpy(arrays[i].items, &to[i], sizeof to[i]);
    }
    mo_deallocate(allocator, freed, ok ? *capacity : to_capacity, arrays[i].item_size);
  }
  *capacity = ok ? to_capacity : *capacity;
  return ok ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}

bool mo_array_reserve(const mo_allocator *allocator, void *items, size_t size, uint32_t count,
                      uint32_t *capacity, uint64_t extra) {
  if (extra > MO_MAX_ITEMS || count + extra > MO_MAX_ITEMS) {
    return false;
  }
  uint64_t needed = count + extra;
  if (needed <= *capacity) {
    return true;
  }
  /* Grows by half, large arrays by a quarter: doubling would leave up to half of a large scene's
   * memory unused. */
  enum { LARGE_ARRAY_COUNT = 4096 };
  uint64_t grown = *capacity + (uint64_t)*capacity / (*capacity < LARGE_ARRAY_COUNT ? 2 : 4);
  grown = grown < 8 ? 8 : grown;
  grown = grown > MO_MAX_ITEMS ? MO_MAX_ITEMS : grown;
  grown = grown < needed ? needed : grown;
  const mo_array array = {items, size};
  return mo_arrays_resize(allocator, &array, 1, count, capacity, (uint32_t)grown) == MO_OK;
}

void mo_array_trim(const mo_allocator *allocator, void *items, size_t size, uint32_t count,
                   uint32_t *capacity) {
  if (count < *capacity) {
    const mo_array array = {items, size};
    (void)mo_arrays_resize(allocator, &array, 1, count, capacity, count);
  }
}

mo_result mo_list_grow(const mo_allocator *allocator, mo_list *list, size_t size, uint64_t extra) {
  if (extra > MO_MAX_ITEMS - list->count) {
    return MO_ERROR_TOO_MANY;
  }
  bool ok = mo_array_reserve(allocator, &list->items, size, list->count, &list->capacity, extra);
  return ok ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}

mo_result mo_list_extend(const mo_allocator *allocator, mo_list *list, size_t size, uint32_t count,
                         int fill) {
  mo_result result = mo_list_reserve_total(allocator, list, size, count);
  if (result == MO_OK && count > list->count) {
    memset((char *)list->items + list->count * size, fill, (list->capacity - list->count) * size);
    list->count = list->capacity;
  }
  return result;
}

mo_result mo_list_add(const mo_allocator *allocator, mo_list *list, size_t size, const void *item) {
  mo_result result = mo_list_reserve(allocator, list, size, 1);
  if (result == MO_OK) {
    memcpy((char *)list->items + list->count++ * size, item, size);
  }
  return result;
}

void mo_list_trim(const mo_allocator *allocator, mo_list *list, size_t size, uint32_t kept) {
  mo_array_trim(allocator, &list->items, size, kept, &list->capacity);
  list->count = kept;
}
