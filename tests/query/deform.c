/* Scenes of shapes that share meshes whose vertices move: once the shapes are refreshed, every
 * scene answers as brute force does. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

enum { SHAPES = 40, MANY = 40 };

static scene_family family;

static mo_mesh *deformable(const test_mesh *source) {
  mo_mesh_def def = test_mesh_def(source);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* Bends, swells and throws aside. */
static void move_vertices(test_mesh *mesh, rng *r) {
  mo_vec3 aside = rng_vec3(r, -3, 3);
  float swell = rng_float(r, 0.3f, 2), bend = rng_float(r, -1, 1);
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    mo_vec3 *p = &mesh->positions[i];
    *p = (mo_vec3){swell * p->x + aside.x, p->y + bend * sinf(3 * p->x) + aside.y,
                   swell * p->z + aside.z};
  }
}

static void check_scene(const test_mesh *mesh, rng *r, int rounds) {
  const mo_scene *const *scenes = (const mo_scene *const *)family.scenes;
  oracle_scene oracle = {0};
  oracle_scene_read(&oracle, family.scenes[0]);
  for (int i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(mesh, r);
    target.bounds.lower.x -= 10;
    target.bounds.upper.y += 10;
    mo_ray_def ray = sample_any_ray(r, &target);
    mo_aabb box = sample_box(r, &target);
    mo_overlap_def def = mo_default_overlap_def();
    cr_assert(check_scene_ray(scenes, family.count, &oracle, &ray, i % 4 ? CHECK_FAST : CHECK_FULL),
              "%s", check_why());
    cr_assert(check_scene_aabb(scenes, family.count, &oracle, &box, &def), "%s", check_why());
  }
  oracle_scene_free(&oracle);
}

static void refresh_all(const mo_shape_id ids[SHAPES]) {
  for (uint32_t s = 0; s < family.count; s++) {
    for (int i = 0; i < SHAPES; i++) {
      cr_assert_eq(mo_scene_refresh_shape(family.scenes[s], ids[i]), MO_OK);
    }
  }
}

Test(query_deform, refreshed_shapes_as_brute_force) {
  rng r = rng_make(rng_seed("query_deform/refreshed", 81));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 120, &r);
  mo_mesh *built = deformable(&mesh);
  scene_family_create(&family);
  mo_shape_id ids[SHAPES];
  for (int i = 0; i < SHAPES; i++) { /* some are of another kind, which refreshing leaves alone */
    mo_shape_def def = mo_default_shape_def(i % 8 ? MO_SHAPE_MESH : MO_SHAPE_SPHERE);
    if (i % 8) {
      def.geometry.mesh = built;
    }
    def.transform = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_FAR), 10);
    cr_assert_eq(scene_family_add(&family, &def, &ids[i]), MO_OK);
  }
  for (uint64_t frame = 0; frame < rng_rounds(8, 200); frame++) {
    test_mesh now = test_mesh_make(TEST_MESH_TORUS, 120, &r);
    move_vertices(&now, &r);
    cr_assert_eq(mo_mesh_refit(built, now.positions, 12, now.vertex_count, NULL, NULL), MO_OK);
    refresh_all(ids);
    cr_assert_null(scene_family_validate(&family));
    check_scene(&now, &r, 6);
    scene_family_update(&family);
    cr_assert_null(scene_family_validate(&family));
    check_scene(&now, &r, 6);
    test_mesh_free(&now);
  }
  mo_mesh_release(built);
  cr_assert(scene_family_free(&family));
  test_mesh_free(&mesh);
}

Test(query_deform, refreshing_refuses) {
  rng r = rng_make(rng_seed("query_deform/refuses", 82));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 120, &r);
  mo_mesh *built = deformable(&mesh);
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = built;
  def.transform.x_axis.x = 1e20f;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(NULL, id), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_refresh_shape(scene, (mo_shape_id){id.index, id.generation + 2}),
               MO_ERROR_STALE_ID);
  /* Its place in the world would be out of range; it stays where it was, and may come back. */
  mo_aabb before, after;
  cr_assert_eq(mo_scene_get_bounds(scene, id, &before), MO_OK);
  mo_vec3 first = mesh.positions[0];
  mesh.positions[0].x = 1e15f;
  cr_assert_eq(mo_mesh_refit(built, mesh.positions, 12, mesh.vertex_count, NULL, NULL), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(scene, id), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &after), MO_OK);
  cr_assert(memcmp(&before, &after, sizeof after) == 0);
  mesh.positions[0] = first;
  cr_assert_eq(mo_mesh_refit(built, mesh.positions, 12, mesh.vertex_count, NULL, NULL), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(scene, id), MO_OK);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(scene, id), MO_ERROR_STALE_ID);
  mo_scene_destroy(scene);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}

/* A scene of shapes that share a deformable mesh; the second half is turned. */
static mo_scene *crowd(mo_mesh *mesh, mo_shape_id ids[MANY], rng *r) {
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  for (int i = 0; i < MANY; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = mesh;
    def.margin = i % 3 ? 0 : 0.5f;
    mo_quat turn = i < MANY / 2 ? (mo_quat){0, 0, 0, 0} : rng_rotation(r);
    def.transform = mo_transform_make(rng_vec3(r, -9, 9), turn, (mo_vec3){1e13f, 1, 1});
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
  }
  return scene;
}

/* All that a scene says of its shapes. */
typedef struct known_shape {
  mo_shape_def def;
  mo_aabb bounds;
} known_shape;

