/* Moving balls against meshes, for every builder and instruction set, against a loop over all
 * triangles. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/cast.h>
#include <string.h>

#include "support/mesh_subject.h"
#include "support/samples.h"

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* But for rounding. */
static bool close_to(mo_vec3 a, mo_vec3 b) {
  mo_vec3 d = mo_sub(a, b);
  return fabsf(d.x) + fabsf(d.y) + fabsf(d.z) < 1e-6f;
}

static mo_sphere_cast_def cast_of(mo_sphere ball, mo_vec3 displacement) {
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  def.sphere = ball;
  def.displacement = displacement;
  return def;
}

/* A legal cast. */
static void cast(const mo_mesh *mesh, mo_sphere ball, mo_vec3 displacement, mo_cast_hit *hit) {
  mo_sphere_cast_def def = cast_of(ball, displacement);
  cr_assert_eq(mo_mesh_cast_sphere(mesh, &def, hit, NULL), MO_OK);
}

static uint32_t check_cast(const mesh_subject *s, mo_sphere ball, mo_vec3 displacement) {
  float t;
  uint32_t triangle = oracle_mesh_cast(&s->oracle, ball, displacement, &t);
  mo_cast_hit first = {0};
  for (uint32_t i = 0; i < s->family.count; i++) {
    mo_cast_hit hit;
    memset(&hit, 0x55, sizeof hit);
    cast(s->family.meshes[i], ball, displacement, &hit);
    cr_assert_eq(hit.found, triangle != MO_NO_TRIANGLE, "%s, %s", s->mesh.name, s->family.names[i]);
    cr_assert_eq(hit.triangle, triangle, "%s, %s: triangle %u, not %u", s->mesh.name,
                 s->family.names[i], hit.triangle, triangle);
    if (hit.found) {
      first = i == 0 ? hit : first;
      cr_assert_eq(hit.t, t, "%s, %s: %a, not %a", s->mesh.name, s->family.names[i], (double)hit.t,
                   (double)t);
      cr_assert(same(hit.point, first.point) && same(hit.normal, first.normal) &&
                hit.depth == first.depth);
    }
  }
  return triangle;
}

static void check_kind(const mesh_subject *s, rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(&s->mesh, r);
    mo_sphere ball = sample_sphere(r, &target);
    if (rng_chance(r, 0.5)) {
      ball.radius = ldexpf(ball.radius, -(int)rng_below(r, 20));
    }
    sample_other_triangle(&target, &s->mesh, r);
    mo_vec3 to = sample_point(r, &target);
    mo_vec3 displacement = mo_sub(to, ball.center);
    if (rng_chance(r, 0.5)) {
      displacement = mo_scale(rng_float(r, 0, 3), displacement);
    }
    if (rng_chance(r, 0.2)) {
      displacement = rng_chance(r, 0.5) ? mo_vec(displacement.x, 0, 0) : mo_vec(0, 0, 0);
    }
    if (fabsf(displacement.x) < 1e30f && fabsf(displacement.y) < 1e30f &&
        fabsf(displacement.z) < 1e30f) {
      check_cast(s, ball, displacement);
    }
  }
}

Test(mesh_cast_sphere, as_brute_force) {
  rng r = rng_make(rng_seed("mesh_cast_sphere/brute force", 93));
  mesh_subject_check_all(check_kind, &r, rng_few_rounds(25, 1000));
}

Test(mesh_cast_sphere, point_and_normal) {
  mo_mesh *mesh = test_mesh_build_square(-9, 9);
  mo_sphere ball = {{3, 1, 5}, 1};
  mo_cast_hit hit;
  cast(mesh, ball, mo_vec(0, 0, -8), &hit);
  cr_assert(hit.found && hit.t == 0.5f && hit.depth == 0);
  cr_assert(close_to(hit.point, mo_vec(3, 1, 0)) && close_to(hit.normal, mo_vec(0, 0, 1)));
  cast(mesh, ball, mo_vec(0, 0, -3.99f), &hit);
  cr_assert(!hit.found);
  cast(mesh, ball, mo_vec(0, 0, -4), &hit);
  cr_assert(hit.found && hit.t == 1); /* touching at the very end counts */
  /* From below. */
  ball.center.z = -5;
  cast(mesh, ball, mo_vec(0, 0, 8), &hit);
  cr_assert(hit.found && hit.t == 0.5f && close_to(hit.normal, mo_vec(0, 0, -1)));
  mo_mesh_release(mesh);
}

/* A t that is rounded up takes the centre beyond the triangle: the normal stays on this side. */
Test(mesh_cast_sphere, normals_of_points_and_small_balls) {
  rng r = rng_make(rng_seed("mesh_cast_sphere/normals", 95));
  mo_mesh *mesh = test_mesh_build_square(-9, 9);
  for (int i = 0; i < 1000; i++) {
    float height = rng_float(&r, 1, 1000), depth = rng_float(&r, 1, 1000);
    mo_sphere ball = {{3, 1, height}, i % 2 == 0 ? 0 : ldexpf(1, -(int)rng_below(&r, 18) - 5)};
    mo_cast_hit hit;
    cast(mesh, ball, mo_vec(0, 0, -height - depth), &hit);
    cr_assert(hit.found && close_to(hit.normal, mo_vec(0, 0, 1)), "from %a to %a", (double)height,
              (double)-depth);
  }
  mo_mesh_release(mesh);
}

