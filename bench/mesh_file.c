#include "mesh_file.h"

#include <math.h>
#include <motte/hull.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "text.h"

void bench_mesh_find_bounds(bench_mesh *mesh) {
  mo_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t i = 0; i < 3 * (size_t)mesh->triangles.triangle_count; i++) {
    mo_vec3 p = mesh->triangles.positions[mesh->triangles.indices[i]];
    box.lower =
        (mo_vec3){fminf(box.lower.x, p.x), fminf(box.lower.y, p.y), fminf(box.lower.z, p.z)};
    box.upper =
        (mo_vec3){fmaxf(box.upper.x, p.x), fmaxf(box.upper.y, p.y), fmaxf(box.upper.z, p.z)};
  }
  mesh->bounds = box;
}

bench_mesh *bench_mesh_of(struct triangles source, char *name) {
  bench_mesh *mesh = allocate(1, sizeof *mesh);
  mesh->name = name;
  mesh->triangles = source;
  mo_vec3 *positions =
      realloc(source.positions, ((size_t)source.vertex_count + 1) * sizeof *positions);
  if (positions == NULL) {
    fail("cannot allocate %u positions", source.vertex_count);
  }
  positions[source.vertex_count] = (mo_vec3){0, 0, 0};
  mesh->triangles.positions = positions;
  bench_mesh_find_bounds(mesh);
  return mesh;
}

bench_mesh *bench_mesh_load(const char *path) {
  struct triangles source;
  const char *error;
  if (!triangles_load(path, &source, &error)) {
    fail("%s: %s", path, error);
  }
  return bench_mesh_of(source, bench_stem(path));
}

bench_mesh *bench_mesh_generate(uint32_t segments) {
  return bench_mesh_of(triangles_make_knot(2, 3, segments, segments / 8), bench_format("knot"));
}

/* Appends the triangles of a face. */
static void add_face(const mo_hull *hull, uint32_t index, uint32_t *corners, uint32_t capacity,
                     struct triangles *to) {
  mo_hull_face face;
  check(mo_hull_get_face(hull, index, &face, corners, capacity), "read a face of a hull");
  for (uint32_t i = 2; i < face.vertex_count; i++) {
    uint32_t *triangle = &to->indices[3 * (size_t)to->triangle_count++];
    triangle[0] = corners[0];
    triangle[1] = corners[i - 1];
    triangle[2] = corners[i];
  }
}

bench_mesh *bench_mesh_hull_of(const mo_vec3 *points, uint32_t count) {
  mo_hull_def def = mo_default_hull_def();
  mo_hull *hull;
  mo_hull_info info;
  def.positions = points;
  def.position_count = count;
  check(mo_hull_create(&def, &hull), "create a hull");
  check(mo_hull_get_info(hull, &info), "read a hull");
  struct triangles triangles = {
      .vertex_count = info.vertex_count,
      .positions = allocate(info.vertex_count, sizeof *triangles.positions),
      .indices = allocate(3 * 2 * (size_t)info.vertex_count, sizeof *triangles.indices)};
  check(mo_hull_get_vertices(hull, triangles.positions, info.vertex_count, NULL), "read a hull");
  uint32_t *corners = allocate(info.vertex_count, sizeof *corners);
  for (uint32_t i = 0; i < info.face_count; i++) {
    add_face(hull, i, corners, info.vertex_count, &triangles);
  }
  free(corners);
  mo_hull_release(hull);
  return bench_mesh_of(triangles, bench_format("hull"));
}

bench_mesh *bench_mesh_generate_sticks(uint32_t count, uint64_t seed) {
  const mo_aabb box = {{-1, -1, -1}, {1, 1, 1}},
                small = {{-0.01f, -0.01f, -0.01f}, {0.01f, 0.01f, 0.01f}};
  struct random_stream random = random_from_seed(seed);
  struct triangles sticks = {
      .positions = allocate(3 * (size_t)count, sizeof *sticks.positions),
      .indices = allocate(3 * (size_t)count, sizeof *sticks.indices),
      .vertex_count = 3 * count,
      .triangle_count = count,
  };
  for (uint32_t i = 0; i < 3 * count; i++) {
    mo_vec3 *p = &sticks.positions[i];
    *p = random_point_in(&random, i % 3 == 2 ? small : box);
    if (i % 3 == 2) {
      *p = (mo_vec3){p->x + p[-1].x, p->y + p[-1].y, p->z + p[-1].z};
    }
    sticks.indices[i] = i;
  }
  return bench_mesh_of(sticks, bench_format("sticks"));
}

void bench_mesh_normalise(bench_mesh *mesh) {
  mo_vec3 lower = mesh->bounds.lower, upper = mesh->bounds.upper;
  mo_vec3 middle = {(lower.x + upper.x) / 2, (lower.y + upper.y) / 2, (lower.z + upper.z) / 2};
  float size = fmaxf(upper.x - lower.x, fmaxf(upper.y - lower.y, upper.z - lower.z));
  float scale = size > 0 ? 2 / size : 1;
  for (uint32_t i = 0; i < mesh->triangles.vertex_count; i++) {
    mo_vec3 *p = &mesh->triangles.positions[i];
    *p = (mo_vec3){scale * (p->x - middle.x), scale * (p->y - middle.y), scale * (p->z - middle.z)};
  }
  bench_mesh_find_bounds(mesh);
}

mo_mesh_def bench_mesh_def(const bench_mesh *mesh) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = mesh->triangles.positions;
  def.vertex_count = mesh->triangles.vertex_count;
  def.indices = mesh->triangles.indices;
  def.triangle_count = mesh->triangles.triangle_count;
  return def;
}

void bench_mesh_free(bench_mesh *mesh) {
  if (mesh != NULL) {
    free(mesh->name);
    triangles_free(&mesh->triangles);
    free(mesh);
  }
}
