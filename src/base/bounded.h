/* A bounded list keeps, in a buffer of the caller, those `capacity` items of a stream that come
 * first by some order. While the buffer is not full it is a plain array; once full it is a heap
 * with the last item of the order on top.
 *
 * Item size and order are constants at each place where these functions are inlined, so items are
 * copied in registers and comparisons are inlined too. */
#ifndef MO_BASE_BOUNDED_H
#define MO_BASE_BOUNDED_H

#include <string.h>

#include "base/assert.h"
#include "base/inline.h"
#include "base/memory.h"

/* Whether item a comes before item b. The order is total: no two items of a stream are equal. */
typedef bool mo_before(const void *a, const void *b);

typedef struct mo_bounded_list {
  void *items;
  uint32_t capacity, count;
  uint32_t total; /* number of items offered; saturates at UINT32_MAX */
} mo_bounded_list;

enum {
  MO_BOUNDED_MAX_ITEM_SIZE = 384, /* bytes */
  MO_INSERTION_SORT_MAX = 12,     /* items; longer lists are partitioned first */
  MO_SORT_STACK_SIZE = 32,        /* pending partitions; heap sort if there are more */
};

static inline mo_bounded_list mo_bounded_make(void *items, uint32_t capacity) {
  return (mo_bounded_list){.items = items, .capacity = capacity};
}

MO_INLINE void mo_sift_down(char *items, size_t size, uint32_t at, uint32_t count,
                            mo_before *before) {
  char held[MO_BOUNDED_MAX_ITEM_SIZE];
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

MO_INLINE void mo_make_heap(char *items, size_t size, uint32_t count, mo_before *before) {
  for (uint32_t i = count / 2; i-- > 0;) {
    mo_sift_down(items, size, i, count, before);
  }
}

/* Where an item may be written before it is offered, so that it need not be copied: in the list, or
 * in `spare` if the list is full. */
MO_INLINE void *mo_bounded_buffer_for_next(const mo_bounded_list *list, size_t size, void *spare) {
  return list->count < list->capacity ? (char *)list->items + list->count * size : spare;
}

MO_INLINE void mo_bounded_offer(mo_bounded_list *list, const void *item, size_t size,
                                mo_before *before) {
  list->total += list->total != UINT32_MAX;
  char *items = list->items;
  MO_ASSERT(size <= MO_BOUNDED_MAX_ITEM_SIZE && list->count <= list->capacity);
  if (list->count < list->capacity) {
    if (item != items + list->count * size) {
      memcpy(items + list->count * size, item, size);
    }
    list->count++;
    if (list->count == list->capacity) {
      mo_make_heap(items, size, list->count, before);
    }
  } else if (list->capacity > 0 && before(item, items)) {
    memcpy(items, item, size);
    mo_sift_down(items, size, 0, list->count, before);
  }
}

MO_INLINE void mo_swap(char *a, char *b, size_t size) {
  char held[MO_BOUNDED_MAX_ITEM_SIZE];
  memcpy(held, a, size);
  memcpy(a, b, size);
  memcpy(b, held, size);
}

MO_INLINE void mo_heap_sort(char *items, size_t size, uint32_t count, mo_before *before) {
  mo_make_heap(items, size, count, before);
  for (uint32_t n = count; n > 1; n--) {
    mo_swap(items, items + (n - 1) * size, size);
    mo_sift_down(items, size, 0, n - 1, before);
  }
}

MO_INLINE void mo_insertion_sort(char *items, size_t size, uint32_t count, mo_before *before) {
  for (uint32_t i = 1; i < count; i++) {
    char held[MO_BOUNDED_MAX_ITEM_SIZE];
    uint32_t at = i;
    memcpy(held, items + i * size, size);
    for (; at > 0 && before(held, items + (at - 1) * size); at--) {
      memcpy(items + at * size, items + (at - 1) * size, size);
    }
    memcpy(items + at * size, held, size);
  }
}

/* Hoare partition around the middle item. Returns the number of items in the front part, none of
 * which comes after the middle item. */
MO_INLINE uint32_t mo_partition(char *items, size_t size, uint32_t count, mo_before *before) {
  char pivot[MO_BOUNDED_MAX_ITEM_SIZE];
  memcpy(pivot, items + (count - 1) / 2 * size, size);
  uint32_t i = 0, j = count - 1;
  for (;; i++, j--) {
    while (before(items + i * size, pivot)) {
      i++;
    }
    while (before(pivot, items + j * size)) {
      j--;
    }
    if (i >= j) {
      return j + 1;
    }
    mo_swap(items + i * size, items + j * size, size);
  }
}

/* Sorts the items by introsort: quicksort, but heap sort where partitions are too uneven. Parts of
 * up to `small` items are sorted by `sort_small`, or by insertion if `sort_small` is null. */
MO_INLINE void mo_bounded_sort_with(mo_bounded_list *list, size_t size, mo_before *before,
                                    uint32_t small,
                                    void (*sort_small)(char *items, uint32_t count)) {
  struct {
    uint32_t begin, count;
  } waiting[MO_SORT_STACK_SIZE];
  uint32_t depth = 0, begin = 0, count = list->count;
  MO_ASSERT(size <= MO_BOUNDED_MAX_ITEM_SIZE && list->count <= list->capacity);
  if (count < 2) { /* `items` may be null */
    return;
  }
  for (;;) {
    char *items = (char *)list->items + begin * size;
    if (count <= small || depth == MO_SORT_STACK_SIZE) {
      if (count > small) {
        mo_heap_sort(items, size, count, before);
      } else if (sort_small != NULL) {
        sort_small(items, count);
      } else {
        mo_insertion_sort(items, size, count, before);
      }
      if (depth == 0) {
        return;
      }
      depth--;
      begin = waiting[depth].begin;
      count = waiting[depth].count;
      continue;
    }
    uint32_t front = mo_partition(items, size, count, before);
    MO_ASSERT(front > 0 && front < count);
    waiting[depth].begin = begin + front;
    waiting[depth].count = count - front;
    depth++;
    count = front;
  }
}

MO_INLINE void mo_bounded_sort(mo_bounded_list *list, size_t size, mo_before *before) {
  mo_bounded_sort_with(list, size, before, MO_INSERTION_SORT_MAX, NULL);
}

#endif
