/* Boxes and rays asked of the trees that broad phases keep. */
#ifndef BENCH_BROAD_PROBES_H
#define BENCH_BROAD_PROBES_H

#include "course.h"
#include "report.h"

enum { BENCH_PROBE_ROWS = 4 }; /* small boxes, large ones, closest hits, all hits */

/* An engine and its world. */
typedef struct bench_asked {
  const bench_broad_engine *engine;
  void *world;
} bench_asked;

/* Asks each `count` questions of each kind about the boxes as they are now, in turns, `repeats`
 * times, and reports the times. Fails where answers differ by more than rounding. */
void bench_probe_all(const bench_course *course, const bench_asked *asked, size_t asked_count,
                     size_t count, size_t repeats, bench_report *report, const char *case_name);

#endif
