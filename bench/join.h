/* Runs of different suites on one machine, as one run. */
#ifndef BENCH_JOIN_H
#define BENCH_JOIN_H

#include "report_data.h"

/* Adds what `from` has to another report that was read, and destroys it, if both are of the same
 * machine, build and versions, and of no suite in common. */
bool bench_report_join(bench_report *to, bench_report *from);

/* The number of runs that a report is made of, and the tree of each, its own at first. */
size_t bench_report_part_count(const bench_report *report);
const cJSON *bench_report_part(const bench_report *report, size_t i);

#endif
