/* Every query on every kind of mesh, by every builder and instruction set, against brute force. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "math/aabb.h"
#include "math/vector.h"
#include "reference/reference.h"
#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static mesh_family family;
static oracle_mesh oracle;

static const mo_mesh *const *meshes(void) {
  return (const mo_mesh *const *)family.meshes;
}

static void check_rays(const test_mesh *mesh, rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(mesh, r);
    mo_ray_def ray = sample_any_ray(r, &target);
    if (oracle.count > 0 && rng_below(r, 8) == 0) {
      ray.ignore_triangle = rng_below(r, oracle.count);
    }
    cr_assert(
        check_mesh_ray(meshes(), family.count, &oracle, &ray, i % 4 ? CHECK_FAST : CHECK_FULL),
        "%s: %s", mesh->name, check_why());
  }
  /* Each kind at least once in each mesh, by every traversal; where rounds are few, some kinds. */
  uint32_t first = rng_below(r, SAMPLE_RAY_KIND_COUNT);
  uint64_t count = rng_few_rounds(SAMPLE_RAY_KIND_COUNT, SAMPLE_RAY_KIND_COUNT);
  for (uint32_t i = 0; i < count; i++) {
    sample_ray_kind kind = (sample_ray_kind)((first + i) % SAMPLE_RAY_KIND_COUNT);
    sample_target target = sample_target_of_mesh(mesh, r);
    mo_ray_def ray = sample_ray(r, kind, &target);
    cr_assert(check_mesh_ray(meshes(), family.count, &oracle, &ray, CHECK_FULL), "%s, %s: %s",
              mesh->name, sample_ray_kind_name(kind), check_why());
  }
}

static void check_regions(const test_mesh *mesh, rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(mesh, r);
    mo_aabb box = sample_box(r, &target);
    cr_assert(check_mesh_aabb(meshes(), family.count, &oracle, &box), "%s: %s", mesh->name,
              check_why());
    mo_sphere sphere = sample_sphere(r, &target);
    cr_assert(check_mesh_sphere(meshes(), family.count, &oracle, &sphere), "%s: %s", mesh->name,
              check_why());
    mo_plane planes[8];
    uint32_t count = sample_planes(r, &target, planes);
    cr_assert(check_mesh_planes(meshes(), family.count, &oracle, planes, count), "%s: %s",
              mesh->name, check_why());
    cr_assert(check_mesh_point(meshes(), family.count, &oracle, sample_point(r, &target)), "%s: %s",
              mesh->name, check_why());
  }
}

/* Triangles of the meshes. With sanitizers each costs ten times as much. */
#if defined(TEST_SANITIZED)
static const uint32_t mesh_sizes[] = {1, 70};
#else
static const uint32_t mesh_sizes[] = {1, 9, 70, 400};
#endif

/* One mesh of each kind and size; `check` runs with the family built. */
static void for_all_kinds(const char *name, uint64_t fixed_seed, uint64_t rounds,
                          void (*check)(const test_mesh *, rng *, uint64_t)) {
  rng r = rng_make(rng_seed(name, fixed_seed));
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof mesh_sizes / sizeof *mesh_sizes; i++) {
      test_mesh mesh = test_mesh_make((test_mesh_kind)kind, mesh_sizes[i], &r);
      mesh_family_build(&family, &mesh, false);
      oracle_mesh_read(&oracle, family.meshes[0]);
      check(&mesh, &r, rounds);
      oracle_mesh_free(&oracle);
      cr_assert(mesh_family_free(&family), "%s: memory is outstanding", mesh.name);
      test_mesh_free(&mesh);
    }
  }
}

/* Rays at corners of triangles from ever farther away, of ever other lengths, along axes and not:
 * on both sides of the limits of the fast path, with the margins of each. */
