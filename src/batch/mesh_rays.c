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

/* Runs a batch whose def, output, function and goal are set. */
static mo_result run_batch(const mo_mesh *mesh, mo_batch *batch, size_t *first_bad,
                           mo_query_stats *stats) {
  if (mesh == NULL || batch->def == NULL || batch->output == NULL) {
    return mo_batch_refuse_null(batch, mo_mesh_host(mesh), first_bad);
  }
  batch->mesh = mesh;
  batch->bounds = mesh->bounds;
  batch->host = &mesh->host;
  batch->trace = trace_chunk;
  batch->trace_incoherent = mo_batch_trace_incoherent_by_isa[mesh->isa];
  batch->trace_general = trace_general;
  batch->write_weights_and_normals = mo_batch_write_weights_and_normals_by_isa[mesh->isa];
  batch->complete = complete_hit;
  return mo_batch_run(batch, first_bad, stats);
}

mo_result mo_mesh_cast_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                            const mo_batch_output *output, size_t *first_bad,
                            mo_query_stats *stats) {
  mo_batch batch = {.def = rays, .output = output, .function = __func__, .goal = MO_GOAL_CLOSEST};
  return run_batch(mesh, &batch, first_bad, stats);
}

mo_result mo_mesh_test_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                            const mo_batch_output *output, size_t *first_bad,
                            mo_query_stats *stats) {
  mo_batch batch = {.def = rays, .output = output, .function = __func__, .goal = MO_GOAL_ANY};
  return run_batch(mesh, &batch, first_bad, stats);
}
