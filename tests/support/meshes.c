/* Generated meshes with well-shaped surfaces: grids, spheres, tori, boxes, and closed meshes that
 * are refined at random without T-junctions. */
#include "support/meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/steady.h"

static void *grow(void *memory, uint32_t count, uint32_t *capacity, size_t size) {
  if (count < *capacity) {
    return memory;
  }
  *capacity = *capacity ? 2 * *capacity : 64;
  void *grown = realloc(memory, *capacity * size);
  if (grown == NULL) {
    fprintf(stderr, "out of memory in a test\n");
    abort();
  }
  return grown;
}

uint32_t test_mesh_add_vertex(test_mesh *mesh, float x, float y, float z) {
  mesh->positions =
      grow(mesh->positions, mesh->vertex_count, &mesh->vertex_capacity, sizeof *mesh->positions);
  mesh->positions[mesh->vertex_count] = (mo_vec3){x, y, z};
  return mesh->vertex_count++;
}

void test_mesh_add_triangle(test_mesh *mesh, uint32_t a, uint32_t b, uint32_t c) {
  mesh->indices = grow(mesh->indices, mesh->triangle_count, &mesh->triangle_capacity,
                       3 * sizeof *mesh->indices);
  uint32_t *index = mesh->indices + 3 * (size_t)mesh->triangle_count++;
  index[0] = a;
  index[1] = b;
  index[2] = c;
}

void test_mesh_add_corners(test_mesh *mesh, mo_vec3 a, mo_vec3 b, mo_vec3 c) {
  uint32_t i = test_mesh_add_vertex(mesh, a.x, a.y, a.z);
  uint32_t j = test_mesh_add_vertex(mesh, b.x, b.y, b.z);
  test_mesh_add_triangle(mesh, i, j, test_mesh_add_vertex(mesh, c.x, c.y, c.z));
}

void test_mesh_free(test_mesh *mesh) {
  free(mesh->positions);
  free(mesh->indices);
  *mesh = (test_mesh){0};
}

void test_mesh_place(test_mesh *mesh, float scale, mo_vec3 offset) {
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    mo_vec3 *p = &mesh->positions[i];
    *p = (mo_vec3){scale * p->x + offset.x, scale * p->y + offset.y, scale * p->z + offset.z};
  }
  mesh->center = (mo_vec3){scale * mesh->center.x + offset.x, scale * mesh->center.y + offset.y,
                           scale * mesh->center.z + offset.z};
}

void test_mesh_corners(const test_mesh *mesh, uint32_t triangle, mo_vec3 corners[3]) {
  for (int i = 0; i < 3; i++) {
    corners[i] = mesh->positions[mesh->indices[3 * (size_t)triangle + (size_t)i]];
  }
}

mo_aabb test_mesh_bounds(const test_mesh *mesh) {
  mo_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
    mo_vec3 p = mesh->positions[mesh->indices[i]];
    box.lower =
        (mo_vec3){fminf(box.lower.x, p.x), fminf(box.lower.y, p.y), fminf(box.lower.z, p.z)};
    box.upper =
        (mo_vec3){fmaxf(box.upper.x, p.x), fmaxf(box.upper.y, p.y), fmaxf(box.upper.z, p.z)};
  }
  return box;
}

mo_mesh_def test_mesh_def(const test_mesh *mesh) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = mesh->positions;
  def.vertex_count = mesh->vertex_count;
  def.indices = mesh->indices;
  def.triangle_count = mesh->triangle_count;
  return def;
}

mo_mesh *test_mesh_build(const test_mesh *mesh) {
  mo_mesh_def def = test_mesh_def(mesh);
  mo_mesh *built = NULL;
  mo_result result = mo_mesh_create(&def, &built);
  if (result != MO_OK) {
    fprintf(stderr, "%s: %s\n", mesh->name, mo_result_name(result));
    abort();
  }
  return built;
}

