/* Hard clouds with known hulls; large ones, whose points are all inside; vertex limits. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/hull/clouds.h"

static mo_hull *make(const mo_vec3 *points, uint32_t count, uint32_t limit) {
  mo_hull_def def = cloud_def(points, count);
  def.vertex_limit = limit;
  mo_hull *hull = NULL;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  cr_assert_eq(mo_hull_validate(hull), MO_OK);
  return hull;
}

static mo_hull_info info_of(const mo_hull *hull) {
  mo_hull_info info;
  cr_assert_eq(mo_hull_get_info(hull, &info), MO_OK);
  return info;
}

static void expect_counts(const mo_hull *hull, uint32_t vertices, uint32_t edges, uint32_t faces) {
  mo_hull_info info = info_of(hull);
  cr_assert(info.vertex_count == vertices && info.edge_count == edges && info.face_count == faces,
            "%u %u %u", info.vertex_count, info.edge_count, info.face_count);
}

/* 10^5 points exactly on its faces are no vertices. */
Test(hull_cases, cube_with_points_on_its_faces) {
  enum { COUNT = 100008 };
  rng r = rng_make(rng_seed("hull_cases/cube", 64));
  mo_vec3 *points = malloc(COUNT * sizeof *points);
  cloud_fill(CLOUD_CUBE_FACES, points, COUNT, &r);
  mo_hull *hull = make(points, COUNT, MO_MAX_HULL_POINTS);
  expect_counts(hull, 8, 12, 6);
  mo_hull_info info = info_of(hull);
  cr_assert(info.volume == 8 && info.surface_area == 24 && !info.flat && info.distance_lost == 0);
  cr_assert(info.centroid.x == 0 && info.centroid.y == 0 && info.centroid.z == 0);
  for (uint32_t i = 0; i < 6; i++) {
    mo_hull_face face;
    cr_assert_eq(mo_hull_get_face(hull, i, &face, NULL, 0), MO_OK);
    cr_assert(face.vertex_count == 4 && face.plane.offset == 1);
  }
  mo_hull_release(hull);
  free(points);
}

Test(hull_cases, grid) {
  static mo_vec3 points[1000];
  for (uint32_t i = 0; i < 1000; i++) {
    points[i] =
        (mo_vec3){(float)(i % 10) * 0.1f, (float)(i / 10 % 10) * 0.1f, (float)(i / 100) * 0.1f};
  }
  mo_hull *hull = make(points, 1000, MO_MAX_HULL_POINTS);
  expect_counts(hull, 8, 12, 6);
  mo_hull_release(hull);
}

Test(hull_cases, duplicates) {
  static mo_vec3 points[8000];
  for (uint32_t i = 0; i < 8000; i++) {
    points[i] = (mo_vec3){i & 1 ? 3 : 1, i & 2 ? 1e-3f : 0, i & 4 ? 1e6f : -1e6f};
  }
  mo_hull *hull = make(points, 8000, MO_MAX_HULL_POINTS);
  expect_counts(hull, 8, 12, 6);
  mo_hull_release(hull);
}

/* A box one ulp thick has a volume, and no tolerance takes it away. */
Test(hull_cases, slab_of_one_ulp) {
  mo_vec3 points[8];
  for (uint32_t i = 0; i < 8; i++) {
    points[i] = (mo_vec3){i & 1 ? 1 : 0, i & 2 ? 1 : 0, i & 4 ? 1 : nextafterf(1, 2)};
  }
  mo_hull *hull = make(points, 8, MO_MAX_HULL_POINTS);
  expect_counts(hull, 8, 12, 6);
  cr_assert_eq(info_of(hull).volume, 0x1p-23);
  mo_hull_release(hull);
}

