/* Rays with known answers, and a second opinion on the primitive test itself. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/triangle/triangle.h"
#include "oracle/long_double.h"
#include "reference/reference.h"
#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static mesh_family family;

/* The square [0, 4]^2 in z = 0 as two triangles with the diagonal from (0, 0) to (4, 4), normal
 * up. */
static test_mesh make_square(void) {
  test_mesh mesh = {.name = "square"};
  test_mesh_add_vertex(&mesh, 0, 0, 0);
  test_mesh_add_vertex(&mesh, 4, 0, 0);
  test_mesh_add_vertex(&mesh, 4, 4, 0);
  test_mesh_add_vertex(&mesh, 0, 4, 0);
  test_mesh_add_triangle(&mesh, 0, 1, 2);
  test_mesh_add_triangle(&mesh, 0, 2, 3);
  return mesh;
}

static void setup(void) {
  test_mesh mesh = make_square();
  mesh_family_build(&family, &mesh, false);
  test_mesh_free(&mesh);
}

static void teardown(void) {
  cr_assert(mesh_family_free(&family));
}

TestSuite(mesh_rays, .init = setup, .fini = teardown);

static mo_ray_def ray_of(float ox, float oy, float oz, float dx, float dy, float dz) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = (mo_vec3){ox, oy, oz};
  ray.direction = (mo_vec3){dx, dy, dz};
  return ray;
}

/* The number of hits, which must be the same for all meshes and traversals; the first in *first. */
static uint32_t count_hits(const mo_ray_def *ray, mo_ray_hit *first) {
  uint32_t expected = UINT32_MAX;
  reference_ray variant = {.ray = mo_default_ray_def()};
  variant.ray = *ray;
  for (uint32_t i = 0; i < family.count; i++) {
    for (int j = 0; j < 6; j++) {
      variant.traversal = (reference_traversal)(j % 3);
      variant.no_mailbox = j >= 3;
      uint32_t total = 0;
      mo_ray_hit hit = {0};
      bool any = false;
      cr_assert_eq(reference_mesh_cast_ray_all(family.meshes[i], &variant, &hit, 1, &total, NULL),
                   MO_OK);
      cr_assert(expected == UINT32_MAX || total == expected);
      mo_ray_hit closest;
      cr_assert_eq(reference_mesh_cast_ray(family.meshes[i], &variant, &closest, NULL), MO_OK);
      cr_assert(check_same_hit(&hit, &closest));
      cr_assert_eq(reference_mesh_test_ray(family.meshes[i], &variant, &any, NULL), MO_OK);
      cr_assert_eq(any, total > 0);
      expected = total;
      if (first != NULL) {
        *first = hit;
      }
    }
  }
  return expected;
}

Test(mesh_rays, from_above_and_below) {
  mo_ray_hit hit;
  mo_ray_def ray = ray_of(3, 1, 8, 0, 0, -2);
  cr_assert_eq(count_hits(&ray, &hit), 1);
  cr_assert(hit.found && hit.front);
  cr_assert_eq(hit.triangle, 0);
  cr_assert_eq(hit.t, 4);
  cr_assert(hit.point.x == 3 && hit.point.y == 1 && hit.point.z == 0);
  cr_assert(hit.normal.x == 0 && hit.normal.y == 0 && hit.normal.z == 1);
  cr_assert_float_eq(hit.u, 0.5f, 1e-6);
  cr_assert_float_eq(hit.v, 0.25f, 1e-6);
  cr_assert(hit.shape.index == 0 && hit.shape.generation == 0);
  cr_assert_eq(hit.user_data, 0);

  ray = ray_of(1, 3, -8, 0, 0, 1);
  cr_assert_eq(count_hits(&ray, &hit), 1);
  cr_assert(!hit.front);
  cr_assert_eq(hit.triangle, 1);
  cr_assert_eq(hit.t, 8);
  cr_assert_eq(hit.normal.z, 1, "the normal does not turn to the ray");
  ray.cull_back_faces = true;
  cr_assert_eq(count_hits(&ray, NULL), 0);
}

