/* Every query on random scenes of all shapes and transforms, by every placement policy and
 * instruction set, against brute force. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "support/scenes.h"

static test_scene scene;

typedef void check_scene(rng *r, uint64_t rounds);

static void for_all_kinds(const char *name, uint64_t fixed_seed, uint64_t rounds,
                          check_scene *check) {
  static const uint32_t sizes[] = {0, 1, 5, 40, 250};
  rng r = rng_make(rng_seed(name, fixed_seed));
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      const char *corrupt = scene_family_validate(&scene.family);
      cr_assert_null(corrupt, "%s is corrupt", corrupt);
      check(&r, sizes[i] > 1 ? rounds : 1 + rounds / 8);
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* Lets rays pass through some triangles of some shapes. */
static bool accept_some(mo_triangle_ref ref, float t, void *context) {
  (void)context;
  return t >= 0 && (ref.triangle + ref.shape.index) % 3 != 0;
}

static void check_rays(rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_ray_def ray = sample_any_ray(r, &target);
    ray.filter = test_scene_filter(&scene, r);
    ray.hit_volumes = rng_below(r, 2);
    if (scene.count > 0 && rng_below(r, 4) == 0) {
      ray.ignore_triangle_shape = scene.ids[rng_below(r, scene.count)];
      ray.ignore_triangle = rng_below(r, 40);
    }
    ray.accept_triangle = i % 5 == 0 ? accept_some : NULL;
    cr_assert(check_scene_ray(test_scene_subjects(&scene), scene.family.count, &scene.oracle, &ray,
                              i % 4 ? CHECK_FAST : CHECK_FULL),
              "%s scene: %s", test_scene_kind_name(scene.kind), check_why());
  }
}

Test(scene_queries, rays_as_brute_force) {
  for_all_kinds("scene_queries/rays", 71, rng_few_rounds(60, 20000), check_rays);
}

/* Where axes differ, regions do too: sizes go with each axis of the target by itself, and one side
 * may lie at exactly 0. */
static float size_on_axis(float lower, float upper, rng *r) {
  return rng_below(r, 6) ? (upper - lower) * powf(10, rng_float(r, -6, 0)) : 0;
}

static void sides_on_axis(float lower, float upper, float at, rng *r, float *low, float *high) {
  float half = size_on_axis(lower, upper, r);
  *low = rng_below(r, 6) ? at - half : fminf(at - half, 0);
  *high = rng_below(r, 6) ? at + half : fmaxf(*low, 0);
}

static mo_aabb uneven_box(const sample_target *target, rng *r) {
  mo_vec3 at = target->corners[rng_below(r, 3)], l = target->bounds.lower, u = target->bounds.upper;
  mo_aabb box;
  sides_on_axis(l.x, u.x, at.x, r, &box.lower.x, &box.upper.x);
  sides_on_axis(l.y, u.y, at.y, r, &box.lower.y, &box.upper.y);
  sides_on_axis(l.z, u.z, at.z, r, &box.lower.z, &box.upper.z);
  return box;
}

/* A ball that just reaches a corner along one axis, or just does not. */
static mo_sphere uneven_ball(const sample_target *target, rng *r) {
  mo_sphere ball = {target->corners[rng_below(r, 3)], 0};
  uint32_t axis = rng_below(r, 3);
  float *at = axis == 0 ? &ball.center.x : axis == 1 ? &ball.center.y : &ball.center.z;
  float lower = axis == 0   ? target->bounds.lower.x
                : axis == 1 ? target->bounds.lower.y
                            : target->bounds.lower.z;
  float upper = axis == 0   ? target->bounds.upper.x
                : axis == 1 ? target->bounds.upper.y
                            : target->bounds.upper.z;
  float corner = *at;
  *at += (rng_below(r, 2) ? 1.0f : -1.0f) * size_on_axis(lower, upper, r);
  ball.radius =
      fabsf(*at - corner) * (1 - ldexpf((float)rng_below(r, 3) - 1, -(int)rng_below(r, 24)));
  ball.radius = fminf(fmaxf(ball.radius, 0), MO_MAX_COORDINATE);
  return ball;
}

