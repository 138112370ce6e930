/* Shared by all ray batches: checks arguments, runs chunks as tasks, and writes answers to the
 * caller's arrays. */
#include "base/tasks.h"
#include "batch/batch.h"

mo_batch_def mo_default_batch_def(void) {
  return (mo_batch_def){.options = mo_default_ray_def(), .cookie = MO_COOKIE};
}

mo_vec3_array mo_vec3_array_of(const mo_vec3 *first, size_t stride) {
  mo_vec3_array array = {NULL, NULL, NULL, stride};
  if (first != NULL) {
    array.x = &first->x;
    array.y = &first->y;
    array.z = &first->z;
  }
  return array;
}

/* --- writing answers --- */

static inline void write_words(const mo_output *output, size_t first, uint32_t count,
                               const void *words) {
  if (output->data == NULL) {
    return;
  }
  const char *from = words;
  const size_t stride = output->stride != 0 ? output->stride : 4;
  char *to = (char *)output->data + first * stride;
  for (uint32_t lane = 0; lane < count; lane++, to += stride) {
    memcpy(to, from + (size_t)4 * lane, 4);
  }
}

static void write_shapes(const mo_batch *batch, size_t first, uint32_t count,
                         const mo_answers8 *answers) {
  for (uint32_t lane = 0; lane < count; lane++) {
    mo_shape_id id = {0, 0};
    if ((answers->found >> lane & 1) && batch->shape_id != NULL) {
      id = batch->shape_id(batch, answers->shape[lane]);
    }
    memcpy(mo_output_at(&batch->output->shape, sizeof id, first + lane), &id, sizeof id);
  }
}

static void write_children(const mo_batch *batch, size_t first, uint32_t count,
                           const mo_answers8 *answers) {
  for (uint32_t lane = 0; lane < count; lane++) {
    const bool is_set = batch->has_children && (answers->found >> lane & 1);
    const uint32_t child = is_set ? answers->child[lane] : 0;
    memcpy(mo_output_at(&batch->output->child, sizeof child, first + lane), &child, sizeof child);
  }
}

void mo_batch_complete_hit(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                           const mo_answers8 *answers, mo_ray_hit *hit) {
  *hit = (mo_ray_hit){.found = true, .triangle = answers->triangle[lane], .t = answers->t[lane]};
  if (batch->want_weights) {
    hit->u = answers->u[lane];
    hit->v = answers->v[lane];
    hit->front = answers->front >> lane & 1;
  }
  if (batch->shape_id != NULL) {
    hit->shape = batch->shape_id(batch, answers->shape[lane]);
    hit->child = batch->has_children ? answers->child[lane] : 0;
  }
  mo_ray_def ray = mo_batch_ray(batch, rays, lane);
  batch->complete(batch, &ray, hit);
}

static void write_hits(const mo_batch *batch, size_t first, uint32_t count,
                       const mo_answers8 *answers) {
  const mo_batch_output *output = batch->output;
  mo_rays8 rays;
  if (answers->found != 0) {
    mo_batch_read8(batch, first, count, &rays);
  }
  for (uint32_t lane = 0; lane < count; lane++) {
    mo_ray_hit hit = {.triangle = MO_NO_TRIANGLE};
    if (answers->found >> lane & 1) {
      mo_batch_complete_hit(batch, &rays, lane, answers, &hit);
    }
    memcpy(mo_output_at(&output->hit, sizeof hit, first + lane), &hit, sizeof hit);
  }
}

void mo_batch_write8(const mo_batch *batch, mo_ray_chunk *chunk, uint32_t i,
                     const mo_answers8 *answers) {
  const mo_batch_output *output = batch->output;
  size_t first = chunk->first + i;
  uint32_t count = chunk->count - i < 8 ? chunk->count - i : 8;
  uint32_t found = (answers->found ^ (batch->lines_of_sight ? 0xffu : 0u)) & ((1u << count) - 1);
  chunk->found[i / 32] |= found << i % 32;
  if (i % 32 > 24 && found >> (32 - i % 32) != 0) {
    chunk->found[i / 32 + 1] |= found >> (32 - i % 32);
  }
  for (uint32_t lane = 0; lane < count && output->found.data != NULL; lane++) {
    *(bool *)mo_output_at(&output->found, sizeof(bool), first + lane) = found >> lane & 1;
  }
  if (batch->goal != MO_GOAL_CLOSEST) {
    return;
  }
  write_words(&output->t, first, count, answers->t);
  write_words(&output->triangle, first, count, answers->triangle);
  if (output->shape.data != NULL) {
    write_shapes(batch, first, count, answers);
  }
  if (output->child.data != NULL) {
    write_children(batch, first, count, answers);
  }
  if (output->weights.data != NULL || output->normal.data != NULL) {
    batch->write_weights_and_normals(batch, first, count, answers);
  }
  if (output->hit.data != NULL) {
    write_hits(batch, first, count, answers);
  }
}

