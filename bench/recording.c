#include "recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

typedef struct corners {
  float lower[3], zero, upper[3], zero_too;
} corners;

typedef struct head {
  char name[128], type[128];
  int32_t count, frames, zeros[2];
  corners world;
} head;

_Static_assert(sizeof(corners) == 32 && sizeof(head) == 304, "as in the file, without padding");

static void write(FILE *file, const void *data, size_t size) {
  if (fwrite(data, size, 1, file) != 1) {
    fail("cannot write a recording");
  }
}

static void read(const bench_recording *recording, void *data, size_t size, size_t count) {
  if (fread(data, size, count, recording->file) != count) {
    fail("%s: not a recording of boxes, or cut short", recording->source);
  }
}

void bench_recording_begin(FILE *file, const char *name, const char *type, uint32_t count,
                           uint32_t frames, double world) {
  float half = (float)(world / 2);
  head h = {
      .count = (int32_t)count,
      .frames = (int32_t)frames,
      .world = {.lower = {-half, -half, -half}, .upper = {half, half, half}},
  };
  snprintf(h.name, sizeof h.name, "%s", name);
  snprintf(h.type, sizeof h.type, "%s", type);
  write(file, &h, sizeof h);
}

void bench_recording_add(FILE *file, mo_aabb box) {
  corners c = {.lower = {box.lower.x, box.lower.y, box.lower.z},
               .upper = {box.upper.x, box.upper.y, box.upper.z}};
  write(file, &c, sizeof c);
}

bench_recording bench_recording_open(FILE *file, const char *source) {
  bench_recording recording = {.file = file, .source = source};
  head h;
  read(&recording, &h, sizeof h, 1);
  double edge = 0;
  float middle[3];
  for (int axis = 0; axis < 3; axis++) {
    edge = fmax(edge, (double)h.world.upper[axis] - h.world.lower[axis]);
    middle[axis] = h.world.lower[axis] / 2 + h.world.upper[axis] / 2;
  }
  if (h.count < 1 || h.count > 10000000 || h.frames < 1 || !(edge > 0) || !isfinite(edge)) {
    fail("%s: a recording of %d boxes and %d frames in a world %g wide?", source, (int)h.count,
         (int)h.frames, edge);
  }
  recording.count = (uint32_t)h.count;
  recording.frames = (uint32_t)h.frames;
  recording.world = edge;
  recording.middle = (mo_vec3){middle[0], middle[1], middle[2]};
  recording.lattice = ldexp(1, ilogb(edge) + 1 - 16);
  return recording;
}

void bench_recording_close(bench_recording *recording) {
  fclose(recording->file);
}

static void to_lattice(double lattice, double lower, double upper, double middle, float *center,
                       float *half) {
  *center = (float)(round(((lower + upper) / 2 - middle) / lattice) * lattice);
  *half = (float)((round((upper - lower) / 2 / lattice) + 0.25) * lattice);
}

void bench_recording_next(bench_recording *recording, bench_box *boxes) {
  corners *frame = allocate(recording->count, sizeof *frame);
  read(recording, frame, sizeof *frame, recording->count);
  double lattice = recording->lattice;
  mo_vec3 m = recording->middle;
  for (uint32_t i = 0; i < recording->count; i++) {
    const corners *c = &frame[i];
    bench_box *b = &boxes[i];
    to_lattice(lattice, c->lower[0], c->upper[0], m.x, &b->center.x, &b->half.x);
    to_lattice(lattice, c->lower[1], c->upper[1], m.y, &b->center.y, &b->half.y);
    to_lattice(lattice, c->lower[2], c->upper[2], m.z, &b->center.z, &b->half.z);
  }
  free(frame);
}
