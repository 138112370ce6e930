#include "motte-demo/probe.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"

/* In the crowd's unit: the radius of a small shape is about 1. */
static const float cube_half_size = 2.0f;

/* Directions spread evenly over the sphere: a spiral from pole to pole that turns by the golden
 * angle at each step. */
static void spread_directions(mo_vec3 *directions, uint32_t count) {
  const float golden_angle = 2.39996323f;
  for (uint32_t i = 0; i < count; i++) {
    float height = 1.0f - (2.0f * (float)i + 1.0f) / (float)count;
    float radius = sqrtf(1.0f - height * height);
    float angle = golden_angle * (float)i;
    directions[i] = vec3(radius * cosf(angle), height, radius * sinf(angle));
  }
}

struct probe probe_create(const struct crowd *crowd, uint32_t ray_count) {
  struct probe probe = {
      .ray_directions = allocate(ray_count, sizeof(mo_vec3)),
      .ray_count = ray_count,
      .capacity = crowd->count,
      .touched = allocate(crowd->count, sizeof(mo_shape_id)),
      .nearby = allocate(crowd->count, sizeof(mo_shape_id)),
      .cells = allocate(crowd->count, sizeof(mo_aabb)),
  };
  spread_directions(probe.ray_directions, ray_count);
  probe_move(&probe, crowd, 0.0f);
  return probe;
}

void probe_destroy(struct probe *probe) {
  free(probe->ray_directions);
  free(probe->touched);
  free(probe->nearby);
  free(probe->cells);
}

void probe_move(struct probe *probe, const struct crowd *crowd, float progress) {
  float angle = 6.2831853f * progress;
  mo_vec3 reach = vec3_scale(0.5f, aabb_size(crowd->region));
  mo_vec3 on_path = vec3(-0.75f * reach.x * cosf(angle), 0.45f * reach.y * sinf(2.0f * angle),
                         0.85f * reach.z * sinf(angle));
  probe->box = aabb_around(vec3_add(aabb_center(crowd->region), on_path), cube_half_size);
}

void probe_find_touched(struct probe *probe, const struct crowd *crowd, mo_query_stats *stats) {
  mo_overlap_def overlap = mo_overlap_aabb_def(probe->box);
  overlap.filter.mask = CROWD_SOLID;
  check(mo_scene_overlap_shapes(crowd->scene, &overlap, probe->touched, probe->capacity,
                                &probe->touched_count, stats),
        "ask what the cube touches");
}

static void add_nearby(struct probe *probe, const mo_shape_id *shapes, uint32_t count) {
  for (uint32_t i = 0; i < count && probe->nearby_count < probe->capacity; i++) {
    probe->nearby[probe->nearby_count++] = shapes[i];
  }
}

static bool note_cell(const mo_cell *cell, void *context) {
  struct probe *probe = context;
  if (probe->cell_count < probe->capacity) {
    probe->cells[probe->cell_count++] = cell->bounds;
  }
  add_nearby(probe, cell->occupants, cell->occupant_count);
  add_nearby(probe, cell->visitors, cell->visitor_count);
  return true;
}

void probe_find_nearby(struct probe *probe, const struct crowd *crowd, mo_query_stats *stats) {
  enum { SCRATCH = 4096 };
  mo_shape_id scratch[SCRATCH];
  mo_cell_query_def cells = mo_default_cell_query_def();
  cells.box = probe->box;
  cells.filter.mask = CROWD_SOLID;
  cells.once = true;
  cells.scratch = scratch;
  cells.scratch_capacity = SCRATCH;
  bool complete;
  probe->nearby_count = 0;
  probe->cell_count = 0;
  check(mo_scene_visit_cells(crowd->scene, &cells, note_cell, probe, &complete, stats),
        "visit the cells around the cube");
}

void probe_cast_rays(struct probe *probe, const struct crowd *crowd, mo_query_stats *stats) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = aabb_center(probe->box);
  ray.filter.mask = CROWD_SOLID;
  probe->rays_that_hit = 0;
  for (uint32_t i = 0; i < probe->ray_count; i++) {
    ray.direction = probe->ray_directions[i];
    mo_ray_hit hit;
    check(mo_scene_cast_ray(crowd->scene, &ray, &hit, stats), "cast a ray");
    probe->rays_that_hit += hit.found;
  }
}
