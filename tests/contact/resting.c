/* Contacts at rest: they cost nothing, keep what the host wrote, and are back as soon as something
 * changes; which shapes sleep together. */
#include <stdlib.h>

#include "contact/tracking.h"
#include "support/counting_allocator.h"
#include "support/rng.h"

enum { SIDE = 12, LEVELS = 4, PILE = SIDE * SIDE * LEVELS };

typedef struct pile {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id floor, boxes[PILE], visitor;
} pile;

static void set_motion(pile *p, const mo_shape_id *ids, uint32_t count, mo_motion motion) {
  cr_assert_eq(mo_scene_set_motion(p->scene, ids, count, motion, NULL), MO_OK);
}

static mo_contact_tracker_stats stats_of(const pile *p) {
  mo_contact_tracker_stats stats;
  cr_assert_eq(mo_contact_tracker_get_stats(p->tracker, &stats), MO_OK);
  return stats;
}

/* Towers of boxes that stand apart on a floor, and a visitor far away; all has been updated. */
static pile pile_create(const mo_host *host) {
  pile p = {.scene = scene_with(host)};
  p.floor = add(p.scene, box_of(50, 1, 50), 0, -1, 0);
  for (int i = 0; i < PILE; i++) {
    int level = i % LEVELS, tower = i / LEVELS;
    p.boxes[i] = add(p.scene, box_of(0.5f, 0.5f, 0.5f), 1.5f * (float)(tower % SIDE),
                     0.499f + 0.998f * (float)level, 1.5f * (float)(tower / SIDE));
  }
  p.visitor = add(p.scene, box_of(0.5f, 0.5f, 0.5f), 0, 30, 0);
  set_motion(&p, &p.floor, 1, MO_MOTION_STATIC);
  cr_assert_eq(mo_scene_update(p.scene, NULL), MO_OK);
  p.tracker = tracker_create(p.scene);
  cr_assert_eq(update(p.tracker).contact_count, PILE);
  return p;
}

static void pile_destroy(pile *p) {
  mo_contact_tracker_destroy(p->tracker);
  mo_scene_destroy(p->scene);
}

/* All boxes sleep; each of the points at rest has its place among all as its memory. */
static void put_to_sleep(pile *p) {
  mo_contact_events events = update(p->tracker);
  for (uint32_t i = 0; i < events.contact_count; i++) {
    events.contacts[i].memory[0].values[0] = (float)i + 1;
  }
  set_motion(p, p->boxes, PILE, MO_MOTION_SLEEPING);
  events = update(p->tracker);
  cr_assert(events.contact_count == 0 && events.begin_count + events.end_count == 0);
  cr_assert_eq(stats_of(p).resting_count, PILE);
}

static bool is_before(const mo_contact *c, const mo_contact *d) {
  return c->a.index < d->a.index || (c->a.index == d->a.index && c->b.index < d->b.index);
}

Test(contact_resting, costs_nothing_and_is_back_at_once) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  pile p = pile_create(&host);
  put_to_sleep(&p);
  for (int step = 0; step < 12; step++) {
    if (step == 2) {
      counting_allocator_fail_at(&counter, 0, false);
    }
    move(p.scene, p.visitor, 0, 30 + (float)step, 0);
    mo_contact_events events = update(p.tracker);
    mo_contact_tracker_stats stats = stats_of(&p);
    cr_assert(events.contact_count == 0 && stats.computed_count + stats.unchanged_count == 0);
    cr_assert(stats.pair_count == PILE && stats.resting_count == PILE);
  }
  cr_assert_eq(counter.calls, 0);
  set_motion(&p, &p.boxes[1], 1, MO_MOTION_DYNAMIC); /* between two others */
  mo_contact_events events = update(p.tracker);
  cr_assert(events.contact_count == 2 && stats_of(&p).resting_count == PILE - 2);
  cr_assert(stats_of(&p).computed_count == 0 && stats_of(&p).unchanged_count == 2);
  for (uint32_t i = 0; i < 2; i++) {
    const mo_tracked_contact *c = &events.contacts[i];
    cr_assert(c->unchanged && c->touching && !c->began && c->kept == 15 &&
              c->memory[0].values[0] > 0);
  }
  cr_assert_eq(events.contacts[0].contact.b.index, p.boxes[1].index);
  cr_assert_eq(events.contacts[1].contact.a.index, p.boxes[1].index);
  set_motion(&p, &p.boxes[1], 1, MO_MOTION_SLEEPING);
  cr_assert_eq(update(p.tracker).contact_count, 0);
  cr_assert_eq(stats_of(&p).resting_count, PILE);
  pile_destroy(&p);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* What is asleep shows up if it is moved, loses its support, or is met by something awake. */
