/* A hook for tasks that times them: how long several workers would take, on a machine that has
 * fewer processors. */
#ifndef BENCH_TASK_CLOCK_H
#define BENCH_TASK_CLOCK_H

#include <motte/base.h>

enum { BENCH_MAX_MODELLED = 64 };

typedef struct bench_task_clock {
  uint32_t workers; /* at most BENCH_MAX_MODELLED */
  bool running;     /* a task: those that it starts in turn belong to its time */
  /* Seconds since bench_task_clock_reset: in tasks, and what the workers would have taken for them
   * if each began the next task as soon as it was free. */
  double inside, modelled;
} bench_task_clock;

/* Runs all tasks in the calling thread, the first one first, cut as finely as for the workers of
 * the clock. One thread at a time. */
mo_tasks bench_task_clock_tasks(bench_task_clock *clock);

void bench_task_clock_reset(bench_task_clock *clock);

#endif
