/* Internals of ray batches on scenes. */
#ifndef MO_BATCH_SCENE_H
#define MO_BATCH_SCENE_H

#include "batch/batch.h"
#include "query/ray/shape_ray.h"
#include "scene/shapes/unbounded.h"

/* The functions of a mo_batch on a scene that is not empty. The batch must have no callback for
 * triangles. */
MO_ISA_DECLARE(void, mo_scene_trace_packet, (const mo_batch *batch, mo_packet *packet));
MO_ISA_DECLARE(void, mo_scene_answer_packet,
               (const mo_batch *batch, const mo_packet *packet, uint32_t group,
                mo_answers8 *answers));
MO_ISA_DECLARE(void, mo_scene_trace_incoherent, (const mo_batch *batch, mo_ray_chunk *chunk));

/* Sets the answer of one lane from a closest hit. */
static inline void mo_answers8_set_scene_hit(mo_answers8 *answers, uint32_t lane,
                                             const mo_scene_ray *query) {
  if (query->shape != MO_NONE) {
    answers->found |= 1u << lane;
    answers->shape[lane] = query->shape;
    answers->child[lane] = query->child;
    answers->triangle[lane] = query->triangle;
    answers->t[lane] = query->max_t;
    answers->u[lane] = query->u;
    answers->v[lane] = query->v;
    answers->front |= (uint32_t)query->front << lane;
  }
}

/* Computes weights and facing of a hit whose shape and triangle are known, by the test that found
 * it. */
void mo_scene_batch_find_weights(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                                 mo_answers8 *answers);

#endif
