#include "timing.h"

#include <stdlib.h>
#include <time.h>

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_clock(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_clock_of(uint32_t workers) {
  return read_clock(workers > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Linear interpolation between the samples at either side. */
static double quantile(const double *sorted, size_t count, double share) {
  double position = share * (double)(count - 1);
  size_t below = (size_t)position;
  if (below + 1 >= count) {
    return sorted[count - 1];
  }
  double rest = position - (double)below;
  return sorted[below] * (1 - rest) + sorted[below + 1] * rest;
}

bench_summary bench_summarise(double *samples, size_t count) {
  bench_summary summary = {.repeats = (int)count};
  if (count == 0) {
    return summary;
  }
  qsort(samples, count, sizeof *samples, compare);
  summary.median = quantile(samples, count, 0.5);
  summary.p1 = quantile(samples, count, 0.01);
  summary.p99 = quantile(samples, count, 0.99);
  summary.min = samples[0];
  summary.max = samples[count - 1];
  if (summary.median > 0) {
    summary.spread =
        (quantile(samples, count, 0.75) - quantile(samples, count, 0.25)) / summary.median;
  }
  return summary;
}
