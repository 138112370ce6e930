/* The code of bodies.md: a table of several shapes on a lift, with a lamp that hangs from a crane.
 * It runs as a test, and fails if something else happens than the page says. */
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0f / 60)

enum { SHAPES = 8, BODIES = 8, FOUND = 64 };

/* A body of the host. */
typedef struct body {
  mo_shape_id shapes[SHAPES];
  mo_vec3 places[SHAPES]; /* of the shapes, in the body */
  uint32_t shape_count;
  mo_motion motion;
  mo_vec3 origin, velocity;
} body;

/* A world of the host. */
typedef struct world {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  body bodies[BODIES];
  uint32_t body_count;
  mo_pair joints[BODIES];
  uint32_t joint_count;
  mo_contact_events events;
} world;

static void check(mo_result result) {
  if (result != MO_OK) {
    fprintf(stderr, "motte: %s\n", mo_result_text(result));
    exit(EXIT_FAILURE);
  }
}

static void expect(bool right, const char *what) {
  if (!right) {
    fprintf(stderr, "not so: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

static body *add_body(world *w, mo_vec3 origin, mo_motion motion) {
  body *b = &w->bodies[w->body_count++];
  *b = (body){.motion = motion, .origin = origin};
  return b;
}

static void add_box(world *w, body *b, mo_vec3 place, mo_vec3 half_extents) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box.half_extents = half_extents;
  def.transform.origin =
      (mo_vec3){b->origin.x + place.x, b->origin.y + place.y, b->origin.z + place.z};
  def.motion = b->motion;
  def.body = 1 + (uint64_t)(b - w->bodies);
  def.user_data = (uint64_t)(b - w->bodies);
  b->places[b->shape_count] = place;
  check(mo_scene_add_shape(w->scene, &def, &b->shapes[b->shape_count++]));
}

static void add_table(world *w, body *table) {
  add_box(w, table, (mo_vec3){0, 1, 0}, (mo_vec3){1, 0.1f, 1});
  for (int leg = 0; leg < 4; leg++) {
    mo_vec3 place = {leg & 1 ? 0.8f : -0.8f, 0.45f, leg & 2 ? 0.8f : -0.8f};
    add_box(w, table, place, (mo_vec3){0.1f, 0.45f, 0.1f});
  }
}

/* Joined bodies do not collide with each other. */
static bool accept(const mo_pair *pair, uint64_t a, uint64_t b, void *context) {
  const world *w = context;
  (void)pair;
  for (uint32_t i = 0; i < w->joint_count; i++) {
    uint64_t ends[2];
    check(mo_scene_get_user_data(w->scene, w->joints[i].a, &ends[0]));
    check(mo_scene_get_user_data(w->scene, w->joints[i].b, &ends[1]));
    if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) {
      return false;
    }
  }
  return true;
}

static void begin(world *w) {
  memset(w, 0, sizeof *w);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.margin = MO_CONTACT_MARGIN;
  check(mo_scene_create(&scene_def, &w->scene));
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.merge_coplanar = true;           /* a table stands on four points, not on sixteen */
  def.max_speculative_distance = 2.0f; /* bodies of up to 100 m/s have contacts in time */
  def.accept = accept;
  def.context = w;
  check(mo_contact_tracker_create(w->scene, &def, &w->tracker));
}

static void end(world *w) {
  mo_contact_tracker_destroy(w->tracker);
  mo_scene_destroy(w->scene);
}

static void move_bodies(world *w) {
  mo_shape_id ids[BODIES * SHAPES];
  mo_vec3 origins[BODIES * SHAPES], velocities[BODIES * SHAPES];
  mo_update_def def = mo_default_update_def();
  for (uint32_t i = 0; i < w->body_count; i++) {
    const body *b = &w->bodies[i];
    bool moves = b->motion == MO_MOTION_DYNAMIC || b->motion == MO_MOTION_KINEMATIC;
    bool still = b->velocity.x == 0 && b->velocity.y == 0 && b->velocity.z == 0;
    for (uint32_t k = 0; k < b->shape_count && moves && !still; k++) {
      ids[def.count] = b->shapes[k];
      origins[def.count] = (mo_vec3){b->origin.x + b->places[k].x, b->origin.y + b->places[k].y,
                                     b->origin.z + b->places[k].z};
      velocities[def.count++] = b->velocity;
    }
  }
  def.ids = ids;
  def.origins = origins;
  def.velocities = velocities;
  def.lookahead = STEP;
  check(mo_scene_update(w->scene, &def));
}

static void set_motion(world *w, const mo_shape_id *shapes, uint32_t count, mo_motion motion) {
  check(mo_scene_set_motion(w->scene, shapes, count, motion, NULL));
  for (uint32_t i = 0; i < count; i++) {
    uint64_t number;
    check(mo_scene_get_user_data(w->scene, shapes[i], &number));
    w->bodies[number].motion = motion;
  }
}

static void wake_what_is_touched(world *w) {
  mo_shape_id touched[FOUND], sleepers[FOUND];
  uint32_t count = 0, total;
  for (uint32_t i = 0; i < w->events.contact_count; i++) {
    const mo_contact *c = &w->events.contacts[i].contact;
    const mo_shape_id ids[2] = {c->a, c->b};
    for (int side = 0; side < 2 && c->manifold.point_count > 0; side++) {
      if (w->bodies[side ? c->user_data_b : c->user_data_a].motion == MO_MOTION_SLEEPING &&
          count < FOUND) {
        touched[count++] = ids[side];
      }
    }
  }
  check(mo_contact_tracker_find_sleepers(w->tracker, touched, count, sleepers, FOUND, &total));
  if (total > 0) {
    set_motion(w, sleepers, total, MO_MOTION_DYNAMIC);
    check(mo_contact_tracker_wake(w->tracker, sleepers, total, &w->events));
  }
}

/* In place of a solver: what a contact pushes out moves at once. */
static void solve(world *w) {
  for (uint32_t i = 0; i < w->events.contact_count; i++) {
    const mo_contact *c = &w->events.contacts[i].contact;
    for (uint32_t k = 0; k < c->manifold.point_count; k++) {
      float depth = -c->manifold.points[k].separation;
      for (int side = 0; side < 2 && depth > 0; side++) {
        body *b = &w->bodies[side ? c->user_data_b : c->user_data_a];
        if (b->motion == MO_MOTION_DYNAMIC) {
          float by = (side ? depth : -depth) * c->manifold.normal.y - b->velocity.y * STEP;
          b->velocity.y += by > 0 ? by / STEP : 0;
        }
      }
    }
  }
}

/* Moves bodies by their velocities; those that the solver moves stop then. */
static void integrate(world *w) {
  for (uint32_t i = 0; i < w->body_count; i++) {
    body *b = &w->bodies[i];
    b->origin.y += b->velocity.y * STEP;
  }
}

/* Puts islands to sleep that have not moved. Returns how many there are. */
static uint32_t let_islands_sleep(world *w) {
  mo_islands islands;
  check(mo_contact_tracker_find_islands(w->tracker, &islands));
  for (uint32_t i = 0; i < islands.island_count; i++) {
    const mo_shape_id *shapes = islands.shapes + islands.starts[i];
    uint32_t count = islands.starts[i + 1] - islands.starts[i];
    bool moves = islands.kept_awake[i];
    for (uint32_t k = 0; k < count && !moves; k++) {
      uint64_t number;
      check(mo_scene_get_user_data(w->scene, shapes[k], &number));
      moves = w->bodies[number].velocity.y != 0;
    }
    if (!moves) {
      set_motion(w, shapes, count, MO_MOTION_SLEEPING);
    }
  }
  return islands.island_count;
}

static uint32_t step(world *w) {
  move_bodies(w);
  check(mo_contact_tracker_update(w->tracker, &w->events));
  wake_what_is_touched(w);
  uint32_t islands = let_islands_sleep(w);
  for (uint32_t i = 0; i < w->body_count; i++) {
    if (w->bodies[i].motion != MO_MOTION_KINEMATIC) {
      w->bodies[i].velocity.y = 0;
    }
  }
  solve(w);
  integrate(w);
  return islands;
}

static uint32_t points_of(const world *w) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->events.contact_count; i++) {
    count += w->events.contacts[i].contact.manifold.point_count;
  }
  return count;
}

