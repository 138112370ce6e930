/* Visits, tests and bytes of a fixed set of small workloads, which depend on the code alone: a
 * change that makes them rise shows without a clock. */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include <stdbool.h>

/* Measures and writes the file. */
void bench_write_counts(const char *path);

/* Measures and compares with the file: prints what has risen or fallen by more than 3 %. Returns
 * whether nothing has risen; fails where the file has other numbers than the run. */
bool bench_check_counts(const char *path);

#endif
