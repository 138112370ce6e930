/* Queries with bad input return a documented code and write nothing; no query allocates. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/near.h>
#include <string.h>

#include "support/counting_allocator.h"
#include "support/defs.h"
#include "support/scenes.h"

static counting_allocator counter;
static mo_scene *scene;

static void setup(void) {
  counting_allocator_init(&counter);
  mo_scene_def def = mo_default_scene_def();
  def.host = counting_allocator_host(&counter);
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  for (int i = 0; i < 40; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
    shape.transform.origin.x = (float)i;
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  }
}

static void teardown(void) {
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

TestSuite(query_errors, .init = setup, .fini = teardown);

static const float bad_number[] = {NAN, INFINITY, -INFINITY};

/* All three ray queries refuse it alike and write nothing. */
static void refuse_ray(const mo_ray_def *ray, mo_result expected, int line) {
  mo_ray_hit hit, before;
  memset(&hit, 0x11, sizeof hit);
  before = hit;
  bool any = true;
  uint32_t total = 99;
  mo_query_stats stats = {0}, no_stats = {0};
  mo_result result = mo_scene_cast_ray(scene, ray, &hit, &stats);
  cr_assert_eq(result, expected, "case %d: %s", line, mo_result_name(result));
  cr_assert_eq(mo_scene_test_ray(scene, ray, &any, &stats), expected, "case %d", line);
  cr_assert_eq(mo_scene_cast_ray_all(scene, ray, &hit, 1, &total, &stats), expected, "case %d",
               line);
  cr_assert(memcmp(&hit, &before, sizeof hit) == 0 && any && total == 99, "case %d", line);
  cr_assert(memcmp(&stats, &no_stats, sizeof stats) == 0, "case %d", line);
}

Test(query_errors, rays) {
  mo_ray_def good = mo_default_ray_def();
  good.direction = (mo_vec3){1, 0, 0};
  for (uint32_t i = 0; i < SAMPLE_BAD_RAYS; i++) {
    mo_ray_def ray = good;
    mo_result expected;
    sample_bad_ray(i, &ray, &expected);
    refuse_ray(&ray, expected, i);
  }
  mo_ray_hit hit;
  bool any;
  uint32_t total;
  const mo_result null = MO_ERROR_NULL_ARGUMENT;
  cr_assert_eq(mo_scene_cast_ray(NULL, &good, &hit, NULL), null);
  cr_assert_eq(mo_scene_cast_ray(scene, NULL, &hit, NULL), null);
  cr_assert_eq(mo_scene_cast_ray(scene, &good, NULL, NULL), null);
  cr_assert_eq(mo_scene_test_ray(NULL, &good, &any, NULL), null);
  cr_assert_eq(mo_scene_test_ray(scene, NULL, &any, NULL), null);
  cr_assert_eq(mo_scene_test_ray(scene, &good, NULL, NULL), null);
  cr_assert_eq(mo_scene_cast_ray_all(NULL, &good, NULL, 0, &total, NULL), null);
  cr_assert_eq(mo_scene_cast_ray_all(scene, NULL, NULL, 0, &total, NULL), null);
  cr_assert_eq(mo_scene_cast_ray_all(scene, &good, NULL, 1, &total, NULL), null);
  cr_assert_eq(mo_scene_cast_ray_all(scene, &good, &hit, 1, NULL, NULL), null);
}

