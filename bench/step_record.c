/* Bodies in motion by sequential impulses (Catto, "Iterative dynamics with temporal coherence",
 * 2005), warm started; where they touch is found by Motte. Plain rather than exact: a body is as
 * hard to turn as a ball of its size, about every axis. */
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"
#include "interrupt.h"
#include "step_motte.h"
#include "step_scenes.h"

static const float dt = 1.0f / 60, overlap = 0.005f, slowing = 0.995f;
enum { PASSES = 6 };

typedef struct body {
  bench_pose pose;
  mo_vec3 linear, angular;
  float inverse_mass, inverse_inertia; /* 0 of what never moves */
} body;

/* One direction in which a contact point holds two bodies: its normal, or one across it. */
typedef struct row {
  mo_vec3 along, arm_a, arm_b;
  float inverse; /* of the mass that an impulse along it moves */
  float *impulse;
} row;

typedef struct point {
  body *a, *b;
  row rows[3]; /* the normal's first */
  float speed; /* at which the bodies should part at least */
} point;

typedef struct solver {
  bench_step_world world;
  mo_contact_tracker *tracker;
  body *bodies;
  point *points;
  size_t point_count, point_capacity;
} solver;

static void push(const row *r, body *a, body *b, float impulse) {
  a->linear = vec3_sub(a->linear, vec3_scale(impulse * a->inverse_mass, r->along));
  a->angular = vec3_sub(a->angular, vec3_scale(impulse * a->inverse_inertia, r->arm_a));
  b->linear = vec3_add(b->linear, vec3_scale(impulse * b->inverse_mass, r->along));
  b->angular = vec3_add(b->angular, vec3_scale(impulse * b->inverse_inertia, r->arm_b));
}

/* Changes an impulse such that two bodies part at a speed, as far as its bounds allow. */
static void solve(const row *r, point *p, float speed, float min, float max) {
  float parting = vec3_dot(r->along, vec3_sub(p->b->linear, p->a->linear)) +
                  vec3_dot(r->arm_b, p->b->angular) - vec3_dot(r->arm_a, p->a->angular);
  float before = *r->impulse;
  *r->impulse = fmaxf(min, fminf(max, before + (speed - parting) * r->inverse));
  push(r, p->a, p->b, *r->impulse - before);
}

static row make_row(const point *p, const mo_manifold_point *at, mo_vec3 along, float *impulse) {
  row r = {along, vec3_cross(at->anchor_a, along), vec3_cross(at->anchor_b, along), 0, impulse};
  r.inverse = 1 / (p->a->inverse_mass + p->b->inverse_mass +
                   p->a->inverse_inertia * vec3_dot(r.arm_a, r.arm_a) +
                   p->b->inverse_inertia * vec3_dot(r.arm_b, r.arm_b));
  return r;
}

static void add_contact(solver *s, mo_tracked_contact *tracked) {
  const mo_contact *c = &tracked->contact;
  body *a = &s->bodies[c->user_data_a], *b = &s->bodies[c->user_data_b];
  mo_vec3 n = c->manifold.normal;
  mo_vec3 u = vec3_normalize(vec3_cross(n, fabsf(n.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0)));
  mo_vec3 along[3] = {n, u, vec3_cross(n, u)};
  for (uint32_t i = 0; i < c->manifold.point_count; i++) {
    const mo_manifold_point *at = &c->manifold.points[i];
    point *p = &s->points[s->point_count++];
    *p = (point){.a = a, .b = b};
    for (int k = 0; k < 3; k++) {
      p->rows[k] = make_row(p, at, along[k], &tracked->memory[i].values[k]);
    }
    p->speed = at->separation > 0 ? -at->separation / dt
                                  : fminf(2, 0.15f / dt * fmaxf(0, -at->separation - overlap));
  }
}

static void list_points(solver *s, const mo_contact_events *found) {
  size_t max = (size_t)found->contact_count * MO_MAX_MANIFOLD_POINTS;
  if (max > s->point_capacity) {
    free(s->points);
    s->point_capacity = max + max / 2;
    s->points = allocate(s->point_capacity, sizeof *s->points);
  }
  s->point_count = 0;
  for (uint32_t i = 0; i < found->contact_count; i++) {
    add_contact(s, &found->contacts[i]);
  }
}