int main(void) {
  world w;
  begin(&w);
  body *table = add_body(&w, (mo_vec3){0, 0, 0}, MO_MOTION_DYNAMIC);
  add_table(&w, table);
  body *lift = add_body(&w, (mo_vec3){0, -0.5f, 0}, MO_MOTION_KINEMATIC);
  add_box(&w, lift, (mo_vec3){0, 0, 0}, (mo_vec3){2, 0.5f, 2});
  body *ground = add_body(&w, (mo_vec3){0, -1.5f, 0}, MO_MOTION_STATIC);
  add_box(&w, ground, (mo_vec3){0, 0, 0}, (mo_vec3){20, 0.5f, 20});
  body *crane = add_body(&w, (mo_vec3){10, 5, 0}, MO_MOTION_KINEMATIC);
  add_box(&w, crane, (mo_vec3){0, 0, 0}, (mo_vec3){0.5f, 0.5f, 0.5f});
  body *lamp = add_body(&w, (mo_vec3){10, 4, 0}, MO_MOTION_DYNAMIC);
  add_box(&w, lamp, (mo_vec3){0, 0, 0}, (mo_vec3){0.3f, 0.5f, 0.3f});

  w.joints[w.joint_count++] = (mo_pair){lamp->shapes[0], crane->shapes[0]};
  check(mo_contact_tracker_set_joints(w.tracker, w.joints, w.joint_count));

  expect(step(&w) == 2, "the table on the lift is one island, the lamp another one");
  expect(w.events.contact_count == 4 && points_of(&w) == 4, "four legs, four points together");
  expect(table->motion == MO_MOTION_DYNAMIC, "lift and crane are new: nothing falls asleep yet");
  step(&w);
  step(&w);
  expect(table->motion == MO_MOTION_SLEEPING && lamp->motion == MO_MOTION_SLEEPING,
         "nothing moves: both are asleep");
  step(&w);
  expect(w.events.contact_count == 0, "their contacts are at rest");

  lift->velocity.y = 0.6f;
  for (int i = 0; i < 60; i++) {
    step(&w);
    expect(i < 2 || table->motion == MO_MOTION_DYNAMIC, "the lift keeps what is on it awake");
  }
  expect(table->origin.y > 0.5f && lamp->motion == MO_MOTION_SLEEPING, "the table went up alone");
  lift->velocity.y = 0;
  for (int i = 0; i < 4; i++) {
    step(&w);
  }
  expect(table->motion == MO_MOTION_SLEEPING, "the lift stands: the table sleeps");
  end(&w);
  return EXIT_SUCCESS;
}
