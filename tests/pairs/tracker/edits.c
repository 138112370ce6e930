/* The set of pairs changed by tasks: where memory fails at any place, it is as it was; else it is
 * what a new tracker finds. */
#include <criterion/criterion.h>
#include <motte/pair_tracker.h>
#include <stdlib.h>
#include <string.h>

#include "support/counting_allocator.h"
#include "support/rng.h"
#include "support/task_order.h"

enum { COUNT = 2500 };

typedef struct pairs {
  mo_pair *all;
  uint32_t count;
} pairs;

static pairs read_pairs(const mo_pair_tracker *tracker) {
  pairs p = {.count = (uint32_t)mo_pair_tracker_pair_count(tracker)};
  uint32_t total;
  p.all = malloc((p.count + 1) * sizeof *p.all);
  cr_assert_eq(mo_pair_tracker_validate(tracker), MO_OK);
  cr_assert_eq(mo_pair_tracker_get_pairs(tracker, p.all, p.count, &total), MO_OK);
  cr_assert_eq(total, p.count);
  return p;
}

static bool are_same(pairs a, pairs b) {
  return a.count == b.count && memcmp(a.all, b.all, a.count * sizeof *a.all) == 0;
}

/* An update, after failures at allocations further and further on. */
static mo_pair_events update_in_the_end(mo_pair_tracker *tracker, counting_allocator *counter) {
  pairs before = read_pairs(tracker);
  mo_pair_events events;
  for (size_t nth = 1;; nth += 1 + nth / 8) {
    counting_allocator_fail_at(counter, nth, nth % 2);
    mo_result result = mo_pair_tracker_update(tracker, &events);
    counting_allocator_fail_at(counter, 0, false);
    if (result == MO_OK) {
      break;
    }
    cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
    pairs now = read_pairs(tracker);
    cr_assert(are_same(before, now));
    free(now.all);
  }
  free(before.all);
  return events;
}

Test(pair_edits, tasks_undo_what_fails) {
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT];
  static mo_transform transforms[COUNT];
  rng r = rng_make(rng_seed("edits", 61));
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_scene_def def = mo_default_scene_def();
  def.host = counting_allocator_host(&counter);
  def.host.tasks = tasks_backwards(8);
  mo_scene *scene;
  mo_pair_tracker *tracker;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  cr_assert_eq(mo_pair_tracker_create(scene, NULL, &tracker), MO_OK);
  for (int i = 0; i < COUNT; i++) {
    float half = i % 50 == 0 ? 3 : 0.5f; /* lists that are long, and short ones */
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    defs[i].geometry.box.half_extents = (mo_vec3){half, half, half};
    defs[i].transform.origin = rng_vec3(&r, -7, 7);
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), MO_OK);
  for (int frame = 0; frame < 4; frame++) {
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_pair_events events = update_in_the_end(tracker, &counter);
    cr_assert_gt(events.begin_count + events.end_count, 4096, "enough for tasks");
    mo_pair_tracker *fresh;
    cr_assert_eq(mo_pair_tracker_create(scene, NULL, &fresh), MO_OK);
    cr_assert_eq(mo_pair_tracker_update(fresh, NULL), MO_OK);
    pairs now = read_pairs(tracker), expected = read_pairs(fresh);
    cr_assert(are_same(now, expected));
    free(now.all);
    free(expected.all);
    mo_pair_tracker_destroy(fresh);
    if (frame == 2) { /* slots with other shapes, and pairs that both end and begin */
      cr_assert_eq(mo_scene_remove_shapes(scene, ids, COUNT / 2, NULL), MO_OK);
      cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT / 2, ids, NULL), MO_OK);
    }
    for (int i = 0; i < COUNT; i++) {
      transforms[i] = mo_transform_identity();
      transforms[i].origin = rng_vec3(&r, -7, 7);
    }
    uint32_t movers =
        frame % 2 == 0 ? COUNT : COUNT / 6; /* searched by the whole tree, by groups */
    cr_assert_eq(mo_scene_set_transforms(scene, ids, transforms, movers, NULL), MO_OK);
  }
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}
