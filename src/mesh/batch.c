/* The public batches of rays on one mesh. */
#include "mesh/batch.h"

static void trace_one(const mo_batch *batch, const mo_mesh_ray_kernels *kernels, mo_chunk *chunk,
                      uint32_t i) {
  const mo_mesh *mesh = batch->mesh;
  mo_ray_def ray = mo_chunk_ray(batch, chunk, i);
  chunk->found[i] = false;
  chunk->triangle[i] = MO_NO_TRIANGLE;
  if (!mo_ray_has_direction(&ray)) {
    return;
  }
  mo_mesh_ray query;
  mo_mesh_ray_init(&query, &ray, &ray.origin, &ray.direction, NULL, NULL,
                   batch->count || ray.traversal != MO_TRAVERSAL_FAST ? batch->stats : NULL);
  chunk->found[i] = mo_mesh_trace(mesh, kernels, &query, batch->goal);
  if (batch->goal == MO_GOAL_CLOSEST) {
    chunk->found[i] = query.triangle != MO_NO_TRIANGLE;
    chunk->triangle[i] = query.triangle;
    chunk->max_t[i] = query.max_t;
    chunk->u[i] = query.u;
    chunk->v[i] = query.v;
    chunk->front[i] = query.front;
  }
}

static void trace(const mo_batch *batch, mo_chunk *chunk) {
  const mo_mesh_ray_kernels *kernels = mo_mesh_ray_kernels_for(batch->mesh->isa);
  for (uint32_t i = 0; i < chunk->count; i++) {
    trace_one(batch, kernels, chunk, i);
  }
}

static void complete(const mo_batch *batch, const mo_ray_def *ray, mo_ray_hit *hit) {
  const mo_mesh *mesh = batch->mesh;
  hit->triangle_user_data = mesh->user_data != NULL ? mesh->user_data[hit->triangle] : 0;
  hit->normal = mo_unit_normal(mo_mesh_ray_normal(mesh, mesh->places[hit->triangle], NULL));
  hit->point = mo_add(ray->origin, mo_scale(hit->t, ray->direction));
}

static mo_result run(const mo_mesh *mesh, const mo_batch_def *rays, const mo_batch_output *output,
                     mo_ray_goal goal, size_t *first_bad, mo_query_stats *stats) {
  if (mesh == NULL || rays == NULL || output == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_batch batch = {
      .def = rays,
      .output = output,
      .goal = goal,
      .mesh = mesh,
      .stats = &counts,
      .count = stats != NULL,
      .trace = trace,
      .complete = complete,
  };
  mo_result result = mo_batch_run(&batch, false, first_bad);
  mo_stats_end(&counts, stats);
  return result;
}

mo_result mo_mesh_cast_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                            const mo_batch_output *output, size_t *first_bad,
                            mo_query_stats *stats) {
  return run(mesh, rays, output, MO_GOAL_CLOSEST, first_bad, stats);
}

mo_result mo_mesh_test_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                            const mo_batch_output *output, size_t *first_bad,
                            mo_query_stats *stats) {
  return run(mesh, rays, output, MO_GOAL_ANY, first_bad, stats);
}
