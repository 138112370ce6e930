/* Public ray batches on a scene. */
#include "batch/scene.h"
#include "query/solid.h"

static void trace_general(const mo_batch *batch, const mo_ray_def *ray, uint32_t lane,
                          mo_answers8 *answers) {
  mo_scene_ray query;
  mo_scene_ray_init(&query, batch->subject, ray, batch->goal, batch->stats);
  bool any = mo_ray_has_direction(ray) && mo_scene_ray_trace(&query);
  if (batch->goal == MO_GOAL_ANY) {
    answers->found |= (uint32_t)any << lane;
  } else {
    mo_answers8_set_scene_hit(answers, lane, &query);
  }
}

static void trace_chunk(const mo_batch *batch, mo_ray_chunk *chunk) {
  const mo_scene *scene = batch->subject;
  bool alone = batch->def->options.accept_triangle != NULL || batch->has_children ||
               scene->root == MO_CHILD_EMPTY;
  (alone ? mo_batch_trace_singly_by_isa : mo_batch_trace_chunk_by_isa)[scene->isa](batch, chunk);
}

void mo_scene_batch_find_weights(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                                 mo_answers8 *answers) {
  const mo_scene *scene = batch->subject;
  const mo_shape *shape = &scene->shapes[answers->shape[lane]];
  uint32_t triangle = answers->triangle[lane];
  answers->u[lane] = answers->v[lane] = 0.0f;
  bool front = true;
  if (triangle != MO_NO_TRIANGLE) {
    mo_ray_def def = mo_batch_ray(batch, rays, lane);
    mo_vec3 origin = def.origin, direction = def.direction, weights = mo_vec(1.0f, 1.0f, 1.0f);
    mo_vec3 reach = mo_vec(0.0f, 0.0f, 0.0f), corners[3];
    mo_mesh_corners(shape->geometry.mesh, triangle, corners);
    bool local = mo_affine_ray_to_local(&shape->affine, &origin, &direction, &weights);
    if (!local) {
      for (int i = 0; i < 3; i++) {
        corners[i] = mo_affine_point_to_world_float(&shape->affine, corners[i]);
      }
    }
    mo_ray ray;
    mo_triangle_hit hit = {0};
    mo_ray_init(&ray, &origin, &direction, def.min_t, &weights, &reach, MO_RAY_MARGIN);
    mo_ray_test_nondegenerate_triangle(&ray, corners, INFINITY, MO_CULL_NONE, &hit);
    answers->u[lane] = hit.u;
    answers->v[lane] = hit.v;
    front = hit.front != (!local && mo_affine_mirrors(&shape->affine));
  }
  answers->front |= (uint32_t)front << lane;
}

static void complete_hit(const mo_batch *batch, const mo_ray_def *ray, mo_ray_hit *hit) {
  mo_scene_ray query = {.scene = batch->subject, .def = ray};
  mo_scene_ray_complete_hit(&query, hit);
}

static mo_shape_id shape_id(const mo_batch *batch, uint32_t slot) {
  return mo_shape_id_of(batch->subject, slot);
}

/* The median width of the boxes of some shapes; infinite for batches of few rays. */
static float find_typical_shape_width(const mo_scene *scene, size_t rays) {
  enum { SHAPE_SAMPLE_COUNT = 31, MIN_RAYS_TO_SAMPLE_SHAPES = 1024 };
  float size[SHAPE_SAMPLE_COUNT];
  uint32_t count = 0;
  for (uint32_t i = 0; i < SHAPE_SAMPLE_COUNT && rays >= MIN_RAYS_TO_SAMPLE_SHAPES; i++) {
    uint32_t slot = (uint32_t)((uint64_t)scene->slot_count * i / SHAPE_SAMPLE_COUNT);
    if (slot < scene->slot_count && mo_slot_is_alive(scene, slot) &&
        scene->places[slot] != MO_NONE) {
      mo_aabb box = mo_stored_box(scene, slot);
      float x = box.upper.x - box.lower.x, y = box.upper.y - box.lower.y,
            z = box.upper.z - box.lower.z;
      float width = (x + y + z) / 3.0f;
      uint32_t at = count++;
      for (; at > 0 && size[at - 1] > width; at--) {
        size[at] = size[at - 1];
      }
      size[at] = width;
    }
  }
  return count > 0 ? size[count / 2] : INFINITY;
}

/* Runs a batch whose def, output, function and goal are set. */
static mo_result run_batch(const mo_scene *scene, mo_batch *batch, size_t *first_bad,
                           mo_query_stats *stats) {
  if (scene == NULL || batch->def == NULL || batch->output == NULL) {
    return mo_batch_refuse_null(batch, mo_scene_host(scene), first_bad);
  }
  batch->has_children = scene->compound_count > 0;
  batch->subject = scene;
  batch->bounds = scene->root_bounds;
  batch->typical_shape_width = find_typical_shape_width(scene, batch->def->count);
  batch->host = &scene->host;
  batch->trace = trace_chunk;
  batch->trace_incoherent = mo_scene_trace_incoherent_by_isa[scene->isa];
  batch->trace_packet = mo_scene_trace_packet_by_isa[scene->isa];
  batch->write_answers = mo_scene_answer_packet_by_isa[scene->isa];
  batch->trace_general = trace_general;
  batch->write_weights_and_normals = mo_batch_write_weights_and_normals_by_isa[scene->isa];
  batch->complete = complete_hit;
  batch->shape_id = shape_id;
  return mo_batch_run(batch, first_bad, stats);
}

mo_result mo_scene_cast_rays(const mo_scene *scene, const mo_batch_def *rays,
                             const mo_batch_output *output, size_t *first_bad,
                             mo_query_stats *stats) {
  mo_batch batch = {.def = rays, .output = output, .function = __func__, .goal = MO_GOAL_CLOSEST};
  return run_batch(scene, &batch, first_bad, stats);
}

mo_result mo_scene_test_rays(const mo_scene *scene, const mo_batch_def *rays,
                             const mo_batch_output *output, size_t *first_bad,
                             mo_query_stats *stats) {
  mo_batch batch = {.def = rays, .output = output, .function = __func__, .goal = MO_GOAL_ANY};
  return run_batch(scene, &batch, first_bad, stats);
}

mo_result mo_scene_lines_of_sight(const mo_scene *scene, const mo_batch_def *rays,
                                  const mo_batch_output *output, size_t *first_bad,
                                  mo_query_stats *stats) {
  mo_batch batch = {.def = rays,
                    .output = output,
                    .function = __func__,
                    .goal = MO_GOAL_ANY,
                    .lines_of_sight = true};
  return run_batch(scene, &batch, first_bad, stats);
}
