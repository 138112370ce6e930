/* The built-in thread pool for mo_tasks.
 *
 * A call of the hook puts a job, which lives on the caller's stack, at the front of the pool's
 * list. Threads join the first job with remaining tasks; an atomic counter hands out the indices.
 * The caller runs tasks too. When the counter is exhausted, the job is removed from the list, so
 * that no more threads join it, and the caller waits for the threads that have joined.
 *
 * Nested and concurrent calls cannot deadlock: a thread waits only for tasks that have started, and
 * these wait only for tasks of their own nested calls. So waiting forms a tree, whose leaves make
 * progress.
 *
 * One mutex guards the list, joining and leaving. It is taken twice per thread and job, which is
 * cheap relative to the tasks. To start fast, an idle thread polls `listed_job_count` for a while
 * before it sleeps, unless there are more threads than processors: then polling would only slow
 * down the others. */
#define _GNU_SOURCE /* declares sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/memory.h"

/* Polls before an idle thread sleeps: about 20 microseconds, the cost of waking a thread. */
enum { MAX_SPINS = 500 };

typedef struct job {
  struct job *next;
  mo_task *task;
  void *context;
  uint64_t count;
  _Atomic uint64_t next_index; /* the next task; may exceed `count` in the end; cannot overflow */
  atomic_uint joined_count;    /* threads in the job, without the caller; written under the mutex */
  bool is_listed;              /* in the list of the pool; guarded by the mutex */
  bool caller_sleeps;          /* the caller waits for `job_finished`; guarded by the mutex */
} job;

struct mo_task_pool {
  mo_allocator allocator;
  uint32_t thread_count;
  int spin_count; /* polls before a thread sleeps */
  pthread_t *threads;
  pthread_mutex_t mutex;
  pthread_cond_t job_listed;   /* a job was listed, or the pool is ending */
  pthread_cond_t job_finished; /* the last thread left a job whose caller sleeps */
  job *jobs;                   /* linked list of jobs that may have unstarted tasks, newest first */
  uint32_t sleeping_count;     /* threads that wait for `job_listed` */
  atomic_uint listed_job_count; /* length of `jobs`, which idle threads read without the mutex */
  atomic_bool is_ending;
};