/* On the diagonal both triangles are hit at the same t: the lower index wins, all reports both. */
Test(mesh_rays, ties_go_to_the_lower_triangle) {
  mo_ray_hit hit;
  mo_ray_def ray = ray_of(2, 2, 5, 0, 0, -1);
  cr_assert_eq(count_hits(&ray, &hit), 2);
  cr_assert_eq(hit.triangle, 0);
  ray.ignore_triangle = 0;
  cr_assert_eq(count_hits(&ray, &hit), 1);
  cr_assert_eq(hit.triangle, 1);
}

Test(mesh_rays, at_corners_and_borders) {
  static const struct {
    float x, y;
    uint32_t hits;
  } cases[] = {{0, 0, 2}, {4, 4, 2},      {4, 0, 1},         {0, 4, 1},        {2, 0, 1},
               {4, 1, 1}, {-1e-6f, 1, 0}, {4.000001f, 1, 0}, {1, 4.000001f, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mo_ray_def ray = ray_of(cases[i].x, cases[i].y, 1, 0, 0, -1);
    cr_assert_eq(count_hits(&ray, NULL), cases[i].hits, "case %zu", i);
  }
}

/* In the plane of the triangles there is no area to hit. */
Test(mesh_rays, in_the_plane) {
  for (int i = 0; i < 4; i++) {
    mo_ray_def ray = ray_of(-1, (float)i, 0, 1, 0, 0);
    cr_assert_eq(count_hits(&ray, NULL), 0);
    ray = ray_of((float)i, -1, 0, 0, 1, i % 2 ? 0.0f : -0.0f);
    cr_assert_eq(count_hits(&ray, NULL), 0);
    ray = ray_of(-1, -1, 0, 1, 1, 0);
    cr_assert_eq(count_hits(&ray, NULL), 0);
  }
}

Test(mesh_rays, range_is_closed) {
  mo_ray_def ray = ray_of(3, 1, 8, 0, 0, -2);
  ray.max_t = 4;
  cr_assert_eq(count_hits(&ray, NULL), 1);
  ray.max_t = nextafterf(4, 0);
  cr_assert_eq(count_hits(&ray, NULL), 0);
  ray.max_t = INFINITY;
  ray.min_t = 4;
  cr_assert_eq(count_hits(&ray, NULL), 1);
  ray.min_t = nextafterf(4, 5);
  cr_assert_eq(count_hits(&ray, NULL), 0);
  ray.min_t = 5;
  ray.max_t = 3;
  cr_assert_eq(count_hits(&ray, NULL), 0, "an empty range is legal");
  ray.min_t = 0;
  ray.max_t = -1;
  cr_assert_eq(count_hits(&ray, NULL), 0);
  ray = ray_of(3, 1, 0, 0, 0, -2);
  cr_assert_eq(count_hits(&ray, NULL), 1, "t = 0 counts");
  ray.max_t = 0;
  cr_assert_eq(count_hits(&ray, NULL), 1);
}

Test(mesh_rays, segments) {
  mo_ray_hit hit;
  mo_ray_def ray = mo_segment_def((mo_vec3){3, 1, 1}, (mo_vec3){3, 1, -1});
  cr_assert_eq(count_hits(&ray, &hit), 1);
  cr_assert_eq(hit.t, 0.5f);
  ray = mo_segment_def((mo_vec3){3, 1, 1}, (mo_vec3){3, 1, 0});
  cr_assert_eq(count_hits(&ray, &hit), 1);
  cr_assert_eq(hit.t, 1);
  ray = mo_segment_def((mo_vec3){3, 1, 1}, (mo_vec3){3, 1, 0.001f});
  cr_assert_eq(count_hits(&ray, NULL), 0);
  ray = mo_segment_def((mo_vec3){3, 1, 0}, (mo_vec3){3, 1, 0});
  cr_assert_eq(count_hits(&ray, NULL), 0, "equal ends are legal and hit nothing");
}

/* Directions of any length give t in their unit. */
Test(mesh_rays, direction_of_any_length) {
  static const float lengths[] = {1e-37f, 1e-30f, 1e-10f, 1, 1e10f, 1e20f, 1e30f};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    mo_ray_def ray = ray_of(3, 1, 8, 0, 0, -lengths[i]);
    mo_ray_hit hit;
    cr_assert_eq(count_hits(&ray, &hit), 1, "length %g", (double)lengths[i]);
    cr_assert_float_eq((double)hit.t * lengths[i], 8, 1e-5, "length %g", (double)lengths[i]);
  }
  /* Where t itself is no float, there is no hit. */
  mo_ray_def ray = ray_of(3, 1, 1e30f, 0, 0, -1e-30f);
  cr_assert_eq(count_hits(&ray, NULL), 0);
}

