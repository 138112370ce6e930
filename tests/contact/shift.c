/* Contacts after a shift of the scene's origin: a stack at 100 km has those that it has at the
 * origin, with the same ids and memory of points, and no pair begins or ends. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/contact_tracker.h>
#include <string.h>

#include "contact/floors.h"
#include "math/vector.h"

enum { STOREYS = 12, MAX = 256 };

typedef struct stack {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_mesh *floor;
  mo_shape_id ids[STOREYS + 1];
  mo_transform transforms[STOREYS + 1];
} stack;

/* Of so many triangles that the lowest body stands on several, which have one contact. */
static mo_mesh *make_floor(void) {
  rng r = rng_make(rng_seed("contact shift", 218));
  const mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.edges = true;
  mo_mesh *built;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  test_mesh_free(&mesh);
  return built;
}

/* Boxes, cylinders and rounded boxes on each other, each a little deep in the one below, turned
 * about the vertical; a ball on top. Places are multiples of 1/128: exact also at 100 km. */
static void build(stack *s) {
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.margin = 0.01f;
  cr_assert_eq(mo_scene_create(&scene_def, &s->scene), MO_OK);
  s->floor = make_floor();
  for (int i = 0; i <= STOREYS; i++) {
    mo_geometry g = i % 3 == 0 ? cylinder_of(0.5f, 0.75f) : box_of(0.75f, 0.5f, 0.5f);
    g = i == STOREYS - 1 ? sphere_of(mo_vec(0, 0, 0), 0.5f) : g;
    mo_shape_def def = mo_default_shape_def(i == STOREYS ? MO_SHAPE_MESH : g.type);
    if (i == STOREYS) {
      def.geometry.mesh = s->floor;
      def.motion = MO_MOTION_STATIC;
    } else {
      def.geometry = g;
      def.transform = mo_transform_make(mo_vec((float)(i % 4) / 64, 0.5f, (float)(i % 3) / 128),
                                        turned(mo_vec(0, 1, 0), 0.3 * i), mo_vec(1, 1, 1));
      def.transform.origin.y += (float)i * 127 / 128 - 1.0f / 128;
    }
    s->transforms[i] = def.transform;
    cr_assert_eq(mo_scene_add_shape(s->scene, &def, &s->ids[i]), MO_OK);
  }
  cr_assert_eq(mo_scene_update(s->scene, NULL), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(s->scene, NULL, &s->tracker), MO_OK);
}

static void demolish(stack *s) {
  mo_contact_tracker_destroy(s->tracker);
  mo_scene_destroy(s->scene);
  mo_mesh_release(s->floor);
}

static mo_contact_events update(stack *s) {
  mo_contact_events events;
  cr_assert_eq(mo_contact_tracker_update(s->tracker, &events), MO_OK);
  cr_assert_eq(mo_contact_tracker_validate(s->tracker), MO_OK);
  return events;
}

