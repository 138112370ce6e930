/* Traces incoherent rays of a batch through a scene. Compiled once per instruction set.
 *
 * Many rays are traced at a time: as ray streams if there are few nodes (scene_stream_kernel.c),
 * else as wavefronts (scene_wavefront_kernel.c). */
#include "base/inline.h"
#include "batch/check.h"
#include "batch/read.h"
#include "batch/scene.h"

enum { BLOCK_RAYS = 8 * MO_SCENE_BLOCK_GROUPS };

/* The state of tracing a chunk. */
typedef struct tracer {
  const mo_batch *batch;
  mo_reader reader;
  mo_chunk *chunk;
  struct workspace *work;
  bool streamed; /* by streams, not wavefronts */
} tracer;

typedef struct block {
  mo_rays8 in[MO_SCENE_BLOCK_GROUPS];
  mo_answers8 out[MO_SCENE_BLOCK_GROUPS];
  uint16_t order[BLOCK_RAYS];
} block;

/* The contents of a thread's scratch memory. */
typedef struct workspace {
  block block;
  alignas(MO_ALIGNMENT) unsigned char queue[MO_QUEUE_MEMORY];
} workspace;

_Static_assert(sizeof(workspace) <= sizeof(((mo_batch_scratch *)0)->memory), "fits");

/* Bit mask of the lanes of rays i to i + 7 that are within the chunk. */
static inline uint32_t lanes_of(const mo_chunk *chunk, uint32_t i) {
  return chunk->count - i < 8 ? (1u << (chunk->count - i)) - 1 : 0xff;
}

/* Traces some of the first rays of a queue; returns how many. */
static uint32_t trace_some(const tracer *t, mo_ray_queue queue) {
  uint32_t rest = queue.count;
  if (t->streamed) {
    queue.count = rest < MO_STREAM_RAYS ? rest : MO_STREAM_RAYS;
    if (MO_ISA_FN(mo_scene_trace_stream)(&queue)) {
      return queue.count;
    }
  }
  queue.count = rest < MO_QUEUE_RAYS ? rest : MO_QUEUE_RAYS;
  MO_ISA_FN(mo_scene_trace_wavefront)(&queue);
  return queue.count;
}

static void trace_block(const tracer *t, const uint16_t *groups, uint32_t count) {
  const mo_batch *batch = t->batch;
  block *b = &t->work->block;
  uint32_t legal[MO_SCENE_BLOCK_GROUPS / 32] = {0}, traced = 0;
  for (uint32_t e = 0; e < count; e++) {
    uint32_t i = 8u * groups[e], lanes = lanes_of(t->chunk, i), without;
    mo_reader_read8(&t->reader, t->chunk->first + i, t->chunk->count - i, &b->in[e]);
    bool accepted = mo_any_accepts8(batch, t->chunk, i, &b->in[e], &without);
    legal[e / 32] |= (uint32_t)accepted << e % 32;
    lanes = accepted ? lanes : 0;
    mo_answer_nothing(&b->out[e]);
    for (; lanes != 0; lanes &= lanes - 1) {
      b->order[traced++] = (uint16_t)(8 * e + (uint32_t)__builtin_ctz(lanes));
    }
  }
  for (uint32_t i = 0; i < traced;) {
    i += trace_some(t,
                    (mo_ray_queue){batch, b->in, b->out, &b->order[i], traced - i, t->work->queue});
  }
  for (uint32_t e = 0; e < count; e++) {
    if (legal[e / 32] >> e % 32 & 1) {
      mo_batch_write8(batch, t->chunk, 8u * groups[e], &b->out[e]);
    }
  }
}

/* Traces rays one by one: used with statistics, for a single shape, or if no scratch memory is
 * left. */
static void trace_singly(const mo_batch *batch, mo_chunk *chunk, const uint16_t *groups,
                         uint32_t count) {
  const mo_reader reader = mo_reader_of(batch);
  for (uint32_t e = 0; e < count; e++) {
    uint32_t i = 8u * groups[e], without;
    mo_rays8 rays;
    mo_answers8 answers;
    mo_reader_read8(&reader, chunk->first + i, chunk->count - i, &rays);
    if (!mo_any_accepts8(batch, chunk, i, &rays, &without)) {
      continue;
    }
    mo_answer_nothing(&answers);
    for (uint32_t lanes = lanes_of(chunk, i); lanes != 0; lanes &= lanes - 1) {
      batch->target->ray(batch, &rays, (uint32_t)__builtin_ctz(lanes), &answers);
    }
    mo_batch_write8(batch, chunk, i, &answers);
  }
}

void MO_ISA_FN(mo_scene_trace_incoherent)(const mo_batch *batch, mo_chunk *chunk,
                                          const uint16_t *groups, uint32_t count) {
  const mo_scene *scene = batch->subject;
  bool alone = count == 0 || batch->stats != NULL || scene->shape_count == 1;
  mo_batch_scratch *scratch = alone ? NULL : mo_batch_take_scratch(batch);
  if (scratch == NULL) {
    trace_singly(batch, chunk, groups, count);
    return;
  }
  tracer t = {
      .work = (workspace *)(void *)scratch->memory,
      .batch = batch,
      .reader = mo_reader_of(batch),
      .chunk = chunk,
      /* Not with a callback that accepts shapes: if the lists of a stream overflow, its rays are
       * traced again, which would call it twice. */
      .streamed = batch->def->options.filter.accept == NULL &&
                  (size_t)scene->nodes.count + scene->blocks.count <= MO_STREAM_RAYS,
  };
  for (uint32_t first = 0; first < count; first += MO_SCENE_BLOCK_GROUPS) {
    trace_block(&t, &groups[first],
                count - first < MO_SCENE_BLOCK_GROUPS ? count - first : MO_SCENE_BLOCK_GROUPS);
  }
  mo_batch_return_scratch(scratch);
}
