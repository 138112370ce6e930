/* An allocator that counts what is outstanding and can fail at a chosen call. Any thread. */
#ifndef TEST_COUNTING_ALLOCATOR_H
#define TEST_COUNTING_ALLOCATOR_H

#include <motte/base.h>
#include <stdatomic.h>

typedef struct counting_allocator {
  atomic_size_t outstanding_bytes;
  atomic_size_t outstanding_blocks;
  atomic_size_t peak_bytes;
  atomic_size_t calls;    /* attempts to allocate, failed ones too */
  atomic_size_t failures; /* allocations refused */
  atomic_size_t misuses;  /* releases with a size or alignment other than allocated with */
  size_t fail_at;         /* the call, counted from 1, that fails; 0 for none */
  bool fail_after;        /* every call from fail_at on fails */
} counting_allocator;

/* All counters zero, nothing fails. */
void counting_allocator_init(counting_allocator *counter);

/* Restarts the count of calls and lets the nth allocation from now on fail (0: none), or with
 * `all_after` all from the nth on. */
void counting_allocator_fail_at(counting_allocator *counter, size_t nth, bool all_after);

/* An allocator, a host without log, that count in `counter`, which must outlive all objects. */
mo_allocator counting_allocator_make(counting_allocator *counter);
mo_host counting_allocator_host(counting_allocator *counter);

/* Nothing outstanding and nothing misused. */
bool counting_allocator_is_clean(counting_allocator *counter);

#endif
