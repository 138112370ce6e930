/* For programs that do without Criterion. */
#include "support/plain.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/task_order.h"

void need(mo_result result, const char *what) {
  enum { SKIPPED = 77 };
  if (result != MO_OK) {
    fprintf(stderr, "cannot %s: %s\n", what, mo_result_text(result));
    exit(result == MO_ERROR_NO_THREAD ? SKIPPED : 1);
  }
}

static int differs(uint64_t expected, uint64_t sum, mo_tree_policy policy, const char *how,
                   uint32_t workers) {
  printf("policy %d, %s %u workers: %s\n", (int)policy, how, workers,
         sum == expected ? "same" : "DIFFERENT");
  return sum != expected;
}

int count_differences(threaded_work *work, uint64_t seed, const uint32_t *workers) {
  static const mo_tree_policy policies[] = {MO_TREE_IRREGULAR, MO_TREE_LOOSE};
  int count = 0;
  for (int i = 0; i < 2; i++) {
    uint64_t alone = work(seed, policies[i], (mo_tasks){0});
    for (const uint32_t *n = workers; *n != 0; n++) {
      uint64_t backwards = work(seed, policies[i], tasks_backwards(*n));
      count += differs(alone, backwards, policies[i], "tasks backwards for", *n);
      mo_task_pool *pool;
      need(mo_task_pool_create(NULL, *n, &pool), "start threads");
      uint64_t together = work(seed, policies[i], mo_task_pool_tasks(pool));
      count += differs(alone, together, policies[i], "threads of", *n);
      mo_task_pool_destroy(pool);
    }
  }
  return count;
}
