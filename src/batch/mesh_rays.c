/* Public ray batches on one mesh. */
#include "batch/batch.h"

static void trace_general(const mo_batch *batch, const mo_ray_def *ray, uint32_t lane,
                          mo_answers8 *answers) {
  const mo_mesh *mesh = batch->mesh;
  if (!mo_ray_has_direction(ray)) {
    return;
  }
  mo_mesh_ray in;
  mo_mesh_ray_options options;
  mo_mesh_hit best;
  mo_mesh_ray_init(&in, ray, &ray->origin, &ray->direction, NULL);
  mo_mesh_ray_options_init(&options, ray, batch->stats);
  mo_mesh_hit_init(&best, ray->max_t);
  bool any = mo_mesh_trace_ray(mesh, mo_mesh_ray_kernels_for(mesh->isa), &in, &options, batch->goal,
                               &best);
  if (batch->goal == MO_GOAL_ANY) {
    answers->found |= (uint32_t)any << lane;
  } else {
    mo_answers8_set_mesh_hit(answers, lane, &best);
  }
}

static void trace_chunk(const mo_batch *batch, mo_ray_chunk *chunk) {
  bool calls_back = batch->def->options.accept_triangle != NULL;
  (calls_back ? mo_batch_trace_singly_by_isa
              : mo_batch_trace_chunk_by_isa)[batch->mesh->isa](batch, chunk);
}

static void complete_hit(const mo_batch *batch, const mo_ray_def *ray, mo_ray_hit *hit) {
  mo_mesh_ray_complete_hit(batch->mesh, ray, hit);
}

static mo_result run_batch(const mo_mesh *mesh, const mo_batch_call *call, mo_ray_goal goal) {
  const mo_batch_def *rays = call->rays;
  mo_query_stats *stats = call->stats;
  if (mesh == NULL || rays == NULL || call->output == NULL) {
    mo_set_first_bad(call->first_bad, MO_NO_INDEX);
    return mo_refuse_null(mo_mesh_host(mesh), call->function, rays == NULL ? "rays" : "output");
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_batch batch = {
      .def = rays,
      .output = call->output,
      .goal = goal,
      .mesh = mesh,
      .host = &mesh->host,
      .function = call->function,
      .stats = stats != NULL ? &counts : NULL,
      .trace = trace_chunk,
      .trace_general = trace_general,
      .write_weights_and_normals = mo_batch_write_weights_and_normals_by_isa[mesh->isa],
      .complete = complete_hit,
  };
  mo_result result = mo_batch_run(&batch, false, call->first_bad);
  if (result == MO_OK) {
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_mesh_cast_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                            const mo_batch_output *output, size_t *first_bad,
                            mo_query_stats *stats) {
  const mo_batch_call call = {__func__, rays, output, first_bad, stats};
  return run_batch(mesh, &call, MO_GOAL_CLOSEST);
}

mo_result mo_mesh_test_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                            const mo_batch_output *output, size_t *first_bad,
                            mo_query_stats *stats) {
  const mo_batch_call call = {__func__, rays, output, first_bad, stats};
  return run_batch(mesh, &call, MO_GOAL_ANY);
}