mo_mesh *test_mesh_build_square(float lower, float upper) {
  test_mesh mesh = {.name = "square"};
  uint32_t a = test_mesh_add_vertex(&mesh, lower, lower, 0);
  uint32_t b = test_mesh_add_vertex(&mesh, upper, lower, 0);
  uint32_t c = test_mesh_add_vertex(&mesh, upper, upper, 0);
  uint32_t d = test_mesh_add_vertex(&mesh, lower, upper, 0);
  test_mesh_add_triangle(&mesh, a, b, c);
  test_mesh_add_triangle(&mesh, a, c, d);
  mo_mesh *built = test_mesh_build(&mesh);
  test_mesh_free(&mesh);
  return built;
}

/* A grid of n by n squares over [-1, 1]^2. */
static test_mesh make_grid(uint32_t size, float height, rng *r) {
  test_mesh mesh = {0};
  uint32_t n = (uint32_t)sqrt(size / 2.0);
  n = n ? n : 1;
  for (uint32_t i = 0; i <= n; i++) {
    for (uint32_t j = 0; j <= n; j++) {
      float x = 2 * (float)i / (float)n - 1, y = 2 * (float)j / (float)n - 1;
      float z = height * (steady_sine(5 * x) * steady_cosine(4 * y) + rng_float(r, -0.2f, 0.2f));
      test_mesh_add_vertex(&mesh, x, y, z);
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      uint32_t a = i * (n + 1) + j, b = a + n + 1;
      test_mesh_add_triangle(&mesh, a, b, b + 1);
      test_mesh_add_triangle(&mesh, a, b + 1, a + 1);
    }
  }
  return mesh;
}

/* The vertex in the middle of an edge; the same for both triangles that share it. */
static uint32_t middle(test_mesh *mesh, uint32_t a, uint32_t b, uint32_t (*cache)[3],
                       uint32_t *cache_count, uint32_t cache_size) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  uint32_t slot = (low * 2654435761u ^ high * 40503u) % cache_size;
  while (cache[slot][2] != UINT32_MAX) {
    if (cache[slot][0] == low && cache[slot][1] == high) {
      return cache[slot][2];
    }
    slot = (slot + 1) % cache_size;
  }
  mo_vec3 p = mesh->positions[low], q = mesh->positions[high];
  float x = p.x + q.x, y = p.y + q.y, z = p.z + q.z, length = sqrtf(x * x + y * y + z * z);
  cache[slot][0] = low;
  cache[slot][1] = high;
  cache[slot][2] = test_mesh_add_vertex(mesh, x / length, y / length, z / length);
  ++*cache_count;
  return cache[slot][2];
}

test_mesh test_mesh_make_sphere(uint32_t size) {
  test_mesh mesh = {.closed = true};
  const float a = 0.525731112f, b = 0.850650808f;
  const float corner[12][3] = {{-a, b, 0}, {a, b, 0}, {-a, -b, 0}, {a, -b, 0},
                               {0, -a, b}, {0, a, b}, {0, -a, -b}, {0, a, -b},
                               {b, 0, -a}, {b, 0, a}, {-b, 0, -a}, {-b, 0, a}};
  const uint32_t face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int i = 0; i < 12; i++) {
    test_mesh_add_vertex(&mesh, corner[i][0], corner[i][1], corner[i][2]);
  }
  for (int i = 0; i < 20; i++) {
    test_mesh_add_triangle(&mesh, face[i][0], face[i][1], face[i][2]);
  }
  while (mesh.triangle_count < size) {
    uint32_t cache_size = 4 * mesh.triangle_count, cache_count = 0, count = mesh.triangle_count;
    uint32_t(*cache)[3] = malloc(cache_size * sizeof *cache);
    memset(cache, 0xff, cache_size * sizeof *cache);
    for (uint32_t t = 0; t < count; t++) {
      uint32_t i = mesh.indices[3 * t], j = mesh.indices[3 * t + 1], k = mesh.indices[3 * t + 2];
      uint32_t ij = middle(&mesh, i, j, cache, &cache_count, cache_size);
      uint32_t jk = middle(&mesh, j, k, cache, &cache_count, cache_size);
      uint32_t ki = middle(&mesh, k, i, cache, &cache_count, cache_size);
      mesh.indices[3 * t + 1] = ij;
      mesh.indices[3 * t + 2] = ki;
      test_mesh_add_triangle(&mesh, ij, j, jk);
      test_mesh_add_triangle(&mesh, ki, jk, k);
      test_mesh_add_triangle(&mesh, ij, jk, ki);
    }
    free(cache);
  }
  return mesh;
}

