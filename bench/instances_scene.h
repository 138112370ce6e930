/* What moves in the suite of instances. */
#ifndef BENCH_INSTANCES_SCENE_H
#define BENCH_INSTANCES_SCENE_H

#include "animation.h"
#include "instances.h"
#include "workload.h"

typedef struct bench_instance_scene {
  bench_instances instances; /* as the last step left them */
  mo_aabb world;             /* rays begin in it */
  float unit;                /* the size of what is in it, which gives rays their length */
  bool has_camera;           /* else pictures are taken from all around */
  bench_camera camera;
  struct random_stream *random; /* for rays */
  /* Private: what the scene is made of. */
  bench_mesh *mesh;
  bench_workload *workload;
  bench_animation *animation; /* null for a crowd */
  struct random_stream own_random;
} bench_instance_scene;

/* Instances of a mesh, which it takes over, that walk and turn as in workload "walk". */
bench_instance_scene *bench_instance_crowd(bench_mesh *mesh, uint32_t count, uint64_t seed);

/* Takes the animation over. */
bench_instance_scene *bench_instance_animation(bench_animation *animation, uint64_t seed);

/* To frame `frame` of `frames`, from 0 on: steps of an animation go through all of it. */
void bench_instance_scene_step(bench_instance_scene *scene, uint32_t frame, uint32_t frames);

void bench_instance_scene_free(bench_instance_scene *scene);

#endif
