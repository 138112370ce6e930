/* Rays of a batch on a scene that go each its own way; compiled once per instruction set.
 *
 * They are traced one after the other, but made ready eight at a time; and where the scene does not
 * fit the cache, in the order of where they begin, so that those that visit the same nodes and
 * shapes follow each other. */
#include "base/inline.h"
#include "mesh/batch_read.h"
#include "mesh/batch_usual.h"
#include "query/batch_scene.h"

/* Eights that are read, sorted and written together. */
enum { BLOCK_EIGHTS = 256, BLOCK_RAYS = 8 * BLOCK_EIGHTS };

/* Scenes up to this many bytes stay in the cache of a core, or nearly. */
#define CACHED_BYTES ((size_t)4 << 20)

/* What rays are traced with. */
typedef struct tools {
  const mo_batch *batch;
  const mo_scene *scene;
  mo_reader reader;
  mo_chunk *chunk;
  mo_ray_usual usual;
  float margin; /* in units of MO_RAY_MARGIN */
  bool alone;   /* whether each ray is left to the way of rays that come alone */
  mo_ray_def def;
} tools;

/* Where rays begin, in how many cells per axis, and the signs of their directions. */
enum { CELLS = 4, KEYS = CELLS * CELLS * CELLS * 8 };

typedef struct block {
  mo_rays8 in[BLOCK_EIGHTS];
  mo_answers8 out[BLOCK_EIGHTS];
  uint16_t key[BLOCK_RAYS]; /* KEYS where a ray is not to be traced */
  uint16_t order[BLOCK_RAYS];
} block;

static size_t bytes_of(const mo_scene *scene) {
  return scene->nodes.count * sizeof(mo_scene_node) + scene->blocks.count * sizeof(mo_shape_block) +
         scene->shape_count * sizeof(mo_shape);
}

/* Bits of rays i to i + 7 of the chunk that are there. */
static inline uint32_t lanes_of(const mo_chunk *chunk, uint32_t i) {
  return chunk->count - i < 8 ? (1u << (chunk->count - i)) - 1 : 0xff;
}

/* Some of eight rays. `place`: where the answer of each belongs, lane of an eight of `out`. */
static void trace_eight(tools *t, const mo_rays8 *rays, uint32_t lanes, const mo_usual8 *usual,
                        const uint16_t *place, mo_answers8 *out) {
  const mo_batch *batch = t->batch;
  mo_ray_def *def = &t->def;
  for (; lanes != 0; lanes &= lanes - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), to = place[lane] % 8;
    mo_answers8 *answers = &out[place[lane] / 8];
    if (t->alone || !(usual->usual >> lane & 1)) {
      mo_answers8 single;
      mo_answer_nothing(&single);
      batch->way->ray(batch, rays, lane, &single);
      if (single.found != 0) {
        answers->found |= 1u << to;
        answers->front |= (single.front >> lane & 1) << to;
        answers->t[to] = single.t[lane];
        answers->triangle[to] = single.triangle[lane];
        answers->shape[to] = batch->goal == MO_GOAL_ANY ? 0 : single.shape[lane];
        answers->u[to] = batch->goal == MO_GOAL_ANY ? 0.0f : single.u[lane];
        answers->v[to] = batch->goal == MO_GOAL_ANY ? 0.0f : single.v[lane];
      }
      continue;
    }
    def->origin = mo_vec(rays->origin[0][lane], rays->origin[1][lane], rays->origin[2][lane]);
    def->direction =
        mo_vec(rays->direction[0][lane], rays->direction[1][lane], rays->direction[2][lane]);
    def->min_t = rays->min_t[lane];
    def->max_t = rays->max_t[lane];
    mo_ray ray;
    mo_usual8_get(usual, lane, &ray);
    if (batch->goal == MO_GOAL_ANY) {
      answers->found |= (uint32_t)MO_ISA_FN(mo_scene_test_ready)(t->scene, def, &ray) << to;
      continue;
    }
    mo_scene_ray query;
    MO_ISA_FN(mo_scene_find_ready)(&query, t->scene, def, &ray);
    if (query.shape != MO_NONE) {
      answers->found |= 1u << to;
      answers->front |= (uint32_t)query.front << to;
      answers->t[to] = query.max_t;
      answers->triangle[to] = query.triangle;
      answers->shape[to] = query.shape;
      answers->u[to] = query.u;
      answers->v[to] = query.v;
    }
  }
}

