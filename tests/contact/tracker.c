/* Contact trackers: after each update the contacts are those of every pair by itself; which pairs
 * begin and end to touch; which points were there before; which shapes are connected. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/contact_tracker.h>
#include <stdlib.h>
#include <string.h>

#include "contact/tracking.h"
#include "support/task_order.h"
#include "support/world.h"

/* --- the model --- */

enum { MAX_PAIRS = 20000, MAX_CONTACTS = 40000, MAX_OF_PAIR = 64 };

typedef struct model {
  mo_pair touching[MAX_PAIRS];
  uint32_t touching_count;
  /* The contacts of the update before, with the memory that the host wrote. */
  mo_tracked_contact before[MAX_CONTACTS];
  uint32_t before_count;
  float serial;  /* what was written last; each point has its own number */
  bool cull;     /* of back faces */
  uint64_t kept; /* points that were known again */
  uint64_t begun, ended, unchanged, rested;
} model;

static bool is_touching(const mo_pair *pairs, uint32_t count, mo_pair pair) {
  for (uint32_t i = 0; i < count; i++) {
    if (same_pair(pairs[i], pair)) {
      return true;
    }
  }
  return false;
}

/* The number that the host wrote for a point of the same pair, triangles and id; or 0. */
static float number_before(const model *m, const mo_contact *c, uint64_t id) {
  for (uint32_t i = 0; i < m->before_count; i++) {
    const mo_contact *o = &m->before[i].contact;
    if (same_id(o->a, c->a) && same_id(o->b, c->b) && o->triangle_a == c->triangle_a &&
        o->triangle_b == c->triangle_b) {
      for (uint32_t k = 0; k < o->manifold.point_count; k++) {
        if (o->manifold.points[k].id == id) {
          return m->before[i].memory[k].values[0];
        }
      }
    }
  }
  return 0;
}

/* Whether a number was written for a point of these shapes in the update before. */
static bool is_number_of_pair(const model *m, const mo_contact *c, float number) {
  for (uint32_t i = 0; i < m->before_count; i++) {
    const mo_contact *o = &m->before[i].contact;
    for (uint32_t k = 0; k < o->manifold.point_count; k++) {
      if (m->before[i].memory[k].values[0] == number) {
        return same_id(o->a, c->a) && same_id(o->b, c->b);
      }
    }
  }
  return false;
}

static void check_memory(model *m, const mo_tracked_contact *c) {
  for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
    float number = c->memory[k].values[0];
    float expected = number_before(m, &c->contact, c->contact.manifold.points[k].id);
    if (c->kept >> k & 1) {
      m->kept++;
      cr_assert(expected != 0 ? number == expected : is_number_of_pair(m, &c->contact, number));
    } else {
      cr_assert(number == 0 && expected == 0);
    }
  }
}

/* The host writes a new number for each point that is not at rest, and remembers all. */
static void write_memory(model *m, const mo_contact_tracker *tracker, const mo_scene *scene,
                         const mo_contact_events *events) {
  for (uint32_t i = 0; i < events->contact_count; i++) {
    for (uint32_t k = 0; k < events->contacts[i].contact.manifold.point_count; k++) {
      events->contacts[i].memory[k] = (mo_point_memory){{++m->serial, 2, 3, 4}};
    }
  }
  m->before_count = with_resting(tracker, scene, events, m->before, MAX_CONTACTS).contact_count;
}

static void check_touching(model *m, const mo_contact_events *events, const mo_pair *now,
                           uint32_t now_count) {
  uint32_t begins = 0, ends = 0;
  for (uint32_t i = 0; i < now_count; i++) {
    if (!is_touching(m->touching, m->touching_count, now[i])) {
      cr_assert(begins < events->begin_count && same_pair(events->begins[begins], now[i]));
      begins++;
    }
  }
  for (uint32_t i = 0; i < m->touching_count; i++) {
    if (!is_touching(now, now_count, m->touching[i])) {
      cr_assert(ends < events->end_count && same_pair(events->ends[ends], m->touching[i]));
      ends++;
    }
  }
  cr_assert_eq(begins, events->begin_count);
  cr_assert_eq(ends, events->end_count);
  m->begun += begins;
  m->ended += ends;
  memcpy(m->touching, now, now_count * sizeof *now);
  m->touching_count = now_count;
}