static void check_distances(const test_mesh *mesh, rng *r, uint64_t rounds) {
  mo_vec3 reach = mo_aabb_max_coordinates(mo_mesh_bounds(meshes()[0]));
  float size = reach.x > reach.y ? reach.x : reach.y;
  size = size > reach.z ? size : reach.z;
  for (uint64_t i = 0; i < rounds && mesh->triangle_count > 0; i++) {
    mo_vec3 corners[3];
    cr_assert_eq(
        mo_mesh_get_triangle(meshes()[0], rng_below(r, mesh->triangle_count), corners, NULL),
        MO_OK);
    float distance = ldexpf(rng_float(r, 1, 2) * size, (int)rng_below(r, 24) - 2);
    float scale = ldexpf(1, (int)rng_below(r, 50) - 25);
    mo_vec3 d = {rng_float(r, -1, 1), rng_float(r, -1, 1), rng_float(r, -1, 1)};
    if (rng_chance(r, 0.4)) {
      d.x = d.z = 0;
    }
    if (rng_chance(r, 0.2)) {
      d.x = ldexpf(d.y, -(int)rng_below(r, 120));
    }
    if (!(fabsf(d.x) + fabsf(d.y) + fabsf(d.z) > 0.01f) || !(distance < 1e25f)) {
      continue;
    }
    mo_vec3 to = corners[rng_below(r, 3)];
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = mo_sub(to, mo_scale(distance, d));
    ray.direction = mo_scale(scale, d);
    if (rng_chance(r, 0.3)) {
      ray.max_t = rng_float(r, 0.9f, 1.1f) * distance / scale;
    }
    if (rng_chance(r, 0.3)) {
      ray.min_t = rng_float(r, 0.8f, 1.0f) * distance / scale;
    }
    cr_assert(check_mesh_ray(meshes(), family.count, &oracle, &ray, CHECK_FAST), "%s: %s",
              mesh->name, check_why());
  }
}

Test(mesh_queries, rays_from_all_distances) {
  for_all_kinds("mesh_queries/distances", 16, rng_few_rounds(15, 3000), check_distances);
}

Test(mesh_queries, rays_as_brute_force) {
  for_all_kinds("mesh_queries/rays", 11, rng_few_rounds(30, 3000), check_rays);
}

Test(mesh_queries, regions_as_brute_force) {
  for_all_kinds("mesh_queries/regions", 12, rng_few_rounds(10, 1000), check_regions);
}

/* Triangles that are long along one axis and small along another, whole and cut in pieces: the test
 * of a ball allows for rounding of the long side along all axes. */
Test(mesh_queries, balls_beside_long_triangles) {
  rng r = rng_make(rng_seed("mesh_queries/long", 18));
  uint32_t close = 0;
  for (uint64_t i = 0; i < rng_few_rounds(80, 4000); i++) {
    test_mesh mesh = test_mesh_make(TEST_MESH_ZERO, 0, &r);
    float s[3];
    for (int axis = 0; axis < 3; axis++) {
      s[axis] = rng_below(&r, 3) ? powf(10, rng_float(&r, 9, 17)) : 1;
    }
    for (uint32_t j = 0, count = 1 + rng_below(&r, 12); j < count; j++) {
      mo_vec3 c[3];
      for (int k = 0; k < 3; k++) {
        c[k] = rng_vec3(&r, -1, 1);
        c[k] = mo_vec(s[0] * c[k].x, s[1] * c[k].y, s[2] * c[k].z);
      }
      test_mesh_add_corners(&mesh, c[0], c[1], c[2]);
    }
    mesh_family_build(&family, &mesh, false);
    oracle_mesh_read(&oracle, family.meshes[0]);
    for (int j = 0; j < 30; j++) {
      sample_target target = sample_target_of_mesh(&mesh, &r);
      mo_sphere ball = {mo_scale(0.5f, mo_add(target.corners[0], target.corners[1])), 0};
      if (rng_below(&r, 2)) {
        ball.center = rng_point_in(&r, target.bounds);
      }
      uint32_t axis = rng_below(&r, 3);
      *(axis == 0 ? &ball.center.x : axis == 1 ? &ball.center.y : &ball.center.z) += 1;
      ball.radius = 1 - powf(10, rng_float(&r, -7, 0));
      oracle_list found = {0};
      oracle_mesh_sphere(&oracle, &ball, &found);
      close += found.count > 0;
      oracle_list_free(&found);
      cr_assert(check_mesh_sphere(meshes(), family.count, &oracle, &ball), "scales %g %g %g: %s",
                (double)s[0], (double)s[1], (double)s[2], check_why());
    }
    oracle_mesh_free(&oracle);
    cr_assert(mesh_family_free(&family));
    test_mesh_free(&mesh);
  }
  cr_assert_gt(close, 100);
}

typedef struct chooser {
  uint32_t modulus;
  uint32_t asked;
} chooser;

