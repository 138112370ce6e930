/* Cases of suites that query two meshes: what engines answer is compared, then timed. */
#ifndef BENCH_PAIRS_CASE_H
#define BENCH_PAIRS_CASE_H

#include "common/random.h"
#include "pairs.h"
#include "suite.h"

/* What a contender of such a suite keeps; its `contender_size`. */
typedef struct bench_pair_outcome {
  bench_pair_answer *answers;
  size_t differences; /* from the first engine, of the poses of the case */
} bench_pair_outcome;

/* Two meshes in some poses. */
typedef struct bench_pair_case {
  const bench_mesh *a, *b;
  const bench_pair_pose *poses;
  size_t count;
  bench_pair_query query;
  uint32_t checked; /* poses whose answers a loop over all pairs of triangles has to give, too */
} bench_pair_case;

extern const char *const bench_pair_query_names[BENCH_PAIR_QUERIES];
const char *bench_pair_query_name(unsigned i); /* null past the last */

extern const bench_metric bench_pair_time;

/* Makes the worlds of all engines for two meshes, and destroys them. */
void bench_pair_create(bench_run *run, const bench_mesh *a, const bench_mesh *b);
void bench_pair_destroy(bench_run *run);

/* Runs a case between these two. The name, for free(), belongs to the run from then on. */
void bench_pair_run(bench_run *run, char *name, const bench_pair_case *self);

/* A rotation, uniformly distributed over all (Shoemake 1992). */
mo_quat bench_pair_rotation(struct random_stream *random);

#endif