Test(contact_resting, changes_show) {
  mo_host host = mo_default_host();
  pile p = pile_create(&host);
  put_to_sleep(&p);
  move(p.scene, p.boxes[LEVELS - 1], 0, 3.49f, 0); /* the top of the first tower, asleep */
  mo_contact_events events = update(p.tracker);
  cr_assert(events.contact_count == 1 && !events.contacts->unchanged &&
            events.contacts->kept == 15);
  cr_assert_eq(update(p.tracker).contact_count, 0, "at rest again");
  move(p.scene, p.boxes[LEVELS - 1], 0, 9, 0);
  events = update(p.tracker);
  cr_assert(events.contact_count == 0 && events.end_count == 1);
  cr_assert(same_pair(events.ends[0], (mo_pair){p.boxes[LEVELS - 2], p.boxes[LEVELS - 1]}));
  cr_assert_eq(mo_scene_remove_shape(p.scene, p.boxes[0]), MO_OK);
  events = update(p.tracker);
  cr_assert(events.end_count == 2 && same_pair(events.ends[0], (mo_pair){p.floor, p.boxes[0]}));
  cr_assert(same_pair(events.ends[1], (mo_pair){p.boxes[0], p.boxes[1]}));
  cr_assert_eq(mo_scene_set_filter(p.scene, p.boxes[2], 1, 0), MO_OK);
  events = update(p.tracker);
  cr_assert(events.end_count == 1 && same_pair(events.ends[0], (mo_pair){p.boxes[1], p.boxes[2]}));
  move(p.scene, p.visitor, 1.5f, 0.998f * LEVELS + 0.499f, 0); /* on the second tower */
  events = update(p.tracker);
  cr_assert(events.contact_count == 1 && events.begin_count == 1);
  cr_assert(same_pair(events.begins[0], (mo_pair){p.boxes[2 * LEVELS - 1], p.visitor}));
  move(p.scene, p.floor, 0, -0.999f, 0); /* takes along what rests on it */
  events = update(p.tracker);
  cr_assert_eq(events.contact_count, 1 + SIDE * SIDE - 1);
  cr_assert_eq(events.end_count, 0);
  pile_destroy(&p);
}

/* User data of contacts at rest are those that shapes have now, but of a shape that is gone what it
 * had, not what the one has that took its slot. */
Test(contact_resting, user_data_of_what_is_gone) {
  mo_host host = mo_default_host();
  pile p = pile_create(&host);
  cr_assert_eq(mo_scene_set_user_data(p.scene, p.boxes[1], 5), MO_OK);
  put_to_sleep(&p);
  cr_assert_eq(mo_scene_set_user_data(p.scene, p.boxes[0], 6), MO_OK);
  cr_assert_eq(mo_scene_remove_shape(p.scene, p.boxes[1]), MO_OK);
  mo_shape_id later = add(p.scene, box_of(1, 1, 1), 0, 90, 0);
  cr_assert_eq(later.index, p.boxes[1].index);
  cr_assert_eq(mo_scene_set_user_data(p.scene, later, 7), MO_OK);
  mo_tracked_contact resting[2];
  uint32_t total;
  cr_assert_eq(mo_contact_tracker_get_resting_contacts(p.tracker, p.boxes[0], resting, 2, &total),
               MO_OK);
  mo_contact_events events;
  cr_assert_eq(mo_contact_tracker_wake(p.tracker, &p.boxes[0], 1, &events), MO_OK);
  cr_assert(total == 2 && events.contact_count == 2);
  for (uint32_t i = 0; i < 2; i++) {
    const mo_contact *c = i == 0 ? &resting[1].contact : &events.contacts[1].contact;
    cr_assert(same_pair((mo_pair){c->a, c->b}, (mo_pair){p.boxes[0], p.boxes[1]}));
    cr_assert(c->user_data_a == 6 && c->user_data_b == 5);
  }
  cr_assert_eq(update(p.tracker).end_count, 2);
  pile_destroy(&p);
}

