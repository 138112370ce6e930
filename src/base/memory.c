/* The default allocator, and allocation of arrays through any allocator.
 *
 * mimalloc is used through its plain aligned calls: heaps of mimalloc 2 belong to the thread that
 * made them, and objects of this library are created and destroyed on any thread.
 *
 * Where Linux gives large pages to those who ask, the default allocator asks for them: trees are
 * read here and there all over, and with pages of 4 KiB most of what that waits for is the
 * translation of addresses. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE_PAGE = 2 << 20 };

static void *with_large_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
  if (memory && size >= 2 * (size_t)LARGE_PAGE) {
    /* The pages that lie inside as a whole. It is advice: failure changes nothing. */
    uintptr_t first = ((uintptr_t)memory + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)memory + size) & ~(uintptr_t)(LARGE_PAGE - 1);
    (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
  }
#else
  (void)size;
#endif
  return memory;
}

#ifdef MO_HAVE_MIMALLOC
#include <mimalloc.h>

static void *default_allocate(size_t size, size_t alignment, void *context) {
  (void)context;
  return with_large_pages(mi_malloc_aligned(size, alignment), size);
}

static void default_release(void *memory, size_t size, size_t alignment, void *context) {
  (void)context;
  mi_free_size_aligned(memory, size, alignment);
}

#else

static void *default_allocate(size_t size, size_t alignment, void *context) {
  (void)context;
  /* C17 wants a size that is a multiple of the alignment, and POSIX at least that of a pointer. */
  if (alignment < sizeof(void *)) {
    alignment = sizeof(void *);
  }
  if (size > SIZE_MAX - (alignment - 1)) {
    return NULL;
  }
  void *memory = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
  return with_large_pages(memory, size);
}

static void default_release(void *memory, size_t size, size_t alignment, void *context) {
  (void)size;
  (void)alignment;
  (void)context;
  free(memory);
}

#endif

mo_allocator mo_default_allocator(void) {
  return (mo_allocator){default_allocate, default_release, NULL};
}

mo_host mo_default_host(void) {
  return (mo_host){.allocator = mo_default_allocator()};
}

void *mo_allocate(const mo_allocator *allocator, size_t count, size_t size) {
  /* More than half of the address space is no array, and would break pointer differences. */
  if (count == 0 || size == 0 || count > PTRDIFF_MAX / size) {
    return NULL;
  }
  return allocator->allocate(count * size, MO_ALIGNMENT, allocator->context);
}

void mo_deallocate(const mo_allocator *allocator, void *memory, size_t count, size_t size) {
  if (memory) {
    allocator->release(memory, count * size, MO_ALIGNMENT, allocator->context);
  }
}

bool mo_array_reserve(const mo_allocator *allocator, void **items, size_t size, uint32_t count,
                      uint32_t *capacity, uint64_t extra) {
  if (extra > MO_MAX_ITEMS || count + extra > MO_MAX_ITEMS) {
    return false;
  }
  uint64_t needed = count + extra;
  if (needed <= *capacity) {
    return true;
  }
  /* By half, or a quarter: twice would leave up to half of a large scene's memory unused. */
  enum { LARGE = 4096 };
  uint64_t grown = *capacity + (uint64_t)*capacity / (*capacity < LARGE ? 2 : 4);
  grown = grown < 8 ? 8 : grown;
  grown = grown > MO_MAX_ITEMS ? MO_MAX_ITEMS : grown;
  grown = grown < needed ? needed : grown;
  void *larger = mo_allocate(allocator, (size_t)grown, size);
  if (!larger) {
    return false;
  }
  if (count > 0) {
    memcpy(larger, *items, count * size);
  }
  mo_deallocate(allocator, *items, *capacity, size);
  *items = larger;
  *capacity = (uint32_t)grown;
  return true;
}
