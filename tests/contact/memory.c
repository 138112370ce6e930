/* Memory of everything about contacts: every allocation fails in turn, and nothing has changed; a
 * steady scene allocates nothing, nor do queries; absurd capacities do no harm. */
#include <motte/compound.h>
#include <motte/continuous.h>
#include <string.h>

#include "contact/floors.h"
#include "contact/tracking.h"
#include "support/counting_allocator.h"

enum { BODIES = 120, MAX = 2048 };

typedef struct stage {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id ids[BODIES], ground;
  mo_contact_events events;
} stage;

/* Of stages that are built: shapes belong to bodies, whose contacts are merged, and which fly. */
static bool with_bodies;

/* Of stages that are built: the ground is a compound of the floor and of boxes in it. */
static bool ground_is_compound;

static void modify(mo_modified_pair *pair, void *context) {
  (void)context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    pair->contacts[i].rejected = pair->state++ % 11 == 10;
  }
}

/* Bodies on and over a floor of triangles. */
static void put_bodies(const stage *s, int turn) {
  rng r = rng_make(7 + (uint64_t)turn);
  for (int i = 0; i < BODIES; i++) {
    mo_vec3 at = mo_vec(rng_float(&r, -4, 4), rng_float(&r, 0.1f, 1.5f), rng_float(&r, -4, 4));
    mo_transform place = mo_transform_make(at, rng_rotation(&r), mo_vec(1, 1, 1));
    mo_vec3 velocity = {0, -10, 0};
    mo_update_def def = mo_default_update_def();
    def.ids = &s->ids[i];
    def.transforms = &place;
    def.velocities = with_bodies ? &velocity : NULL;
    def.lookahead = 0.02f;
    def.count = 1;
    cr_assert_eq(mo_scene_update(s->scene, &def), MO_OK);
  }
  cr_assert_eq(mo_scene_update(s->scene, NULL), MO_OK);
}

/* By less than a reuse_distance, so that contacts are reused. */
static void nudge_bodies(const stage *s, int count) {
  for (int i = 0; i < count; i++) {
    mo_transform place;
    cr_assert_eq(mo_scene_get_transform(s->scene, s->ids[i], &place), MO_OK);
    place.origin.y += i % 2 == 0 ? 0.002f : -0.002f;
    cr_assert_eq(mo_scene_set_transform(s->scene, s->ids[i], &place), MO_OK);
  }
  cr_assert_eq(mo_scene_update(s->scene, NULL), MO_OK);
}

static void set_motion(const stage *s, int first, mo_motion motion) {
  cr_assert_eq(
      mo_scene_set_motion(s->scene, s->ids + first, (uint32_t)(BODIES - first), motion, NULL),
      MO_OK);
}

/* A placement of a new compound of a shape and of boxes whose tops are at y = 0. */
static mo_shape_def compound_with(const mo_shape_def *shape) {
  const mo_scene_def def = mo_default_scene_def();
  mo_shape_def placement = mo_default_shape_def(MO_SHAPE_COMPOUND);
  placement.motion = MO_MOTION_STATIC;
  cr_assert_eq(mo_compound_create(&def, &placement.geometry.compound), MO_OK);
  mo_scene *children = mo_compound_children(placement.geometry.compound);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(children, shape, &id), MO_OK);
  for (int i = 0; i < 16; i++) {
    add(children, box_of(0.5f, 0.5f, 0.5f), (float)(i % 4) - 1.5f, -0.5f, (float)(i / 4) - 1.5f);
  }
  cr_assert_eq(mo_compound_update(placement.geometry.compound), MO_OK);
  return placement;
}