/* The events against each pair by itself. */
static void check(model *m, const mo_contact_tracker *tracker, const mo_scene *scene,
                  const mo_contact_events *active) {
  static mo_tracked_contact all[MAX_CONTACTS];
  const mo_contact_events whole = with_resting(tracker, scene, active, all, MAX_CONTACTS);
  const mo_contact_events *events = &whole;
  static mo_pair pairs[MAX_PAIRS], touching[MAX_PAIRS];
  static mo_contact found[MAX_OF_PAIR];
  uint32_t pair_count, touching_count = 0, next = 0;
  cr_assert_eq(mo_scene_find_pairs(scene, NULL, pairs, MAX_PAIRS, &pair_count), MO_OK);
  cr_assert_leq(pair_count, MAX_PAIRS);
  mo_collide_def def = mo_default_collide_def();
  def.cull_back_faces = m->cull;
  for (uint32_t i = 0; i < pair_count; i++) {
    uint32_t count;
    cr_assert_eq(mo_scene_collide_pair(scene, &pairs[i], &def, found, MAX_OF_PAIR, &count), MO_OK);
    cr_assert_leq(count, MAX_OF_PAIR);
    bool was = is_touching(m->touching, m->touching_count, pairs[i]), is = was && count > 0;
    for (uint32_t k = 0; k < count; k++) {
      is = is || found[k].manifold.touching;
    }
    for (uint32_t k = 0; k < count; k++, next++) {
      cr_assert_lt(next, events->contact_count);
      const mo_tracked_contact *c = &events->contacts[next];
      cr_assert(same_contact(&c->contact, &found[k]));
      cr_assert_eq(c->touching, is);
      cr_assert_eq(c->began, is && !was);
      check_memory(m, c);
      m->unchanged += c->unchanged;
    }
    if (is) {
      touching[touching_count++] = pairs[i];
    }
  }
  cr_assert_eq(next, events->contact_count);
  check_touching(m, events, touching, touching_count);
  m->rested += whole.contact_count - active->contact_count;
  write_memory(m, tracker, scene, active);
}

static model *model_create(void) {
  model *m = calloc(1, sizeof *m);
  cr_assert_not_null(m);
  return m;
}

/* Shapes of all types come, move and go. */
Test(contact_tracker, as_each_pair_by_itself) {
  uint64_t seed = rng_seed("contact_tracker/pairs", 911);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed + (uint64_t)policy);
    w->size = 12;
    model *m = model_create();
    mo_contact_tracker_def def = mo_default_contact_tracker_def();
    def.cull_back_faces = m->cull = policy == 1;
    def.keep_seams = true;
    mo_contact_tracker *tracker = NULL;
    cr_assert_eq(mo_contact_tracker_create(w->scene, &def, &tracker), MO_OK);
    for (uint64_t round = rng_rounds(25, 400); round-- > 0;) {
      w->half_spaces = round < 8 ? 0.1f : 0;
      for (uint32_t i = rng_below(&w->r, 12); i-- > 0;) {
        world_step(w);
      }
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      mo_contact_events events = update(tracker);
      check(m, tracker, w->scene, &events);
    }
    cr_assert(m->kept > 20 && m->begun > 20 && m->ended > 10 && m->unchanged > 20 && m->rested > 10,
              "%s: kept %u, begun %u, ended %u, unchanged %u, rested %u",
              world_policy_names[policy], (unsigned)m->kept, (unsigned)m->begun, (unsigned)m->ended,
              (unsigned)m->unchanged, (unsigned)m->rested);
    mo_contact_tracker_destroy(tracker);
    free(m);
    world_destroy(w);
  }
}

