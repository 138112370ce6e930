/* Half-spaces in scenes, by hand: bounds, statistics, moves of every kind, other geometry, damage.
 * Random ones are in scene/churn, scene/memory, scene/shift and pairs. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/near.h>
#include <motte/pair_tracker.h>
#include <string.h>

#include "oracle/pairs.h"
#include "scene/shapes/unbounded.h"
#include "support/task_order.h"
#include "support/world.h"

static mo_shape_def floor_at(float height) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  def.geometry.half_space = (mo_half_space){{0, 2, 0}, 2 * height};
  def.motion = MO_MOTION_STATIC;
  return def;
}

static mo_shape_id added(world *w, mo_shape_def def) {
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(w->scene, &def, &id), MO_OK, "%s", w->why);
  cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
  return id;
}

static mo_aabb bounds_of(world *w, mo_shape_id id) {
  mo_aabb stored, tight;
  cr_assert_eq(mo_scene_get_bounds(w->scene, id, &stored), MO_OK);
  cr_assert_eq(mo_scene_get_tight_bounds(w->scene, id, &tight), MO_OK);
  cr_assert(memcmp(&stored, &tight, sizeof stored) == 0);
  return stored;
}

Test(scene_unbounded, default_def) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  mo_vec3 n = def.geometry.half_space.normal;
  cr_assert(n.x == 0 && n.y == 1 && n.z == 0 && def.geometry.half_space.offset == 0);
  cr_assert_eq(def.motion, MO_MOTION_DYNAMIC);
}

Test(scene_unbounded, bounds_end_where_an_axis_is_the_normal) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  mo_shape_def def = floor_at(3);
  def.margin = 1; /* makes no difference */
  mo_aabb box = bounds_of(w, added(w, def));
  cr_assert(box.upper.y == 3 && box.lower.y == -INFINITY);
  cr_assert(box.lower.x == -INFINITY && box.upper.x == INFINITY && box.lower.z == -INFINITY &&
            box.upper.z == INFINITY);
  def.geometry.half_space.normal = mo_vec(0, 0, -1);
  def.transform = mo_transform_make(mo_vec(1, 2, 3), (mo_quat){0, 0, 0, 1}, mo_vec(1, 1, 2));
  def.geometry.half_space.offset = 1;
  box = bounds_of(w, added(w, def));
  cr_assert(box.lower.z == 1 && box.upper.z == INFINITY && box.lower.x == -INFINITY);
  def.geometry.half_space.normal = mo_vec(1, 1, 0);
  box = bounds_of(w, added(w, def));
  cr_assert(box.lower.x == -INFINITY && box.upper.x == INFINITY && box.upper.y == INFINITY);
  mo_aabb all = mo_scene_bounds(w->scene);
  cr_assert(all.lower.x == INFINITY && all.upper.x == -INFINITY, "of shapes with bounds alone");
  world_destroy(w);
}

/* Where a side of the box is no float it lies outside of the plane, by no more than the next float.
 */
Test(scene_unbounded, bounds_round_outward) {
  rng r = rng_make(rng_seed("scene_unbounded/rounding", 352));
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  uint32_t rounded = 0;
  for (int i = 0; i < 600; i++) {
    const float sign = i % 2 == 0 ? 1 : -1;
    mo_shape_def def = floor_at(rng_float(&r, -2, 2));
    const float normal[3] = {i % 3 == 0 ? sign : 0, i % 3 == 1 ? sign : 0, i % 3 == 2 ? sign : 0};
    def.geometry.half_space.normal = mo_vec(normal[0], normal[1], normal[2]);
    def.transform.origin = rng_vec3(&r, -9, 9);
    const mo_aabb box = bounds_of(w, added(w, def));
    const long double exact = (long double)mo_get(def.transform.origin, i % 3) +
                              (long double)sign * (long double)def.geometry.half_space.offset;
    const float side = mo_get(sign > 0 ? box.upper : box.lower, i % 3),
                inner = nextafterf(side, -sign * INFINITY);
    cr_assert((long double)sign * ((long double)side - exact) >= 0, "%d: %a, not beyond %La", i,
              (double)side, exact);
    cr_assert((long double)sign * ((long double)inner - exact) < 0, "%d: %a", i, (double)side);
    rounded += (long double)side != exact;
  }
  cr_assert_gt(rounded, 300);
  world_destroy(w);
}

