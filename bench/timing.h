/* Clocks and what is reported of repeated measurements. Also read by the C++ of peers. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of processor time that all threads of this process have used. It is for what runs
 * on one thread; unlike a wall clock, this does not count the time when another process had
 * the core, and it counts whatever helpers a peer may start. */
double bench_clock(void);

/* The same, or where several workers are timed, seconds that pass. */
double bench_clock_of(uint32_t workers);

/* What samples say together. */
typedef struct bench_summary {
  double median;
  double spread;  /* the interquartile range over the median */
  double p1, p99; /* percentiles */
  double min, max;
  int repeats;
} bench_summary;

/* Sorts `samples`. None give zeros. */
bench_summary bench_summarise(double *samples, size_t count);

#ifdef __cplusplus
}
#endif

#endif
