/* Bodies of several shapes, and kinematic shapes: which shapes a body has and what is a pair, by
 * hand; memory; what the validator finds. (Random bodies: scene/churn, pairs.) */
#include <criterion/criterion.h>
#include <motte/pair_tracker.h>
#include <string.h>

#include "scene/bodies/bodies.h"
#include "support/world.h"

static mo_scene *scene_on(counting_allocator *counter) {
  counting_allocator_init(counter);
  mo_scene_def def = mo_default_scene_def();
  def.host = counting_allocator_host(counter);
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  return scene;
}

static mo_shape_id add(mo_scene *scene, float x, uint64_t body, mo_motion motion) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.transform.origin.x = x;
  def.body = body;
  def.motion = motion;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

static uint32_t pairs_of(const mo_scene *scene, bool awake_only) {
  mo_pair_query_def def = mo_default_pair_query_def();
  def.awake_only = awake_only;
  uint32_t total;
  cr_assert_eq(mo_scene_find_pairs(scene, &def, NULL, 0, &total), MO_OK);
  return total;
}

Test(scene_bodies, shapes_of_a_body_are_listed_and_are_no_pairs) {
  counting_allocator counter;
  mo_scene *scene = scene_on(&counter);
  mo_shape_id ids[6], found[6];
  for (uint32_t i = 0; i < 6; i++) { /* all overlap */
    ids[i] = add(scene, 0.1f * (float)i, i < 3 ? 0 : 77, MO_MOTION_DYNAMIC);
  }
  cr_assert_eq(pairs_of(scene, false), 15 - 3);
  uint32_t total;
  cr_assert_eq(mo_scene_get_body_shapes(scene, 77, found, 6, &total), MO_OK);
  cr_assert(total == 3 && memcmp(found, &ids[3], sizeof(mo_shape_id[3])) == 0);
  cr_assert_eq(mo_scene_get_body_shapes(scene, 77, found, 2, &total), MO_OK);
  cr_assert(total == 3 && memcmp(found, &ids[3], sizeof(mo_shape_id[2])) == 0);
  cr_assert_eq(mo_scene_get_body_shapes(scene, 77, NULL, 0, &total), MO_OK);
  cr_assert_eq(total, 3);
  cr_assert_eq(mo_scene_get_body_shapes(scene, 0, found, 6, &total), MO_OK);
  cr_assert_eq(total, 0, "0 is no body");
  cr_assert_eq(mo_scene_get_body_shapes(scene, 78, found, 6, &total), MO_OK);
  cr_assert_eq(total, 0);

  cr_assert_eq(mo_scene_set_body(scene, ids[0], 77), MO_OK);
  cr_assert_eq(pairs_of(scene, false), 15 - 6);
  cr_assert_eq(mo_scene_set_body(scene, ids[0], 78), MO_OK);
  cr_assert_eq(mo_scene_set_body(scene, ids[1], 78), MO_OK);
  cr_assert_eq(pairs_of(scene, false), 15 - 4);
  cr_assert_eq(mo_scene_set_body(scene, ids[4], 0), MO_OK);
  cr_assert_eq(pairs_of(scene, false), 15 - 2);
  cr_assert_eq(mo_scene_remove_shape(scene, ids[3]), MO_OK);
  cr_assert_eq(mo_scene_get_body_shapes(scene, 77, found, 6, &total), MO_OK);
  cr_assert(total == 1 && found[0].index == ids[5].index);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_shape_id again = add(scene, 0, 0, MO_MOTION_DYNAMIC); /* the slot of one that had a body */
  uint64_t body;
  cr_assert_eq(mo_scene_get_body(scene, again, &body), MO_OK);
  cr_assert_eq(body, 0);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Numbers of bodies are a matter of each scene. */
Test(scene_bodies, of_two_scenes_are_not_related) {
  counting_allocator counters[2];
  mo_scene *scenes[2];
  for (int i = 0; i < 2; i++) {
    scenes[i] = scene_on(&counters[i]);
    add(scenes[i], 0, 5, MO_MOTION_DYNAMIC);
  }
  uint32_t total;
  cr_assert_eq(mo_scene_find_pairs_between(scenes[0], scenes[1], NULL, NULL, 0, &total), MO_OK);
  cr_assert_eq(total, 1);
  mo_scene_destroy(scenes[0]);
  mo_scene_destroy(scenes[1]);
}

/* A tracker hears of another body; a pair that it knows ends. */
Test(scene_bodies, pairs_begin_and_end_with_bodies) {
  counting_allocator counter;
  mo_scene *scene = scene_on(&counter);
  mo_shape_id a = add(scene, 0, 3, MO_MOTION_DYNAMIC), b = add(scene, 1, 4, MO_MOTION_DYNAMIC);
  mo_pair_tracker *tracker;
  mo_pair_events events;
  cr_assert_eq(mo_pair_tracker_create(scene, NULL, &tracker), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.begin_count, 1);
  cr_assert_eq(mo_scene_set_body(scene, b, 3), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert(events.begin_count == 0 && events.end_count == 1);
  cr_assert_eq(mo_scene_set_body(scene, a, 0), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert(events.begin_count == 1 && events.end_count == 0);
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(scene_bodies, kinematic_shapes_are_pairs_with_what_moves) {
  static const mo_motion all[4] = {MO_MOTION_DYNAMIC, MO_MOTION_SLEEPING, MO_MOTION_STATIC,
                                   MO_MOTION_KINEMATIC};
  /* by motions of both: a pair at all; a pair with an awake shape */
  static const bool pair[4][4] = {
      {true, true, true, true}, {true, true, true, true}, {true, true, 0, 0}, {true, true, 0, 0}};
  static const bool awake[4][4] = {
      {true, true, true, true}, {true, 0, 0, true}, {true, 0, 0, 0}, {true, true, 0, 0}};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      counting_allocator counter;
      mo_scene *scene = scene_on(&counter);
      mo_shape_id a = add(scene, 0, 0, MO_MOTION_DYNAMIC);
      add(scene, 1, 0, all[k]);
      cr_assert_eq(mo_scene_set_motion(scene, &a, 1, all[i], NULL), MO_OK);
      mo_motion motion;
      cr_assert_eq(mo_scene_get_motion(scene, a, &motion), MO_OK);
      cr_assert_eq(motion, all[i]);
      cr_assert_eq(pairs_of(scene, false), pair[i][k], "%d %d", i, k);
      cr_assert_eq(pairs_of(scene, true), awake[i][k], "%d %d", i, k);
      cr_assert_eq(mo_scene_validate(scene), MO_OK);
      mo_scene_destroy(scene);
    }
  }
}

static size_t bytes_of(const mo_scene *scene) {
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
  return stats.bytes;
}

/* Scenes without bodies spend nothing on them; others little. The count of bytes is right. */
Test(scene_bodies, memory) {
  enum { COUNT = 1000 };
  counting_allocator counter;
  mo_scene *scene = scene_on(&counter);
  static mo_shape_id ids[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    ids[i] = add(scene, 3 * (float)i, 0, MO_MOTION_DYNAMIC);
  }
  size_t without = bytes_of(scene);
  cr_assert_eq(without, counter.outstanding_bytes);
  for (uint32_t i = 0; i < COUNT; i++) {
    cr_assert_eq(mo_scene_set_body(scene, ids[i], 1 + i / 4), MO_OK);
  }
  size_t with = bytes_of(scene);
  cr_assert_eq(with, counter.outstanding_bytes);
  cr_assert_leq(with - without, (size_t)20 * scene->shape_capacity);
  for (uint32_t i = 0; i < COUNT; i++) { /* and back, without any allocation */
    counting_allocator_fail_at(&counter, 1, true);
    cr_assert_eq(mo_scene_set_body(scene, ids[i], 0), MO_OK);
  }
  counting_allocator_fail_at(&counter, 0, false);
  cr_assert_eq(mo_scene_trim(scene), MO_OK);
  cr_assert_leq(bytes_of(scene), without);
  cr_assert_null(scene->bodies.numbers);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Where there is no memory, the shape stays in its body. */
Test(scene_bodies, failing_allocations_change_nothing) {
  counting_allocator counter;
  mo_scene *scene = scene_on(&counter);
  enum { COUNT = 40 };
  mo_shape_id ids[COUNT];
  size_t failures = 0;
  for (uint32_t i = 0; i < COUNT; i++) {
    ids[i] = add(scene, 0, 0, MO_MOTION_DYNAMIC);
  }
  for (uint32_t i = 0; i < COUNT; i++) {
    mo_result result = MO_ERROR_OUT_OF_MEMORY;
    for (size_t nth = 1; result != MO_OK; nth++) {
      counting_allocator_fail_at(&counter, nth, false);
      result = mo_scene_set_body(scene, ids[i], (uint64_t)1 << 40 | i);
      counting_allocator_fail_at(&counter, 0, false);
      uint64_t body;
      cr_assert_eq(mo_scene_get_body(scene, ids[i], &body), MO_OK);
      cr_assert_eq(body, result == MO_OK ? ((uint64_t)1 << 40 | i) : 0);
      cr_assert_eq(mo_scene_validate(scene), MO_OK);
      failures += result != MO_OK;
    }
  }
  cr_assert_geq(failures, 4, "two arrays and a table that grows");
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

#define DAMAGE(variable, value)                                                                    \
  do {                                                                                             \
    __typeof__(variable) *place = &(variable), good = *place;                                      \
    *place = value;                                                                                \
    cr_expect_eq(mo_scene_validate(scene), MO_ERROR_CORRUPT, #variable " = " #value);              \
    *place = good;                                                                                 \
    cr_assert_eq(mo_scene_validate(scene), MO_OK);                                                 \
  } while (0)

Test(scene_bodies, damage_is_found) {
  counting_allocator counter;
  mo_scene *scene = scene_on(&counter);
  for (uint32_t i = 0; i < 12; i++) {
    add(scene, 0, i / 3, i == 11 ? MO_MOTION_KINEMATIC : MO_MOTION_DYNAMIC);
  }
  mo_rigid_bodies *b = &scene->bodies;
  uint32_t entry = 0, empty = 0;
  while (b->table[entry] == MO_NONE) {
    entry++;
  }
  while (b->table[empty] != MO_NONE) {
    empty++;
  }
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  DAMAGE(b->numbers[4], 0);
  DAMAGE(b->numbers[4], 9);
  DAMAGE(b->numbers[0], 1);
  DAMAGE(b->links[4].next, 4);
  DAMAGE(b->links[4].next, 9);
  DAMAGE(b->links[4].next, scene->slot_count);
  DAMAGE(b->links[4].previous, 4);
  DAMAGE(b->table[entry], MO_NONE);
  DAMAGE(b->table[entry], 0);
  DAMAGE(b->table[entry], scene->slot_count);
  DAMAGE(b->table[empty], 4);
  DAMAGE(b->count, b->count + 1);
  DAMAGE(b->shape_count, b->shape_count - 1);
  DAMAGE(b->slot_capacity, 1);
  DAMAGE(scene->traits[4], (uint16_t)(scene->traits[4] & ~MO_TRAIT_HAS_RIGID_BODY));
  DAMAGE(scene->traits[0], (uint16_t)(scene->traits[0] | MO_TRAIT_HAS_RIGID_BODY));
  DAMAGE(scene->kinematic_count, 0);
  mo_scene_destroy(scene);
}
