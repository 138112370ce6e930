#include "broad_check.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"

enum { SAMPLE = 24 };

typedef struct census {
  const bench_box *boxes;
  const uint8_t *marks; /* by body: whether it has moved, and which of the sample it is */
  bench_pair_count count;
  uint32_t partners[SAMPLE];
} census;

enum { MOVED = 0x80, OF_SAMPLE = 0x7f }; /* the number in the sample, from 1 */

static bool overlap(float a, float b, float half_a, float half_b) {
  return fabs((double)a - (double)b) <= (double)half_a + (double)half_b;
}

static bool touch(const bench_box *a, const bench_box *b) {
  return overlap(a->center.x, b->center.x, a->half.x, b->half.x) &&
         overlap(a->center.y, b->center.y, a->half.y, b->half.y) &&
         overlap(a->center.z, b->center.z, a->half.z, b->half.z);
}

/* splitmix64's finisher (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void count_pair(uint32_t a, uint32_t b, void *context) {
  census *self = context;
  if (!touch(&self->boxes[a], &self->boxes[b])) {
    return;
  }
  uint8_t marks[2] = {self->marks[a], self->marks[b]};
  self->count.pairs++;
  for (int i = 0; i < 2; i++) {
    if (marks[i] & OF_SAMPLE) {
      self->partners[(marks[i] & OF_SAMPLE) - 1]++;
    }
  }
  if ((marks[0] | marks[1]) & MOVED) {
    self->count.moved++;
    self->count.hash += mix((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a));
  }
}

/* Draws boxes that moved, as not all engines report others. Returns how many. */
static uint32_t draw_sample(const bench_course *course, uint8_t *marks, uint32_t sample[SAMPLE]) {
  struct random_stream random = random_from_seed(course->mover_count);
  uint32_t count = 0;
  for (uint32_t i = 0; i < SAMPLE && course->mover_count > 0; i++) {
    uint32_t body = course->movers[random_below(&random, course->mover_count)];
    if ((marks[body] & OF_SAMPLE) == 0) {
      sample[count++] = body;
      marks[body] = (uint8_t)(marks[body] | count);
    }
  }
  return count;
}

static uint32_t count_partners(const bench_course *course, uint32_t body) {
  uint32_t partners = 0;
  for (uint32_t j = 0; j < course->count; j++) {
    partners += j != body && touch(&course->boxes[body], &course->boxes[j]);
  }
  return partners;
}

bench_pair_count bench_pair_check(bench_run *run, bench_contender *contender,
                                  const bench_course *course) {
  uint8_t *marks = allocate(course->count, 1);
  for (uint32_t k = 0; k < course->mover_count; k++) {
    marks[course->movers[k]] = MOVED;
  }
  uint32_t sample[SAMPLE], drawn = draw_sample(course, marks, sample);
  census self = {.boxes = course->boxes, .marks = marks};
  const bench_broad_engine *engine = (const bench_broad_engine *)contender->engine;
  engine->pairs(contender->world, count_pair, &self);
  for (uint32_t i = 0; i < drawn; i++) {
    uint32_t partners = count_partners(course, sample[i]);
    if (partners != self.partners[i]) {
      bench_refuse(run, contender, "box %u has %u partners, not %u", sample[i], partners,
                   self.partners[i]);
    }
  }
  free(marks);
  return self.count;
}
