/* A scene as a file of BART describes it, written into memory: it goes the way of a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "animation.h"
#include "common/check.h"
#include "common/random.h"

/* Limbs of a figure. A limb is below another one, from whose joint its own is away by an offset;
 * its body is a ball stretched to half sizes, with the middle half a length below its joint. */
static const struct {
  int parent;
  double offset[3], half[3], swing; /* degrees to both sides */
} limbs[] = {
    {-1, {0, 2, 0}, {0.35, 0.25, 0.2}, 5},      /* hips */
    {0, {0, 0.9, 0}, {0.4, 0.5, 0.25}, 8},      /* chest */
    {1, {0, 0.6, 0}, {0.22, 0.3, 0.22}, 25},    /* head */
    {1, {0.5, -0.1, 0}, {0.12, 0.4, 0.12}, 60}, /* arms */
    {3, {0, -0.75, 0}, {0.1, 0.35, 0.1}, 40},
    {4, {0, -0.65, 0}, {0.1, 0.15, 0.05}, 30}, /* hand */
    {1, {-0.5, -0.1, 0}, {0.12, 0.4, 0.12}, 60},
    {6, {0, -0.75, 0}, {0.1, 0.35, 0.1}, 40},
    {7, {0, -0.65, 0}, {0.1, 0.15, 0.05}, 30},
    {0, {0.2, -0.2, 0}, {0.15, 0.5, 0.15}, 35}, /* legs */
    {9, {0, -0.9, 0}, {0.12, 0.45, 0.12}, 30},
    {10, {0, -0.8, 0}, {0.1, 0.08, 0.25}, 15},
    {0, {-0.2, -0.2, 0}, {0.15, 0.5, 0.15}, 35},
    {12, {0, -0.9, 0}, {0.12, 0.45, 0.12}, 30},
    {13, {0, -0.8, 0}, {0.1, 0.08, 0.25}, 15},
};

enum { LIMBS = sizeof limbs / sizeof *limbs, SECONDS = 10, STEPS = 2 * SECONDS };

/* Twice a second a limb is anywhere in its range, about any axis that is more across than along. */
static void write_swing(FILE *file, uint32_t figure, int limb, struct random_stream *random) {
  fprintf(file, "k limb%u_%d {\n rot %d\n", figure, limb, STEPS + 3);
  for (int step = -1; step <= STEPS + 1; step++) {
    double range = limbs[limb].swing, turn = random_between(random, -1, 1) * range;
    fprintf(file, " %g 1 %g %g %g 0 0 0\n", step / 2.0, random_between(random, -0.3f, 0.3f),
            random_between(random, -0.3f, 0.3f), turn);
  }
  fputs("}\n", file);
}

static void write_limb(FILE *file, uint32_t figure, int limb) {
  const double *offset = limbs[limb].offset, *half = limbs[limb].half;
  fprintf(file, "xs 1 1 1 0 0 0 0 %g %g %g {\nx limb%u_%d {\n", offset[0], offset[1], offset[2],
          figure, limb);
  fprintf(file, "xs %g %g %g 0 0 0 0 0 %g 0 { s 0 0 0 1 }\n", half[0], half[1], half[2],
          limb > 2 ? -half[1] : half[1]);
  for (int i = limb + 1; i < LIMBS; i++) {
    if (limbs[i].parent == limb) {
      write_limb(file, figure, i);
    }
  }
  fputs("}\n}\n", file);
}

static void write_walk(FILE *file, uint32_t figure, double size, struct random_stream *random) {
  double x = random_between(random, 0, 1) * size, z = random_between(random, 0, 1) * size;
  double angle = random_between(random, 0, 360);
  fprintf(file, "k figure%u {\n transl %d\n", figure, SECONDS + 3);
  for (int step = -1; step <= SECONDS + 1; step++) {
    x += random_between(random, -1.5f, 1.5f);
    z += random_between(random, -1.5f, 1.5f);
    fprintf(file, " %d %g 0 %g 0 0 0\n", step, x, z);
  }
  fprintf(file, " rot %d\n", SECONDS + 3);
  for (int step = -1; step <= SECONDS + 1; step++) {
    angle += random_between(random, -60, 60);
    fprintf(file, " %d 0 1 0 %g 0 0 0\n", step, angle);
  }
  fputs("}\n", file);
}

static void write_camera(FILE *file, double size) {
  fprintf(file, "v from %g %g %g at %g 0 %g up 0 1 0 angle 50 hither 1 resolution 512 512\n",
          -0.3 * size, 4 + 0.4 * size, -0.3 * size, 0.5 * size, 0.5 * size);
  fprintf(file, "a 0 %d %d\nl %g %g %g\n", SECONDS, 80 * SECONDS, 0.5 * size, 20 + size, size);
}

bench_animation *bench_animation_generate(uint32_t figures, uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  double size = 3 * sqrt(figures); /* of the ground */
  char *text;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  if (file == NULL) {
    fail("cannot open a stream in memory");
  }
  write_camera(file, size);
  fprintf(file, "p 4 -10 0 -10 -10 0 %g %g 0 %g %g 0 -10\n", size + 10, size + 10, size + 10,
          size + 10);
  for (uint32_t i = 0; i < figures; i++) {
    fprintf(file, "x figure%u {\n", i);
    write_limb(file, i, 0);
    fputs("}\n", file);
    write_walk(file, i, size, &random);
    for (int limb = 0; limb < LIMBS; limb++) {
      write_swing(file, i, limb, &random);
    }
  }
  fclose(file);
  bench_animation *animation = bench_animation_parse("figures", text);
  free(text);
  return animation;
}
