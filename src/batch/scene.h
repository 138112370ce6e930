/* Internals of ray batches on scenes. */
#ifndef MO_BATCH_SCENE_H
#define MO_BATCH_SCENE_H

#include "batch/batch.h"
#include "query/ray/shape_ray.h"
#include "scene/unbounded.h"

/* Traces a packet whose kind is set (batch/packet.h). There is no callback for triangles, and the
 * scene is not empty. */
MO_ISA_DECLARE(void, mo_scene_trace_packet, (const mo_batch *batch, mo_packet *packet));

/* Writes the answers of a group of a traced packet. */
MO_ISA_DECLARE(void, mo_scene_answer_packet,
               (const mo_batch *batch, const mo_packet *packet, uint32_t group,
                mo_answers8 *answers));

/* Traces groups of a chunk, given by their indices, as incoherent rays. */
MO_ISA_DECLARE(void, mo_scene_trace_incoherent,
               (const mo_batch *batch, mo_chunk *chunk, const uint16_t *groups, uint32_t count));

/* A queue: incoherent rays of a batch that are traced together. The scene has several shapes, and
 * no statistics are wanted. */
typedef struct mo_ray_queue {
  const mo_batch *batch;
  const mo_rays8 *in;    /* the rays, all legal */
  mo_answers8 *out;      /* their answers, initialised to nothing found */
  const uint16_t *order; /* indices in `in` and `out` of the rays to trace */
  uint32_t count;        /* length of `order` */
  void *memory;          /* workspace for the tracing function: MO_QUEUE_MEMORY bytes, aligned */
} mo_ray_queue;

#define MO_QUEUE_MEMORY ((size_t)200 * 1024)

enum { MO_QUEUE_RAYS = 8 * MO_QUEUE_GROUPS };

/* Traces a queue of at most MO_QUEUE_RAYS rays as wavefronts: each stage visits a few nodes of
 * every ray, the nearest first (scene_wavefront_kernel.c). */
MO_ISA_DECLARE(void, mo_scene_trace_wavefront, (const mo_ray_queue *queue));

/* Traces a queue of at most MO_STREAM_RAYS rays as a stream: each node is visited once with all
 * rays that hit it (scene_stream_kernel.c); for few nodes. Returns false if lists overflow; then
 * mo_scene_trace_wavefront must trace the queue. */
MO_ISA_DECLARE(bool, mo_scene_trace_stream, (const mo_ray_queue *queue));

/* Computes weights and facing of a hit whose shape and triangle are known, by the test that found
 * it. */
void mo_scene_batch_weights(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                            mo_answers8 *answers);

#endif
