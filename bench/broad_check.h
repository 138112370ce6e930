/* The pairs that engines report, against each other and against loops over all boxes. */
#ifndef BENCH_BROAD_CHECK_H
#define BENCH_BROAD_CHECK_H

#include "course.h"
#include "suite.h"

/* What an engine reports, whatever the order. Pairs that do not touch are left out, as the engine's
 * narrow phase would: some keep boxes with a margin. */
typedef struct bench_pair_count {
  uint64_t pairs; /* that touch */
  uint64_t moved; /* of them, with a box that the last step moved */
  uint64_t hash;  /* of those */
} bench_pair_count;

/* Asks an engine, and refuses it unless it has all pairs of a sample of the boxes that moved. */
bench_pair_count bench_pair_check(bench_run *run, bench_contender *contender,
                                  const bench_course *course);

#endif