static void check_regions(rng *r, uint64_t rounds) {
  const mo_scene *const *subjects = test_scene_subjects(&scene);
  uint32_t count = scene.family.count;
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_overlap_def def = mo_default_overlap_def();
    def.filter = test_scene_filter(&scene, r);
    def.precision = rng_below(r, 4) ? MO_PRECISION_GEOMETRY : MO_PRECISION_BOUNDS;
    if (scene.kind == TEST_SCENE_UNEVEN) {
      mo_aabb narrow = uneven_box(&target, r);
      cr_assert(check_scene_aabb(subjects, count, &scene.oracle, &narrow, &def), "uneven: %s",
                check_why());
      mo_sphere near = uneven_ball(&target, r);
      cr_assert(check_scene_sphere(subjects, count, &scene.oracle, &near, &def), "uneven: %s",
                check_why());
    }
    mo_aabb box = sample_box(r, &target);
    cr_assert(check_scene_aabb(subjects, count, &scene.oracle, &box, &def), "%s scene: %s",
              test_scene_kind_name(scene.kind), check_why());
    mo_sphere sphere = sample_sphere(r, &target);
    cr_assert(check_scene_sphere(subjects, count, &scene.oracle, &sphere, &def), "%s scene: %s",
              test_scene_kind_name(scene.kind), check_why());
    mo_vec3 point = sample_point(r, &target);
    cr_assert(check_scene_point(subjects, count, &scene.oracle, point, &def), "%s scene: %s",
              test_scene_kind_name(scene.kind), check_why());
  }
}

Test(scene_queries, regions_as_brute_force) {
  for_all_kinds("scene_queries/regions", 72, rng_few_rounds(60, 8000), check_regions);
}

static void check_planes(rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_filter filter = test_scene_filter(&scene, r);
    mo_plane planes[8];
    uint32_t count = sample_planes(r, &target, planes);
    cr_assert(check_scene_planes(test_scene_subjects(&scene), scene.family.count, &scene.oracle,
                                 planes, count, &filter),
              "%s scene: %s", test_scene_kind_name(scene.kind), check_why());
  }
}

Test(scene_queries, planes_as_brute_force) {
  for_all_kinds("scene_queries/planes", 73, rng_few_rounds(200, 20000), check_planes);
}

static void check_cells(rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_filter filter = test_scene_filter(&scene, r);
    mo_aabb box = sample_box(r, &target);
    cr_assert(check_scene_cells(test_scene_subjects(&scene), scene.family.count, &scene.oracle,
                                &box, &filter),
              "%s scene: %s", test_scene_kind_name(scene.kind), check_why());
  }
}

Test(scene_queries, cells_tile_and_name_everything) {
  for_all_kinds("scene_queries/cells", 74, rng_few_rounds(15, 1000), check_cells);
}

/* Boxes of a grid, whose sides lie on the planes between cells: each still is in all cells that it
 * touches, and named once where the def says so. */
Test(scene_queries, cells_of_shapes_that_end_at_planes) {
  rng r = rng_make(rng_seed("scene_queries/grid cells", 78));
  scene_family family;
  oracle_scene oracle = {0};
  scene_family_create(&family);
  for (int i = 0; i < 6 * 6 * 6; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
    mo_shape_id id;
    const float half = i % 5 == 0 ? 1 : 0.5f;
    def.geometry.box.half_extents = (mo_vec3){half, half, half};
    def.transform.origin =
        (mo_vec3){(float)(i % 6) - 2.5f, (float)(i / 6 % 6) - 2.5f, (float)(i / 36) - 2.5f};
    cr_assert_eq(scene_family_add(&family, &def, &id), MO_OK);
  }
  scene_family_update(&family);
  oracle_scene_read(&oracle, family.scenes[0]);
  const mo_filter filter = mo_default_filter();
  for (uint64_t i = 0, n = rng_few_rounds(20, 1000); i < n; i++) {
    mo_aabb box;
    for (int axis = 0; axis < 3; axis++) {
      const float from = 0.5f * (float)((int)rng_below(&r, 13) - 6);
      const float to = from + 0.5f * (float)rng_below(&r, 9);
      *(axis == 0 ? &box.lower.x : axis == 1 ? &box.lower.y : &box.lower.z) = from;
      *(axis == 0 ? &box.upper.x : axis == 1 ? &box.upper.y : &box.upper.z) = to;
    }
    cr_assert(check_scene_cells((const mo_scene *const *)family.scenes, family.count, &oracle, &box,
                                &filter),
              "%s", check_why());
  }
  oracle_scene_free(&oracle);
  cr_assert(scene_family_free(&family));
}

