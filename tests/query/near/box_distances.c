/* Queries by distance: against loops over all shapes, while everything changes. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/box_distances.h"
#include "support/defs.h"
#include "support/scenes.h"
#include "support/world.h"

static test_scene scene;

static bool accept_some(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)user_data;
  (void)context;
  return shape.index % 3 != 0;
}

static bool accept_some_pairs(const mo_pair *pair, uint64_t a, uint64_t b, void *context) {
  (void)a;
  (void)b;
  (void)context;
  return (7 * pair->a.index + pair->b.index) % 5 != 0;
}

/* A limit: none, nothing, something, or the very distance of some shape. */
static float any_limit(const near_shapes *shapes, mo_aabb from, float reach, rng *r) {
  uint32_t kind = rng_below(r, 5);
  if (kind == 0 || shapes->count == 0) {
    return INFINITY;
  }
  if (kind == 1) {
    return 0;
  }
  if (kind == 2) {
    return rng_float(r, 0, reach);
  }
  mo_aabb box = shapes->boxes[rng_below(r, shapes->count)];
  float limit = (float)sqrt(near_distance2(from, box));
  return isfinite(limit) ? limit : INFINITY;
}

static void check_near(const mo_scene *subject, const near_shapes *shapes, mo_aabb from,
                       mo_filter filter, float reach, rng *r) {
  mo_near_def def = mo_default_near_def();
  def.from = from;
  def.filter = filter;
  def.max_distance = any_limit(shapes, from, reach, r);
  near_check(subject, shapes, &def, r);
  uint32_t count;
  mo_near_shape *all = near_list(shapes, &def, &count);
  if (count > 0) {
    mo_near_shape after = all[rng_below(r, count)];
    def.after = &after;
    near_check(subject, shapes, &def, r);
    after.shape.index = rng_below(r, 2) ? 0 : UINT32_MAX; /* names no shape, but a place */
    near_check(subject, shapes, &def, r);
  }
  free(all);
}

static mo_level_def any_levels(mo_vec3 eye, float reach, float thresholds[MO_MAX_LEVELS], rng *r) {
  mo_level_def def = mo_default_level_def();
  def.eye = eye;
  def.measure = (mo_level_measure)rng_below(r, 2);
  def.level_count = 1 + rng_below(r, rng_chance(r, 0.1) ? MO_MAX_LEVELS : 4);
  def.thresholds = thresholds;
  float last =
      def.measure == MO_LEVEL_BY_DISTANCE ? rng_float(r, 0, 0.2f * reach) : rng_float(r, 0, 4);
  for (uint32_t i = 0; i < def.level_count; i++) {
    thresholds[i] = last;
    last *= def.measure == MO_LEVEL_BY_DISTANCE ? rng_float(r, 1, 3) : rng_float(r, 0, 1);
  }
  if (rng_chance(r, 0.1)) {
    thresholds[def.level_count - 1] = def.measure == MO_LEVEL_BY_DISTANCE ? INFINITY : 0;
  }
  return def;
}

static float width_of(mo_aabb box) {
  float x = box.upper.x - box.lower.x, y = box.upper.y - box.lower.y;
  return fmaxf(fmaxf(x, y), box.upper.z - box.lower.z);
}

static void check_all(uint64_t rounds, rng *r) {
  near_shapes shapes;
  near_shapes_read(&shapes, scene.family.scenes[0]);
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_filter filter = test_scene_filter(&scene, r);
    mo_vec3 point = sample_point(r, &target);
    mo_aabb box = sample_box(r, &target);
    mo_aabb from = i % 3 ? (mo_aabb){point, point} : box;
    float reach = width_of(target.bounds), thresholds[MO_MAX_LEVELS];
    mo_level_def levels = any_levels(point, reach, thresholds, r);
    mo_plane planes[8];
    levels.filter = filter;
    levels.planes = planes;
    levels.plane_count = rng_below(r, 2) ? sample_planes(r, &target, planes) : 0;
    const mo_scene *subject = scene.family.scenes[i % scene.family.count];
    check_near(subject, &shapes, from, filter, reach, r);
    near_check_levels(subject, &shapes, &levels, r);
    if (i % 8 == 0) {
      mo_pair_query_def pairs = mo_default_pair_query_def();
      pairs.awake_only = i % 16 == 0;
      pairs.accept = i % 3 ? NULL : accept_some_pairs;
      near_check_pairs(subject, &shapes, any_limit(&shapes, from, reach, r), &pairs, r);
    }
  }
  near_shapes_free(&shapes);
}