Test(scene_unbounded, counts_and_memory) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  enum { COUNT = 100 };
  mo_shape_def defs[COUNT];
  mo_shape_id ids[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    defs[i] = i % 3 == 0 ? floor_at((float)i) : mo_default_shape_def(MO_SHAPE_SPHERE);
  }
  size_t failed = 0;
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  for (; result != MO_OK; failed++) {
    counting_allocator_fail_at(&w->counter, failed + 1, true);
    result = mo_scene_add_shapes(w->scene, defs, COUNT, ids, NULL);
    counting_allocator_fail_at(&w->counter, 0, false);
    cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
    cr_assert_eq(mo_scene_shape_count(w->scene), result == MO_OK ? COUNT : 0);
  }
  cr_assert_gt(failed, 5);
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_assert_eq(stats.shape_count, COUNT);
  cr_assert_eq(stats.unbounded_shape_count, 34);
  cr_assert_eq(stats.leaf_shape_count + stats.inner_shape_count, COUNT - 34);
  size_t before = stats.bytes;
  cr_assert_eq(mo_scene_remove_shapes(w->scene, ids, COUNT / 2, NULL), MO_OK);
  cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
  cr_assert_eq(mo_scene_trim(w->scene), MO_OK);
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_assert_eq(stats.unbounded_shape_count, 17);
  cr_assert_lt(stats.bytes, before);
  cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
  world_destroy(w);
}

/* One by one and together, beside shapes with bounds and alone; the last of several moves of one
 * shape counts. */
Test(scene_unbounded, moves) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  enum { COUNT = 64 };
  mo_shape_id ids[COUNT + 1];
  mo_vec3 origins[COUNT + 1], velocities[COUNT + 1];
  for (uint32_t i = 0; i < COUNT; i++) {
    ids[i] = added(w, floor_at(0));
    origins[i] = mo_vec(5, (float)i, 0);
    velocities[i] = mo_vec(1, 2, 3);
  }
  ids[COUNT] = ids[3];
  origins[COUNT] = mo_vec(0, -7, 0);
  velocities[COUNT] = mo_vec(0, 0, 0);
  for (int pass = 0; pass < 4; pass++) {
    mo_update_def update = mo_default_update_def();
    update.ids = ids;
    update.origins = origins;
    update.count = COUNT + 1;
    update.velocities = pass % 2 ? velocities : NULL;
    update.lookahead = 1;
    cr_assert_eq(mo_scene_update(w->scene, &update), MO_OK, "%s", w->why);
    cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
    for (uint32_t i = 0; i < COUNT; i++) {
      mo_aabb box = bounds_of(w, ids[i]);
      cr_assert_eq(box.upper.y, i == 3 ? -7 : (float)i + (float)(pass > 1));
    }
    cr_assert_eq(mo_scene_shift_origin(w->scene, mo_vec(0, 1, 0)), MO_OK);
    cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
    cr_assert_eq(bounds_of(w, ids[3]).upper.y, -6);
    for (uint32_t i = 0; pass == 1 && i < COUNT; i++) {
      origins[i].y += 1;
    }
    if (pass == 1) {
      added(w, mo_default_shape_def(MO_SHAPE_BOX));
    }
  }
  mo_transform place = world_translation(0, 9, 0);
  cr_assert_eq(mo_scene_set_transform(w->scene, ids[8], &place), MO_OK);
  cr_assert_eq(bounds_of(w, ids[8]).upper.y, 9);
  cr_assert_eq(mo_scene_set_margin(w->scene, ids[8], 3), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(w->scene, ids[8]), MO_OK);
  cr_assert_eq(mo_scene_set_motion(w->scene, ids, COUNT, MO_MOTION_SLEEPING, NULL), MO_OK);
  cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
  world_destroy(w);
}

