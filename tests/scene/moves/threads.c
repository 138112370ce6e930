/* Many moves at once, and shifts of the origin, leave the same scene behind on any number of
 * workers and in any order of tasks: the same bounds, the same tree, the same changes told to
 * trackers. A plain program, because Criterion does not start under the thread sanitizer. */
#include <motte/pair_tracker.h>

#include "support/plain.h"
#include "support/rng.h"

enum { COUNT = 9000, MOVES = 10000, FRAMES = 8 };

static mo_shape_def defs[COUNT];
static mo_shape_id ids[COUNT], moved[MOVES];
static mo_transform transforms[MOVES];
static mo_vec3 velocities[MOVES], origins[MOVES];

/* Moves the world, and what the next frame starts from. */
static void shift(mo_scene *scene, mo_vec3 by) {
  need(mo_scene_shift_origin(scene, by), "shift");
  need(mo_scene_validate(scene), "validate");
  for (int i = 0; i < COUNT; i++) {
    mo_vec3 *origin = &defs[i].transform.origin;
    *origin = (mo_vec3){origin->x + by.x, origin->y + by.y, origin->z + by.z};
  }
}

static uint64_t add_events(uint64_t sum, mo_pair_tracker *tracker) {
  mo_pair_events events;
  need(mo_pair_tracker_update(tracker, &events), "find pairs");
  sum = fnv1a(sum, events.begins, events.begin_count * sizeof(mo_pair));
  return fnv1a(sum, events.ends, events.end_count * sizeof(mo_pair));
}

/* Shapes without a margin move in the order of their slots; the tracker is told of the last moves
 * after two updates. */
static uint64_t march(uint64_t sum, mo_scene *scene, mo_pair_tracker *tracker, rng *r) {
  for (int frame = 0; frame < 3; frame++) {
    mo_update_def update = mo_default_update_def();
    for (int i = 0; i < COUNT; i++) {
      if (i % 7 != 0) {
        mo_vec3 *at = &defs[i].transform.origin, step = rng_vec3(r, -0.3f, 0.3f);
        *at = (mo_vec3){at->x + step.x, at->y + step.y, at->z + step.z};
        moved[update.count] = ids[i];
        transforms[update.count++] = defs[i].transform;
      }
    }
    update.ids = moved;
    update.transforms = transforms;
    need(mo_scene_update(scene, &update), "update");
    need(mo_scene_validate(scene), "validate");
    sum = frame == 1 ? sum : add_events(sum, tracker);
  }
  return sum;
}

/* Everything that the moves of some frames leave behind, with ids that come more than once. */
static uint64_t run(uint64_t seed, mo_tree_policy policy, mo_tasks tasks) {
  rng r = rng_make(seed);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.policy = policy;
  scene_def.host.tasks = tasks;
  mo_scene *scene;
  mo_pair_tracker *tracker;
  need(mo_scene_create(&scene_def, &scene), "make a scene");
  need(mo_pair_tracker_create(scene, NULL, &tracker), "make a tracker");
  for (int i = 0; i < COUNT; i++) {
    defs[i] = mo_default_shape_def(i % 3 ? MO_SHAPE_BOX : MO_SHAPE_CAPSULE);
    defs[i].transform.origin = rng_vec3(&r, -60, 60);
    defs[i].margin = i % 7 == 0 ? 0.5f : 0;
  }
  need(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), "add shapes");
  uint64_t sum = FNV1A_BEGIN;
  for (int frame = 0; frame < FRAMES; frame++) {
    float reach = frame % 4 == 3 ? 60 : 0.3f;
    for (uint32_t i = 0; i < MOVES; i++) {
      uint32_t which = rng_below(&r, COUNT);
      mo_transform *t = &defs[which].transform;
      mo_vec3 step = rng_vec3(&r, -reach, reach);
      t->origin = (mo_vec3){t->origin.x + step.x, t->origin.y + step.y, t->origin.z + step.z};
      if (frame % 4 != 2 && rng_chance(&r, 0.3)) {
        *t = mo_transform_make(t->origin, rng_rotation(&r), (mo_vec3){1, 1, 1});
      }
      moved[i] = ids[which];
      transforms[i] = *t;
      origins[i] = t->origin;
      velocities[i] = rng_vec3(&r, -3, 3);
    }
    mo_update_def update = mo_default_update_def();
    update.ids = moved;
    *(frame % 4 == 2 ? (const void **)&update.origins : (const void **)&update.transforms) =
        frame % 4 == 2 ? (const void *)origins : (const void *)transforms;
    update.count = frame % 3 == 1 ? MOVES / 2 : MOVES;
    update.velocities = frame % 2 ? velocities : NULL;
    update.lookahead = 0.1f;
    need(mo_scene_update(scene, &update), "update");
    need(mo_scene_validate(scene), "validate");
    sum = add_events(sum, tracker);
    if (frame % 3 == 2) {
      shift(scene, (mo_vec3){frame % 2 ? 1000.3f : -1000.3f, 0, 77});
    }
    for (int i = 0; i < COUNT; i++) {
      mo_aabb box;
      need(mo_scene_get_bounds(scene, ids[i], &box), "read bounds");
      sum = fnv1a(sum, &box, sizeof box);
    }
    mo_scene_stats stats;
    need(mo_scene_get_stats(scene, &stats), "read statistics");
    sum = fnv1a(sum, &stats.node_count, sizeof stats.node_count);
    sum = fnv1a(sum, &stats.reinsert_count, sizeof stats.reinsert_count);
    sum = fnv1a(sum, &stats.expected_block_visits, sizeof stats.expected_block_visits);
  }
  sum = march(sum, scene, tracker, &r);
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return sum;
}

int main(void) {
  static const uint32_t workers[] = {2, 3, 8, 0};
  return count_differences(run, rng_seed("scene/moves/threads", 77), workers) == 0 ? 0 : 1;
}
