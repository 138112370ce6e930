/* The results of a run: printed as tables with ratios, written as JSON and CSV, read again.
 *
 * A result is one number: what (suite, case, metric), of which engine, how much (value, unit), how
 * sure (spread, repeats). Every engine uses the same cases and metrics, so that ratios can be taken
 * by machine. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "text.h"
#include "timing.h"

/* What a ratio means: whether more of the metric is better, or less, or neither is the point. */
typedef enum bench_sense {
  BENCH_MORE_IS_BETTER,
  BENCH_LESS_IS_BETTER,
  BENCH_NEITHER_IS_BETTER
} bench_sense;

typedef struct bench_metric {
  const char *name;
  const char *unit;
  bench_sense sense;
} bench_metric;

typedef struct bench_report bench_report;

/* Strings given to a report are copied, except those of bench_metric and of options. */
bench_report *bench_report_create(void);
void bench_report_destroy(bench_report *report);

/* Results that are added from here on are of this suite. `options`: names and values in turns. */
void bench_report_begin_suite(bench_report *report, const char *suite, const bench_names *options);

/* Names an engine to be compared with, and its version. */
void bench_report_add_peer(bench_report *report, const char *engine, const char *version);

/* Says why reports do not compare Motte with a peer in this suite. */
void bench_report_add_lesser(bench_report *report, const char *engine, const char *reason);

void bench_report_add(bench_report *report, const char *case_name, const char *engine,
                      const bench_metric *metric, bench_summary value);

/* A number that was counted, not timed. */
void bench_report_count(bench_report *report, const char *case_name, const char *engine,
                        const bench_metric *metric, double value);

/* Notes that an engine is not compared in a case, and why. */
void bench_report_refuse(bench_report *report, const char *case_name, const char *engine,
                         const char *reason);

/* Tables, of the suite begun last. */

/* The table of one case; ratios above 1 mean that the row's engine is better than the peer. */
void bench_report_print(const bench_report *report, const char *case_name);

/* One metric of all cases: cases down, engines across. */
void bench_report_print_across(const bench_report *report, const bench_metric *metric);

/* For the named metric: over all cases that end alike (the part after the first slash), geometric
 * mean and extremes of `engine` over each peer. */
void bench_report_print_summary(const bench_report *report, const char *engine, const char *metric);

/* Files. */

/* Fails unless a file could be written there. Leaves a file that is there as it is. */
void bench_report_check_path(const char *path);

/* The page of a folder, for free(). Makes the folder if it is not there; fails unless the page
 * could be written. */
char *bench_report_prepare_folder(const char *folder);

/* Opens a file, or standard output for "-"; null if it cannot. */
FILE *bench_report_open(const char *path);
/* Closes what the other one opened, which may be null; fails with a message unless all is written.
 */
void bench_report_close(FILE *file, const char *path);

/* Writes everything to a file, or to standard output for "-": the machine, the command line, the
 * options of each suite, whether the run was interrupted, the results. */
void bench_report_write_json(const bench_report *report, const char *path, int argc, char **argv);

/* The results, a line each. */
void bench_report_write_csv(const bench_report *report, const char *path);

/* Reads what bench_report_write_json wrote; fails with a message. */
bench_report *bench_report_read(const char *path);

/* What reading the file would give that bench_report_write_json would write. */
bench_report *bench_report_reread(const bench_report *report, int argc, char **argv);

#endif
