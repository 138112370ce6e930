/* Moving balls in scenes, under every placement policy and instruction set, against a loop over all
 * shapes and triangles; and against rays and overlaps. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/cast.h>

#include "support/check.h"
#include "support/defs.h"
#include "support/scenes.h"

static test_scene scene;

static void check(const mo_sphere_cast_def *def) {
  cr_assert(check_scene_cast(test_scene_subjects(&scene), scene.family.count, &scene.oracle, def),
            "%s: %s", test_scene_kind_name(scene.kind), check_why());
}

static float length_of(mo_vec3 v) {
  return hypotf(hypotf(v.x, v.y), v.z);
}

static mo_sphere_cast_def any_cast(rng *r) {
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  sample_target target = test_scene_target(&scene, r), other = test_scene_target(&scene, r);
  def.sphere = sample_sphere(r, &target);
  if (rng_chance(r, 0.6)) {
    def.sphere.radius = ldexpf(def.sphere.radius, -(int)rng_below(r, 24));
  }
  if (rng_chance(r, 0.1)) {
    def.sphere.radius = 0;
  }
  mo_vec3 to = sample_point(r, &other);
  def.displacement = mo_sub(to, def.sphere.center);
  if (rng_chance(r, 0.5)) {
    def.displacement = mo_scale(rng_float(r, 0, 3), def.displacement);
  }
  if (rng_chance(r, 0.15)) {
    def.displacement = rng_chance(r, 0.5) ? mo_vec(def.displacement.x, 0, 0) : mo_vec(0, 0, 0);
  }
  if (mo_max_magnitude(def.displacement) > 1e30f) {
    def.displacement = mo_vec(1, 1, 1);
  }
  def.options.filter = test_scene_filter(&scene, r);
  def.options.hit_volumes = rng_below(r, 2);
  return def;
}

static void check_rounds(uint64_t rounds, rng *r) {
  for (uint64_t i = 0; i < rounds; i++) {
    mo_sphere_cast_def def = any_cast(r);
    check(&def);
    oracle_cast first = oracle_scene_cast(&scene.oracle, &def);
    if (first.shape != NULL) { /* without the first, the next */
      def.options.filter.ignore = first.shape->id;
      check(&def);
    }
  }
}

