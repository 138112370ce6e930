/* What a host makes of contacts while they are worked out: rejected ones, materials, adjusted
 * manifolds; against the same changes made of the contacts of each pair by itself. */
#include <stdlib.h>

#include "contact/tracking.h"
#include "support/world.h"

static mo_contact_tracker *tracker_with(mo_scene *scene,
                                        void (*modify)(mo_modified_pair *pair, void *context),
                                        void *context) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.modify = modify;
  def.context = context;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  return tracker;
}

/* --- against each pair by itself --- */

/* Changes that depend on the contacts and on what was left before. */
static void change_anything(mo_modified_pair *pair, void *context) {
  (void)context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    mo_tracked_contact *c = &pair->contacts[i];
    mo_manifold *m = &c->contact.manifold;
    c->rejected = (pair->state + c->contact.a.index + i) % 3 == 0;
    c->material.friction += (float)c->contact.triangle_user_data_b;
    c->material.restitution = (float)pair->state;
    c->material.surface_velocity = m->normal;
    m->points[0].separation -= 0.25f;
    m->point_count -= m->point_count > 2;
  }
  pair->state += 1 + pair->contact_count;
}

enum { MAX_PAIRS = 20000, MAX_OF_PAIR = 64, MAX_CONTACTS = 40000 };

typedef struct pair_note {
  mo_pair pair;
  uint64_t state;
  bool touching;
} pair_note;

typedef struct model {
  pair_note notes[MAX_PAIRS]; /* of pairs with contacts at the update before */
  uint32_t count;
  uint32_t rejected, begun, ended;
} model;

static const pair_note *note_of(const model *m, mo_pair pair) {
  for (uint32_t i = 0; i < m->count; i++) {
    if (same_pair(m->notes[i].pair, pair)) {
      return &m->notes[i];
    }
  }
  return NULL;
}

static bool same_material(mo_contact_material a, mo_contact_material b) {
  return a.friction == b.friction && a.restitution == b.restitution &&
         same_vector(a.surface_velocity, b.surface_velocity);
}

/* The contacts of a pair as they should be, from those that it has by itself. */
static uint32_t expect(const mo_scene *scene, mo_pair pair, uint64_t state,
                       mo_tracked_contact *expected) {
  static mo_contact found[MAX_OF_PAIR];
  mo_collide_def def = mo_default_collide_def();
  uint32_t count;
  cr_assert_eq(mo_scene_collide_pair(scene, &pair, &def, found, MAX_OF_PAIR, &count), MO_OK);
  cr_assert_leq(count, MAX_OF_PAIR);
  for (uint32_t i = 0; i < count; i++) {
    expected[i] = (mo_tracked_contact){.contact = found[i], .material = {.friction = 0.5f}};
  }
  if (count > 0 && found[0].manifold.point_count > 0) {
    mo_modified_pair modified = {expected, count, state};
    change_anything(&modified, NULL);
    for (uint32_t i = 0; i < count; i++) {
      expected[i].pair_state = modified.state;
    }
  }
  return count;
}

/* Contacts as they should be of a pair of which a shape has changed; or as they were. Returns
 * whether it touches. */
static bool check_pair(model *m, const mo_scene *scene, mo_pair pair,
                       const mo_tracked_contact *contacts, uint32_t count) {
  static mo_tracked_contact expected[MAX_OF_PAIR];
  const pair_note *note = note_of(m, pair);
  bool touched = note != NULL && note->touching, touching = false;
  cr_assert_eq(expect(scene, pair, note != NULL ? note->state : 0, expected), count);
  for (uint32_t i = 0; i < count && contacts->unchanged; i++) {
    cr_assert(contacts[i].unchanged && note != NULL && contacts[i].pair_state == note->state);
    cr_assert_eq(contacts[i].touching, touched);
    touching = touched;
  }
  for (uint32_t i = 0; i < count && !contacts->unchanged; i++) {
    mo_tracked_contact *e = &expected[i];
    touching |= !e->rejected && (touched || e->contact.manifold.touching);
    e->contact.manifold.point_count = e->rejected ? 0 : e->contact.manifold.point_count;
    cr_assert(same_contact(&e->contact, &contacts[i].contact));
    cr_assert(same_material(e->material, contacts[i].material));
    cr_assert_eq(e->rejected, contacts[i].rejected);
    cr_assert_eq(e->pair_state, contacts[i].pair_state);
    m->rejected += e->rejected;
  }
  for (uint32_t i = 0; i < count; i++) {
    cr_assert_eq(contacts[i].touching, touching);
  }
  m->begun += touching && !touched;
  return touching;
}

