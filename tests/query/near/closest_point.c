/* The closest point of a scene, under every placement policy and instruction set, against a loop
 * over all shapes and triangles. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>

#include "support/check.h"
#include "support/defs.h"
#include "support/scenes.h"

static test_scene scene;

static void check(const mo_closest_def *def) {
  cr_assert(
      check_scene_closest(test_scene_subjects(&scene), scene.family.count, &scene.oracle, def),
      "%s: %s", test_scene_kind_name(scene.kind), check_why());
}

static mo_vec3 any_point(rng *r) {
  sample_target target = test_scene_target(&scene, r);
  mo_vec3 point = sample_point(r, &target);
  if (rng_chance(r, 0.1)) { /* far away, where distances are nearly the same */
    float far = fminf(ldexpf(scene.spread, (int)rng_below(r, 30)), 1e29f);
    point = rng_vec3(r, -far, far);
  }
  return point;
}

static void check_rounds(uint64_t rounds, rng *r) {
  for (uint64_t i = 0; i < rounds; i++) {
    mo_closest_def def = mo_default_closest_def();
    def.point = any_point(r);
    def.filter = test_scene_filter(&scene, r);
    def.hit_volumes = rng_below(r, 2);
    check(&def);
    oracle_closest closest = oracle_scene_closest(&scene.oracle, &def);
    if (closest.shape != NULL) {
      def.max_distance = closest.distance; /* at the limit itself */
      check(&def);
      def.max_distance = nextafterf(closest.distance, 0);
      check(&def);
      def.filter.ignore = closest.shape->id;
      def.max_distance = INFINITY;
      check(&def);
    }
  }
}

Test(scene_closest_point, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 6, 40, 150};
  rng r = rng_make(rng_seed("scene_closest_point/brute force", 261));
  uint64_t rounds = rng_few_rounds(10, 600);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      check_rounds(rounds, &r);
      /* After changes, before and after the update. */
      for (uint32_t k = 0; k < scene.count; k++) {
        mo_transform transform = test_scene_transform(&scene, &r);
        mo_shape_id id = scene.ids[rng_below(&r, scene.count)];
        oracle_expect(scene_family_move(&scene.family, id, &transform), "a move");
      }
      oracle_scene_read(&scene.oracle, scene.family.scenes[0]);
      check_rounds(rounds / 4, &r);
      scene_family_update(&scene.family);
      oracle_scene_read(&scene.oracle, scene.family.scenes[0]);
      check_rounds(rounds / 4, &r);
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

static mo_shape_id add(mo_scene *to, mo_shape_def def) {
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(to, &def, &id), MO_OK);
  return id;
}

static mo_closest_hit closest(const mo_scene *of, mo_vec3 point) {
  mo_closest_def def = mo_default_closest_def();
  mo_closest_hit hit;
  def.point = point;
  cr_assert_eq(mo_scene_closest_point(of, &def, &hit, NULL), MO_OK);
  return hit;
}

/* Distances are the world's, whatever a transform does to them. */
Test(scene_closest_point, measures_in_the_world) {
  mo_mesh *mesh = test_mesh_build_square(0, 1);
  mo_scene *subject = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  def.transform = (mo_transform){{10, 0, 0}, {30, 1, 0}, {0, 0, -0.001f}, {0, 0, 5}};
  add(subject, def);
  mo_closest_hit hit = closest(subject, (mo_vec3){22, 0.5f, 8});
  cr_assert(hit.found && hit.triangle == 0 && hit.distance == 3 && hit.point.z == 5 &&
            hit.normal.z == 1 && hit.feature == MO_FEATURE_FACE);
  /* The same triangle flattened to the segment from 0 to x = 40. */
  def.transform = (mo_transform){{10, 0, 0}, {30, 0, 0}, {0, 0, 0}, {0, 0, 500}};
  add(subject, def);
  hit = closest(subject, (mo_vec3){45, 0, 512});
  cr_assert(hit.found && hit.shape.index == 1 && hit.distance == 13 && hit.point.x == 40);
  mo_scene_destroy(subject);
  mo_mesh_release(mesh);
}

