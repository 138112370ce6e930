/* Queries of continuous collision detection between a vertex and a face, or between two edges,
 * whose vertices move each on a segment of its own, and the interface of engines that answer them.
 * Also read by the C++ of peers.
 *
 * The queries, and which of them collide, are those of Wang, Ferguson, Schneider, Jiang, Attene and
 * Panozzo, "A Large-Scale Benchmark and an Inclusion-Based Algorithm for Continuous Collision
 * Detection", ACM Transactions on Graphics 40 (2021). */
#ifndef BENCH_CCD_H
#define BENCH_CCD_H

#include <stdbool.h>
#include <stddef.h>

#include "engine_id.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_ccd_query {
  bool of_edges; /* of two edges, else of a vertex and a face */
  bool collides; /* by exact arithmetic */
  /* At the start and at the end: the vertex and the three of the face, or the two of either edge.
   */
  double vertices[2][4][3];
} bench_ccd_query;

typedef struct bench_ccd_queries {
  bench_ccd_query *item;
  size_t count, capacity;
} bench_ccd_queries;

typedef struct bench_ccd_engine {
  bench_engine_id id;
  /* Finds which queries collide. The engine may say so of others, too: such answers are counted. */
  void (*run)(const bench_ccd_query *queries, size_t count, bool *collides);
  /* Whether it promises to find all that collide; else what it misses is counted. */
  bool finds_all;
} bench_ccd_engine;

/* Reads a file of queries and adds them to the list, until that has `max`; fails with a message. */
void bench_ccd_read(const char *path, bool of_edges, size_t max, bench_ccd_queries *queries);

/* How many collisions the answers miss, and how many they have that are none. */
void bench_ccd_judge(const bench_ccd_query *queries, size_t count, const bool *collides,
                     size_t *missed, size_t *extra);

extern const bench_ccd_engine bench_ccd_motte[];
extern const bench_engine_id *const bench_ccd_peers[];

#ifdef __cplusplus
}
#endif

#endif