Test(hull_cases, square) {
  static const mo_vec3 points[] = {{0, 0, 2}, {1, 0, 2},    {1, 1, 2},
                                   {0, 1, 2}, {0.5f, 0, 2}, {0.5f, 0.5f, 2}};
  mo_hull *hull = make(points, 6, MO_MAX_HULL_POINTS);
  expect_counts(hull, 4, 4, 2);
  mo_hull_info info = info_of(hull);
  cr_assert(info.flat && info.volume == 0 && info.surface_area == 2);
  cr_assert(info.centroid.x == 0.5f && info.centroid.y == 0.5f && info.centroid.z == 2);
  for (uint32_t i = 0; i < 2; i++) {
    mo_hull_face face;
    uint32_t loop[4];
    cr_assert_eq(mo_hull_get_face(hull, i, &face, loop, 4), MO_OK);
    /* Vertices: (0, 0), (0, 1), (1, 0), (1, 1). */
    cr_assert(face.vertex_count == 4 && loop[0] == 0 && loop[1] == i + 1 && loop[2] == 3);
    cr_assert_eq(face.plane.normal.z, i == 0 ? 1 : -1);
    cr_assert_eq(face.plane.offset, i == 0 ? -2 : 2);
  }
  mo_hull_release(hull);
}

/* An octahedron: everything that can be read, by hand. */
Test(hull_cases, octahedron) {
  static const mo_vec3 points[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                   {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  mo_hull *hull = make(points, 6, MO_MAX_HULL_POINTS);
  expect_counts(hull, 6, 12, 8);
  mo_vec3 vertices[6];
  uint32_t total;
  cr_assert_eq(mo_hull_get_vertices(hull, vertices, 6, &total), MO_OK);
  static const mo_vec3 sorted[] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1},
                                   {0, 0, 1},  {0, 1, 0},  {1, 0, 0}};
  cr_assert_eq(total, 6);
  cr_assert_eq(memcmp(vertices, sorted, sizeof sorted), 0);
  uint32_t around[6];
  cr_assert_eq(mo_hull_get_neighbors(hull, 0, around, 6, &total), MO_OK);
  cr_assert(total == 4 && around[0] == 1 && around[1] == 3 && around[2] == 4 && around[3] == 2,
            "%u %u %u %u", around[0], around[1], around[2], around[3]);
  mo_hull_face face;
  uint32_t loop[3];
  cr_assert_eq(mo_hull_get_face(hull, 0, &face, loop, 3), MO_OK);
  cr_assert(loop[0] == 0 && loop[1] == 1 && loop[2] == 3);
  cr_assert_float_eq(face.plane.normal.x, 0.57735f, 1e-5f);
  cr_assert_float_eq(face.plane.normal.y, 0.57735f, 1e-5f);
  cr_assert_float_eq(face.plane.normal.z, -0.57735f, 1e-5f);
  mo_hull_edge edges[12];
  cr_assert_eq(mo_hull_get_edges(hull, edges, 12, &total), MO_OK);
  cr_assert_eq(total, 12);
  for (int i = 0; i < 12; i++) {
    cr_assert(edges[i].vertices[0] < edges[i].vertices[1] &&
              edges[i].faces[0] != edges[i].faces[1]);
  }
  cr_assert_float_eq(info_of(hull).volume, 4.0 / 3.0, 1e-15);
  mo_hull_release(hull);
}

/* Whether points are inside, exactly: some of them where there are many faces. */
static void expect_inside(const mo_hull *hull, const mo_vec3 *points, uint32_t count) {
  uint32_t step = 1 + (uint32_t)((uint64_t)count * info_of(hull).face_count / 100000);
  for (uint32_t i = 0; i < count; i += step) {
    cr_assert(cloud_is_inside(hull, points[i]), "point %u is outside", i);
  }
}

Test(hull_cases, all_points_are_inside) {
  enum { COUNT = 5000 };
  rng r = rng_make(rng_seed("hull_cases/inside", 65));
  mo_vec3 *points = malloc(COUNT * sizeof *points);
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    cloud_fill((cloud_kind)kind, points, COUNT, &r);
    mo_hull *hull = make(points, COUNT, MO_MAX_HULL_POINTS);
    cr_assert_eq(info_of(hull).flat, kind == CLOUD_FLAT);
    expect_inside(hull, points, COUNT);
    mo_hull_release(hull);
  }
  free(points);
}

