/* Batches of rays: what all of them have in common. Checks, chunks, and the way from the caller's
 * arrays to these and back. */
#include "mesh/batch.h"

mo_batch_def mo_default_batch_def(void) {
  return (mo_batch_def){.options = mo_default_ray_def()};
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

/* Reading. */

static inline float read_float(const void *first, size_t stride, size_t i) {
  float value;
  memcpy(&value, (const char *)first + i * stride, sizeof value);
  return value;
}

static inline mo_vec3 read_vec3(const mo_vec3_array *array, size_t i) {
  return mo_vec(read_float(array->x, array->stride, i), read_float(array->y, array->stride, i),
                read_float(array->z, array->stride, i));
}

static bool is_given(const mo_vec3_array *array) {
  return array->x != NULL && array->y != NULL && array->z != NULL;
}

static bool is_segments(const mo_batch_def *def) {
  return def->ends.x != NULL || def->ends.y != NULL || def->ends.z != NULL;
}

/* The ray as the single query would be given it. */
static mo_ray_def read_ray(const mo_batch_def *def, size_t i) {
  mo_ray_def ray = def->options;
  ray.origin = read_vec3(&def->origins, i);
  if (is_segments(def)) {
    ray.direction = mo_sub(read_vec3(&def->ends, i), ray.origin);
    ray.max_t = 1.0f;
  } else {
    ray.direction = read_vec3(&def->directions, i);
  }
  if (def->min_t.data != NULL) {
    ray.min_t = read_float(def->min_t.data, def->min_t.stride, i);
  }
  if (def->max_t.data != NULL) {
    ray.max_t = read_float(def->max_t.data, def->max_t.stride, i);
  }
  return ray;
}

static void read_chunk(const mo_batch_def *def, size_t first, mo_chunk *chunk) {
  bool segments = is_segments(def);
  const mo_vec3_array *second = segments ? &def->ends : &def->directions;
  for (uint32_t i = 0; i < chunk->count; i++) {
    mo_vec3 origin = read_vec3(&def->origins, first + i);
    chunk->origin[0][i] = origin.x;
    chunk->origin[1][i] = origin.y;
    chunk->origin[2][i] = origin.z;
  }
  for (uint32_t i = 0; i < chunk->count; i++) {
    mo_vec3 direction = read_vec3(second, first + i);
    chunk->direction[0][i] = direction.x;
    chunk->direction[1][i] = direction.y;
    chunk->direction[2][i] = direction.z;
  }
  if (segments) {
    for (int axis = 0; axis < 3; axis++) {
      for (uint32_t i = 0; i < chunk->count; i++) {
        chunk->direction[axis][i] -= chunk->origin[axis][i];
      }
    }
  }
  for (uint32_t i = 0; i < chunk->count; i++) {
    chunk->min_t[i] = def->min_t.data != NULL
                          ? read_float(def->min_t.data, def->min_t.stride, first + i)
                          : def->options.min_t;
  }
  for (uint32_t i = 0; i < chunk->count; i++) {
    chunk->max_t[i] = def->max_t.data != NULL
                          ? read_float(def->max_t.data, def->max_t.stride, first + i)
                      : segments ? 1.0f
                                 : def->options.max_t;
  }
}

/* Writing. */

static inline void write(const mo_output *output, size_t size, size_t i, const void *value) {
  size_t stride = output->stride != 0 ? output->stride : size;
  memcpy((char *)output->data + i * stride, value, size);
}

static void write_found(const mo_batch *batch, size_t first, const mo_chunk *chunk) {
  const mo_output *found = &batch->output->found;
  for (uint32_t i = 0; found->data != NULL && i < chunk->count; i++) {
    bool value = chunk->found[i] != batch->invert;
    write(found, sizeof value, first + i, &value);
  }
  for (uint32_t word = 0; batch->output->bits != NULL && word < chunk->count; word += 32) {
    uint32_t bits = 0;
    for (uint32_t i = word; i < word + 32 && i < chunk->count; i++) {
      bits |= (uint32_t)(chunk->found[i] != batch->invert) << (i - word);
    }
    batch->output->bits[(first + word) / 32] = bits;
  }
}

static void write_numbers(const mo_batch *batch, size_t first, const mo_chunk *chunk) {
  const mo_batch_output *output = batch->output;
  for (uint32_t i = 0; output->t.data != NULL && i < chunk->count; i++) {
    float t = chunk->found[i] ? chunk->max_t[i] : INFINITY;
    write(&output->t, sizeof t, first + i, &t);
  }
  for (uint32_t i = 0; output->triangle.data != NULL && i < chunk->count; i++) {
    write(&output->triangle, sizeof chunk->triangle[i], first + i, &chunk->triangle[i]);
  }
  for (uint32_t i = 0; output->shape.data != NULL && i < chunk->count; i++) {
    mo_shape_id id = {0, 0};
    if (chunk->found[i] && batch->shape_id != NULL) {
      id = batch->shape_id(batch, chunk->shape[i]);
    }
    write(&output->shape, sizeof id, first + i, &id);
  }
  for (uint32_t i = 0; output->weights.data != NULL && i < chunk->count; i++) {
    float weights[2] = {0.0f, 0.0f};
    if (chunk->found[i]) {
      weights[0] = chunk->u[i];
      weights[1] = chunk->v[i];
    }
    write(&output->weights, sizeof weights, first + i, weights);
  }
}

static void write_hits(const mo_batch *batch, size_t first, const mo_chunk *chunk) {
  const mo_batch_output *output = batch->output;
  for (uint32_t i = 0; i < chunk->count; i++) {
    mo_ray_hit hit = {.triangle = MO_NO_TRIANGLE};
    if (chunk->found[i]) {
      hit = (mo_ray_hit){.found = true,
                         .triangle = chunk->triangle[i],
                         .t = chunk->max_t[i],
                         .u = batch->want_weights ? chunk->u[i] : 0.0f,
                         .v = batch->want_weights ? chunk->v[i] : 0.0f,
                         .front = batch->want_weights && chunk->front[i]};
      if (batch->shape_id != NULL) {
        hit.shape = batch->shape_id(batch, chunk->shape[i]);
      }
      mo_ray_def ray = read_ray(batch->def, first + i);
      batch->complete(batch, &ray, &hit);
    }
    if (output->hit.data != NULL) {
      write(&output->hit, sizeof hit, first + i, &hit);
    }
    if (output->normal.data != NULL) {
      write(&output->normal, sizeof hit.normal, first + i, &hit.normal);
    }
  }
}

/* Checks. */

static bool is_output_fine(const mo_output *output, size_t size) {
  return output->data == NULL || output->stride == 0 || output->stride >= size;
}

static mo_result check_output(const mo_batch_output *output, mo_ray_goal goal) {
  const struct {
    const mo_output *output;
    size_t size;
  } outputs[] = {
      {&output->found, sizeof(bool)},        {&output->t, sizeof(float)},
      {&output->triangle, sizeof(uint32_t)}, {&output->shape, sizeof(mo_shape_id)},
      {&output->weights, 2 * sizeof(float)}, {&output->normal, sizeof(mo_vec3)},
      {&output->hit, sizeof(mo_ray_hit)},
  };
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
    if (!is_output_fine(outputs[i].output, outputs[i].size) ||
        (goal == MO_GOAL_ANY && i > 0 && outputs[i].output->data != NULL)) {
      return MO_ERROR_INVALID_ARGUMENT;
    }
  }
  return MO_OK;
}