Test(mesh_rays, far_origin) {
  for (int i = 0; i < 29; i++) {
    float z = powf(10, (float)i);
    mo_ray_def ray = ray_of(3, 1, z, 0, 0, -1);
    mo_ray_hit hit;
    cr_assert_eq(count_hits(&ray, &hit), 1, "z %g", (double)z);
    cr_assert_eq(hit.t, z);
    ray = ray_of(3, 1, -z, -0.0f, 0, z);
    cr_assert_eq(count_hits(&ray, &hit), 1);
    cr_assert_float_eq(hit.t, 1, 1e-6);
  }
}

/* Components too small to matter are no divisions by zero. */
Test(mesh_rays, denormal_components) {
  static const float tiny[] = {0, -0.0f, FLT_TRUE_MIN, -FLT_TRUE_MIN, FLT_MIN / 2, -FLT_MIN / 3};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      mo_ray_def ray = ray_of(3, 1, 8, tiny[i], tiny[j], -1);
      mo_ray_hit hit;
      cr_assert_eq(count_hits(&ray, &hit), 1);
      cr_assert_eq(hit.t, 8);
      cr_assert_eq(hit.triangle, 0);
      ray.origin.x = 5;
      cr_assert_eq(count_hits(&ray, NULL), 0);
    }
  }
  /* A direction that is nothing but denormal. */
  mo_ray_def ray = ray_of(3, 1, 1e-38f, 0, 0, -FLT_MIN / 4);
  mo_ray_hit hit;
  cr_assert_eq(count_hits(&ray, &hit), 1);
  cr_assert_float_eq(hit.t, 1e-38 / ((double)FLT_MIN / 4), 1e-3);
}

/* The primitive against long double: clear hits are hits, clear misses misses, t and weights
 * agree. */
static void check_primitive(test_mesh_kind kind, uint64_t rounds, rng *r) {
  test_mesh mesh = test_mesh_make(kind, 200, r);
  mo_mesh *built = test_mesh_build(&mesh);
  mo_ray_hit *hits = malloc(mesh.triangle_count * sizeof *hits);
  uint8_t *found = malloc(mesh.triangle_count);
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(&mesh, r);
    mo_ray_def ray =
        sample_ray(r, (sample_ray_kind)rng_below(r, SAMPLE_RAY_SHORT_DIRECTION), &target);
    uint32_t total = 0;
    cr_assert_eq(mo_mesh_cast_ray_all(built, &ray, hits, mesh.triangle_count, &total, NULL), MO_OK);
    memset(found, 0, mesh.triangle_count);
    for (uint32_t j = 0; j < total; j++) {
      cr_assert(!found[hits[j].triangle], "a triangle was reported twice");
      cr_assert(j == 0 || hits[j - 1].t <= hits[j].t, "hits are not sorted");
      found[hits[j].triangle] = 1;
    }
    for (uint32_t j = 0; j < mesh.triangle_count; j++) {
      mo_vec3 corners[3];
      double t = 0, t_error = 0, u = 0, v = 0, weight_error = 0;
      test_mesh_corners(&mesh, j, corners);
      sanity_verdict verdict = sanity_ray_triangle(ray.origin, ray.direction, corners, &t, &t_error,
                                                   &u, &v, &weight_error);
      if (verdict == SANITY_HIT && fabs(t) <= t_error) {
        continue; /* starts on the triangle */
      }
      bool expected = verdict == SANITY_HIT && t > 0;
      cr_assert(verdict == SANITY_NEAR || found[j] == expected,
                "%s, triangle %u: expected %d, found %d at t %g, u %g, v %g: %s", mesh.name, j,
                expected, found[j], t, u, v, check_ray_text(&ray));
    }
    for (uint32_t j = 0; j < total; j++) {
      mo_vec3 corners[3];
      double t = 0, t_error = 0, u = 0, v = 0, weight_error = 0;
      test_mesh_corners(&mesh, hits[j].triangle, corners);
      if (sanity_ray_triangle(ray.origin, ray.direction, corners, &t, &t_error, &u, &v,
                              &weight_error) != SANITY_NEAR) {
        cr_assert_float_eq(hits[j].t, t, t_error + 1e-6 * fabs(t), "%s: t %g, not %g: %s",
                           mesh.name, (double)hits[j].t, t, check_ray_text(&ray));
        cr_assert_float_eq(hits[j].u, u, weight_error + 1e-6);
        cr_assert_float_eq(hits[j].v, v, weight_error + 1e-6);
      }
    }
  }
  free(hits);
  free(found);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}

