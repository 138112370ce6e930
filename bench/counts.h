/* Visits, tests and bytes of a fixed set of small workloads, which depend on the code alone: a
 * change that makes them rise shows without a clock. */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include <stdbool.h>

/* Measures and writes the file. `suites` are names that end with a null pointer: those alone are
 * measured and compared; none: all. */
void bench_write_counts(const char *path, char **suites);

/* Measures and compares with the file: prints what has risen or fallen by more than 3 %. Returns
 * whether nothing has risen; fails where the file has other numbers than the run. */
bool bench_check_counts(const char *path, char **suites);

#endif
