#include "motte-demo/simulation.h"

#include "common/check.h"
#include "common/clock.h"

static const float seconds_per_frame = 1.0f / 30.0f;

static double seconds_since(double start) {
  return processor_seconds() - start;
}

static void steer(struct crowd *crowd, struct query_costs *costs) {
  double start = processor_seconds();
  crowd_steer(crowd, seconds_per_frame, &costs->stats);
  costs->seconds = seconds_since(start);
  costs->count = crowd->moving_count;
}

static void move(struct crowd *crowd, struct costs *costs) {
  mo_scene_stats before, after;
  check(mo_scene_get_stats(crowd->scene, &before), "read the statistics");
  double start = processor_seconds();
  crowd_move(crowd, seconds_per_frame);
  costs->update_seconds = seconds_since(start);
  check(mo_scene_get_stats(crowd->scene, &after), "read the statistics");
  costs->moves = crowd->moving_count;
  costs->reinserts = after.reinsert_count - before.reinsert_count;
  costs->splits = after.split_count - before.split_count;
  costs->merges = after.merge_count - before.merge_count;
  costs->rebuilds = after.rebuild_count - before.rebuild_count;
}

static void ask_about_cube(struct probe *probe, const struct crowd *crowd, struct costs *costs) {
  double start = processor_seconds();
  probe_find_touched(probe, crowd, &costs->cube.stats);
  probe_find_nearby(probe, crowd, &costs->cube.stats);
  costs->cube.seconds = seconds_since(start);
  costs->cube.count = 2;
  costs->touched = probe->touched_count;
  costs->nearby = probe->nearby_count;
  costs->cells = probe->cell_count;
}

static void cast_rays(struct probe *probe, const struct crowd *crowd, struct query_costs *costs) {
  double start = processor_seconds();
  probe_cast_rays(probe, crowd, &costs->stats);
  costs->seconds = seconds_since(start);
  costs->count = probe->ray_count;
}

struct costs simulation_step(struct simulation *simulation) {
  struct crowd *crowd = &simulation->crowd;
  struct probe *probe = &simulation->probe;
  struct costs costs = {.frames = 1};
  simulation->frame++;
  steer(crowd, &costs.boxes);
  move(crowd, &costs);
  probe_move(probe, crowd, (float)simulation->frame / (float)simulation->frame_count);
  ask_about_cube(probe, crowd, &costs);
  cast_rays(probe, crowd, &costs.rays);
  return costs;
}