Test(query_errors, boxes) {
  mo_shape_id ids[4] = {{9, 9}};
  mo_triangle_ref refs[4] = {{{9, 9}, 9, 0}};
  uint32_t total = 99;
  mo_aabb good = {{0, 0, 0}, {1, 1, 1}};
  for (int i = 0; i < 24; i++) {
    mo_aabb box = good;
    ((float *)&box)[i % 6] = i < 18 ? bad_number[i / 6] : i % 6 < 3 ? -2e30f : 2e30f;
    mo_result expected = i < 18 ? MO_ERROR_NOT_FINITE : MO_ERROR_OUT_OF_RANGE;
    cr_assert_eq(mo_scene_overlap_shapes(scene, IN_AABB(box, NULL), ids, 4, &total, NULL),
                 expected);
    cr_assert_eq(mo_scene_overlap_triangles(scene, IN_AABB(box, NULL), refs, 4, &total, NULL),
                 expected);
  }
  mo_aabb turned = {{0, 2, 0}, {1, 1, 1}};
  mo_overlap_def bad = mo_default_overlap_def();
  bad.precision = (mo_precision)2;
  const mo_result invalid = MO_ERROR_INVALID_ARGUMENT, null = MO_ERROR_NULL_ARGUMENT;
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_AABB(turned, NULL), ids, 4, &total, NULL),
               invalid);
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_AABB(good, &bad), ids, 4, &total, NULL), invalid);
  cr_assert_eq(mo_scene_overlap_shapes(NULL, IN_AABB(good, NULL), ids, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, NULL, ids, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_AABB(good, NULL), NULL, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_AABB(good, NULL), ids, 4, NULL, NULL), null);
  cr_assert_eq(mo_scene_overlap_triangles(NULL, IN_AABB(good, NULL), refs, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_triangles(scene, NULL, refs, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_triangles(scene, IN_AABB(good, NULL), NULL, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_triangles(scene, IN_AABB(good, NULL), refs, 4, NULL, NULL), null);
  cr_assert(total == 99 && ids[0].index == 9 && refs[0].triangle == 9);
}

Test(query_errors, balls_and_points) {
  mo_shape_id ids[4] = {{9, 9}};
  mo_triangle_ref refs[4] = {{{9, 9}, 9, 0}};
  uint32_t total = 99;
  const mo_sphere good = {{0, 0, 0}, 1};
  for (int i = 0; i < 12; i++) {
    mo_sphere sphere = good;
    ((float *)&sphere)[i % 4] = bad_number[i / 4];
    cr_assert_eq(mo_scene_overlap_shapes(scene, IN_SPHERE(sphere, NULL), ids, 4, &total, NULL),
                 MO_ERROR_NOT_FINITE);
    cr_assert_eq(mo_scene_overlap_triangles(scene, IN_SPHERE(sphere, NULL), refs, 4, &total, NULL),
                 MO_ERROR_NOT_FINITE);
    if (i % 4 < 3) {
      cr_assert_eq(
          mo_scene_overlap_shapes(scene, AT_POINT(sphere.center, NULL), ids, 4, &total, NULL),
          MO_ERROR_NOT_FINITE);
    }
  }
  const mo_sphere negative = {{0, 0, 0}, -1}, far = {{0, 2e30f, 0}, 1}, wide = {{0, 0, 0}, 2e30f};
  const mo_result invalid = MO_ERROR_INVALID_ARGUMENT, null = MO_ERROR_NULL_ARGUMENT;
  const mo_result range = MO_ERROR_OUT_OF_RANGE;
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_SPHERE(negative, NULL), ids, 4, &total, NULL),
               invalid);
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_SPHERE(far, NULL), ids, 4, &total, NULL), range);
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_SPHERE(wide, NULL), ids, 4, &total, NULL), range);
  cr_assert_eq(mo_scene_overlap_shapes(scene, AT_POINT(far.center, NULL), ids, 4, &total, NULL),
               range);
  cr_assert_eq(mo_scene_overlap_shapes(NULL, IN_SPHERE(good, NULL), ids, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, NULL, ids, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_SPHERE(good, NULL), NULL, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, IN_SPHERE(good, NULL), ids, 4, NULL, NULL), null);
  cr_assert_eq(mo_scene_overlap_triangles(scene, NULL, refs, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_overlap_shapes(NULL, AT_POINT(good.center, NULL), ids, 4, &total, NULL),
               null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, AT_POINT(good.center, NULL), NULL, 4, &total, NULL),
               null);
  cr_assert_eq(mo_scene_overlap_shapes(scene, AT_POINT(good.center, NULL), ids, 4, NULL, NULL),
               null);
  cr_assert(total == 99 && ids[0].index == 9 && refs[0].triangle == 9);
}

