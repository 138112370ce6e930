/* Lists that grow. */
#ifndef BENCH_GROW_H
#define BENCH_GROW_H

#include <stdlib.h>

#include "common/check.h"

/* Enlarges a full list of `*capacity` items and returns where it is then. */
static inline void *bench_grow(void *items, size_t *capacity, size_t size) {
  *capacity = *capacity > 0 ? 2 * *capacity : 16;
  void *larger = realloc(items, *capacity * size);
  if (larger == NULL) {
    fail("cannot allocate %zu items of %zu bytes", *capacity, size);
  }
  return larger;
}

#endif
