/* What the suite of height fields asks of an engine: to make one, rays, and changes of a region.
 * Casts of shapes are those of the suite of queries, contacts those of physics steps, each with a
 * height field for the mesh. Also read by the C++ of peers. */
#ifndef BENCH_HEIGHTS_H
#define BENCH_HEIGHTS_H

#include "engine.h"
#include "queries.h"
#include "step.h"
#include "terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_height_engine bench_height_engine;

struct bench_height_engine {
  bench_engine_id id;
  uint32_t bits;      /* as in bench_ground */
  bool is_mesh;       /* takes the triangles in place of the heights */
  bool rebuilds;      /* takes part in changes alone, by making all anew */
  bool has_slow_rays; /* they only serve to check its answers after changes */
  /* By how much its heights, in metres, and t of rays may be off. */
  double slack;
  /* The share of answers that may be wrong beyond that. */
  double tolerated;
  /* Of casts and contacts; null where the engine has none. */
  const bench_query_engine *queries;
  const bench_step_engine *steps;
  /* What the band of contacts has more, as a part of a body's width. */
  double band;
  /* The share of the bodies that touch that it may miss, where that is more than for others. */
  double misses;
  /* A world with the terrain alone, which outlives it. Reports the seconds that the field took. */
  void *(*create)(const bench_height_engine *engine, const bench_terrain *terrain, double *seconds);
  void (*destroy)(void *world);
  /* All bytes of the field, and of the caller's samples where it refers to them. */
  size_t (*bytes)(void *world);
  /* Closest hits, one ray after the other; INFINITY without one. */
  void (*cast_rays)(void *world, const bench_ray *rays, size_t count, float *t);
  /* Changes a region. `whole` is the terrain with the change, for engines that make all anew. Null:
   * the engine has no part. */
  void (*edit)(void *world, const bench_height_edit *edit, const bench_terrain *whole);
};

/* Motte's engines, the plain one first; ends with a null name. */
extern const bench_height_engine bench_motte_height_engines[];

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_engine_id *const bench_height_peers[];

/* Motte's height field of a terrain: of floats, or with 16 bits of those. */
mo_mesh *bench_motte_ground(const bench_ground *ground);

#ifdef __cplusplus
}
#endif

#endif
