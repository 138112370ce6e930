/* A hook for tasks that times them. */
#include "task_clock.h"

#include "timing.h"

static void for_each(uint32_t count, mo_task *task, void *task_context, void *context) {
  bench_task_clock *clock = context;
  double busy[BENCH_MAX_MODELLED] = {0}, longest = 0;
  bool nested = clock->running;
  clock->running = true;
  double begin = bench_clock();
  for (uint32_t i = 0; i < count; i++) {
    task(i, task_context);
    double end = bench_clock(), time = end - begin; /* with that of the clock, so not outside */
    begin = end;
    uint32_t first = 0; /* the worker that is free first */
    for (uint32_t w = 1; w < clock->workers; w++) {
      first = busy[w] < busy[first] ? w : first;
    }
    busy[first] += time;
    longest = busy[first] > longest ? busy[first] : longest;
    clock->inside += nested ? 0 : time;
  }
  clock->modelled += nested ? 0 : longest;
  clock->running = nested;
}

mo_tasks bench_task_clock_tasks(bench_task_clock *clock) {
  return (mo_tasks){.for_each = for_each, .worker_count = clock->workers, .context = clock};
}

void bench_task_clock_reset(bench_task_clock *clock) {
  clock->inside = clock->modelled = 0;
}
