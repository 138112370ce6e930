/* Rays at the vertices and edges of closed meshes never slip through: from inside every ray meets
 * the surface, and every segment from outside to an inner point does. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "reference/reference.h"
#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static mesh_family family;

/* Points of the surface where triangles meet. */
static mo_vec3 seam_point(const test_mesh *mesh, rng *r, uint32_t turn) {
  mo_vec3 c[3];
  test_mesh_corners(mesh, rng_below(r, mesh->triangle_count), c);
  uint32_t i = rng_below(r, 3);
  float share = turn % 3 == 0 ? 0 : turn % 3 == 1 ? 0.5f : rng_float(r, 0, 1);
  mo_vec3 a = c[i], b = c[(i + 1) % 3];
  return (mo_vec3){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)};
}

static float get(mo_vec3 v, uint32_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Casts it through every mesh by every traversal; it must hit, and as any and all as well. */
static void must_hit(const test_mesh *mesh, const mo_ray_def *ray, const char *what) {
  reference_ray variant = {.ray = mo_default_ray_def()};
  variant.ray = *ray;
  for (uint32_t i = 0; i < family.count; i++) {
    for (int j = 0; j < 3; j++) {
      variant.traversal = (reference_traversal)j;
      mo_ray_hit hit = {0};
      bool any = false;
      cr_assert_eq(reference_mesh_cast_ray(family.meshes[i], &variant, &hit, NULL), MO_OK);
      cr_assert(hit.found, "%s, %s: nothing hit %s: %s", mesh->name, family.names[i], what,
                check_ray_text(ray));
      cr_assert_eq(reference_mesh_test_ray(family.meshes[i], &variant, &any, NULL), MO_OK);
      cr_assert(any, "%s, %s: test finds nothing %s: %s", mesh->name, family.names[i], what,
                check_ray_text(ray));
    }
  }
}

/* Up to `reach` away from the center, still inside. */
static mo_vec3 inner_point(const test_mesh *mesh, rng *r, float reach) {
  mo_vec3 c = mesh->center;
  if (rng_below(r, 3) == 0) {
    return c;
  }
  return (mo_vec3){c.x + rng_float(r, -reach, reach), c.y + rng_float(r, -reach, reach),
                   c.z + rng_float(r, -reach, reach)};
}

static void check_closed(const test_mesh *mesh, bool convex, rng *r, float reach, uint64_t rounds) {
  for (uint32_t i = 0; i < rounds; i++) {
    mo_vec3 inside = inner_point(mesh, r, reach), seam = seam_point(mesh, r, i);
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = inside;
    ray.direction = (mo_vec3){seam.x - inside.x, seam.y - inside.y, seam.z - inside.z};
    must_hit(mesh, &ray, "from inside at a seam");

    /* From beyond the seam inward. The segment ends inside, so it must hit. Close to the seam a
     * mesh that is not convex may have more of its inside. */
    float away = powf(2, rng_float(r, convex ? -3 : 4, 10));
    mo_vec3 outside = {seam.x + away * ray.direction.x, seam.y + away * ray.direction.y,
                       seam.z + away * ray.direction.z};
    if (fabsf(outside.x) <= MO_MAX_COORDINATE && fabsf(outside.y) <= MO_MAX_COORDINATE &&
        fabsf(outside.z) <= MO_MAX_COORDINATE) {
      /* The far end of a segment is rounded: extend it by a hundredth of its length. */
      ray = mo_segment_def(outside, inside);
      ray.max_t = 1.0f + 1e-3f / (1 + away);
      must_hit(mesh, &ray, "from outside at a seam");
    }

    /* Along an axis through the very coordinates of a vertex. Points on edges are rounded, and may
     * lie beside the silhouette. */
    if (i % 3 != 0) {
      continue;
    }
    uint32_t axis = rng_below(r, 3);
    ray = mo_default_ray_def();
    ray.origin = seam;
    if (axis == 0) {
      ray.origin.x = inside.x;
    } else if (axis == 1) {
      ray.origin.y = inside.y;
    } else {
      ray.origin.z = inside.z;
    }
    float sign = get(seam, axis) > get(inside, axis) ? 1.0f : -1.0f;
    ray.direction = (mo_vec3){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
    must_hit(mesh, &ray, "along an axis at a vertex");
  }
}

static void check_kind(test_mesh_kind kind, uint32_t size, float reach, float scale, mo_vec3 offset,
                       rng *r) {
  test_mesh mesh = test_mesh_make(kind, size, r);
  cr_assert(mesh.closed);
  test_mesh_place(&mesh, scale, offset);
  mesh_family_build(&family, &mesh, false);
  bool convex = kind != TEST_MESH_SPIKES && kind != TEST_MESH_TORUS;
  check_closed(&mesh, convex, r, scale * reach, rng_few_rounds(150, 20000));
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}

static const mo_vec3 origin = {0, 0, 0};

Test(watertight, spheres) {
  rng r = rng_make(rng_seed("watertight/spheres", 21));
  check_kind(TEST_MESH_SPHERE, 20, 0.2f, 1, origin, &r);
  check_kind(TEST_MESH_SPHERE, 1000, 0.4f, 1, origin, &r);
  check_kind(TEST_MESH_SPHERE, 300, 0.4f, 1e-20f, origin, &r);
  check_kind(TEST_MESH_SPHERE, 300, 0.4f, 1e20f, origin, &r);
  check_kind(TEST_MESH_TINY, 300, 0.4e-30f, 1, origin, &r);
  check_kind(TEST_MESH_HUGE, 300, 0.4e29f, 1, origin, &r);
}

Test(watertight, boxes) {
  rng r = rng_make(rng_seed("watertight/boxes", 22));
  check_kind(TEST_MESH_BOX, 12, 0.5f, 1, origin, &r);
  check_kind(TEST_MESH_BOX, 800, 0.5f, 1, origin, &r);
  check_kind(TEST_MESH_LATTICE, 800, 2, 1, origin, &r);
  check_kind(TEST_MESH_BOX, 800, 0.5f, 0.37f, (mo_vec3){0.1f, 100.3f, -1000.7f}, &r);
}

Test(watertight, irregular_meshes) {
  rng r = rng_make(rng_seed("watertight/irregular", 23));
  for (int i = 0; i < 4; i++) {
    check_kind(TEST_MESH_IRREGULAR, 40u << i, 0.3f, 1, origin, &r);
    check_kind(TEST_MESH_SPIKES, 80u << (2 * i), 0.3f, 1, origin, &r);
  }
  check_kind(TEST_MESH_IRREGULAR, 300, 0.3f, 3, (mo_vec3){1000.1f, -2000.2f, 3000.3f}, &r);
}

Test(watertight, torus_and_fan) {
  rng r = rng_make(rng_seed("watertight/torus", 24));
  check_kind(TEST_MESH_TORUS, 800, 0, 1, origin, &r);
  check_kind(TEST_MESH_FAN, 600, 0.2f, 1, origin, &r);
}

/* Far from the origin coordinates are coarse, so the mesh as rounded is what must be tight. */
Test(watertight, sphere_at_a_million) {
  rng r = rng_make(rng_seed("watertight/offset", 25));
  check_kind(TEST_MESH_SPHERE, 80, 0.2f, 10, (mo_vec3){1e6f, -1e6f, 1e6f}, &r);
}

/* In small integers all arithmetic is exact, so the very hits are known: closed triangles in exact
 * arithmetic, edges and vertices included. */
static int64_t edge(const int64_t p[2], const int64_t q[2]) {
  return p[0] * q[1] - p[1] * q[0];
}

/* 1 for a hit, 0 for none, -1 where the ray starts on the triangle, which rounding decides. */
static int meets(const mo_vec3 c[3], const int64_t o[3], const int64_t d[3]) {
  /* Sheared so that the ray is the z axis, times d_z, which is a power of two. */
  int64_t s[3][2];
  double z[3];
  for (int i = 0; i < 3; i++) {
    int64_t p[3] = {(int64_t)c[i].x - o[0], (int64_t)c[i].y - o[1], (int64_t)c[i].z - o[2]};
    s[i][0] = p[0] * d[2] - d[0] * p[2];
    s[i][1] = p[1] * d[2] - d[1] * p[2];
    z[i] = (double)p[2] / (double)d[2];
  }
  int64_t u = edge(s[1], s[2]), v = edge(s[2], s[0]), w = edge(s[0], s[1]);
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) {
    return 0;
  }
  if (u + v + w == 0) {
    return 0;
  }
  double t = ((double)u * z[0] + (double)v * z[1] + (double)w * z[2]) / (double)(u + v + w);
  return t > 0 ? 1 : t == 0 ? -1 : 0;
}

Test(watertight, lattice_hits_are_exact) {
  rng r = rng_make(rng_seed("watertight/lattice", 26));
  test_mesh mesh = test_mesh_make(TEST_MESH_LATTICE, 800, &r);
  mesh_family_build(&family, &mesh, true);
  for (uint64_t round = 0; round < rng_few_rounds(2000, 100000); round++) {
    int64_t o[3], d[3];
    for (int i = 0; i < 3; i++) {
      o[i] = (int64_t)rng_below(&r, 41) - 20;
      d[i] = (int64_t)rng_below(&r, 33) - 16;
    }
    d[2] = rng_below(&r, 2) ? 16 : -16;
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = (mo_vec3){(float)o[0], (float)o[1], (float)o[2]};
    ray.direction = (mo_vec3){(float)d[0], (float)d[1], (float)d[2]};
    uint32_t expected = 0;
    bool starts_on_surface = false;
    for (uint32_t i = 0; i < mesh.triangle_count; i++) {
      mo_vec3 c[3];
      test_mesh_corners(&mesh, i, c);
      int met = meets(c, o, d);
      expected += met == 1;
      starts_on_surface |= met < 0;
    }
    for (uint32_t i = 0; i < family.count && !starts_on_surface; i++) {
      uint32_t total = 0;
      cr_assert_eq(mo_mesh_cast_ray_all(family.meshes[i], &ray, NULL, 0, &total, NULL), MO_OK);
      cr_assert_eq(total, expected, "%u hits, not %u: %s", total, expected, check_ray_text(&ray));
    }
  }
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}
