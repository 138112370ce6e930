/* The code of physics.md: bodies that do not rotate slide over a mesh, ride on a belt, fly at a
 * thin wall, and go on in a second run from what the first one saved. It runs as a test, and fails
 * if something else happens than the page says. */
#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0f / 60)

enum { CELLS = 24, CONTACTS = 64, PASSES = 8 };

/* The bodies of the host, by their numbers. */
enum { FLOOR, BELT, WALL, CRATE, PUCK, PARCEL, BULLET, COUNT };

typedef struct body {
  mo_shape_id shape;
  mo_vec3 origin, velocity;
  float inverse_mass; /* 0: it never moves */
  bool asleep;
} body;

typedef struct world {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  body bodies[COUNT];
  mo_contact_events events;
  uint32_t begin_count, end_count;
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

static bool moves(const body *b) {
  return b->inverse_mass > 0 && !b->asleep;
}

static inline mo_vec3 add(mo_vec3 a, float s, mo_vec3 b) { /* a + s b */
  return (mo_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float dot(mo_vec3 a, mo_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* A flat square of half a metre's cells, two triangles each. */
static mo_mesh *make_floor(bool edges) {
  static mo_vec3 corners[(CELLS + 1) * (CELLS + 1)];
  static uint32_t indices[CELLS * CELLS][6];
  for (uint32_t i = 0; i <= CELLS; i++) {
    for (uint32_t k = 0; k <= CELLS; k++) {
      corners[i * (CELLS + 1) + k] = (mo_vec3){0.5f * (float)i, 0, 0.5f * (float)k};
    }
  }
  for (uint32_t i = 0; i < CELLS * CELLS; i++) {
    uint32_t a = i / CELLS * (CELLS + 1) + i % CELLS, b = a + CELLS + 1;
    memcpy(indices[i], (uint32_t[]){a, a + 1, b + 1, a, b + 1, b}, sizeof indices[i]);
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = (CELLS + 1) * (CELLS + 1);
  def.indices = indices;
  def.triangle_count = 2 * CELLS * CELLS;
  def.build.edges = edges; /* true: for contacts it is one surface, not triangles */
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh));
  return mesh;
}

/* The puck slides without friction, and the surface of the belt moves. */
static void modify(mo_modified_pair *pair, void *context) {
  (void)context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    mo_tracked_contact *c = &pair->contacts[i];
    uint64_t a = c->contact.user_data_a, b = c->contact.user_data_b;
    if (a == PUCK || b == PUCK) {
      c->material.friction = 0;
    }
    if (a == BELT || b == BELT) { /* the velocity of b's surface relative to that of a */
      c->material.surface_velocity.x = b == BELT ? 1.5f : -1.5f;
    }
  }
}

static void begin(world *w, float margin) {
  memset(w, 0, sizeof *w);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.margin = margin; /* MO_CONTACT_MARGIN: contacts begin before shapes touch */
  check(mo_scene_create(&scene_def, &w->scene));
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.modify = modify;
  check(mo_contact_tracker_create(w->scene, &def, &w->tracker));
}

static void end(world *w) {
  mo_contact_tracker_destroy(w->tracker);
  mo_scene_destroy(w->scene);
}

static void add_body(world *w, uint64_t number, mo_geometry geometry, mo_vec3 origin, float mass) {
  body *b = &w->bodies[number];
  *b = (body){.origin = origin, .inverse_mass = mass > 0 ? 1 / mass : 0};
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform.origin = origin;
  def.motion = mass > 0 ? MO_MOTION_DYNAMIC : MO_MOTION_STATIC;
  def.user_data = number;
  check(mo_scene_add_shape(w->scene, &def, &b->shape));
}

static mo_geometry box_of(float x, float y, float z) {
  return (mo_geometry){.type = MO_SHAPE_BOX, .box = {.half_extents = {x, y, z}}};
}

static void move_shapes(world *w) {
  mo_shape_id ids[COUNT];
  mo_vec3 origins[COUNT];
  mo_update_def def = mo_default_update_def();
  for (int i = 0; i < COUNT; i++) {
    if (moves(&w->bodies[i])) {
      ids[def.count] = w->bodies[i].shape;
      origins[def.count++] = w->bodies[i].origin;
    }
  }
  def.ids = ids;
  def.origins = origins;
  check(mo_scene_update(w->scene, &def));
}

static void find_contacts(world *w) {
  check(mo_contact_tracker_update(w->tracker, &w->events));
  w->begin_count += w->events.begin_count;
  w->end_count += w->events.end_count;
}

static void push_apart(body *a, body *b, float impulse, mo_vec3 along) {
  a->velocity = add(a->velocity, -impulse * a->inverse_mass, along);
  b->velocity = add(b->velocity, impulse * b->inverse_mass, along);
}

static void solve_contact(world *w, mo_tracked_contact *c) {
  body *a = &w->bodies[c->contact.user_data_a], *b = &w->bodies[c->contact.user_data_b];
  const mo_manifold *m = &c->contact.manifold;
  float mass = 1 / (a->inverse_mass + b->inverse_mass);
  for (uint32_t i = 0; i < m->point_count; i++) {
    float *impulse = c->memory[i].values; /* that of the normal, then the vector of friction */
    float gap = m->points[i].separation, before = impulse[0];
    float wanted = gap > 0 ? -gap / STEP : fminf(2, -0.2f * gap / STEP);
    mo_vec3 velocity = add(b->velocity, -1, a->velocity);
    impulse[0] = fmaxf(0, before + mass * (wanted - dot(velocity, m->normal)));
    push_apart(a, b, impulse[0] - before, m->normal);

    velocity = add(add(b->velocity, -1, a->velocity), 1, c->material.surface_velocity);
    mo_vec3 slip = add(velocity, -dot(velocity, m->normal), m->normal);
    mo_vec3 old = {impulse[1], impulse[2], impulse[3]}, friction = add(old, -mass, slip);
    float length = sqrtf(dot(friction, friction)), max = c->material.friction * impulse[0];
    friction = add((mo_vec3){0, 0, 0}, length > max ? max / length : 1, friction);
    push_apart(a, b, 1, add(friction, -1, old));
    impulse[1] = friction.x;
    impulse[2] = friction.y;
    impulse[3] = friction.z;
  }
}

static void solve(world *w) {
  for (int i = 0; i < COUNT; i++) {
    w->bodies[i].velocity.y -= moves(&w->bodies[i]) && i != BULLET ? 9.81f * STEP : 0;
  }
  for (uint32_t i = 0; i < w->events.contact_count; i++) { /* begin with those of the last step */
    mo_tracked_contact *c = &w->events.contacts[i];
    body *a = &w->bodies[c->contact.user_data_a], *b = &w->bodies[c->contact.user_data_b];
    for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
      const float *impulse = c->memory[k].values;
      push_apart(a, b, impulse[0], c->contact.manifold.normal);
      push_apart(a, b, 1, (mo_vec3){impulse[1], impulse[2], impulse[3]});
    }
  }
  for (int pass = 0; pass < PASSES; pass++) {
    for (uint32_t i = 0; i < w->events.contact_count; i++) {
      solve_contact(w, &w->events.contacts[i]);
    }
  }
}

/* Moves bodies by their velocities, fast ones up to their first impact. */
static void integrate(world *w) {
  body *moved[COUNT];
  mo_mover movers[COUNT];
  mo_mover_memory memory[COUNT];
  mo_impact impacts[COUNT];
  mo_impact_search search = mo_default_impact_search();
  search.movers = movers;
  search.memory = memory;
  for (int i = 0; i < COUNT; i++) {
    body *b = &w->bodies[i];
    if (moves(b)) {
      bool fast = dot(b->velocity, b->velocity) > 10 * 10;
      moved[search.count] = b;
      movers[search.count++] = (mo_mover){
          .shape = b->shape,
          .movement.displacement = add((mo_vec3){0, 0, 0}, STEP, b->velocity),
          .partners = fast ? MO_IMPACT_WITH_ALL : MO_IMPACT_WITH_NONE,
      };
    }
  }
  check(mo_scene_find_impacts(w->scene, &search, impacts, NULL, NULL));
  for (uint32_t i = 0; i < search.count; i++) {
    float t = impacts[i].found ? impacts[i].t : 1;
    moved[i]->origin = add(moved[i]->origin, t, movers[i].movement.displacement);
  }
}

static void step(world *w) {
  move_shapes(w);
  find_contacts(w);
  solve(w);
  integrate(w);
}

/* What is written to a file, to resume the run later. */
typedef struct saved_run {
  mo_shape_def shapes[COUNT];
  body bodies[COUNT];
  mo_tracked_contact contacts[CONTACTS];
  uint32_t contact_count;
} saved_run;

/* Saves a run. Called after move_shapes, in place of find_contacts. */
static void save(world *w, saved_run *to) {
  mo_shape_id ids[COUNT];
  uint32_t count;
  check(mo_scene_get_shapes(w->scene, ids, COUNT, &count));
  for (uint32_t i = 0; i < count; i++) { /* bounds as a new scene would make them */
    check(mo_scene_refresh_shape(w->scene, ids[i]));
  }
  check(mo_scene_update(w->scene, NULL));
  find_contacts(w);
  to->contact_count = w->events.contact_count;
  memcpy(to->contacts, w->events.contacts, to->contact_count * sizeof *to->contacts);
  for (uint32_t i = 0; i < count; i++) {
    check(mo_scene_get_shape(w->scene, ids[i], &to->shapes[i]));
    uint32_t first = to->contact_count, found; /* those at rest are listed by both shapes */
    check(mo_contact_tracker_get_resting_contacts(w->tracker, ids[i], &to->contacts[first],
                                                  CONTACTS - first, &found));
    for (uint32_t k = first; k < first + found; k++) {
      if (to->contacts[k].contact.a.index == ids[i].index) {
        to->contacts[to->contact_count++] = to->contacts[k];
      }
    }
  }
  memcpy(to->bodies, w->bodies, sizeof to->bodies);
}

static void resume(world *w, saved_run *from) {
  begin(w, MO_CONTACT_MARGIN);
  memcpy(w->bodies, from->bodies, sizeof w->bodies);
  for (int i = 0; i < COUNT; i++) { /* in the order of their ids */
    check(mo_scene_add_shape(w->scene, &from->shapes[i],
                             &w->bodies[from->shapes[i].user_data].shape));
  }
  check(mo_scene_update(w->scene, NULL));
  check(mo_contact_tracker_update(w->tracker, NULL));
  for (uint32_t i = 0; i < from->contact_count; i++) {
    mo_contact *c = &from->contacts[i].contact;
    c->a = w->bodies[c->user_data_a].shape;
    c->b = w->bodies[c->user_data_b].shape;
  }
  check(mo_contact_tracker_restore(w->tracker, from->contacts, from->contact_count, &w->events));
}

static void make_bodies(world *w, bool edges) {
  mo_mesh *floor = make_floor(edges);
  add_body(w, FLOOR, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = floor}, (mo_vec3){0, 0, 0}, 0);
  mo_mesh_release(floor); /* the scene keeps it */
  add_body(w, BELT, box_of(5, 0.5f, 1), (mo_vec3){6, 0, 10}, 0);
  add_body(w, WALL, box_of(0.01f, 2, 2), (mo_vec3){6, 5, 6}, 0);
  add_body(w, CRATE, box_of(0.5f, 0.5f, 0.5f), (mo_vec3){3, 0.5f, 2}, 1);
  add_body(w, PUCK, box_of(0.2f, 0.1f, 0.2f), (mo_vec3){1, 0.1f, 5}, 1);
  add_body(w, PARCEL, box_of(0.3f, 0.3f, 0.3f), (mo_vec3){2, 0.8f, 10}, 1);
  add_body(w, BULLET, (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere.radius = 0.05f},
           (mo_vec3){1, 5, 6}, 0.01f);
  w->bodies[PUCK].velocity.x = 3;
  w->bodies[BULLET].velocity.x = 400;
}