Test(near, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 5, 40, 250};
  rng r = rng_make(rng_seed("near/brute force", 201));
  uint64_t rounds = rng_rounds(24, 2000);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      check_all(sizes[i] > 1 ? rounds : 1 + rounds / 8, &r);
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* Between any two changes, also without an update. */
Test(near, under_churn) {
  uint64_t seed = rng_seed("near/churn", 202);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    w->size = 30;
    for (uint64_t i = 0, n = rng_rounds(600, 20000); i < n; i++) {
      world_step(w);
      if (w->count > 300) {
        cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[150], w->count - 150, NULL), MO_OK);
        w->count = 150;
      }
      if (!rng_chance(&w->r, 0.3)) {
        continue;
      }
      near_shapes shapes;
      near_shapes_read(&shapes, w->scene);
      mo_vec3 p = rng_vec3(&w->r, -w->size, w->size);
      mo_near_def def = mo_default_near_def();
      def.from = (mo_aabb){p, p};
      if (w->count > 0 && rng_chance(&w->r, 0.5)) {
        mo_shape_id id = w->ids[rng_below(&w->r, w->count)];
        mo_geometry geometry;
        cr_assert_eq(mo_scene_get_geometry(w->scene, id, &geometry), MO_OK);
        bool boxed = geometry.type != MO_SHAPE_HALF_SPACE;
        cr_assert_eq(mo_near_def_of_shape(w->scene, id, &def),
                     boxed ? MO_OK : MO_ERROR_INVALID_ARGUMENT);
        cr_assert(!boxed || (isinf(def.max_distance) && def.filter.ignore.index == id.index));
      }
      if (rng_chance(&w->r, 0.1)) {
        def.filter.accept = accept_some;
      }
      check_near(w->scene, &shapes, def.from, def.filter, w->size, &w->r);
      float thresholds[MO_MAX_LEVELS];
      mo_level_def levels = any_levels(p, w->size, thresholds, &w->r);
      near_check_levels(w->scene, &shapes, &levels, &w->r);
      if (rng_chance(&w->r, 0.2)) {
        mo_pair_query_def pairs = mo_default_pair_query_def();
        pairs.awake_only = rng_below(&w->r, 2);
        near_check_pairs(w->scene, &shapes, any_limit(&shapes, def.from, w->size, &w->r), &pairs,
                         &w->r);
      }
      near_shapes_free(&shapes);
    }
    world_destroy(w);
  }
}

/* More shapes than the queue of an enumeration holds: spread, on a sphere around the eye so that
 * all are about as far, all at one point, and all in one box around the eye. */
