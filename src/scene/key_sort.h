/* Sorting many 64-bit keys. */
#ifndef MO_SCENE_KEY_SORT_H
#define MO_SCENE_KEY_SORT_H

#include <stdbool.h>
#include <stdint.h>

/* Ascending, in place; `scratch` has room for as many. Passes over bits that all keys share: time
 * in proportion to the count. */
void mo_keys_sort(uint64_t *keys, uint64_t *scratch, uint32_t count);

/* Whether a key is among sorted ones. */
bool mo_keys_contain(const uint64_t *keys, uint32_t count, uint64_t key);

#endif
