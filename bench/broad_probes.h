/* Queries by boxes and rays of the trees that broad phases keep. */
#ifndef BENCH_BROAD_PROBES_H
#define BENCH_BROAD_PROBES_H

#include "course.h"
#include "suite.h"

enum { BENCH_PROBE_ROWS = 4 }; /* small boxes, large ones, closest hits, all hits */

/* Asks each contender `count` questions of each kind about the boxes as they are now, in turns, as
 * often as the run repeats. Refuses those whose answers differ by more than rounding. */
void bench_probe_all(bench_run *run, const bench_course *course, size_t count);

#endif