/* Runs two seconds. */
static void run(world *w, float margin, bool edges) {
  begin(w, margin);
  make_bodies(w, edges);
  for (int i = 0; i < 120; i++) {
    step(w);
  }
}

int main(void) {
  world w;
  run(&w, MO_CONTACT_MARGIN, false);
  expect(w.bodies[PUCK].velocity.x < 2.5f, "without edges the puck bumps into the triangles");
  end(&w);
  run(&w, 0, true);
  expect(w.end_count > 0, "without a margin contacts are lost");
  end(&w);

  run(&w, MO_CONTACT_MARGIN, true);
  expect(w.begin_count == 4 && w.end_count == 0, "what touches begins to touch once");
  expect(fabsf(w.bodies[CRATE].origin.y - 0.5f) < 1e-3f, "the crate rests");
  expect(w.bodies[PUCK].velocity.x == 3 && fabsf(w.bodies[PUCK].origin.y - 0.1f) < 1e-3f,
         "the puck feels no edges inside the floor");
  expect(fabsf(w.bodies[PARCEL].velocity.x - 1.5f) < 1e-3f, "the belt takes the parcel along");
  expect(w.bodies[BULLET].origin.x < 5.99f, "the bullet does not get through the wall");
  check(mo_scene_set_motion(w.scene, &w.bodies[CRATE].shape, 1, MO_MOTION_SLEEPING, NULL));
  w.bodies[CRATE].asleep = true;

  static saved_run saved;
  world again;
  move_shapes(&w);
  save(&w, &saved);
  resume(&again, &saved);
  world *runs[2] = {&w, &again};
  for (int run = 0; run < 2; run++) {
    solve(runs[run]);
    integrate(runs[run]);
    for (int i = 0; i < 60; i++) {
      step(runs[run]);
    }
  }
  for (int i = 0; i < COUNT; i++) {
    expect(memcmp(&w.bodies[i].origin, &again.bodies[i].origin, sizeof(mo_vec3)) == 0 &&
               memcmp(&w.bodies[i].velocity, &again.bodies[i].velocity, sizeof(mo_vec3)) == 0,
           "the resumed run is the same, to the bit");
  }
  end(&again);
  end(&w);
  return EXIT_SUCCESS;
}