Test(near, long_enumerations) {
  rng r = rng_make(rng_seed("near/long", 203));
  enum { COUNT = 6000 };
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT];
  for (int arrangement = 0; arrangement < 4; arrangement++) {
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.tree.policy = world_policies[arrangement % 3];
    mo_scene *subject;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
      defs[i] = mo_default_shape_def(MO_SHAPE_VOLUME);
      mo_vec3 d = rng_direction(&r), p = rng_vec3(&r, -60, 60);
      mo_vec3 at = arrangement == 0 ? p : (mo_vec3){50 * d.x, 50 * d.y, 50 * d.z};
      at = arrangement == 2 ? (mo_vec3){1, 2, 3} : at;
      defs[i].transform.origin = at;
      if (arrangement == 3) {
        defs[i].transform = mo_transform_make(at, (mo_quat){0, 0, 0, 1}, (mo_vec3){70, 70, 70});
      }
    }
    cr_assert_eq(mo_scene_add_shapes(subject, defs, COUNT, ids, NULL), MO_OK);
    near_shapes shapes;
    near_shapes_read(&shapes, subject);
    mo_near_def def = mo_default_near_def();
    for (int i = 0; i < 4; i++) {
      near_check(subject, &shapes, &def, &r);
      mo_vec3 p = rng_vec3(&r, -80, 80);
      def.from = (mo_aabb){p, p};
      def.filter.accept = i == 2 ? accept_some : NULL;
    }
    if (arrangement == 2) { /* all of them at the limit */
      mo_vec3 p = {1 + 1 + 4, 2, 3};
      def = mo_default_near_def();
      def.from = (mo_aabb){p, p};
      def.max_distance = 4;
      cr_assert_eq(near_distance2(def.from, shapes.boxes[0]), 16);
      near_check(subject, &shapes, &def, &r);
    }
    near_shapes_free(&shapes);
    mo_scene_destroy(subject);
  }
}

/* What is near a shape is what would be its pairs. */
Test(near, a_def_of_a_shape_has_its_filter) {
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *subject;
  cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
  shape.category = 6;
  shape.mask = 5;
  mo_shape_id id;
  mo_near_def def;
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
  cr_assert_eq(mo_near_def_of_shape(subject, id, &def), MO_OK);
  cr_assert(def.filter.category == 6 && def.filter.mask == 5);
  mo_scene_destroy(subject);
}

/* The gap is more than 1, and 1 as it is computed. */
Test(near, a_gap_that_rounding_shortens) {
  rng r = rng_make(rng_seed("near/gap", 206));
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *subject;
  cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
  const mo_aabb boxes[2] = {{{-2, 0, 0}, {-1, 1, 1}}, {{0x1p-60f, 0, 0}, {1, 1, 1}}};
  for (int i = 0; i < 60; i++) { /* more than share a block */
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_VOLUME);
    def.geometry.volume = boxes[i / 30];
    mo_shape_id id;
    mo_aabb stored;
    cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(subject, id, &stored), MO_OK);
    cr_assert_eq(memcmp(&stored, &boxes[i / 30], sizeof stored), 0);
  }
  near_shapes shapes;
  near_shapes_read(&shapes, subject);
  cr_assert_eq(near_distance2(boxes[0], boxes[1]), 1);
  mo_pair_query_def pairs = mo_default_pair_query_def();
  near_check_pairs(subject, &shapes, 1, &pairs, &r);
  near_shapes_free(&shapes);
  mo_scene_destroy(subject);
}

static bool take_ten(const mo_near_shape *shape, void *context) {
  (void)shape;
  return ++*(uint32_t *)context < 10;
}

