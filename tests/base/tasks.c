/* Tasks: the host's hook, the built-in pool, and what either does when things go wrong. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/tasks.h"
#include "support/counting_allocator.h"

/* Replaces the function of the C library: fails at a chosen call. */
static int threads_until_failure = -1;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
  if (threads_until_failure >= 0 && threads_until_failure-- == 0) {
    threads_until_failure = -1;
    return EAGAIN;
  }
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
  void *symbol = dlsym(RTLD_NEXT, "pthread_create");
  memcpy(&real, &symbol, sizeof real);
  return real(thread, attributes, run, argument);
}

enum { MAX = 5000 };

static unsigned char calls[MAX]; /* of each index; no two tasks share one */
static uint32_t order[MAX], order_count;

static void count_call(uint32_t index, void *context) {
  unsigned char *counts = context;
  counts[index]++;
}

static void note_order(uint32_t index, void *context) {
  (void)context;
  order[order_count++] = index;
}

static bool each_once(uint32_t count) {
  for (uint32_t i = 0; i < MAX; i++) {
    if (calls[i] != (i < count)) {
      return false;
    }
  }
  return true;
}

Test(tasks, no_hook_runs_in_order_here) {
  mo_host host = mo_default_host();
  cr_assert_null(host.tasks.for_each);
  cr_assert_eq(mo_tasks_workers(&host), 1);
  mo_tasks_run(&host, 0, note_order, NULL);
  cr_assert_eq(order_count, 0);
  mo_tasks_run(&host, 7, note_order, NULL);
  cr_assert_eq(order_count, 7);
  for (uint32_t i = 0; i < 7; i++) {
    cr_assert_eq(order[i], i);
  }
}

static uint32_t hook_calls, hook_count;

static void backwards(uint32_t count, mo_task *task, void *task_context, void *context) {
  cr_assert_eq(context, &hook_calls);
  hook_calls++;
  hook_count = count;
  for (uint32_t i = count; i-- > 0;) {
    task(i, task_context);
  }
}

Test(tasks, the_hook_of_the_host_is_used) {
  mo_host host = mo_default_host();
  host.tasks = (mo_tasks){backwards, 3, &hook_calls};
  cr_assert_eq(mo_tasks_workers(&host), 3);
  mo_tasks_run(&host, 9, count_call, calls);
  cr_assert(each_once(9));
  cr_assert_eq(hook_calls, 1);
  cr_assert_eq(hook_count, 9);
  mo_tasks_run(&host, 0, count_call, calls);
  cr_assert_eq(hook_calls, 1, "nothing to do is no call");
  host.tasks.worker_count = 0;
  cr_assert_eq(mo_tasks_workers(&host), 1);
}

Test(task_pool, runs_each_task_once) {
  for (uint32_t workers = 1; workers <= 5; workers++) {
    mo_task_pool *pool = NULL;
    cr_assert_eq(mo_task_pool_create(NULL, workers, &pool), MO_OK);
    mo_host host = mo_default_host();
    host.tasks = mo_task_pool_tasks(pool);
    cr_assert_eq(mo_tasks_workers(&host), workers);
    static const uint32_t counts[] = {0, 1, 2, 3, 17, MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      memset(calls, 0, sizeof calls);
      mo_tasks_run(&host, counts[i], count_call, calls);
      cr_assert(each_once(counts[i]), "%u tasks by %u workers", counts[i], workers);
      memset(calls, 0, sizeof calls);
      host.tasks.for_each(counts[i], count_call, calls, host.tasks.context);
      cr_assert(each_once(counts[i]), "the hook itself: %u tasks, %u workers", counts[i], workers);
    }
    mo_task_pool_destroy(pool);
  }
}

Test(task_pool, zero_workers_are_as_many_as_processors) {
  mo_task_pool *pool = NULL;
  cr_assert_eq(mo_task_pool_create(NULL, 0, &pool), MO_OK);
  cr_assert_geq(mo_task_pool_tasks(pool).worker_count, 1);
  mo_task_pool_destroy(pool);
}

static void meet(uint32_t index, void *context) {
  (void)index;
  pthread_barrier_wait(context);
}

Test(task_pool, workers_work_at_once, .timeout = 20) {
  mo_task_pool *pool = NULL;
  cr_assert_eq(mo_task_pool_create(NULL, 4, &pool), MO_OK);
  mo_tasks tasks = mo_task_pool_tasks(pool);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 4);
  /* Would not return if fewer than four tasks ran at a time. */
  tasks.for_each(8, meet, &barrier, tasks.context);
  pthread_barrier_destroy(&barrier);
  mo_task_pool_destroy(pool);
}

Test(task_pool, bad_arguments_are_refused) {
  mo_task_pool *pool = NULL;
  mo_allocator half = mo_default_allocator();
  half.release = NULL;
  cr_assert_eq(mo_task_pool_create(NULL, 2, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_task_pool_create(&half, 2, &pool), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_task_pool_create(NULL, MO_MAX_TASK_WORKERS + 1, &pool), MO_ERROR_TOO_MANY);
  cr_assert_eq(mo_task_pool_create(NULL, UINT32_MAX, &pool), MO_ERROR_TOO_MANY);
  cr_assert_null(pool, "outputs of a failed call are not written");
  mo_task_pool_destroy(NULL);
  mo_tasks none = mo_task_pool_tasks(NULL);
  cr_assert_null(none.for_each);
}

Test(task_pool, memory_is_the_allocators_and_may_run_out) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  mo_task_pool *pool = NULL;
  counting_allocator_fail_at(&counter, 1, true);
  cr_assert_eq(mo_task_pool_create(&allocator, 3, &pool), MO_ERROR_OUT_OF_MEMORY);
  cr_assert_null(pool);
  counting_allocator_fail_at(&counter, 0, false);
  cr_assert_eq(mo_task_pool_create(&allocator, 3, &pool), MO_OK);
  size_t before = counter.calls;
  mo_tasks tasks = mo_task_pool_tasks(pool);
  tasks.for_each(100, count_call, calls, tasks.context);
  cr_assert_eq(counter.calls, before, "a call allocates nothing");
  mo_task_pool_destroy(pool);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(task_pool, threads_cannot_be_created, .timeout = 20) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_allocator allocator = counting_allocator_make(&counter);
  for (int nth = 0; nth < 4; nth++) {
    mo_task_pool *pool = NULL;
    threads_until_failure = nth;
    cr_assert_eq(mo_task_pool_create(&allocator, 5, &pool), MO_ERROR_NO_THREAD, "thread %d", nth);
    cr_assert_null(pool);
    cr_assert_eq(threads_until_failure, -1, "the failure has happened");
    cr_assert(counting_allocator_is_clean(&counter));
  }
}
