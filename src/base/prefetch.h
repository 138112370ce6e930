/* Prefetching: starts cache misses early, so that their latency overlaps with other work.
 *
 * Always inlined, because GCC removes calls of a function that does nothing but prefetch. An
 * address may lie beyond the end of its array: the prefetch is then harmless and useless. */
#ifndef MO_BASE_PREFETCH_H
#define MO_BASE_PREFETCH_H

#include <stddef.h>

#include "base/inline.h"

enum { MO_CACHE_LINE = 64 }; /* bytes */

#if defined(__GNUC__) || defined(__clang__)
#define MO_PREFETCH(address, write, locality) __builtin_prefetch(address, write, locality)
#else
#define MO_PREFETCH(address, write, locality) ((void)(address))
#endif

/* Prefetches a number of cache lines, starting at an address, into the first-level cache. */
MO_INLINE void mo_prefetch(const void *address, size_t lines) {
  for (size_t line = 0; line < lines; line++) {
    MO_PREFETCH((const char *)address + line * MO_CACHE_LINE, 0, 3);
  }
}

/* As mo_prefetch, for memory that will be written. */
MO_INLINE void mo_prefetch_write(const void *address, size_t lines) {
  for (size_t line = 0; line < lines; line++) {
    MO_PREFETCH((const char *)address + line * MO_CACHE_LINE, 1, 3);
  }
}

/* As mo_prefetch, but into the second-level cache, for memory that is needed later: the first level
 * supports only few outstanding misses. */
MO_INLINE void mo_prefetch_to_l2(const void *address, size_t lines) {
  for (size_t line = 0; line < lines; line++) {
    MO_PREFETCH((const char *)address + line * MO_CACHE_LINE, 0, 2);
  }
}

/* The number of cache lines of `bytes` bytes that start at the beginning of a line. */
static inline size_t mo_cache_lines_of(size_t bytes) {
  return (bytes + MO_CACHE_LINE - 1) / MO_CACHE_LINE;
}

#endif
