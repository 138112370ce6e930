/* The least signed distance of a scene, under every placement policy and instruction set, against a
 * loop over all shapes and triangles; winding numbers of closed meshes under transforms against
 * solid angles in long double. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <string.h>

#include "oracle/signed.h"
#include "support/scenes.h"

static test_scene scene;

static void check(const mo_closest_def *def) {
  oracle_signed expected = oracle_scene_signed(&scene.oracle, def);
  for (uint32_t i = 0; i < scene.family.count; i++) {
    mo_closest_hit hit;
    memset(&hit, 0x55, sizeof hit);
    cr_assert_eq(mo_scene_signed_distance(scene.family.scenes[i], def, &hit, NULL), MO_OK);
    cr_assert_eq(hit.found, expected.shape != NULL);
    if (!hit.found) {
      continue;
    }
    cr_assert(hit.distance == expected.distance && hit.shape.index == expected.shape->id.index &&
                  hit.triangle == expected.triangle,
              "%s, %s: %a of shape %u, triangle %u, not %a of shape %u, triangle %u",
              test_scene_kind_name(scene.kind), scene.family.names[i], (double)hit.distance,
              hit.shape.index, hit.triangle, (double)expected.distance, expected.shape->id.index,
              expected.triangle);
    cr_assert_eq(hit.user_data, expected.shape->def.user_data);
    cr_assert(memcmp(&hit.from, &def->point, sizeof hit.from) == 0);
  }
}

Test(scene_signed, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 8, 40, 120};
  rng r = rng_make(rng_seed("scene_signed/brute force", 305));
  uint64_t rounds = rng_rounds(5, 300);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        mo_closest_def def = mo_default_closest_def();
        sample_target target = test_scene_target(&scene, &r);
        def.point = sample_point(&r, &target);
        def.filter = test_scene_filter(&scene, &r);
        def.hit_volumes = rng_below(&r, 2);
        check(&def);
        oracle_signed min = oracle_scene_signed(&scene.oracle, &def);
        if (min.shape != NULL) {
          def.max_distance = fmaxf(min.distance, 0); /* at the limit itself */
          check(&def);
          def.filter.ignore = min.shape->id;
          def.max_distance = INFINITY;
          check(&def);
        }
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* Closed meshes in the world: turned, scaled, sheared, mirrored, flat, far away. */
Test(scene_signed, insides_are_where_solid_angles_say) {
  rng r = rng_make(rng_seed("scene_signed/solid angles", 306));
  uint64_t inside = 0, outside = 0;
  for (uint64_t i = 0, n = rng_rounds(60, 3000); i < n; i++) {
    static const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_SPIKES, TEST_MESH_LATTICE,
                                           TEST_MESH_FAN};
    test_mesh made = test_mesh_make(kinds[rng_below(&r, 4)], 100, &r);
    mo_mesh *mesh = test_mesh_build(&made);
    mo_scene *subject = test_scene_empty();
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    mo_shape_id id;
    def.geometry.mesh = mesh;
    def.transform = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TINY), 10);
    cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
    oracle_scene oracle = {0};
    oracle_scene_read(&oracle, subject);
    for (int k = 0; k < 20; k++) {
      mo_closest_def closest = mo_default_closest_def();
      closest.point = rng_point_in(&r, oracle.shapes[0].bounds);
      mo_closest_hit hit;
      cr_assert_eq(mo_scene_signed_distance(subject, &closest, &hit, NULL), MO_OK);
      long double angle = oracle_solid_angle(&oracle.meshes[0], &oracle.shapes[0], closest.point);
      if (hit.distance != 0 && isfinite((double)angle) && fabsl(angle - roundl(angle)) < 1e-6L) {
        cr_assert_eq(hit.distance < 0, roundl(angle) != 0, "%s: %Lg, %g", made.name, angle,
                     (double)hit.distance);
        inside += hit.distance < 0;
        outside += hit.distance > 0;
        mo_closest_hit nearer; /* on the way to the surface, which is along the normal */
        float step = hit.distance < 0 ? 1e-2f : -1e-2f, moved = step * fabsf(hit.distance);
        closest.point = mo_add(closest.point, mo_scale(moved, hit.normal));
        cr_assert_eq(mo_scene_signed_distance(subject, &closest, &nearer, NULL), MO_OK);
        cr_assert(fabsf(nearer.distance - hit.distance - moved) <=
                      1e-6f * (mo_max_magnitude(closest.point) + fabsf(hit.distance)),
                  "%g, %g", (double)hit.distance, (double)nearer.distance);
      }
    }
    oracle_scene_free(&oracle);
    mo_scene_destroy(subject);
    mo_mesh_release(mesh);
    test_mesh_free(&made);
  }
  cr_assert(inside > 100 && outside > 100);
}

Test(scene_signed, deepest_of_several) {
  mo_scene *subject = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_shape_id small, large;
  def.geometry.sphere = (mo_sphere){{0, 0, 0}, 1};
  cr_assert_eq(mo_scene_add_shape(subject, &def, &small), MO_OK);
  def.geometry.sphere = (mo_sphere){{2, 0, 0}, 4};
  cr_assert_eq(mo_scene_add_shape(subject, &def, &large), MO_OK);
  mo_closest_def at = mo_default_closest_def();
  mo_closest_hit hit;
  at.point = (mo_vec3){-0.5f, 0, 0};
  cr_assert_eq(mo_scene_signed_distance(subject, &at, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == large.index && hit.distance == -1.5f &&
            hit.normal.x == -1 && hit.point.x == -2);
  at.point = (mo_vec3){-3, 0, 0};
  cr_assert_eq(mo_scene_signed_distance(subject, &at, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == large.index && hit.distance == 1);
  at.max_distance = 0.5f;
  cr_assert_eq(mo_scene_signed_distance(subject, &at, &hit, NULL), MO_OK);
  cr_assert_not(hit.found);
  mo_scene_destroy(subject);
}

/* The depth in a round solid is found by rounding steps, but never said to be larger than the
 * distance from the sides of the solid's box; on a side there is none. */
Test(scene_signed, depths_end_at_the_sides_of_boxes) {
  rng r = rng_make(rng_seed("scene_signed/sides", 306));
  mo_scene *subject = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
  uint32_t inside = 0;
  for (uint64_t i = 0; i < rng_rounds(20000, 1000000); i++) {
    mo_geometry ball = {.type = MO_SHAPE_SPHERE,
                        .sphere = {rng_vec3(&r, 0, 1), rng_float(&r, 0.1f, 1)}};
    mo_aabb box;
    cr_assert_eq(mo_scene_set_geometry(subject, id, &ball), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(subject, id, &box), MO_OK);
    mo_closest_def at = mo_default_closest_def();
    at.point = ball.sphere.center;
    at.point.x = i % 2 ? box.lower.x : box.upper.x;
    at.point.x = nextafterf(at.point.x, rng_chance(&r, 0.5) ? at.point.x : ball.sphere.center.x);
    double side =
        fmin((double)at.point.x - (double)box.lower.x, (double)box.upper.x - (double)at.point.x);
    mo_closest_hit hit;
    cr_assert_eq(mo_scene_signed_distance(subject, &at, &hit, NULL), MO_OK);
    cr_assert_leq((double)-hit.distance, side, "%a, not %a", (double)-hit.distance, side);
    inside += hit.distance < 0;
  }
  cr_assert_gt(inside, 1000);
  mo_scene_destroy(subject);
}
