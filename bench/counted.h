/* Allocation functions that count, for engines that take some. Of one thread. */
#ifndef BENCH_COUNTED_H
#define BENCH_COUNTED_H

#include <malloc.h>
#include <stdlib.h>

/* Bytes that are allocated through the functions below, of this file alone that includes them. */
static size_t counted_bytes;

static inline void *counted_allocate(size_t alignment, size_t size) {
  void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  counted_bytes += malloc_usable_size(memory);
  return memory;
}

static inline void counted_free(void *memory) {
  counted_bytes -= malloc_usable_size(memory);
  free(memory);
}

static inline void *counted_reallocate(void *memory, size_t size) {
  counted_bytes -= malloc_usable_size(memory);
  memory = realloc(memory, size);
  counted_bytes += malloc_usable_size(memory);
  return memory;
}

#endif
