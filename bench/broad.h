/* What the suite of broad phases asks of an engine: keep up with boxes that move, and find the
 * pairs of them that touch. Also read by the C++ of peers. */
#ifndef BENCH_BROAD_H
#define BENCH_BROAD_H

#include <motte/math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_box {
  mo_vec3 center, half; /* of the edges */
} bench_box;

/* All boxes before the first frame. */
typedef struct bench_boxes {
  const bench_box *all;
  uint32_t count;
  double world; /* the edge of the cube around the origin that holds all centres */
  bool resize;  /* boxes change in size as they move, as those around bodies that turn do */
} bench_boxes;

/* What an engine tells of itself; counters since it was made. */
typedef struct bench_broad_figures {
  double tree_bytes, set_bytes; /* of the pairs */
  double depth;                 /* of a box in the tree, in the mean */
  double stays, reinserts, splits, merges, replans;
  double whole_searches; /* frames whose pairs were found by one search of the whole tree */
} bench_broad_figures;

typedef void bench_visit_pair(uint32_t a, uint32_t b, void *context);

typedef struct bench_broad_engine bench_broad_engine;

struct bench_broad_engine {
  const char *name;
  const char *peer_version; /* null for Motte itself */
  const void *variant;
  uint32_t most; /* boxes it can cope with before a frame takes seconds; 0: any number */
  void *(*create)(const bench_broad_engine *engine, const bench_boxes *boxes);
  void (*destroy)(void *world);
  /* Copies what a frame changed: boxes[k] is that of body movers[k] now. Not timed. */
  void (*prepare)(void *world, const uint32_t *movers, const bench_box *boxes, uint32_t count);
  /* Moves them, or removes them and adds them again. Timed as `update`. */
  void (*update)(void *world, bool replace);
  /* Finds all pairs that have a body that moved. Timed as `pairs`. */
  void (*find)(void *world);
  /* Tells at least those pairs, each once; those that do not touch, or did not move, do no harm. */
  void (*pairs)(void *world, bench_visit_pair *visit, void *context);
  /* Null where the engine does not tell. */
  void (*describe)(void *world, bench_broad_figures *figures);
};

extern const bench_broad_engine bench_broad_motte[];
extern const size_t bench_broad_motte_count;

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_broad_engine *const bench_broad_peers[];

#ifdef __cplusplus
}
#endif

#endif