static void refit(mo_mesh *mesh, float height) {
  const mo_vec3 corners[3] = {{-9, height, -9}, {0, height, 9}, {9, height, -9}};
  cr_assert_eq(mo_mesh_refit(mesh, corners, sizeof corners[0], 3, NULL, NULL), MO_OK);
}

/* A mesh that changes below what sleeps on it: its contact is back, with its bytes, once the scene
 * has been told. */
Test(contact_resting, on_a_mesh_that_changes) {
  static const float corners[9] = {-9, 0, -9, 0, 0, 9, 9, 0, -9};
  const mo_host host = mo_default_host();
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = 3;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = 1;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  mo_scene *scene = scene_with(&host);
  mo_pair pair = {.a = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, 0.499f, 0)};
  pair.b = add(scene, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = mesh}, 0, 0, 0);
  const mo_shape_id both[2] = {pair.a, pair.b};
  cr_assert_eq(mo_scene_set_motion(scene, both, 2, MO_MOTION_SLEEPING, NULL), MO_OK);
  mo_contact_tracker *tracker = tracker_create(scene);
  mo_contact_events events = update(tracker);
  cr_assert(events.contact_count == 1 && events.contacts->contact.manifold.point_count == 4);
  events.contacts->memory[3].values[0] = 8;
  mo_tracked_contact resting;
  cr_assert(update(tracker).contact_count == 0 && resting_of(tracker, pair, &resting) == 1);

  refit(mesh, 0.001f);
  cr_assert_eq(update(tracker).contact_count, 0, "nothing was said of it");
  cr_assert_eq(mo_scene_refresh_shape(scene, pair.b), MO_OK);
  events = update(tracker);
  const mo_collide_def near = mo_default_collide_def();
  mo_contact expected;
  uint32_t total;
  cr_assert_eq(mo_scene_collide_pair(scene, &pair, &near, &expected, 1, &total), MO_OK);
  cr_assert(events.contact_count == 1 && same_contact(&events.contacts->contact, &expected));
  cr_assert(events.contacts->kept == 15 && events.contacts->memory[3].values[0] == 8);
  cr_assert(fabsf(min_separation(&expected.manifold) + 0.002f) < 1e-6f);
  cr_assert_eq(update(tracker).contact_count, 0);

  refit(mesh, -1);
  cr_assert_eq(mo_scene_refresh_shape(scene, pair.b), MO_OK);
  events = update(tracker);
  cr_assert(events.contact_count == 0 && events.end_count == 1 && same_pair(*events.ends, pair));
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
}

/* What was written to the points of a contact of the pile: by which shapes it has. */
static float number_of(const mo_contact *c) {
  return (float)(c->a.index * (PILE + 2) + c->b.index + 1);
}

/* All contacts of the pile have the bytes that were written; how many they are. */
static uint32_t check_bytes(const pile *p, const mo_contact_events *events) {
  static mo_tracked_contact all[2 * PILE + MAX_RESTING];
  mo_contact_events whole = with_resting(p->tracker, p->scene, events, all, 2 * PILE + MAX_RESTING);
  for (uint32_t i = 0; i < whole.contact_count; i++) {
    const mo_tracked_contact *c = &whole.contacts[i];
    cr_assert(c->kept == 15 && c->touching && !c->began);
    for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
      cr_assert_eq(c->memory[k].values[0], number_of(&c->contact));
      cr_assert_eq(c->memory[k].values[3], (float)k);
    }
  }
  return whole.contact_count;
}

