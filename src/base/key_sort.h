/* Radix sorts of integer keys. */
#ifndef MO_BASE_KEY_SORT_H
#define MO_BASE_KEY_SORT_H

#include "base/bounded.h"

/* Sorts keys in ascending order, in place; `scratch` is as large as `keys`. Skips bits that all
 * keys share. O(count). */
void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count);

/* As mo_keys_sort; if there are many keys and several workers, in tasks of the host. Keys that are
 * equal in the bits from bit `low` up must be in order already: an index in the bits below. */
void mo_keys_sort_in_tasks(const mo_host *host, uint64_t *keys, uint64_t *scratch, uint32_t count,
                           uint32_t low);

/* Sorts 32-bit keys into `sorted`, ascending by their bits in `sort_bits`, a mask of the form 2^n -
 * 1 with n <= 31. No two keys may have equal bits there. `keys` is overwritten. */
void mo_keys32_sort(uint32_t *keys, uint32_t *sorted, uint32_t count, uint32_t sort_bits);

/* Sorts a list of different keys below 2^31 in ascending order, in place. */
void mo_keys32_sort_list(mo_bounded_list *list);

/* The number of sorted keys that are lower than `key` (binary search). */
uint32_t mo_keys_lower_bound(const uint64_t *keys, uint32_t count, uint64_t key);

/* Whether a key is among sorted keys. */
bool mo_keys_contain(const uint64_t *keys, uint32_t count, uint64_t key);

#endif