/* In the order in which they come. */
static void trace_in_order(tools *t, const uint16_t *eights, uint32_t count) {
  static const uint16_t places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (uint32_t e = 0; e < count; e++) {
    uint32_t i = 8u * eights[e], lanes = lanes_of(t->chunk, i);
    mo_rays8 rays;
    mo_usual8 usual;
    mo_answers8 answers;
    mo_reader_read8(&t->reader, t->chunk->first + i, t->chunk->count - i, &rays);
    mo_usual8_init(&usual, &rays, &t->usual, t->margin);
    if ((lanes & ~usual.usual) != 0 && !mo_batch_accepts8(t->batch, t->chunk, i, &rays)) {
      continue;
    }
    mo_answer_nothing(&answers);
    trace_eight(t, &rays, lanes, &usual, places, &answers);
    mo_batch_write8(t->batch, t->chunk, i, &answers);
  }
}

static inline uint32_t cell_of(float place) {
  return place > 0.0f ? place < 1.0f ? (uint32_t)((float)CELLS * place) : CELLS - 1 : 0;
}

static void find_keys(const tools *t, const mo_rays8 *rays, uint32_t lanes, uint16_t key[8]) {
  const mo_aabb *box = &t->batch->way->bounds;
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

/* Returns how many there are to trace. */
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

static void trace_sorted(tools *t, const uint16_t *eights, uint32_t count) {
  block b;
  uint32_t legal[BLOCK_EIGHTS / 32] = {0};
  for (uint32_t e = 0; e < count; e++) {
    uint32_t i = 8u * eights[e];
    mo_usual8 usual;
    mo_reader_read8(&t->reader, t->chunk->first + i, t->chunk->count - i, &b.in[e]);
    mo_usual8_init(&usual, &b.in[e], &t->usual, t->margin);
    uint32_t lanes = lanes_of(t->chunk, i);
    bool fine = (lanes & ~usual.usual) == 0 || mo_batch_accepts8(t->batch, t->chunk, i, &b.in[e]);
    legal[e / 32] |= (uint32_t)fine << e % 32;
    find_keys(t, &b.in[e], fine ? lanes : 0, &b.key[8 * e]);
    mo_answer_nothing(&b.out[e]);
  }
  uint32_t traced = sort_rays(&b, 8 * count);
  for (uint32_t i = 0; i < traced; i += 8) {
    uint32_t rest = traced - i < 8 ? traced - i : 8;
    mo_rays8 rays;
    mo_usual8 usual;
    for (uint32_t lane = 0; lane < 8; lane++) {
      uint32_t from = b.order[lane < rest ? i + lane : i];
      const float *row = &b.in[from / 8].origin[0][from % 8];
      float *to = &rays.origin[0][lane];
      for (int j = 0; j < 8; j++) {
        to[8 * j] = row[8 * j];
      }
    }
    mo_usual8_init(&usual, &rays, &t->usual, t->margin);
    trace_eight(t, &rays, (1u << rest) - 1, &usual, &b.order[i], b.out);
  }
  for (uint32_t e = 0; e < count; e++) {
    if (legal[e / 32] >> e % 32 & 1) {
      mo_batch_write8(t->batch, t->chunk, 8u * eights[e], &b.out[e]);
    }
  }
}

void MO_ISA_FN(mo_scene_trace_apart)(const mo_batch *batch, mo_chunk *chunk, const uint16_t *eights,
                                     uint32_t count) {
  const mo_scene *scene = batch->subject;
  const float margin = MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN;
  tools t = {
      .batch = batch,
      .scene = scene,
      .reader = mo_reader_of(batch),
      .chunk = chunk,
      .usual = mo_ray_usual_for(mo_scene_ray_reach(scene), margin),
      .margin = margin,
      .alone = batch->stats != NULL || scene->shape_count == 1,
      .def = batch->def->options,
  };
  if (bytes_of(scene) <= CACHED_BYTES) {
    trace_in_order(&t, eights, count);
    return;
  }
  for (uint32_t first = 0; first < count; first += BLOCK_EIGHTS) {
    trace_sorted(&t, &eights[first], count - first < BLOCK_EIGHTS ? count - first : BLOCK_EIGHTS);
  }
}
