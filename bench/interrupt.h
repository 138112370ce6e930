/* Ctrl-C ends a run early, not in vain: suites stop, then print and write what they have. */
#ifndef BENCH_INTERRUPT_H
#define BENCH_INTERRUPT_H

#include <stdbool.h>

/* From here on the first SIGINT or SIGTERM requests a stop. The second ends the program. */
void bench_catch_interrupts(void);

/* Whether a stop was requested. Suites check it between measurements. */
bool bench_interrupted(void);

#endif
