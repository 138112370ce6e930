/* What tests of compounds have in common: children with filters, some of which are removed again.
 */
#ifndef TEST_QUERY_RANDOM_CHILDREN_H
#define TEST_QUERY_RANDOM_CHILDREN_H

#include <criterion/criterion.h>
#include <motte/motte.h>

#include "support/rng.h"

static inline void set_random_filter(mo_shape_def *def, rng *r) {
  def->category = rng_chance(r, 0.7) ? 1 : 1 + rng_below(r, 7);
  def->mask = rng_chance(r, 0.7) ? UINT64_MAX : 1 + rng_below(r, 7);
}

/* Adds shapes that stay within the range of coordinates, and removes some again. `make` makes one,
 * which may be one of the first `nested` compounds of the test. */
static inline void add_children(mo_scene *to, uint32_t count, uint32_t nested, rng *r,
                                mo_shape_def (*make)(rng *r, uint32_t nested)) {
  for (uint32_t i = 0; i < count; i++) {
    const mo_shape_def def = make(r, nested);
    mo_shape_id id;
    const mo_result result = mo_scene_add_shape(to, &def, &id);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
    if (result == MO_OK && rng_chance(r, 0.1)) {
      cr_assert_eq(mo_scene_remove_shape(to, id), MO_OK);
    }
  }
}

#endif
