/* Batches of rays on a scene, inside: what scene_rays.c and the packets share. */
#ifndef MO_BATCH_SCENE_H
#define MO_BATCH_SCENE_H

#include "batch/batch.h"
#include "query/ray/shape_ray.h"

/* A packet of rays whose kind is set (batch/packet.h), of which nothing is accepted by a
 * callback; the scene is not empty. */
MO_ISA_DECLARE(void, mo_scene_trace_packet, (const mo_batch *batch, mo_packet *packet));

/* What a group of it has found. */
MO_ISA_DECLARE(void, mo_scene_answer_packet,
               (const mo_batch *batch, const mo_packet *packet, uint32_t group,
                mo_answers8 *answers));

/* Eights of rays of a chunk, by their numbers, as rays that have nothing in common. */
MO_ISA_DECLARE(void, mo_scene_trace_apart,
               (const mo_batch *batch, mo_chunk *chunk, const uint16_t *eights, uint32_t count));

/* Rays of a batch that are traced many at a time. The scene has several shapes, and nothing is
 * counted. */
typedef struct mo_lot {
  const mo_batch *batch;
  const mo_rays8 *in;    /* legal */
  mo_answers8 *out;      /* nothing was found so far */
  const uint16_t *order; /* of the rays to trace, by their places in `in` and `out` */
  uint32_t count;        /* of these */
  void *memory;          /* MO_LOT_MEMORY bytes, aligned, for the route that traces them */
} mo_lot;

#define MO_LOT_MEMORY ((size_t)200 * 1024)

enum { MO_LOT_EIGHTS = 64, MO_LOT_RAYS = 8 * MO_LOT_EIGHTS, MO_STREAM_RAYS = 2 * MO_LOT_RAYS };

/* Some nodes of each ray at a time, the nearest first (scene_wavefront_kernel.c); MO_LOT_RAYS at
 * most. */
MO_ISA_DECLARE(void, mo_scene_trace_lot, (const mo_lot *lot));

/* All rays at each node (scene_stream_kernel.c), for few nodes; MO_STREAM_RAYS at most. Says how
 * many shapes all of them together may have hit. Returns false if there is no room for what they
 * meet; then they are to be traced the other way. */
MO_ISA_DECLARE(bool, mo_scene_trace_stream, (const mo_lot *lot, uint64_t *pairs));

/* Weights and facing of a hit, of which the shape and triangle are known, by the test that found
 * it. */
void mo_scene_batch_weights(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                            mo_answers8 *answers);

#endif