/* --- checks --- */

static bool is_array_given(const mo_vec3_array *array) {
  return array->x != NULL && array->y != NULL && array->z != NULL;
}

static bool has_ends(const mo_batch_def *def) {
  return def->ends.x != NULL || def->ends.y != NULL || def->ends.z != NULL;
}

static bool is_output_legal(const mo_output *output, size_t size) {
  return output->data == NULL || output->stride == 0 || output->stride >= size;
}

static mo_result check_output(const mo_batch *batch, const mo_batch_output *output) {
  mo_refusal refusal = mo_refusal_of(batch->host, batch->function, "output");
  const struct {
    const mo_output *output;
    size_t size;
    const char *name;
  } outputs[] = {
      {&output->found, sizeof(bool), ".found"},
      {&output->t, sizeof(float), ".t"},
      {&output->triangle, sizeof(uint32_t), ".triangle"},
      {&output->shape, sizeof(mo_shape_id), ".shape"},
      {&output->child, sizeof(uint32_t), ".child"},
      {&output->weights, 2 * sizeof(float), ".weights"},
      {&output->normal, sizeof(mo_vec3), ".normal"},
      {&output->hit, sizeof(mo_ray_hit), ".hit"},
  };
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
    if (!is_output_legal(outputs[i].output, outputs[i].size)) {
      return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT,
                       "%s.stride is %zu, below the %zu bytes of an element", outputs[i].name,
                       outputs[i].output->stride, outputs[i].size);
    }
    if (batch->goal == MO_GOAL_ANY && i > 0 && outputs[i].output->data != NULL) {
      return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT,
                       "%s is given, but a test of rays does not have it", outputs[i].name);
    }
  }
  return MO_OK;
}

bool mo_batch_accepts(const mo_batch *batch, mo_ray_chunk *chunk, uint32_t i,
                      const mo_ray_def *ray) {
  bool legal =
      mo_check_ray(ray) == MO_OK &&
      (!batch->rays_are_segments ||
       mo_check_point(mo_read_vec3(&batch->def->ends, chunk->first + i), NULL, "") == MO_OK);
  chunk->first_refused_index =
      !legal && i < chunk->first_refused_index ? i : chunk->first_refused_index;
  return legal;
}

bool mo_batch_accepts8(const mo_batch *batch, mo_ray_chunk *chunk, uint32_t i,
                       const mo_rays8 *rays) {
  bool legal = true;
  for (uint32_t lane = 0; lane < 8 && i + lane < chunk->count && legal; lane++) {
    const mo_ray_def ray = mo_batch_ray(batch, rays, lane);
    legal = mo_batch_accepts(batch, chunk, i + lane, &ray);
  }
  return legal;
}

static mo_result check_options(const mo_ray_def *options, const mo_refusal *refusal) {
  mo_refusal here = mo_refusal_in(refusal, ".options", MO_NO_INDEX);
  mo_result result =
      mo_check_cookie(options->cookie, &here, "", "mo_default_ray_def or mo_segment_def");
  if (result == MO_OK) {
    result = mo_check_filter(&options->filter, &here, ".filter");
  }
  return result;
}

static mo_result check_batch(const mo_batch *batch) {
  const mo_batch_def *def = batch->def;
  mo_refusal refusal = mo_refusal_of(batch->host, batch->function, "rays");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_batch_def");
  if (result == MO_OK) {
    result = check_options(&def->options, &refusal);
  }
  if (result == MO_OK) {
    result = check_output(batch, batch->output);
  }
  if (result != MO_OK) {
    return result;
  }
  if (def->count > (size_t)MO_CHUNK_RAYS * (UINT32_MAX - 1)) {
    return mo_refuse(&refusal, MO_ERROR_TOO_MANY, ".count is %zu", def->count);
  }
  if (def->scratch == NULL && def->scratch_size > 0) {
    return mo_refuse(&refusal, MO_ERROR_NULL_ARGUMENT, ".scratch is null, .scratch_size is %zu",
                     def->scratch_size);
  }
  bool segments = batch->lines_of_sight || batch->rays_are_segments;
  const char *missing = !is_array_given(&def->origins)                   ? ".origins"
                        : segments && !is_array_given(&def->ends)        ? ".ends"
                        : !segments && !is_array_given(&def->directions) ? ".directions"
                                                                         : NULL;
  if (def->count > 0 && missing != NULL) {
    return mo_refuse(&refusal, MO_ERROR_NULL_ARGUMENT, "%s: a component is null", missing);
  }
  return mo_check_enum_value((unsigned)def->coherence, MO_COHERENCE_INCOHERENT, &refusal,
                             ".coherence");
}

/* --- scratch memory --- */

