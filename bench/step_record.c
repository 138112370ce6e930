/* Bodies in motion by sequential impulses (Catto, "Iterative dynamics with temporal coherence",
 * 2005), warm started; where they touch is found by Motte. Plain rather than exact: a body is as
 * hard to turn as a ball of its size, about every axis, and joints have no limits. */
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"
#include "interrupt.h"
#include "step_motte.h"
#include "step_scenes.h"

static const float frame_length = 1.0f / 60, overlap = 0.005f;
static const float slowing = 0.995f; /* in a frame */
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

/* Its rows are the axes of the world. */
typedef struct joint {
  point p;
  mo_vec3 at_a, at_b; /* in the frames of the bodies */
  float speeds[3], impulses[3];
} joint;

typedef struct solver {
  bench_step_world world;
  const bench_step_motion *motion;
  float dt;       /* of a step, of which a frame has several */
  uint32_t frame; /* from the start on, with those that are skipped */
  mo_contact_tracker *tracker;
  body *bodies;
  joint *joints;
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

/* Anchors are from the centres of the bodies to the point, in the world. */
static row make_row(const point *p, mo_vec3 anchor_a, mo_vec3 anchor_b, mo_vec3 along,
                    float *impulse) {
  row r = {along, vec3_cross(anchor_a, along), vec3_cross(anchor_b, along), 0, impulse};
  const float yields = p->a->inverse_mass + p->b->inverse_mass +
                       p->a->inverse_inertia * vec3_dot(r.arm_a, r.arm_a) +
                       p->b->inverse_inertia * vec3_dot(r.arm_b, r.arm_b);
  r.inverse = yields > 0 ? 1 / yields : 0; /* of two bodies that do not move yet */
  return r;
}

/* How fast two bodies come closer at a contact point. */
static float approach(const point *p) {
  const row *n = &p->rows[0];
  return vec3_dot(n->along, vec3_sub(p->a->linear, p->b->linear)) +
         vec3_dot(n->arm_a, p->a->angular) - vec3_dot(n->arm_b, p->b->angular);
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
      p->rows[k] = make_row(p, at->anchor_a, at->anchor_b, along[k], &tracked->memory[i].values[k]);
    }
    p->speed = at->separation > 0 ? -at->separation / s->dt
                                  : fminf(2, 0.15f / s->dt * fmaxf(0, -at->separation - overlap));
    if (s->motion->restitution > 0 && approach(p) > 1) {
      p->speed = fmaxf(p->speed, s->motion->restitution * approach(p));
    }
  }
}

static mo_vec3 rotate(mo_quat q, mo_vec3 v) {
  const mo_vec3 axis = {q.x, q.y, q.z};
  const mo_vec3 across = vec3_add(vec3_cross(axis, v), vec3_scale(q.w, v));
  return vec3_add(v, vec3_scale(2, vec3_cross(axis, across)));
}