static void build(stage *s, const mo_host *host) {
  rng r = rng_make(5);
  const mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_mesh_def mesh_def = test_mesh_def(&mesh);
  mesh_def.build.edges = true;
  mo_mesh *built;
  cr_assert_eq(mo_mesh_create(&mesh_def, &built), MO_OK);
  *s = (stage){.scene = scene_with(host)};
  for (int i = 0; i < BODIES; i++) {
    mo_geometry kinds[] = {box_of(0.3f, 0.2f, 0.4f), sphere_of(mo_vec(0, 0, 0), 0.3f),
                           capsule_of(0.3f, 0.2f), hull_of(TEST_HULL_STONE)};
    s->ids[i] = add(s->scene, kinds[i % 4], 0, 0, 0);
    cr_assert_eq(mo_scene_set_body(s->scene, s->ids[i], with_bodies ? 1 + (uint64_t)i / 3 : 0),
                 MO_OK);
  }
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  shape.motion = MO_MOTION_STATIC;
  shape = ground_is_compound ? compound_with(&shape) : shape;
  cr_assert_eq(mo_scene_add_shape(s->scene, &shape, &s->ground), MO_OK);
  mo_compound_release(ground_is_compound ? shape.geometry.compound : NULL);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
  put_bodies(s, 0);
}

static void demolish(stage *s) {
  mo_contact_tracker_destroy(s->tracker);
  mo_scene_destroy(s->scene);
}

/* The calls that need memory. */
typedef enum call { CREATE, UPDATE, WAKE, SLEEPERS, ISLANDS, CALLS } call;

static mo_result make(stage *s, call which) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  mo_shape_id found[BODIES];
  uint32_t total;
  mo_islands islands;
  def.modify = modify;
  def.reuse_distance = 0.01f;
  def.merge_coplanar = with_bodies;
  def.max_speculative_distance = with_bodies ? 1.0f : 0.0f;
  switch (which) {
  case CREATE:
    return mo_contact_tracker_create(s->scene, &def, &s->tracker);
  case UPDATE:
    return mo_contact_tracker_update(s->tracker, &s->events);
  case WAKE:
    return mo_contact_tracker_wake(s->tracker, s->ids + BODIES / 2, BODIES / 2, &s->events);
  case SLEEPERS:
    return mo_contact_tracker_find_sleepers(s->tracker, s->ids, BODIES, found, BODIES, &total);
  default:
    return mo_contact_tracker_find_islands(s->tracker, &islands);
  }
}

static mo_contact_tracker_stats stats_of(const stage *s) {
  mo_contact_tracker_stats stats = {0};
  if (s->tracker != NULL) {
    cr_assert_eq(mo_contact_tracker_get_stats(s->tracker, &stats), MO_OK);
  }
  return stats;
}

/* A call whose allocations fail, the first, the second and so on: alone, and with all after it;
 * until it succeeds. How many failed. */
static uint32_t make_failing(stage *s, counting_allocator *counter, call which) {
  uint32_t failures = 0;
  for (size_t nth = 1;; nth++, failures++) {
    mo_contact_tracker_stats before = stats_of(s), after;
    counting_allocator_fail_at(counter, (nth + 1) / 2, nth % 2 == 0);
    mo_result result = make(s, which);
    bool failed = counter->failures > 0;
    counting_allocator_fail_at(counter, 0, false);
    if (result == MO_OK && !failed) {
      return failures;
    }
    after = stats_of(s);
    cr_assert(s->tracker == NULL || mo_contact_tracker_validate(s->tracker) == MO_OK);
    cr_assert(result == MO_ERROR_OUT_OF_MEMORY || result == MO_OK, "call %d: %d", (int)which,
              (int)result);
    if (result == MO_OK) { /* did without */
      return failures;
    }
    cr_assert(after.contact_count == before.contact_count &&
                  after.resting_count == before.resting_count &&
                  after.update_count == before.update_count,
              "call %d has changed something", (int)which);
  }
}

static void write_memory(const mo_contact_events *events, int step) {
  for (uint32_t i = 0; i < events->contact_count; i++) {
    for (uint32_t k = 0; k < events->contacts[i].contact.manifold.point_count; k++) {
      events->contacts[i].memory[k].values[step % 4] += (float)(i + k);
    }
  }
}

