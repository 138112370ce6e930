/* What each build quality guarantees of the tree, by expected visits and by counts. */
#include <criterion/criterion.h>
#include <motte/query.h>

#include "support/meshes.h"

static mo_mesh *build(const test_mesh *mesh, mo_mesh_quality quality) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.quality = quality;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  return built;
}

static double expected_visits(const test_mesh *mesh, mo_mesh_quality quality) {
  mo_mesh *built = build(mesh, quality);
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(built, &stats), MO_OK);
  mo_mesh_release(built);
  return stats.expected_node_visits + stats.expected_block_visits;
}

/* Without a search for planes the tree still serves rays well. */
Test(mesh_quality, fast_trees_cost_little_more) {
  rng r = rng_make(rng_seed("mesh_quality/fast", 41));
  static const test_mesh_kind kinds[] = {TEST_MESH_TERRAIN, TEST_MESH_SPHERE,    TEST_MESH_TORUS,
                                         TEST_MESH_SPIKES,  TEST_MESH_IRREGULAR, TEST_MESH_BOX,
                                         TEST_MESH_SOUP};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_mesh mesh = test_mesh_make(kinds[k], 20000, &r);
    double ratio = expected_visits(&mesh, MO_MESH_QUALITY_FAST) /
                   expected_visits(&mesh, MO_MESH_QUALITY_DEFAULT);
    cr_assert_leq(ratio, 1.3, "%s: %g times the visits", mesh.name, ratio);
    test_mesh_free(&mesh);
  }
}

static void add_cuboid(test_mesh *mesh, mo_vec3 a, mo_vec3 b) {
  static const uint8_t faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                      {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  uint32_t v[8];
  for (uint32_t i = 0; i < 8; i++) {
    v[i] = test_mesh_add_vertex(mesh, i & 1 ? b.x : a.x, i & 2 ? b.y : a.y, i & 4 ? b.z : a.z);
  }
  for (int f = 0; f < 6; f++) {
    test_mesh_add_triangle(mesh, v[faces[f][0]], v[faces[f][1]], v[faces[f][2]]);
    test_mesh_add_triangle(mesh, v[faces[f][0]], v[faces[f][2]], v[faces[f][3]]);
  }
}

/* A game map: houses, crates and long walls in a sky box of twelve triangles. */
static test_mesh make_map(rng *r) {
  test_mesh mesh = test_mesh_make(TEST_MESH_ZERO, 0, r);
  add_cuboid(&mesh, (mo_vec3){-100, -100, -5}, (mo_vec3){100, 100, 60});
  for (int i = 0; i < 900; i++) {
    float size = i % 9 == 0 ? 12.0f : 1.5f;
    mo_vec3 at = {rng_float(r, -95, 95), rng_float(r, -95, 95), i % 3 ? 0 : rng_float(r, 0, 20)};
    mo_vec3 to = {at.x + size * rng_float(r, 0.2f, 1), at.y + size * rng_float(r, 0.2f, 1),
                  at.z + size * rng_float(r, 0.2f, 1)};
    if (i % 10 == 0) {
      to.x = at.x + 40;
    }
    add_cuboid(&mesh, at, to);
  }
  return mesh;
}

/* Nodes and blocks that rays from somewhere inside the map visit. */
static double count_visits(const test_mesh *mesh, mo_mesh_quality quality, uint64_t seed) {
  mo_mesh *built = build(mesh, quality);
  rng r = rng_make(seed);
  mo_query_stats stats = {0};
  enum { RAYS = 4000 };
  for (int i = 0; i < RAYS; i++) {
    mo_ray_def ray = mo_default_ray_def();
    mo_ray_hit hit;
    ray.origin = (mo_vec3){rng_float(&r, -95, 95), rng_float(&r, -95, 95), rng_float(&r, 1, 25)};
    ray.direction = rng_direction(&r);
    cr_assert_eq(mo_mesh_cast_ray(built, &ray, &hit, &stats), MO_OK);
  }
  mo_mesh_release(built);
  return (double)(stats.mesh_node_count + stats.mesh_block_count) / RAYS;
}

/* Walls of the mesh's size used to be cut into pieces in leaves all over the empty space, which
 * took 0.91 of the visits at default quality on average; it is 0.865 where they stay whole. */
Test(mesh_quality, high_trees_serve_rays_from_inside) {
  rng r = rng_make(rng_seed("mesh_quality/inside", 42));
  uint64_t maps = rng_rounds(24, 100);
  double sum = 0.0;
  for (uint64_t i = 0; i < maps; i++) {
    test_mesh mesh = make_map(&r);
    sum += count_visits(&mesh, MO_MESH_QUALITY_HIGH, i) /
           count_visits(&mesh, MO_MESH_QUALITY_DEFAULT, i);
    test_mesh_free(&mesh);
  }
  double ratio = sum / (double)maps;
  cr_assert_leq(ratio, 0.89, "%g of the visits at default quality", ratio);
}
