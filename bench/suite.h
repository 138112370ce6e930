/* A suite measures one thing. The program is `motte-bench SUITE [options]`. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "report.h"
#include "text.h"

typedef struct bench_suite {
  const char *name;
  const char *summary;
  /* argv[0] names the program and the suite. */
  void (*run)(int argc, char **argv);
} bench_suite;

extern const bench_suite bench_suite_rays, bench_suite_moving, bench_suite_refit,
    bench_suite_instances, bench_suite_broadmark, bench_suite_queries, bench_suite_kinds,
    bench_suite_step;

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

#endif
