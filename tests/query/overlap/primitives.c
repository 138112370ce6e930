/* Overlap with convex primitives that are in no scene, of shapes and of triangles, and the queries
 * that only say whether there is one: against a loop over all shapes and triangles with
 * mo_primitive_overlap, in scenes of every kind, by every placement policy and instruction set. */
#include <criterion/criterion.h>
#include <motte/overlap.h>
#include <stdlib.h>
#include <string.h>

#include "query/overlap/shapes.h"
#include "support/defs.h"
#include "support/scenes.h"

enum { MAX = 4000 };

static test_scene scene;

/* Shapes of all types but meshes, points, segments and triangles; often right at a shape. */
static mo_primitive some_primitive(rng *r) {
  sample_target target = test_scene_target(&scene, r);
  if (rng_chance(r, 0.15)) {
    return sample_half_space(r, &target);
  }
  mo_transform transform = test_scene_transform(&scene, r);
  if (rng_chance(r, 0.7)) {
    transform.origin = sample_point(r, &target);
  }
  mo_geometry geometry = test_scene_geometry(&scene, r);
  if (geometry.type != MO_SHAPE_MESH) {
    return mo_primitive_of_geometry(&geometry, &transform);
  }
  mo_vec3 a = sample_point(r, &target), b = sample_point(r, &target), c = target.corners[0];
  switch (rng_below(r, 3)) {
  case 0:
    return mo_primitive_of_point(rng_chance(r, 0.5) ? a : c);
  case 1:
    return mo_primitive_of_segment(a, rng_chance(r, 0.5) ? b : c);
  default:
    return mo_primitive_of_triangle(a, b, c);
  }
}

static bool overlap(const mo_primitive *a, const mo_primitive *b) {
  bool answer = false;
  mo_result result = mo_primitive_overlap(a, b, &answer);
  cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE, "%s", mo_result_name(result));
  return answer;
}

/* A mesh is its triangles; by bounds, every shape is the box it is stored under. */
static uint32_t touched_triangles(const oracle_shape *shape, const mo_primitive *primitive,
                                  uint32_t *triangles) {
  const oracle_mesh *mesh = &scene.oracle.meshes[shape->mesh];
  uint32_t count = 0;
  for (uint32_t i = 0; i < mesh->count; i++) {
    const mo_primitive triangle = shape_triangle(&scene, shape, i);
    if (overlap(primitive, &triangle)) {
      triangles[count++] = i;
    }
  }
  return count;
}

static bool touches(const oracle_shape *shape, const mo_primitive *primitive,
                    mo_precision precision) {
  static uint32_t triangles[MAX];
  if (precision == MO_PRECISION_GEOMETRY && shape->def.geometry.type == MO_SHAPE_MESH) {
    return touched_triangles(shape, primitive, triangles) > 0;
  }
  const mo_primitive other = shape_primitive(shape, precision);
  return overlap(primitive, &other);
}

static void check(const mo_overlap_def *def) {
  static mo_shape_id expected[MAX], shapes[MAX];
  static mo_triangle_ref expected_triangles[MAX], triangles[MAX];
  uint32_t count = 0, triangle_count = 0, total;
  for (uint32_t i = 0; i < scene.oracle.shape_count; i++) {
    const oracle_shape *shape = &scene.oracle.shapes[i];
    if (!oracle_filter_passes(&def->filter, shape)) {
      continue;
    }
    if (touches(shape, &def->primitive, def->precision)) {
      expected[count++] = shape->id;
    }
    if (shape->def.geometry.type == MO_SHAPE_MESH) {
      static uint32_t of_shape[MAX];
      uint32_t more = touched_triangles(shape, &def->primitive, of_shape);
      for (uint32_t k = 0; k < more && triangle_count < MAX; k++) {
        expected_triangles[triangle_count++] = (mo_triangle_ref){shape->id, of_shape[k], 0};
      }
    }
  }
  for (uint32_t i = 0; i < scene.family.count; i++) {
    const mo_scene *subject = scene.family.scenes[i];
    bool found;
    cr_assert_eq(mo_scene_overlap_shapes(subject, def, shapes, MAX, &total, NULL), MO_OK);
    cr_assert_eq(total, count, "%s: %u shapes, not %u", test_scene_kind_name(scene.kind), total,
                 count);
    cr_assert(memcmp(shapes, expected, count * sizeof *shapes) == 0);
    cr_assert_eq(mo_scene_test_overlap(subject, def, &found, NULL), MO_OK);
    cr_assert_eq(found, count > 0);
    cr_assert_eq(mo_scene_overlap_triangles(subject, def, triangles, MAX, &total, NULL), MO_OK);
    cr_assert_eq(total, triangle_count, "%s: %u triangles, not %u",
                 test_scene_kind_name(scene.kind), total, triangle_count);
    for (uint32_t k = 0; k < triangle_count; k++) {
      cr_assert(triangles[k].triangle == expected_triangles[k].triangle &&
                triangles[k].shape.index == expected_triangles[k].shape.index);
    }
    uint32_t few = count / 2;
    cr_assert_eq(mo_scene_overlap_shapes(subject, def, shapes, few, &total, NULL), MO_OK);
    cr_assert(total == count && memcmp(shapes, expected, few * sizeof *shapes) == 0);
  }
}