/* To and fro, with no memory at times. */
Test(scene_unbounded, other_geometry) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  mo_shape_id ids[40];
  for (uint32_t i = 0; i < 40; i++) {
    ids[i] = added(w, i < 20 ? floor_at(0) : mo_default_shape_def(MO_SHAPE_BOX));
  }
  mo_geometry flat = floor_at(1).geometry, box = mo_default_shape_def(MO_SHAPE_BOX).geometry;
  uint32_t refused = 0;
  for (uint32_t i = 0; i < 400; i++) {
    counting_allocator_fail_at(&w->counter, 1, i % 2);
    const mo_geometry *other = i / 40 % 2 ? &box : &flat;
    mo_result result = mo_scene_set_geometry(w->scene, ids[i % 40], other);
    counting_allocator_fail_at(&w->counter, 0, false);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
    cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
    mo_geometry now;
    cr_assert_eq(mo_scene_get_geometry(w->scene, ids[i % 40], &now), MO_OK);
    cr_assert(result != MO_OK || now.type == other->type);
    refused += result != MO_OK;
    if (i % 80 == 79) {
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      cr_assert_eq(mo_scene_trim(w->scene), MO_OK);
    }
  }
  cr_assert_gt(refused, 0);
  world_destroy(w);
}

/* A wrong transform of one keeps all where they are. */
Test(scene_unbounded, all_or_none) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  enum { COUNT = 40 };
  mo_shape_id ids[COUNT];
  mo_transform places[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    ids[i] = added(w, floor_at(0));
    places[i] = world_translation(0, 1, 0);
  }
  size_t bad = 0;
  places[30].x_axis = mo_vec(0, 0, 0);
  cr_assert_eq(mo_scene_set_transforms(w->scene, ids, places, COUNT, &bad),
               MO_ERROR_INVALID_ARGUMENT);
  cr_assert(bad == 30 && bounds_of(w, ids[0]).upper.y == 0);
  places[30] = world_translation(0, 1, 0);
  places[20].origin.y = 2e30f;
  cr_assert_eq(mo_scene_set_transforms(w->scene, ids, places, COUNT, &bad), MO_ERROR_OUT_OF_RANGE);
  cr_assert(bad == 20 && bounds_of(w, ids[0]).upper.y == 0);
  cr_assert_eq(mo_scene_shift_origin(w->scene, mo_vec(0, 0.9e30f, 0)), MO_OK);
  cr_assert_eq(mo_scene_shift_origin(w->scene, mo_vec(0, 0.9e30f, 0)), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
  world_destroy(w);
}

Test(scene_unbounded, damage_is_found) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  added(w, floor_at(0));
  added(w, mo_default_shape_def(MO_SHAPE_BOX));
  added(w, floor_at(1));
  mo_scene *scene = w->scene;
  const mo_half_space_body body = scene->half_spaces[1];
  scene->unbounded[0] = 1;
  cr_assert_eq(mo_scene_validate(scene), MO_ERROR_CORRUPT);
  scene->unbounded[0] = 2;
  cr_assert_eq(mo_scene_validate(scene), MO_ERROR_CORRUPT);
  scene->unbounded[0] = 0;
  scene->half_spaces[1].offset += 1;
  cr_assert_eq(mo_scene_validate(scene), MO_ERROR_CORRUPT);
  scene->half_spaces[1] = body;
  scene->places[2] = 8;
  cr_assert_eq(mo_scene_validate(scene), MO_ERROR_CORRUPT);
  scene->places[2] = MO_NONE;
  scene->unbounded_count = 1;
  cr_assert_eq(mo_scene_validate(scene), MO_ERROR_CORRUPT);
  scene->unbounded_count = 2;
  cr_assert_eq(mo_scene_validate(scene), MO_OK, "%s", w->why);
  world_destroy(w);
}