Test(query_errors, planes) {
  mo_cull_result found[4] = {{{9, 9}, true}};
  mo_plane planes[MO_MAX_PLANES + 1] = {{{0, 0, 0}, 0}};
  uint32_t total = 99;
  for (int i = 0; i < 12; i++) {
    mo_plane plane = {{1, 0, 0}, 1};
    ((float *)&plane)[i % 4] = bad_number[i / 4];
    cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(&plane, 1, NULL), found, 4, &total, NULL),
                 MO_ERROR_NOT_FINITE);
  }
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(planes, MO_MAX_PLANES + 1, NULL), found, 4,
                                    &total, NULL),
               MO_ERROR_INVALID_ARGUMENT);
  const mo_result null = MO_ERROR_NULL_ARGUMENT;
  cr_assert_eq(mo_scene_cull_planes(NULL, OF_PLANES(planes, 1, NULL), found, 4, &total, NULL),
               null);
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(NULL, 1, NULL), found, 4, &total, NULL), null);
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(planes, 1, NULL), NULL, 4, &total, NULL),
               null);
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(planes, 1, NULL), found, 4, NULL, NULL), null);
  cr_assert(total == 99 && found[0].shape.index == 9);
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(NULL, 0, NULL), found, 4, &total, NULL),
               MO_OK);
  cr_assert_eq(total, 40, "no plane excludes anything");
  cr_assert(found[0].inside && found[0].shape.index == 0 && found[3].shape.index == 3);
}

static bool visit_none(const mo_cell *cell, void *context) {
  (void)cell;
  *(uint32_t *)context += 1;
  return true;
}

static bool visit_near(const mo_near_shape *shape, void *context) {
  (void)shape;
  *(uint32_t *)context += 1;
  return true;
}

Test(query_errors, cells) {
  mo_aabb good = {{0, 0, 0}, {1, 1, 1}}, bad = {{0, 0, 0}, {1, NAN, 1}};
  mo_aabb turned = {{0, 0, 5}, {1, 1, 1}};
  mo_shape_id ids[8];
  uint32_t visits = 0;
  bool complete = true;
  const mo_result null = MO_ERROR_NULL_ARGUMENT;
#define VISIT(s, b, i, n, v, c)                                                                    \
  mo_scene_visit_cells(s, OF_CELLS(*b, NULL, false, i, n), v, &visits, c, NULL)
  cr_assert_eq(VISIT(NULL, &good, ids, 8, visit_none, &complete), null);
  cr_assert_eq(mo_scene_visit_cells(scene, NULL, visit_none, &visits, &complete, NULL), null);
  cr_assert_eq(VISIT(scene, &good, NULL, 8, visit_none, &complete), null);
  cr_assert_eq(VISIT(scene, &good, ids, 8, NULL, &complete), null);
  cr_assert_eq(VISIT(scene, &good, ids, 8, visit_none, NULL), null);
  cr_assert_eq(VISIT(scene, &bad, ids, 8, visit_none, &complete), MO_ERROR_NOT_FINITE);
  cr_assert_eq(VISIT(scene, &turned, ids, 8, visit_none, &complete), MO_ERROR_INVALID_ARGUMENT);
  cr_assert(visits == 0 && complete);
  cr_assert_eq(VISIT(scene, &good, NULL, 0, visit_none, &complete), MO_OK);
  cr_assert(visits > 0 && !complete);
#undef VISIT
}

Test(query_errors, sight_and_height) {
  const mo_vec3 good = {0, 0, 0}, far = {0, 0, 2e30f}, bad = {0, NAN, 0}, zero = {0, 0, 0};
  const mo_vec3 up = {0, 0, 1};
  bool visible = true;
  mo_ground ground;
  memset(&ground, 0x11, sizeof ground);
  const mo_result null = MO_ERROR_NULL_ARGUMENT, finite = MO_ERROR_NOT_FINITE;
  cr_assert_eq(mo_scene_line_of_sight(NULL, good, up, NULL, &visible, NULL), null);
  cr_assert_eq(mo_scene_line_of_sight(scene, good, up, NULL, NULL, NULL), null);
  cr_assert_eq(mo_scene_line_of_sight(scene, bad, up, NULL, &visible, NULL), finite);
  cr_assert_eq(mo_scene_line_of_sight(scene, good, bad, NULL, &visible, NULL), finite);
  cr_assert_eq(mo_scene_line_of_sight(scene, far, up, NULL, &visible, NULL), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_scene_line_of_sight(scene, good, far, NULL, &visible, NULL),
               MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_scene_height_below(NULL, good, up, NULL, &ground, NULL), null);
  cr_assert_eq(mo_scene_height_below(scene, good, up, NULL, NULL, NULL), null);
  cr_assert_eq(mo_scene_height_below(scene, bad, up, NULL, &ground, NULL), finite);
  cr_assert_eq(mo_scene_height_below(scene, good, bad, NULL, &ground, NULL), finite);
  cr_assert_eq(mo_scene_height_below(scene, good, zero, NULL, &ground, NULL),
               MO_ERROR_INVALID_ARGUMENT);
  cr_assert(visible && ground.hit.triangle == 0x11111111u);
}

