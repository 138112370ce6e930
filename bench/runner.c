/* Runs suites: chooses engines, lets them take turns, collects what they measure, reports it. */
#include "runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/check.h"
#include "grow.h"
#include "suite.h"

enum { MAX_CONTENDERS = 64, SECONDS_OF_SILENCE = 10 };

static bool any_refused;

bool bench_any_refused(void) {
  return any_refused;
}

/* Contenders. */

static bench_contender *add(bench_run *run, const bench_engine_id *engine) {
  if (run->count == MAX_CONTENDERS) {
    fail("more engines than there is space for");
  }
  bench_contender *contender = &run->contenders[run->count++];
  *contender = (bench_contender){.engine = engine};
  contender->data = allocate(1, run->suite->contender_size);
  return contender;
}

static void choose_own(bench_run *run, const bench_job *job) {
  const bench_suite *suite = job->suite;
  const char *item = (const char *)suite->engines;
  for (bool first = true;; first = false, item += suite->engine_size) {
    const bench_engine_id *engine = (const bench_engine_id *)item;
    if (engine->name == NULL) {
      return;
    }
    if (!bench_list_has(job->engines, engine->name, false) && !(first && suite->needs_first)) {
      continue;
    }
    if (suite->is_available == NULL || suite->is_available(engine)) {
      add(run, engine);
    } else if (bench_list_has(job->engines, "all", false)) {
      bench_progress("without %s, which this machine cannot run", engine->name);
    } else {
      fail("--engines: this machine cannot run %s", engine->name);
    }
  }
}

static void choose_peers(bench_run *run, const bench_job *job) {
  const bench_engine_id *const *peers = job->suite->peers;
  for (size_t i = 0; peers != NULL && peers[i] != NULL; i++) {
    if (bench_list_has(job->peers, peers[i]->name, true)) {
      if (peers[i]->version == NULL) {
        fail("the peer %s has no version", peers[i]->name);
      }
      add(run, peers[i]);
      bench_report_add_peer(run->report, peers[i]->name, peers[i]->version);
      const char *less =
          job->suite->why_not_compared != NULL ? job->suite->why_not_compared(peers[i]) : NULL;
      if (less != NULL) {
        bench_report_add_lesser(run->report, peers[i]->name, less);
      }
    }
  }
}

bench_contender *bench_add_contender(bench_run *run, const char *name) {
  bench_engine_id *engine = allocate(1, sizeof *engine);
  engine->name = bench_format("%s", name);
  bench_contender *contender = add(run, engine);
  contender->owns_engine = true;
  return contender;
}

static const bench_engine_id *find_own(const bench_suite *suite, const char *name) {
  const char *item = (const char *)suite->engines;
  while (strcmp(((const bench_engine_id *)item)->name, name) != 0) {
    item += suite->engine_size;
  }
  return (const bench_engine_id *)item;
}

void bench_add_workers(bench_run *run, const char *name, size_t offset,
                       const bench_counts *workers) {
  for (size_t i = 0; i < workers->count; i++) {
    if (workers->item[i] > 1) {
      bench_engine_id *copy = allocate(1, run->suite->engine_size);
      memcpy(copy, find_own(run->suite, name), run->suite->engine_size);
      memcpy((char *)copy + offset, &workers->item[i], sizeof workers->item[i]);
      copy->name = bench_format("%s-%u-workers", name, workers->item[i]);
      add(run, copy)->owns_engine = true;
    }
  }
}

void bench_remove_contenders(bench_run *run) {
  for (size_t i = 0; i < run->count; i++) {
    bench_contender *contender = &run->contenders[i];
    free(contender->data);
    free(contender->series);
    if (contender->owns_engine) {
      free((char *)contender->engine->name);
      free((bench_engine_id *)contender->engine);
    }
  }
  run->count = 0;
}

/* Samples. */

const bench_series *bench_find_series(const bench_contender *contender,
                                      const bench_metric *metric) {
  for (size_t i = 0; i < contender->series_count; i++) {
    if (contender->series[i].metric == metric) {
      return &contender->series[i];
    }
  }
  return NULL;
}

