/* What the suite of instances asks of an engine: a mesh placed many times, moved each frame. */
#ifndef BENCH_INSTANCES_H
#define BENCH_INSTANCES_H

#include "engine.h"

typedef struct bench_instancer bench_instancer;

struct bench_instancer {
  const char *name;
  const char *peer_version; /* null for Motte itself */
  const void *variant;
  void *(*create)(const bench_instancer *engine, const bench_mesh *mesh,
                  const mo_transform *transforms, uint32_t count);
  void (*destroy)(void *world);
  /* All instances move. This is what is timed. */
  void (*update)(void *world, const mo_transform *transforms);
  /* One ray after the other; timed too. `triangle` of a hit is not compared. */
  void (*trace)(void *world, bench_mode mode, const bench_ray *rays, size_t count, bench_hit *hits);
  /* The same work, counted; null where the engine does not tell. */
  void (*count_work)(void *world, bench_mode mode, const bench_ray *rays, size_t count,
                     mo_query_stats *stats);
};

extern const bench_instancer bench_motte_instancer;

/* Peers found when this was configured; a null pointer ends the array. */
extern const bench_instancer *const bench_peer_instancers[];

#endif
