/* Shapes that fall asleep, wake or become static together: the same marks and pairs as one by one.
 */
#include <criterion/criterion.h>
#include <motte/pair_tracker.h>
#include <string.h>

#include "scene/octree/tree.h"
#include "support/rng.h"
#include "support/world.h"

enum { COUNT = 3000, ROUNDS = 12 };

static void check_marks(const mo_scene *a, const mo_scene *b) {
  cr_assert_eq(a->nodes.count, b->nodes.count);
  cr_assert(a->immovable_count == b->immovable_count && a->still_count == b->still_count);
  cr_assert_eq(memcmp(a->motion_marks, b->motion_marks, a->nodes.count * sizeof *a->motion_marks),
               0);
  for (uint32_t i = 0; i < a->nodes.count; i++) {
    cr_assert_eq(mo_scene_node_at(a, i)->loose_bounds, mo_scene_node_at(b, i)->loose_bounds);
  }
}

Test(scene_moves, motions_together_are_as_one_by_one) {
  rng r = rng_make(rng_seed("scene/moves/motions", 3));
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[2][COUNT], chosen[COUNT];
  static mo_transform moved[COUNT];
  mo_scene *scenes[2];
  mo_pair_tracker *trackers[2];
  for (uint32_t i = 0; i < COUNT; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
    defs[i].transform = world_translation(rng_float(&r, -20, 20), rng_float(&r, -20, 20), 0);
  }
  for (int s = 0; s < 2; s++) {
    mo_scene_def def = mo_default_scene_def();
    cr_assert_eq(mo_scene_create(&def, &scenes[s]), MO_OK);
    cr_assert_eq(mo_scene_add_shapes(scenes[s], defs, COUNT, ids[s], NULL), MO_OK);
    cr_assert_eq(mo_pair_tracker_create(scenes[s], NULL, &trackers[s]), MO_OK);
  }
  for (int round = 0; round < ROUNDS; round++) {
    mo_motion motion = (mo_motion)rng_below(&r, 4);
    uint32_t count = round % 2 == 0 ? COUNT : rng_below(&r, 100);
    for (uint32_t k = 0; k < count; k++) {
      uint32_t i = rng_below(&r, COUNT); /* some twice */
      chosen[k] = ids[0][i];
      cr_assert_eq(mo_scene_set_motion(scenes[1], &ids[1][i], 1, motion, NULL), MO_OK);
    }
    cr_assert_eq(mo_scene_set_motion(scenes[0], chosen, count, motion, NULL), MO_OK);
    check_marks(scenes[0], scenes[1]);
    for (uint32_t i = 0; i < COUNT; i++) {
      float x = rng_float(&r, -1, 1), y = rng_float(&r, -1, 1);
      defs[i].transform.origin.x += x;
      defs[i].transform.origin.y += y;
      moved[i] = defs[i].transform;
    }
    mo_pair_events events[2];
    for (int s = 0; s < 2; s++) {
      mo_update_def update = mo_default_update_def();
      update.ids = ids[s];
      update.transforms = moved;
      update.count = COUNT;
      cr_assert_eq(mo_scene_validate(scenes[s]), MO_OK);
      cr_assert_eq(mo_scene_update(scenes[s], &update), MO_OK);
      cr_assert_eq(mo_scene_validate(scenes[s]), MO_OK);
      cr_assert_eq(mo_pair_tracker_update(trackers[s], &events[s]), MO_OK);
    }
    check_marks(scenes[0], scenes[1]);
    cr_assert(events[0].begin_count == events[1].begin_count &&
              events[0].end_count == events[1].end_count);
    cr_assert_eq(
        memcmp(events[0].begins, events[1].begins, events[0].begin_count * sizeof(mo_pair)), 0);
  }
  for (int s = 0; s < 2; s++) {
    mo_pair_tracker_destroy(trackers[s]);
    mo_scene_destroy(scenes[s]);
  }
}