static bench_series *series_of(bench_contender *contender, const bench_metric *metric) {
  const bench_series *found = bench_find_series(contender, metric);
  if (found != NULL) {
    return &contender->series[found - contender->series];
  }
  if (contender->series_count == contender->series_capacity) {
    contender->series =
        bench_grow(contender->series, &contender->series_capacity, sizeof *contender->series);
  }
  bench_series *series = &contender->series[contender->series_count++];
  *series = (bench_series){.metric = metric};
  return series;
}

static void push(bench_series *series, double value) {
  if (series->count == series->capacity) {
    series->samples = bench_grow(series->samples, &series->capacity, sizeof *series->samples);
  }
  series->samples[series->count++] = value;
}

void bench_sample(const bench_run *run, bench_contender *contender, const bench_metric *metric,
                  double value) {
  bench_series *series = series_of(contender, metric);
  if (!run->warming_up) {
    push(series, value);
  }
}

void bench_count(const bench_run *run, bench_contender *contender, const bench_metric *metric,
                 double value) {
  (void)run;
  bench_series *series = series_of(contender, metric);
  series->counted = true;
  series->count = 0;
  push(series, value);
}

static bench_summary summarise(const bench_series *series) {
  double *sorted = allocate(series->count, sizeof *sorted);
  memcpy(sorted, series->samples, series->count * sizeof *sorted);
  bench_summary summary = bench_summarise(sorted, series->count);
  free(sorted);
  return summary;
}

double bench_median(const bench_contender *contender, const bench_metric *metric) {
  const bench_series *series = bench_find_series(contender, metric);
  return series != NULL && series->count > 0 ? summarise(series).median : 0;
}

void bench_derive(const bench_run *run, bench_contender *contender, const bench_metric *from,
                  const bench_metric *to, double factor) {
  const bench_series *series = bench_find_series(contender, from);
  for (size_t i = 0; series != NULL && i < series->count; i++) {
    bench_sample(run, contender, to, factor * series->samples[i]);
    series = bench_find_series(contender, from); /* the list may have moved */
  }
}

/* Cases. */

void bench_begin(bench_run *run, char *name) {
  run->case_name = name;
  bench_progress("%s %s", run->suite->name, name); /* as tables are headed */
  for (size_t i = 0; i < run->count; i++) {
    run->contenders[i].sits_out = run->contenders[i].refused = false;
  }
}

static time_t last_progress;

static void print_progress(const bench_run *run, uint32_t done, uint32_t all) {
  time_t now = time(NULL);
  if (done == 0 || last_progress == 0) {
    last_progress = now;
  } else if (now - last_progress >= SECONDS_OF_SILENCE && done < all) {
    bench_progress("%s %s: %u of %u", run->suite->name, run->case_name, done, all);
    last_progress = now;
  }
}

/* Whether all have finished the round. */
static bool play_round(bench_run *run, const bench_rounds *rounds, uint32_t round, uint32_t turn) {
  if (rounds->prepare != NULL) {
    rounds->prepare(run, round);
  }
  for (size_t i = 0; i < run->count; i++) {
    bench_contender *contender = &run->contenders[(i + turn) % run->count];
    if (bench_interrupted() && rounds->prepare == NULL) {
      return false; /* after preparation, all must do the same */
    }
    if (bench_is_active(contender)) {
      rounds->measure(run, contender, round);
    }
  }
  if (rounds->check != NULL) {
    rounds->check(run, round);
  }
  return true;
}

static void drop_samples(bench_run *run) {
  for (size_t i = 0; i < run->count; i++) {
    for (size_t k = 0; k < run->contenders[i].series_count; k++) {
      run->contenders[i].series[k].count = 0;
    }
  }
}

uint32_t bench_play(bench_run *run, const bench_rounds *rounds) {
  run->warming_up = true;
  for (uint32_t i = 0; i < rounds->warm_up && !bench_interrupted(); i++) {
    play_round(run, rounds, 0, i);
  }
  run->warming_up = false;
  uint32_t round = 0;
  for (; round < rounds->count; round++) {
    print_progress(run, round, rounds->count);
    if (bench_interrupted() || !play_round(run, rounds, round, round)) {
      break;
    }
  }
  if (round == 0 && rounds->check != NULL) {
    drop_samples(run); /* no answers have been checked */
  }
  return round;
}