/* --- crowds --- */

enum { CROWD = 1200 };

static mo_transform crowd_place(rng *r) {
  mo_quat q = {rng_float(r, -1, 1), rng_float(r, -1, 1), rng_float(r, -1, 1), 1};
  float scale = 1 / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + 1);
  q = (mo_quat){q.x * scale, q.y * scale, q.z * scale, scale};
  mo_vec3 origin = {rng_float(r, -9, 9), rng_float(r, -9, 9), rng_float(r, -9, 9)};
  return mo_transform_make(origin, q, mo_vec(1, 1, 1));
}

static void crowd_fill(mo_scene *scene, mo_shape_id *ids, rng *r) {
  for (int i = 0; i < CROWD; i++) {
    static const mo_shape_type types[3] = {MO_SHAPE_BOX, MO_SHAPE_SPHERE, MO_SHAPE_CAPSULE};
    mo_shape_def def = mo_default_shape_def(types[rng_below(r, 3)]);
    def.geometry = def.geometry.type == MO_SHAPE_BOX      ? box_of(0.7f, 0.5f, 0.6f)
                   : def.geometry.type == MO_SHAPE_SPHERE ? sphere_of(mo_vec(0, 0, 0), 0.6f)
                                                          : capsule_of(0.5f, 0.4f);
    def.transform = crowd_place(r);
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
}

static void crowd_move(mo_scene *scene, const mo_shape_id *ids, uint32_t count, rng *r) {
  for (uint32_t i = 0; i < count; i++) {
    mo_transform place = crowd_place(r);
    cr_assert_eq(mo_scene_set_transform(scene, ids[rng_below(r, CROWD)], &place), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
}

/* The same by one worker, and by several whose tasks run in the opposite order. */
Test(contact_tracker, workers_do_not_matter) {
  static const uint32_t workers[3] = {0, 2, 8};
  static mo_shape_id ids[3][CROWD];
  mo_scene *scenes[3];
  mo_contact_tracker *trackers[3];
  uint64_t seed = rng_seed("contact_tracker/workers", 912);
  for (int s = 0; s < 3; s++) {
    mo_host host = mo_default_host();
    host.tasks = workers[s] > 0 ? tasks_backwards(workers[s]) : host.tasks;
    scenes[s] = scene_with(&host);
    rng r = rng_make(seed);
    crowd_fill(scenes[s], ids[s], &r);
    trackers[s] = tracker_create(scenes[s]);
  }
  model *m = model_create();
  for (uint64_t round = 0; round < rng_rounds(4, 100); round++) {
    mo_contact_events events[3];
    for (int s = 0; s < 3; s++) {
      rng r = rng_make(seed + 1 + round);
      crowd_move(scenes[s], ids[s], round == 0 ? 0 : CROWD / 4, &r);
      events[s] = update(trackers[s]);
      cr_assert_eq(events[s].contact_count, events[0].contact_count);
      cr_assert_gt(events[s].contact_count, 1000);
      for (uint32_t i = 0; i < events[0].contact_count; i++) {
        const mo_tracked_contact *c = &events[0].contacts[i], *d = &events[s].contacts[i];
        cr_assert(same_contact(&c->contact, &d->contact) && c->kept == d->kept &&
                  c->began == d->began && c->unchanged == d->unchanged);
        for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
          cr_assert_eq(memcmp(&c->memory[k], &d->memory[k], sizeof c->memory[k]), 0);
        }
      }
    }
    check(m, trackers[0], scenes[0], &events[0]);
    for (int s = 1; s < 3; s++) {
      for (uint32_t i = 0; i < events[0].contact_count; i++) {
        memcpy(events[s].contacts[i].memory, events[0].contacts[i].memory,
               sizeof events[0].contacts[i].memory);
      }
    }
  }
  free(m);
  for (int s = 0; s < 3; s++) {
    mo_contact_tracker_destroy(trackers[s]);
    mo_scene_destroy(scenes[s]);
  }
}

/* Nothing is allocated where as much moves as before; and each allocation may fail. */
Test(contact_tracker, memory) {
  static mo_shape_id ids[CROWD];
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  mo_scene *scene = scene_with(&host);
  uint64_t seed = rng_seed("contact_tracker/memory", 913);
  rng r = rng_make(seed);
  crowd_fill(scene, ids, &r);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.keep_seams = true;
  mo_contact_tracker *tracker = NULL;
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  for (size_t nth = 1; result != MO_OK; nth++) {
    counting_allocator_fail_at(&counter, nth, false);
    result = mo_contact_tracker_create(scene, &def, &tracker);
    cr_assert(result == MO_OK || (result == MO_ERROR_OUT_OF_MEMORY && tracker == NULL));
  }
  model *m = model_create();
  uint32_t failures = 0;
  for (int round = 0; round < 2; round++) {
    mo_contact_events events = {0};
    result = MO_ERROR_OUT_OF_MEMORY;
    for (size_t nth = 1; result != MO_OK; nth++, failures++) {
      mo_contact_tracker_stats before, after;
      cr_assert_eq(mo_contact_tracker_get_stats(tracker, &before), MO_OK);
      counting_allocator_fail_at(&counter, nth, nth % 2 == 0);
      result = mo_contact_tracker_update(tracker, &events);
      cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
      cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK);
      cr_assert_eq(mo_contact_tracker_get_stats(tracker, &after), MO_OK);
      cr_assert(result == MO_OK || (after.contact_count == before.contact_count &&
                                    after.update_count == before.update_count));
    }
    counting_allocator_fail_at(&counter, 0, false);
    check(m, tracker, scene, &events);
    crowd_move(scene, ids, CROWD / 2, &r);
  }
  cr_assert_gt(failures, 10);
  for (int round = 0; round < 3; round++) {
    counting_allocator_fail_at(&counter, 0, false);
    for (int turn = 0; turn < 2; turn++) {
      rng same = rng_make(seed + (uint64_t)turn);
      for (uint32_t i = 0; i < CROWD; i++) {
        mo_transform place = crowd_place(&same);
        cr_assert_eq(mo_scene_set_transform(scene, ids[i], &place), MO_OK);
      }
      cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
      update(tracker);
    }
  }
  cr_assert_eq(counter.calls, 0, "%zu allocations", (size_t)counter.calls);
  mo_contact_tracker_stats stats;
  mo_scene_destroy(scene);
  cr_assert_eq(mo_contact_tracker_get_stats(tracker, &stats), MO_OK);
  cr_assert_eq(stats.bytes, counter.outstanding_bytes);
  cr_assert_eq(mo_contact_tracker_update(tracker, NULL), MO_ERROR_INVALID_ARGUMENT);
  mo_contact_tracker_destroy(tracker);
  cr_assert(counting_allocator_is_clean(&counter));
  free(m);
}

/* --- islands --- */

/* Gives the island of a shape to all that it is connected with, step by step. */
static void spread_islands(uint32_t *island, const bool *is_static,
                           const mo_contact_events *events) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < events->contact_count; i++) {
      const mo_contact *c = &events->contacts[i].contact;
      uint32_t a = c->a.index, b = c->b.index;
      if (c->manifold.point_count > 0 && !is_static[a] && !is_static[b] && island[a] != island[b]) {
        island[a] = island[b] = island[a] < island[b] ? island[a] : island[b];
        changed = true;
      }
    }
  }
}

