/* What the suite of broad phases asks of an engine: keep up with cubes that move, and find the
 * pairs of them that touch. Also read by the C++ of peers. */
#ifndef BENCH_BROAD_H
#define BENCH_BROAD_H

#include <motte/math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_cube {
  mo_vec3 center;
  float half; /* of the edge */
} bench_cube;

typedef void bench_visit_pair(uint32_t a, uint32_t b, void *context);

typedef struct bench_broad_engine bench_broad_engine;

struct bench_broad_engine {
  const char *name;
  const char *peer_version; /* null for Motte itself */
  const void *variant;
  /* `world` is the edge of the cube around the origin that holds all centres. */
  void *(*create)(const bench_broad_engine *engine, const bench_cube *cubes, uint32_t count,
                  double world);
  void (*destroy)(void *world);
  /* Copies what a frame changed: cubes[k] is where body movers[k] is now. Not timed. */
  void (*prepare)(void *world, const uint32_t *movers, const bench_cube *cubes, uint32_t count);
  /* Moves them, or removes them and adds them again. Timed as `update`. */
  void (*update)(void *world, bool replace);
  /* Finds all pairs that have a body that moved. Timed as `pairs`. */
  void (*find)(void *world);
  /* Tells at least those pairs, each once; those that do not touch, or did not move, do no harm. */
  void (*pairs)(void *world, bench_visit_pair *visit, void *context);
  /* Bytes of the tree and of the pairs; null where the engine does not tell. */
  void (*bytes)(void *world, double *tree, double *set);
};

extern const bench_broad_engine bench_broad_motte[];
extern const size_t bench_broad_motte_count;

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_broad_engine *const bench_broad_peers[];

#ifdef __cplusplus
}
#endif

#endif
