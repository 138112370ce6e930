/* The suite of classics, between its two files: what a case has, and what both parts do. */
#ifndef BENCH_CLASSICS_H
#define BENCH_CLASSICS_H

#include <motte/motte.h>

#include "instances.h"
#include "rays.h"
#include "suite.h"
#include "workload.h"

typedef enum bench_claim {
  BENCH_ORDER,
  BENCH_MAILBOX,
  BENCH_LOOSE,
  BENCH_PLANES,
  BENCH_REINSERT,
  BENCH_LEVELS,
  BENCH_CLAIMS
} bench_claim;

typedef struct bench_classic {
  bench_engine_id id;
  unsigned claims;             /* bits */
  const char *mesh_engine;     /* among those of the suite of rays */
  mo_tree_policy policy;       /* of scenes */
  float straddlers, looseness; /* of scenes; 0: the default */
  bool rebuilds;
} bench_classic;

typedef struct bench_classic_settings {
  const char *claims;
  uint32_t shapes, instances, frames, rays, queries;
} bench_classic_settings;

/* Where a camera looks: the frustum is a hull in its frame. */
typedef struct bench_classic_view {
  mo_transform camera;
  bench_ray ray;
} bench_classic_view;

/* Of a case. */
typedef struct bench_classic_state {
  const bench_classic_settings *settings;
  bench_claim claim;
  bench_mesh *mesh;
  bench_ray *rays;
  bench_workload *workload;
  mo_transform *transforms;
  bench_instances instances; /* of the mesh, at the transforms: of the claim about levels */
  bench_classic_view *views;
  mo_hull *frustum;
  uint32_t count; /* of rays or views */
} bench_classic_state;

/* Of an engine: what it answers, and for claims about scenes, what it holds. */
typedef struct bench_classic_outcome {
  bench_hit *hits;
  uint32_t *found;
  mo_scene *scene;
  mo_shape_id *ids;
  void *instance; /* of a mesh engine or an instancer; null: none */
  void (*destroy)(void *instance);
} bench_classic_outcome;

enum { BENCH_CLASSIC_SAMPLE = 32 }; /* answers that are compared with a loop over all */

extern const char *const bench_claim_names[BENCH_CLAIMS];

extern const bench_metric bench_classic_ray, bench_classic_ray_nodes, bench_classic_ray_blocks,
    bench_classic_ray_hits, bench_classic_update;

static inline const bench_classic *bench_classic_of(const bench_contender *contender) {
  return (const bench_classic *)contender->engine;
}

/* Begins a case of so many rays or views, in which the engines of the claim take part. */
void bench_classic_begin(bench_run *run, char *name, uint32_t count);

/* Ends it; `count` as in bench_end. */
void bench_classic_end(bench_run *run, void (*count)(bench_run *, bench_contender *));

/* The first engine that takes part; others are compared with it. */
const bench_classic_outcome *bench_classic_first(const bench_run *run);

/* Refuses a contender whose rays have other hits than the first one's. */
void bench_classic_compare_hits(bench_run *run, bench_contender *contender);

/* Hits per ray. */
double bench_classic_hits(const bench_classic_outcome *outcome, uint32_t count);

/* A case of the state's claim with boxes that move by a workload. */
void bench_classic_run_scene(bench_run *run, const char *workload);

#endif