/* The support of towers that sleep is removed, moved or filtered away: what still touches has the
 * bytes that it had, asleep, moved along and woken. */
Test(contact_resting, bytes_outlast_the_support) {
  mo_host host = mo_default_host();
  pile p = pile_create(&host);
  mo_contact_events events = update(p.tracker);
  for (uint32_t i = 0; i < events.contact_count; i++) {
    for (uint32_t k = 0; k < 4; k++) {
      float number = number_of(&events.contacts[i].contact);
      events.contacts[i].memory[k] = (mo_point_memory){{number, 0, 0, (float)k}};
    }
  }
  set_motion(&p, p.boxes, PILE, MO_MOTION_SLEEPING);
  events = update(p.tracker);
  cr_assert_eq(check_bytes(&p, &events), PILE);

  cr_assert_eq(mo_scene_remove_shape(p.scene, p.boxes[0]), MO_OK);
  events = update(p.tracker);
  cr_assert(events.end_count == 2 && events.begin_count == 0 && events.contact_count == 0);
  cr_assert_eq(check_bytes(&p, &events), PILE - 2);
  mo_shape_id left[LEVELS];
  uint32_t total;
  cr_assert_eq(mo_contact_tracker_find_sleepers(p.tracker, &p.boxes[1], 1, left, LEVELS, &total),
               MO_OK);
  cr_assert_eq(total, LEVELS - 1);
  set_motion(&p, left, total, MO_MOTION_DYNAMIC);
  cr_assert_eq(mo_contact_tracker_wake(p.tracker, left, total, &events), MO_OK);
  cr_assert_eq(events.contact_count, LEVELS - 2);
  cr_assert_eq(check_bytes(&p, &events), PILE - 2);

  cr_assert_eq(mo_scene_set_filter(p.scene, p.boxes[LEVELS], 1, 0), MO_OK); /* the second tower's */
  events = update(p.tracker);
  cr_assert(events.end_count == 2 && check_bytes(&p, &events) == PILE - 4);
  cr_assert_eq(mo_scene_set_filter(p.scene, p.boxes[LEVELS], 1, UINT64_MAX), MO_OK);
  events = update(p.tracker);
  cr_assert(events.begin_count == 2 && events.contact_count == LEVELS - 2 + 2);
  for (uint32_t i = 0; i < events.contact_count; i++) {
    mo_tracked_contact *c = &events.contacts[i];
    cr_assert(c->began == (c->contact.a.index == p.boxes[LEVELS].index ||
                           c->contact.b.index == p.boxes[LEVELS].index));
    cr_assert(!c->began || (c->kept == 0 && c->memory[0].values[0] == 0));
    for (uint32_t k = 0; k < 4 && c->began; k++) {
      c->memory[k] = (mo_point_memory){{number_of(&c->contact), 0, 0, (float)k}};
    }
  }

  move(p.scene, p.floor, 0.1f, -0.9995f, 0.1f); /* along with what rests on it */
  events = update(p.tracker);
  cr_assert(events.begin_count == 0 && events.end_count == 0);
  cr_assert_eq(check_bytes(&p, &events), PILE - 2);
  events = update(p.tracker);
  cr_assert(events.contact_count == LEVELS - 2 && check_bytes(&p, &events) == PILE - 2);
  move(p.scene, p.floor, 0, -2, 0); /* and away */
  events = update(p.tracker);
  cr_assert(events.begin_count == 0 && events.end_count == SIDE * SIDE - 1);
  cr_assert_eq(check_bytes(&p, &events), PILE - 2 - (SIDE * SIDE - 1));
  pile_destroy(&p);
}

/* Sensors over towers that fall asleep, sleep and wake: they touch all the while, and there is no
 * event; whether the sensor is a volume or a shape, static or awake. */
