/* Checks eight rays at once. If any may be illegal, they are checked one by one. */
#ifndef MO_BATCH_CHECK_H
#define MO_BATCH_CHECK_H

#include "batch/batch.h"
#include "math/lanes/lanes.h"

/* Mask of the rays whose origins and t ranges are legal, provided that their direction components
 * are below 2^20. May leave out legal rays. */
static inline mo_m8 mo_rays8_surely_legal(const mo_rays8 *rays) {
  const mo_f8 max = mo_f8_splat(0.99f * MO_MAX_COORDINATE);
  mo_f8 min_t = mo_f8_load(rays->min_t);
  mo_m8 legal = mo_m8_and(
      mo_f8_le(mo_f8_load(rays->max_t), mo_f8_splat(INFINITY)),
      mo_m8_and(mo_f8_le(mo_f8_splat(0.0f), min_t), mo_f8_lt(min_t, mo_f8_splat(INFINITY))));
  for (int axis = 0; axis < 3; axis++) {
    legal = mo_m8_and(legal, mo_f8_le(mo_f8_abs(mo_f8_load(rays->origin[axis])), max));
  }
  return legal;
}

/* As mo_batch_accepts8, but tests eight rays at once first. Lanes beyond the end of the batch
 * repeat its last ray. `zero_directions` receives a bit for each ray whose direction is zero. */
static inline bool mo_batch_accepts8_fast(const mo_batch *batch, mo_ray_chunk *chunk, uint32_t i,
                                          const mo_rays8 *rays, uint32_t *zero_directions) {
  mo_f8 longest = mo_f8_splat(0.0f), sum = longest;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 length = mo_f8_abs(mo_f8_load(rays->direction[axis]));
    longest = mo_f8_max(longest, length);
    sum = mo_f8_add(sum, length); /* NaN if any component of the direction is NaN */
  }
  mo_m8 legal = mo_m8_and(mo_rays8_surely_legal(rays), mo_f8_le(sum, mo_f8_splat(0x1p20f)));
  *zero_directions = ~mo_m8_bits(mo_f8_lt(mo_f8_splat(0.0f), longest)) & 0xff;
  return (mo_m8_bits(legal) == 0xff && *zero_directions == 0) ||
         mo_batch_accepts8(batch, chunk, i, rays);
}

#endif
