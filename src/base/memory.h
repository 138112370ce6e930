/* Memory: all allocations of the library go through these functions, so that tests can make each
 * one fail. */
#ifndef MO_BASE_MEMORY_H
#define MO_BASE_MEMORY_H

#include <motte/base.h>

/* The alignment of all memory, in bytes: vectors are loaded by whole cache lines. */
#define MO_ALIGNMENT 64u

/* "None" where the index of a slot, node, block or item is expected. */
#define MO_NONE UINT32_MAX

/* `count` items of `size` bytes, uninitialised; null if out of memory, on overflow, or if `count`
 * is 0. */
void *mo_allocate(const mo_allocator *allocator, size_t count, size_t size);

/* Frees memory that mo_allocate returned for the same count and size. Null is ignored. */
void mo_deallocate(const mo_allocator *allocator, void *memory, size_t count, size_t size);

/* The largest number of items of arrays and pools: the top bit of an index is free for other
 * uses. */
#define MO_MAX_ITEMS 0x7fffffffu

/* Reserves capacity for `extra` more items in an array of `count`, which moves when it grows (by
 * half at least, large ones by a quarter). `items` is the address of the pointer to the items, of
 * any type. False, and nothing changed, when out of memory or beyond MO_MAX_ITEMS. */
bool mo_array_reserve(const mo_allocator *allocator, void *items, size_t size, uint32_t count,
                      uint32_t *capacity, uint64_t extra);

/* Frees the capacity of an array beyond its `count` items; nothing changes when out of memory.
 * `items` is the address of the pointer to the items. */
void mo_array_trim(const mo_allocator *allocator, void *items, size_t size, uint32_t count,
                   uint32_t *capacity);

/* One of several arrays of one capacity: the address of the pointer to its items, of any type, and
 * the size of an item. */
typedef struct mo_array {
  void *items;
  size_t item_size;
} mo_array;

/* Reallocates up to four arrays to another capacity, and keeps their first `kept` items as far as
 * they fit. Capacity 0 frees them. MO_ERROR_OUT_OF_MEMORY, with nothing changed. */
mo_result mo_arrays_resize(const mo_allocator *allocator, const mo_array *arrays, uint32_t count,
                           uint32_t kept, uint32_t *capacity, uint32_t to_capacity);

/* Whether a workspace with space for `capacity` items should be freed: it is not small, and at most
 * a quarter of the items were needed recently. */
static inline bool mo_workspace_is_oversized(uint32_t capacity, size_t size, uint32_t needed) {
  enum { OVERSIZE_FACTOR = 4, MIN_OVERSIZED_BYTES = 1 << 14 };
  return capacity * size > MIN_OVERSIZED_BYTES && capacity / OVERSIZE_FACTOR >= needed;
}

/* An array that grows. MO_LIST declares one with items of a given type; its member `list` is the
 * same array without the type, for the functions below, which also take the size of an item. All
 * zero is an empty list. */
typedef struct mo_list {
  void *items;
  uint32_t count, capacity;
  uint32_t needed; /* largest count of mo_list_record_needed since the memory was last trimmed */
} mo_list;

/* Declares a list of items of a type; `name` is the name of the pointer to the items. As an unnamed
 * member of a struct, it adds its members to those of the struct. */
#define MO_LIST(type, name)                                                                        \
  union {                                                                                          \
    mo_list list;                                                                                  \
    struct {                                                                                       \
      type *name;                                                                                  \
      uint32_t count, capacity, needed;                                                            \
    };                                                                                             \
  }

/* The part of mo_list_reserve that allocates memory. */
mo_result mo_list_grow(const mo_allocator *allocator, mo_list *list, size_t size, uint64_t extra);

/* Reserves capacity for `extra` more items. MO_ERROR_OUT_OF_MEMORY; MO_ERROR_TOO_MANY beyond
 * MO_MAX_ITEMS. */
static inline mo_result mo_list_reserve(const mo_allocator *allocator, mo_list *list, size_t size,
                                        uint64_t extra) {
  return extra <= list->capacity - list->count ? MO_OK : mo_list_grow(allocator, list, size, extra);
}

/* Reserves capacity for `total` items in all; the present ones are kept. Errors as
 * mo_list_reserve. */
static inline mo_result mo_list_reserve_total(const mo_allocator *allocator, mo_list *list,
                                              size_t size, uint64_t total) {
  return mo_list_reserve(allocator, list, size, total > list->count ? total - list->count : 0);
}

/* Extends a list to at least `count` items. All bytes of new items are set to `fill`. Errors as
 * mo_list_reserve. */
mo_result mo_list_extend(const mo_allocator *allocator, mo_list *list, size_t size, uint32_t count,
                         int fill);

/* Adds an item. Errors as mo_list_reserve. */
mo_result mo_list_add(const mo_allocator *allocator, mo_list *list, size_t size, const void *item);

/* Records that `count` items were needed, for mo_workspace_is_oversized. */
static inline void mo_list_record_needed(mo_list *list, uint64_t count) {
  list->needed = list->needed > count ? list->needed : (uint32_t)count;
}

/* Removes all but the first `kept` items, and frees the memory beyond them. */
void mo_list_trim(const mo_allocator *allocator, mo_list *list, size_t size, uint32_t kept);

/* A pool: items of one size in one contiguous array, identified by 32-bit indices, with a free list
 * through the first four bytes of freed items. Growing moves the array, so store indices, not
 * pointers. */
typedef struct mo_pool {
  mo_allocator allocator;
  void *items;
  size_t item_size;
  uint32_t capacity;  /* number of items that fit */
  uint32_t count;     /* items ever allocated, freed ones too: all indices are below */
  uint32_t free_head; /* first item of the free list; MO_NONE if empty */
  uint32_t free_count;
} mo_pool;

void mo_pool_init(mo_pool *pool, const mo_allocator *allocator, size_t item_size);
void mo_pool_destroy(mo_pool *pool);

/* Reserves memory so that `extra` more items can be allocated without failure. */
mo_result mo_pool_reserve(mo_pool *pool, uint32_t extra);

/* Frees the memory of items that were never allocated. */
void mo_pool_trim(mo_pool *pool);

/* Allocates an item, uninitialised, and returns its index; MO_NONE when out of memory. */
uint32_t mo_pool_allocate(mo_pool *pool);
void mo_pool_free(mo_pool *pool, uint32_t index);

/* The size of the pool's memory in bytes. */
size_t mo_pool_bytes(const mo_pool *pool);

#endif