/* What is not taken is not visited. */
Test(near, cost_is_that_of_what_is_taken) {
  rng r = rng_make(rng_seed("near/cost", 204));
  enum { COUNT = 20000 };
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT];
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *subject;
  cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
  for (uint32_t i = 0; i < COUNT; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    defs[i].transform.origin = rng_vec3(&r, -60, 60);
  }
  cr_assert_eq(mo_scene_add_shapes(subject, defs, COUNT, ids, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
  mo_query_stats first = {0}, visited = {0}, small = {0}, near = {0};
  enum { QUERIES = 100 };
  for (int i = 0; i < QUERIES; i++) {
    mo_near_def def = mo_default_near_def();
    mo_vec3 p = rng_vec3(&r, -60, 60);
    def.from = (mo_aabb){p, p};
    mo_near_shape found[10];
    uint32_t count = 0, taken = 0;
    cr_assert_eq(mo_scene_find_nearest(subject, &def, found, 10, &count, &first), MO_OK);
    cr_assert_eq(count, 10);
    cr_assert_eq(mo_scene_visit_nearest(subject, &def, take_ten, &taken, &visited), MO_OK);
    cr_assert_eq(taken, 10);
    float thresholds[2] = {10, 20};
    mo_level_def levels = mo_default_level_def();
    levels.eye = p;
    levels.thresholds = thresholds;
    levels.level_count = 2;
    cr_assert_eq(mo_scene_find_levels(subject, &levels, NULL, 0, &count, &near), MO_OK);
    float sizes[1] = {1};
    levels.measure = MO_LEVEL_BY_SIZE;
    levels.thresholds = sizes;
    levels.level_count = 1;
    cr_assert_eq(mo_scene_find_levels(subject, &levels, NULL, 0, &count, &small), MO_OK);
  }
  cr_log_info("per query: nearest 10 %.1f nodes %.1f blocks; one by one %.1f %.1f; levels by "
              "distance %.1f %.1f for %.1f shapes; by size %.1f %.1f for %.1f",
              (double)first.scene_node_count / QUERIES, (double)first.scene_block_count / QUERIES,
              (double)visited.scene_node_count / QUERIES,
              (double)visited.scene_block_count / QUERIES, (double)near.scene_node_count / QUERIES,
              (double)near.scene_block_count / QUERIES, (double)near.shape_count / QUERIES,
              (double)small.scene_node_count / QUERIES, (double)small.scene_block_count / QUERIES,
              (double)small.shape_count / QUERIES);
  cr_assert_lt(first.scene_node_count, 30 * QUERIES);
  cr_assert_lt(first.scene_block_count, 60 * QUERIES);
  cr_assert_leq(visited.scene_block_count, first.scene_block_count);
  /* Equal shapes: by size they are those nearer than sqrt(3). */
  cr_assert_lt(small.scene_node_count, 20 * QUERIES);
  cr_assert_lt(small.scene_block_count, 20 * QUERIES);
  mo_scene_destroy(subject);
}

/* Sizes 1:1000, most small: what looks small is left out together with what is around it. The same
 * after all have moved. */
Test(near, small_shapes_are_left_out_together) {
  rng r = rng_make(rng_seed("near/small", 205));
  enum { COUNT = 20000, QUERIES = 50 };
  static mo_transform transforms[COUNT];
  static mo_shape_id ids[COUNT];
  for (int policy = 0; policy < 2; policy++) {
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.tree.policy = world_policies[policy];
    mo_scene *subject;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
      float size = 0.1f * fminf(1000, 1 / sqrtf(rng_float(&r, 1e-6f, 1)));
      transforms[i] = mo_transform_make(rng_vec3(&r, -300, 300), (mo_quat){0, 0, 0, 1},
                                        (mo_vec3){size, size, size});
      mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
      def.transform = transforms[i];
      cr_assert_eq(mo_scene_add_shape(subject, &def, &ids[i]), MO_OK);
    }
    for (int time = 0; time < 2; time++) {
      mo_scene_stats whole;
      mo_query_stats stats = {0};
      for (int i = 0; i < QUERIES; i++) {
        float thresholds[1] = {0.05f};
        mo_level_def def = mo_default_level_def();
        def.eye = rng_vec3(&r, -300, 300);
        def.measure = MO_LEVEL_BY_SIZE;
        def.thresholds = thresholds;
        def.level_count = 1;
        uint32_t total;
        cr_assert_eq(mo_scene_find_levels(subject, &def, NULL, 0, &total, &stats), MO_OK);
      }
      cr_assert_eq(mo_scene_get_stats(subject, &whole), MO_OK);
      cr_log_info("per query: %.1f nodes of %u, %.1f blocks of %u, %.1f shapes",
                  (double)stats.scene_node_count / QUERIES, whole.node_count,
                  (double)stats.scene_block_count / QUERIES, whole.block_count,
                  (double)stats.shape_count / QUERIES);
      cr_assert_lt(stats.scene_node_count / QUERIES, whole.node_count / 5);
      cr_assert_lt(stats.scene_block_count / QUERIES, whole.block_count / 20);
      for (uint32_t i = 0; i < COUNT; i++) {
        mo_vec3 *at = &transforms[i].origin, step = rng_vec3(&r, -5, 5);
        *at = (mo_vec3){at->x + step.x, at->y + step.y, at->z + step.z};
      }
      cr_assert_eq(mo_scene_set_transforms(subject, ids, transforms, COUNT, NULL), MO_OK);
      cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
    }
    mo_scene_destroy(subject);
  }
}

