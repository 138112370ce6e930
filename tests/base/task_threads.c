/* The built-in pool under load: calls from several threads at once, calls inside of tasks, pools
 * that come and go. A plain program, because Criterion does not start under the thread
 * sanitizer. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/tasks.h"

enum { CALLERS = 3, ROUNDS = 60, WIDTH = 40, MIDDLE = 5, INNER = 6 };

/* Plain memory, so that the sanitizer sees whether the pool orders what it must. */
typedef struct work {
  mo_host host;
  uint32_t round;
  uint32_t value[WIDTH][MIDDLE][INNER];
} work;

typedef struct part {
  work *whole;
  uint32_t i, j;
} part;

static void inner(uint32_t index, void *context) {
  part *p = context;
  p->whole->value[p->i][p->j][index] += p->whole->round + p->i * p->j + index;
}

static void middle(uint32_t index, void *context) {
  part *outer = context;
  part p = {outer->whole, outer->i, index};
  mo_tasks_run(&p.whole->host, INNER, inner, &p);
}

static void outer(uint32_t index, void *context) {
  part p = {context, index, 0};
  mo_tasks_run(&p.whole->host, MIDDLE, middle, &p);
}

static void *call(void *context) {
  work *w = context;
  uintptr_t wrong = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    memset(w->value, 0, sizeof w->value);
    w->round = round;
    mo_tasks_run(&w->host, WIDTH, outer, w);
    for (uint32_t i = 0; i < WIDTH; i++) {
      for (uint32_t j = 0; j < MIDDLE; j++) {
        for (uint32_t k = 0; k < INNER; k++) {
          wrong += w->value[i][j][k] != round + i * j + k;
        }
      }
    }
    if (round % 20 == 0) {
      /* Long enough that the pool's threads fall asleep. */
      nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
  }
  return (void *)wrong;
}

static uintptr_t many_callers(uint32_t workers) {
  static work works[CALLERS];
  pthread_t threads[CALLERS];
  mo_task_pool *pool = NULL;
  if (mo_task_pool_create(NULL, workers, &pool) != MO_OK) {
    return 1;
  }
  uintptr_t wrong = 0;
  for (int i = 0; i < CALLERS; i++) {
    works[i].host = mo_default_host();
    works[i].host.tasks = mo_task_pool_tasks(pool);
    if (pthread_create(&threads[i], NULL, call, &works[i]) != 0) {
      return 1;
    }
  }
  for (int i = 0; i < CALLERS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    wrong += (uintptr_t)result;
  }
  mo_task_pool_destroy(pool);
  return wrong;
}

static void mark(uint32_t index, void *context) {
  ((uint32_t *)context)[index]++;
}

/* Destroyed at once after a call, or without one. */
static uintptr_t short_lives(void) {
  uintptr_t wrong = 0;
  for (uint32_t round = 0; round < 100; round++) {
    mo_task_pool *pool = NULL;
    uint32_t marks[8] = {0};
    wrong += mo_task_pool_create(NULL, 1 + round % 4, &pool) != MO_OK;
    if (wrong) {
      break;
    }
    mo_tasks tasks = mo_task_pool_tasks(pool);
    if (round % 3 != 0) {
      tasks.for_each(8, mark, marks, tasks.context);
      for (int i = 0; i < 8; i++) {
        wrong += marks[i] != 1;
      }
    }
    mo_task_pool_destroy(pool);
  }
  return wrong;
}

static pthread_t main_thread;
static volatile sig_atomic_t handled_here, handled_elsewhere;

static void handle(int signal_number) {
  (void)signal_number;
  if (pthread_equal(pthread_self(), main_thread)) {
    handled_here = 1;
  } else {
    handled_elsewhere = 1;
  }
}

/* The pool's threads take none of the process's signals. */
static uintptr_t signals(void) {
  mo_task_pool *pool = NULL;
  sigset_t set, before;
  main_thread = pthread_self();
  signal(SIGUSR1, handle);
  if (mo_task_pool_create(NULL, 4, &pool) != MO_OK) {
    return 1;
  }
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  kill(getpid(), SIGUSR1); /* every thread but those of the pool blocks it */
  nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  uintptr_t wrong = handled_here || handled_elsewhere;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  wrong += !handled_here || handled_elsewhere;
  mo_task_pool_destroy(pool);
  return wrong;
}

int main(void) {
  uintptr_t wrong = signals();
  printf("signals: %lu wrong\n", (unsigned long)wrong);
  for (uint32_t workers = 1; workers <= 4; workers++) {
    wrong += many_callers(workers);
    printf("%u workers: %lu wrong so far\n", workers, (unsigned long)wrong);
  }
  wrong += short_lives();
  printf("short lives: %lu wrong so far\n", (unsigned long)wrong);
  return wrong == 0 ? 0 : 1;
}
