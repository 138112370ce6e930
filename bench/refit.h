/* What the suite of deforming meshes asks of an engine, and how meshes deform. Also read by the C++
 * of peers. */
#ifndef BENCH_REFIT_H
#define BENCH_REFIT_H

#include "engine.h"
#include "engine_id.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_refit_engine bench_refit_engine;

/* What an engine reports of an update; zeros where it does not say. */
typedef struct bench_refit_report {
  double degradation; /* expected visits over those of the tree as built */
  size_t written;     /* bytes of blocks and bounds that the update wrote anew */
} bench_refit_report;

struct bench_refit_engine {
  bench_engine_id id;
  const void *variant;
  /* An instance over a mesh, whose positions change in place from then on. */
  void *(*create)(const bench_refit_engine *engine, const bench_mesh *mesh);
  void (*destroy)(void *instance);
  /* Takes up the positions as they are now. This is what is timed. */
  void (*update)(void *instance, bench_refit_report *report);
  /* Closest hits, one ray after the other. */
  void (*trace)(void *instance, const bench_ray *rays, size_t count, bench_hit *hits);
  /* The same, counted; null where the engine does not say. */
  void (*count_work)(void *instance, const bench_ray *rays, size_t count, mo_query_stats *stats);
};

/* Motte's engines, the plain refit first; ends with a null name. */
extern const bench_refit_engine bench_refit_motte_engines[];

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_engine_id *const bench_refit_peers[];

/* How a mesh deforms in the course of `frames` frames. */
typedef enum bench_motion {
  BENCH_MOTION_WAVE,    /* waves run through it: every frame is about as far from the first */
  BENCH_MOTION_TWIST,   /* it is wrung, by two turns in the end */
  BENCH_MOTION_SCATTER, /* parts of it drift apart, each in its own direction */
  BENCH_MOTIONS
} bench_motion;

/* Null past the last. */
const char *bench_motion_name(unsigned motion);

/* Moves the vertices of `mesh` to where they are at `time` (0 at rest, 1 at the end). */
void bench_deform(bench_mesh *mesh, const bench_mesh *rest, bench_motion motion, double time);

#ifdef __cplusplus
}
#endif

#endif
