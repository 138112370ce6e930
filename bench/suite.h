/* What a suite is: a description, which the runner (runner.c) runs.
 *
 * A suite names its options, the engines that can take part, and a function that goes through its
 * cases. The runner parses options, chooses the engines, lets them take turns, collects samples,
 * prints tables and writes files.
 *
 * A case is: bench_begin; checks of the answers; bench_play, once or several times, in which each
 * contender measures and calls bench_sample; then bench_end, which counts, reports and prints. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_id.h"
#include "interrupt.h"
#include "mesh_file.h"
#include "options.h"
#include "report.h"
#include "text.h"

typedef struct bench_run bench_run;

/* What a contender measured of one metric in the case at hand. */
typedef struct bench_series {
  const bench_metric *metric;
  double *samples;
  size_t count, capacity;
  bool counted; /* not timed: one number */
} bench_series;

/* An engine in a run. */
typedef struct bench_contender {
  const bench_engine_id *engine; /* the first member of the suite's own kind of engine */
  void *world;                   /* the suite's: what the engine made */
  void *data;                    /* the suite's: `contender_size` bytes, zeroed before the suite */
  bool sits_out;                 /* of this case; cleared by bench_begin */
  bool refused;                  /* its answers in this case are wrong */
  bench_series *series;
  size_t series_count, series_capacity;
  bool owns_engine; /* by bench_add_contender or bench_add_workers */
} bench_contender;

typedef struct bench_suite {
  const char *name;
  const char *summary; /* a line, for the list of suites */
  const char *purpose; /* a sentence or two above the options, for --help */
  const char *notes;   /* below the options; null for none */
  char *(*more_notes)(void);
  const bench_option *options;    /* ends with a null name */
  size_t settings_size;           /* of the struct in which the options are put */
  const bench_engine_id *engines; /* Motte's, in an array that ends with a null name, plain first */
  size_t engine_size;             /* of an item of that array */
  const char *chosen_engines;     /* unless --engines names others */
  bool needs_first;               /* the first engine takes part in any case */
  const bench_engine_id *const *peers; /* ends with a null pointer */
  size_t contender_size;
  const char *data;      /* folder that --data has to contain; null: needs none */
  bool data_is_optional; /* without it some cases are left out */
  /* Before any suite measures: fails unless the data can be read and has a case. Null: no data. */
  void (*check_data)(const char *folder, const void *settings);
  const char *lacks;   /* libraries without which the suite was built and cannot run; null: none */
  const char *repeats; /* unless --repeats says otherwise; null: 7, 2 with --quick */
  /* Fails if options exclude each other; null: all are fine. */
  void (*check_settings)(const void *settings);
  /* Why tables and reports have no ratios over a peer, such as that it does less. They have ratios
   * if it returns null, or is null. */
  const char *(*why_not_compared)(const bench_engine_id *peer);
  /* Whether this machine can run an engine; null: any. */
  bool (*is_available)(const bench_engine_id *engine);
  /* All cases. */
  void (*run)(bench_run *run);
  /* Names of metrics with commas: those that the first screen of a report shows. The plot of the
   * suite shows the first of them. Null: all. */
  const char *headlines;
  /* Metrics whose means over the peers end the suite; up to a null pointer. */
  const bench_metric *compared[4];
} bench_suite;

/* A suite that runs. */
struct bench_run {
  const bench_suite *suite;
  const void *settings; /* of the suite */
  void *data;           /* the suite's own */
  const char *folder;   /* of the suite's data, if it names one; null: there is none */
  uint64_t seed;
  uint32_t repeats;
  bench_report *report;
  bench_contender *contenders;
  size_t count;
  char *case_name;
  bool warming_up; /* samples are dropped */
};

extern const bench_suite bench_suite_rays, bench_suite_moving, bench_suite_refit,
    bench_suite_instances, bench_suite_broadmark, bench_suite_queries, bench_suite_kinds,
    bench_suite_step, bench_suite_classics, bench_suite_ccd_queries, bench_suite_meshes,
    bench_suite_static_pairs, bench_suite_ccd_frames, bench_suite_motion_planning,
    bench_suite_hulls, bench_suite_engine_scenes, bench_suite_edits, bench_suite_heights;