/* Against the islands by the lowest index that is connected with each shape. */
static void check_islands(const mo_islands *islands, const bool *is_static,
                          const mo_contact_events *events) {
  static uint32_t lowest[CROWD], number[CROWD];
  bool counts[CROWD] = {false};
  for (uint32_t i = 0; i < CROWD; i++) {
    lowest[i] = i;
  }
  spread_islands(lowest, is_static, events);
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    counts[c->a.index] = counts[c->a.index] || c->manifold.point_count > 0;
    counts[c->b.index] = counts[c->b.index] || c->manifold.point_count > 0;
  }
  uint32_t island_count = 0, shape_count = 0;
  for (uint32_t root = 0; root < CROWD; root++) {
    if (lowest[root] != root || !counts[root] || is_static[root]) {
      continue;
    }
    cr_assert_lt(island_count, islands->island_count);
    number[root] = island_count;
    cr_assert_eq(islands->starts[island_count++], shape_count);
    for (uint32_t i = root; i < CROWD; i++) {
      if (lowest[i] == root) {
        cr_assert_eq(islands->shapes[shape_count++].index, i);
      }
    }
  }
  cr_assert(island_count == islands->island_count && shape_count == islands->shape_count);
  cr_assert(island_count == 0 || islands->starts[island_count] == shape_count);
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    uint32_t shape = is_static[c->a.index] ? c->b.index : c->a.index;
    bool none = c->manifold.point_count == 0 || is_static[shape];
    cr_assert_eq(islands->island_of_contact[i], none ? MO_NO_ISLAND : number[lowest[shape]]);
  }
}