Test(mesh_rays, agree_with_long_double) {
  rng r = rng_make(rng_seed("mesh_rays/sanity", 51));
  static const test_mesh_kind kinds[] = {TEST_MESH_SOUP,   TEST_MESH_SPHERE,  TEST_MESH_TORUS,
                                         TEST_MESH_BOX,    TEST_MESH_SLIVERS, TEST_MESH_LONG_THIN,
                                         TEST_MESH_OFFSET, TEST_MESH_TERRAIN, TEST_MESH_CLUSTERS};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    check_primitive(kinds[i], rng_rounds(300, 20000), &r);
  }
}

/* Front means: met from the side the normal points to. */
Test(mesh_rays, facing_agrees_with_the_normal) {
  rng r = rng_make(rng_seed("mesh_rays/facing", 52));
  test_mesh mesh = test_mesh_make(TEST_MESH_SOUP, 300, &r);
  mo_mesh *built = test_mesh_build(&mesh);
  for (int i = 0; i < 3000; i++) {
    sample_target target = sample_target_of_mesh(&mesh, &r);
    mo_ray_def ray = sample_ray(&r, SAMPLE_RAY_THROUGH, &target);
    mo_ray_hit hit;
    cr_assert_eq(mo_mesh_cast_ray(built, &ray, &hit, NULL), MO_OK);
    if (hit.found) {
      double along = (double)hit.normal.x * ray.direction.x +
                     (double)hit.normal.y * ray.direction.y +
                     (double)hit.normal.z * ray.direction.z;
      double length =
          sqrt((double)hit.normal.x * hit.normal.x + (double)hit.normal.y * hit.normal.y +
               (double)hit.normal.z * hit.normal.z);
      cr_assert_float_eq(length, 1, 1e-6);
      cr_assert(fabs(along) < 1e-5 || hit.front == (along < 0));
    }
  }
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}

/* Whether a point is so close to the surface that rounding may put it on either side. */
static bool on_surface(const test_mesh *mesh, mo_vec3 p) {
  mo_aabb box = test_mesh_bounds(mesh);
  float size = box.upper.x - box.lower.x;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 c[3];
    test_mesh_corners(mesh, i, c);
    mo_dvec3 wide[3] = {mo_widen(c[0]), mo_widen(c[1]), mo_widen(c[2])};
    if (mo_triangle_overlaps_sphere(wide, (mo_sphere){p, 1e-6f * size})) {
      return true;
    }
  }
  return false;
}

