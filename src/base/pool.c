/* Pools: items of one size in one array that grows, with a free list. */
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/prefetch.h"

static unsigned char *item_at(const mo_pool *pool, uint32_t index) {
  MO_ASSERT(index < pool->count);
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
  uint32_t fresh = extra - pool->free_count;
  if (fresh > MO_MAX_ITEMS - pool->count) {
    return MO_ERROR_TOO_MANY;
  }
  return mo_array_reserve(&pool->allocator, &pool->items, pool->item_size, pool->count,
                          &pool->capacity, fresh)
             ? MO_OK
             : MO_ERROR_OUT_OF_MEMORY;
}

void mo_pool_trim(mo_pool *pool) {
  mo_array_trim(&pool->allocator, &pool->items, pool->item_size, pool->count, &pool->capacity);
}

uint32_t mo_pool_allocate(mo_pool *pool) {
  if (pool->free_head != MO_NONE) {
    uint32_t index = pool->free_head;
    MO_ASSERT(pool->free_count > 0 && pool->free_count <= pool->count);
    memcpy(&pool->free_head, item_at(pool, index), sizeof pool->free_head);
    pool->free_count--;
    if (pool->free_head != MO_NONE) { /* which will be allocated next */
      mo_prefetch_write(item_at(pool, pool->free_head), 1);
    }
    return index;
  }
  if (mo_pool_reserve(pool, 1) != MO_OK) {
    return MO_NONE;
  }
  MO_ASSERT(pool->count < pool->capacity);
  return pool->count++;
}

void mo_pool_free(mo_pool *pool, uint32_t index) {
  MO_ASSERT(index != pool->free_head && pool->free_count < pool->count);
  memcpy(item_at(pool, index), &pool->free_head, sizeof pool->free_head);
  pool->free_head = index;
  pool->free_count++;
}

size_t mo_pool_bytes(const mo_pool *pool) {
  return pool->item_size * pool->capacity;
}
