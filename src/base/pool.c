/* Pools: items of one size in one array that grows by doubling, with a free list. */
#include <string.h>

#include "base/memory.h"

enum { POOL_FIRST_CAPACITY = 16 };

static unsigned char *item_at(const mo_pool *pool, uint32_t index) {
  return (unsigned char *)pool->items + pool->item_size * index;
}

void mo_pool_init(mo_pool *pool, const mo_allocator *allocator, size_t item_size) {
  *pool = (mo_pool){
      .allocator = *allocator,
      .item_size = item_size,
      .free_head = MO_NONE,
  };
}

void mo_pool_destroy(mo_pool *pool) {
  mo_deallocate(&pool->allocator, pool->items, pool->capacity, pool->item_size);
  mo_pool_init(pool, &pool->allocator, pool->item_size);
}

mo_result mo_pool_reserve(mo_pool *pool, uint32_t extra) {
  if (extra <= pool->free_count) {
    return MO_OK;
  }
  uint64_t needed = (uint64_t)pool->count + (extra - pool->free_count);
  if (needed <= pool->capacity) {
    return MO_OK;
  }
  /* MO_NONE is not an index. */
  if (needed > MO_NONE) {
    return MO_ERROR_TOO_MANY;
  }
  uint64_t capacity = 2 * (uint64_t)pool->capacity;
  if (capacity < POOL_FIRST_CAPACITY) {
    capacity = POOL_FIRST_CAPACITY;
  }
  if (capacity < needed) {
    capacity = needed;
  }
  if (capacity > MO_NONE) {
    capacity = MO_NONE;
  }
  void *items = mo_allocate(&pool->allocator, (size_t)capacity, pool->item_size);
  if (!items) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (pool->items) {
    memcpy(items, pool->items, pool->item_size * pool->count);
    mo_deallocate(&pool->allocator, pool->items, pool->capacity, pool->item_size);
  }
  pool->items = items;
  pool->capacity = (uint32_t)capacity;
  return MO_OK;
}

uint32_t mo_pool_take(mo_pool *pool) {
  if (pool->free_head != MO_NONE) {
    uint32_t index = pool->free_head;
    memcpy(&pool->free_head, item_at(pool, index), sizeof pool->free_head);
    pool->free_count--;
    return index;
  }
  if (mo_pool_reserve(pool, 1) != MO_OK) {
    return MO_NONE;
  }
  return pool->count++;
}

void mo_pool_give(mo_pool *pool, uint32_t index) {
  memcpy(item_at(pool, index), &pool->free_head, sizeof pool->free_head);
  pool->free_head = index;
  pool->free_count++;
}

size_t mo_pool_bytes(const mo_pool *pool) {
  return pool->item_size * pool->capacity;
}
