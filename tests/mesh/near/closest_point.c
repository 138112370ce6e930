/* The closest point of a mesh, for every builder and instruction set, against a loop over all
 * triangles. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <string.h>

#include "support/mesh_subject.h"
#include "support/samples.h"

static void check_point(const mesh_subject *s, mo_vec3 point, float max_distance) {
  float distance;
  uint32_t triangle = oracle_mesh_closest(&s->oracle, point, max_distance, &distance);
  mo_closest_hit first = {0};
  for (uint32_t i = 0; i < s->family.count; i++) {
    mo_closest_hit hit;
    memset(&hit, 0x55, sizeof hit);
    cr_assert_eq(mo_mesh_closest_point(s->family.meshes[i], point, max_distance, &hit, NULL),
                 MO_OK);
    cr_assert_eq(hit.found, triangle != MO_NO_TRIANGLE, "%s, %s", s->mesh.name, s->family.names[i]);
    cr_assert_eq(hit.triangle, triangle, "%s, %s: triangle %u, not %u", s->mesh.name,
                 s->family.names[i], hit.triangle, triangle);
    if (hit.found) {
      first = i == 0 ? hit : first;
      cr_assert_eq(hit.distance, distance, "%s, %s: %a, not %a", s->mesh.name, s->family.names[i],
                   (double)hit.distance, (double)distance);
      cr_assert(hit.point.x == first.point.x && hit.point.y == first.point.y &&
                hit.point.z == first.point.z && hit.u == first.u && hit.v == first.v &&
                hit.feature == first.feature && hit.feature_index == first.feature_index);
    }
  }
}

static void check_kind(const mesh_subject *s, rng *r, uint64_t rounds) {
  mo_vec3 reach = mo_aabb_is_empty(mo_mesh_bounds(s->family.meshes[0]))
                      ? mo_vec(1, 1, 1)
                      : mo_aabb_max_coordinates(mo_mesh_bounds(s->family.meshes[0]));
  float size = fmaxf(reach.x, fmaxf(reach.y, reach.z));
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(&s->mesh, r);
    mo_vec3 point = sample_point(r, &target);
    if (rng_chance(r, 0.1)) { /* far away, where all distances are nearly the same */
      float far = fminf(ldexpf(size, (int)rng_below(r, 30)), 1e29f);
      point =
          mo_vec(rng_float(r, -1, 1) * far, rng_float(r, -1, 1) * far, rng_float(r, -1, 1) * far);
    }
    check_point(s, point, INFINITY);
    float distance;
    if (oracle_mesh_closest(&s->oracle, point, INFINITY, &distance) != MO_NO_TRIANGLE) {
      check_point(s, point, distance); /* at the limit itself */
      check_point(s, point, nextafterf(distance, 0));
    }
  }
}

Test(mesh_closest_point, as_brute_force) {
  rng r = rng_make(rng_seed("mesh_closest_point/brute force", 91));
  mesh_subject_check_all(check_kind, &r, rng_few_rounds(12, 600));
}

static mo_mesh *triangle_mesh(void) {
  static const float positions[] = {0, 0, 0, /**/ 4, 0, 0, /**/ 0, 4, 0};
  static const uint32_t indices[] = {0, 1, 2};
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = 3;
  def.indices = indices;
  def.triangle_count = 1;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

Test(mesh_closest_point, tells_the_feature) {
  mo_mesh *mesh = triangle_mesh();
  static const struct {
    mo_vec3 point;
    mo_feature feature;
    uint32_t index;
    mo_vec3 closest, normal;
    float distance;
  } cases[] = {
      {{1, 1, 3}, MO_FEATURE_FACE, 0, {1, 1, 0}, {0, 0, 1}, 3},
      {{1, 1, -2}, MO_FEATURE_FACE, 0, {1, 1, 0}, {0, 0, -1}, 2},
      {{1, 1, 0}, MO_FEATURE_FACE, 0, {1, 1, 0}, {0, 0, 1}, 0},
      {{1, -2, 0}, MO_FEATURE_EDGE, 0, {1, 0, 0}, {0, -1, 0}, 2},
      {{-2, 1, 0}, MO_FEATURE_EDGE, 2, {0, 1, 0}, {-1, 0, 0}, 2},
      {{-3, -4, 0}, MO_FEATURE_VERTEX, 0, {0, 0, 0}, {-0.6f, -0.8f, 0}, 5},
      {{7, -4, 0}, MO_FEATURE_VERTEX, 1, {4, 0, 0}, {0.6f, -0.8f, 0}, 5},
      {{0, 6, 0}, MO_FEATURE_VERTEX, 2, {0, 4, 0}, {0, 1, 0}, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mo_closest_hit hit;
    cr_assert_eq(mo_mesh_closest_point(mesh, cases[i].point, INFINITY, &hit, NULL), MO_OK);
    cr_assert(hit.found);
    cr_assert_eq(hit.feature, cases[i].feature, "case %zu", i);
    cr_assert_eq(hit.feature_index, cases[i].index, "case %zu", i);
    cr_assert_eq(hit.distance, cases[i].distance, "case %zu", i);
    cr_assert(hit.point.x == cases[i].closest.x && hit.point.y == cases[i].closest.y &&
                  hit.point.z == cases[i].closest.z,
              "case %zu", i);
    cr_assert_float_eq(mo_dot(hit.normal, cases[i].normal), 1, 1e-6, "case %zu", i);
  }
  mo_mesh_release(mesh);
}

Test(mesh_closest_point, refuses_bad_input) {
  mo_mesh *mesh = triangle_mesh();
  mo_closest_hit hit;
  mo_vec3 p = {0, 0, 0};
  cr_assert_eq(mo_mesh_closest_point(NULL, p, 1, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_closest_point(mesh, p, 1, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_closest_point(mesh, p, -1, &hit, NULL), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_mesh_closest_point(mesh, p, NAN, &hit, NULL), MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_mesh_closest_point(mesh, mo_vec(NAN, 0, 0), 1, &hit, NULL), MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_mesh_closest_point(mesh, mo_vec(1e35f, 0, 0), 1, &hit, NULL),
               MO_ERROR_OUT_OF_RANGE);
  mo_mesh_release(mesh);
}

/* Culling works: a few nodes of a large mesh, not all of them. */
Test(mesh_closest_point, visits_few_nodes) {
  rng r = rng_make(rng_seed("mesh_closest_point/cost", 92));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 20000, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_query_stats stats = {0};
  for (int i = 0; i < 100; i++) {
    sample_target target = sample_target_of_mesh(&mesh, &r);
    mo_closest_hit hit;
    cr_assert_eq(mo_mesh_closest_point(built, target.corners[0], INFINITY, &hit, &stats), MO_OK);
    cr_assert_eq(hit.distance, 0);
  }
  cr_assert_lt(stats.mesh_node_count, 100 * 40);
  cr_assert_lt(stats.triangle_count, 100 * 200);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}
