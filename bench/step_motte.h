/* A scene of Motte's own with the bodies of a recording, also for making the recording. */
#ifndef BENCH_STEP_MOTTE_H
#define BENCH_STEP_MOTTE_H

#include <motte/motte.h>

#include "step.h"

typedef struct bench_step_world {
  const bench_step_scene *of;
  mo_task_pool *pool; /* null: one worker */
  mo_mesh **meshes;
  mo_mesh *ground; /* a height field; null: none */
  mo_scene *scene;
  mo_shape_id *ids;         /* of all bodies; their user data is the place among them */
  mo_transform *transforms; /* of the bodies that move: of the next update */
} bench_step_world;

void bench_step_world_create(bench_step_world *world, const bench_step_scene *scene,
                             uint32_t workers);
void bench_step_world_destroy(bench_step_world *world);

/* Writes the transforms of the next update. */
void bench_step_world_place(bench_step_world *world, const bench_pose *poses);

/* Moves the bodies there. */
void bench_step_world_update(bench_step_world *world);

#endif