static void lay_out_scratch(mo_batch *batch) {
  const mo_batch_def *def = batch->def;
  batch->scratch_count = def->scratch_size / MO_BATCH_SCRATCH_SIZE;
  if (batch->scratch_count > 0) {
    uintptr_t misaligned = (uintptr_t)def->scratch % MO_ALIGNMENT;
    void *first = (char *)def->scratch + (misaligned != 0 ? MO_ALIGNMENT - misaligned : 0);
    batch->scratch = first;
    for (size_t i = 0; i < batch->scratch_count; i++) {
      atomic_init(&batch->scratch[i].taken, false);
    }
  }
}

mo_batch_scratch *mo_batch_acquire_scratch(const mo_batch *batch) {
  for (size_t i = 0; i < batch->scratch_count; i++) {
    if (!atomic_exchange_explicit(&batch->scratch[i].taken, true, memory_order_acquire)) {
      return &batch->scratch[i];
    }
  }
  return NULL;
}

void mo_batch_release_scratch(mo_batch_scratch *scratch) {
  atomic_store_explicit(&scratch->taken, false, memory_order_release);
}

/* --- chunks --- */

typedef struct chunk_task_context {
  const mo_batch *batch;
  atomic_size_t first_refused_index; /* lowest index of a refused ray so far */
} chunk_task_context;

static void run_chunk(uint32_t index, void *context) {
  chunk_task_context *w = context;
  const mo_batch *batch = w->batch;
  mo_ray_chunk chunk;
  chunk.first = (size_t)index * MO_CHUNK_RAYS;
  size_t bad = atomic_load_explicit(&w->first_refused_index, memory_order_relaxed);
  if (bad < chunk.first) {
    return;
  }
  size_t rest = batch->def->count - chunk.first;
  chunk.count = rest < MO_CHUNK_RAYS ? (uint32_t)rest : MO_CHUNK_RAYS;
  chunk.first_refused_index = MO_NONE;
  memset(chunk.found, 0, sizeof chunk.found);
  batch->trace(batch, &chunk);
  if (chunk.first_refused_index != MO_NONE) {
    size_t here = chunk.first + chunk.first_refused_index;
    while (here < bad && !atomic_compare_exchange_weak(&w->first_refused_index, &bad, here)) {
    }
  } else if (batch->output->bits != NULL) {
    memcpy(batch->output->bits + chunk.first / 32, chunk.found,
           (chunk.count + 31) / 32 * sizeof *chunk.found);
  }
}

/* Logs why a ray was refused, and returns the error. */
static MO_COLD mo_result refuse_ray(const mo_batch *batch, size_t bad) {
  mo_rays8 rays;
  mo_batch_read8(batch, bad, 1, &rays);
  mo_refusal argument = mo_refusal_of(batch->host, batch->function, "rays");
  mo_refusal refusal = mo_refusal_in(&argument, "", bad);
  if (batch->rays_are_segments) {
    /* directions are computed from the ends */
    mo_result result = mo_check_point(mo_read_vec3(&batch->def->ends, bad), &refusal, ".end");
    if (result != MO_OK) {
      return result;
    }
  }
  mo_ray_def ray = mo_batch_ray(batch, &rays, 0);
  return mo_check_ray_def(&ray, &refusal);
}

mo_result mo_batch_refuse_null(const mo_batch *batch, const mo_host *host, size_t *first_bad) {
  mo_set_first_bad(first_bad, MO_NO_INDEX);
  return mo_refuse_null(host, batch->function, batch->def == NULL ? "rays" : "output");
}

mo_result mo_batch_run(mo_batch *batch, size_t *first_bad, mo_query_stats *stats) {
  size_t count = batch->def->count;
  chunk_task_context w = {.batch = batch};
  atomic_init(&w.first_refused_index, count);
  mo_query_stats counts = mo_stats_begin(stats);
  batch->stats = stats != NULL ? &counts : NULL;
  batch->rays_are_segments = has_ends(batch->def);
  batch->aims = batch->rays_are_segments ? &batch->def->ends : &batch->def->directions;
  mo_result result = check_batch(batch);
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return result;
  }
  const mo_batch_output *output = batch->output;
  batch->want_weights = output->weights.data != NULL || output->hit.data != NULL;
  lay_out_scratch(batch);
  uint32_t chunks = (uint32_t)((count + MO_CHUNK_RAYS - 1) / MO_CHUNK_RAYS);
  if (stats == NULL && chunks > 1) {
    mo_tasks_run(batch->host, chunks, run_chunk, &w);
  } else {
    for (uint32_t i = 0; i < chunks; i++) {
      run_chunk(i, &w);
    }
  }
  size_t bad = atomic_load(&w.first_refused_index);
  if (bad < count) {
    mo_set_first_bad(first_bad, bad);
    return refuse_ray(batch, bad);
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}
