/* A task hook that runs the last task first. Threads show a dependence on the order of tasks only
 * now and then; this shows it every time. */
#ifndef TEST_TASK_ORDER_H
#define TEST_TASK_ORDER_H

#include <motte/base.h>

/* Runs all tasks in the calling thread, the last one first. Work is cut as finely as for so many
 * workers. */
mo_tasks tasks_backwards(uint32_t workers);

#endif
