#include "support/counting_allocator.h"

#include <stdlib.h>
#include <string.h>

/* In front of each block, so that a release can be checked against its allocation. */
typedef struct block_header {
  void *memory; /* what malloc returned */
  size_t size, alignment;
  uint64_t magic;
} block_header;

static const uint64_t magic_alive = 0x6d6f7474652d616cu;
static const uint64_t magic_dead = 0x6d6f7474652d6465u;

static void *counting_allocate(size_t size, size_t alignment, void *context) {
  counting_allocator *counter = context;
  size_t call = atomic_fetch_add(&counter->calls, 1) + 1;
  bool fails = counter->fail_at != 0 &&
               (call == counter->fail_at || (counter->fail_after && call > counter->fail_at));
  void *memory = NULL;
  if (!fails && size <= SIZE_MAX - alignment - sizeof(block_header)) {
    memory = malloc(size + alignment + sizeof(block_header) + sizeof magic_alive);
  }
  if (memory == NULL) {
    atomic_fetch_add(&counter->failures, 1);
    return NULL;
  }
  uintptr_t start = (uintptr_t)memory + sizeof(block_header);
  start = (start + alignment - 1) & ~(uintptr_t)(alignment - 1);
  block_header header = {memory, size, alignment, magic_alive};
  memcpy((char *)start - sizeof header, &header, sizeof header);
  /* Not zeros, so that code fails that relies on fresh memory being zero. */
  memset((void *)start, 0xa5, size);
  memcpy((char *)start + size, &magic_alive, sizeof magic_alive);
  atomic_fetch_add(&counter->outstanding_blocks, 1);
  size_t now = atomic_fetch_add(&counter->outstanding_bytes, size) + size;
  size_t peak = atomic_load(&counter->peak_bytes);
  while (now > peak && !atomic_compare_exchange_weak(&counter->peak_bytes, &peak, now)) {
  }
  return (void *)start;
}

static void counting_release(void *memory, size_t size, size_t alignment, void *context) {
  counting_allocator *counter = context;
  block_header header = {0};
  if (memory != NULL) {
    memcpy(&header, (char *)memory - sizeof header, sizeof header);
  }
  if (header.magic != magic_alive) {
    atomic_fetch_add(&counter->misuses, 1);
    return;
  }
  if (header.size != size || header.alignment != alignment ||
      memcmp((char *)memory + header.size, &magic_alive, sizeof magic_alive) != 0) {
    atomic_fetch_add(&counter->misuses, 1); /* also where something was written beyond its end */
  }
  atomic_fetch_sub(&counter->outstanding_blocks, 1);
  atomic_fetch_sub(&counter->outstanding_bytes, header.size);
  memset(memory, 0x5a, header.size);
  memcpy((char *)memory - sizeof header.magic, &magic_dead, sizeof magic_dead);
  free(header.memory);
}

void counting_allocator_init(counting_allocator *counter) {
  memset(counter, 0, sizeof *counter);
}

void counting_allocator_fail_at(counting_allocator *counter, size_t nth, bool all_after) {
  atomic_store(&counter->calls, 0);
  counter->fail_at = nth;
  counter->fail_after = all_after;
}

mo_allocator counting_allocator_make(counting_allocator *counter) {
  return (mo_allocator){counting_allocate, counting_release, counter};
}

mo_host counting_allocator_host(counting_allocator *counter) {
  return (mo_host){.allocator = counting_allocator_make(counter)};
}

bool counting_allocator_is_clean(counting_allocator *counter) {
  return atomic_load(&counter->outstanding_blocks) == 0 &&
         atomic_load(&counter->outstanding_bytes) == 0 && atomic_load(&counter->misuses) == 0;
}
