/* Processor time for measurements. */
#ifndef DEMO_CLOCK_H
#define DEMO_CLOCK_H

#include <time.h>

/* Seconds that a processor has spent on the calling thread. Unlike wall time they do not grow while
 * other programs have the processor, so that what is measured does not depend on the load of the
 * machine. */
static inline double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