static bool same_vector(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The same contacts but for positions, which are where the anchors say; every point is kept. */
static void check_same(const stack *s, const mo_contact_events *events,
                       const mo_tracked_contact *before, uint32_t count) {
  cr_assert(events->begin_count == 0 && events->end_count == 0);
  cr_assert_eq(events->contact_count, count);
  for (uint32_t i = 0; i < count; i++) {
    const mo_contact *c = &events->contacts[i].contact, *d = &before[i].contact;
    const mo_manifold *m = &c->manifold, *n = &d->manifold;
    cr_assert(c->a.index == d->a.index && c->b.index == d->b.index &&
              c->triangle_b == d->triangle_b && c->triangle_a == d->triangle_a);
    cr_assert(m->point_count == n->point_count && same_vector(m->normal, n->normal));
    cr_assert_eq(events->contacts[i].kept, (1u << m->point_count) - 1);
    cr_assert(events->contacts[i].touching && !events->contacts[i].began);
    mo_transform at;
    cr_assert_eq(mo_scene_get_transform(s->scene, c->a, &at), MO_OK);
    for (uint32_t k = 0; k < m->point_count; k++) {
      const mo_manifold_point *p = &m->points[k], *q = &n->points[k];
      cr_assert(p->id == q->id && p->separation == q->separation);
      cr_assert(same_vector(p->anchor_a, q->anchor_a) && same_vector(p->anchor_b, q->anchor_b));
      mo_vec3 expected = mo_add(at.origin, p->anchor_a), off = mo_sub(p->position, expected);
      float unit = 1e-7f * (fabsf(expected.x) + fabsf(expected.y) + fabsf(expected.z) + 1);
      cr_assert(fabsf(off.x) <= unit && fabsf(off.y) <= unit && fabsf(off.z) <= unit);
      cr_assert_eq(
          memcmp(&events->contacts[i].memory[k], &before[i].memory[k], sizeof(mo_point_memory)), 0);
    }
  }
}

/* All shapes are moved to where they are, so that their contacts are worked out anew. */
static void touch_all(stack *s) {
  cr_assert_eq(mo_scene_set_transforms(s->scene, s->ids, s->transforms, STOREYS + 1, NULL), MO_OK);
}

static void shift(stack *s, mo_vec3 by) {
  cr_assert_eq(mo_scene_shift_origin(s->scene, by), MO_OK);
  for (int i = 0; i <= STOREYS; i++) {
    s->transforms[i].origin = mo_add(s->transforms[i].origin, by);
  }
}

Test(contact_shift, a_stack_at_100_km_is_one_at_the_origin) {
  static mo_tracked_contact before[MAX];
  stack s;
  build(&s);
  (void)update(&s);
  touch_all(&s);
  mo_contact_events events = update(&s);
  uint32_t count = events.contact_count;
  cr_assert(count >= STOREYS && count <= MAX && events.begin_count == 0);
  uint32_t first, on_floor; /* one contact, of several triangles */
  cr_assert_eq(
      mo_contact_tracker_find(s.tracker, &(mo_pair){s.ids[0], s.ids[STOREYS]}, &first, &on_floor),
      MO_OK);
  cr_assert(on_floor == 1 && events.contacts[first].contact.manifold.point_count == 4);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < events.contacts[i].contact.manifold.point_count; k++) {
      events.contacts[i].memory[k] = (mo_point_memory){{(float)i, (float)k, 1, 2}};
    }
    before[i] = events.contacts[i];
  }
  const mo_vec3 far = {100000, -70000, 90000};
  const mo_vec3 ways[4] = {far, mo_scale(-1, far), {0.5f, 0, 0}, {-0.5f, 0, 0}};
  for (int way = 0; way < 4; way++) {
    shift(&s, ways[way]);
    check_same(&s, &events, before, count); /* the array of the update before moves along */
    events = update(&s);
    check_same(&s, &events, before, count);
    cr_assert(events.contacts[0].unchanged);
    touch_all(&s);
    events = update(&s);
    check_same(&s, &events, before, count);
    cr_assert_not(events.contacts[0].unchanged);
  }
  demolish(&s);
}

/* A shape that is moved, and one that is removed, before the shift, when the next update is still
 * to come. */
Test(contact_shift, between_a_change_and_its_update) {
  stack s;
  build(&s);
  uint32_t touching = update(&s).begin_count;
  cr_assert_eq(touching, STOREYS);
  cr_assert_eq(mo_scene_remove_shape(s.scene, s.ids[4]), MO_OK);
  mo_transform away = s.transforms[8];
  away.origin.x += 100;
  cr_assert_eq(mo_scene_set_transform(s.scene, s.ids[8], &away), MO_OK);
  cr_assert_eq(mo_scene_shift_origin(s.scene, mo_vec(4096, 0, 0)), MO_OK);
  mo_contact_events events = update(&s);
  cr_assert(events.begin_count == 0 && events.end_count == 4);
  demolish(&s);
}

/* A box slides and turns over the triangles of a floor while the origin is shifted, between steps
 * and between a step's motion and its update: its corners stay the same points. */
