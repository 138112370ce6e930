/* Tasks through the host's hook. */
#include "base/tasks.h"

void mo_tasks_run(const mo_host *host, uint32_t count, mo_task *task, void *context) {
  if (host->tasks.for_each != NULL && count > 1) {
    host->tasks.for_each(count, task, context, host->tasks.context);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    task(i, context);
  }
}

uint32_t mo_tasks_workers(const mo_host *host) {
  return host->tasks.for_each != NULL && host->tasks.worker_count > 1 ? host->tasks.worker_count
                                                                      : 1;
}