/* embree#541 and others: no query allocates, in a scene of any kind. */
Test(query_errors, queries_do_not_allocate) {
  static test_scene random;
  rng r = rng_make(rng_seed("query_errors/allocate", 101));
  test_scene_make(&random, TEST_SCENE_PLAIN, 200, &r);
  counting_allocator_fail_at(&random.family.counter, 1, true);
  for (int i = 0; i < 200; i++) {
    sample_target target = test_scene_target(&random, &r);
    mo_ray_def ray = sample_any_ray(&r, &target);
    mo_aabb box = sample_box(&r, &target);
    mo_sphere ball = sample_sphere(&r, &target);
    mo_plane planes[8];
    uint32_t plane_count = sample_planes(&r, &target, planes), total, visits = 0;
    mo_ray_hit hits[16];
    mo_shape_id ids[16];
    mo_triangle_ref refs[16];
    mo_cull_result culled[16];
    bool flag;
    for (uint32_t j = 0; j < random.family.count; j++) {
      const mo_scene *s = random.family.scenes[j];
      cr_assert_eq(mo_scene_cast_ray(s, &ray, hits, NULL), MO_OK);
      cr_assert_eq(mo_scene_test_ray(s, &ray, &flag, NULL), MO_OK);
      cr_assert_eq(mo_scene_cast_ray_all(s, &ray, hits, 16, &total, NULL), MO_OK);
      cr_assert_eq(mo_scene_overlap_shapes(s, IN_AABB(box, NULL), ids, 16, &total, NULL), MO_OK);
      cr_assert_eq(mo_scene_overlap_shapes(s, IN_SPHERE(ball, NULL), ids, 16, &total, NULL), MO_OK);
      cr_assert_eq(mo_scene_overlap_shapes(s, AT_POINT(ball.center, NULL), ids, 16, &total, NULL),
                   MO_OK);
      cr_assert_eq(mo_scene_overlap_triangles(s, IN_AABB(box, NULL), refs, 16, &total, NULL),
                   MO_OK);
      cr_assert_eq(mo_scene_overlap_triangles(s, IN_SPHERE(ball, NULL), refs, 16, &total, NULL),
                   MO_OK);
      cr_assert_eq(
          mo_scene_cull_planes(s, OF_PLANES(planes, plane_count, NULL), culled, 16, &total, NULL),
          MO_OK);
      cr_assert_eq(mo_scene_visit_cells(s, OF_CELLS(box, NULL, true, ids, 16), visit_none, &visits,
                                        &flag, NULL),
                   MO_OK);
      mo_near_def from = mo_default_near_def();
      from.from = box;
      mo_near_shape near[4];
      mo_pair pairs[4];
      cr_assert_eq(mo_scene_find_near(s, &from, near, 4, &total, NULL), MO_OK);
      cr_assert_eq(mo_scene_find_nearest(s, &from, near, 4, &total, NULL), MO_OK);
      cr_assert_eq(mo_scene_visit_nearest(s, &from, visit_near, &visits, NULL), MO_OK);
      cr_assert_eq(mo_scene_find_near_pairs(s, 1, NULL, pairs, 4, &total), MO_OK);
      mo_shape_def shape;
      cr_assert_eq(mo_scene_get_shape(s, random.ids[0], &shape), MO_OK);
      cr_assert_eq(mo_scene_shape_fits(s, OF_FIT(&shape, NULL), &flag, NULL), MO_OK);
    }
  }
  cr_assert_eq(random.family.counter.calls, 0);
  cr_assert(test_scene_free(&random));
}
