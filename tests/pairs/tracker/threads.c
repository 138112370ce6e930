/* Pairs found by many threads, or by tasks in another order, are those that one thread finds, to
 * the last bit of every event. A plain program, because Criterion does not start under the thread
 * sanitizer. */
#include <motte/pair_tracker.h>

#include "support/plain.h"
#include "support/rng.h"

enum { COUNT = 3000, FRAMES = 12 };

static mo_shape_def defs[COUNT];
static mo_shape_id ids[COUNT];
static mo_transform transforms[COUNT];

/* All events of some frames, moving many or few, with shapes that come and go. */
static uint64_t run(uint64_t seed, mo_tree_policy policy, mo_tasks tasks) {
  rng r = rng_make(seed);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.policy = policy;
  scene_def.host.tasks = tasks;
  mo_scene *scene;
  mo_pair_tracker *tracker;
  need(mo_scene_create(&scene_def, &scene), "make a scene");
  mo_pair_tracker_def tracker_def = mo_default_pair_tracker_def();
  tracker_def.report_persists = true;
  need(mo_pair_tracker_create(scene, &tracker_def, &tracker), "make a tracker");
  for (int i = 0; i < COUNT; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    float half = i % 100 == 0 ? 8 : policy == MO_TREE_LOOSE ? 1.2f : 0.5f; /* many pairs, or few */
    defs[i].geometry.box.half_extents = (mo_vec3){half, half, half};
    defs[i].transform.origin = rng_vec3(&r, -15, 15);
    defs[i].motion = (mo_motion)(rng_below(&r, 6) % 3);
  }
  need(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), "add shapes");
  uint64_t sum = FNV1A_BEGIN;
  for (int frame = 0; frame < FRAMES; frame++) {
    mo_pair_events events;
    need(mo_scene_update(scene, NULL), "update");
    need(mo_pair_tracker_update(tracker, &events), "find pairs");
    sum = fnv1a(sum, events.begins, events.begin_count * sizeof(mo_pair));
    sum = fnv1a(sum, events.ends, events.end_count * sizeof(mo_pair));
    sum = fnv1a(sum, events.persists, events.persist_count * sizeof(mo_pair));
    need(mo_pair_tracker_validate(tracker), "validate");
    uint32_t movers = frame % 2 ? COUNT : 500;
    for (uint32_t i = 0; i < movers; i++) {
      transforms[i] = mo_transform_identity();
      transforms[i].origin = rng_vec3(&r, -15, 15);
    }
    need(mo_scene_set_transforms(scene, ids, transforms, movers, NULL), "move");
    if (frame % 3 == 0) {
      need(mo_scene_remove_shapes(scene, ids + 700, 300, NULL), "remove");
      need(mo_scene_add_shapes(scene, defs + 700, 300, ids + 700, NULL), "add");
    }
  }
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return sum;
}

int main(void) {
#if defined(TEST_SANITIZED)
  static const uint32_t workers[] = {2, 3, 8, 0};
#else
  static const uint32_t workers[] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
#endif
  return count_differences(run, rng_seed("pairs/tracker/threads", 51), workers) == 0 ? 0 : 1;
}
