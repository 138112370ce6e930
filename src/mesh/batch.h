/* Batches of rays, inside: the chunk that rays are gathered into, traced in and answered from.
 *
 * A chunk is a structure of arrays on the stack of the thread that works on it. Chunks are
 * independent, and begin at multiples of MO_CHUNK_RAYS in the caller's arrays, so that threads
 * never share a word of the bit array. */
#ifndef MO_MESH_BATCH_H
#define MO_MESH_BATCH_H

#include <motte/batch.h>

#include "mesh/query.h"

enum { MO_CHUNK_RAYS = 1024 };

_Static_assert(MO_CHUNK_RAYS % 32 == 0, "chunks share no word of the bits");

typedef struct mo_chunk {
  uint32_t count;
  alignas(MO_ALIGNMENT) float origin[3][MO_CHUNK_RAYS];
  float direction[3][MO_CHUNK_RAYS];
  float min_t[MO_CHUNK_RAYS];
  float max_t[MO_CHUNK_RAYS];               /* out, of closest hits: t */
  uint32_t triangle[MO_CHUNK_RAYS];         /* out */
  uint32_t shape[MO_CHUNK_RAYS];            /* out, of scenes: the slot */
  float u[MO_CHUNK_RAYS], v[MO_CHUNK_RAYS]; /* out, where wanted */
  bool front[MO_CHUNK_RAYS];                /* out, where wanted */
  bool found[MO_CHUNK_RAYS];                /* out */
} mo_chunk;

/* A batch under way, whatever it is against. */
typedef struct mo_batch mo_batch;

struct mo_batch {
  const mo_batch_def *def;
  const mo_batch_output *output;
  mo_ray_goal goal;
  bool want_weights; /* u, v and front of closest hits */
  bool invert;       /* found means that nothing was hit */
  const mo_mesh *mesh;
  const void *subject;   /* what is not a mesh alone */
  mo_query_stats *stats; /* not null; of the calling thread */
  bool count;
  void (*trace)(const mo_batch *batch, mo_chunk *chunk);
  /* Fills in user data, point and normal of a hit, which has all the rest. */
  void (*complete)(const mo_batch *batch, const mo_ray_def *ray, mo_ray_hit *hit);
  mo_shape_id (*shape_id)(const mo_batch *batch, uint32_t slot); /* null for a mesh alone */
};

/* The whole of a public call: checks, then chunks. `needs_ends`: only segments will do. */
mo_result mo_batch_run(mo_batch *batch, bool needs_ends, size_t *first_bad);

/* One ray of a chunk with the options of the batch. */
static inline mo_ray_def mo_chunk_ray(const mo_batch *batch, const mo_chunk *chunk, uint32_t i) {
  mo_ray_def ray = batch->def->options;
  ray.origin = mo_vec(chunk->origin[0][i], chunk->origin[1][i], chunk->origin[2][i]);
  ray.direction = mo_vec(chunk->direction[0][i], chunk->direction[1][i], chunk->direction[2][i]);
  ray.min_t = chunk->min_t[i];
  ray.max_t = chunk->max_t[i];
  return ray;
}

#endif