Test(overlap_primitives, as_brute_force) {
  static const uint32_t sizes[] = {0, 6, 40};
  rng r = rng_make(rng_seed("overlap_primitives/brute force", 281));
  uint64_t rounds = rng_rounds(6, 400);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        mo_overlap_def def = mo_overlap_primitive_def(some_primitive(&r));
        uint32_t total;
        mo_result result =
            mo_scene_overlap_shapes(scene.family.scenes[0], &def, NULL, 0, &total, NULL);
        if (result == MO_ERROR_OUT_OF_RANGE) {
          continue; /* its transform takes it too far */
        }
        def.filter = test_scene_filter(&scene, &r);
        def.precision = (mo_precision)rng_below(&r, 2);
        check(&def);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* Each region finds what its list has. */
Test(overlap_primitives, tests_agree_with_lists) {
  rng r = rng_make(rng_seed("overlap_primitives/tests", 282));
  test_scene_make(&scene, TEST_SCENE_PLAIN, 30, &r);
  uint32_t hits = 0, rounds = (uint32_t)rng_rounds(200, 20000);
  for (uint32_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, &r);
    mo_vec3 point = sample_point(&r, &target);
    mo_overlap_def defs[3] = {mo_overlap_point_def(point),
                              mo_overlap_sphere_def((mo_sphere){point, rng_float(&r, 0, 1)}),
                              mo_overlap_aabb_def(sample_box(&r, &target))};
    for (int k = 0; k < 3; k++) {
      defs[k].filter = test_scene_filter(&scene, &r);
      defs[k].precision = (mo_precision)rng_below(&r, 2);
      for (uint32_t s = 0; s < scene.family.count; s++) {
        uint32_t total;
        bool found;
        const mo_scene *subject = scene.family.scenes[s];
        cr_assert_eq(mo_scene_overlap_shapes(subject, &defs[k], NULL, 0, &total, NULL), MO_OK);
        cr_assert_eq(mo_scene_test_overlap(subject, &defs[k], &found, NULL), MO_OK);
        cr_assert_eq(found, total > 0);
        hits += found;
      }
    }
  }
  cr_assert(hits > 0 && hits < 3 * rounds * scene.family.count);
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}

/* One mesh alone, and a test that ends early. */
Test(overlap_primitives, by_hand) {
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = 4;
  def.indices = indices;
  def.triangle_count = 2;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  uint32_t found[2], total;
  mo_primitive point = mo_primitive_of_point((mo_vec3){0.75f, 0.25f, 0});
  cr_assert_eq(mo_mesh_overlap_primitive(mesh, &point, found, 2, &total, NULL), MO_OK);
  cr_assert(total == 1 && found[0] == 0);
  mo_primitive segment =
      mo_primitive_of_segment((mo_vec3){0.5f, 0.5f, -1}, (mo_vec3){0.5f, 0.5f, 1});
  cr_assert_eq(mo_mesh_overlap_primitive(mesh, &segment, found, 2, &total, NULL), MO_OK);
  cr_assert(total == 2 && found[0] == 0 && found[1] == 1);
  mo_geometry capsule = {.type = MO_SHAPE_CAPSULE, .capsule = {{0, 0, 0}, {0, 0, 4}, 0.5f}};
  mo_transform beside = mo_transform_identity();
  beside.origin = (mo_vec3){-0.25f, 1.25f, 0.25f};
  mo_primitive thick = mo_primitive_of_geometry(&capsule, &beside);
  cr_assert_eq(mo_mesh_overlap_primitive(mesh, &thick, found, 2, &total, NULL), MO_OK);
  cr_assert(total == 1 && found[0] == 1);
  mo_mesh_release(mesh);
}

/* Points as close to the plane of a half-space as their coordinates in floats are, at any place of
 * a large scene: the tree skips none of those that overlap. */
Test(overlap_primitives, at_the_plane_of_a_half_space) {
  enum { POINTS = 400 };
  rng r = rng_make(rng_seed("overlap_primitives/plane", 234));
  uint32_t touched = 0;
  for (int round = 0; round < 20; round++) {
    const float size = ldexpf(1, round - 4);
    const mo_primitive half_space =
        mo_primitive_of_half_space(rng_direction(&r), size * rng_float(&r, -1, 1));
    const mo_vec3 n = half_space.half_space.normal;
    mo_scene *subject = test_scene_empty();
    static mo_primitive points[POINTS];
    static mo_shape_id ids[POINTS], found[POINTS];
    for (int i = 0; i < POINTS; i++) {
      const mo_vec3 p = rng_vec3(&r, -size, size);
      const double square = (double)n.x * n.x + (double)n.y * n.y + (double)n.z * n.z,
                   height = (double)n.x * p.x + (double)n.y * p.y + (double)n.z * p.z -
                            (double)half_space.half_space.offset,
                   by = -height / square;
      mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
      def.geometry.sphere.radius = 0;
      def.transform.origin =
          (mo_vec3){(float)(p.x + by * n.x), (float)(p.y + by * n.y), (float)(p.z + by * n.z)};
      points[i] = mo_primitive_of_geometry(&def.geometry, &def.transform);
      cr_assert_eq(mo_scene_add_shape(subject, &def, &ids[i]), MO_OK);
    }
    cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
    const mo_overlap_def def = mo_overlap_primitive_def(half_space);
    uint32_t total, next = 0;
    cr_assert_eq(mo_scene_overlap_shapes(subject, &def, found, POINTS, &total, NULL), MO_OK);
    for (uint32_t i = 0; i < POINTS; i++) {
      const bool is_found = next < total && found[next].index == ids[i].index;
      cr_assert_eq(is_found, overlap(&half_space, &points[i]), "round %d, point %u", round, i);
      next += is_found;
      touched += is_found;
    }
    mo_scene_destroy(subject);
  }
  cr_assert(touched > 2000 && touched < 6000, "%u", touched);
}
