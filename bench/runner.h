/* What main.c uses of the runner. */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "options.h"
#include "report.h"

/* Runs a suite; its results go to the report, its tables to standard output. */
void bench_run_suite(const bench_job *job, bench_report *results);

/* Whether a comparison was refused, as answers differed. */
bool bench_any_refused(void);

#endif