/* --- pairs --- */

static uint32_t events_of(mo_pair_tracker *tracker, uint32_t *ends) {
  mo_pair_events events;
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  *ends = events.end_count;
  return events.begin_count;
}

/* A ball that falls into a floor, a floor that rises to a ball, two half-spaces. */
Test(scene_unbounded, pairs_by_hand) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  mo_pair_tracker *tracker;
  cr_assert_eq(mo_pair_tracker_create(w->scene, NULL, &tracker), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.transform.origin.y = 2;
  mo_shape_id ball = added(w, def), ground = added(w, floor_at(0));
  for (int i = 0; i < 30; i++) {
    def.transform.origin = mo_vec(3 * (float)i, 50, 0);
    added(w, def);
  }
  uint32_t ends;
  cr_assert(events_of(tracker, &ends) == 0 && ends == 0);
  mo_transform place = world_translation(3, 1, 0);
  cr_assert_eq(mo_scene_set_transform(w->scene, ball, &place), MO_OK);
  cr_assert(events_of(tracker, &ends) == 1 && ends == 0);
  cr_assert(mo_pair_tracker_contains(tracker, ball, ground));
  place.origin.y = -1;
  cr_assert_eq(mo_scene_set_transform(w->scene, ground, &place), MO_OK);
  cr_assert(events_of(tracker, &ends) == 0 && ends == 1);
  place.origin.y = 49.5f;
  cr_assert_eq(mo_scene_set_transform(w->scene, ground, &place), MO_OK);
  cr_assert(events_of(tracker, &ends) == 31 && ends == 0);
  cr_assert_eq(mo_scene_remove_shape(w->scene, ground), MO_OK);
  cr_assert(events_of(tracker, &ends) == 0 && ends == 31);
  /* Two that look away from each other, apart and not; static ones are never a pair. */
  def = floor_at(-9);
  def.motion = MO_MOTION_DYNAMIC;
  mo_shape_id under = added(w, def), over;
  def.geometry.half_space = (mo_half_space){{0, -1, 0}, -100};
  over = added(w, def);
  cr_assert(events_of(tracker, &ends) == 0 && ends == 0);
  place.origin = mo_vec(7, -109, 0);
  cr_assert_eq(mo_scene_set_transform(w->scene, over, &place), MO_OK);
  cr_assert(events_of(tracker, &ends) == 32 && ends == 0);
  cr_assert(mo_pair_tracker_contains(tracker, over, under));
  mo_shape_id both[2] = {under, over};
  cr_assert_eq(mo_scene_set_motion(w->scene, both, 2, MO_MOTION_STATIC, NULL), MO_OK);
  cr_assert(events_of(tracker, &ends) == 0 && ends == 1);
  mo_pair_tracker_destroy(tracker);
  world_destroy(w);
}

static uint32_t pairs_of(const world *w) {
  mo_pair pairs[100];
  uint32_t total;
  cr_assert_eq(mo_scene_find_pairs(w->scene, NULL, pairs, 100, &total), MO_OK);
  return total;
}

/* Points with whole coordinates in a plane, of whole coefficients, are on its half-space; the
 * direction of its normal is rounded. */
Test(scene_unbounded, pairs_at_the_plane) {
  rng r = rng_make(rng_seed("half-spaces/at the plane", 2104));
  for (uint64_t round = 0; round < rng_rounds(100, 5000); round++) {
    world *w = world_create(world_policies[round % 3], round);
    int n[3] = {(int)rng_below(&r, 41) - 20, (int)rng_below(&r, 41) - 20, 1};
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
    def.geometry.half_space.normal = mo_vec((float)n[0], (float)n[1], 1);
    added(w, def);
    def = mo_default_shape_def(MO_SHAPE_BOX);
    def.motion = MO_MOTION_STATIC;
    def.geometry.box.half_extents = mo_vec(0, 0, 0);
    for (uint32_t i = 0; i < 40; i++) {
      int x = (int)rng_below(&r, 2001) - 1000, y = (int)rng_below(&r, 2001) - 1000;
      def.transform.origin = mo_vec((float)x, (float)y, (float)(-x * n[0] - y * n[1]));
      added(w, def);
    }
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    cr_assert_eq(pairs_of(w), 40);
    world_destroy(w);
  }
}

