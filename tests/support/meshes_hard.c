/* Generated meshes that are meant to hurt: slivers, coincident and degenerate triangles, sizes far
 * apart. */
#include <math.h>

#include "support/meshes.h"
#include "support/steady.h"

static mo_vec3 random_point(rng *r, float reach) {
  return rng_vec3(r, -reach, reach);
}

/* A point within `reach` of another, per axis. */
static mo_vec3 near(rng *r, mo_vec3 p, float reach) {
  mo_vec3 d = random_point(r, reach);
  return (mo_vec3){p.x + d.x, p.y + d.y, p.z + d.z};
}

static mo_vec3 between(mo_vec3 a, mo_vec3 b, float share) {
  return (mo_vec3){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)};
}

static void add_triangle_near(test_mesh *mesh, mo_vec3 p, float reach, rng *r) {
  mo_vec3 b = near(r, p, reach), c = near(r, p, reach);
  test_mesh_add_corners(mesh, p, b, c);
}

static test_mesh make_soup(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < size; i++) {
    mo_vec3 p = random_point(r, 1);
    float reach = i % 16 == 0 ? 1.0f : 0.2f;
    add_triangle_near(&mesh, p, reach, r);
  }
  return mesh;
}

static test_mesh make_slivers(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < size; i++) {
    mo_vec3 a = random_point(r, 1), b = near(r, a, 0.5f);
    float width = steady_power10(rng_float(r, -7, -4));
    test_mesh_add_corners(&mesh, a, b, near(r, between(a, b, rng_float(r, 0, 1)), width));
  }
  return mesh;
}

static test_mesh make_long_thin(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < size; i++) {
    mo_vec3 a = random_point(r, 1), b = {-a.x, -a.y, -a.z};
    /* From wall to wall through the middle third. */
    float s = 1 / fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z)));
    a = near(r, (mo_vec3){s * a.x, s * a.y, s * a.z}, 0.3f);
    b = near(r, (mo_vec3){s * b.x, s * b.y, s * b.z}, 0.3f);
    test_mesh_add_corners(&mesh, a, b, near(r, b, 0.01f));
  }
  return mesh;
}

/* Strips along the space diagonal: every box is the whole mesh, and no plane separates anything. */
static test_mesh make_long_parallel(uint32_t size) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < size; i++) {
    float d = 1e-3f * (float)i;
    test_mesh_add_corners(&mesh, (mo_vec3){-1 + d, -1 - d, -1}, (mo_vec3){1 + d, 1 - d, 1},
                          (mo_vec3){1 + d, 1 - d, 1.01f});
  }
  return mesh;
}

static test_mesh make_coincident(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  uint32_t v[3];
  for (int i = 0; i < 3; i++) {
    mo_vec3 p = random_point(r, 1);
    v[i] = test_mesh_add_vertex(&mesh, p.x, p.y, p.z);
  }
  for (uint32_t i = 0; i < size; i++) {
    test_mesh_add_triangle(&mesh, v[i % 3], v[(i + 1) % 3], v[(i + 2) % 3]);
  }
  return mesh;
}

static test_mesh make_duplicated(uint32_t size, rng *r) {
  test_mesh mesh = test_mesh_make_sphere(size / 3);
  mesh.closed = false;
  for (uint32_t i = 0, count = mesh.triangle_count; i < count; i++) {
    const uint32_t copies = 1 + rng_below(r, 3);
    for (uint32_t j = 0; j < copies; j++) {
      uint32_t a = mesh.indices[3 * i], b = mesh.indices[3 * i + 1], c = mesh.indices[3 * i + 2];
      if (j == 2) {
        test_mesh_add_triangle(&mesh, a, c, b);
      } else {
        test_mesh_add_triangle(&mesh, a, b, c);
      }
    }
  }
  return mesh;
}

static test_mesh make_degenerate(uint32_t size, bool all, rng *r) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < size; i++) {
    mo_vec3 a = random_point(r, 1), b = near(r, a, 0.5f), c = near(r, a, 0.5f);
    switch (rng_below(r, all ? 3 : 5)) {
    case 0:
      test_mesh_add_corners(&mesh, a, a, a);
      break;
    case 1: /* a segment with a corner at an end */
      test_mesh_add_corners(&mesh, a, i % 2 ? a : b, b);
      break;
    case 2: /* a segment along an axis with a corner in the middle: exactly collinear */
      b = (mo_vec3){a.x, a.y, a.z + 0.5f};
      test_mesh_add_corners(&mesh, a, b, (mo_vec3){a.x, a.y, a.z + 0.25f});
      break;
    default:
      test_mesh_add_corners(&mesh, a, b, c);
      break;
    }
  }
  return mesh;
}

