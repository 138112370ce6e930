/* The interface of the classical traversals: each hits a triangle and counts its tests. That all
 * answer alike is checked beside the queries of the library (support/check_rays.c). */
#include <criterion/criterion.h>

#include "reference/reference.h"

static mo_scene *scene;
static mo_mesh *mesh;

static void setup(void) {
  static const mo_vec3 positions[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = positions;
  mesh_def.vertex_count = 3;
  mesh_def.index_type = MO_INDEX_NONE;
  mesh_def.triangle_count = 1;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
}

static void teardown(void) {
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
}

TestSuite(reference, .init = setup, .fini = teardown);

static reference_ray down(void) {
  reference_ray def = {.ray = mo_default_ray_def()};
  def.ray.origin = (mo_vec3){0, 0, 2};
  def.ray.direction = (mo_vec3){0, 0, -1};
  return def;
}

Test(reference, every_traversal_hits) {
  for (int i = 0; i < 6; i++) {
    reference_ray def = down();
    def.traversal = (reference_traversal)(i % 3);
    def.no_mailbox = i >= 3;
    mo_query_stats stats = {0};
    mo_ray_hit hits[2];
    bool any = false;
    uint32_t total = 0;
    cr_assert_eq(reference_scene_cast_ray(scene, &def, &hits[0], &stats), MO_OK);
    cr_assert_eq(reference_mesh_cast_ray(mesh, &def, &hits[1], &stats), MO_OK);
    cr_assert(hits[0].found && hits[0].t == 2 && hits[1].found && hits[1].t == 2);
    cr_assert_eq(reference_scene_test_ray(scene, &def, &any, NULL), MO_OK);
    cr_assert(any);
    any = false;
    cr_assert_eq(reference_mesh_test_ray(mesh, &def, &any, NULL), MO_OK);
    cr_assert(any);
    cr_assert_eq(reference_scene_cast_ray_all(scene, &def, hits, 2, &total, &stats), MO_OK);
    cr_assert(total == 1 && hits[0].t == 2);
    cr_assert_eq(reference_mesh_cast_ray_all(mesh, &def, hits, 2, &total, &stats), MO_OK);
    cr_assert(total == 1 && hits[0].t == 2);
    cr_assert_eq(stats.triangle_count, 4);
    def.ray.max_t = 1;
    def.ray.direction = (mo_vec3){0, 0, 0}; /* a segment of equal ends */
    cr_assert_eq(reference_scene_test_ray(scene, &def, &any, NULL), MO_OK);
    cr_assert_not(any);
    any = true;
    cr_assert_eq(reference_mesh_test_ray(mesh, &def, &any, NULL), MO_OK);
    cr_assert_not(any);
  }
}