Test(contact_resting, sensors_over_sleepers) {
  enum { SENSOR = 4 };
  mo_host host = mo_default_host();
  pile p = pile_create(&host);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.sensor_categories = SENSOR;
  mo_contact_tracker_destroy(p.tracker);
  cr_assert_eq(mo_contact_tracker_create(p.scene, &def, &p.tracker), MO_OK);
  cr_assert_eq(update(p.tracker).contact_count, PILE);
  for (int kind = 0; kind < 4; kind++) { /* around the first tower, not the floor */
    mo_geometry volume = {.type = MO_SHAPE_VOLUME,
                          .volume = {{-0.6f, 0.1f, -0.6f}, {0.6f, 4, 0.6f}}};
    mo_geometry box = box_of(0.6f, 1.9f, 0.6f);
    mo_shape_id sensor = kind % 2 == 0 ? add(p.scene, volume, 0, 0, 0) : add(p.scene, box, 0, 2, 0);
    cr_assert_eq(mo_scene_set_filter(p.scene, sensor, SENSOR, UINT64_MAX), MO_OK);
    set_motion(&p, &sensor, 1, kind < 2 ? MO_MOTION_STATIC : MO_MOTION_DYNAMIC);
    cr_assert_eq(mo_scene_update(p.scene, NULL), MO_OK);
    cr_assert_eq(update(p.tracker).begin_count, LEVELS);
    for (int step = 0; step < 6; step++) {
      if (step == 1 || step == 4) {
        set_motion(&p, p.boxes, PILE, step == 1 ? MO_MOTION_SLEEPING : MO_MOTION_DYNAMIC);
      }
      if (step == 3) { /* a little aside */
        move(p.scene, sensor, 0.01f, kind % 2 == 0 ? 0 : 2, 0);
      }
      mo_contact_events events = update(p.tracker);
      cr_assert(events.begin_count == 0 && events.end_count == 0, "kind %d, step %d", kind, step);
      static mo_tracked_contact all[2 * PILE + MAX_RESTING];
      mo_contact_events whole =
          with_resting(p.tracker, p.scene, &events, all, 2 * PILE + MAX_RESTING);
      cr_assert_eq(whole.contact_count, PILE + LEVELS);
      for (uint32_t i = 0; i < whole.contact_count; i++) {
        bool of_sensor = whole.contacts[i].contact.b.index == sensor.index;
        cr_assert(whole.contacts[i].touching);
        cr_assert_eq(whole.contacts[i].contact.manifold.point_count, of_sensor ? 0 : 4);
      }
    }
    cr_assert_eq(mo_scene_remove_shape(p.scene, sensor), MO_OK);
    cr_assert_eq(update(p.tracker).end_count, LEVELS);
  }
  pile_destroy(&p);
}

static void expect_sleepers(const pile *p, const mo_shape_id *ids, uint32_t count,
                            const mo_shape_id *expected, uint32_t expected_count) {
  static mo_shape_id found[PILE];
  uint32_t total;
  cr_assert_eq(mo_contact_tracker_find_sleepers(p->tracker, ids, count, found, PILE, &total),
               MO_OK);
  cr_assert_eq(total, expected_count);
  for (uint32_t i = 0; i < total; i++) {
    cr_assert(same_id(found[i], expected[i]));
  }
}

