/* Whether engines find the same bodies to touch. */
#ifndef BENCH_STEP_CHECK_H
#define BENCH_STEP_CHECK_H

#include <stdbool.h>

#include "step.h"

/* What was compared, summed over the steps at which it was. */
typedef struct bench_step_census {
  size_t touching; /* pairs that Motte says touch */
  size_t missing;  /* of these, deeper than the engine's band: not found by the engine */
  size_t extra; /* pairs that the engine says overlap by more than the band, and Motte not at all */
} bench_step_census;

/* Adds a step to a census. Motte's other engines must report what the first one does, bit for bit;
 * returns whether they do. */
bool bench_step_compare(const bench_step_engine *engine, void *world,
                        const bench_step_engine *reference, void *reference_world,
                        bench_step_census *census);

/* Whether at most one pair in fifty is missing or extra. */
bool bench_step_is_close(const bench_step_census *census);

#endif