/* A scene that never had a shape has allocated nothing for shapes. */
Test(contact_tracker, empty_scenes_have_neither_islands_nor_sleepers) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  mo_contact_tracker *tracker = tracker_create(scene);
  mo_islands islands;
  mo_shape_id sleeper;
  uint32_t total = 1;
  for (int pass = 0; pass < 2; pass++) {
    cr_assert_eq(mo_contact_tracker_find_sleepers(tracker, NULL, 0, &sleeper, 1, &total), MO_OK);
    cr_assert_eq(total, 0);
    cr_assert_eq(mo_contact_tracker_find_islands(tracker, &islands), MO_OK);
    cr_assert(islands.island_count == 0 && islands.shape_count == 0);
    update(tracker);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

Test(contact_tracker, islands_as_by_spreading) {
  static mo_shape_id ids[CROWD];
  static bool is_static[CROWD];
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  mo_scene *scene = scene_with(&host);
  rng r = rng_make(rng_seed("contact_tracker/islands", 915));
  mo_contact_tracker *tracker = tracker_create(scene);
  mo_islands islands;
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &islands), MO_OK);
  cr_assert(islands.shape_count == 0 && islands.island_count == 0 && islands.shapes == NULL);
  crowd_fill(scene, ids, &r);
  for (uint64_t round = rng_rounds(6, 200); round-- > 0;) {
    /* From few contacts to so many that all are one island. */
    double share = rng_float(&r, 0, 1);
    for (uint32_t i = 0; i < CROWD; i++) {
      mo_motion motion = rng_chance(&r, share) ? MO_MOTION_STATIC : (mo_motion)rng_below(&r, 2);
      is_static[i] = motion == MO_MOTION_STATIC;
      cr_assert_eq(mo_scene_set_motion(scene, &ids[i], 1, motion, NULL), MO_OK);
    }
    crowd_move(scene, ids, CROWD / 2, &r);
    mo_contact_events events = update(tracker);
    counting_allocator_fail_at(&counter, 1 + rng_below(&r, 6), false);
    mo_result result = mo_contact_tracker_find_islands(tracker, &islands);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
    counting_allocator_fail_at(&counter, 0, false);
    cr_assert_eq(mo_contact_tracker_find_islands(tracker, &islands), MO_OK);
    check_islands(&islands, is_static, &events);
  }
  mo_contact_events events = update(tracker);
  cr_assert_eq(mo_scene_remove_shape(scene, events.contacts[0].contact.b), MO_OK);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &islands), MO_ERROR_INVALID_ARGUMENT);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* --- known answers --- */