static void expect_same(const mo_contact_events *a, const mo_contact_events *b, int step) {
  cr_assert(a->contact_count == b->contact_count && a->begin_count == b->begin_count &&
                a->end_count == b->end_count,
            "step %d", step);
  for (uint32_t i = 0; i < a->contact_count; i++) {
    const mo_tracked_contact *c = &a->contacts[i], *d = &b->contacts[i];
    cr_assert(same_contact(&c->contact, &d->contact) && c->kept == d->kept &&
                  c->touching == d->touching && c->pair_state == d->pair_state &&
                  c->unchanged == d->unchanged,
              "step %d, contact %u", step, i);
    for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
      cr_assert_eq(memcmp(&c->memory[k], &d->memory[k], sizeof c->memory[k]), 0);
    }
  }
}

/* A step of both: motion, sleep, contacts; only those of the first may fail. */
static uint32_t advance(stage s[2], counting_allocator *counter, int step) {
  uint32_t failures = 0;
  for (int k = 0; k < 2; k++) {
    if (step % 3 == 0) {
      put_bodies(&s[k], step);
    } else if (step % 3 == 1) {
      nudge_bodies(&s[k], BODIES / 2);
    }
    set_motion(&s[k], BODIES / 2, step % 3 == 1 ? MO_MOTION_SLEEPING : MO_MOTION_DYNAMIC);
    if (counter != NULL) {
      cr_assert_eq(mo_scene_trim(s[k].scene), MO_OK);
    }
    for (call which = step % 3 == 2 ? SLEEPERS : UPDATE; which != CALLS;) {
      failures += k == 0 && counter != NULL ? make_failing(&s[k], counter, which)
                                            : make(&s[k], which) != MO_OK;
      which = which == SLEEPERS ? WAKE : which == ISLANDS ? CALLS : ISLANDS;
    }
  }
  cr_assert_eq(mo_contact_tracker_validate(s[0].tracker), MO_OK);
  expect_same(&s[0].events, &s[1].events, step);
  cr_assert(step % 3 != 1 || ground_is_compound || stats_of(&s[0]).reused_count > BODIES / 4);
  write_memory(&s[0].events, step);
  write_memory(&s[1].events, step);
  return failures;
}

static void fail_every_allocation(void) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host hosts[2] = {counting_allocator_host(&counter), mo_default_host()};
  stage s[2];
  build(&s[0], &hosts[0]);
  build(&s[1], &hosts[1]);
  uint32_t failures = make_failing(&s[0], &counter, CREATE);
  cr_assert(failures > 1 && make(&s[1], CREATE) == MO_OK);
  for (int step = 0; step < 9; step++) {
    uint32_t more = advance(s, &counter, step);
    cr_assert_gt(more, 2, "step %d", step);
    failures += more;
  }
  cr_assert_gt(failures, 60, "%u", failures);
  demolish(&s[0]);
  demolish(&s[1]);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(contact_memory, every_allocation_fails) {
  fail_every_allocation();
}

Test(contact_memory, every_allocation_fails_with_bodies) {
  with_bodies = true;
  fail_every_allocation();
}

Test(contact_memory, every_allocation_fails_with_compounds) {
  with_bodies = ground_is_compound = true;
  fail_every_allocation();
}