static test_mesh make_torus(uint32_t size) {
  test_mesh mesh = {.closed = true, .center = {1, 0, 0}};
  uint32_t n = (uint32_t)sqrt(size / 2.0);
  n = n < 3 ? 3 : n;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      float u = 6.2831853f * (float)i / (float)n, v = 6.2831853f * (float)j / (float)n;
      float r = 1 + 0.4f * steady_cosine(v);
      test_mesh_add_vertex(&mesh, r * steady_cosine(u), r * steady_sine(u), 0.4f * steady_sine(v));
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      uint32_t i1 = (i + 1) % n, j1 = (j + 1) % n;
      test_mesh_add_triangle(&mesh, i * n + j, i1 * n + j, i1 * n + j1);
      test_mesh_add_triangle(&mesh, i * n + j, i1 * n + j1, i * n + j1);
    }
  }
  return mesh;
}

/* The vertex of an integer lattice point on the surface of a cube, made when first needed. */
static uint32_t lattice_vertex(test_mesh *mesh, uint32_t *grid, uint32_t n, uint32_t x, uint32_t y,
                               uint32_t z, float step) {
  uint32_t *slot = &grid[(x * (n + 1) + y) * (n + 1) + z];
  if (*slot == UINT32_MAX) {
    float half = (float)n / 2;
    *slot = test_mesh_add_vertex(mesh, step * ((float)x - half), step * ((float)y - half),
                                 step * ((float)z - half));
  }
  return *slot;
}

/* A cube with n by n squares on each face, n even, `step` wide. */
static test_mesh make_box(uint32_t size, float step) {
  test_mesh mesh = {.closed = true};
  uint32_t n = 2 * (uint32_t)sqrt(size / 48.0);
  n = n ? n : 2;
  if (step == 0) {
    step = 2.0f / (float)n;
  }
  size_t cells = (size_t)(n + 1) * (n + 1) * (n + 1);
  uint32_t *grid = malloc(cells * sizeof *grid);
  memset(grid, 0xff, cells * sizeof *grid);
  for (uint32_t side = 0; side < 6; side++) {
    for (uint32_t i = 0; i < n; i++) {
      for (uint32_t j = 0; j < n; j++) {
        uint32_t v[4];
        for (uint32_t k = 0; k < 4; k++) {
          uint32_t at[3], axis = side / 2;
          at[axis] = side & 1 ? n : 0;
          at[(axis + 1) % 3] = i + (k == 1 || k == 2);
          at[(axis + 2) % 3] = j + (k >= 2);
          v[k] = lattice_vertex(&mesh, grid, n, at[0], at[1], at[2], step);
        }
        /* Diagonals alternate, so that vertices of four and of eight triangles occur. */
        uint32_t turn = (i + j) & 1;
        uint32_t a = v[turn], b = v[turn + 1], c = v[turn + 2], d = v[(turn + 3) & 3];
        if (side & 1) {
          test_mesh_add_triangle(&mesh, a, b, c);
          test_mesh_add_triangle(&mesh, a, c, d);
        } else {
          test_mesh_add_triangle(&mesh, a, c, b);
          test_mesh_add_triangle(&mesh, a, d, c);
        }
      }
    }
  }
  free(grid);
  return mesh;
}

