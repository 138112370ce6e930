/* What the suite of instances asks of an engine: meshes placed many times, moved each frame. */
#ifndef BENCH_INSTANCES_H
#define BENCH_INSTANCES_H

#include "engine.h"
#include "engine_id.h"

typedef struct bench_instancer bench_instancer;

/* Ways to get more than the closest hit of a ray. */
typedef enum bench_listing {
  BENCH_ALL_HITS,   /* all, and how many there are */
  BENCH_FIRST_HITS, /* the first four */
  BENCH_NEXT_HITS,  /* the first four, one after another */
  BENCH_LISTINGS
} bench_listing;

enum { BENCH_FIRST = 4 };

/* What there is in a frame. */
typedef struct bench_instances {
  const bench_mesh **meshes;
  bool
      *deforms; /* of each mesh: whether its positions change; its bounds are those of all frames */
  uint32_t mesh_count;
  uint32_t *mesh_of; /* of each instance */
  mo_transform *transforms;
  uint32_t count;
} bench_instances;

struct bench_instancer {
  bench_engine_id id;
  const void *variant;
  /* The share of rays whose answers may be wrong: an engine that takes a triangle for larger than
   * it is finds hits where there are none. */
  double tolerated;
  /* Null if the engine cannot take these instances, and has no part in the case then. */
  void *(*create)(const bench_instancer *engine, const bench_instances *instances);
  void (*destroy)(void *world);
  /* All instances move, and meshes deform. This is what is timed. */
  void (*update)(void *world, const bench_instances *instances);
  /* One ray after the other; timed too. `triangle` of a hit is not compared. */
  void (*trace)(void *world, bench_mode mode, const bench_ray *rays, size_t count, bench_hit *hits);
  /* As trace, rays that go the same way one after the other, all in one call or in packets, or one
   * by one if the engine has neither; null: they are left out. */
  void (*trace_together)(void *world, bench_mode mode, const bench_ray *rays, size_t count,
                         bench_hit *hits);
  /* As trace, closest hits of rays that have nothing in common, all in one call; null where the
   * engine cannot. */
  void (*trace_batch)(void *world, const bench_ray *rays, size_t count, bench_hit *hits);
  /* The same work as trace, counted; null where the engine does not say. */
  void (*count_work)(void *world, bench_mode mode, const bench_ray *rays, size_t count,
                     mo_query_stats *stats);
  /* Writes t of each ray's first BENCH_FIRST hits, INFINITY where there are fewer; null where the
   * engine cannot. */
  void (*list)(void *world, bench_listing listing, const bench_ray *rays, size_t count, float *t);
};

/* Motte's; ends with a null name. */
extern const bench_instancer bench_motte_instancers[];

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_engine_id *const bench_instances_peers[];

#endif