static void read_shapes(const mo_scene *scene, const mo_shape_id ids[MANY],
                        known_shape shapes[MANY]) {
  memset(shapes, 0, MANY * sizeof *shapes);
  for (int i = 0; i < MANY; i++) {
    cr_assert_eq(mo_scene_get_shape(scene, ids[i], &shapes[i].def), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(scene, ids[i], &shapes[i].bounds), MO_OK);
  }
}

static void expect_unchanged(const mo_scene *scene, const mo_shape_id ids[MANY],
                             const known_shape before[MANY]) {
  static known_shape now[MANY];
  read_shapes(scene, ids, now);
  for (int i = 0; i < MANY; i++) {
    const mo_transform *was = &before[i].def.transform, *is = &now[i].def.transform;
    cr_expect(memcmp(was, is, sizeof *is) == 0, "shape %d has another transform", i);
    cr_expect(memcmp(&before[i].bounds, &now[i].bounds, sizeof(mo_aabb)) == 0,
              "shape %d has other bounds", i);
  }
  cr_expect_eq(mo_scene_validate(scene), MO_OK);
}

/* A mesh grows until its shapes, under legal transforms of moderate size, would leave the range of
 * coordinates. Refreshing them is refused, and so is each move that leaves them too large; the
 * scene stays valid and the shapes keep their bounds, whether or not they had been refreshed. A
 * smaller transform stores them where they are. */
Test(query_deform, shapes_that_outgrow_the_range) {
  rng r = rng_make(rng_seed("query_deform/outgrow", 83));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 120, &r);
  mo_mesh *built = deformable(&mesh);
  mo_shape_id ids[MANY];
  for (int refreshed = 0; refreshed < 2; refreshed++) {
    mo_scene *scene = crowd(built, ids, &r);
    known_shape before[MANY];
    read_shapes(scene, ids, before);
    test_mesh large = test_mesh_make(TEST_MESH_TORUS, 120, &r);
    for (uint32_t i = 0; i < large.vertex_count; i++) {
      mo_vec3 *p = &large.positions[i];
      *p = (mo_vec3){1e20f * p->x, 1e20f * p->y, 1e20f * p->z};
    }
    cr_assert_eq(mo_mesh_refit(built, large.positions, 12, large.vertex_count, NULL, NULL), MO_OK);
    for (int i = 0; refreshed && i < MANY; i++) {
      cr_expect_eq(mo_scene_refresh_shape(scene, ids[i]), MO_ERROR_OUT_OF_RANGE);
    }
    expect_unchanged(scene, ids, before);
    /* Moves that keep the size: one, some and many, by transforms and by origins. */
    mo_vec3 origins[MANY];
    mo_transform transforms[MANY];
    for (int i = 0; i < MANY; i++) {
      transforms[i] = before[i].def.transform;
      transforms[i].origin = origins[i] = rng_vec3(&r, -9, 9);
    }
    for (uint32_t count = 1; count <= MANY; count = 2 * count + 1) {
      mo_update_def update = mo_default_update_def();
      update.ids = ids + MANY - count;
      update.transforms = transforms + MANY - count;
      update.count = count;
      cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_OUT_OF_RANGE);
      update.transforms = NULL;
      update.origins = origins;
      cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_OUT_OF_RANGE);
    }
    expect_unchanged(scene, ids, before);
    /* What does not concern the geometry is not refused. */
    cr_expect_eq(mo_scene_set_filter(scene, ids[1], 1, UINT64_MAX), MO_OK);
    cr_expect_eq(mo_scene_set_motion(scene, ids, MANY, MO_MOTION_SLEEPING, NULL), MO_OK);
    cr_expect_eq(mo_scene_set_motion(scene, ids, MANY, MO_MOTION_DYNAMIC, NULL), MO_OK);
    cr_expect_eq(mo_scene_update(scene, NULL), MO_OK);
    expect_unchanged(scene, ids, before);
    /* Rays are answered, if at all, by numbers. */
    for (int i = 0; i < 400; i++) {
      mo_ray_def ray = mo_default_ray_def();
      mo_ray_hit hit;
      ray.origin = rng_vec3(&r, -20, 20);
      ray.direction = rng_direction(&r);
      cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
      cr_expect(!hit.found || (hit.t >= 0 && isfinite(hit.t) && isfinite(hit.normal.x)));
    }
    /* Smaller: as shapes that are added as they are now. */
    mo_scene_def scene_def = mo_default_scene_def();
    mo_scene *fresh = NULL;
    cr_assert_eq(mo_scene_create(&scene_def, &fresh), MO_OK);
    for (int i = 0; i < MANY; i++) {
      transforms[i].x_axis = (mo_vec3){1e-3f, 0, 0};
      mo_shape_def def = before[i].def;
      def.transform = transforms[i];
      mo_shape_id id;
      cr_assert_eq(mo_scene_add_shape(fresh, &def, &id), MO_OK);
      mo_aabb expected, stored;
      cr_assert_eq(mo_scene_get_bounds(fresh, id, &expected), MO_OK);
      cr_assert_eq(mo_scene_set_transform(scene, ids[i], &transforms[i]), MO_OK);
      cr_assert_eq(mo_scene_get_bounds(scene, ids[i], &stored), MO_OK);
      cr_expect(memcmp(&stored, &expected, sizeof stored) == 0, "shape %d", i);
    }
    cr_expect_eq(mo_scene_validate(scene), MO_OK);
    mo_scene_destroy(fresh);
    mo_scene_destroy(scene);
    test_mesh_free(&large);
    cr_assert_eq(mo_mesh_refit(built, mesh.positions, 12, mesh.vertex_count, NULL, NULL), MO_OK);
  }
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}