static void prepare_joints(solver *s) {
  for (size_t i = 0; i < s->motion->joint_count; i++) {
    joint *j = &s->joints[i];
    const bench_pose *a = &j->p.a->pose, *b = &j->p.b->pose;
    const mo_vec3 arm_a = rotate(a->rotation, j->at_a), arm_b = rotate(b->rotation, j->at_b);
    const mo_vec3 gap = vec3_sub(vec3_add(b->position, arm_b), vec3_add(a->position, arm_a));
    const mo_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
      j->p.rows[k] = make_row(&j->p, arm_a, arm_b, axes[k], &j->impulses[k]);
      j->speeds[k] = -0.2f / s->dt * vec3_dot(gap, axes[k]);
    }
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

static void warm_start(const point *p) {
  for (int k = 0; k < 3; k++) {
    push(&p->rows[k], p->a, p->b, *p->rows[k].impulse);
  }
}

static void solve_all(solver *s) {
  for (size_t i = 0; i < s->point_count; i++) {
    warm_start(&s->points[i]);
  }
  for (size_t i = 0; i < s->motion->joint_count; i++) {
    warm_start(&s->joints[i].p);
  }
  for (int pass = 0; pass < PASSES; pass++) {
    for (size_t i = 0; i < s->motion->joint_count; i++) {
      for (int k = 0; k < 3; k++) {
        joint *j = &s->joints[i];
        solve(&j->p.rows[k], &j->p, j->speeds[k], -INFINITY, INFINITY);
      }
    }
    for (size_t i = 0; i < s->point_count; i++) {
      point *p = &s->points[pass % 2 ? i : s->point_count - 1 - i];
      solve(&p->rows[0], p, p->speed, 0, INFINITY);
      float max = s->motion->friction * *p->rows[0].impulse;
      solve(&p->rows[1], p, 0, -max, max);
      solve(&p->rows[2], p, 0, -max, max);
    }
  }
}

static void integrate(body *b, float dt) {
  const float kept = powf(slowing, dt / frame_length);
  b->linear = vec3_scale(kept, b->linear);
  b->angular = vec3_scale(kept, b->angular);
  b->pose.position = vec3_add(b->pose.position, vec3_scale(dt, b->linear));
  float speed = vec3_length(b->angular);
  if (speed > 0) {
    mo_quat turn = quat_around(vec3_scale(1 / speed, b->angular), speed * dt);
    mo_quat q = quat_mul(turn, b->pose.rotation);
    float scale = 1 / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    b->pose.rotation = (mo_quat){scale * q.x, scale * q.y, scale * q.z, scale * q.w};
  }
}

static void reflect(float *position, float *velocity, float limit) {
  if (fabsf(*position) > limit) {
    *position = copysignf(2 * limit, *position) - *position;
    *velocity = -*velocity;
  }
}

/* A cube of mirrors. */
static void confine(body *b, float half) {
  reflect(&b->pose.position.x, &b->linear.x, half);
  reflect(&b->pose.position.y, &b->linear.y, half);
  reflect(&b->pose.position.z, &b->linear.z, half);
}

static float radius_of(const bench_piece *piece) {
  switch (piece->kind) {
  case BENCH_PIECE_BALL:
  case BENCH_PIECE_HULL:
    return piece->half.x;
  case BENCH_PIECE_CAPSULE:
    return piece->half.x + 0.5f * piece->half.z;
  default:
    return (piece->half.x + piece->half.y + piece->half.z) / 3;
  }
}

/* Where a point of the world is in the frame of a body. */
static mo_vec3 in_frame(const bench_pose *pose, mo_vec3 at) {
  const mo_quat q = pose->rotation, inverse = {-q.x, -q.y, -q.z, q.w};
  return rotate(inverse, vec3_sub(at, pose->position));
}

static void begin_joint(solver *s, size_t i) {
  const bench_step_joint *of = &s->motion->joints[i];
  joint *j = &s->joints[i];
  j->p = (point){.a = &s->bodies[of->a], .b = &s->bodies[of->b]};
  j->at_a = in_frame(&j->p.a->pose, of->at);
  j->at_b = in_frame(&j->p.b->pose, of->at);
}

static void begin(solver *s, const bench_step_scene *scene) {
  *s = (solver){.motion = scene->motion,
                .dt = frame_length / (float)scene->motion->substeps,
                .bodies = allocate(scene->count, sizeof *s->bodies),
                .joints = allocate(scene->motion->joint_count, sizeof *s->joints)};
  bench_step_world_create(&s->world, scene, 1);
  check(mo_contact_tracker_create(s->world.scene, NULL, &s->tracker), "make a contact tracker");
  for (uint32_t i = 0; i < scene->count; i++) {
    s->bodies[i].pose = scene->start[i];
    s->bodies[i].linear = scene->motion->velocities[i];
  }
  for (size_t i = 0; i < scene->motion->joint_count; i++) {
    begin_joint(s, i);
  }
}

/* Bodies get their mass when they begin to move. */
static void release(solver *s, uint32_t i) {
  const bench_piece *piece = &s->world.of->pieces[i];
  if (piece->mass > 0 && piece->mass < INFINITY) {
    float radius = radius_of(piece);
    s->bodies[i].inverse_mass = 1 / piece->mass;
    s->bodies[i].inverse_inertia = 2.5f / (piece->mass * radius * radius);
  }
}

static void accelerate(solver *s, uint32_t i) {
  body *b = &s->bodies[i];
  if (s->motion->delays[i] == s->frame) {
    release(s, i);
  }
  if (b->inverse_mass > 0) {
    b->linear.y -= 9.81f * s->dt;
  } else {
    b->linear = vec3_cross(vec3(0, s->motion->orbit, 0), b->pose.position);
  }
}

static void step(solver *s) {
  mo_contact_events found;
  check(mo_contact_tracker_update(s->tracker, &found), "find contacts");
  const bench_step_scene *scene = s->world.of;
  for (uint32_t i = scene->static_count; i < scene->count; i++) {
    accelerate(s, i);
  }
  list_points(s, &found);
  prepare_joints(s);
  solve_all(s);
  for (uint32_t i = scene->static_count; i < scene->count; i++) {
    integrate(&s->bodies[i], s->dt);
    if (s->motion->confines > 0) {
      confine(&s->bodies[i], s->motion->confines);
    }
  }
}

/* Takes the steps of a frame, and writes where the bodies are then. */
static void record(solver *s, bench_pose *poses) {
  const uint32_t statics = s->world.of->static_count;
  for (uint32_t k = 0; k < s->motion->substeps; k++) {
    step(s);
    for (uint32_t i = statics; i < s->world.of->count; i++) {
      poses[i - statics] = s->bodies[i].pose;
    }
    bench_step_world_place(&s->world, poses);
    bench_step_world_update(&s->world);
  }
  s->frame++;
}

bool bench_step_record(bench_step_scene *scene, uint32_t frames) {
  solver s;
  const uint32_t moving = scene->count - scene->static_count;
  begin(&s, scene);
  for (uint32_t i = 0; i < scene->motion->skipped && !bench_interrupted(); i++) {
    record(&s, scene->start + scene->static_count);
  }
  scene->recorded = allocate((size_t)frames * moving, sizeof *scene->recorded);
  for (scene->frames = 0; scene->frames < frames && !bench_interrupted(); scene->frames++) {
    record(&s, scene->recorded + (size_t)scene->frames * moving);
  }
  mo_contact_tracker_destroy(s.tracker);
  bench_step_world_destroy(&s.world);
  free(s.bodies);
  free(s.joints);
  free(s.points);
  return scene->frames == frames;
}
