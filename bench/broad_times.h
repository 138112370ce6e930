/* What the frames of an engine take, in the suite of broad phases. */
#ifndef BENCH_BROAD_TIMES_H
#define BENCH_BROAD_TIMES_H

#include "broad.h"
#include "report.h"

/* Phases of a frame. */
enum { BENCH_STEP, BENCH_UPDATE, BENCH_PAIRS, BENCH_PHASES };

/* ns per box that moved. */
extern const bench_metric bench_broad_each[BENCH_PHASES];

typedef struct bench_broad_times {
  double *phases[BENCH_PHASES]; /* ms, by frame */
  double *events; /* pairs that began or ended, by frame; null where the engine does not tell */
} bench_broad_times;

bench_broad_times bench_broad_times_create(const bench_broad_engine *engine, uint32_t frames);
void bench_broad_times_destroy(bench_broad_times *times);

/* Plays a frame that has been prepared. */
void bench_broad_play(const bench_broad_engine *engine, void *world, bool replace,
                      bench_broad_times *times, uint32_t frame);

/* Where a report goes. */
typedef struct bench_broad_case {
  bench_report *report;
  const char *case_name, *engine;
} bench_broad_case;

/* Reports all of them; `movers`: in a frame, in the mean. */
void bench_broad_times_report(const bench_broad_times *times, uint32_t frames, double movers,
                              const bench_broad_case *to);

#endif
