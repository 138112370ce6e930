/* A physics step around Motte: twenty boxes that stand on each other for a minute.
 *     cc step.c $(pkg-config --cflags --libs motte) -lm -o step
 *
 * A step tells the scene where bodies are and lets the contact tracker find where they touch. Then
 * it advances in small substeps (Macklin and others 2019) with sequential impulses (Catto 2005),
 * warm-started from the substep before. The inertia of each body is one number, as that of a cube
 * is. Nothing bounces, and no surface is a belt. Metres, seconds, kilograms. */
#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_BODIES = 64, SUBSTEPS = 8, PASSES = 2 };
static const float dt = 1.0f / (60 * SUBSTEPS);
static const float allowed_penetration = 0.005f, push_rate = 0.2f, max_push_speed = 4;

typedef struct motion {
  mo_vec3 linear, angular;
} motion;

typedef struct body {
  mo_vec3 position;
  mo_quat rotation;
  motion velocity, moved;              /* moved: since contacts were found */
  float inverse_mass, inverse_inertia; /* 0: it never moves */
} body;

static body bodies[MAX_BODIES];
static mo_shape_id shapes[MAX_BODIES];
static uint32_t body_count;

/* Says which argument of which call is wrong, and why. */
static void print_log(mo_log_level level, const char *message, void *context) {
  (void)context;
  fprintf(stderr, "motte: %s%s\n", level == MO_LOG_WARNING ? "warning: " : "", message);
}

static void check(mo_result result) {
  if (result != MO_OK) {
    fprintf(stderr, "motte: %s\n", mo_result_text(result));
    exit(EXIT_FAILURE);
  }
}