Test(scene_closest_point, ties_go_to_the_lower_shape) {
  mo_mesh *mesh = test_mesh_build_square(0, 1);
  mo_scene *subject = test_scene_empty();
  mo_shape_def box = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_def square = mo_default_shape_def(MO_SHAPE_MESH);
  square.geometry.mesh = mesh;
  mo_shape_id ids[6];
  for (int i = 0; i < 6; i++) { /* all 2 below the point */
    mo_shape_def def = i % 2 ? square : box;
    def.transform.origin.x = def.transform.origin.y = 0.25f;
    def.transform.origin.z = i % 2 ? 1.0f : 0.0f; /* boxes reach as far up */
    ids[i] = add(subject, def);
  }
  for (int i = 0; i < 6; i++) {
    mo_closest_hit hit = closest(subject, (mo_vec3){0.5f, 0.5f, 3});
    cr_assert(hit.found && hit.shape.index == ids[i].index && hit.distance == 2, "%d", i);
    cr_assert_eq(hit.triangle, i % 2 ? 0 : MO_NO_TRIANGLE);
    cr_assert_eq(mo_scene_remove_shape(subject, ids[i]), MO_OK);
  }
  cr_assert_not(closest(subject, (mo_vec3){0, 0, 0}).found);
  mo_scene_destroy(subject);
  mo_mesh_release(mesh);
}

/* At distance 0 exactly where a query by the point finds a solid. */
Test(scene_closest_point, inside_is_where_points_overlap) {
  rng r = rng_make(rng_seed("scene_closest_point/inside", 262));
  uint64_t inside = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    test_scene_make(&scene, (test_scene_kind)kind, 60, &r);
    mo_scene *subject = scene.family.scenes[0];
    for (uint32_t k = 0; k < scene.count; k++) { /* solids alone */
      mo_shape_def def;
      cr_assert_eq(mo_scene_get_shape(subject, scene.ids[k], &def), MO_OK);
      if (def.geometry.type == MO_SHAPE_MESH) {
        test_scene_remove(&scene, k--);
      }
    }
    for (uint64_t i = 0, n = rng_few_rounds(100, 5000); i < n; i++) {
      mo_closest_def def = mo_default_closest_def();
      sample_target target = test_scene_target(&scene, &r);
      def.point = sample_point(&r, &target);
      def.hit_volumes = true;
      mo_closest_hit hit;
      mo_shape_id first;
      uint32_t total;
      cr_assert_eq(mo_scene_closest_point(subject, &def, &hit, NULL), MO_OK);
      cr_assert_eq(
          mo_scene_overlap_shapes(subject, AT_POINT(def.point, NULL), &first, 1, &total, NULL),
          MO_OK);
      if (total > 0) {
        inside++;
        cr_assert(hit.found && hit.distance == 0 && hit.shape.index == first.index);
        cr_assert(mo_max_magnitude(hit.normal) == 0 &&
                  mo_max_magnitude(mo_sub(hit.point, def.point)) == 0);
      } else {
        cr_assert(!hit.found || hit.distance > 0);
      }
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert_gt(inside, 50);
}

/* Culling works: a few of many shapes. */
Test(scene_closest_point, visits_few_shapes) {
  enum { SIDE = 30 };
  mo_scene *subject = test_scene_of_balls(SIDE);
  rng r = rng_make(rng_seed("scene_closest_point/cost", 263));
  mo_query_stats stats = {0};
  for (int i = 0; i < 100; i++) {
    mo_closest_def def = mo_default_closest_def();
    def.point = rng_vec3(&r, 0, 3 * SIDE);
    def.point.z = 2;
    mo_closest_hit hit;
    cr_assert_eq(mo_scene_closest_point(subject, &def, &hit, &stats), MO_OK);
  }
  cr_assert_lt(stats.shape_count, 100 * 8);
  cr_assert_lt(stats.scene_node_count, 100 * 10);
  mo_scene_destroy(subject);
}

Test(scene_closest_point, refuses_bad_input) {
  mo_scene *subject = test_scene_empty();
  mo_closest_def good = mo_default_closest_def(), bad = good;
  mo_closest_hit hit;
  cr_assert_eq(mo_scene_closest_point(NULL, &good, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_closest_point(subject, NULL, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_closest_point(subject, &good, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  bad.max_distance = NAN;
  cr_assert_eq(mo_scene_closest_point(subject, &bad, &hit, NULL), MO_ERROR_NOT_FINITE);
  bad.max_distance = -1;
  cr_assert_eq(mo_scene_closest_point(subject, &bad, &hit, NULL), MO_ERROR_INVALID_ARGUMENT);
  bad = good;
  bad.point.x = 1e35f;
  cr_assert_eq(mo_scene_closest_point(subject, &bad, &hit, NULL), MO_ERROR_OUT_OF_RANGE);
  bad = good;
  bad.cookie = 0;
  cr_assert_eq(mo_scene_closest_point(subject, &bad, &hit, NULL), MO_ERROR_UNINITIALIZED_DEF);
  cr_assert_eq(mo_scene_closest_point(subject, &good, &hit, NULL), MO_OK);
  cr_assert_not(hit.found);
  mo_scene_destroy(subject);
}
