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
static const bench_metric usual_events = {"begins_and_ends", "1/frame", BENCH_NO_SENSE};
static const bench_metric max_events = {"begins_and_ends_at_most", "1/frame", BENCH_NO_SENSE};
static const bench_metric event_each = {"per_begin_or_end", "ns", BENCH_NO_SENSE};
static const bench_metric worst_rest = {"worst_step_but_for_them", "x median",
                                        BENCH_LESS_IS_BETTER};

bench_broad_times bench_broad_times_create(const bench_broad_engine *engine, uint32_t frames) {
  bench_broad_times times = {.events = NULL};
  for (int phase = 0; phase < BENCH_PHASES; phase++) {
    times.phases[phase] = allocate(frames, sizeof(double));
  }
  if (engine->events != NULL) {
    times.events = allocate(frames, sizeof(double));
  }
  return times;
}

void bench_broad_times_destroy(bench_broad_times *times) {
  for (int phase = 0; phase < BENCH_PHASES; phase++) {
    free(times->phases[phase]);
  }
  free(times->events);
}

void bench_broad_play(const bench_broad_engine *engine, void *world, bool replace,
                      bench_broad_times *times, uint32_t frame) {
  double start = bench_clock();
  engine->update(world, replace);
  double updated = bench_clock();
  engine->find(world);
  double found = bench_clock();
  times->phases[BENCH_STEP][frame] = 1e3 * (found - start);
  times->phases[BENCH_UPDATE][frame] = 1e3 * (updated - start);
  times->phases[BENCH_PAIRS][frame] = 1e3 * (found - updated);
  if (engine->events != NULL) {
    times->events[frame] = (double)engine->events(world);
  }
}

/* Leaves the samples in their order. */
static bench_summary summary_of(const double *samples, uint32_t frames) {
  double *sorted = allocate(frames, sizeof *sorted);
  memcpy(sorted, samples, frames * sizeof *sorted);
  bench_summary summary = bench_summarise(sorted, frames);
  free(sorted);
  return summary;
}

static double max_of(const double *samples, uint32_t frames) {
  double max = 0;
  for (uint32_t frame = 0; frame < frames; frame++) {
    max = fmax(max, samples[frame]);
  }
  return max;
}

static void report_worst(const bench_broad_case *to, const bench_metric *metric,
                         const double *samples, uint32_t frames) {
  double median = summary_of(samples, frames).median;
  if (median > 0) {
    bench_report_count(to->report, to->case_name, to->engine, metric,
                       max_of(samples, frames) / median);
  }
}

/* The slope of the line through points, by least squares; not negative. */
static double slope_of(const double *x, const double *y, uint32_t count) {
  double x_mean = 0, y_mean = 0, products = 0, squares = 0;
  for (uint32_t i = 0; i < count; i++) {
    x_mean += x[i] / count;
    y_mean += y[i] / count;
  }
  for (uint32_t i = 0; i < count; i++) {
    products += (x[i] - x_mean) * (y[i] - y_mean);
    squares += (x[i] - x_mean) * (x[i] - x_mean);
  }
  return squares > 0 ? fmax(products / squares, 0) : 0;
}

/* How uneven frames are beside the time that pairs take that begin and end: where in some frames
 * there are many times as many as in others, that time is the slope of the search's. */
static void report_rest(const bench_broad_times *times, uint32_t frames,
                        const bench_broad_case *to) {
  double *rest = allocate(frames, sizeof *rest);
  double each = slope_of(times->events, times->phases[BENCH_PAIRS], frames);
  for (uint32_t frame = 0; frame < frames; frame++) {
    rest[frame] = times->phases[BENCH_STEP][frame] - each * times->events[frame];
  }
  bench_report_count(to->report, to->case_name, to->engine, &event_each, 1e6 * each);
  report_worst(to, &worst_rest, rest, frames);
  free(rest);
}

static void report_events(const bench_broad_times *times, uint32_t frames,
                          const bench_broad_case *to) {
  bench_summary usual = summary_of(times->events, frames);
  double max = max_of(times->events, frames);
  bench_report_add(to->report, to->case_name, to->engine, &usual_events, usual);
  bench_report_count(to->report, to->case_name, to->engine, &max_events, max);
  if (max > UNEVEN * usual.median) {
    report_rest(times, frames, to);
  }
}

void bench_broad_times_report(const bench_broad_times *times, uint32_t frames, double movers,
                              const bench_broad_case *to) {
  for (int phase = 0; phase < BENCH_PHASES; phase++) {
    bench_summary time = summary_of(times->phases[phase], frames);
    bench_report_add(to->report, to->case_name, to->engine, &time_of[phase], time);
    time.median *= 1e6 / movers;
    bench_report_add(to->report, to->case_name, to->engine, &bench_broad_each[phase], time);
    report_worst(to, &worst_of[phase], times->phases[phase], frames);
  }
  if (times->events != NULL) {
    report_events(times, frames, to);
  }
}
