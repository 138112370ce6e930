/* Radix sorts of many keys. */
#ifndef MO_BASE_KEY_SORT_H
#define MO_BASE_KEY_SORT_H

#include <motte/base.h>

/* Ascending, in place; `scratch` is as large as `keys`. Skips bits that all keys share. Time is
 * proportional to the count. */
void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count);

/* The same, where there are many keys and several workers in tasks of the host. */
void mo_keys_sort_in_tasks(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count);

/* Sorts very many keys, in tasks of the host, by the bits from `low` up alone: keys that agree in
 * those keep their order. False when out of memory. */
bool mo_keys_sort_stably(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count,
                         uint32_t low);

/* Sorts keys of 32 bits into `sorted`, ascending by their bits in `used`: some of the lower 31,
 * from the lowest up. No two keys may agree in these. `keys` is overwritten. */
void mo_keys32_sort(uint32_t *keys, uint32_t *sorted, uint32_t count, uint32_t used);

/* How many of sorted keys are lower. */
uint32_t mo_keys_below(const uint64_t *keys, uint32_t count, uint64_t key);

/* Whether a key is among sorted ones. */
bool mo_keys_contain(const uint64_t *keys, uint32_t count, uint64_t key);

#endif
