/* Traces incoherent rays of a batch through a scene. Compiled once per instruction set.
 *
 * Many rays are traced at a time: as ray streams if there are few nodes (scene_stream_kernel.c),
 * else as wavefronts (scene_wavefront_kernel.c). If the scene does not fit in the cache, rays are
 * first sorted by origin, so that rays that visit the same nodes and shapes follow each other. */
#include "base/inline.h"
#include "batch/check.h"
#include "batch/read.h"
#include "batch/scene.h"

enum { BLOCK_RAYS = 8 * MO_SCENE_BLOCK_GROUPS };

/* The state of tracing a chunk. */
typedef struct tracer {
  const mo_batch *batch;
  const mo_scene *scene;
  mo_reader reader;
  mo_chunk *chunk;
  struct workspace *work;
  bool sorted; /* the scene is larger than the cache */
  /* whether streams are used if there are enough rays; bounds of the rays in a stream */
  bool streamed;
  uint32_t least_streamed, most_streamed;
} tracer;

/* Sort keys: the cell of the origin (CELLS per axis), and the signs of the direction. */
enum { CELLS = 4, KEYS = CELLS * CELLS * CELLS * 8 };

typedef struct block {
  mo_rays8 in[MO_SCENE_BLOCK_GROUPS];
  mo_answers8 out[MO_SCENE_BLOCK_GROUPS];
  uint16_t key[BLOCK_RAYS]; /* KEYS if a ray is not to be traced */
  uint16_t order[BLOCK_RAYS];
} block;

/* The contents of a thread's scratch memory. */
typedef struct workspace {
  block block;
  alignas(MO_ALIGNMENT) unsigned char queue[MO_QUEUE_MEMORY];
} workspace;

_Static_assert(sizeof(workspace) <= sizeof(((mo_batch_scratch *)0)->memory), "fits");

static size_t bytes_of(const mo_scene *scene) {
  return scene->nodes.count * sizeof(mo_scene_node) + scene->blocks.count * sizeof(mo_shape_block) +
         scene->shape_count * sizeof(mo_shape);
}

/* Bit mask of the lanes of rays i to i + 7 that are within the chunk. */
static inline uint32_t lanes_of(const mo_chunk *chunk, uint32_t i) {
  return chunk->count - i < 8 ? (1u << (chunk->count - i)) - 1 : 0xff;
}

static inline uint32_t cell_of(float place) {
  return place > 0.0f ? place < 1.0f ? (uint32_t)((float)CELLS * place) : CELLS - 1 : 0;
}

static void find_keys(const tracer *t, const mo_rays8 *rays, uint32_t lanes, uint16_t key[8]) {
  const mo_aabb *box = &t->batch->target->bounds;
  const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
  const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
  for (uint32_t lane = 0; lane < 8; lane++) {
    uint32_t cell = 0, signs = 0;
    for (int axis = 0; axis < 3; axis++) {
      float width = upper[axis] - lower[axis];
      cell = CELLS * cell + cell_of((rays->origin[axis][lane] - lower[axis]) / width);
      signs |= (uint32_t)(signbit(rays->direction[axis][lane]) != 0) << axis;
    }
    key[lane] = (uint16_t)(lanes >> lane & 1 ? 8 * cell + signs : KEYS);
  }
}

/* Sorts rays by key (counting sort). Returns how many are to be traced. */
static uint32_t sort_rays(block *b, uint32_t count) {
  uint16_t next[KEYS + 1] = {0};
  for (uint32_t i = 0; i < count; i++) {
    next[b->key[i]]++;
  }
  uint32_t sum = 0;
  for (uint32_t key = 0; key <= KEYS; key++) {
    uint16_t here = next[key];
    next[key] = (uint16_t)sum;
    sum += here;
  }
  uint32_t traced = next[KEYS];
  for (uint32_t i = 0; i < count; i++) {
    b->order[next[b->key[i]]++] = (uint16_t)i;
  }
  return traced;
}

/* Decides whether streams are used. Not with a callback that accepts shapes: if the lists of a
 * stream overflow, its rays are traced again, which would call it twice. */
static void choose_route(tracer *t) {
  size_t places = (size_t)t->scene->nodes.count + t->scene->blocks.count;
  bool has_callback = t->batch->def->options.filter.accept != NULL;
  t->streamed = !has_callback && places <= MO_STREAM_RAYS;
  t->least_streamed = (uint32_t)(places / MO_STREAM_SPARSEST);
  t->most_streamed = places < MO_STREAM_FIRST ? MO_STREAM_FIRST : (uint32_t)places;
}

static bool trace_stream(tracer *t, const mo_ray_queue *queue) {
  uint64_t pairs;
  bool done = MO_ISA_FN(mo_scene_trace_stream)(queue, &pairs);
  bool many =
      t->batch->goal == MO_GOAL_CLOSEST && pairs > (uint64_t)MO_STREAM_SHAPES * queue->count;
  t->streamed = done && !many;
  t->most_streamed = MO_STREAM_RAYS;
  return done;
}

/* Traces some of the first rays of a queue; returns how many. */
static uint32_t trace_some(tracer *t, mo_ray_queue queue) {
  uint32_t rest = queue.count;
  if (t->streamed && rest >= t->least_streamed) {
    queue.count = rest < t->most_streamed ? rest : t->most_streamed;
    if (trace_stream(t, &queue)) {
      return queue.count;
    }
  }
  queue.count = rest < MO_QUEUE_RAYS ? rest : MO_QUEUE_RAYS;
  MO_ISA_FN(mo_scene_trace_wavefront)(&queue);
  return queue.count;
}

static void trace_block(tracer *t, const uint16_t *groups, uint32_t count) {
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
    if (t->sorted) {
      find_keys(t, &b->in[e], lanes, &b->key[8 * e]);
    } else {
      for (; lanes != 0; lanes &= lanes - 1) {
        b->order[traced++] = (uint16_t)(8 * e + (uint32_t)__builtin_ctz(lanes));
      }
    }
  }
  if (t->sorted) {
    traced = sort_rays(b, 8 * count);
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
      .scene = scene,
      .reader = mo_reader_of(batch),
      .chunk = chunk,
      .sorted = bytes_of(scene) > MO_SCENE_SORTED_LEAST,
  };
  choose_route(&t);
  for (uint32_t first = 0; first < count; first += MO_SCENE_BLOCK_GROUPS) {
    trace_block(&t, &groups[first],
                count - first < MO_SCENE_BLOCK_GROUPS ? count - first : MO_SCENE_BLOCK_GROUPS);
  }
  mo_batch_return_scratch(scratch);
}