static bool never(const mo_near_shape *shape, void *context) {
  (void)shape;
  (void)context;
  cr_assert(false);
  return false;
}

static bool never_pair(const mo_pair *pair, void *context) {
  (void)pair;
  (void)context;
  cr_assert(false);
  return false;
}

/* All three queries refuse a def alike and write nothing. */
static void refuse(const mo_scene *subject, const mo_near_def *def, mo_result expected, int line) {
  mo_near_shape found = {.distance = 5};
  uint32_t number = 77;
  mo_query_stats stats = {0}, none = {0};
  cr_assert_eq(mo_scene_find_near(subject, def, &found, 1, &number, &stats), expected, "%d", line);
  cr_assert_eq(mo_scene_find_nearest(subject, def, &found, 1, &number, &stats), expected, "%d",
               line);
  cr_assert_eq(mo_scene_visit_nearest(subject, def, never, NULL, &stats), expected, "%d", line);
  cr_assert(found.distance == 5 && number == 77 && memcmp(&stats, &none, sizeof none) == 0);
}

static void refuse_levels(const mo_scene *subject, const mo_level_def *def, mo_result expected,
                          int line) {
  mo_level_result found = {.level = 5};
  uint32_t total = 77;
  cr_assert_eq(mo_scene_find_levels(subject, def, &found, 1, &total, NULL), expected, "%d", line);
  cr_assert(found.level == 5 && total == 77);
}

Test(near, errors) {
  const mo_result null = MO_ERROR_NULL_ARGUMENT, finite = MO_ERROR_NOT_FINITE;
  const mo_result range = MO_ERROR_OUT_OF_RANGE, invalid = MO_ERROR_INVALID_ARGUMENT;
  world *w = world_create(MO_TREE_IRREGULAR, 205);
  while (w->count < 20) {
    world_step(w);
  }
  mo_near_def good = mo_default_near_def(), def = good;
  mo_near_shape found[2], after = {.distance2 = NAN};
  uint32_t number;
  refuse(NULL, &good, null, __LINE__);
  refuse(w->scene, NULL, null, __LINE__);
  def.from.lower.y = NAN;
  refuse(w->scene, &def, finite, __LINE__);
  def.from.lower.y = -1.1e30f;
  refuse(w->scene, &def, range, __LINE__);
  def.from.lower.y = 1;
  refuse(w->scene, &def, invalid, __LINE__);
  def = good;
  def.max_distance = NAN;
  refuse(w->scene, &def, finite, __LINE__);
  def.max_distance = -1;
  refuse(w->scene, &def, invalid, __LINE__);
  def = good;
  def.after = &after;
  refuse(w->scene, &def, finite, __LINE__);
  after.distance2 = -1;
  refuse(w->scene, &def, invalid, __LINE__);
  cr_assert_eq(mo_scene_find_near(w->scene, &good, NULL, 1, &number, NULL), null);
  cr_assert_eq(mo_scene_find_near(w->scene, &good, found, 1, NULL, NULL), null);
  cr_assert_eq(mo_scene_find_nearest(w->scene, &good, NULL, 1, &number, NULL), null);
  cr_assert_eq(mo_scene_find_nearest(w->scene, &good, found, 1, NULL, NULL), null);
  cr_assert_eq(mo_scene_visit_nearest(w->scene, &good, NULL, NULL, NULL), null);
  cr_assert_eq(mo_scene_find_nearest(w->scene, &good, NULL, 0, &number, NULL), MO_OK);
  cr_assert_eq(number, 0);
  cr_assert_eq(mo_near_def_of_shape(NULL, w->ids[0], &def), null);
  cr_assert_eq(mo_near_def_of_shape(w->scene, w->ids[0], NULL), null);
  cr_assert_eq(mo_near_def_of_shape(w->scene, (mo_shape_id){0, 0}, &def), MO_ERROR_STALE_ID);

  mo_pair pair;
  const float bad[] = {-1, NAN, -INFINITY};
  for (int i = 0; i < 3; i++) {
    number = 77;
    cr_assert_eq(mo_scene_find_near_pairs(w->scene, bad[i], NULL, &pair, 1, &number), invalid);
    cr_assert_eq(mo_scene_visit_near_pairs(w->scene, bad[i], NULL, never_pair, NULL), invalid);
    cr_assert_eq(number, 77);
  }
  cr_assert_eq(mo_scene_find_near_pairs(NULL, 1, NULL, &pair, 1, &number), null);
  cr_assert_eq(mo_scene_find_near_pairs(w->scene, 1, NULL, NULL, 1, &number), null);
  cr_assert_eq(mo_scene_find_near_pairs(w->scene, 1, NULL, &pair, 1, NULL), null);
  cr_assert_eq(mo_scene_visit_near_pairs(NULL, 1, NULL, never_pair, NULL), null);
  cr_assert_eq(mo_scene_visit_near_pairs(w->scene, 1, NULL, NULL, NULL), null);
  world_destroy(w);
}