/* The ground is the first hit of a ray down, and its height the distance to it. */
static void check_height(rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_filter filter = test_scene_filter(&scene, r);
    mo_vec3 point = sample_point(r, &target), up = rng_direction(r);
    float length = i % 2 ? 1 : rng_float(r, 0.01f, 100);
    up = (mo_vec3){length * up.x, length * up.y, length * up.z};
    if (i % 3 == 0) {
      up = (mo_vec3){0, 0, length};
    }
    float expected = NAN;
    mo_ray_hit first = {0};
    for (uint32_t j = 0; j < scene.family.count; j++) {
      mo_ground ground = {.height = NAN};
      cr_assert_eq(mo_scene_height_below(scene.family.scenes[j], point, up, &filter, &ground, NULL),
                   MO_OK);
      cr_assert(j == 0 || (ground.height == expected && check_same_hit(&ground.hit, &first)),
                "heights differ: %a and %a", (double)expected, (double)ground.height);
      expected = ground.height;
      first = ground.hit;
    }
    cr_assert_eq(first.found, isfinite(expected));
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = point;
    ray.direction = (mo_vec3){-up.x, -up.y, -up.z};
    ray.filter = filter;
    oracle_list hits = {0};
    oracle_scene_rays(&scene.oracle, &ray, &hits);
    const mo_ray_hit *wanted = hits.items;
    if (hits.count > 0) {
      double way =
          (double)wanted->t * sqrt((double)up.x * up.x + (double)up.y * up.y + (double)up.z * up.z);
      cr_assert(first.found && fabs(way - expected) <= 1e-4 * way + 1e-30, "height %g, not %g",
                (double)expected, way);
      cr_assert_eq(first.shape.index, wanted->shape.index);
      cr_assert_eq(first.triangle, wanted->triangle);
    } else {
      cr_assert(!first.found && expected == INFINITY);
    }
    oracle_list_free(&hits);
  }
}

Test(scene_queries, height_is_the_first_hit_below) {
  for_all_kinds("scene_queries/height", 75, rng_few_rounds(80, 5000), check_height);
}

/* Two points see each other unless the segment between them has a hit. */
static void check_sight(rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_filter filter = test_scene_filter(&scene, r);
    mo_vec3 from = sample_point(r, &target), to = i % 16 ? sample_point(r, &target) : from;
    mo_ray_def ray = mo_segment_def(from, to);
    ray.filter = filter;
    oracle_list hits = {0};
    oracle_scene_rays(&scene.oracle, &ray, &hits);
    for (uint32_t j = 0; j < scene.family.count; j++) {
      bool visible = hits.count > 0;
      mo_result result =
          mo_scene_line_of_sight(scene.family.scenes[j], from, to, &filter, &visible, NULL);
      cr_assert_eq(result, MO_OK, "%s: %s", mo_result_name(result), check_ray_text(&ray));
      cr_assert_eq(visible, hits.count == 0, "%s: %s", scene.family.names[j], check_ray_text(&ray));
    }
    oracle_list_free(&hits);
  }
}

Test(scene_queries, line_of_sight_is_a_segment_without_hits) {
  for_all_kinds("scene_queries/sight", 76, rng_few_rounds(80, 5000), check_sight);
}
