/* Batches of rays on a scene, inside: what scene_rays.c and the packets share. */
#ifndef MO_BATCH_SCENE_H
#define MO_BATCH_SCENE_H

#include "batch/batch.h"
#include "query/ray/shape_ray.h"
#include "scene/unbounded.h"

/* A packet of rays whose kind is set (batch/packet.h), of which nothing is accepted by a
 * callback; the scene is not empty. */
MO_ISA_DECLARE(void, mo_scene_trace_packet, (const mo_batch *batch, mo_packet *packet));

/* What a group of it has found. */
MO_ISA_DECLARE(void, mo_scene_answer_packet,
               (const mo_batch *batch, const mo_packet *packet, uint32_t group,
                mo_corners8 *corners, mo_answers8 *answers));

/* Groups of rays of a chunk, by their numbers, as incoherent rays. */
MO_ISA_DECLARE(void, mo_scene_trace_incoherent,
               (const mo_batch *batch, mo_chunk *chunk, const uint16_t *groups, uint32_t count));

/* A queue: incoherent rays of a batch that are traced many at a time. The scene has several
 * shapes, and nothing is counted. */
typedef struct mo_ray_queue {
  const mo_batch *batch;
  const mo_rays8 *in;    /* legal */
  mo_answers8 *out;      /* nothing was found so far */
  const uint16_t *order; /* of the rays to trace, by their places in `in` and `out` */
  uint32_t count;        /* of these */
  void *memory;          /* MO_QUEUE_MEMORY bytes, aligned, for the route that traces them */
} mo_ray_queue;

#define MO_QUEUE_MEMORY ((size_t)200 * 1024)

enum { MO_QUEUE_RAYS = 8 * MO_QUEUE_GROUPS };

/* Some nodes of each ray at a time, the nearest first (scene_wavefront_kernel.c); MO_QUEUE_RAYS at
 * most. */
MO_ISA_DECLARE(void, mo_scene_trace_wavefront, (const mo_ray_queue *queue));

/* All rays at each node (scene_stream_kernel.c), for few nodes; MO_STREAM_RAYS at most. Says how
 * many shapes all of them together may have hit. Returns false if there is no room for what they
 * meet; then they are to be traced by the other route. */
MO_ISA_DECLARE(bool, mo_scene_trace_stream, (const mo_ray_queue *queue, uint64_t *pairs));

/* Weights and facing of a hit, of which the shape and triangle are known, by the test that found
 * it. */
void mo_scene_batch_weights(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                            mo_answers8 *answers);

#endif
