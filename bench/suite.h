/* A suite measures one thing. The program is `motte-bench SUITE [options]`. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "report.h"

typedef struct bench_suite {
  const char *name;
  const char *summary;
  /* argv[0] names the program and the suite. */
  void (*run)(int argc, char **argv);
} bench_suite;

extern const bench_suite bench_suite_rays, bench_suite_moving, bench_suite_refit,
    bench_suite_instances, bench_suite_broadmark;

/* Options that every suite has. A suite's parser hands a pointer to one of these to the child. */
typedef struct bench_options {
  const char *json;    /* null for none */
  const char *engines; /* Motte's own; null for all */
  const char *peers;   /* null for all that were found */
  uint64_t seed;
  int repeats;
} bench_options;

bench_options bench_default_options(void);

extern const struct argp bench_options_argp;

/* Whether a peer is to run; notes it in the report then. */
bool bench_choose_peer(const bench_options *options, bench_report *report, const char *name,
                       const char *version);

/* Writes the report where the options say, and destroys it. */
void bench_finish(const bench_options *options, bench_report *report);

#endif
