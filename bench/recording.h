/* Files of recorded boxes, in the format of Broadmark (Serpa and Rodrigues, "Broadmark: a testing
 * framework for broad-phase collision detection algorithms", Computer Graphics Forum 2020): a name
 * and a type of 128 characters each, four 32-bit integers (boxes, frames, 0, 0), the box of the
 * world, then the boxes at the start and after each frame. A box is eight floats: minimum, 0,
 * maximum, 0. In the byte order of the machine. */
#ifndef BENCH_RECORDING_H
#define BENCH_RECORDING_H

#include <stdio.h>

#include "broad.h"

typedef struct bench_recording {
  FILE *file;
  const char *source; /* for messages */
  uint32_t count, frames;
  double world; /* the longest edge of its box */
  mo_vec3 middle;
  double lattice;
} bench_recording;

/* Writes the head of a file with a world around the origin. Fails with a message, as all here do.
 */
void bench_recording_begin(FILE *file, const char *name, const char *type, uint32_t count,
                           uint32_t frames, double world);

/* Appends one box. */
void bench_recording_add(FILE *file, mo_aabb box);

/* Reads the head. The file, of which `source` is the name, belongs to the recording from then on.
 */
bench_recording bench_recording_open(FILE *file, const char *source);
void bench_recording_close(bench_recording *recording);

/* Reads the boxes of the next frame, the start's first. They are moved by at most a 65,536th of the
 * world, to a lattice, with sizes between its points, and the middle of the world to the origin:
 * all coordinates are exact in single precision then, and no two faces ever touch. */
void bench_recording_next(bench_recording *recording, bench_box *boxes);

#endif