static inline mo_vec3 add(mo_vec3 a, float s, mo_vec3 b) { /* a + s b */
  return (mo_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline mo_vec3 cross(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float dot(mo_vec3 a, mo_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The velocity of b relative to a at a point, along a direction. */
static inline float relative_velocity(motion a, motion b, const mo_manifold_point *p,
                                      mo_vec3 along) {
  return dot(along, add(b.linear, 1, cross(b.angular, p->anchor_b))) -
         dot(along, add(a.linear, 1, cross(a.angular, p->anchor_a)));
}

static inline void push(body *b, mo_vec3 anchor, float impulse, mo_vec3 along) {
  b->velocity.linear = add(b->velocity.linear, impulse * b->inverse_mass, along);
  b->velocity.angular =
      add(b->velocity.angular, impulse * b->inverse_inertia, cross(anchor, along));
}

static void push_apart(body *a, body *b, const mo_manifold_point *p, float impulse, mo_vec3 along) {
  push(a, p->anchor_a, -impulse, along);
  push(b, p->anchor_b, impulse, along);
}

/* Changes an impulse, which is at least `min`, such that two bodies separate at `speed`. */
static void solve(body *a, body *b, const mo_manifold_point *p, mo_vec3 along, float speed,
                  float min, float *impulse) {
  mo_vec3 arm_a = cross(p->anchor_a, along), arm_b = cross(p->anchor_b, along);
  float inverse = a->inverse_mass + b->inverse_mass + a->inverse_inertia * dot(arm_a, arm_a) +
                  b->inverse_inertia * dot(arm_b, arm_b);
  float before = *impulse,
        wanted = before + (speed - relative_velocity(a->velocity, b->velocity, p, along)) / inverse;
  *impulse = fmaxf(min, wanted);
  push_apart(a, b, p, *impulse - before, along);
}

/* Bounds both impulses of friction together, so that it is as strong in all directions. */
static void limit_friction(body *a, body *b, const mo_manifold_point *p, const mo_vec3 along[3],
                           float max, float impulse[3]) {
  float length = sqrtf(impulse[1] * impulse[1] + impulse[2] * impulse[2]);
  for (int k = 1; k < 3 && length > max; k++) {
    float before = impulse[k];
    impulse[k] *= max / length;
    push_apart(a, b, p, impulse[k] - before, along[k]);
  }
}

/* The memory of a point stores its impulses: along the normal and two tangents. Pass 0 applies
 * those of the substep before (warm starting). Later passes alternate the order of points and
 * contacts, to avoid bias. A gap may close within a substep (speculative contacts). Penetration
 * beyond what is allowed is corrected gradually. */
static void solve_contact(mo_tracked_contact *c, int pass) {
  body *a = &bodies[c->contact.user_data_a], *b = &bodies[c->contact.user_data_b];
  const mo_manifold *m = &c->contact.manifold;
  mo_vec3 axis = fabsf(m->normal.x) < 0.6f ? (mo_vec3){1, 0, 0} : (mo_vec3){0, 1, 0};
  mo_vec3 along[3] = {m->normal, cross(m->normal, axis)};
  along[1] = add((mo_vec3){0, 0, 0}, 1 / sqrtf(dot(along[1], along[1])), along[1]);
  along[2] = cross(along[0], along[1]);
  for (uint32_t n = 0; n < m->point_count; n++) {
    uint32_t i = pass % 2 ? n : m->point_count - 1 - n;
    const mo_manifold_point *p = &m->points[i];
    float *impulse = c->memory[i].values;
    float gap = p->separation + relative_velocity(a->moved, b->moved, p, along[0]);
    float speed =
        gap > 0 ? -gap / dt
                : fminf(max_push_speed, push_rate / dt * fmaxf(0, -gap - allowed_penetration));
    for (int k = 0; k < 3; k++) {
      if (pass == 0) {
        push_apart(a, b, p, impulse[k], along[k]);
      } else {
        solve(a, b, p, along[k], k == 0 ? speed : 0, k == 0 ? 0 : -INFINITY, &impulse[k]);
      }
    }
    limit_friction(a, b, p, along, c->material.friction * impulse[0], impulse);
  }
}

static void integrate(body *b) {
  b->position = add(b->position, dt, b->velocity.linear);
  b->moved.linear = add(b->moved.linear, dt, b->velocity.linear);
  b->moved.angular = add(b->moved.angular, dt, b->velocity.angular);
  mo_vec3 spin = b->velocity.angular, v = {b->rotation.x, b->rotation.y, b->rotation.z};
  float w = b->rotation.w - 0.5f * dt * dot(spin, v);
  v = add(v, 0.5f * dt, add(cross(spin, v), b->rotation.w, spin));
  float scale = 1 / sqrtf(dot(v, v) + w * w);
  b->rotation = (mo_quat){v.x * scale, v.y * scale, v.z * scale, w * scale};
}

/* Advances one step. Returns the contacts found at its start, with their final impulses. */
static mo_contact_events step(mo_scene *scene, mo_contact_tracker *tracker) {
  mo_transform transforms[MAX_BODIES];
  mo_shape_id movers[MAX_BODIES];
  uint32_t mover_count = 0;
  for (uint32_t i = 0; i < body_count; i++) {
    const body *b = &bodies[i];
    bodies[i].moved = (motion){{0, 0, 0}, {0, 0, 0}};
    if (b->inverse_mass > 0) {
      transforms[mover_count] = mo_transform_make(b->position, b->rotation, (mo_vec3){1, 1, 1});
      movers[mover_count++] = shapes[i];
    }
  }
  mo_contact_events found;
  check(mo_scene_set_transforms(scene, movers, transforms, mover_count, NULL));
  check(mo_scene_update(scene, NULL));
  check(mo_contact_tracker_update(tracker, &found));
  for (int substep = 0; substep < SUBSTEPS; substep++) {
    for (uint32_t i = 0; i < body_count; i++) {
      bodies[i].velocity.linear.y -= bodies[i].inverse_mass > 0 ? 9.81f * dt : 0;
    }
    for (int pass = 0; pass <= PASSES; pass++) { /* up and down the list of contacts */
      for (uint32_t i = 0; i < found.contact_count; i++) {
        solve_contact(&found.contacts[pass % 2 ? i : found.contact_count - 1 - i], pass);
      }
    }
    for (uint32_t i = 0; i < body_count; i++) {
      integrate(&bodies[i]);
    }
  }
  return found;
}

/* Returns the new body. A body without mass never moves. One with mass starts at the transform's
 * origin and unrotated: set its `rotation`. */
static body *add_body(mo_scene *scene, mo_shape_def def, float mass, float inertia) {
  if (body_count == MAX_BODIES) {
    fprintf(stderr, "step: more than %d bodies\n", MAX_BODIES);
    exit(EXIT_FAILURE);
  }
  body *b = &bodies[body_count];
  def.motion = mass == 0 ? MO_MOTION_STATIC : MO_MOTION_DYNAMIC;
  def.user_data = body_count;
  check(mo_scene_add_shape(scene, &def, &shapes[body_count++]));
  *b = (body){.position = def.transform.origin, .rotation = {0, 0, 0, 1}}; /* x, y, z, w */
  b->inverse_mass = mass == 0 ? 0 : 1 / mass;
  b->inverse_inertia = mass == 0 ? 0 : 1 / inertia;
  return b;
}

static void add_cube(mo_scene *scene, float half, float mass, float height) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box.half_extents = (mo_vec3){half, half, half};
  def.transform.origin.y = height;
  add_body(scene, def, mass, mass * half * half / 1.5f);
}

int main(void) {
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host.log = print_log;
  scene_def.margin = MO_CONTACT_MARGIN; /* so that contacts are found before shapes touch */
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  tracker_def.material.friction = 0.6f; /* of all contacts */
  mo_scene *scene;
  mo_contact_tracker *tracker;
  check(mo_scene_create(&scene_def, &scene));
  check(mo_contact_tracker_create(scene, &tracker_def, &tracker));
  add_cube(scene, 50, 0, -50);
  for (int i = 0; i < 20; i++) {
    add_cube(scene, 0.5f, 1, (float)i + 0.5f);
  }
  for (int i = 0; i < 60 * 60; i++) {
    step(scene, tracker);
  }
  mo_vec3 top = bodies[body_count - 1].position;
  printf("after a minute, the highest box is at %.2f m\n", (double)top.y);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return fabsf(top.y - 19.5f) < 0.05f ? EXIT_SUCCESS : EXIT_FAILURE;
}
