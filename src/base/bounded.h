/* The first `capacity` items of a stream in some order, kept in a caller's buffer: while the buffer
 * has room it is a plain array; from then on a heap with the last item on top. */
#ifndef MO_BASE_BOUNDED_H
#define MO_BASE_BOUNDED_H

#include <string.h>

#include "base/memory.h"

/* Whether a comes before b. A total order: no two items of a stream are equal. */
typedef bool mo_before(const void *a, const void *b);

typedef struct mo_bounded {
  void *items;
  size_t size;
  uint32_t capacity, count;
  uint32_t total; /* items offered; stops at UINT32_MAX */
} mo_bounded;

enum { MO_BOUNDED_MAX_SIZE = 128 };

static inline mo_bounded mo_bounded_make(void *items, size_t size, uint32_t capacity) {
  return (mo_bounded){.items = items, .size = size, .capacity = capacity};
}

static inline __attribute__((always_inline)) void
mo_sift_down(char *items, size_t size, uint32_t at, uint32_t count, mo_before *before) {
  char held[MO_BOUNDED_MAX_SIZE];
  memcpy(held, items + at * size, size);
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= count) {
      break;
    }
    if (child + 1 < count && before(items + child * size, items + (child + 1) * size)) {
      child++;
    }
    if (!before(held, items + child * size)) {
      break;
    }
    memcpy(items + at * size, items + child * size, size);
    at = child;
  }
  memcpy(items + at * size, held, size);
}

static inline __attribute__((always_inline)) void mo_make_heap(char *items, size_t size,
                                                               uint32_t count, mo_before *before) {
  for (uint32_t i = count / 2; i-- > 0;) {
    mo_sift_down(items, size, i, count, before);
  }
}

static inline __attribute__((always_inline)) void
mo_bounded_offer(mo_bounded *list, const void *item, mo_before *before) {
  list->total += list->total != UINT32_MAX;
  char *items = list->items;
  if (list->count < list->capacity) {
    memcpy(items + list->count * list->size, item, list->size);
    list->count++;
    if (list->count == list->capacity) {
      mo_make_heap(items, list->size, list->count, before);
    }
  } else if (list->capacity > 0 && before(item, items)) {
    memcpy(items, item, list->size);
    mo_sift_down(items, list->size, 0, list->count, before);
  }
}

/* Puts what was kept in order. */
static inline __attribute__((always_inline)) void mo_bounded_sort(mo_bounded *list,
                                                                  mo_before *before) {
  char *items = list->items;
  if (list->count < list->capacity) {
    mo_make_heap(items, list->size, list->count, before);
  }
  for (uint32_t n = list->count; n > 1; n--) {
    char held[MO_BOUNDED_MAX_SIZE];
    memcpy(held, items, list->size);
    memcpy(items, items + (n - 1) * list->size, list->size);
    memcpy(items + (n - 1) * list->size, held, list->size);
    mo_sift_down(items, list->size, 0, n - 1, before);
  }
}

#endif