Test(contact_resting, what_sleeps_together) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  pile p = pile_create(&host);
  put_to_sleep(&p);
  expect_sleepers(&p, NULL, 0, NULL, 0);
  expect_sleepers(&p, &p.visitor, 1, NULL, 0);
  expect_sleepers(&p, &p.boxes[6], 1, &p.boxes[LEVELS],
                  LEVELS); /* its tower, not across the floor */
  expect_sleepers(&p, &p.floor, 1, p.boxes, PILE);
  set_motion(&p, &p.boxes[2], 1, MO_MOTION_DYNAMIC);
  mo_shape_id both[2] = {p.boxes[1], p.boxes[3]}; /* one sleeps below it, one above */
  cr_assert_eq(update(p.tracker).contact_count, 2);
  expect_sleepers(&p, &p.boxes[2], 1, NULL, 0);
  expect_sleepers(&p, both, 2, (mo_shape_id[3]){p.boxes[0], p.boxes[1], p.boxes[3]}, 3);
  uint32_t total;
  mo_shape_id first;
  cr_assert_eq(mo_contact_tracker_find_sleepers(p.tracker, &p.floor, 1, &first, 1, &total), MO_OK);
  cr_assert(total == PILE - 2 && same_id(first, p.boxes[0]));
  mo_scene_trim(p.scene);
  counting_allocator_fail_at(&counter, 1, false);
  cr_assert_eq(mo_contact_tracker_find_sleepers(p.tracker, &p.floor, 1, NULL, 0, &total),
               MO_ERROR_OUT_OF_MEMORY);
  counting_allocator_fail_at(&counter, 0, false);
  mo_scene_destroy(p.scene);
  cr_assert_eq(stats_of(&p).bytes, counter.outstanding_bytes);
  mo_contact_tracker_destroy(p.tracker);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Before the next update a tracker still has the contacts of what was removed: another shape that
 * sleeps in the same slot has none of them. */
Test(contact_resting, sleepers_are_not_those_of_the_shape_before) {
  mo_host host = mo_default_host();
  pile p = pile_create(&host);
  put_to_sleep(&p);
  cr_assert_eq(mo_scene_remove_shape(p.scene, p.boxes[1]), MO_OK);
  const mo_shape_id later = add(p.scene, box_of(0.5f, 0.5f, 0.5f), 0, 90, 0);
  cr_assert(later.index == p.boxes[1].index && later.generation != p.boxes[1].generation);
  set_motion(&p, &later, 1, MO_MOTION_SLEEPING);
  expect_sleepers(&p, &later, 1, &later, 1);
  expect_sleepers(&p, &p.boxes[0], 1, &p.boxes[0], 1);
  expect_sleepers(&p, &p.boxes[3], 1, &p.boxes[2], 2);
  update(p.tracker);
  expect_sleepers(&p, &later, 1, &later, 1);
  expect_sleepers(&p, &p.boxes[0], 1, &p.boxes[0], 1);
  pile_destroy(&p);
}

/* A visitor lands on a tower that sleeps; it is woken in the same step. */
Test(contact_resting, woken_in_the_same_step) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  pile p = pile_create(&host);
  put_to_sleep(&p);
  move(p.scene, p.visitor, 1.5f, 0.998f * LEVELS + 0.499f, 0); /* on the second tower */
  mo_contact_events events = update(p.tracker);
  cr_assert(events.contact_count == 1 && events.begin_count == 1);
  mo_shape_id tower[LEVELS];
  uint32_t total;
  cr_assert_eq(mo_contact_tracker_find_sleepers(p.tracker, &p.boxes[2 * LEVELS - 1], 1, tower,
                                                LEVELS, &total),
               MO_OK);
  cr_assert_eq(total, LEVELS);
  set_motion(&p, tower, LEVELS, MO_MOTION_DYNAMIC);
  counting_allocator_fail_at(&counter, 1, true);
  mo_result result = mo_contact_tracker_wake(p.tracker, tower, LEVELS, &events);
  cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
  cr_assert(result == MO_OK || stats_of(&p).resting_count == PILE);
  counting_allocator_fail_at(&counter, 0, false);
  for (int again = 0; again < 3; again++) { /* the last time by an update */
    if (again < 2) {
      cr_assert_eq(mo_contact_tracker_wake(p.tracker, tower, LEVELS, &events), MO_OK);
      cr_assert_eq(events.begin_count, 1);
    } else {
      events = update(p.tracker);
    }
    cr_assert(events.contact_count == LEVELS + 1 && stats_of(&p).resting_count == PILE - LEVELS);
    for (uint32_t i = 0; i <= LEVELS; i++) {
      const mo_tracked_contact *c = &events.contacts[i];
      cr_assert(i == 0 || is_before(&events.contacts[i - 1].contact, &c->contact));
      bool old = !same_id(c->contact.b, p.visitor);
      cr_assert(c->touching && c->began == (!old && again < 2));
      cr_assert(!old || (c->unchanged && c->kept == 15 && c->memory[0].values[0] > 0));
    }
  }
  mo_islands islands;
  cr_assert_eq(mo_contact_tracker_find_islands(p.tracker, &islands), MO_OK);
  cr_assert(islands.island_count == 1 && islands.shape_count == LEVELS + 1);
  cr_assert_eq(mo_contact_tracker_wake(p.tracker, &p.floor, 1, &events), MO_OK);
  cr_assert_eq(events.contact_count, LEVELS + SIDE * SIDE);
  cr_assert_eq(update(p.tracker).contact_count, LEVELS + 1, "those that still sleep rest again");
  pile_destroy(&p);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Random shapes fall asleep and wake, are moved and removed, on one scene whose contacts rest and
 * one whose shapes are all awake: the same contacts, but for the order in which they rest. */