Test(contact_tracker, a_box_that_lands_slides_and_goes) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  mo_shape_id floor = add(scene, box_of(10, 1, 10), 0, -1, 0);
  mo_shape_id box = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, 0.6f, 0);
  cr_assert_eq(mo_scene_set_margin(scene, box, 0.05f), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_tracker *tracker = tracker_create(scene);
  cr_assert_eq(update(tracker).contact_count, 0);

  move(scene, box, 0, 0.51f, 0); /* close */
  mo_contact_events events = update(tracker);
  cr_assert(events.contact_count == 1 && events.begin_count == 0 && !events.contacts->touching);
  cr_assert_eq(events.contacts->contact.manifold.point_count, 4);
  for (int i = 0; i < 4; i++) {
    events.contacts->memory[i].values[3] = (float)i + 1;
  }

  move(scene, box, 0.3f, 0.499f, 0); /* lands */
  events = update(tracker);
  cr_assert(events.contact_count == 1 && events.begin_count == 1 && events.contacts->began);
  cr_assert_eq(events.contacts->kept, 15);
  cr_assert(same_pair(events.begins[0], (mo_pair){floor, box}));

  for (int step = 1; step < 20; step++) { /* slides, and rattles on the floor */
    move(scene, box, 0.3f + 0.1f * (float)step, step % 2 ? 0.505f : 0.499f, 0);
    events = update(tracker);
    cr_assert(events.begin_count == 0 && events.end_count == 0 && events.contact_count == 1);
    cr_assert(events.contacts->touching && !events.contacts->began && !events.contacts->unchanged);
    cr_assert_eq(events.contacts->kept, 15);
    for (int i = 0; i < 4; i++) {
      cr_assert_eq(events.contacts->memory[i].values[3], (float)i + 1);
    }
  }
  cr_assert_eq(mo_scene_set_user_data(scene, box, 77), MO_OK);
  events = update(tracker); /* rests */
  cr_assert(events.contacts->unchanged && events.contacts->kept == 15);
  cr_assert_eq(events.contacts->contact.user_data_b, 77);

  uint32_t first, count;
  cr_assert_eq(mo_contact_tracker_find(tracker, &(mo_pair){box, floor}, &first, &count), MO_OK);
  cr_assert(first == 0 && count == 1);
  cr_assert_eq(mo_scene_remove_shape(scene, box), MO_OK);
  mo_shape_id other = add(scene, box_of(0.5f, 0.5f, 0.5f), 2.2f, 0.499f, 0);
  cr_assert_eq(other.index, box.index);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  events = update(tracker); /* another one in its place */
  cr_assert(events.end_count == 1 && same_pair(events.ends[0], (mo_pair){floor, box}));
  cr_assert(events.begin_count == 1 && same_pair(events.begins[0], (mo_pair){floor, other}));
  cr_assert(events.contacts->began && events.contacts->kept == 0);
  cr_assert_eq(mo_contact_tracker_find(tracker, &(mo_pair){floor, box}, &first, &count), MO_OK);
  cr_assert_eq(count, 0);

  cr_assert_eq(mo_scene_remove_shape(scene, floor), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  events = update(tracker);
  cr_assert(events.contact_count == 0 && events.contacts == NULL && events.end_count == 1);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

Test(contact_tracker, default_margin_and_distance_go_together) {
  mo_scene_def def = mo_default_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  add(scene, box_of(1, 1, 1), 0, -1, 0);
  mo_shape_id box = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, 3, 0);
  mo_contact_tracker *tracker = tracker_create(scene);
  static const float gaps[] = {0.03f, 0.0199f, -0.01f, 0.005f, 0.0199f, 0.0201f};
  for (int i = 0; i < 6; i++) { /* comes, touches, parts a little, goes */
    move(scene, box, 0, 0.5f + gaps[i], 0);
    mo_contact_events events = update(tracker);
    cr_assert_eq(events.contact_count, i > 0 && i < 5);
    cr_assert_eq(events.begin_count, i == 2);
    cr_assert_eq(events.end_count, i == 5);
    cr_assert(i < 2 || i > 4 || events.contacts->kept == 15);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

Test(contact_tracker, sensors_have_no_points) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  mo_shape_id gate = add(scene, box_of(1, 1, 1), 0, 0, 0);
  mo_geometry volume = {.type = MO_SHAPE_VOLUME, .volume = {{9, -1, -1}, {11, 1, 1}}};
  mo_shape_id trigger = add(scene, volume, 0, 0, 0);
  mo_shape_id ball = add(scene, sphere_of(mo_vec(0, 0, 0), 0.5f), 1.51f, 0, 0);
  cr_assert_eq(mo_scene_set_filter(scene, gate, 6, UINT64_MAX), MO_OK);
  cr_assert_eq(mo_scene_set_margin(scene, ball, 0.1f), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.sensor_categories = 4;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  cr_assert_eq(update(tracker).contact_count, 0, "close is not enough");
  const struct {
    float x;
    mo_shape_id sensor;
  } stops[] = {{1.4f, gate}, {10, trigger}, {0, gate}};
  for (int i = 0; i < 3; i++) {
    move(scene, ball, stops[i].x, 0, 0);
    mo_contact_events events = update(tracker);
    cr_assert(events.contact_count == 1 && events.begin_count == 1);
    cr_assert_eq(events.end_count, i > 0);
    cr_assert(events.contacts->touching && events.contacts->contact.manifold.point_count == 0);
    cr_assert(same_pair(events.begins[0], (mo_pair){stops[i].sensor, ball}));
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* --- what points are remembered by --- */

static mo_contact_tracker *tracker_matching(mo_scene *scene, float match_distance) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.keep_seams = true;
  def.match_distance = match_distance;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  return tracker;
}

/* Writes 7 into the only point that there is. */
static void mark_only_point(const mo_contact_events *events) {
  cr_assert(events->contact_count == 1 && events->contacts->contact.manifold.point_count == 1);
  events->contacts->memory[0].values[0] = 7;
}

/* How many points have the memory of a point before, which must be what was written. */
static uint32_t count_marked(const mo_contact_events *events, uint32_t *points) {
  uint32_t marked = 0;
  *points = 0;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_tracked_contact *c = &events->contacts[i];
    for (uint32_t k = 0; k < c->contact.manifold.point_count; k++, ++*points) {
      const bool kept = c->kept >> k & 1;
      cr_assert_eq(c->memory[k].values[0], kept ? 7 : 0);
      marked += kept;
    }
  }
  return marked;
}

/* A box that stood on a corner comes to stand on a face: one of its four points is the corner, and
 * the others are new, however far points may have moved. */
Test(contact_tracker, a_point_is_remembered_by_one_point_of_a_face) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  add(scene, box_of(10, 1, 10), 0, -1, 0);
  const mo_shape_id box = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, 0, 0);
  mo_contact_tracker *tracker = tracker_matching(scene, 10);
  const mo_transform tilted =
      mo_transform_make(mo_vec(0, 0.79f, 0), turned(mo_vec(0.6f, 0, 0.8f), 0.7), mo_vec(1, 1, 1));
  cr_assert_eq(mo_scene_set_transform(scene, box, &tilted), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_events events = update(tracker);
  mark_only_point(&events);
  move(scene, box, 0, 0.499f, 0);
  events = update(tracker);
  uint32_t points;
  cr_assert_eq(count_marked(&events, &points), 1);
  cr_assert_eq(points, 4);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Two corners make a triangle that is right-angled at the first one. */
static mo_mesh *mesh_of(const mo_vec3 *corners, uint32_t triangle_count) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = &corners[0].x;
  def.vertex_count = 3 * triangle_count;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = triangle_count;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* A ball goes from one triangle on to others: by how many points its old one is remembered there.
 */
static uint32_t marked_after_move(bool ball_first, const mo_vec3 *corners, uint32_t triangle_count,
                                  mo_vec3 from, mo_vec3 to, uint32_t expected_points) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  mo_mesh *mesh = mesh_of(corners, triangle_count);
  const mo_geometry triangles = {.type = MO_SHAPE_MESH, .mesh = mesh};
  const mo_geometry round = sphere_of(mo_vec(0, 0, 0), 0.5f);
  const mo_shape_id first = add(scene, ball_first ? round : triangles, 0, 0, 0);
  const mo_shape_id second = add(scene, ball_first ? triangles : round, 0, 0, 0);
  const mo_shape_id ball = ball_first ? first : second;
  mo_mesh_release(mesh);
  move(scene, ball, from.x, from.y, from.z);
  mo_contact_tracker *tracker = tracker_matching(scene, 0);
  mo_contact_events events = update(tracker);
  mark_only_point(&events);
  move(scene, ball, to.x, to.y, to.z);
  events = update(tracker);
  uint32_t points, marked = count_marked(&events, &points);
  cr_assert_eq(points, expected_points);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return marked;
}

/* From one sheet of triangles on to two sheets close to each other, of which one goes on. */
Test(contact_tracker, a_point_is_remembered_by_one_triangle) {
  const mo_vec3 corners[] = {{-9, 0, -9},     {-9, 0, 9},     {0, 0, 0},
                             {9, 0.001f, -9}, {0, 0.001f, 0}, {9, 0.001f, 9},
                             {9, 0.002f, -9}, {0, 0.002f, 0}, {9, 0.002f, 9}};
  const mo_vec3 from = {-5, 0.499f, 0}, to = {5, 0.4985f, 0};
  cr_assert_eq(marked_after_move(false, corners, 3, from, to, 2), 1);
}

/* From a wall to the floor, which is another surface, and from a floor to the next. */
Test(contact_tracker, points_on_another_surface_are_new) {
  const mo_vec3 corners[] = {{0, 0, 0}, {0, 9, 0}, {0, 0, 9},  {0, 0, 0}, {0, 0, 9},
                             {9, 0, 0}, {0, 0, 0}, {0, 0, -9}, {9, 0, 0}};
  const mo_vec3 at_wall = {0.499f, 3, 3}, on_floor = {3, 0.4985f, 3}, beside = {3, 0.498f, -3};
  cr_assert_eq(marked_after_move(false, corners, 3, at_wall, on_floor, 1), 0);
  cr_assert_eq(marked_after_move(false, corners, 3, on_floor, beside, 1), 1);
}

/* A ball goes, without turning, from the edge of a triangle to that of another: the point stays
 * where it was on the ball, whichever shape is the first. */
Test(contact_tracker, points_may_move_on_either_shape) {
  const mo_vec3 corners[] = {{0, 0, 0}, {0, 0, 9}, {9, 0, 0}, {16, 0, 0}, {16, 0, 9}, {25, 0, 0}};
  const mo_vec3 at = {-0.125f, 0.4375f, 3};
  for (int first = 0; first < 2; first++) {
    cr_assert_eq(marked_after_move(first, corners, 2, at, mo_vec(15.875f, 0.4375f, 3), 1), 1);
    cr_assert_eq(marked_after_move(first, corners, 2, at, mo_vec(15.875f, 0.4375f, 4), 1), 1);
    cr_assert_eq(marked_after_move(first, corners, 2, at, mo_vec(15.75f, 0.375f, 3), 1), 0,
                 "lower on the ball");
    cr_assert_eq(marked_after_move(first, corners, 2, at, mo_vec(15.8594f, 0.4327f, 3), 1), 0,
                 "a little lower, on the same edge of another triangle");
  }
}