/* Inside and outside by winding number, away from the surface. */
Test(mesh_rays, containment_agrees_with_the_winding_number) {
  rng r = rng_make(rng_seed("mesh_rays/winding", 53));
  static const test_mesh_kind kinds[] = {TEST_MESH_SPHERE, TEST_MESH_TORUS,   TEST_MESH_BOX,
                                         TEST_MESH_SPIKES, TEST_MESH_LATTICE, TEST_MESH_FAN,
                                         TEST_MESH_TINY,   TEST_MESH_HUGE,    TEST_MESH_IRREGULAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_mesh mesh = test_mesh_make(kinds[k], 200, &r);
    mo_mesh *built = test_mesh_build(&mesh);
    mo_aabb box = test_mesh_bounds(&mesh);
    uint32_t inner = 0, outer = 0;
    for (uint64_t i = 0; i < rng_rounds(300, 5000); i++) {
      sample_target target = sample_target_of_mesh(&mesh, &r);
      mo_vec3 p = sample_point(&r, &target);
      /* Often at the height of a vertex, where a ray along x meets edges and vertices. */
      if (rng_below(&r, 2)) {
        p.x = rng_float(&r, box.lower.x, box.upper.x);
      }
      double winding = sanity_winding(built, p);
      bool inside = false;
      cr_assert_eq(mo_mesh_contains_point(built, p, &inside, NULL), MO_OK);
      if (!on_surface(&mesh, p)) {
        cr_assert_eq(inside, winding > 0.5, "%s: {%a, %a, %a}: winding number %g", mesh.name,
                     (double)p.x, (double)p.y, (double)p.z, winding);
        inner += inside;
        outer += !inside;
      }
    }
    cr_assert(inner > 20 && outer > 20, "%s: %u inside, %u outside", mesh.name, inner, outer);
    mo_mesh_release(built);
    test_mesh_free(&mesh);
  }
}

/* A triangle that is long and thin, and a ray at it, both scaled by powers of two: t stays, also
 * where the products of tiny coordinates underflow. */
Test(mesh_rays, t_does_not_depend_on_the_scale) {
  rng r = rng_make(rng_seed("rays at tiny triangles", 3270));
  for (uint64_t round = 0, rounds = rng_rounds(300, 30000); round < rounds; round++) {
    const float length = exp2f(rng_float(&r, 0, 50));
    float weight[3], sum = 0, expected = 0;
    mo_vec3 corner[3], scaled[3], target = {0, 0, 0};
    const mo_vec3 origin = rng_vec3(&r, -1, 1);
    for (int i = 0; i < 3; i++) {
      corner[i] = rng_vec3(&r, -1, 1);
      weight[i] = rng_float(&r, 0.1f, 1);
      sum += weight[i];
    }
    corner[0].x *= length;
    weight[0] /= length;
    for (int i = 0; i < 3; i++) {
      target = mo_add(target, mo_scale(weight[i] / sum, corner[i]));
    }
    const mo_vec3 direction = mo_sub(target, origin);
    for (int exponent = 0; exponent <= 70; exponent += 10) {
      const float scale = exp2f(-(float)exponent);
      mo_mesh_def def = mo_default_mesh_def();
      def.positions = scaled;
      def.vertex_count = 3;
      def.index_type = MO_INDEX_NONE;
      def.triangle_count = 1;
      for (int i = 0; i < 3; i++) {
        scaled[i] = mo_scale(scale, corner[i]);
      }
      mo_mesh *mesh;
      mo_ray_hit hit;
      const mo_vec3 o = mo_scale(scale, origin), d = mo_scale(scale, direction);
      const mo_ray_def ray = ray_of(o.x, o.y, o.z, d.x, d.y, d.z);
      cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
      cr_assert_eq(mo_mesh_cast_ray(mesh, &ray, &hit, NULL), MO_OK);
      const float t = hit.triangle != MO_NO_TRIANGLE ? hit.t : INFINITY;
      expected = exponent == 0 ? t : expected;
      cr_expect(t == expected || fabsf(t - expected) <= 1e-5f * expected,
                "length %g, scale 2^-%d: t %g, not %g", (double)length, exponent, (double)t,
                (double)expected);
      mo_mesh_release(mesh);
    }
  }
}
