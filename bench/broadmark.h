/* Broadmark's scenes (Serpa and Rodrigues 2020) by its recipe: bodies in a cube with walls, thrown
 * together by a rigid-body engine. What they did is recorded, so that every broad phase sees the
 * same. */
#ifndef BENCH_BROADMARK_H
#define BENCH_BROADMARK_H

#include <stdint.h>
#include <stdio.h>

typedef enum bench_force {
  BENCH_BROWNIAN,  /* no gravity; each frame the next hundredth of the bodies gets a new velocity */
  BENCH_FREE_FALL, /* down */
  BENCH_GRAVITY,   /* four times as strong, and its direction turns */
} bench_force;

typedef enum bench_bodies {
  BENCH_CUBES,
  BENCH_BALLS,
  BENCH_ASSORTED, /* cubes and balls, the largest ten times the smallest */
} bench_bodies;

typedef struct bench_broadmark_def {
  bench_force force;
  bench_bodies bodies;
  uint32_t count;
  double density; /* unit cubes per unit of volume */
  uint32_t skip;  /* frames that pass before the recording begins */
  uint32_t frames;
  uint64_t seed;
} bench_broadmark_def;

/* Names as options have them; null past the last. */
const char *bench_force_name(unsigned force);
const char *bench_bodies_name(unsigned bodies);

/* Writes a recording (recording.h) to the file. Fails where there is no rigid-body engine. */
void bench_broadmark_record(const bench_broadmark_def *def, FILE *file);

#endif
