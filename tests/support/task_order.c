#include "support/task_order.h"

static void run_backwards(uint32_t count, mo_task *task, void *task_context, void *context) {
  (void)context;
  for (uint32_t i = count; i-- > 0;) {
    task(i, task_context);
  }
}

mo_tasks tasks_backwards(uint32_t workers) {
  return (mo_tasks){run_backwards, workers, NULL};
}