Test(near, errors_of_levels) {
  const mo_result null = MO_ERROR_NULL_ARGUMENT, finite = MO_ERROR_NOT_FINITE;
  const mo_result range = MO_ERROR_OUT_OF_RANGE, invalid = MO_ERROR_INVALID_ARGUMENT;
  world *w = world_create(MO_TREE_LOOSE, 206);
  float thresholds[3] = {1, 2, 3};
  mo_plane plane = {{1, 0, 0}, NAN};
  mo_level_result found;
  uint32_t total;
  mo_level_def good = mo_default_level_def();
  refuse_levels(w->scene, &good, invalid, __LINE__); /* no thresholds */
  good.level_count = 3;
  refuse_levels(w->scene, &good, null, __LINE__);
  good.thresholds = thresholds;
  refuse_levels(NULL, &good, null, __LINE__);
  refuse_levels(w->scene, NULL, null, __LINE__);
  cr_assert_eq(mo_scene_find_levels(w->scene, &good, NULL, 1, &total, NULL), null);
  cr_assert_eq(mo_scene_find_levels(w->scene, &good, &found, 1, NULL, NULL), null);
  mo_level_def def = good;
  def.level_count = MO_MAX_LEVELS + 1;
  refuse_levels(w->scene, &def, invalid, __LINE__);
  def = good;
  def.measure = (mo_level_measure)2;
  refuse_levels(w->scene, &def, invalid, __LINE__);
  def.measure = MO_LEVEL_BY_SIZE; /* ascending */
  refuse_levels(w->scene, &def, invalid, __LINE__);
  thresholds[0] = INFINITY;
  refuse_levels(w->scene, &def, finite, __LINE__);
  def.measure = MO_LEVEL_BY_DISTANCE; /* descending */
  refuse_levels(w->scene, &def, invalid, __LINE__);
  thresholds[0] = NAN;
  refuse_levels(w->scene, &def, finite, __LINE__);
  thresholds[0] = -1;
  refuse_levels(w->scene, &def, invalid, __LINE__);
  thresholds[0] = 1;
  def.eye.z = INFINITY;
  refuse_levels(w->scene, &def, finite, __LINE__);
  def.eye.z = 2e30f;
  refuse_levels(w->scene, &def, range, __LINE__);
  def = good;
  def.plane_count = 1;
  refuse_levels(w->scene, &def, null, __LINE__);
  def.planes = &plane;
  refuse_levels(w->scene, &def, finite, __LINE__);
  plane.offset = 0;
  def.plane_count = MO_MAX_PLANES + 1;
  refuse_levels(w->scene, &def, invalid, __LINE__);
  cr_assert_eq(mo_scene_find_levels(w->scene, &good, NULL, 0, &total, NULL), MO_OK);
  cr_assert_eq(total, 0);
  world_destroy(w);
}