/* A box that is above a floor by little is not a pair, however far others are. */
Test(scene_unbounded, pairs_above_the_plane) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  mo_shape_id ground = added(w, floor_at(0));
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.transform.origin = mo_vec(4096, 4096, 4096);
  added(w, def);
  def.geometry.box.half_extents = mo_vec(1, 0x1p-40f, 1);
  def.transform.origin = mo_vec(0, 0, 0);
  mo_shape_id box = added(w, def);
  for (int k = 20; k <= 38; k++) {
    mo_transform place = world_translation(0, ldexpf(1, -k) + 0x1p-40f, 0);
    cr_assert_eq(mo_scene_set_transform(w->scene, box, &place), MO_OK);
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    cr_assert_eq(bounds_of(w, box).lower.y, ldexpf(1, -k));
    cr_assert_eq(pairs_of(w), 0, "2^-%d above", k);
    place.origin.y = -ldexpf(1, -k) + 0x1p-40f;
    cr_assert_eq(mo_scene_set_transform(w->scene, box, &place), MO_OK);
    cr_assert_eq(pairs_of(w), 1, "2^-%d below", k);
  }
  cr_assert_eq(mo_scene_remove_shape(w->scene, ground), MO_OK);
  cr_assert_eq(pairs_of(w), 0);
  world_destroy(w);
}

/* The body of a shape in searches for pairs. */
static mo_primitive body_of(const world *w, uint32_t i) {
  mo_geometry box = {.type = MO_SHAPE_VOLUME};
  cr_assert_eq(mo_scene_get_bounds(w->scene, w->ids[i], &box.volume), MO_OK);
  return w->defs[i].geometry.type == MO_SHAPE_HALF_SPACE
             ? mo_primitive_of_geometry(&w->defs[i].geometry, &w->defs[i].transform)
             : mo_primitive_of_geometry(&box, NULL);
}

static bool is_near(const world *w, uint32_t i, uint32_t j, float distance) {
  mo_primitive a = body_of(w, i), b = body_of(w, j);
  mo_primitive_distance d;
  cr_assert_eq(mo_primitive_find_distance(&a, &b, INFINITY, &d), MO_OK);
  return d.distance <= (double)distance;
}

static bool is_half_space(const world *w, uint32_t slot) {
  mo_shape_def def;
  cr_assert_eq(mo_scene_get_shape(w->scene, mo_shape_id_of(w->scene, slot), &def), MO_OK);
  return def.geometry.type == MO_SHAPE_HALF_SPACE;
}

/* By distance: of those with a half-space the ones that the distance of its body says. */
Test(scene_unbounded, near_pairs) {
  uint64_t seed = rng_seed("half-spaces/near pairs", 2101);
  static const float distances[] = {0, 0.5f, 5, 60, INFINITY};
  for (uint64_t round = 0; round < rng_rounds(6, 200); round++) {
    world *w = world_create(world_policies[round % 3], seed + round);
    w->half_spaces = 0.2f;
    while (w->count < 60) {
      world_step(w);
    }
    for (int k = 0; k < 5; k++) {
      static mo_pair found[20000];
      uint32_t total, expected = 0, with = 0;
      cr_assert_eq(mo_scene_find_near_pairs(w->scene, distances[k], NULL, found, 20000, &total),
                   MO_OK);
      for (uint32_t i = 0; i < total; i++) {
        with += is_half_space(w, found[i].a.index) || is_half_space(w, found[i].b.index);
      }
      for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
          bool counts = w->defs[i].geometry.type == MO_SHAPE_HALF_SPACE ||
                        w->defs[j].geometry.type == MO_SHAPE_HALF_SPACE;
          bool still =
              w->defs[i].motion == MO_MOTION_STATIC && w->defs[j].motion == MO_MOTION_STATIC;
          expected += counts && !still && is_near(w, i, j, distances[k]);
        }
      }
      cr_assert_eq(with, expected, "round %u, distance %g: %u, not %u", (unsigned)round,
                   (double)distances[k], with, expected);
    }
    world_destroy(w);
  }
}