/* Steps of 1/16 are the least there are at 1e6. */
static mo_vec3 few_steps(rng *r, mo_vec3 p, int max) {
  float d[3];
  for (int i = 0; i < 3; i++) {
    d[i] = 0.0625f * (float)((int)rng_below(r, 2 * (uint32_t)max + 1) - max);
  }
  return (mo_vec3){p.x + d[0], p.y + d[1], p.z + d[2]};
}

static test_mesh make_collinear(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  int spread = 60 + (int)size / 100;
  for (uint32_t i = 0; i < size; i++) {
    mo_vec3 a = few_steps(r, (mo_vec3){1e6f, -9e5f, 8e5f}, spread);
    mo_vec3 b = few_steps(r, a, 20);
    float along = (float)((int)rng_below(r, 7) - 3);
    mo_vec3 c = {a.x + along * (b.x - a.x), a.y + along * (b.y - a.y), a.z + along * (b.z - a.z)};
    c = rng_below(r, 4) == 0 ? few_steps(r, c, 1) : c;
    test_mesh_add_corners(&mesh, a, b, c);
  }
  return mesh;
}

/* Half of the triangles are of size 1e-6 to 1e-3 in a few spots, the rest up to the full extent. */
static test_mesh make_clusters(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  mo_vec3 spot[5];
  for (int i = 0; i < 5; i++) {
    spot[i] = random_point(r, 1);
  }
  for (uint32_t i = 0; i < size; i++) {
    float reach = steady_power10(rng_float(r, -6, 0));
    mo_vec3 p = near(r, spot[rng_below(r, 5)], 3 * reach);
    add_triangle_near(&mesh, p, reach, r);
  }
  return mesh;
}

static test_mesh make_mixed(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < size; i++) {
    float reach = steady_power10(rng_float(r, -30, 29));
    mo_vec3 p = random_point(r, reach);
    add_triangle_near(&mesh, p, reach, r);
  }
  return mesh;
}

static test_mesh make_sheets(uint32_t size, rng *r) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < (size + 1) / 2; i++) {
    float z = 1e-5f * (float)i + (rng_below(r, 8) ? 0.0f : 0.5f);
    uint32_t a = test_mesh_add_vertex(&mesh, -1, -1, z), b = test_mesh_add_vertex(&mesh, 1, -1, z);
    uint32_t c = test_mesh_add_vertex(&mesh, 1, 1, z), d = test_mesh_add_vertex(&mesh, -1, 1, z);
    test_mesh_add_triangle(&mesh, a, b, c);
    test_mesh_add_triangle(&mesh, a, c, d);
  }
  return mesh;
}

/* A double cone with many needles around its axis. */
static test_mesh make_fan(uint32_t size) {
  test_mesh mesh = {.closed = true};
  uint32_t n = size / 2 < 3 ? 3 : size / 2;
  uint32_t top = test_mesh_add_vertex(&mesh, 0, 0, 1), low = test_mesh_add_vertex(&mesh, 0, 0, -1);
  for (uint32_t i = 0; i < n; i++) {
    float a = 6.2831853f * (float)i / (float)n;
    test_mesh_add_vertex(&mesh, steady_cosine(a), steady_sine(a), 0);
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t p = 2 + i, q = 2 + (i + 1) % n;
    test_mesh_add_triangle(&mesh, top, p, q);
    test_mesh_add_triangle(&mesh, low, q, p);
  }
  return mesh;
}

test_mesh test_mesh_make_hard(test_mesh_kind kind, uint32_t size, rng *r) {
  switch (kind) {
  case TEST_MESH_SLIVERS:
    return make_slivers(size, r);
  case TEST_MESH_LONG_THIN:
    return make_long_thin(size, r);
  case TEST_MESH_LONG_PARALLEL:
    return make_long_parallel(size);
  case TEST_MESH_COINCIDENT:
    return make_coincident(size, r);
  case TEST_MESH_DUPLICATED:
    return make_duplicated(size, r);
  case TEST_MESH_DEGENERATE:
    return make_degenerate(size, false, r);
  case TEST_MESH_ALL_DEGENERATE:
    return make_degenerate(size, true, r);
  case TEST_MESH_COLLINEAR:
    return make_collinear(size, r);
  case TEST_MESH_ONE:
    return make_soup(1, r);
  case TEST_MESH_ZERO:
    return (test_mesh){0};
  case TEST_MESH_CLUSTERS:
    return make_clusters(size, r);
  case TEST_MESH_MIXED:
    return make_mixed(size, r);
  case TEST_MESH_SHEETS:
    return make_sheets(size, r);
  case TEST_MESH_FAN:
    return make_fan(size);
  default:
    return make_soup(size, r);
  }
}