static void solve_all(solver *s) {
  for (size_t i = 0; i < s->point_count; i++) {
    point *p = &s->points[i];
    for (int k = 0; k < 3; k++) {
      push(&p->rows[k], p->a, p->b, *p->rows[k].impulse);
    }
  }
  for (int pass = 0; pass < PASSES; pass++) {
    for (size_t i = 0; i < s->point_count; i++) {
      point *p = &s->points[pass % 2 ? i : s->point_count - 1 - i];
      solve(&p->rows[0], p, p->speed, 0, INFINITY);
      float max = s->world.of->friction * *p->rows[0].impulse;
      solve(&p->rows[1], p, 0, -max, max);
      solve(&p->rows[2], p, 0, -max, max);
    }
  }
}

static void integrate(body *b) {
  b->linear = vec3_scale(slowing, b->linear);
  b->angular = vec3_scale(slowing, b->angular);
  b->pose.position = vec3_add(b->pose.position, vec3_scale(dt, b->linear));
  float speed = vec3_length(b->angular);
  if (speed > 0) {
    mo_quat turn = quat_around(vec3_scale(1 / speed, b->angular), speed * dt);
    mo_quat q = quat_mul(turn, b->pose.rotation);
    float scale = 1 / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    b->pose.rotation = (mo_quat){scale * q.x, scale * q.y, scale * q.z, scale * q.w};
  }
}

static float radius_of(const bench_step_scene *scene, const bench_piece *piece) {
  switch (piece->kind) {
  case BENCH_PIECE_BALL:
    return piece->half.x;
  case BENCH_PIECE_CAPSULE:
    return piece->half.x + 0.5f * piece->half.z;
  case BENCH_PIECE_HULL:
    return vec3_length(scene->hull_points[0]);
  default:
    return (piece->half.x + piece->half.y + piece->half.z) / 3;
  }
}

static void begin(solver *s, const bench_step_scene *scene) {
  *s = (solver){.bodies = allocate(scene->count, sizeof *s->bodies)};
  bench_step_world_create(&s->world, scene, 1);
  check(mo_contact_tracker_create(s->world.scene, NULL, &s->tracker), "make a contact tracker");
  for (uint32_t i = 0; i < scene->count; i++) {
    const bench_piece *piece = &scene->pieces[i];
    body *b = &s->bodies[i];
    b->pose = scene->start[i];
    b->linear = scene->velocities[i];
    if (piece->mass > 0) {
      float radius = radius_of(scene, piece);
      b->inverse_mass = 1 / piece->mass;
      b->inverse_inertia = 2.5f * b->inverse_mass / (radius * radius);
    }
  }
}

static void step(solver *s) {
  mo_contact_events found;
  check(mo_contact_tracker_update(s->tracker, &found), "find contacts");
  const bench_step_scene *scene = s->world.of;
  for (uint32_t i = scene->static_count; i < scene->count; i++) {
    s->bodies[i].linear.y -= 9.81f * dt;
  }
  list_points(s, &found);
  solve_all(s);
  for (uint32_t i = scene->static_count; i < scene->count; i++) {
    integrate(&s->bodies[i]);
  }
}

bool bench_step_record(bench_step_scene *scene, uint32_t frames) {
  solver s;
  const uint32_t moving = scene->count - scene->static_count;
  begin(&s, scene);
  scene->recorded = allocate((size_t)frames * moving, sizeof *scene->recorded);
  for (scene->frames = 0; scene->frames < frames && !bench_interrupted(); scene->frames++) {
    bench_pose *poses = scene->recorded + (size_t)scene->frames * moving;
    step(&s);
    for (uint32_t i = 0; i < moving; i++) {
      poses[i] = s.bodies[scene->static_count + i].pose;
    }
    bench_step_world_place(&s.world, poses);
    bench_step_world_update(&s.world);
  }
  mo_contact_tracker_destroy(s.tracker);
  bench_step_world_destroy(&s.world);
  free(s.bodies);
  free(s.points);
  return scene->frames == frames;
}
