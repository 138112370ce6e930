/* Parallel work: numbered tasks, run on threads by the host's hook. */
#ifndef MO_BASE_TASKS_H
#define MO_BASE_TASKS_H

#include <motte/base.h>

/* Calls task(i, context) for each i < count, through the host's hook if there is one, else in order
 * in the calling thread; returns when all have returned. Results must not depend on the order, nor
 * on which thread runs a task: tasks write to separate memory, or add numbers whose sum is the same
 * in any order. */
void mo_tasks_run(const mo_host *host, uint32_t count, mo_task *task, void *context);

/* The index where a part begins, if `total` elements are divided evenly among `part_count` parts.
 */
static inline uint32_t mo_part_begin(uint64_t total, uint32_t part, uint32_t part_count) {
  return (uint32_t)(total * part / part_count);
}

/* How many tasks may run at once, at least 1: a guide for the number of parts of a job. */
uint32_t mo_tasks_workers(const mo_host *host);

#endif
