/* What the suite of rays wants of an engine: closest and any hit of rays with one mesh. Also read
 * by the C++ of peers. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <motte/query.h>

#include "engine_id.h"
#include "mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_mode {
  BENCH_CLOSEST, /* t and triangle of the closest hit */
  BENCH_ANY,     /* whether there is one */
  BENCH_FULL,    /* of the closest hit t, triangle, weights and normal */
  BENCH_MODES
} bench_mode;

/* The points origin + t * direction, 0 <= t <= max_t. The direction is of unit length. */
typedef struct bench_ray {
  mo_vec3 origin, direction;
  float max_t;
} bench_ray;

/* `t` is INFINITY without a hit. BENCH_ANY: 0 with one. */
typedef struct bench_hit {
  float t;
  uint32_t triangle;
} bench_hit;

/* More about a closest hit; of no meaning without one. */
typedef struct bench_surface {
  float weights[2]; /* of the triangle's second and third corner */
  mo_vec3 normal;   /* right-handed; of any length, as Embree leaves it */
} bench_surface;

typedef struct bench_engine bench_engine;

struct bench_engine {
  bench_engine_id id;
  /* Tests every triangle: gets as few rays as that allows. */
  bool exhaustive;
  const void *variant;
  /* Whether this machine can run it; null: any can. */
  bool (*is_available)(const bench_engine *engine);
  /* An instance over a mesh, which outlives it. Reports the seconds that building the tree took. */
  void *(*create)(const bench_engine *engine, const bench_mesh *mesh, double *build_seconds);
  void (*destroy)(void *instance);
  /* Bytes that the tree holds. */
  size_t (*bytes)(const void *instance);
  /* The tree in figures; null where the engine does not say. */
  mo_mesh_stats (*describe)(const void *instance);
  /* One ray after the other. This is what is timed. `surfaces`: null but for BENCH_FULL. */
  void (*trace)(void *instance, bench_mode mode, const bench_ray *rays, size_t count,
                bench_hit *hits, bench_surface *surfaces);
  /* The same work, counted; null where the engine does not say. */
  void (*count_work)(void *instance, bench_mode mode, const bench_ray *rays, size_t count,
                     mo_query_stats *stats);
  uint32_t workers; /* threads that it has; 0: one */
};

/* Motte's engines, the plain one first; ends with a null name. */
extern const bench_engine bench_motte_engines[];

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_engine_id *const bench_rays_peers[];

#ifdef __cplusplus
}
#endif

#endif