Test(contact_memory, contacts_are_restored_or_stay) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  stage s;
  build(&s, &host);
  cr_assert_eq(make(&s, CREATE), MO_OK);
  cr_assert_eq(make(&s, UPDATE), MO_OK);
  static mo_tracked_contact saved[MAX];
  const uint32_t count = s.events.contact_count;
  cr_assert(count > 2 && count <= MAX, "%u", count);
  memcpy(saved, s.events.contacts, count * sizeof *saved);
  saved[0].memory[0].values[0] = 7;
  mo_contact_events events = s.events;
  counting_allocator_fail_at(&counter, 1, true);
  cr_assert_eq(mo_contact_tracker_restore(s.tracker, saved, count, &events),
               MO_ERROR_OUT_OF_MEMORY);
  counting_allocator_fail_at(&counter, 0, false);
  cr_assert(events.contacts == s.events.contacts && s.events.contacts[0].memory[0].values[0] == 0);
  cr_assert_eq(mo_contact_tracker_restore(s.tracker, saved, count - 1, &events), MO_OK);
  cr_assert(events.contact_count == count - 1 && events.begin_count == 0);
  cr_assert_eq(events.contacts[0].memory[0].values[0], 7.0f);
  cr_assert_eq(stats_of(&s).contact_count, count - 1);
  demolish(&s);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Two boxes on each other, out of reach of all others. */
static mo_shape_id add_tower(mo_scene *scene, int place) {
  const mo_shape_id lower = add(scene, box_of(1, 1, 1), 8.0f * (float)place, 0, 0);
  add(scene, box_of(1, 1, 1), 8.0f * (float)place, 2, 0);
  return lower;
}

/* Where an update fails, however late, those of the update before are still there to be listed. */
Test(contact_memory, begins_and_ends_outlive_a_failed_update) {
  enum { FIRST = 30, ALL = 100 };
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  mo_scene *scene = scene_with(&host);
  mo_shape_id ids[ALL];
  for (int i = 0; i < FIRST; i++) {
    ids[i] = add_tower(scene, i);
  }
  mo_contact_tracker *tracker = tracker_create(scene);
  cr_assert_eq(update(tracker).begin_count, FIRST);
  cr_assert_eq(mo_scene_remove_shape(scene, ids[0]), MO_OK);
  ids[FIRST] = add_tower(scene, FIRST);
  mo_contact_events events = update(tracker);
  cr_assert(events.begin_count == 1 && events.end_count == 1);
  const mo_pair begun = events.begins[0], ended = events.ends[0];
  cr_assert(same_id(begun.a, ids[FIRST]) && same_id(ended.a, ids[0]));
  cr_assert_eq(mo_scene_remove_shapes(scene, ids + 1, FIRST - 1, NULL), MO_OK);
  for (int i = FIRST + 1; i < ALL; i++) {
    ids[i] = add_tower(scene, i);
  }
  uint32_t failures = 0;
  for (size_t nth = 1;; nth++, failures++) {
    counting_allocator_fail_at(&counter, nth, true);
    const mo_result result = mo_contact_tracker_update(tracker, NULL);
    counting_allocator_fail_at(&counter, 0, false);
    if (result == MO_OK) {
      break;
    }
    cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
    cr_assert_eq(mo_contact_tracker_wake(tracker, NULL, 0, &events), MO_OK);
    cr_assert(events.begin_count == 1 && same_pair(events.begins[0], begun), "allocation %zu", nth);
    cr_assert(events.end_count == 1 && same_pair(events.ends[0], ended), "allocation %zu", nth);
    cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK, "allocation %zu", nth);
  }
  cr_assert_gt(failures, 5, "%u", failures);
  cr_assert_eq(mo_contact_tracker_wake(tracker, NULL, 0, &events), MO_OK);
  cr_assert(events.begin_count == ALL - FIRST - 1 && events.end_count == FIRST - 1);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* As much happens as before: nothing is allocated. Nor by a shift of the origin, which may not fail
 * for want of memory. */