Test(hull_cases, sphere) {
  const uint32_t count = 20000; /* as many as the tolerances need */
  rng r = rng_make(rng_seed("hull_cases/sphere", 66));
  mo_vec3 *points = malloc(count * sizeof *points);
  cloud_fill(CLOUD_SPHERE, points, count, &r);
  mo_hull *hull = make(points, count, MO_MAX_HULL_POINTS);
  mo_hull_info info = info_of(hull);
  cr_assert_eq(info.vertex_count + info.face_count, info.edge_count + 2);
  cr_assert_float_eq(info.volume, 4.18879, 0.01);
  cr_assert_float_eq(info.surface_area, 12.56637, 0.01);
  mo_hull_release(hull);
  free(points);
}

/* Points near one another on two arcs, on a cone, on a curve of which every two see each other. */
Test(hull_cases, long_fans) {
  enum { COUNT = 20000 };
  mo_vec3 *points = malloc(COUNT * sizeof *points);
  for (int form = 0; form < 3; form++) {
    for (uint32_t i = 0; i < COUNT; i++) {
      float t = (float)i / COUNT, u = t * t;
      points[i] = form == 0   ? (mo_vec3){t, u, u * t}
                  : form == 1 ? (i % 2 ? (mo_vec3){t, 0, u} : (mo_vec3){0, t, -u})
                              : (i > 0 ? (mo_vec3){t, u, 1} : (mo_vec3){0, 0, 2});
    }
    mo_hull_release(make(points, COUNT, MO_MAX_HULL_POINTS));
  }
  free(points);
}

/* The farthest come first, and how far the others stick out is told. */
Test(hull_cases, vertex_limit) {
  enum { COUNT = 3000 };
  rng r = rng_make(rng_seed("hull_cases/limit", 67));
  static mo_vec3 points[COUNT];
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    cloud_fill((cloud_kind)kind, points, COUNT, &r);
    mo_hull *whole = make(points, COUNT, MO_MAX_HULL_POINTS);
    mo_hull_info full = info_of(whole);
    float before = INFINITY;
    static const uint32_t limits[] = {4, 8, 64, COUNT};
    for (int i = 0; i < 4; i++) {
      mo_hull *hull = make(points, COUNT, limits[i]);
      mo_hull_info info = info_of(hull);
      uint32_t max = full.vertex_count < limits[i] ? full.vertex_count : limits[i];
      cr_assert_eq(info.vertex_count, max);
      cr_assert_eq(info.distance_lost > 0, max < full.vertex_count);
      cr_assert_leq(info.distance_lost, before, "%s", cloud_name((cloud_kind)kind));
      cr_assert_leq(info.volume, full.volume);
      before = info.distance_lost;
      mo_hull_release(hull);
    }
    mo_hull_release(whole);
  }
}

/* Of a double pyramid its lower apex, the last to be taken; of a flat house a corner. */
Test(hull_cases, distance_lost) {
  static const mo_vec3 pyramid[] = {{0, 0, 0},   {20, 0, 0},  {0, 20, 0},
                                    {20, 20, 0}, {10, 10, 5}, {10, 10, -1}};
  mo_hull *hull = make(pyramid, 6, 5);
  cr_assert_eq(info_of(hull).distance_lost, 1);
  cr_assert_eq(info_of(hull).vertex_count, 5);
  mo_hull_release(hull);
  static const mo_vec3 house[] = {{0, 0, 0}, {8, 0, 0}, {0, 4, 0}, {8, 4, 0}, {4, 5, 0}};
  hull = make(house, 5, 4);
  cr_assert_float_eq(info_of(hull).distance_lost, 16 / sqrt(41), 1e-6);
  cr_assert(info_of(hull).flat && info_of(hull).vertex_count == 4);
  mo_hull_release(hull);
}
