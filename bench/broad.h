/* What the suite of broad phases asks of an engine: keep up with boxes that move, and find the
 * pairs of them that touch. Also read by the C++ of peers. */
#ifndef BENCH_BROAD_H
#define BENCH_BROAD_H

#include <motte/math.h>
#include <stdbool.h>

#include "engine_id.h"

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

/* What an engine says of itself; counters since it was made. */
typedef struct bench_broad_figures {
  double tree_bytes, set_bytes; /* of the pairs */
  double depth;                 /* of a box in the tree, in the mean */
  double stays, reinserts, splits, merges, replans;
  double leaves_of_movers; /* cells of leaves with a box that the last frame moved */
  double whole_searches;   /* frames whose pairs were found by one search of the whole tree */
} bench_broad_figures;

/* What the trees that broad phases keep are queried for. */
typedef enum bench_probe_kind {
  BENCH_PROBE_BOX,     /* which boxes touch a box */
  BENCH_PROBE_CLOSEST, /* which box a ray enters first, and where */
  BENCH_PROBE_ALL,     /* which boxes it meets */
  BENCH_PROBE_KINDS
} bench_probe_kind;

typedef struct bench_probe {
  bench_box box;
  mo_vec3 origin, direction; /* of length one */
  float max_t;
} bench_probe;

typedef struct bench_finding {
  uint32_t total; /* boxes; of the closest, 0 or 1 */
  uint32_t sum;   /* of the bodies' numbers; not of the closest */
  float t;        /* where the first is entered; INFINITY for boxes, and where there is none */
} bench_finding;

typedef void bench_visit_pair(uint32_t a, uint32_t b, void *context);

typedef struct bench_broad_engine bench_broad_engine;

struct bench_broad_engine {
  bench_engine_id id;
  const void *variant;
  uint32_t max; /* boxes it can cope with before a frame takes seconds; 0: any number */
  void *(*create)(const bench_broad_engine *engine, const bench_boxes *boxes);
  void (*destroy)(void *world);
  /* Copies what the engine needs of what a frame changes, and no more, so that the cache is left as
   * it is: boxes[k] is that of body movers[k] now. Not timed. */
  void (*prepare)(void *world, const uint32_t *movers, const bench_box *boxes, uint32_t count,
                  bool replace);
  /* Moves them, or removes them and adds them again. Timed as `update`. */
  void (*update)(void *world, bool replace);
  /* Finds all pairs that have a body that moved. Timed as `pairs`. */
  void (*find)(void *world);
  /* How many pairs the last search found to begin or end. Null where the engine does not say. */
  uint64_t (*events)(void *world);
  /* Tells at least those pairs, each once; those that do not touch, or did not move, do no harm. */
  void (*pairs)(void *world, bench_visit_pair *visit, void *context);
  /* Answers one after another; timed. Null for engines whose tree cannot be queried. */
  void (*query)(void *world, bench_probe_kind kind, const bench_probe *probes, size_t count,
                bench_finding *findings);
  bool knows_rays; /* asks of any kind, not of boxes alone */
  /* Null where the engine does not say. */
  void (*describe)(void *world, bench_broad_figures *figures);
  uint32_t workers; /* threads that it has; 0: one */
};

/* Motte's engines, the plain one first; ends with a null name. */
extern const bench_broad_engine bench_broad_motte[];

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_engine_id *const bench_broad_peers[];

/* For engines that know boxes alone, so that what they find is what Motte finds. */

static inline bool bench_boxes_touch(const bench_box *a, const bench_box *b) {
  float x = a->center.x - b->center.x, y = a->center.y - b->center.y, z = a->center.z - b->center.z;
  return (x < 0 ? -x : x) <= a->half.x + b->half.x && (y < 0 ? -y : y) <= a->half.y + b->half.y &&
         (z < 0 ? -z : z) <= a->half.z + b->half.z;
}

static inline void bench_cut_slab(float center, float half, float origin, float direction,
                                  float *enter, float *leave) {
  float inverse = 1 / direction;
  float a = (center - half - origin) * inverse, b = (center + half - origin) * inverse;
  float first = a < b ? a : b, last = a < b ? b : a;
  *enter = first > *enter ? first : *enter;
  *leave = last < *leave ? last : *leave;
}

/* Notes a box that the ray of a probe may meet. */
static inline void bench_meet_box(const bench_probe *probe, const bench_box *box, uint32_t body,
                                  bench_probe_kind kind, bench_finding *finding) {
  float enter = 0, leave = probe->max_t;
  bench_cut_slab(box->center.x, box->half.x, probe->origin.x, probe->direction.x, &enter, &leave);
  bench_cut_slab(box->center.y, box->half.y, probe->origin.y, probe->direction.y, &enter, &leave);
  bench_cut_slab(box->center.z, box->half.z, probe->origin.z, probe->direction.z, &enter, &leave);
  if (!(enter <= leave)) {
    return;
  }
  finding->t = enter < finding->t ? enter : finding->t;
  finding->total = kind == BENCH_PROBE_ALL ? finding->total + 1 : 1;
  finding->sum += kind == BENCH_PROBE_ALL ? body : 0;
}

#ifdef __cplusplus
}
#endif

#endif