static void be_steady(void) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host hosts[2] = {counting_allocator_host(&counter), mo_default_host()};
  stage s[2];
  for (int k = 0; k < 2; k++) {
    build(&s[k], &hosts[k]);
    cr_assert_eq(make(&s[k], CREATE), MO_OK);
  }
  /* What `modify` rejects repeats itself after eleven updates. */
  for (int round = 0; round < 14; round++) {
    if (round == 12) {
      counting_allocator_fail_at(&counter, 1, true);
    }
    for (int step = 0; step < 6; step++) {
      cr_assert_eq(advance(s, NULL, step), 0);
    }
  }
  cr_assert_eq(counter.calls, 0, "%zu", (size_t)counter.calls);
  for (int k = 0; k < 2; k++) {
    cr_assert_eq(mo_scene_shift_origin(s[k].scene, mo_vec(1024, 0, -512)), MO_OK);
  }
  cr_assert_eq(counter.calls, 0);
  expect_same(&s[0].events, &s[1].events, 6);
  counting_allocator_fail_at(&counter, 0, false);
  cr_assert(make(&s[0], UPDATE) == MO_OK && make(&s[1], UPDATE) == MO_OK);
  expect_same(&s[0].events, &s[1].events, 7);
  counting_allocator_fail_at(&counter, 0, false);
  demolish(&s[0]);
  demolish(&s[1]);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(contact_memory, steady_scenes_allocate_nothing) {
  be_steady();
}

Test(contact_memory, steady_scenes_with_bodies_allocate_nothing) {
  with_bodies = true;
  be_steady();
}

Test(contact_memory, steady_scenes_with_compounds_allocate_nothing) {
  with_bodies = ground_is_compound = true;
  be_steady();
}

/* Queries of contacts, impacts and crossings allocate nothing. They write no more than they find,
 * however much they are told that there is room for. */
Test(contact_memory, queries_allocate_nothing) {
  static mo_contact contacts[MAX];
  static mo_mover movers[BODIES];
  static mo_mover_memory memory[BODIES];
  static mo_impact impacts[BODIES];
  static mo_crossing crossings[MAX];
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  stage s;
  build(&s, &host);
  cr_assert(make(&s, CREATE) == MO_OK && make(&s, UPDATE) == MO_OK);
  set_motion(&s, 0, MO_MOTION_SLEEPING);
  cr_assert_eq(make(&s, UPDATE), MO_OK);
  counting_allocator_fail_at(&counter, 1, true);
  mo_collide_def def = mo_default_collide_def();
  mo_collide_shape_def shape = mo_default_collide_shape_def();
  const mo_geometry box = box_of(2, 1, 2);
  const mo_transform identity = mo_transform_identity();
  shape.primitive = mo_primitive_of_geometry(&box, &identity);
  uint32_t total, found = 0;
  for (int i = 0; i < BODIES; i++) {
    static mo_tracked_contact resting[MAX];
    const mo_pair pair = {s.ground, s.ids[i]};
    cr_assert_eq(mo_scene_collide_pair(s.scene, &pair, &def, contacts, UINT32_MAX, &total), MO_OK);
    found += total;
    cr_assert_eq(
        mo_contact_tracker_get_resting_contacts(s.tracker, s.ids[i], resting, UINT32_MAX, &total),
        MO_OK);
    found += total;
    movers[i] = (mo_mover){.shape = s.ids[i], .movement = {.displacement = {0, -1, 0}}};
  }
  cr_assert_eq(mo_scene_collide_shape(s.scene, &shape, contacts, UINT32_MAX, &total, NULL), MO_OK);
  cr_assert(total > 0 && total < MAX && found > BODIES);
  mo_impact_search search = mo_default_impact_search();
  search.movers = movers;
  search.memory = memory;
  search.count = BODIES;
  cr_assert_eq(mo_scene_find_impacts(s.scene, &search, impacts, NULL, NULL), MO_OK);
  search.sensor_categories = 1; /* all */
  cr_assert_eq(mo_scene_find_crossings(s.scene, &search, crossings, UINT32_MAX, &total, NULL),
               MO_OK);
  cr_assert(total > 4 && total < MAX);
  found = total;
  cr_assert_eq(mo_scene_find_crossings(s.scene, &search, crossings, 4, &total, NULL), MO_OK);
  cr_assert_eq(total, found);
  cr_assert_eq(counter.calls, 0);
  counting_allocator_fail_at(&counter, 0, false);
  demolish(&s);
  cr_assert(counting_allocator_is_clean(&counter));
}
