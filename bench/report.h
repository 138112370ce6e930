/* The results of a run: printed as tables with ratios, written as JSON.
 *
 * A result is one number: what (suite, case, metric), of which engine, how much (value, unit), how
 * sure (spread, repeats). Every engine uses the same cases and metrics, so that ratios can be taken
 * by machine. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "timing.h"

/* What a ratio means: whether more of the metric is better, or less, or neither is the point. */
typedef enum bench_sense { BENCH_MORE_IS_BETTER, BENCH_LESS_IS_BETTER, BENCH_NO_SENSE } bench_sense;

typedef struct bench_metric {
  const char *name;
  const char *unit;
  bench_sense sense;
} bench_metric;

typedef struct bench_report bench_report;

/* For one suite. Strings given to a report are copied, except those of bench_metric. */
bench_report *bench_report_create(const char *suite);
void bench_report_destroy(bench_report *report);

/* Names an engine to be compared with, and its version. */
void bench_report_add_peer(bench_report *report, const char *engine, const char *version);

void bench_report_add(bench_report *report, const char *case_name, const char *engine,
                      const bench_metric *metric, bench_summary value);

/* A number that was counted, not timed. */
void bench_report_count(bench_report *report, const char *case_name, const char *engine,
                        const bench_metric *metric, double value);

/* The table of one case; ratios above 1 mean that the row's engine is better than the peer. */
void bench_report_print(const bench_report *report, const char *case_name);

/* One metric of all cases: cases down, engines across. */
void bench_report_print_across(const bench_report *report, const bench_metric *metric);

/* For the named metric: over all cases that end alike (the part after the first slash), geometric
 * mean and extremes of `engine` over each peer. */
void bench_report_print_summary(const bench_report *report, const char *engine, const char *metric);

/* Fails unless bench_report_write could write there. Leaves a file that is there as it is. */
void bench_report_check_path(const char *path);

/* Writes everything to a file, or to standard output for "-"; also whether the run was interrupted.
 */
void bench_report_write(const bench_report *report, const char *path);

#endif