void bench_refuse(bench_run *run, bench_contender *contender, const char *format, ...) {
  char text[1024];
  va_list arguments;
  if (contender->refused) {
    return;
  }
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  bench_progress("%s %s: %s: not compared: %s", run->suite->name, run->case_name,
                 contender->engine->name, text);
  bench_report_refuse(run->report, run->case_name, contender->engine->name, text);
  contender->refused = any_refused = true;
}

/* Moves what a contender measured to the report. */
static void report(const bench_run *run, bench_contender *contender) {
  const char *name = contender->engine->name;
  for (size_t i = 0; i < contender->series_count; i++) {
    bench_series *series = &contender->series[i];
    if (series->count > 0 && !contender->refused) {
      if (series->counted) {
        bench_report_count(run->report, run->case_name, name, series->metric, series->samples[0]);
      } else {
        bench_report_add(run->report, run->case_name, name, series->metric, summarise(series));
      }
    }
    free(series->samples);
  }
  contender->series_count = 0;
}

void bench_each(bench_run *run, void (*visit)(bench_run *run, bench_contender *contender)) {
  for (size_t i = 0; i < run->count && !bench_interrupted(); i++) {
    if (bench_is_active(&run->contenders[i])) {
      visit(run, &run->contenders[i]);
    }
  }
}

void bench_release_each(bench_run *run, void (*release)(bench_contender *contender)) {
  for (size_t i = 0; i < run->count; i++) {
    if (run->contenders[i].world != NULL) {
      release(&run->contenders[i]);
      run->contenders[i].world = NULL;
    }
  }
}

void bench_check_each(bench_run *run, void (*visit)(bench_run *run, bench_contender *contender)) {
  for (size_t i = 0; i < run->count; i++) {
    if (bench_is_active(&run->contenders[i])) {
      visit(run, &run->contenders[i]);
    }
  }
}

bench_mesh *bench_load_or_generate(const char *path, uint32_t segments) {
  return path != NULL ? bench_mesh_load(path) : bench_mesh_generate(segments);
}

void bench_each_mesh(bench_run *run, const bench_files *files, uint32_t segments,
                     void (*visit)(bench_run *run, bench_mesh *mesh)) {
  for (size_t i = 0; (i == 0 || i < files->count) && !bench_interrupted(); i++) {
    bench_mesh *mesh = bench_load_or_generate(files->path[i], segments);
    visit(run, mesh);
    bench_mesh_free(mesh);
  }
}

void bench_end(bench_run *run, void (*count)(bench_run *run, bench_contender *contender)) {
  for (size_t i = 0; i < run->count; i++) {
    bench_contender *contender = &run->contenders[i];
    if (count != NULL && bench_is_active(contender) && contender->series_count > 0) {
      count(run, contender);
    }
  }
  for (size_t i = 0; i < run->count; i++) {
    report(run, &run->contenders[i]);
    run->contenders[i].sits_out = run->contenders[i].refused = false;
  }
  bench_report_print(run->report, run->case_name);
  free(run->case_name);
  run->case_name = NULL;
}

void bench_run_suite(const bench_job *job, bench_report *results) {
  bench_run run = {
      .suite = job->suite,
      .settings = job->settings,
      .folder = job->data,
      .seed = job->seed,
      .repeats = job->repeats,
      .report = results,
      .contenders = allocate(MAX_CONTENDERS, sizeof *run.contenders),
  };
  bench_report_begin_suite(results, job->suite->name, &job->texts);
  choose_own(&run, job);
  choose_peers(&run, job);
  if (run.count == 0) {
    bench_progress("%s: no engine left to run", job->suite->name);
  } else {
    const char *first = run.contenders[0].engine->name;
    job->suite->run(&run);
    for (size_t i = 0; job->suite->compared[i] != NULL; i++) {
      bench_report_print_summary(results, first, job->suite->compared[i]->name);
    }
  }
  bench_remove_contenders(&run);
  free(run.contenders);
}
