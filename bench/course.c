#include "course.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"

static bench_box box_of(const bench_body *body) {
  return (bench_box){body->center, {body->half, body->half, body->half}};
}

static bench_course *create(uint32_t count, double world) {
  bench_course *course = allocate(1, sizeof *course);
  course->count = count;
  course->world = world;
  course->boxes = allocate(count, sizeof *course->boxes);
  course->movers = allocate(count, sizeof *course->movers);
  return course;
}

bench_course *bench_course_of_workload(const bench_recipe *recipe, uint32_t count, uint64_t seed) {
  bench_workload *workload = bench_workload_create(recipe, count, false, seed);
  bench_course *course = create(count, workload->world);
  course->workload = workload;
  course->lattice = bench_lattice;
  course->unit = 1;
  course->replace = bench_replaces(recipe->motion);
  for (uint32_t i = 0; i < count; i++) {
    course->boxes[i] = box_of(&workload->bodies[i]);
  }
  return course;
}

static double mean_edge(const bench_course *course) {
  double sum = 0;
  for (uint32_t i = 0; i < course->count; i++) {
    mo_vec3 half = course->boxes[i].half;
    sum += 2 * ((double)half.x + half.y + half.z) / 3;
  }
  return sum / course->count;
}

bench_course *bench_course_of_recording(FILE *file, const char *source) {
  bench_recording recording = bench_recording_open(file, source);
  bench_course *course = create(recording.count, recording.world);
  course->recording = recording;
  course->resize = true;
  course->next = allocate(recording.count, sizeof *course->next);
  bench_recording_next(&course->recording, course->boxes);
  course->lattice = recording.lattice;
  course->unit = mean_edge(course);
  return course;
}

void bench_course_destroy(bench_course *course) {
  if (course->workload != NULL) {
    bench_workload_destroy(course->workload);
  } else {
    bench_recording_close(&course->recording);
  }
  free(course->boxes);
  free(course->movers);
  free(course->next);
  free(course);
}

static void step_workload(bench_course *course) {
  const bench_workload *workload = course->workload;
  bench_workload_step(course->workload);
  course->mover_count = workload->mover_count;
  for (uint32_t k = 0; k < workload->mover_count; k++) {
    uint32_t body = workload->movers[k];
    course->movers[k] = body;
    course->boxes[body] = box_of(&workload->bodies[body]);
  }
}

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void step_recording(bench_course *course) {
  bench_recording_next(&course->recording, course->next);
  course->mover_count = 0;
  for (uint32_t i = 0; i < course->count; i++) {
    const bench_box *now = &course->boxes[i], *next = &course->next[i];
    if (!same(now->center, next->center) || !same(now->half, next->half)) {
      course->movers[course->mover_count++] = i;
    }
  }
  bench_box *previous = course->boxes;
  course->boxes = course->next;
  course->next = previous;
}

void bench_course_step(bench_course *course) {
  if (course->workload != NULL) {
    step_workload(course);
  } else {
    step_recording(course);
  }
}
