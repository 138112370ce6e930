/* What makes two runs hard to compare. */
#ifndef BENCH_DIFFERENCES_H
#define BENCH_DIFFERENCES_H

#include "report_data.h"

/* Calls a function with a text, such as "cpu: X, not Y", for each difference of two reports that
 * were read from files: of machine, system, compiler, build options, instruction set and versions
 * of peers, and of options and seeds of suites that both have. The version and commit of the
 * library may differ. */
void bench_find_differences(const bench_report *a, const bench_report *b,
                            void (*visit)(void *context, const char *text), void *context);

#endif
