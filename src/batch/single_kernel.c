/* Traces the rays of a batch one by one, as single queries do. Compiled once per instruction set.
 *
 * The vectors of a ray are read straight into the def of a query. The kernels of single rays reject
 * illegal rays themselves. So this file checks only the rays that they reject, and the ends of
 * segments, which they do not see. */
#include "base/inline.h"
#include "batch/scene.h"
#include "mesh/mesh.h"

/* The fast path. Returns false if the ray needs the general path, or is not legal. */
MO_INLINE bool trace_fast(const mo_batch *batch, const mo_ray_def *ray, uint32_t lane,
                          mo_answers8 *answers) {
  const mo_mesh *mesh = batch->mesh;
  const bool any = batch->goal == MO_GOAL_ANY;
  bool hit = false, done;
  if (mesh != NULL) {
    mo_mesh_hit best;
    done = any ? mesh->rays->test(mesh, ray, &hit) : mesh->rays->find(mesh, ray, &best);
    if (done && !any) {
      mo_answers8_set_mesh_hit(answers, lane, &best);
    }
  } else {
    mo_scene_ray query;
    done = any ? MO_ISA_FN(mo_scene_test_fast)(batch->subject, ray, &hit)
               : MO_ISA_FN(mo_scene_find_fast)(&query, batch->subject, ray);
    if (done && !any) {
      mo_answers8_set_scene_hit(answers, lane, &query);
    }
  }
  answers->found |= (uint32_t)(done && hit) << lane;
  return done;
}

void MO_ISA_FN(mo_batch_trace_ray)(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                                   mo_answers8 *answers) {
  const mo_ray_def ray = mo_batch_ray(batch, rays, lane);
  if (batch->stats != NULL || !trace_fast(batch, &ray, lane, answers)) {
    batch->trace_general(batch, &ray, lane, answers);
  }
}

void MO_ISA_FN(mo_batch_trace_singly)(const mo_batch *batch, mo_ray_chunk *chunk) {
  const mo_batch_def *def = batch->def;
  mo_ray_def ray = def->options;
  ray.max_t = batch->rays_are_segments ? 1.0f : ray.max_t;
  for (uint32_t i = 0; i < chunk->count; i += 8) {
    mo_answers8 answers;
    mo_answers8_clear(&answers);
    for (uint32_t lane = 0; lane < 8 && i + lane < chunk->count; lane++) {
      size_t at = chunk->first + i + lane;
      ray.origin = mo_read_vec3(&def->origins, at);
      ray.direction = mo_read_vec3(batch->aims, at);
      bool ends_legally = true;
      if (batch->rays_are_segments) {
        ends_legally = mo_check_point(ray.direction, NULL, "") == MO_OK;
        ray.direction = mo_sub(ray.direction, ray.origin);
      }
      if (def->min_t.data != NULL) {
        ray.min_t = mo_read_float(def->min_t.data, def->min_t.stride, at);
      }
      if (def->max_t.data != NULL) {
        ray.max_t = mo_read_float(def->max_t.data, def->max_t.stride, at);
      }
      if (ends_legally && batch->stats == NULL && trace_fast(batch, &ray, lane, &answers)) {
        continue;
      }
      if (!mo_batch_accepts(batch, chunk, i + lane, &ray)) {
        return;
      }
      batch->trace_general(batch, &ray, lane, &answers);
    }
    mo_batch_write8(batch, chunk, i, &answers);
  }
}
