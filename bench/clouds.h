/* Files of point clouds: convex_hulls.bin of Jolt, which has of each cloud the number of its
 * points, then three floats each. */
#ifndef BENCH_CLOUDS_H
#define BENCH_CLOUDS_H

#include "hulls.h"

typedef struct bench_clouds {
  bench_cloud *item;
  size_t count, capacity;
} bench_clouds;

/* All clouds of the file in a folder. Fails with a message if there is none, or a cloud is broken
 * or has no hull, not even a flat one. */
bench_clouds bench_clouds_read(const char *folder);
void bench_clouds_free(bench_clouds *clouds);

#endif