Test(scene_unbounded, pairs_between_scenes) {
  uint64_t seed = rng_seed("half-spaces/between", 2102);
  for (uint64_t round = 0; round < rng_rounds(6, 200); round++) {
    world *w[2];
    for (uint64_t s = 0; s < 2; s++) {
      w[s] = world_create(world_policies[(round + s) % 3], seed + 2 * round + s);
      w[s]->half_spaces = 0.1f;
      while (w[s]->count < 80) {
        world_step(w[s]);
      }
    }
    mo_pair_query_def def = mo_default_pair_query_def();
    def.awake_only = round % 2;
    static mo_pair found[40000];
    pair_list expected = {0};
    uint32_t total;
    pair_oracle(w[0]->scene, w[1]->scene, &def, &expected);
    cr_assert_eq(mo_scene_find_pairs_between(w[0]->scene, w[1]->scene, &def, found, 40000, &total),
                 MO_OK);
    cr_assert_eq(total, expected.count);
    for (uint32_t i = 0; i < total; i++) {
      cr_assert(pair_equal(found[i], expected.pairs[i]));
    }
    pair_list_free(&expected);
    world_destroy(w[0]);
    world_destroy(w[1]);
  }
}

/* Some or all move, in tasks that run in the wrong order. */
Test(scene_unbounded, pairs_in_tasks) {
  enum { COUNT = 2500, HALF_SPACES = 12 };
  static mo_shape_id ids[COUNT];
  static mo_vec3 origins[COUNT];
  static mo_pair found[200000];
  rng r = rng_make(rng_seed("half-spaces/tasks", 2103));
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host.tasks = tasks_backwards(8);
  mo_scene *scene = NULL;
  mo_pair_tracker *tracker = NULL;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  cr_assert_eq(mo_pair_tracker_create(scene, NULL, &tracker), MO_OK);
  for (uint32_t i = 0; i < COUNT; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
    if (i < HALF_SPACES) {
      def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
      def.geometry.half_space.normal = rng_direction(&r);
      def.geometry.half_space.offset = -25;
    }
    def.motion = (mo_motion)rng_below(&r, 3);
    def.transform.origin = i < HALF_SPACES ? mo_vec(0, 0, 0) : rng_vec3(&r, -30, 30);
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
  }
  for (int frame = 0; frame < 6; frame++) {
    uint32_t moved = frame % 2 ? 400 : COUNT, first = frame == 3 ? HALF_SPACES : 0;
    for (uint32_t i = 0; i < moved; i++) {
      origins[i] = first + i < HALF_SPACES ? rng_vec3(&r, -1, 1) : rng_vec3(&r, -30, 30);
    }
    mo_update_def update = mo_default_update_def();
    update.ids = ids + first;
    update.origins = origins;
    update.count = moved;
    cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    cr_assert_eq(mo_pair_tracker_update(tracker, NULL), MO_OK);
    pair_list expected = {0};
    uint32_t total;
    pair_oracle(scene, scene, NULL, &expected);
    cr_assert_eq(mo_pair_tracker_get_pairs(tracker, found, 200000, &total), MO_OK);
    cr_assert_eq(total, expected.count, "frame %d: %u, not %u", frame, total, expected.count);
    for (uint32_t i = 0; i < total; i++) {
      cr_assert(pair_equal(found[i], expected.pairs[i]));
    }
    pair_list_free(&expected);
  }
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}
