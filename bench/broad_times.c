#include "broad_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

static const bench_metric time_of[BENCH_PHASES] = {
    {"step", "ms", BENCH_LESS_IS_BETTER},
    {"update", "ms", BENCH_LESS_IS_BETTER},
    {"pairs", "ms", BENCH_LESS_IS_BETTER},
};
static const bench_metric worst_of[BENCH_PHASES] = {
    {"worst_step", "x median", BENCH_LESS_IS_BETTER},
    {"worst_update", "x median", BENCH_LESS_IS_BETTER},
    {"worst_pairs", "x median", BENCH_LESS_IS_BETTER},
};
enum {
  UNEVEN = 4
}; /* the most events of a frame over the median, from which on they are counted apart */

const bench_metric bench_broad_each[BENCH_PHASES] = {
    {"step_per_mover", "ns", BENCH_LESS_IS_BETTER},
    {"update_per_mover", "ns", BENCH_LESS_IS_BETTER},
    {"pairs_per_mover", "ns", BENCH_LESS_IS_BETTER},
};
static const bench_metric usual_events = {"begins_and_ends", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric max_events = {"begins_and_ends_at_most", "1/frame",
                                        BENCH_NEITHER_IS_BETTER};
static const bench_metric event_each = {"per_begin_or_end", "ns", BENCH_NEITHER_IS_BETTER};
static const bench_metric worst_rest = {"worst_step_but_for_them", "x median",
                                        BENCH_LESS_IS_BETTER};

void bench_broad_play(bench_run *run, bench_contender *contender, bool replace) {
  const bench_broad_engine *engine = (const bench_broad_engine *)contender->engine;
  uint32_t workers = engine->workers;
  double start = bench_clock_of(workers);
  engine->update(contender->world, replace);
  double updated = bench_clock_of(workers);
  engine->find(contender->world);
  double found = bench_clock_of(workers);
  bench_sample(run, contender, &time_of[BENCH_STEP], 1e3 * (found - start));
  bench_sample(run, contender, &time_of[BENCH_UPDATE], 1e3 * (updated - start));
  bench_sample(run, contender, &time_of[BENCH_PAIRS], 1e3 * (found - updated));
  if (engine->events != NULL) {
    bench_sample(run, contender, &usual_events, (double)engine->events(contender->world));
  }
}

static double max_of(const double *samples, size_t count) {
  double max = 0;
  for (size_t i = 0; i < count; i++) {
    max = fmax(max, samples[i]);
  }
  return max;
}

static double median_of(const double *samples, size_t count) {
  double *sorted = allocate(count, sizeof *sorted);
  memcpy(sorted, samples, count * sizeof *sorted);
  double median = bench_summarise(sorted, count).median;
  free(sorted);
  return median;
}

static void report_worst(bench_run *run, bench_contender *contender, const bench_metric *metric,
                         const double *samples, size_t count) {
  double median = median_of(samples, count);
  if (median > 0) {
    bench_count(run, contender, metric, max_of(samples, count) / median);
  }
}

/* The slope of the line through points, by least squares; not negative. */
static double slope_of(const double *x, const double *y, size_t count) {
  double x_mean = 0, y_mean = 0, products = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    x_mean += x[i] / (double)count;
    y_mean += y[i] / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    products += (x[i] - x_mean) * (y[i] - y_mean);
    squares += (x[i] - x_mean) * (x[i] - x_mean);
  }
  return squares > 0 ? fmax(products / squares, 0) : 0;
}

/* How uneven frames are beside the time that pairs take that begin and end: where in some frames
 * there are many times as many as in others, that time is the slope of the search's. */
static void report_rest(bench_run *run, bench_contender *contender) {
  const bench_series *step = bench_find_series(contender, &time_of[BENCH_STEP]),
                     *pairs = bench_find_series(contender, &time_of[BENCH_PAIRS]),
                     *events = bench_find_series(contender, &usual_events);
  double *rest = allocate(step->count, sizeof *rest);
  double each = slope_of(events->samples, pairs->samples, step->count);
  for (size_t i = 0; i < step->count; i++) {
    rest[i] = step->samples[i] - each * events->samples[i];
  }
  size_t count = step->count;
  bench_count(run, contender, &event_each, 1e6 * each);
  report_worst(run, contender, &worst_rest, rest, count);
  free(rest);
}

void bench_broad_sum_up(bench_run *run, bench_contender *contender, double movers) {
  for (int phase = 0; phase < BENCH_PHASES; phase++) {
    bench_derive(run, contender, &time_of[phase], &bench_broad_each[phase], 1e6 / movers);
    bench_series times = *bench_find_series(contender, &time_of[phase]);
    report_worst(run, contender, &worst_of[phase], times.samples, times.count);
  }
  const bench_series *events = bench_find_series(contender, &usual_events);
  if (events != NULL) {
    double max = max_of(events->samples, events->count);
    bench_count(run, contender, &max_events, max);
    if (max > UNEVEN * bench_median(contender, &usual_events)) {
      report_rest(run, contender);
    }
  }
}