Test(contact_shift, points_are_kept_over_triangles) {
  rng r = rng_make(rng_seed("contact shift slide", 220));
  const mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_shape_id ground, box;
  mo_scene *scene = surface_scene(&mesh, NULL, &identity, &ground);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry = box_of(0.6f, 0.2f, 0.4f);
  cr_assert_eq(mo_scene_add_shape(scene, &def, &box), MO_OK);
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  mo_vec3 place = {0, 0, 0}; /* of the floor */
  uint32_t triangle = MO_NO_TRIANGLE, changes = 0;
  for (int i = 0; i < 300; i++) {
    mo_vec3 by = mo_vec(1024 * rng_float(&r, -90, 90), 0, 1024 * rng_float(&r, -90, 90));
    by = mo_sub(mo_vec(roundf(by.x), 0, roundf(by.z)), i % 2 ? place : mo_vec(0, 0, 0));
    mo_vec3 at = mo_add(place, mo_vec(-4 + (float)i / 64, 0.1953125f, 0.125f));
    mo_transform map = mo_transform_make(at, turned(mo_vec(0, 1, 0), 0.1 * i), mo_vec(1, 1, 1));
    cr_assert_eq(mo_scene_set_transform(scene, box, &map), MO_OK);
    if (i % 3 == 1) {
      cr_assert_eq(mo_scene_shift_origin(scene, by), MO_OK);
      place = mo_add(place, by);
    }
    mo_contact_events events;
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(events.contact_count, 1, "step %d: %u", i, events.contact_count);
    mo_tracked_contact *c = &events.contacts[0];
    cr_assert(c->contact.manifold.point_count == 4 && c->kept == (i == 0 ? 0 : 15), "step %d: %x",
              i, c->kept);
    for (uint32_t k = 0; k < 4; k++) {
      float corner = (float)(c->contact.manifold.points[k].id & 7);
      cr_assert(i == 0 || c->memory[k].values[2] == 1 + corner, "step %d", i);
      c->memory[k].values[2] = 1 + corner;
    }
    changes += c->contact.triangle_a != triangle;
    triangle = c->contact.triangle_a;
    if (i % 3 == 0) {
      cr_assert_eq(mo_scene_shift_origin(scene, by), MO_OK);
      place = mo_add(place, by);
    }
  }
  cr_assert(changes > 5, "%u", changes);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

static mo_tracked_contact resting_of(const stack *s, int index) {
  mo_tracked_contact resting;
  uint32_t total;
  cr_assert_eq(
      mo_contact_tracker_get_resting_contacts(s->tracker, s->ids[index], &resting, 1, &total),
      MO_OK);
  cr_assert_gt(total, 0);
  return resting;
}

/* Positions of contacts at rest move along at once, as all others do. */
Test(contact_shift, contacts_at_rest_move_along) {
  stack s;
  build(&s);
  cr_assert_eq(mo_scene_set_motion(s.scene, s.ids, STOREYS, MO_MOTION_SLEEPING, NULL), MO_OK);
  (void)update(&s);
  cr_assert_eq(update(&s).contact_count, 0);
  const mo_vec3 by = {4096, -64, 1024};
  for (int i = 0; i < STOREYS; i++) {
    const mo_tracked_contact before = resting_of(&s, i);
    cr_assert_eq(mo_scene_shift_origin(s.scene, by), MO_OK);
    const mo_tracked_contact now = resting_of(&s, i);
    cr_assert_eq(now.contact.manifold.point_count, before.contact.manifold.point_count);
    for (uint32_t k = 0; k < now.contact.manifold.point_count; k++) {
      const mo_vec3 moved = mo_sub(now.contact.manifold.points[k].position,
                                   before.contact.manifold.points[k].position);
      cr_assert(mo_max_magnitude(mo_sub(moved, by)) < 1e-3f, "contact of %d: moved by %g %g %g", i,
                (double)moved.x, (double)moved.y, (double)moved.z);
    }
    cr_assert_eq(mo_scene_shift_origin(s.scene, mo_scale(-1, by)), MO_OK);
  }
  demolish(&s);
}

/* A shape has moved since the last update, whose contacts are still those of where it was: their
 * positions move by the shift, not with the shape. */
Test(contact_shift, contacts_of_what_has_moved_stay_where_it_was) {
  static mo_tracked_contact before[MAX];
  stack s;
  build(&s);
  (void)update(&s);
  mo_contact_events events = update(&s);
  cr_assert_leq(events.contact_count, MAX);
  memcpy(before, events.contacts, events.contact_count * sizeof *before);
  for (int i = 0; i < STOREYS; i += 2) {
    mo_transform away = s.transforms[i];
    away.origin.x += 100;
    cr_assert_eq(mo_scene_set_transform(s.scene, s.ids[i], &away), MO_OK);
  }
  cr_assert_eq(mo_scene_update(s.scene, NULL), MO_OK);
  const mo_vec3 by = {0, 0, 2048};
  cr_assert_eq(mo_scene_shift_origin(s.scene, by), MO_OK);
  for (uint32_t i = 0; i < events.contact_count; i++) {
    for (uint32_t k = 0; k < events.contacts[i].contact.manifold.point_count; k++) {
      const mo_vec3 moved = mo_sub(events.contacts[i].contact.manifold.points[k].position,
                                   before[i].contact.manifold.points[k].position);
      cr_assert(mo_max_magnitude(mo_sub(moved, by)) < 1e-3f, "contact %u: moved by %g %g %g", i,
                (double)moved.x, (double)moved.y, (double)moved.z);
    }
  }
  demolish(&s);
}