Test(contact_resting, as_of_scenes_that_never_sleep) {
  mo_host host = mo_default_host();
  rng r = rng_make(rng_seed("contact_resting/random", 931));
  pile p[2] = {pile_create(&host), pile_create(&host)};
  static mo_tracked_contact all[PILE * 4 + MAX_RESTING];
  uint32_t rested = 0;
  for (uint64_t round = rng_rounds(40, 1000); round-- > 0;) {
    for (int i = 0; i < 60; i++) {
      uint32_t box = rng_below(&r, PILE);
      mo_motion motion = rng_chance(&r, 0.7) ? MO_MOTION_SLEEPING : MO_MOTION_DYNAMIC;
      set_motion(&p[0], &p[0].boxes[box], 1, motion);
      mo_vec3 at = {rng_float(&r, 0, 18), rng_float(&r, 0.4f, 4), rng_float(&r, 0, 18)};
      bool moves = rng_chance(&r, 0.2);
      for (int k = 0; moves && k < 2; k++) {
        mo_transform place = mo_transform_identity();
        place.origin = at;
        cr_assert_eq(mo_scene_set_transform(p[k].scene, p[k].boxes[box], &place), MO_OK);
      }
    }
    mo_contact_events events[2];
    for (int k = 0; k < 2; k++) {
      cr_assert_eq(mo_scene_update(p[k].scene, NULL), MO_OK);
      events[k] = update(p[k].tracker);
    }
    mo_shape_id woken[3];
    for (int i = 0; i < 3; i++) {
      woken[i] = p[0].boxes[rng_below(&r, PILE)];
    }
    set_motion(&p[0], woken, 3, MO_MOTION_DYNAMIC);
    cr_assert_eq(mo_contact_tracker_wake(p[0].tracker, woken, 3, &events[0]), MO_OK);
    mo_contact_events whole =
        with_resting(p[0].tracker, p[0].scene, &events[0], all, PILE * 4 + MAX_RESTING);
    rested += whole.contact_count - events[0].contact_count;
    cr_assert_eq(whole.contact_count, events[1].contact_count);
    cr_assert(whole.begin_count == events[1].begin_count && whole.end_count == events[1].end_count);
    for (uint32_t i = 0; i < whole.contact_count; i++) {
      const mo_tracked_contact *c = &whole.contacts[i], *d = &events[1].contacts[i];
      cr_assert(same_contact(&c->contact, &d->contact));
      cr_assert(c->kept == d->kept && c->touching == d->touching);
      cr_assert_eq(c->memory[0].values[1], d->memory[0].values[1]);
    }
    for (int k = 0; k < 2; k++) {
      for (uint32_t i = 0; i < events[k].contact_count; i++) {
        mo_tracked_contact *c = &events[k].contacts[i];
        if (!(c->kept & 1)) {
          c->memory[0].values[1] = (float)(c->contact.a.index * PILE + c->contact.b.index);
        }
      }
    }
  }
  cr_assert_gt(rested, 1000);
  pile_destroy(&p[0]);
  pile_destroy(&p[1]);
}
