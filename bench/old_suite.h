/* A suite measures one thing. The program is `motte-bench SUITE [options]`. */
#ifndef BENCH_OLD_SUITE_H
#define BENCH_OLD_SUITE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "interrupt.h"
#include "report.h"
#include "text.h"

typedef struct bench_old_suite {
  const char *name;
  const char *summary;
  /* argv[0] names the program and the suite. */
  void (*run)(int argc, char **argv);
} bench_old_suite;

extern const bench_old_suite bench_old_suite_rays, bench_old_suite_moving, bench_old_suite_refit,
    bench_old_suite_instances, bench_old_suite_broadmark, bench_old_suite_queries,
    bench_old_suite_kinds, bench_old_suite_step;

/* Options that every suite has. A suite's parser hands a pointer to one of these to the child. */
typedef struct bench_options {
  const char *json;    /* null for none */
  const char *engines; /* Motte's own */
  const char *peers;   /* null for all that were found */
  uint64_t seed;
  int repeats;
} bench_options;

/* `engines` are those that run unless --engines names others. */
bench_options bench_default_options(const char *engines);

/* Fails if a list of engines or peers has a name that is not among those given. */
void bench_options_check(const bench_options *options, const bench_names *engines,
                         const bench_names *peers);

/* What --help says: what the suite does, then, below the options, notes (null for none) and which
 * engines and peers there are. For free(). */
char *bench_documentation(const char *purpose, const char *notes, const bench_options *defaults,
                          const bench_names *engines, const bench_names *peers);

extern const struct argp bench_options_argp;

/* Whether a peer is to run; notes it in the report then. */
bool bench_choose_peer(const bench_options *options, bench_report *report, const char *name,
                       const char *version);

/* Writes the report where the options say, and destroys it. */
void bench_finish(const bench_options *options, bench_report *report);

static inline bench_report *bench_old_report(const char *suite) {
  bench_report *report = bench_report_create();
  const bench_names none = {0};
  bench_report_begin_suite(report, suite, &none);
  return report;
}

/* Runs an old suite by the name in argv[1]; false: there is none. */
bool bench_run_old(int argc, char **argv);

#endif
