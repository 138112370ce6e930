/* What the suite of moving bodies asks of an engine: to keep up with them, and to answer. */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include <motte/query.h>

#include "engine_id.h"
#include "mesh_file.h"
#include "workload.h"

typedef enum bench_query_kind {
  BENCH_BOX_SMALL, /* bodies whose boxes touch a box two wide */
  BENCH_BOX_LARGE, /* the same, ten wide */
  BENCH_RAY,       /* the closest hit of a ray 50 long */
  BENCH_RAY_ALL,   /* all hits of it */
  BENCH_QUERY_KINDS
} bench_query_kind;

static inline bool bench_query_is_ray(bench_query_kind kind) {
  return kind == BENCH_RAY || kind == BENCH_RAY_ALL;
}

typedef struct bench_query {
  mo_aabb box;
  mo_vec3 origin, direction; /* rays */
  float max_t;
} bench_query;

typedef struct bench_answer {
  uint32_t total; /* bodies; hits */
  float t;        /* of the first hit, or INFINITY */
} bench_answer;

typedef struct bench_world_engine bench_world_engine;

struct bench_world_engine {
  bench_engine_id id;
  const void *variant;
  /* A world with the bodies as they are: cubes, or instances of a mesh if it is not null. Reports
   * the seconds that adding them took. */
  void *(*create)(const bench_world_engine *engine, const bench_mesh *mesh,
                  const bench_body *bodies, uint32_t count, double *seconds);
  void (*destroy)(void *world);
  /* Copies what a frame changed; not timed. */
  void (*prepare)(void *world, const bench_workload *workload);
  /* Brings the world up to date with it. This is what is timed. */
  void (*update)(void *world, bool replace);
  /* One query after the other; timed too. */
  void (*query)(void *world, bench_query_kind kind, const bench_query *queries, size_t count,
                bench_answer *answers);
  /* The same work, counted. */
  void (*count_work)(void *world, bench_query_kind kind, const bench_query *queries, size_t count,
                     mo_query_stats *stats);
  /* Bodies whose boxes touch a box, in any order, for comparison with brute force. */
  uint32_t (*overlap)(void *world, mo_aabb box, uint32_t *bodies, uint32_t capacity);
  /* The box that the engine keeps for a body. */
  mo_aabb (*bounds)(void *world, uint32_t body);
  mo_scene_stats (*describe)(const void *world);
  uint32_t workers; /* threads that it has; 0: one */
};

/* Motte's; ends with a null name. */
extern const bench_world_engine bench_motte_worlds[];

/* Where a mesh of about unit size stands for a body. */
mo_transform bench_body_transform(const bench_body *body);

/* Fails unless the engine's answers to a few queries agree with a loop over all bodies. */
void bench_world_check(const bench_world_engine *engine, void *world, const bench_mesh *mesh,
                       const bench_workload *workload, const bench_query *queries, size_t count,
                       const char *case_name);

#endif