static inline void pause_processor(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void run_tasks(job *j) {
  for (;;) {
    uint64_t index = atomic_fetch_add_explicit(&j->next_index, 1, memory_order_relaxed);
    if (index >= j->count) {
      return;
    }
    j->task((uint32_t)index, j->context);
  }
}

/* Removes a job from the pool's list. The mutex must be locked. */
static void unlist_job(mo_task_pool *pool, job *j) {
  if (!j->is_listed) {
    return;
  }
  job **link = &pool->jobs;
  while (*link != j) {
    link = &(*link)->next;
  }
  *link = j->next;
  j->is_listed = false;
  atomic_fetch_sub_explicit(&pool->listed_job_count, 1, memory_order_relaxed);
}

/* Ends a thread's part in a job, which may no longer exist afterwards. The mutex must be locked. */
static void leave_job(mo_task_pool *pool, job *j) {
  unlist_job(pool, j);
  bool wake = j->caller_sleeps;
  if (atomic_fetch_sub_explicit(&j->joined_count, 1, memory_order_release) == 1 && wake) {
    pthread_cond_broadcast(&pool->job_finished);
  }
}

/* Waits for a job by polling, but not for long. */
static void poll_for_jobs(mo_task_pool *pool) {
  for (int i = 0; i < pool->spin_count; i++) {
    if (atomic_load_explicit(&pool->listed_job_count, memory_order_relaxed) > 0 ||
        atomic_load_explicit(&pool->is_ending, memory_order_relaxed)) {
      return;
    }
    pause_processor();
  }
}

static void *run_thread(void *context) {
  mo_task_pool *pool = context;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    if (pool->jobs != NULL) {
      job *j = pool->jobs;
      atomic_fetch_add_explicit(&j->joined_count, 1, memory_order_relaxed);
      pthread_mutex_unlock(&pool->mutex);
      run_tasks(j);
      pthread_mutex_lock(&pool->mutex);
      leave_job(pool, j);
      if (pool->jobs != NULL) {
        continue;
      }
      pthread_mutex_unlock(&pool->mutex);
      poll_for_jobs(pool);
      pthread_mutex_lock(&pool->mutex);
    } else if (atomic_load_explicit(&pool->is_ending, memory_order_relaxed)) {
      break;
    } else {
      pool->sleeping_count++;
      pthread_cond_wait(&pool->job_listed, &pool->mutex);
      pool->sleeping_count--;
    }
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

static void wait_for_others(mo_task_pool *pool, job *j) {
  for (int i = 0; i < pool->spin_count; i++) {
    if (atomic_load_explicit(&j->joined_count, memory_order_acquire) == 0) {
      return;
    }
    pause_processor();
  }
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load_explicit(&j->joined_count, memory_order_acquire) > 0) {
    j->caller_sleeps = true;
    pthread_cond_wait(&pool->job_finished, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void run_job(uint32_t count, mo_task *task, void *task_context, void *context) {
  mo_task_pool *pool = context;
  if (count <= 1 || pool->thread_count == 0) {
    for (uint32_t i = 0; i < count; i++) {
      task(i, task_context);
    }
    return;
  }
  job j = {.task = task, .context = task_context, .count = count, .is_listed = true};
  pthread_mutex_lock(&pool->mutex);
  j.next = pool->jobs;
  pool->jobs = &j;
  atomic_fetch_add_explicit(&pool->listed_job_count, 1, memory_order_relaxed);
  uint32_t wanted = count - 1 < pool->sleeping_count ? count - 1 : pool->sleeping_count;
  bool all = wanted == pool->sleeping_count;
  pthread_mutex_unlock(&pool->mutex);
  if (all && wanted > 1) {
    pthread_cond_broadcast(&pool->job_listed);
  } else {
    for (uint32_t i = 0; i < wanted; i++) {
      pthread_cond_signal(&pool->job_listed);
    }
  }

  run_tasks(&j);

  pthread_mutex_lock(&pool->mutex);
  unlist_job(pool, &j);
  pthread_mutex_unlock(&pool->mutex);
  wait_for_others(pool, &j);
}

static uint32_t processor_count(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return (uint32_t)CPU_COUNT(&set);
  }
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : online > MO_MAX_TASK_WORKERS ? MO_MAX_TASK_WORKERS : (uint32_t)online;
}

/* Threads are started with all signals blocked: signal handlers belong to the host and run in its
 * threads. */
static bool start_threads(mo_task_pool *pool, uint32_t count) {
  sigset_t all, before;
  sigfillset(&all);
  bool blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  while (pool->thread_count < count &&
         pthread_create(&pool->threads[pool->thread_count], NULL, run_thread, pool) == 0) {
    pool->thread_count++;
  }
  if (blocked) {
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  return pool->thread_count == count;
}

static void end_threads(mo_task_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  atomic_store_explicit(&pool->is_ending, true, memory_order_relaxed);
  pthread_cond_broadcast(&pool->job_listed);
  pthread_mutex_unlock(&pool->mutex);
  for (uint32_t i = 0; i < pool->thread_count; i++) {
    pthread_join(pool->threads[i], NULL);
  }
}

/* Initialises the mutex and the condition variables. If the system lacks resources, returns false,
 * and nothing is initialised. */
static bool init_locks(mo_task_pool *pool) {
  if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
    return false;
  }
  if (pthread_cond_init(&pool->job_listed, NULL) != 0) {
    pthread_mutex_destroy(&pool->mutex);
    return false;
  }
  if (pthread_cond_init(&pool->job_finished, NULL) != 0) {
    pthread_cond_destroy(&pool->job_listed);
    pthread_mutex_destroy(&pool->mutex);
    return false;
  }
  return true;
}

static size_t pool_size(uint32_t threads) {
  return sizeof(mo_task_pool) + threads * sizeof(pthread_t);
}

static void destroy_locks(mo_task_pool *pool) {
  pthread_cond_destroy(&pool->job_finished);
  pthread_cond_destroy(&pool->job_listed);
  pthread_mutex_destroy(&pool->mutex);
}

mo_result mo_task_pool_create(const mo_allocator *allocator, uint32_t worker_count,
                              mo_task_pool **pool) {
  mo_allocator memory = allocator != NULL ? *allocator : mo_default_allocator();
  if (pool == NULL || memory.allocate == NULL || memory.release == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (worker_count > MO_MAX_TASK_WORKERS) {
    return MO_ERROR_TOO_MANY;
  }
  uint32_t processors = processor_count();
  uint32_t threads = (worker_count == 0 ? processors : worker_count) - 1;
  mo_task_pool *made = mo_allocate(&memory, 1, pool_size(threads));
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *made = (mo_task_pool){
      .allocator = memory,
      .spin_count = threads < processors ? MAX_SPINS : 0,
      .threads = (pthread_t *)(made + 1),
  };
  if (!init_locks(made)) {
    mo_deallocate(&memory, made, 1, pool_size(threads));
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (!start_threads(made, threads)) {
    end_threads(made);
    destroy_locks(made);
    mo_deallocate(&memory, made, 1, pool_size(threads));
    return MO_ERROR_NO_THREAD;
  }
  *pool = made;
  return MO_OK;
}

mo_tasks mo_task_pool_tasks(mo_task_pool *pool) {
  return pool != NULL ? (mo_tasks){run_job, pool->thread_count + 1, pool} : (mo_tasks){0};
}

void mo_task_pool_destroy(mo_task_pool *pool) {
  if (pool == NULL) {
    return;
  }
  mo_allocator allocator = pool->allocator;
  size_t size = pool_size(pool->thread_count);
  end_threads(pool);
  destroy_locks(pool);
  mo_deallocate(&allocator, pool, 1, size);
}
