/* Pairs of triangles of two meshes that touch, beside separating axes in whole numbers. Corners lie
 * on a grid, so that many triangles only just touch, at corners, along edges, or in one plane; maps
 * permute and mirror the axes and move by whole numbers, so all coordinates in the world are exact.
 */
#include <criterion/criterion.h>
#include <motte/overlap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/families.h"

enum { TRIANGLES = 60, MAX = TRIANGLES * TRIANGLES };

typedef struct whole {
  int64_t x, y, z;
} whole;

static whole minus(whole a, whole b) {
  return (whole){a.x - b.x, a.y - b.y, a.z - b.z};
}

static whole cross(whole a, whole b) {
  return (whole){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static int64_t dot(whole a, whole b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool is_zero(whole a) {
  return a.x == 0 && a.y == 0 && a.z == 0;
}

/* Whether an axis separates two triangles. */
static bool separates(whole axis, const whole a[3], const whole b[3]) {
  int64_t min[2] = {INT64_MAX, INT64_MAX}, max[2] = {INT64_MIN, INT64_MIN};
  for (int i = 0; i < 3; i++) {
    const int64_t at[2] = {dot(axis, a[i]), dot(axis, b[i])};
    for (int k = 0; k < 2; k++) {
      min[k] = at[k] < min[k] ? at[k] : min[k];
      max[k] = at[k] > max[k] ? at[k] : max[k];
    }
  }
  return max[0] < min[1] || max[1] < min[0];
}

/* Whether two triangles with areas have a point in common. If they have none, one of these axes
 * separates them: normals, cross products of edges, and, for triangles in one plane, directions in
 * it at right angles to edges. Products stay below 2^50 where coordinates are below 2^10. */
static bool triangles_touch(const whole a[3], const whole b[3]) {
  whole e[2][3], normal[2];
  for (int i = 0; i < 3; i++) {
    e[0][i] = minus(a[(i + 1) % 3], a[i]);
    e[1][i] = minus(b[(i + 1) % 3], b[i]);
  }
  normal[0] = cross(e[0][0], e[0][1]);
  normal[1] = cross(e[1][0], e[1][1]);
  bool apart = separates(normal[0], a, b) || separates(normal[1], a, b);
  for (int i = 0; i < 3; i++) {
    apart = apart || separates(cross(normal[0], e[0][i]), a, b) ||
            separates(cross(normal[1], e[1][i]), a, b);
    for (int k = 0; k < 3; k++) {
      apart = apart || separates(cross(e[0][i], e[1][k]), a, b);
    }
  }
  return !apart;
}

static whole random_point(rng *r, uint32_t size) {
  return (whole){rng_below(r, size + 1), rng_below(r, size + 1), rng_below(r, size + 1)};
}

static mo_vec3 to_floats(whole p) {
  return (mo_vec3){(float)p.x, (float)p.y, (float)p.z};
}

/* A mesh of triangles on a grid. Most are near the one before, some share an edge with it. */
static test_mesh make_mesh(rng *r, uint32_t size, whole corners[TRIANGLES][3]) {
  test_mesh mesh = {0};
  for (int i = 0; i < TRIANGLES; i++) {
    whole *c = corners[i];
    do {
      for (int k = 0; k < 3; k++) {
        const bool shares = i > 0 && k < 2 && rng_chance(r, 0.3);
        c[k] = shares ? corners[i - 1][k] : random_point(r, size);
      }
    } while (is_zero(cross(minus(c[1], c[0]), minus(c[2], c[0]))));
    test_mesh_add_corners(&mesh, to_floats(c[0]), to_floats(c[1]), to_floats(c[2]));
  }
  return mesh;
}

/* A map that permutes and mirrors the axes, and moves. */
typedef struct grid_map {
  int axis[3], sign[3];
  whole by;
} grid_map;

static grid_map random_map(rng *r, uint32_t size) {
  grid_map map = {{0, 1, 2}, {1, 1, 1}, {0, 0, 0}};
  for (int i = 0; i < 3; i++) {
    const int with = i + (int)rng_below(r, 3 - (uint32_t)i), axis = map.axis[i];
    map.axis[i] = map.axis[with];
    map.axis[with] = axis;
    map.sign[i] = rng_chance(r, 0.5) ? 1 : -1;
  }
  const whole by = random_point(r, size);
  map.by = (whole){map.sign[0] < 0 ? by.x + size : by.x - size / 2,
                   map.sign[1] < 0 ? by.y + size / 2 : by.y - size / 2, by.z - size / 2};
  return map;
}

static whole image(const grid_map *map, whole p) {
  const int64_t from[3] = {p.x, p.y, p.z};
  return (whole){map->sign[0] * from[map->axis[0]] + map->by.x,
                 map->sign[1] * from[map->axis[1]] + map->by.y,
                 map->sign[2] * from[map->axis[2]] + map->by.z};
}

static mo_transform transform_of(const grid_map *map) {
  mo_transform t = {.origin = to_floats(map->by)};
  mo_vec3 *const columns[3] = {&t.x_axis, &t.y_axis, &t.z_axis};
  for (int row = 0; row < 3; row++) {
    float *entries = &columns[map->axis[row]]->x;
    entries[row] = (float)map->sign[row];
  }
  return t;
}

static mo_triangle_pair expected[MAX], got[MAX];

static uint32_t expect(whole a[TRIANGLES][3], const grid_map *map_a, whole b[TRIANGLES][3],
                       const grid_map *map_b) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < TRIANGLES; i++) {
    for (uint32_t k = 0; k < TRIANGLES; k++) {
      whole w[2][3];
      for (int m = 0; m < 3; m++) {
        w[0][m] = image(map_a, a[i][m]);
        w[1][m] = image(map_b, b[k][m]);
      }
      if (triangles_touch(w[0], w[1])) {
        expected[count++] = (mo_triangle_pair){i, k};
      }
    }
  }
  return count;
}

Test(mesh_pair_exact, triangles_on_grids) {
  static const uint32_t sizes[] = {2, 3, 5, 9, 33, 129, 511};
  rng r = rng_make(rng_seed("mesh_pair_exact/triangles_on_grids", 4450));
  uint64_t found = 0, tested = 0;
  for (uint64_t round = 0; round < rng_few_rounds(6, 40); round++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      static whole corners[2][TRIANGLES][3];
      static mesh_family families[2];
      test_mesh meshes[2];
      for (int m = 0; m < 2; m++) {
        meshes[m] = make_mesh(&r, sizes[s], corners[m]);
        mesh_family_build(&families[m], &meshes[m], true);
      }
      for (int pose = 0; pose < 4; pose++) {
        const grid_map map_a = random_map(&r, sizes[s]), map_b = random_map(&r, sizes[s]);
        const uint32_t count = expect(corners[0], &map_a, corners[1], &map_b);
        for (uint32_t i = 0; i < families[0].count; i++) {
          mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
          def.other = families[1].meshes[rng_below(&r, families[1].count)];
          def.transform = transform_of(&map_a);
          def.other_transform = transform_of(&map_b);
          uint32_t total;
          cr_assert_eq(mo_mesh_overlap_mesh(families[0].meshes[i], &def, got, MAX, &total, NULL),
                       MO_OK);
          cr_assert(total == count && memcmp(got, expected, count * sizeof *got) == 0,
                    "on a grid of %u: %u pairs touch, not %u", sizes[s], count, total);
        }
        found += count;
        tested += MAX;
      }
      for (int m = 0; m < 2; m++) {
        cr_assert(mesh_family_free(&families[m]));
        test_mesh_free(&meshes[m]);
      }
    }
  }
  fprintf(stderr, "%llu of %llu pairs touch\n", (unsigned long long)found,
          (unsigned long long)tested);
  cr_assert_gt(found, tested / 50);
}