static mo_result check_rays(const mo_batch_def *def, size_t *first_bad) {
  bool segments = is_segments(def);
  for (size_t i = 0; i < def->count; i++) {
    mo_ray_def ray = read_ray(def, i);
    mo_result result = segments ? mo_check_point(read_vec3(&def->ends, i)) : MO_OK;
    if (result == MO_OK) {
      result = mo_check_ray(&ray);
    }
    if (result != MO_OK) {
      *first_bad = i;
      return result;
    }
  }
  return MO_OK;
}

static mo_result check(const mo_batch *batch, bool needs_ends, size_t *first_bad) {
  const mo_batch_def *def = batch->def;
  mo_result result = check_output(batch->output, batch->goal);
  if (result != MO_OK) {
    return result;
  }
  if ((unsigned)def->coherence > MO_COHERENCE_INCOHERENT) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  bool segments = needs_ends || is_segments(def);
  if (def->count > 0 &&
      (!is_given(&def->origins) || !is_given(segments ? &def->ends : &def->directions))) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  return check_rays(def, first_bad);
}

/* Chunks. */

static void run_chunk(const mo_batch *batch, size_t first) {
  mo_chunk chunk;
  size_t rest = batch->def->count - first;
  chunk.count = rest < MO_CHUNK_RAYS ? (uint32_t)rest : MO_CHUNK_RAYS;
  read_chunk(batch->def, first, &chunk);
  batch->trace(batch, &chunk);
  write_found(batch, first, &chunk);
  if (batch->goal == MO_GOAL_CLOSEST) {
    write_numbers(batch, first, &chunk);
    if (batch->output->hit.data != NULL || batch->output->normal.data != NULL) {
      write_hits(batch, first, &chunk);
    }
  }
}

mo_result mo_batch_run(mo_batch *batch, bool needs_ends, size_t *first_bad) {
  size_t bad = batch->def->count;
  mo_result result = check(batch, needs_ends, &bad);
  if (first_bad != NULL) {
    *first_bad = bad;
  }
  if (result != MO_OK) {
    return result;
  }
  const mo_batch_output *output = batch->output;
  batch->want_weights = output->weights.data != NULL || output->hit.data != NULL;
  for (size_t first = 0; first < batch->def->count; first += MO_CHUNK_RAYS) {
    run_chunk(batch, first);
  }
  return MO_OK;
}