/* Ends with a null pointer. */
extern const bench_suite *const bench_suites[];

/* Begins a case. The name, for free(), belongs to the run from then on. */
void bench_begin(bench_run *run, char *name);

/* Rounds of a case, in which contenders take turns: in each another one begins. */
typedef struct bench_rounds {
  uint32_t count;
  uint32_t warm_up; /* rounds before these, whose samples are dropped */
  /* Before a round, for all contenders; null: nothing to do. Rounds of the warm-up have number 0.
   */
  void (*prepare)(bench_run *run, uint32_t round);
  void (*measure)(bench_run *run, bench_contender *contender, uint32_t round);
  /* After a round that all have measured: compares answers; null: nothing to compare. */
  void (*check)(bench_run *run, uint32_t round);
} bench_rounds;

/* Runs rounds until all are done or an interrupt, for which a round that was prepared is finished.
 * Returns how many of `count` all contenders have finished. */
uint32_t bench_play(bench_run *run, const bench_rounds *rounds);

/* Whether a contender takes part in the case. */
static inline bool bench_is_active(const bench_contender *contender) {
  return !contender->sits_out && !contender->refused;
}

/* Notes what was timed, once per round or more often. */
void bench_sample(const bench_run *run, bench_contender *contender, const bench_metric *metric,
                  double value);

/* Notes what was counted or computed, once per case. */
void bench_count(const bench_run *run, bench_contender *contender, const bench_metric *metric,
                 double value);

/* The samples of a metric in their order; a null pointer if there are none. */
const bench_series *bench_find_series(const bench_contender *contender, const bench_metric *metric);

/* The median of a metric's samples; 0 if there are none. */
double bench_median(const bench_contender *contender, const bench_metric *metric);

/* Notes all samples of one metric for another one too, each times `factor`. */
void bench_derive(const bench_run *run, bench_contender *contender, const bench_metric *from,
                  const bench_metric *to, double factor);

/* Refuses to compare a contender in this case, for what its answers are: says so, and drops what it
 * measured. The program ends with a failure then, after all other measurements. */
__attribute__((format(printf, 3, 4))) void bench_refuse(bench_run *run, bench_contender *contender,
                                                        const char *format, ...);

/* Ends a case: lets `count`, unless it is null, note figures such as visits of each contender that
 * has measured something; reports all and prints the table. */
void bench_end(bench_run *run, void (*count)(bench_run *run, bench_contender *contender));

/* Calls a function for each contender that takes part, until an interrupt. */
void bench_each(bench_run *run, void (*visit)(bench_run *run, bench_contender *contender));

/* Calls a function that checks answers for each contender that takes part, also after an interrupt:
 * what was measured is written then. */
void bench_check_each(bench_run *run, void (*visit)(bench_run *run, bench_contender *contender));

/* Calls a function for each contender that has a world, also one that was refused or has no part in
 * this case, and sets the world to null. */
void bench_release_each(bench_run *run, void (*release)(bench_contender *contender));

/* Calls a function for each mesh of a list, or for a generated one if there is none, until an
 * interrupt. Meshes are freed after the call. */
void bench_each_mesh(bench_run *run, const bench_files *files, uint32_t segments,
                     void (*visit)(bench_run *run, bench_mesh *mesh));

/* Loads a mesh; path null: generates one. */
bench_mesh *bench_load_or_generate(const char *path, uint32_t segments);

/* Adds to the contenders of a suite copies of its engine of that name, ENGINE-W-workers, for each
 * number W above 1, which is written to the uint32_t at an offset in the suite's kind of engine. */
void bench_add_workers(bench_run *run, const char *engine, size_t offset,
                       const bench_counts *workers);

/* For suites whose contenders are not chosen by name: one more. The name is copied. */
bench_contender *bench_add_contender(bench_run *run, const char *name);
void bench_remove_contenders(bench_run *run);

#endif
