#include "counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "interrupt.h"
#include "report_data.h"
#include "runner.h"

/* Smaller changes are ignored: other workers, another standard library. */
#define TOLERANCE 0.03

enum { MAX_ARGUMENTS = 16, MAX_NAME = 128 };

/* As after `motte-bench run`. Engines that pack rays by the width of registers are left out, as
 * their counts depend on the processor. */
static const char *const workloads[] = {
    ("rays --engines motte,motte-single,motte-high,motte-fast,motte-compact --rays 2000 "
     "--distributions primary,inside,incoherent,short --modes closest,any"),
    "instances --scene crowd --shapes 300 --rays 500 --frames 2",
    "refit --engines motte-refit,motte-refit-parts,motte-rebuild --rays 1000 --frames 4",
    "moving --shapes 2000 --frames 8",
    "moving --shapes 2000 --frames 8 --workload sizes --engines motte",
    "moving --shapes 300 --frames 4 --kind meshes --engines motte",
    "broadmark --shapes 2000 --frames 8 --workload walk-10,clusters",
    "queries --probes 64 --engines motte,motte-compact",
};

static void run(const char *workload, bench_report *report) {
  char *text = bench_format("run %s --repeats 1 --peers none", workload), *rest = text;
  char *arguments[MAX_ARGUMENTS];
  int count = 0;
  while (rest != NULL && count < MAX_ARGUMENTS) {
    arguments[count++] = strsep(&rest, " ");
  }
  if (rest != NULL) {
    fail("a workload has more than %d arguments", MAX_ARGUMENTS);
  }
  bench_command command = bench_parse_command(count, arguments);
  bench_run_suite(&command.jobs[0], report);
  bench_free_command(&command);
  free(text);
}

/* Less of it is better, and it is not derived from times. */
static bool is_cost(const bench_result *r) {
  return !r->timed && r->metric.sense == BENCH_LESS_IS_BETTER &&
         strcmp(r->metric.unit, "x median") != 0;
}

/* Whether a line that begins with a suite's name is of one of the suites. */
static bool is_of(const char *line, char **suites) {
  for (size_t i = 0; suites[i] != NULL; i++) {
    size_t length = strlen(suites[i]);
    if (strncmp(line, suites[i], length) == 0 && line[length] == ' ') {
      return true;
    }
  }
  return suites[0] == NULL;
}

static void check_names(char **suites) {
  for (; *suites != NULL; suites++) {
    char *const one[] = {*suites, NULL};
    size_t i = 0;
    while (i < sizeof workloads / sizeof *workloads && !is_of(workloads[i], (char **)one)) {
      i++;
    }
    if (i == sizeof workloads / sizeof *workloads) {
      fail("counts has no suite \"%s\"", *suites);
    }
  }
}

static bench_report *measure(char **suites) {
  bench_report *report = bench_report_create();
  report->is_silent = true;
  for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
    if (is_of(workloads[i], suites)) {
      run(workloads[i], report);
    }
  }
  if (bench_interrupted()) {
    fail("interrupted");
  }
  if (cJSON_GetArraySize(report->refused) > 0) {
    fail("answers were wrong");
  }
  return report;
}

void bench_write_counts(const char *path, char **suites) {
  check_names(suites);
  bench_report_check_path(path);
  bench_report *report = measure(suites);
  FILE *file = fopen(path, "w");
  for (size_t i = 0; file != NULL && i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (is_cost(r)) {
      fprintf(file, "%s %s %s %s %.6g\n", r->suite, r->case_name, r->engine, r->metric.name,
              r->value.median);
    }
  }
  if (file == NULL || fclose(file) != 0) {
    fail("cannot write %s", path);
  }
  bench_report_destroy(report);
}

typedef struct tally {
  size_t checked, risen;
} tally;

static void check_line(const bench_report *report, const char *line, const char *path, tally *sum) {
  char suite[MAX_NAME], case_name[MAX_NAME], engine[MAX_NAME], metric[MAX_NAME];
  double before;
  if (sscanf(line, "%127s %127s %127s %127s %lf", suite, case_name, engine, metric, &before) != 5) {
    fail("%s: not a count: %s", path, line);
  }
  const bench_result *r = bench_report_find(report, suite, case_name, engine, metric);
  if (r == NULL) {
    fail("%s: no longer measured: %s", path, line);
  }
  double after = r->value.median;
  bool moved = fabs(after - before) > TOLERANCE * before + 1e-9;
  if (moved) {
    printf("%s %s %s %s: %.6g, was %.6g (%+.1f %%)\n", suite, case_name, engine, metric, after,
           before, 100 * (after / before - 1));
  }
  sum->checked++;
  sum->risen += moved && after > before;
}

bool bench_check_counts(const char *path, char **suites) {
  check_names(suites);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    fail("cannot open %s", path);
  }
  bench_report *report = measure(suites);
  tally sum = {0};
  char line[5 * MAX_NAME];
  while (fgets(line, sizeof line, file) != NULL) {
    if (is_of(line, suites)) {
      check_line(report, line, path, &sum);
    }
  }
  fclose(file);
  size_t costs = 0;
  for (size_t i = 0; i < report->count; i++) {
    costs += is_cost(&report->results[i]);
  }
  if (costs != sum.checked) {
    fail("%s has %zu of %zu counts; motte-bench counts --write writes it anew", path, sum.checked,
         costs);
  }
  printf("%zu counts, of which %zu have risen by more than %g %%\n", sum.checked, sum.risen,
         100 * TOLERANCE);
  bench_report_destroy(report);
  return sum.risen == 0;
}