/* Lets rays pass through most triangles, as a host does for transparent ones. */
static bool accept_some(mo_triangle_ref ref, float t, void *context) {
  chooser *choice = context;
  choice->asked += ref.shape.index == 0 && ref.shape.generation == 0 && t >= 0;
  return ref.triangle % choice->modulus == 0;
}

Test(mesh_queries, accepted_triangles_as_brute_force) {
  rng r = rng_make(rng_seed("mesh_queries/accept", 13));
  static const test_mesh_kind kinds[] = {TEST_MESH_SOUP, TEST_MESH_SHEETS, TEST_MESH_DUPLICATED};
  for (int k = 0; k < 3; k++) {
    test_mesh mesh = test_mesh_make(kinds[k], 300, &r);
    mesh_family_build(&family, &mesh, false);
    oracle_mesh_read(&oracle, family.meshes[0]);
    for (uint64_t i = 0; i < rng_few_rounds(200, 200); i++) {
      sample_target target = sample_target_of_mesh(&mesh, &r);
      mo_ray_def ray = sample_any_ray(&r, &target);
      chooser choice = {.modulus = 1 + rng_below(&r, 7)};
      ray.accept_triangle = accept_some;
      ray.accept_context = &choice;
      cr_assert(check_mesh_ray(meshes(), family.count, &oracle, &ray, CHECK_FULL), "%s: %s",
                mesh.name, check_why());
    }
    oracle_mesh_free(&oracle);
    cr_assert(mesh_family_free(&family));
    test_mesh_free(&mesh);
  }
}

/* The callback gets no triangle that the ray misses or that lies beyond its range. */
static bool accept_in_range(mo_triangle_ref ref, float t, void *context) {
  const mo_ray_def *ray = context;
  (void)ref;
  cr_assert(t >= ray->min_t && t <= ray->max_t);
  return true;
}

Test(mesh_queries, accept_is_called_for_hits_in_range_only) {
  rng r = rng_make(rng_seed("mesh_queries/range", 14));
  test_mesh mesh = test_mesh_make(TEST_MESH_SOUP, 500, &r);
  mesh_family_build(&family, &mesh, true);
  for (uint64_t i = 0; i < rng_few_rounds(2000, 2000); i++) {
    sample_target target = sample_target_of_mesh(&mesh, &r);
    mo_ray_def ray = sample_any_ray(&r, &target);
    ray.accept_triangle = accept_in_range;
    ray.accept_context = &ray;
    mo_ray_hit hit;
    for (uint32_t j = 0; j < family.count; j++) {
      cr_assert_eq(mo_mesh_cast_ray(family.meshes[j], &ray, &hit, NULL), MO_OK);
    }
  }
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}

/* The mailbox saves tests where triangles are duplicated, and never changes their sum. */
Test(mesh_queries, mailbox_saves_tests) {
  rng r = rng_make(rng_seed("mesh_queries/mailbox", 15));
  test_mesh mesh = test_mesh_make(TEST_MESH_SOUP, 400, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_MIDPOINT;
  def.build.leaf_capacity = 4;
  mo_mesh *built = NULL;
  mo_mesh_stats tree;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  cr_assert_eq(mo_mesh_get_stats(built, &tree), MO_OK);
  cr_assert_gt(tree.duplicate_count, 0);
  mo_query_stats with = {0}, without = {0};
  for (int i = 0; i < 300; i++) {
    sample_target target = sample_target_of_mesh(&mesh, &r);
    mo_ray_def ray = sample_ray(&r, SAMPLE_RAY_THROUGH, &target);
    uint32_t total;
    cr_assert_eq(mo_mesh_cast_ray_all(built, &ray, NULL, 0, &total, &with), MO_OK);
    reference_ray reference = {.ray = mo_default_ray_def()};
    reference.ray = ray;
    reference.no_mailbox = true;
    cr_assert_eq(reference_mesh_cast_ray_all(built, &reference, NULL, 0, &total, &without), MO_OK);
  }
  cr_assert_gt(with.mailbox_hit_count, 0);
  cr_assert_eq(without.mailbox_hit_count, 0);
  cr_assert_lt(with.triangle_count, without.triangle_count);
  cr_assert_eq(with.triangle_count + with.mailbox_hit_count, without.triangle_count);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}
