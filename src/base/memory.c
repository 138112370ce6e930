/* The default allocator, and allocation of arrays through any allocator.
 *
 * mimalloc is used through its plain aligned calls: heaps of mimalloc 2 belong to the thread that
 * made them, and objects of this library are created and destroyed on any thread. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef MO_HAVE_MIMALLOC
#include <mimalloc.h>

static void *default_allocate(size_t size, size_t alignment, void *context) {
  (void)context;
  return mi_malloc_aligned(size, alignment);
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
  return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
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
  /* By half: twice would leave up to half of a large scene's memory unused. */
  uint64_t grown = *capacity + (uint64_t)*capacity / 2;
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
