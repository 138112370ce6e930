/* Costs are processor time: time that passes while nothing is computed does not count. */
#include "common/clock.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const double slept = 0.2;
  double start = processor_seconds();
  nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * slept)}, NULL);
  double asleep = processor_seconds() - start;
  while (processor_seconds() - start < 2.0 * asleep + 0.01) {
    /* computing does count, or else this would not end */
  }
  if (asleep > 0.5 * slept) {
    fprintf(stderr, "%.3f s of processor time passed in a sleep of %.3f s\n", asleep, slept);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
