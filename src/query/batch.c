/* The public batches of rays on a scene. */
#include "mesh/batch.h"
#include "query/scene_ray.h"

static void trace_one(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                      mo_answers8 *answers) {
  mo_ray_def ray = mo_batch_ray(batch, rays, lane);
  answers->t[lane] = INFINITY;
  answers->triangle[lane] = MO_NO_TRIANGLE;
  if (!mo_ray_has_direction(&ray)) {
    return;
  }
  mo_query_stats unused = {0};
  mo_scene_ray query;
  mo_scene_ray_init(&query, batch->subject, &ray, batch->goal,
                    batch->stats != NULL ? batch->stats : &unused, batch->stats != NULL);
  bool any = mo_scene_ray_trace(&query);
  if (batch->goal == MO_GOAL_ANY) {
    answers->found |= (uint32_t)any << lane;
  } else if (query.shape != MO_NONE) {
    answers->found |= 1u << lane;
    answers->shape[lane] = query.shape;
    answers->triangle[lane] = query.triangle;
    answers->t[lane] = query.max_t;
    answers->u[lane] = query.u;
    answers->v[lane] = query.v;
    answers->front |= (uint32_t)query.front << lane;
  }
}

static void trace(const mo_batch *batch, mo_chunk *chunk) {
  for (uint32_t i = 0; i < chunk->count; i += 8) {
    mo_rays8 rays;
    mo_answers8 answers;
    answers.found = answers.front = 0;
    mo_batch_read8(batch, chunk->first + i, chunk->count - i, &rays);
    if (!mo_batch_accepts8(batch, chunk, i, &rays)) {
      return;
    }
    for (uint32_t lane = 0; lane < 8 && i + lane < chunk->count; lane++) {
      trace_one(batch, &rays, lane, &answers);
    }
    mo_batch_write8(batch, chunk, i, &answers);
  }
}

static void complete(const mo_batch *batch, const mo_ray_def *ray, mo_ray_hit *hit) {
  mo_scene_ray query = {.scene = batch->subject, .def = ray};
  mo_scene_ray_finish(&query, hit);
}

static mo_shape_id shape_id(const mo_batch *batch, uint32_t slot) {
  return mo_shape_id_of(batch->subject, slot);
}

static mo_result run(const mo_scene *scene, const mo_batch_def *rays, const mo_batch_output *output,
                     mo_ray_goal goal, bool lines_of_sight, size_t *first_bad,
                     mo_query_stats *stats) {
  if (scene == NULL || rays == NULL || output == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_batch batch = {
      .def = rays,
      .output = output,
      .goal = goal,
      .invert = lines_of_sight,
      .subject = scene,
      .host = &scene->host,
      .stats = stats != NULL ? &counts : NULL,
      .trace = trace,
      .complete = complete,
      .shape_id = shape_id,
  };
  mo_result result = mo_batch_run(&batch, lines_of_sight, first_bad);
  if (result == MO_OK) {
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_scene_cast_rays(const mo_scene *scene, const mo_batch_def *rays,
                             const mo_batch_output *output, size_t *first_bad,
                             mo_query_stats *stats) {
  return run(scene, rays, output, MO_GOAL_CLOSEST, false, first_bad, stats);
}

mo_result mo_scene_test_rays(const mo_scene *scene, const mo_batch_def *rays,
                             const mo_batch_output *output, size_t *first_bad,
                             mo_query_stats *stats) {
  return run(scene, rays, output, MO_GOAL_ANY, false, first_bad, stats);
}

mo_result mo_scene_lines_of_sight(const mo_scene *scene, const mo_batch_def *rays,
                                  const mo_batch_output *output, size_t *first_bad,
                                  mo_query_stats *stats) {
  return run(scene, rays, output, MO_GOAL_ANY, true, first_bad, stats);
}
