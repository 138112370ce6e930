/* Reads and checks the caller's arrays eight rays at a time. If x, y and z of a vector are
 * adjacent, four floats are loaded at once. Also prefetches the arrays, as they stream through the
 * cache and packets read them in bursts. For inclusion in one translation unit. */
#ifndef MO_BATCH_READ_H
#define MO_BATCH_READ_H

#include "base/inline.h"
#include "base/prefetch.h"
#include "batch/batch.h"
#include "math/lanes/lanes.h"

/* The memory layout of a batch. */
typedef struct mo_reader {
  const mo_batch *batch;
  bool contiguous; /* x, y and z of origins and of aims are adjacent */
  char *answers;   /* the output array to prefetch: t or found; null if not wanted */
  size_t answer_stride;
} mo_reader;

static inline bool is_contiguous(const mo_vec3_array *array) {
  const char *part[3] = {array->x, array->y, array->z};
  return array->stride >= 12 && part[1] == part[0] + 4 && part[2] == part[0] + 8;
}

static inline mo_reader mo_reader_of(const mo_batch *batch) {
  bool closest = batch->goal == MO_GOAL_CLOSEST;
  const mo_output *answers = closest ? &batch->output->t : &batch->output->found;
  return (mo_reader){
      .batch = batch,
      .contiguous = is_contiguous(&batch->def->origins) && is_contiguous(batch->aims),
      .answers = answers->data,
      .answer_stride = answers->stride != 0 ? answers->stride
                       : closest            ? sizeof(float)
                                            : sizeof(bool),
  };
}

static inline const char *vector_at(const mo_vec3_array *array, size_t i) {
  return (const char *)array->x + i * array->stride;
}

/* As mo_batch_read8. Loads of four floats need more than eight remaining rays, so that there is
 * readable memory after each vector. */
static inline void mo_reader_read8(const mo_reader *reader, size_t first, size_t count,
                                   mo_rays8 *rays) {
  const mo_batch *batch = reader->batch;
  const mo_vec3_array *origins = &batch->def->origins, *aims = batch->aims;
  if (!reader->contiguous || count <= 8) {
    mo_batch_read8(batch, first, count, rays);
    return;
  }
  mo_f8 origin[4], aim[4];
  mo_f8_load_fours(vector_at(origins, first), origins->stride, origin);
  mo_f8_load_fours(vector_at(aims, first), aims->stride, aim);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8_store(rays->origin[axis], origin[axis]);
    mo_f8_store(rays->direction[axis],
                batch->rays_are_segments ? mo_f8_sub(aim[axis], origin[axis]) : aim[axis]);
  }
  mo_batch_read_ranges8(batch, first, count, rays);
}

/* Prefetches rays and the memory of their answers. */
MO_INLINE void mo_reader_prefetch(const mo_reader *reader, size_t first, size_t count) {
  const mo_vec3_array *origins = &reader->batch->def->origins, *aims = reader->batch->aims;
  mo_prefetch(vector_at(aims, first), mo_cache_lines_of(count * aims->stride));
  if ((uintptr_t)aims->x - (uintptr_t)origins->x >= origins->stride) { /* not in the same structs */
    mo_prefetch(vector_at(origins, first), mo_cache_lines_of(count * origins->stride));
  }
  if (reader->answers != NULL) {
    mo_prefetch_write(reader->answers + first * reader->answer_stride,
                      mo_cache_lines_of(count * reader->answer_stride));
  }
}

/* --- checks --- */

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
