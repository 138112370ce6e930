/* Where boxes are, frame after frame: as a workload has it, or as was recorded. */
#ifndef BENCH_COURSE_H
#define BENCH_COURSE_H

#include "broad.h"
#include "recording.h"
#include "workload.h"

typedef struct bench_course {
  bench_box *boxes; /* now */
  uint32_t count;
  double world;     /* edge of the cube around the origin that holds all centres */
  double lattice;   /* distance of the points on which centres are; faces are between them */
  double unit;      /* a usual edge */
  bool resize;      /* boxes change in size */
  bool replace;     /* movers are removed and added again */
  uint32_t *movers; /* who the last step moved */
  uint32_t mover_count;
  bench_workload *workload; /* null for a recording */
  bench_recording recording;
  bench_box *next; /* of a recording */
} bench_course;

bench_course *bench_course_of_workload(const bench_recipe *recipe, uint32_t count, uint64_t seed);

/* The file belongs to the course from then on. */
bench_course *bench_course_of_recording(FILE *file, const char *source);

void bench_course_destroy(bench_course *course);

/* The next frame. */
void bench_course_step(bench_course *course);

#endif
