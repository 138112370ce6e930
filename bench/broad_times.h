/* What the frames of an engine take, in the suite of broad phases. */
#ifndef BENCH_BROAD_TIMES_H
#define BENCH_BROAD_TIMES_H

#include "broad.h"
#include "suite.h"

/* Phases of a frame. */
enum { BENCH_STEP, BENCH_UPDATE, BENCH_PAIRS, BENCH_PHASES };

/* ns per box that moved. */
extern const bench_metric bench_broad_each[BENCH_PHASES];

/* Plays a frame that has been prepared. */
void bench_broad_play(bench_run *run, bench_contender *contender, bool replace);

/* After the last frame: times per box that moved, and how uneven they are. `movers`: in a frame, in
 * the mean. */
void bench_broad_sum_up(bench_run *run, bench_contender *contender, double movers);

#endif
