/* The forms of an overlap query of one mesh (any, list, one by one) agree, also where some
 * triangles do not count: against the lists by box, ball and primitive (which other tests compare
 * with brute force), for every builder, format and instruction set. */
#include <criterion/criterion.h>
#include <motte/overlap.h>
#include <stdlib.h>
#include <string.h>

#include "support/mesh_subject.h"
#include "support/samples.h"

enum { MAX = 8192 };

static uint32_t modulus; /* triangles divisible by it do not count */

static bool accept_some(mo_triangle_ref ref, void *context) {
  (void)context;
  return ref.shape.generation == 0 && ref.triangle % modulus != 0;
}

static uint32_t expected[MAX], expected_count;

static void expect(const mo_mesh *mesh, const mo_overlap_def *def) {
  uint32_t total = 0, *list = expected;
  mo_result result =
      def->type == MO_OVERLAP_AABB ? mo_mesh_overlap_aabb(mesh, &def->box, list, MAX, &total, NULL)
      : def->type == MO_OVERLAP_SPHERE
          ? mo_mesh_overlap_sphere(mesh, &def->sphere, list, MAX, &total, NULL)
          : mo_mesh_overlap_primitive(mesh, &def->primitive, list, MAX, &total, NULL);
  cr_assert_eq(result, MO_OK);
  cr_assert_leq(total, MAX);
  expected_count = 0;
  for (uint32_t i = 0; i < total; i++) {
    if (list[i] != def->ignore_triangle &&
        (def->accept_triangle == NULL || list[i] % modulus != 0)) {
      list[expected_count++] = list[i];
    }
  }
}

typedef struct given {
  const mo_mesh *mesh;
  uint32_t triangles[MAX], count, max;
} given;

static given got;

static bool take(const mo_triangle *triangle, void *context) {
  given *g = context;
  mo_vec3 corners[3];
  uint32_t user_data;
  cr_assert_eq(mo_mesh_get_triangle(g->mesh, triangle->triangle, corners, &user_data), MO_OK);
  cr_assert(triangle->shape.index == 0 && triangle->shape.generation == 0);
  cr_assert(triangle->user_data == 0 && triangle->triangle_user_data == user_data);
  cr_assert(memcmp(corners, triangle->corners, sizeof corners) == 0);
  cr_assert_lt(g->count, g->max, "called after the end");
  g->triangles[g->count++] = triangle->triangle;
  return g->count < g->max;
}

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void check(const mo_mesh *mesh, const mo_overlap_def *def, uint32_t some) {
  static uint32_t list[MAX];
  uint32_t total, count = expected_count;
  bool found;
  cr_assert_eq(mo_mesh_overlap_triangles(mesh, def, list, MAX, &total, NULL), MO_OK);
  cr_assert(total == count && memcmp(list, expected, count * sizeof *list) == 0);
  cr_assert_eq(mo_mesh_overlap_triangles(mesh, def, list, count / 2, &total, NULL), MO_OK);
  cr_assert(total == count && memcmp(list, expected, count / 2 * sizeof *list) == 0);
  cr_assert_eq(mo_mesh_test_overlap(mesh, def, &found, NULL), MO_OK);
  cr_assert_eq(found, count > 0);
  got.mesh = mesh;
  got.count = 0, got.max = UINT32_MAX;
  cr_assert_eq(mo_mesh_visit_triangles(mesh, def, take, &got, NULL), MO_OK);
  cr_assert_eq(got.count, count);
  qsort(got.triangles, count, sizeof *got.triangles, ascending);
  cr_assert(memcmp(got.triangles, expected, count * sizeof *expected) == 0);
  got.count = 0, got.max = some;
  cr_assert_eq(mo_mesh_visit_triangles(mesh, def, take, &got, NULL), MO_OK);
  cr_assert_eq(got.count, count < some ? count : some);
}

static mo_overlap_def some_region(const mesh_subject *s, rng *r) {
  sample_target target = sample_target_of_mesh(&s->mesh, r);
  switch (rng_below(r, 4)) {
  case 0:
    return mo_overlap_aabb_def(sample_box(r, &target));
  case 1:
    return mo_overlap_sphere_def(sample_sphere(r, &target));
  case 2:
    return mo_overlap_primitive_def(sample_half_space(r, &target));
  default:
    return mo_overlap_primitive_def(
        mo_primitive_of_triangle(sample_point(r, &target), target.corners[0], target.corners[1]));
  }
}

static void check_kind(const mesh_subject *s, rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    mo_overlap_def def = some_region(s, r);
    modulus = 1 + rng_below(r, 4);
    if (rng_chance(r, 0.5)) {
      def.accept_triangle = accept_some;
    }
    if (rng_chance(r, 0.5)) {
      def.ignore_triangle = rng_below(r, s->mesh.triangle_count + 1);
    }
    expect(s->family.meshes[0], &def);
    uint32_t some = 1 + rng_below(r, 4);
    for (uint32_t k = 0; k < s->family.count; k++) {
      check(s->family.meshes[k], &def, some);
    }
  }
}

Test(mesh_overlap_forms, agree) {
  rng r = rng_make(rng_seed("mesh_overlap_forms/agree", 297));
  mesh_subject_check_all(check_kind, &r, rng_few_rounds(5, 600));
}

/* Where a region contains an octant, its boxes are not compared with the region; empty ones must be
 * passed over all the same. */
Test(mesh_overlap_forms, empty_octants_are_not_visited) {
  const mo_vec3 corners[3] = {{0.1f, 0.1f, 0.1f}, {0.11f, 0.1f, 0.1f}, {0.1f, 0.12f, 0.1f}};
  const uint32_t depth = 6;
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = 3;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = 1;
  def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  def.build.depth = depth;
  def.build.bounds = (mo_aabb){{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  const mo_sphere around = {{0.0f, 0.0f, 0.0f}, 10.0f};
  uint32_t triangle = MO_NO_TRIANGLE, count = 0;
  mo_query_stats stats = {0};
  cr_assert_eq(mo_mesh_overlap_sphere(mesh, &around, &triangle, 1, &count, &stats), MO_OK);
  cr_expect(count == 1 && triangle == 0);
  cr_expect_leq(stats.mesh_node_count, depth, "%llu nodes",
                (unsigned long long)stats.mesh_node_count);
  mo_mesh_release(mesh);
}
