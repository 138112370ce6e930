/* Prepares well-conditioned rays of a batch for the fast path (geometry/ray/init.h), eight at a
 * time: the values that culling reads, as mo_ray_init_fast computes them for one ray. */
#ifndef MO_BATCH_PREPARE_H
#define MO_BATCH_PREPARE_H

#include <float.h>

#include "batch/batch.h"
#include "geometry/ray/init.h"
#include "math/lanes/lanes.h"

typedef struct mo_fast_rays8 {
  /* The ray crosses the near or far plane of a box at t = position * inverse - shift. */
  alignas(MO_ALIGNMENT) float near_shift[3][8];
  float far_shift[3][8], inverse[3][8], near_t[8];
  uint32_t signs[3]; /* by axis: a bit for each ray with a negative direction */
  uint32_t
      fast_path_rays; /* a bit for each ray that takes the fast path; the others are not prepared */
} mo_fast_rays8;

/* Prepares eight rays with a margin of MO_RAY_MARGIN times `scale`. `limits` must be made for that
 * margin. */
static inline void mo_fast_rays8_init(mo_fast_rays8 *all, const mo_rays8 *rays,
                                      const mo_ray_fast_limits *limits, float scale) {
  const mo_f8 zero = mo_f8_splat(0.0f);
  mo_f8 o[3], d[3], size[3];
  mo_f8 far = zero, longest = zero;
  mo_f8 min_t = mo_f8_load(rays->min_t);
  mo_m8 is = mo_m8_and(mo_m8_and(mo_f8_le(zero, min_t), mo_f8_le(min_t, mo_f8_splat(FLT_MAX))),
                       mo_f8_le(zero, mo_f8_load(rays->max_t)));
  for (int axis = 0; axis < 3; axis++) {
    o[axis] = mo_f8_load(rays->origin[axis]);
    d[axis] = mo_f8_load(rays->direction[axis]);
    size[axis] = mo_f8_abs(d[axis]);
    mo_f8 away = mo_f8_abs(o[axis]);
    is = mo_m8_and(is, mo_m8_and(mo_f8_le(away, mo_f8_splat(limits->distance)),
                                 mo_f8_le(size[axis], mo_f8_splat(0x1p20f))));
    far = mo_f8_max(far, away);
    longest = mo_f8_max(longest, size[axis]);
    all->signs[axis] = mo_f8_signs(d[axis]);
  }
  all->fast_path_rays = mo_m8_bits(mo_m8_and(is, mo_f8_le(mo_f8_splat(0x1p-20f), longest)));
  mo_f8 margin = mo_f8_add(mo_f8_mul(mo_f8_splat(2.0f * MO_RAY_MARGIN * scale), far),
                           mo_f8_splat(limits->margin));
  for (int axis = 0; axis < 3; axis++) {
    mo_m8 negative = mo_m8_from_bits(all->signs[axis]);
    mo_f8 inverse = mo_f8_div(mo_f8_splat(1.0f), mo_f8_max(size[axis], mo_f8_splat(0x1p-80f)));
    inverse = mo_f8_select(negative, mo_f8_sub(zero, inverse), inverse);
    mo_f8 before = mo_f8_sub(o[axis], margin), after = mo_f8_add(o[axis], margin);
    mo_f8_store(all->inverse[axis], inverse);
    mo_f8_store(all->near_shift[axis], mo_f8_mul(mo_f8_select(negative, before, after), inverse));
    mo_f8_store(all->far_shift[axis], mo_f8_mul(mo_f8_select(negative, after, before), inverse));
  }
  mo_f8 margin_t = mo_f8_add(mo_f8_mul(min_t, mo_f8_splat(0x1p-20f)), mo_f8_splat(0x1p-120f));
  mo_f8_store(all->near_t, mo_f8_max(mo_f8_sub(min_t, margin_t), zero));
}

#endif
