/* The interface of motte/reference.h: what is refused, and that the defaults answer as the queries
 * of motte/query.h. That all traversals answer alike is checked beside those
 * (support/check_rays.c). */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/reference.h>
#include <stdio.h>
#include <string.h>

static char said[256];

static void keep(mo_log_level level, const char *message, void *context) {
  (void)level;
  (void)context;
  snprintf(said, sizeof said, "%s", message);
}

static mo_scene *scene;
static mo_mesh *mesh;

static void setup(void) {
  static const mo_vec3 positions[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = positions;
  mesh_def.vertex_count = 3;
  mesh_def.index_type = MO_INDEX_NONE;
  mesh_def.triangle_count = 1;
  mesh_def.host.log = keep;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host.log = keep;
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

static mo_reference_ray_def down(void) {
  mo_reference_ray_def def = mo_default_reference_ray_def();
  def.ray.origin = (mo_vec3){0, 0, 2};
  def.ray.direction = (mo_vec3){0, 0, -1};
  return def;
}

Test(reference, every_traversal_hits) {
  for (int i = 0; i < 6; i++) {
    mo_reference_ray_def def = down();
    def.traversal = (mo_traversal)(i % 3);
    def.no_mailbox = i >= 3;
    mo_query_stats stats = {0};
    mo_ray_hit hits[2];
    bool any = false;
    uint32_t total = 0;
    cr_assert_eq(mo_reference_scene_cast_ray(scene, &def, &hits[0], &stats), MO_OK);
    cr_assert_eq(mo_reference_mesh_cast_ray(mesh, &def, &hits[1], &stats), MO_OK);
    cr_assert(hits[0].found && hits[0].t == 2 && hits[1].found && hits[1].t == 2);
    cr_assert_eq(mo_reference_scene_test_ray(scene, &def, &any, NULL), MO_OK);
    cr_assert(any);
    any = false;
    cr_assert_eq(mo_reference_mesh_test_ray(mesh, &def, &any, NULL), MO_OK);
    cr_assert(any);
    cr_assert_eq(mo_reference_scene_cast_ray_all(scene, &def, hits, 2, &total, &stats), MO_OK);
    cr_assert(total == 1 && hits[0].t == 2);
    cr_assert_eq(mo_reference_mesh_cast_ray_all(mesh, &def, hits, 2, &total, &stats), MO_OK);
    cr_assert(total == 1 && hits[0].t == 2);
    cr_assert_eq(stats.triangle_count, 4);
    def.ray.max_t = 1;
    def.ray.direction = (mo_vec3){0, 0, 0}; /* a segment of equal ends */
    cr_assert_eq(mo_reference_scene_test_ray(scene, &def, &any, NULL), MO_OK);
    cr_assert_not(any);
    any = true;
    cr_assert_eq(mo_reference_mesh_test_ray(mesh, &def, &any, NULL), MO_OK);
    cr_assert_not(any);
  }
}

/* All six functions refuse a def with a code, and say why. */
static void refuse(const mo_reference_ray_def *def, mo_result code, const char *why) {
  static const char *const names[6] = {"scene_cast_ray", "mesh_cast_ray",      "scene_test_ray",
                                       "mesh_test_ray",  "scene_cast_ray_all", "mesh_cast_ray_all"};
  for (int i = 0; i < 6; i++) {
    mo_ray_hit hit;
    bool any;
    uint32_t total;
    char expected[256];
    mo_result result = i == 0   ? mo_reference_scene_cast_ray(scene, def, &hit, NULL)
                       : i == 1 ? mo_reference_mesh_cast_ray(mesh, def, &hit, NULL)
                       : i == 2 ? mo_reference_scene_test_ray(scene, def, &any, NULL)
                       : i == 3 ? mo_reference_mesh_test_ray(mesh, def, &any, NULL)
                       : i == 4 ? mo_reference_scene_cast_ray_all(scene, def, NULL, 0, &total, NULL)
                                : mo_reference_mesh_cast_ray_all(mesh, def, NULL, 0, &total, NULL);
    cr_expect_eq(result, code);
    snprintf(expected, sizeof expected, "mo_reference_%s: %s", names[i], why);
    cr_expect(strncmp(said, expected, strlen(expected)) == 0, "%s, not %s", said, expected);
  }
}

Test(reference, refusals) {
  mo_reference_ray_def def = down();
  def.cookie = 0;
  refuse(&def, MO_ERROR_UNINITIALIZED_DEF, "ray ");
  def = down();
  def.ray.cookie = 0;
  refuse(&def, MO_ERROR_UNINITIALIZED_DEF, "ray.ray ");
  def = down();
  def.traversal = (mo_traversal)3;
  refuse(&def, MO_ERROR_INVALID_ARGUMENT, "ray.traversal is 3");
  def = down();
  def.ray.origin.y = NAN;
  refuse(&def, MO_ERROR_NOT_FINITE, "ray.ray.origin.y is");
  refuse(NULL, MO_ERROR_NULL_ARGUMENT, "ray is null");
  def = down();
  mo_ray_hit hit;
  bool any;
  uint32_t total;
  const mo_result null = MO_ERROR_NULL_ARGUMENT;
  cr_expect_eq(mo_reference_scene_cast_ray(NULL, &def, &hit, NULL), null);
  cr_expect_eq(mo_reference_scene_cast_ray(scene, &def, NULL, NULL), null);
  cr_expect_eq(mo_reference_mesh_cast_ray(NULL, &def, &hit, NULL), null);
  cr_expect_eq(mo_reference_mesh_cast_ray(mesh, &def, NULL, NULL), null);
  cr_expect_eq(mo_reference_scene_test_ray(NULL, &def, &any, NULL), null);
  cr_expect_eq(mo_reference_scene_test_ray(scene, &def, NULL, NULL), null);
  cr_expect_eq(mo_reference_mesh_test_ray(NULL, &def, &any, NULL), null);
  cr_expect_eq(mo_reference_mesh_test_ray(mesh, &def, NULL, NULL), null);
  cr_expect_eq(mo_reference_scene_cast_ray_all(NULL, &def, &hit, 1, &total, NULL), null);
  cr_expect_eq(mo_reference_scene_cast_ray_all(scene, &def, NULL, 1, &total, NULL), null);
  cr_expect_eq(mo_reference_scene_cast_ray_all(scene, &def, &hit, 1, NULL, NULL), null);
  cr_expect_eq(mo_reference_mesh_cast_ray_all(NULL, &def, &hit, 1, &total, NULL), null);
  cr_expect_eq(mo_reference_mesh_cast_ray_all(mesh, &def, NULL, 1, &total, NULL), null);
  cr_expect_eq(mo_reference_mesh_cast_ray_all(mesh, &def, &hit, 1, NULL, NULL), null);
}
