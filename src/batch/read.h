/* Reads the caller's arrays eight rays at a time. If x, y and z of a vector are adjacent, four
 * floats are loaded at once; min_t or max_t are taken from the fourth if they follow the vector.
 * Also prefetches the arrays, as they stream through the cache and packets read them in bursts. For
 * inclusion in one translation unit. */
#ifndef MO_BATCH_READ_H
#define MO_BATCH_READ_H

#include "base/inline.h"
#include "base/prefetch.h"
#include "batch/batch.h"
#include "math/lanes/lanes.h"

/* The memory layout of a batch. */
typedef struct mo_reader {
  const mo_batch *batch;
  const char *origins, *directions_or_ends;      /* the first of each array */
  size_t origin_stride, direction_or_end_stride; /* in bytes */
  bool contiguous;                               /* x, y and z of both arrays are adjacent */
  uint8_t min_t_source; /* where min_t is stored, as T_IN_OWN_ARRAY and so on */
  uint8_t max_t_source; /* where max_t is stored */
  char *answers;        /* the output array to prefetch: t or found; null if not wanted */
  size_t answer_stride;
} mo_reader;

/* Where min_t or max_t of a ray is stored. */
enum { T_IN_OWN_ARRAY, T_AFTER_ORIGIN, T_AFTER_DIRECTION_OR_END };

static inline bool is_contiguous(const mo_vec3_array *array) {
  const char *part[3] = {array->x, array->y, array->z};
  return array->stride >= 12 && part[1] == part[0] + 4 && part[2] == part[0] + 8;
}

static inline bool is_stored_after_vectors(const mo_float_array *array,
                                           const mo_vec3_array *vectors) {
  return array->data == (const char *)vectors->x + 12 && array->stride == vectors->stride &&
         array->stride >= 16;
}

static inline uint8_t t_source_of(const mo_float_array *array, const mo_vec3_array *origins,
                                  const mo_vec3_array *directions_or_ends) {
  return is_stored_after_vectors(array, origins)              ? T_AFTER_ORIGIN
         : is_stored_after_vectors(array, directions_or_ends) ? T_AFTER_DIRECTION_OR_END
                                                              : T_IN_OWN_ARRAY;
}

static inline mo_reader mo_reader_of(const mo_batch *batch) {
  const mo_batch_def *def = batch->def;
  const mo_vec3_array *directions_or_ends =
      batch->rays_are_segments ? &def->ends : &def->directions;
  bool closest = batch->goal == MO_GOAL_CLOSEST;
  const mo_output *answers = closest ? &batch->output->t : &batch->output->found;
  return (mo_reader){
      .batch = batch,
      .origins = def->origins.x,
      .directions_or_ends = directions_or_ends->x,
      .origin_stride = def->origins.stride,
      .direction_or_end_stride = directions_or_ends->stride,
      .contiguous = is_contiguous(&def->origins) && is_contiguous(directions_or_ends),
      .min_t_source = t_source_of(&def->min_t, &def->origins, directions_or_ends),
      .max_t_source = t_source_of(&def->max_t, &def->origins, directions_or_ends),
      .answers = answers->data,
      .answer_stride = answers->stride != 0 ? answers->stride
                       : closest            ? sizeof(float)
                                            : sizeof(bool),
  };
}

/* As mo_batch_read8. Loads of four floats need more than eight remaining rays, so that there is
 * readable memory after each vector. */
static inline void mo_reader_read8(const mo_reader *reader, size_t first, size_t count,
                                   mo_rays8 *rays) {
  const mo_batch *batch = reader->batch;
  if (!reader->contiguous || count <= 8) {
    mo_batch_read8(batch, first, count, rays);
    return;
  }
  mo_f8 origin[4], aim[4];
  mo_f8_load_fours(reader->origins + first * reader->origin_stride, reader->origin_stride, origin);
  mo_f8_load_fours(reader->directions_or_ends + first * reader->direction_or_end_stride,
                   reader->direction_or_end_stride, aim);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8_store(rays->origin[axis], origin[axis]);
    mo_f8_store(rays->direction[axis],
                batch->rays_are_segments ? mo_f8_sub(aim[axis], origin[axis]) : aim[axis]);
  }
  const mo_batch_def *def = batch->def;
  if (reader->min_t_source == T_IN_OWN_ARRAY) {
    mo_read_floats(&def->min_t, first, count, def->options.min_t, rays->min_t);
  } else {
    mo_f8_store(rays->min_t, reader->min_t_source == T_AFTER_ORIGIN ? origin[3] : aim[3]);
  }
  if (reader->max_t_source == T_IN_OWN_ARRAY) {
    mo_read_floats(&def->max_t, first, count, batch->rays_are_segments ? 1.0f : def->options.max_t,
                   rays->max_t);
  } else {
    mo_f8_store(rays->max_t, reader->max_t_source == T_AFTER_ORIGIN ? origin[3] : aim[3]);
  }
}

/* Prefetches rays and the memory of their answers. */
MO_INLINE void mo_reader_prefetch(const mo_reader *reader, size_t first, size_t count) {
  const char *array[2] = {reader->directions_or_ends, reader->origins};
  const size_t stride[2] = {reader->direction_or_end_stride, reader->origin_stride};
  bool together = (uintptr_t)array[0] - (uintptr_t)array[1] < stride[1];
  for (int i = 0; i < (together ? 1 : 2); i++) {
    mo_prefetch(array[i] + first * stride[i], mo_cache_lines_of(count * stride[i]));
  }
  if (reader->answers != NULL) {
    mo_prefetch_write(reader->answers + first * reader->answer_stride,
                      mo_cache_lines_of(count * reader->answer_stride));
  }
}

#endif