static void check(model *m, const mo_scene *scene, const mo_contact_events *events) {
  static pair_note notes[MAX_PAIRS];
  uint32_t count = 0, touching = 0, touched = 0, before = m->begun;
  for (uint32_t i = 0, end; i < events->contact_count; i = end) {
    const mo_contact *c = &events->contacts[i].contact;
    mo_pair pair = {c->a, c->b};
    for (end = i + 1;
         end < events->contact_count && same_id(events->contacts[end].contact.a, c->a) &&
         same_id(events->contacts[end].contact.b, c->b);
         end++) {
    }
    cr_assert_lt(count, MAX_PAIRS);
    notes[count] = (pair_note){pair, events->contacts[i].pair_state, false};
    notes[count].touching = check_pair(m, scene, pair, &events->contacts[i], end - i);
    touching += notes[count++].touching;
  }
  for (uint32_t i = 0; i < m->count; i++) {
    touched += m->notes[i].touching;
  }
  cr_assert_eq(m->begun - before, events->begin_count);
  cr_assert_eq(touched + events->begin_count - touching, events->end_count);
  m->ended += events->end_count;
  memcpy(m->notes, notes, count * sizeof *notes);
  m->count = count;
}

Test(contact_modify, as_each_pair_changed_by_itself) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("contact_modify/pairs", 921));
  static mo_tracked_contact all[MAX_CONTACTS];
  w->size = 12;
  model *m = calloc(1, sizeof *m);
  cr_assert_not_null(m);
  mo_contact_tracker *tracker = tracker_with(w->scene, change_anything, NULL);
  for (uint64_t round = rng_rounds(25, 400); round-- > 0;) {
    for (uint32_t i = rng_below(&w->r, 12); i-- > 0;) {
      world_step(w);
    }
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    mo_contact_events events = update(tracker);
    mo_contact_events whole = with_resting(tracker, w->scene, &events, all, MAX_CONTACTS);
    check(m, w->scene, &whole);
  }
  cr_assert(m->rejected > 8 && m->begun > 20 && m->ended > 10, "rejected %u, begun %u, ended %u",
            m->rejected, m->begun, m->ended);
  mo_contact_tracker_destroy(tracker);
  free(m);
  world_destroy(w);
}

/* --- known answers --- */

/* Contacts with the platform, user data 7, are rejected for a body that comes from below, until it
 * has no contact with it any more. */
static void pass_from_below(mo_modified_pair *pair, void *context) {
  const mo_contact *c = &pair->contacts->contact;
  bool platform_first = c->user_data_a == 7;
  ++*(int *)context;
  if (platform_first || c->user_data_b == 7) {
    float up = platform_first ? c->manifold.normal.y : -c->manifold.normal.y;
    pair->state = pair->state != 0 ? pair->state : up > 0.5f ? 1 : 2; /* stands, or passes */
    for (uint32_t i = 0; i < pair->contact_count; i++) {
      pair->contacts[i].rejected = pair->state == 2;
    }
  }
}

Test(contact_modify, one_way_platform) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  mo_shape_id platform = add(scene, box_of(3, 0.1f, 3), 0, 0, 0);
  mo_shape_id box = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, -2, 0);
  cr_assert_eq(mo_scene_set_user_data(scene, platform, 7), MO_OK);
  cr_assert_eq(mo_scene_set_margin(scene, box, 0.02f), MO_OK);
  int call_count = 0, contacts = 0;
  mo_contact_tracker *tracker = tracker_with(scene, pass_from_below, &call_count);
  for (float y = -1; y < 1; y += 0.05f) { /* rises through it */
    move(scene, box, 0, y, 0);
    mo_contact_events events = update(tracker);
    cr_assert(events.begin_count == 0 && events.end_count == 0);
    for (uint32_t i = 0; i < events.contact_count; i++) {
      const mo_tracked_contact *c = &events.contacts[i];
      cr_assert(c->rejected && !c->touching && c->contact.manifold.point_count == 0);
      contacts++;
    }
  }
  cr_assert(contacts > 20 && contacts == call_count, "%d, %d", contacts, call_count);
  move(scene, box, 0, 0.59f, 0); /* and lands */
  mo_contact_events events = update(tracker);
  cr_assert(events.begin_count == 1 && events.contact_count == 1);
  cr_assert(!events.contacts->rejected && events.contacts->contact.manifold.point_count == 4);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* The speed of belts, at `context`, by the user data of the triangle. */
static void convey(mo_modified_pair *pair, void *context) {
  const float *speeds = context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    mo_tracked_contact *c = &pair->contacts[i];
    c->material.surface_velocity.x = speeds[c->contact.triangle_user_data_a];
    c->material.friction = 0.8f;
  }
}

