#include "broadmark.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"

const char *bench_force_name(unsigned force) {
  static const char *const names[] = {"brownian", "freefall", "gravity", NULL};
  return names[force];
}

const char *bench_bodies_name(unsigned bodies) {
  static const char *const names[] = {"cubes", "balls", "assorted", NULL};
  return names[bodies];
}

#ifdef BENCH_HAVE_BULLET

#include "common/random.h"
#include "common/vector.h"
#include "recording.h"
#include "rigid.h"
#include "text.h"
#include "timing.h"

static const float seconds_per_frame = 1.0f / 30.0f;
enum { SUBSTEPS = 4 };

typedef struct scene {
  const bench_broadmark_def *def;
  float world;
  bench_rigid *rigid;
  struct random_stream random;
  uint32_t turn;         /* the body whose velocity is changed next */
  mo_vec3 gravity, axis; /* around which gravity turns */
} scene;

static mo_vec3 point_in_ball(struct random_stream *random, float radius) {
  float share = cbrtf(random_between(random, 0, 1));
  return vec3_scale(radius * share, random_direction(random));
}

static mo_vec3 any_velocity(scene *self) {
  return point_in_ball(&self->random, 0.75f * self->world);
}

/* Assorted edges are log-uniform from s to 10 s, with s such that the mean of their cubes is 1. */
static float half_of_body(scene *self) {
  const float smallest = 0.19051f;
  return self->def->bodies == BENCH_ASSORTED
             ? smallest / 2 * powf(10, random_between(&self->random, 0, 1))
             : 0.5f;
}

static scene create(const bench_broadmark_def *def) {
  scene self = {
      .def = def,
      .world = cbrtf((float)(def->count / def->density)),
      .random = random_from_seed(def->seed),
      .axis = {0, 0, 1},
  };
  float pull = 0.0981f * self.world;
  self.gravity = vec3(0,
                      def->force == BENCH_BROWNIAN    ? 0
                      : def->force == BENCH_FREE_FALL ? -pull
                                                      : -4 * pull,
                      0);
  bench_rigid_def *bodies = allocate(def->count, sizeof *bodies);
  for (uint32_t i = 0; i < def->count; i++) {
    bodies[i] = (bench_rigid_def){
        .is_ball = def->bodies == BENCH_BALLS || (def->bodies == BENCH_ASSORTED && i % 2 == 1),
        .half = half_of_body(&self),
        .position = point_in_ball(&self.random, 0.45f * self.world),
        .velocity = any_velocity(&self),
    };
  }
  self.rigid = bench_rigid_create(self.world, bodies, def->count);
  free(bodies);
  return self;
}

/* Rodrigues' formula; the axis is of length one. */
static mo_vec3 turned(mo_vec3 v, mo_vec3 axis, float angle) {
  mo_vec3 along = vec3_scale((1 - cosf(angle)) * vec3_dot(axis, v), axis);
  mo_vec3 across = vec3_scale(sinf(angle), vec3_cross(axis, v));
  return vec3_add(vec3_add(vec3_scale(cosf(angle), v), across), along);
}

static void act(scene *self) {
  if (self->def->force == BENCH_BROWNIAN) {
    for (uint32_t k = 0; k < (self->def->count + 99) / 100; k++) {
      bench_rigid_set_velocity(self->rigid, self->turn, any_velocity(self));
      self->turn = (self->turn + 1) % self->def->count;
    }
  } else if (self->def->force == BENCH_GRAVITY) {
    float angle = 6.2831853f * seconds_per_frame / 6.2f;
    self->gravity = turned(self->gravity, self->axis, angle);
    self->axis = turned(self->axis, vec3(1, 0, 0), angle);
  }
  bench_rigid_set_gravity(self->rigid, self->gravity);
}

static bool is_outside(const scene *self, mo_vec3 p) {
  return fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z))) > self->world / 2;
}

static void step(scene *self) {
  act(self);
  bench_rigid_step(self->rigid, seconds_per_frame, SUBSTEPS);
  for (uint32_t i = 0; i < self->def->count; i++) {
    if (is_outside(self, bench_rigid_position(self->rigid, i))) {
      bench_rigid_freeze(self->rigid, i);
    }
  }
}

/* Says now and then how far a simulation has come: large ones take minutes. */
typedef struct progress {
  const char *name;
  uint32_t frames, done;
  double start, said; /* s */
} progress;

static progress begin_progress(const char *name, const bench_broadmark_def *def) {
  progress self = {.name = name, .frames = def->skip + def->frames, .start = bench_clock()};
  self.said = self.start;
  bench_progress("%s: Bullet simulates %u frames of %u bodies, and the last %u are recorded", name,
                 self.frames, def->count, def->frames);
  return self;
}

static void advance(progress *self) {
  const double seconds_between = 5;
  double now = bench_clock();
  self->done++;
  if (now - self->said >= seconds_between) {
    self->said = now;
    bench_progress("%s: %u of %u frames simulated, some %.0f s to go", self->name, self->done,
                   self->frames, (now - self->start) * (self->frames - self->done) / self->done);
  }
}

static void record_boxes(const scene *self, FILE *file) {
  for (uint32_t i = 0; i < self->def->count; i++) {
    bench_recording_add(file, bench_rigid_bounds(self->rigid, i));
  }
}

void bench_broadmark_record(const bench_broadmark_def *def, FILE *file) {
  scene self = create(def);
  char *name = bench_format("%s %s", bench_force_name(def->force), bench_bodies_name(def->bodies));
  bench_recording_begin(file, name, bench_force_name(def->force), def->count, def->frames,
                        self.world);
  progress far = begin_progress(name, def);
  for (uint32_t frame = 0; frame < def->skip; frame++) {
    step(&self);
    advance(&far);
  }
  record_boxes(&self, file);
  for (uint32_t frame = 0; frame < def->frames; frame++) {
    step(&self);
    record_boxes(&self, file);
    advance(&far);
  }
  bench_rigid_destroy(self.rigid);
  free(name);
}

#else

void bench_broadmark_record(const bench_broadmark_def *def, FILE *file) {
  (void)def;
  (void)file;
  fail("Broadmark's scenes are set in motion by Bullet, which was not found when this was "
       "configured; --file takes a recording instead");
}

#endif