Test(scene_cast_sphere, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 6, 40, 150};
  rng r = rng_make(rng_seed("scene_cast_sphere/brute force", 271));
  uint64_t rounds = rng_rounds(16, 800);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      check_rounds(rounds, &r);
      for (uint32_t k = 0; k < scene.count; k++) { /* after changes, without an update */
        mo_transform transform = test_scene_transform(&scene, &r);
        mo_shape_id id = scene.ids[rng_below(&r, scene.count)];
        oracle_expect(scene_family_move(&scene.family, id, &transform), "a move");
      }
      oracle_scene_read(&scene.oracle, scene.family.scenes[0]);
      check_rounds(rounds / 2, &r);
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* What a ray of the centre hits, a ball hits no later: fast, far and thin as things may be. */
Test(scene_cast_sphere, never_passes_through) {
  static const test_scene_kind kinds[] = {TEST_SCENE_PLAIN, TEST_SCENE_CROWDED, TEST_SCENE_FLAT,
                                          TEST_SCENE_CYLINDERS, TEST_SCENE_CONES};
  rng r = rng_make(rng_seed("scene_cast_sphere/rays", 272));
  uint64_t hits = 0, rounds = rng_rounds(400, 20000);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_scene_make(&scene, kinds[k], 60, &r);
    const mo_scene *subject = scene.family.scenes[0];
    for (uint64_t i = 0; i < rounds; i++) {
      sample_target target = test_scene_target(&scene, &r);
      mo_vec3 to = sample_point(&r, &target), along = rng_direction(&r);
      float far = ldexpf(scene.spread, (int)rng_below(&r, 10) - 3);
      mo_vec3 from = mo_add(to, mo_scale(far, along));
      mo_ray_def ray = mo_segment_def(from, mo_add(to, mo_scale(-far, along)));
      mo_ray_hit met;
      cr_assert_eq(mo_scene_cast_ray(subject, &ray, &met, NULL), MO_OK);
      if (!met.found) {
        continue;
      }
      hits++;
      mo_sphere_cast_def def = mo_default_sphere_cast_def();
      float rounding = 1e-5f * (length_of(from) + length_of(ray.direction) + scene.spread);
      def.sphere = (mo_sphere){from, rounding};
      def.displacement = ray.direction;
      mo_cast_hit hit;
      cr_assert_eq(mo_scene_cast_sphere(subject, &def, &hit, NULL), MO_OK);
      cr_assert(hit.found && (hit.t - met.t) * length_of(ray.direction) <= rounding,
                "%s, round %llu: %a, after a ray at %a", test_scene_kind_name(scene.kind),
                (unsigned long long)i, (double)hit.t, (double)met.t);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert_gt(hits, rounds);
}

/* A ball without a radius is a ray, where that does not graze. */
Test(scene_cast_sphere, points_are_rays) {
  static const test_scene_kind kinds[] = {TEST_SCENE_CYLINDERS, TEST_SCENE_PLAIN, TEST_SCENE_CONES};
  rng r = rng_make(rng_seed("scene_cast_sphere/points", 273));
  uint64_t hits = 0;
  for (uint64_t i = 0, n = rng_rounds(60, 3000); i < n; i++) {
    test_scene_make(&scene, kinds[i % 3], 8, &r);
    const mo_scene *subject = scene.family.scenes[0];
    for (int k = 0; k < 50; k++) {
      mo_vec3 from = rng_vec3(&r, -2 * scene.spread, 2 * scene.spread);
      sample_target target = test_scene_target(&scene, &r);
      mo_vec3 to = rng_point_in(&r, target.bounds), middle = mo_scale(0.5f, mo_add(from, to));
      mo_vec3 way = mo_scale(4, mo_sub(middle, from));
      mo_ray_def ray = mo_segment_def(from, mo_add(from, way));
      mo_sphere_cast_def def = mo_default_sphere_cast_def();
      def.sphere.center = from;
      def.displacement = ray.direction;
      mo_ray_hit met;
      mo_cast_hit hit;
      cr_assert_eq(mo_scene_cast_ray(subject, &ray, &met, NULL), MO_OK);
      cr_assert_eq(mo_scene_cast_sphere(subject, &def, &hit, NULL), MO_OK);
      if (!met.found || !hit.found || met.shape.index != hit.shape.index || met.t == 0 ||
          mo_dot(met.normal, ray.direction) > -0.1f * length_of(ray.direction)) {
        continue;
      }
      hits++;
      cr_assert(fabsf(hit.t - met.t) < 1e-4f, "%a, the ray %a", (double)hit.t, (double)met.t);
      cr_assert(met.triangle == MO_NO_TRIANGLE || met.triangle != hit.triangle ||
                fabsf(mo_dot(met.normal, hit.normal)) > 0.99f);
      cr_assert_lt(mo_dot(hit.normal, ray.direction), 0);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert_gt(hits, 200);
}

static bool overlaps(const mo_scene *subject, mo_sphere ball, const mo_cast_hit *hit) {
  enum { MAX = 4096 };
  static mo_shape_id shapes[MAX];
  static mo_triangle_ref triangles[MAX];
  uint32_t total;
  if (hit->triangle == MO_NO_TRIANGLE) {
    cr_assert_eq(mo_scene_overlap_shapes(subject, IN_SPHERE(ball, NULL), shapes, MAX, &total, NULL),
                 MO_OK);
    cr_assert_leq(total, MAX);
    for (uint32_t i = 0; i < total; i++) {
      if (shapes[i].index == hit->shape.index) {
        return true;
      }
    }
    return false;
  }
  cr_assert_eq(
      mo_scene_overlap_triangles(subject, IN_SPHERE(ball, NULL), triangles, MAX, &total, NULL),
      MO_OK);
  cr_assert_leq(total, MAX);
  for (uint32_t i = 0; i < total; i++) {
    if (triangles[i].shape.index == hit->shape.index && triangles[i].triangle == hit->triangle) {
      return true;
    }
  }
  return false;
}

/* The point of a contact at the start is on the surface: something is within a small ball there,
 * and nothing once that has been moved out a little. It is opposite to the ball's own deepest
 * point, from which the depth leads to it along the normal. */
static void check_point(const mo_scene *subject, const mo_sphere_cast_def *def,
                        const mo_cast_hit *hit, float size) {
  mo_vec3 own = mo_sub(def->sphere.center, mo_scale(def->sphere.radius, hit->normal));
  mo_vec3 off = mo_sub(hit->point, mo_add(own, mo_scale(hit->depth, hit->normal)));
  cr_assert_leq(length_of(off), 1e-5f * size, "%s: the point is off by %g",
                test_scene_kind_name(scene.kind), (double)length_of(off));
  mo_sphere dot = {hit->point, 1e-5f * size};
  cr_assert(overlaps(subject, dot, hit), "%s: the point is outside",
            test_scene_kind_name(scene.kind));
  dot.center = mo_add(dot.center, mo_scale(3e-5f * size, hit->normal));
  cr_assert_not(overlaps(subject, dot, hit), "%s: the point is inside",
                test_scene_kind_name(scene.kind));
}

/* A cast of the ball as a shape has the same contact at the start, but for normals that are equally
 * good. */
static void check_as_shape(const mo_scene *subject, const mo_sphere_cast_def *def,
                           const mo_cast_hit *hit, float size) {
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = def->sphere};
  mo_shape_cast_def as_shape = mo_default_shape_cast_def();
  as_shape.primitive = mo_primitive_of_geometry(&ball, NULL);
  as_shape.displacement = def->displacement;
  mo_cast_hit other;
  cr_assert_eq(mo_scene_cast_shape(subject, &as_shape, &other, NULL), MO_OK);
  cr_assert(other.found && other.t == 0);
  if (other.shape.index == hit->shape.index && other.triangle == hit->triangle &&
      mo_dot(other.normal, hit->normal) > 1 - 1e-6f) {
    cr_assert_float_eq(other.depth, hit->depth, 1e-5f * size);
    cr_assert_leq(length_of(mo_sub(other.point, hit->point)), 5e-3f * size);
  }
}

/* A ball that starts in overlap is found at t = 0, and is free of what it overlapped when it is
 * moved by the depth along the normal. */
Test(scene_cast_sphere, starts_in_overlap) {
  static const test_scene_kind kinds[] = {TEST_SCENE_PLAIN, TEST_SCENE_CROWDED,
                                          TEST_SCENE_FLAT,  TEST_SCENE_CYLINDERS,
                                          TEST_SCENE_CONES, TEST_SCENE_HALF_SPACES};
  rng r = rng_make(rng_seed("scene_cast_sphere/overlap", 274));
  uint64_t deep = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_scene_make(&scene, kinds[k], 40, &r);
    const mo_scene *subject = scene.family.scenes[0];
    for (uint64_t i = 0, n = rng_rounds(300, 20000); i < n; i++) {
      sample_target target = test_scene_target(&scene, &r);
      mo_sphere_cast_def def = mo_default_sphere_cast_def();
      def.sphere.center = sample_point(&r, &target);
      def.sphere.radius = rng_chance(&r, 0.2) ? 0.01f : rng_float(&r, 0.01f, 1);
      def.displacement = rng_chance(&r, 0.3) ? mo_vec(0, 0, 0) : rng_direction(&r);
      mo_cast_hit hit;
      cr_assert_eq(mo_scene_cast_sphere(subject, &def, &hit, NULL), MO_OK);
      if (!hit.found || hit.t != 0) {
        cr_assert(!hit.found || hit.depth == 0);
        continue;
      }
      deep += hit.depth > def.sphere.radius;
      float size = length_of(def.sphere.center) + def.sphere.radius + hit.depth + scene.spread;
      mo_sphere ball = def.sphere;
      ball.radius += 1e-5f * size;
      cr_assert(overlaps(subject, ball, &hit), "round %llu", (unsigned long long)i);
      ball.center = mo_add(ball.center, mo_scale(hit.depth + 3e-5f * size, hit.normal));
      cr_assert_not(overlaps(subject, ball, &hit), "%s, round %llu: still there after %g",
                    test_scene_kind_name(scene.kind), (unsigned long long)i, (double)hit.depth);
      check_point(subject, &def, &hit, size);
      check_as_shape(subject, &def, &hit, size);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert_gt(deep, 20);
}

static mo_cast_hit cast(const mo_scene *subject, mo_sphere ball, mo_vec3 displacement) {
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  mo_cast_hit hit;
  def.sphere = ball;
  def.displacement = displacement;
  cr_assert_eq(mo_scene_cast_sphere(subject, &def, &hit, NULL), MO_OK);
  return hit;
}

Test(scene_cast_sphere, by_hand) {
  mo_scene *subject = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.user_data = 7;
  mo_shape_id ids[3];
  for (int i = 0; i < 3; i++) { /* the same three times */
    cr_assert_eq(mo_scene_add_shape(subject, &def, &ids[i]), MO_OK);
  }
  float half = def.geometry.box.half_extents.x;
  for (int i = 0; i < 3; i++) { /* a tie: the lower shape */
    mo_cast_hit hit = cast(subject, (mo_sphere){{half + 5, 0.1f, 0}, 1}, mo_vec(-8, 0, 0));
    cr_assert(hit.found && hit.t == 0.5f && hit.normal.x == 1 && hit.depth == 0);
    cr_assert(hit.shape.index == ids[i].index && hit.shape.generation == ids[i].generation);
    cr_assert(hit.user_data == 7 && hit.triangle == MO_NO_TRIANGLE && hit.point.x == half);
    hit = cast(subject, (mo_sphere){{half + 5, 0.1f, 0}, 1}, mo_vec(-4, 0, 0));
    cr_assert(hit.found && hit.t == 1, "touching at the very end counts");
    cr_assert_not(cast(subject, (mo_sphere){{half + 5, 0.1f, 0}, 1}, mo_vec(-3.99f, 0, 0)).found);
    hit = cast(subject, (mo_sphere){{0.25f * half, 0, 0}, 1}, mo_vec(0, 0, 0));
    cr_assert(hit.found && hit.t == 0 && hit.shape.index == ids[i].index && hit.normal.x == 1);
    cr_assert_float_eq(hit.depth, 1 + 0.75f * half, 1e-6f);
    cr_assert_eq(mo_scene_remove_shape(subject, ids[i]), MO_OK);
  }
  cr_assert_not(cast(subject, (mo_sphere){{0, 0, 0}, 1}, mo_vec(1, 0, 0)).found);
  mo_scene_destroy(subject);
}

/* Triangles that the transform flattens to segments have a normal of rounding errors only: the ball
 * is led out perpendicular to the segment. */
Test(scene_cast_sphere, leads_out_of_flattened_triangles) {
  rng r = rng_make(rng_seed("scene_cast_sphere/flattened", 276));
  for (int i = 0; i < 500; i++) {
    mo_vec3 corners[3];
    for (int k = 0; k < 3; k++) {
      corners[k] = rng_vec3(&r, -1, 1);
    }
    corners[0].x = -fabsf(corners[0].x); /* on both sides of the ball */
    corners[1].x = fabsf(corners[1].x);
    mo_mesh_def mesh_def = mo_default_mesh_def();
    mesh_def.positions = &corners[0].x;
    mesh_def.vertex_count = 3;
    mesh_def.triangle_count = 1;
    mesh_def.index_type = MO_INDEX_NONE;
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    cr_assert_eq(mo_mesh_create(&mesh_def, &def.geometry.mesh), MO_OK);
    mo_vec3 axis = rng_vec3(&r, -5, 5);
    def.transform = (mo_transform){.x_axis = axis};
    mo_scene *subject = test_scene_empty();
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
    mo_cast_hit hit = cast(subject, (mo_sphere){{0, 0, 0}, 0.25f}, rng_vec3(&r, -1, 1));
    cr_assert(hit.found && hit.t == 0 && hit.depth == 0.25f);
    cr_assert_lt(fabsf(mo_dot(hit.normal, axis)), 1e-5f * length_of(axis), "round %d", i);
    mo_scene_destroy(subject);
    mo_mesh_release(def.geometry.mesh);
  }
}

/* Culling works: a few of many shapes. */
Test(scene_cast_sphere, visits_few_shapes) {
  enum { SIDE = 30 };
  mo_scene *subject = test_scene_of_balls(SIDE);
  rng r = rng_make(rng_seed("scene_cast_sphere/cost", 275));
  mo_query_stats stats = {0};
  for (int i = 0; i < 100; i++) {
    mo_sphere_cast_def def = mo_default_sphere_cast_def();
    def.sphere = (mo_sphere){rng_vec3(&r, 0, 3 * SIDE), 0.5f};
    def.sphere.center.z = 0;
    def.displacement = mo_scale(200, rng_direction(&r));
    def.displacement.z = 0;
    mo_cast_hit hit;
    cr_assert_eq(mo_scene_cast_sphere(subject, &def, &hit, &stats), MO_OK);
  }
  cr_assert_lt(stats.shape_count, 100 * 6);
  cr_assert_lt(stats.scene_node_count, 100 * 30);
  mo_scene_destroy(subject);
}

Test(scene_cast_sphere, refuses_bad_input) {
  mo_scene *subject = test_scene_empty();
  mo_sphere_cast_def good = mo_default_sphere_cast_def(), bad = good;
  mo_cast_hit hit;
  cr_assert_eq(mo_scene_cast_sphere(NULL, &good, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_sphere(subject, NULL, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_sphere(subject, &good, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  bad.sphere.radius = -1;
  cr_assert_eq(mo_scene_cast_sphere(subject, &bad, &hit, NULL), MO_ERROR_INVALID_ARGUMENT);
  bad.sphere.radius = NAN;
  cr_assert_eq(mo_scene_cast_sphere(subject, &bad, &hit, NULL), MO_ERROR_NOT_FINITE);
  bad = good;
  bad.displacement.y = INFINITY;
  cr_assert_eq(mo_scene_cast_sphere(subject, &bad, &hit, NULL), MO_ERROR_NOT_FINITE);
  bad.displacement.y = 1e35f;
  cr_assert_eq(mo_scene_cast_sphere(subject, &bad, &hit, NULL), MO_ERROR_OUT_OF_RANGE);
  bad = good;
  bad.options.filter.cookie = 0;
  cr_assert_eq(mo_scene_cast_sphere(subject, &bad, &hit, NULL), MO_ERROR_UNINITIALIZED_DEF);
  cr_assert_eq(mo_scene_cast_sphere(subject, &good, &hit, NULL), MO_OK);
  cr_assert_not(hit.found);
  mo_scene_destroy(subject);
}