Test(contact_modify, belt_of_a_mesh) {
  static const float vertices[] = {-4, 0, -4, -4, 0, 4, 4, 0, 4, 4, 0, -4};
  static const uint32_t indices[] = {0, 1, 2, 0, 2, 3}, materials[] = {0, 1};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = vertices;
  mesh_def.vertex_count = 4;
  mesh_def.indices = indices;
  mesh_def.triangle_count = 2;
  mesh_def.triangle_user_data = materials;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  mo_geometry floor = {.type = MO_SHAPE_MESH, .mesh = mesh};
  mo_shape_id belt = add(scene, floor, 0, 0, 0);
  mo_shape_id box = add(scene, box_of(0.5f, 0.5f, 0.5f), -2, 0.49f, 2);
  float speeds[2] = {2, 3};
  mo_contact_tracker *tracker = tracker_with(scene, convey, speeds);
  mo_contact_events events = update(tracker);
  cr_assert(events.contact_count == 1 && events.contacts->contact.triangle_a == 0);
  cr_assert_eq(events.contacts->material.surface_velocity.x, 2);
  cr_assert_eq(events.contacts->material.friction, 0.8f);
  events.contacts->memory[0].values[0] = 5;
  speeds[0] = -1; /* not noticed, as nothing moves, until the tracker is told */
  events = update(tracker);
  cr_assert(events.contacts->unchanged && events.contacts->material.surface_velocity.x == 2);
  cr_assert_eq(mo_contact_tracker_refresh_shape(tracker, belt), MO_OK);
  events = update(tracker);
  cr_assert(!events.contacts->unchanged && events.contacts->material.surface_velocity.x == -1);
  cr_assert(events.contacts->kept == 15 && events.contacts->memory[0].values[0] == 5);
  move(scene, box, 2, 0.49f, -2);
  events = update(tracker);
  cr_assert_eq(events.contacts->material.surface_velocity.x, 3);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
}

/* Says in `context` whether contacts are to be rejected, and sinks all points a little. */
static void sink(mo_modified_pair *pair, void *context) {
  mo_tracked_contact *c = pair->contacts;
  c->rejected = *(const bool *)context;
  for (uint32_t i = 0; i < c->contact.manifold.point_count; i++) {
    c->contact.manifold.points[i].separation -= 1;
  }
}

Test(contact_modify, rejected_and_taken_again) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  add(scene, box_of(3, 1, 3), 0, -1, 0);
  mo_shape_id box = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, 0.49f, 0);
  bool reject = false;
  mo_contact_tracker *tracker = tracker_with(scene, sink, &reject);
  mo_islands islands;
  for (int step = 0; step < 6; step++) {
    reject = step % 3 == 2;
    move(scene, box, 0.01f * (float)step, 0.49f, 0);
    mo_contact_events events = update(tracker);
    const mo_tracked_contact *c = events.contacts;
    cr_assert(events.contact_count == 1 && c->rejected == reject && c->touching == !reject);
    cr_assert_eq(events.begin_count, step % 3 == 0);
    cr_assert_eq(events.end_count, reject);
    cr_assert_eq(c->contact.manifold.point_count, reject ? 0 : 4);
    cr_assert_eq(c->kept, step % 3 == 1 ? 15 : 0);
    cr_assert(reject || fabsf(c->contact.manifold.points[0].separation + 1.01f) < 1e-5f);
    events = update(tracker); /* nothing moves: as it is, and not sunk twice */
    c = events.contacts;
    cr_assert(c->unchanged && c->rejected == reject && events.begin_count + events.end_count == 0);
    cr_assert(reject || fabsf(c->contact.manifold.points[0].separation + 1.01f) < 1e-5f);
    cr_assert_eq(mo_contact_tracker_find_islands(tracker, &islands), MO_OK);
    cr_assert_eq(islands.island_count, !reject);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* As `context` says, changes what must not be changed. */
static void spoil(mo_modified_pair *pair, void *context) {
  mo_contact *c = &pair->contacts->contact;
  int way = *(const int *)context;
  c->manifold.point_count += way == 1;
  c->triangle_b -= way == 2;
  c->a.index += way == 3;
  c->b.generation += way == 4;
}

Test(contact_modify, what_must_not_be_changed) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  add(scene, sphere_of(mo_vec(0, 0, 0), 1), 0, 0, 0);
  mo_shape_id ball = add(scene, sphere_of(mo_vec(0, 0, 0), 1), 1.5f, 0, 0);
  int way = 0;
  mo_contact_tracker *tracker = tracker_with(scene, spoil, &way);
  cr_assert_eq(update(tracker).contact_count, 1);
  move(scene, ball, 1.6f, 0, 0);
  mo_contact_events events = {.contact_count = 77};
  for (way = 1; way <= 4; way++) {
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(events.contact_count, 77);
  }
  way = 0;
  events = update(tracker);
  cr_assert(events.contact_count == 1 && events.contacts->kept == 1 && !events.contacts->unchanged);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}