Test(mesh_cast_sphere, starts_in_overlap) {
  mo_mesh *mesh = test_mesh_build_square(-9, 9);
  mo_sphere ball = {{3, 1, 0.25f}, 1};
  mo_cast_hit hit;
  cast(mesh, ball, mo_vec(1, 0, 0), &hit);
  cr_assert(hit.found && hit.t == 0 && fabsf(hit.depth - 0.75f) < 1e-6f &&
            close_to(hit.normal, mo_vec(0, 0, 1)));
  /* Moved by the depth along the normal it does not overlap any more. */
  ball.center.z += hit.depth;
  cast(mesh, ball, mo_vec(1, 0, 0), &hit);
  cr_assert(hit.found && hit.t == 0 && hit.depth == 0);
  /* The centre on the triangle: out to where the ball comes from. */
  ball.center.z = 0;
  for (int side = -1; side <= 1; side += 2) {
    mo_vec3 way = mo_vec(0, 0, (float)side);
    cast(mesh, ball, way, &hit);
    cr_assert(hit.found && hit.t == 0 && hit.depth == 1);
    cr_assert_eq(hit.normal.z, (float)-side);
  }
  mo_mesh_release(mesh);
}

/* On a triangle that is a segment or a point: perpendicular to it, and as far as possible against
 * the displacement. */
Test(mesh_cast_sphere, starts_on_degenerate_triangles) {
  static const float positions[] = {-1, 0, 0, /**/ 3, 0, 0, /**/ 1, 0, 0, /**/ 9, 9, 9};
  static const uint32_t indices[] = {0, 1, 2, /**/ 3, 3, 3};
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = 4;
  def.indices = indices;
  def.triangle_count = 2;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  static const mo_vec3 ways[] = {{0, 0, 0}, {5, 0, 0}, {5, 0, -1}, {0, 2, 0}};
  for (int i = 0; i < 4; i++) {
    mo_sphere ball = {{0.5f, 0, 0}, 0.25f};
    mo_cast_hit hit;
    cast(mesh, ball, ways[i], &hit);
    cr_assert(hit.found && hit.t == 0 && hit.depth == 0.25f && hit.triangle == 0);
    cr_assert(hit.normal.x == 0 && fabsf(mo_dot(hit.normal, hit.normal) - 1) < 1e-6f, "%d", i);
    cr_assert(i < 2 || close_to(hit.normal, i == 2 ? mo_vec(0, 0, 1) : mo_vec(0, -1, 0)));
    ball.center = mo_vec(9, 9, 9);
    cast(mesh, ball, ways[i], &hit);
    cr_assert(hit.found && hit.triangle == 1 && (i != 3 || hit.normal.y == -1));
    cr_assert_float_eq(mo_dot(hit.normal, hit.normal), 1, 1e-6f);
  }
  mo_mesh_release(mesh);
}

Test(mesh_cast_sphere, refuses_bad_input) {
  mo_mesh *mesh = test_mesh_build_square(-9, 9);
  mo_sphere ball = {{0, 0, 5}, 1}, bad = {{0, 0, 5}, -1}, nan = {{NAN, 0, 0}, 1};
  mo_vec3 way = {0, 0, -8};
  mo_cast_hit hit;
  mo_sphere_cast_def good = cast_of(ball, way);
  cr_assert_eq(mo_mesh_cast_sphere(NULL, &good, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_sphere(mesh, NULL, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_sphere(mesh, &good, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  const struct {
    mo_sphere ball;
    mo_vec3 way;
    mo_result result;
  } cases[] = {
      {bad, way, MO_ERROR_INVALID_ARGUMENT},
      {nan, way, MO_ERROR_NOT_FINITE},
      {ball, {0, 0, INFINITY}, MO_ERROR_NOT_FINITE},
      {ball, {0, 0, -1e35f}, MO_ERROR_OUT_OF_RANGE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mo_sphere_cast_def def = cast_of(cases[i].ball, cases[i].way);
    cr_assert_eq(mo_mesh_cast_sphere(mesh, &def, &hit, NULL), cases[i].result);
  }
  mo_mesh_release(mesh);
}

/* Culling works: a few nodes of a large mesh. */
Test(mesh_cast_sphere, visits_few_nodes) {
  rng r = rng_make(rng_seed("mesh_cast_sphere/cost", 94));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 20000, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_query_stats stats = {0};
  for (int i = 0; i < 100; i++) {
    sample_target target = sample_target_of_mesh(&mesh, &r);
    mo_sphere ball = {mo_scale(3, target.corners[0]), 0.01f};
    mo_cast_hit hit;
    mo_sphere_cast_def cast = cast_of(ball, mo_scale(-4, target.corners[0]));
    cr_assert_eq(mo_mesh_cast_sphere(built, &cast, &hit, &stats), MO_OK);
    cr_assert(hit.found);
  }
  cr_assert_lt(stats.mesh_node_count, 100 * 60);
  cr_assert_lt(stats.triangle_count, 100 * 200);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}
