/* Sorting many 64-bit keys. */
#ifndef MO_BASE_KEY_SORT_H
#define MO_BASE_KEY_SORT_H

#include <motte/base.h>

/* Ascending, in place; `scratch` has room for as many. Passes over bits that all keys share: time
 * in proportion to the count. */
void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count);

/* The same for very many keys, with the help of the host's tasks and by the bits from `low` up
 * alone: keys that agree in those stay in order. False when out of memory. */
bool mo_keys_sort_in_tasks(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count,
                           uint32_t low);

/* Whether a key is among sorted ones. */
bool mo_keys_contain(const uint64_t *keys, uint32_t count, uint64_t key);

#endif