/* Splits the edge between corners k and k + 1 of triangle t in the triangles on both sides. */
static void split_edge(test_mesh *mesh, uint32_t t, uint32_t k, float share) {
  uint32_t a = mesh->indices[3 * t + k], b = mesh->indices[3 * t + (k + 1) % 3];
  mo_vec3 p = mesh->positions[a], q = mesh->positions[b];
  uint32_t m = test_mesh_add_vertex(mesh, p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                    p.z + share * (q.z - p.z));
  for (uint32_t i = 0, count = mesh->triangle_count; i < count; i++) {
    for (uint32_t j = 0; j < 3; j++) {
      uint32_t from = mesh->indices[3 * i + j], to = mesh->indices[3 * i + (j + 1) % 3];
      if ((from == a && to == b) || (from == b && to == a)) {
        mesh->indices[3 * i + (j + 1) % 3] = m;
        test_mesh_add_triangle(mesh, m, to, mesh->indices[3 * i + (j + 2) % 3]);
        break;
      }
    }
  }
}

static test_mesh make_irregular(uint32_t size, rng *r) {
  test_mesh mesh = test_mesh_make_sphere(size < 100 ? 20 : 80);
  while (mesh.triangle_count < size) {
    /* Half of the splits fall into the last triangles, so that some regions get very fine. */
    uint32_t count = mesh.triangle_count, among = rng_below(r, 2) ? count : 1 + count / 8;
    uint32_t triangle = count - 1 - rng_below(r, among), edge = rng_below(r, 3);
    split_edge(&mesh, triangle, edge, rng_float(r, 0.1f, 0.9f));
  }
  return mesh;
}

static test_mesh make_spikes(uint32_t size, rng *r) {
  test_mesh mesh = test_mesh_make_sphere(size);
  for (uint32_t i = 0; i < mesh.vertex_count; i++) {
    float s = rng_float(r, 1, 4);
    mo_vec3 *p = &mesh.positions[i];
    *p = (mo_vec3){s * p->x, s * p->y, s * p->z};
  }
  return mesh;
}

const char *test_mesh_kind_name(test_mesh_kind kind) {
  static const char *const names[] = {
#define TEST_MESH_NAME(name, text) text,
      TEST_MESH_KINDS(TEST_MESH_NAME)
#undef TEST_MESH_NAME
  };
  return names[kind];
}

test_mesh test_mesh_make(test_mesh_kind kind, uint32_t size, rng *r) {
  test_mesh mesh;
  switch (kind) {
  case TEST_MESH_TERRAIN:
    mesh = make_grid(size, 0.2f, r);
    break;
  case TEST_MESH_FLAT:
    mesh = make_grid(size, 0, r);
    break;
  case TEST_MESH_SPHERE:
    mesh = test_mesh_make_sphere(size);
    break;
  case TEST_MESH_TORUS:
    mesh = make_torus(size);
    break;
  case TEST_MESH_BOX:
    mesh = make_box(size, 0);
    break;
  case TEST_MESH_IRREGULAR:
    mesh = make_irregular(size, r);
    break;
  case TEST_MESH_SPIKES:
    mesh = make_spikes(size, r);
    break;
  case TEST_MESH_LATTICE:
    mesh = make_box(size, 1);
    break;
  case TEST_MESH_OFFSET:
    mesh = test_mesh_make_sphere(size);
    test_mesh_place(&mesh, 1, (mo_vec3){1e6f, -1e6f, 1e6f});
    /* Coordinates step by 1/16 here: neighbours fall together, and triangles turn over. */
    mesh.center = (mo_vec3){1e6f, -1e6f, 1e6f};
    break;
  case TEST_MESH_TINY:
    mesh = test_mesh_make_sphere(size);
    test_mesh_place(&mesh, 1e-30f, (mo_vec3){0, 0, 0});
    break;
  case TEST_MESH_HUGE:
    mesh = test_mesh_make_sphere(size);
    test_mesh_place(&mesh, 5e29f, (mo_vec3){0, 0, 0});
    break;
  default:
    mesh = test_mesh_make_hard(kind, size, r);
    break;
  }
  snprintf(mesh.name, sizeof mesh.name, "%s-%u", test_mesh_kind_name(kind), mesh.triangle_count);
  return mesh;
}
