/* The interface of scenes: what is refused, what ids mean, what is handed back. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query.h>
#include <string.h>

#include "geometry/body/body.h"
#include "geometry/solid/solids.h"
#include "math/affine.h"
#include "scene/shapes/shape.h"
#include "support/hulls.h"
#include "support/scenes.h"
#include "support/world.h"

static mo_result create_with(mo_scene_def def) {
  mo_scene *scene = NULL;
  mo_result result = mo_scene_create(&def, &scene);
  cr_assert((result == MO_OK) == (scene != NULL));
  mo_scene_destroy(scene);
  return result;
}

Test(scene_shapes, creation_checks_its_options) {
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(NULL, &scene), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_create(&def, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(create_with(def), MO_OK);
#define BAD(field, value, code)                                                                    \
  do {                                                                                             \
    mo_scene_def bad = mo_default_scene_def();                                                     \
    bad.field = value;                                                                             \
    cr_expect_eq(create_with(bad), code, #field " = " #value);                                     \
  } while (0)
  BAD(host.allocator.allocate, NULL, MO_ERROR_NULL_ARGUMENT);
  BAD(host.allocator.release, NULL, MO_ERROR_NULL_ARGUMENT);
  BAD(tree.policy, (mo_tree_policy)3, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.capacity, 0, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.capacity, 1025, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.max_depth, 0, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.max_depth, MO_SCENE_MAX_DEPTH + 1, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.max_straddlers, -0.1f, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.max_straddlers, 1.1f, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.max_straddlers, NAN, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.looseness, 0.9f, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.looseness, 4.1f, MO_ERROR_INVALID_ARGUMENT);
  BAD(tree.looseness, NAN, MO_ERROR_INVALID_ARGUMENT);
  BAD(expected_shape_count, MO_MAX_SHAPES + 1, MO_ERROR_TOO_MANY);
#undef BAD
  def.tree.policy = MO_TREE_LOOSE;
  def.tree.looseness = 1;
  cr_assert_eq(create_with(def), MO_ERROR_INVALID_ARGUMENT);
  def.tree.policy = MO_TREE_MIDPOINT;
  cr_assert_eq(create_with(def), MO_OK);
  mo_scene_destroy(NULL);
}

Test(scene_shapes, null_arguments) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id id, other;
  mo_scene_stats stats;
  mo_aabb box;
  uint32_t total;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  const mo_result null = MO_ERROR_NULL_ARGUMENT;
  cr_expect_eq(mo_scene_add_shape(NULL, &def, &other), null);
  cr_expect_eq(mo_scene_add_shape(scene, NULL, &other), null);
  cr_expect_eq(mo_scene_add_shape(scene, &def, NULL), null);
  cr_expect_eq(mo_scene_add_shapes(NULL, &def, 1, &other, NULL), null);
  cr_expect_eq(mo_scene_add_shapes(scene, NULL, 1, &other, NULL), null);
  cr_expect_eq(mo_scene_add_shapes(scene, &def, 1, NULL, NULL), null);
  cr_expect_eq(mo_scene_add_shapes(scene, NULL, 0, NULL, NULL), MO_OK);
  cr_expect_eq(mo_scene_remove_shape(NULL, id), null);
  cr_expect_eq(mo_scene_remove_shapes(NULL, &id, 1, NULL), null);
  cr_expect_eq(mo_scene_remove_shapes(scene, NULL, 1, NULL), null);
  cr_expect_eq(mo_scene_remove_shapes(scene, NULL, 0, NULL), MO_OK);
  cr_expect_eq(mo_scene_set_transform(NULL, id, &def.transform), null);
  cr_expect_eq(mo_scene_set_transform(scene, id, NULL), null);
  cr_expect_eq(mo_scene_set_transforms(NULL, &id, &def.transform, 1, NULL), null);
  cr_expect_eq(mo_scene_set_transforms(scene, NULL, &def.transform, 1, NULL), null);
  cr_expect_eq(mo_scene_set_transforms(scene, &id, NULL, 1, NULL), null);
  cr_expect_eq(mo_scene_set_transforms(scene, NULL, NULL, 0, NULL), MO_OK);
  cr_expect_eq(mo_scene_set_geometry(NULL, id, &def.geometry), null);
  cr_expect_eq(mo_scene_set_geometry(scene, id, NULL), null);
  cr_expect_eq(mo_scene_set_filter(NULL, id, 1, 1), null);
  cr_expect_eq(mo_scene_set_motion(NULL, &id, 1, MO_MOTION_STATIC, NULL), null);
  cr_expect_eq(mo_scene_set_motion(scene, NULL, 1, MO_MOTION_STATIC, NULL), null);
  cr_expect_eq(mo_scene_set_motion(scene, NULL, 0, MO_MOTION_STATIC, NULL), MO_OK);
  cr_expect_eq(mo_scene_set_motion(scene, NULL, 0, (mo_motion)7, NULL), MO_ERROR_INVALID_ARGUMENT);
  cr_expect_eq(mo_scene_set_user_data(NULL, id, 1), null);
  mo_update_def update = mo_default_update_def();
  cr_expect_eq(mo_scene_update(NULL, &update), null);
  cr_expect_eq(mo_scene_update(scene, &update), MO_OK);
  update.count = 1;
  update.ids = &id;
  cr_expect_eq(mo_scene_update(scene, &update), null);
  cr_expect_eq(mo_scene_get_shape(NULL, id, &def), null);
  cr_expect_eq(mo_scene_get_shape(scene, id, NULL), null);
  cr_expect_eq(mo_scene_get_bounds(NULL, id, &box), null);
  cr_expect_eq(mo_scene_get_bounds(scene, id, NULL), null);
  cr_expect_eq(mo_scene_get_shapes(NULL, NULL, 0, &total), null);
  cr_expect_eq(mo_scene_get_shapes(scene, NULL, 1, &total), null);
  cr_expect_eq(mo_scene_get_shapes(scene, NULL, 0, NULL), null);
  cr_expect_eq(mo_scene_get_stats(NULL, &stats), null);
  cr_expect_eq(mo_scene_get_stats(scene, NULL), null);
  cr_expect_eq(mo_scene_validate(NULL), null);
  cr_expect_not(mo_scene_is_valid(NULL, id));
  cr_expect_eq(mo_scene_shape_count(NULL), 0);
  cr_expect(isinf(mo_scene_bounds(NULL).lower.x) && mo_scene_bounds(NULL).upper.x < 0);
  mo_scene_destroy(scene);
}

/* A def that must be refused, everywhere that takes it, with nothing changed. */
static void refuse(mo_scene *scene, mo_shape_id living, const mo_shape_def *def, mo_result code) {
  mo_shape_id id = {5, 5};
  mo_shape_def good = mo_default_shape_def(MO_SHAPE_SPHERE), kept;
  mo_shape_def pair[2] = {good, *def};
  mo_shape_id ids[2] = {{5, 5}, {5, 5}};
  cr_expect_eq(mo_scene_add_shape(scene, def, &id), code);
  cr_expect_eq(mo_scene_add_shapes(scene, pair, 2, ids, NULL), code);
  cr_expect(id.index == 5 && ids[0].index == 5 && ids[1].index == 5);
  cr_expect_eq(mo_scene_shape_count(scene), 1);
  cr_expect_eq(mo_scene_get_shape(scene, living, &kept), MO_OK);
  cr_expect_eq(kept.geometry.type, MO_SHAPE_CAPSULE);
  cr_expect_eq(kept.transform.origin.x, 0);
  cr_expect_eq(mo_scene_validate(scene), MO_OK);
}

static void refuse_geometry(mo_scene *scene, mo_shape_id living, const mo_geometry *geometry,
                            mo_result code) {
  mo_shape_def def = mo_default_shape_def(geometry->type);
  def.geometry = *geometry;
  cr_expect_eq(mo_scene_set_geometry(scene, living, geometry), code);
  refuse(scene, living, &def, code);
}

#define TYPE_OF_SOLID(NAME, name) MO_SHAPE_##NAME,
static const mo_shape_type solid_types[] = {MO_SOLID_KINDS(TYPE_OF_SOLID)};
enum { SOLID_TYPES = sizeof solid_types / sizeof *solid_types };

Test(scene_shapes, meshes_and_volumes_are_not_rounded) {
  mo_scene *scene = test_scene_empty();
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_shape_def capsule = mo_default_shape_def(MO_SHAPE_CAPSULE);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &capsule, &id), MO_OK);
  static const float values[] = {0.5f, -0.5f, NAN, INFINITY, 1e-45f};
  for (int i = 0; i < 5; i++) {
    mo_geometry g = mo_default_shape_def(MO_SHAPE_VOLUME).geometry;
    g.rounding = values[i];
    refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
    g = mo_default_shape_def(MO_SHAPE_MESH).geometry;
    g.mesh = mesh;
    g.rounding = values[i];
    refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  }
  mo_mesh_release(mesh);
  mo_scene_destroy(scene);
}

/* What is added, or changed, is in range only with its rounding, and comes back with it. */
Test(scene_shapes, rounding_is_part_of_the_shape) {
  mo_scene *scene = test_scene_empty();
  for (int k = 0; k < SOLID_TYPES; k++) {
    mo_shape_def def = mo_default_shape_def(solid_types[k]), kept;
    if (solid_types[k] == MO_SHAPE_HULL) {
      def.geometry.hull = test_hull(TEST_HULL_CUBE);
    }
    def.geometry.rounding = 0.5f;
    def.transform = world_translation(10, 0, 0);
    mo_shape_id id;
    mo_aabb box;
    cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
    cr_assert(box.upper.y == 1.5f && box.lower.y == -1.5f && box.upper.z == 1.5f);
    def.transform.origin.y = 1;
    cr_assert_eq(mo_scene_set_transform(scene, id, &def.transform), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
    cr_assert(box.upper.y == 2.5f && box.lower.y == -0.5f && box.upper.z == 1.5f);
    def.transform.origin.y = 0;
    def.transform.y_axis.y = 4;
    cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
    cr_assert_eq(mo_scene_get_shape(scene, id, &kept), MO_OK);
    cr_assert_eq(kept.geometry.rounding, 0.5f);
    cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
    cr_assert(box.upper.y == 6 && box.lower.y == -6 && box.upper.z == 1.5f && box.lower.z == -1.5f);
    def.geometry.rounding = 1e29f;
    def.transform.y_axis.y = 1e2f;
    cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_ERROR_OUT_OF_RANGE);
    def.geometry.rounding = 2;
    cr_assert_eq(mo_scene_set_geometry(scene, id, &def.geometry), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
    cr_assert(box.upper.y == 12 && box.upper.z == 3);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
  }
  mo_scene_destroy(scene);
}

Test(scene_shapes, illegal_geometry_is_refused) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def capsule = mo_default_shape_def(MO_SHAPE_CAPSULE);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &capsule, &id), MO_OK);
  mo_geometry g = {.type = (mo_shape_type)99};
  refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  g = mo_default_shape_def(MO_SHAPE_MESH).geometry;
  refuse_geometry(scene, id, &g, MO_ERROR_NULL_ARGUMENT);
  static const struct {
    float value;
    mo_result code;
  } bad[] = {{NAN, MO_ERROR_NOT_FINITE},
             {INFINITY, MO_ERROR_NOT_FINITE},
             {1.1e30f, MO_ERROR_OUT_OF_RANGE}};
  for (int i = 0; i < 3; i++) {
    float x = bad[i].value;
    mo_result code = bad[i].code;
    for (int k = 0; k < 3; k++) {
      g = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
      (&g.sphere.center.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = mo_default_shape_def(MO_SHAPE_BOX).geometry;
      (&g.box.center.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = mo_default_shape_def(MO_SHAPE_BOX).geometry;
      (&g.box.half_extents.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = capsule.geometry;
      (&g.capsule.a.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = capsule.geometry;
      (&g.capsule.b.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = mo_default_shape_def(MO_SHAPE_CYLINDER).geometry;
      (&g.cylinder.a.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = mo_default_shape_def(MO_SHAPE_CYLINDER).geometry;
      (&g.cylinder.b.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = mo_default_shape_def(MO_SHAPE_CONE).geometry;
      (&g.cone.a.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = mo_default_shape_def(MO_SHAPE_CONE).geometry;
      (&g.cone.b.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
      g = mo_default_shape_def(MO_SHAPE_VOLUME).geometry;
      (&g.volume.upper.x)[k] = x;
      refuse_geometry(scene, id, &g, code);
    }
    g = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
    g.sphere.radius = x;
    refuse_geometry(scene, id, &g, code);
    g = capsule.geometry;
    g.capsule.radius = x;
    refuse_geometry(scene, id, &g, code);
    g = mo_default_shape_def(MO_SHAPE_CYLINDER).geometry;
    g.cylinder.radius = x;
    refuse_geometry(scene, id, &g, code);
    g = mo_default_shape_def(MO_SHAPE_CONE).geometry;
    g.cone.radius = x;
    refuse_geometry(scene, id, &g, code);
    for (int k = 0; k < SOLID_TYPES; k++) {
      g = mo_default_shape_def(solid_types[k]).geometry;
      g.rounding = x;
      refuse_geometry(scene, id, &g, code);
    }
  }
  for (int k = 0; k < SOLID_TYPES; k++) {
    g = mo_default_shape_def(solid_types[k]).geometry;
    cr_expect_eq(g.rounding, 0);
    g.rounding = -1e-30f;
    refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  }
  for (int k = 0; k < 3; k++) {
    g = mo_default_shape_def(MO_SHAPE_BOX).geometry;
    (&g.box.half_extents.x)[k] = -1;
    refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
    g = mo_default_shape_def(MO_SHAPE_VOLUME).geometry;
    (&g.volume.lower.x)[k] = 2;
    refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  }
  g = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
  g.sphere.radius = -1;
  refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  g = capsule.geometry;
  g.capsule.radius = -1e-30f;
  refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  g = mo_default_shape_def(MO_SHAPE_CYLINDER).geometry;
  g.cylinder.radius = -1e-30f;
  refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  g.cylinder = (mo_cylinder){{1, 2, 3}, {1, 2, 3}, 1}; /* an axis without a direction */
  refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  g = mo_default_shape_def(MO_SHAPE_HULL).geometry;
  refuse_geometry(scene, id, &g, MO_ERROR_NULL_ARGUMENT);
  g = mo_default_shape_def(MO_SHAPE_CONE).geometry;
  g.cone.radius = -1e-30f;
  refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  g.cone = (mo_cone){{1, 2, 3}, {1, 2, 3}, 1};
  refuse_geometry(scene, id, &g, MO_ERROR_INVALID_ARGUMENT);
  mo_scene_destroy(scene);
}

Test(scene_shapes, illegal_transforms_are_refused) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def capsule = mo_default_shape_def(MO_SHAPE_CAPSULE);
  mo_shape_id id, ids[3];
  cr_assert_eq(mo_scene_add_shape(scene, &capsule, &id), MO_OK);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 12; k++) {
      static const float values[4] = {NAN, -INFINITY, 1.5e30f, 0.9999e30f};
      mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
      def.geometry.sphere.radius = 1000;
      (&def.transform.x_axis.x)[k] = values[i];
      mo_result code = i < 2 ? MO_ERROR_NOT_FINITE : MO_ERROR_OUT_OF_RANGE;
      if (i == 3 && k >= 9) {
        continue; /* a sphere of 1000 at 0.9999e30 is within bounds */
      }
      refuse(scene, id, &def, code);
      cr_expect_eq(mo_scene_set_geometry(scene, id, &def.geometry), MO_OK);
      cr_expect_eq(mo_scene_set_transform(scene, id, &def.transform), code);
      mo_transform pair[3] = {mo_transform_identity(), def.transform, mo_transform_identity()};
      pair[0].origin.x = 3;
      for (int j = 0; j < 3; j++) {
        ids[j] = id;
      }
      cr_expect_eq(mo_scene_set_transforms(scene, ids, pair, 3, NULL), code);
      cr_expect_eq(mo_scene_set_geometry(scene, id, &capsule.geometry), MO_OK);
    }
  }
  /* At the edge of the world. */
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_VOLUME);
  def.geometry.volume = (mo_aabb){{-1e30f, -1e30f, -1e30f}, {1e30f, 1e30f, 1e30f}};
  cr_expect_eq(mo_scene_add_shape(scene, &def, &ids[0]), MO_OK);
  def.transform.origin.y = 1e24f;
  cr_expect_eq(mo_scene_set_transform(scene, ids[0], &def.transform), MO_ERROR_OUT_OF_RANGE);
  cr_expect_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
}

Test(scene_shapes, ids_go_stale_for_good) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id null = {0, 0}, id, first;
  cr_assert_not(mo_scene_is_valid(scene, null));
  cr_assert_eq(mo_scene_add_shape(scene, &def, &first), MO_OK);
  cr_assert_eq(first.index, 0);
  cr_assert_geq(first.generation, 1);
  cr_assert_not(mo_scene_is_valid(scene, null));
  cr_assert_eq(mo_scene_remove_shape(scene, first), MO_OK);
  for (int i = 0; i < 1000; i++) {
    cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
    cr_assert_eq(id.index, 0, "slots are used again");
    cr_assert_not(mo_scene_is_valid(scene, first));
    mo_shape_id odd = {id.index, id.generation + 1}, beyond = {id.index + 1, id.generation};
    cr_assert_not(mo_scene_is_valid(scene, odd));
    cr_assert_not(mo_scene_is_valid(scene, beyond));
    mo_aabb box;
    const mo_result stale = MO_ERROR_STALE_ID;
    cr_assert_eq(mo_scene_remove_shape(scene, first), stale);
    cr_assert_eq(mo_scene_set_transform(scene, first, &def.transform), stale);
    cr_assert_eq(mo_scene_set_transforms(scene, &first, &def.transform, 1, NULL), stale);
    cr_assert_eq(mo_scene_set_geometry(scene, first, &def.geometry), stale);
    cr_assert_eq(mo_scene_set_filter(scene, first, 1, 1), stale);
    cr_assert_eq(mo_scene_set_motion(scene, &first, 1, MO_MOTION_STATIC, NULL), stale);
    cr_assert_eq(mo_scene_set_user_data(scene, first, 1), stale);
    cr_assert_eq(mo_scene_get_shape(scene, first, &def), stale);
    cr_assert_eq(mo_scene_get_bounds(scene, first, &box), stale);
    cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
  }
  mo_scene_destroy(scene);
}

/* Bounds do not depend on the moves before; axis-aligned boxes take a fast path. */
Test(scene_shapes, moves_give_the_bounds_of_a_new_shape) {
  rng r = rng_make(rng_seed("bounds after moves", 12));
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  for (int i = 0; i < 4000; i++) {
    mo_shape_def def = mo_default_shape_def(i % 3 ? MO_SHAPE_BOX : MO_SHAPE_SPHERE);
    int far = (int)rng_below(&r, 60) - 30, small = (int)rng_below(&r, 60) - 40;
    float size = ldexpf(rng_float(&r, 0.5f, 1), small);
    if (i % 3) {
      def.geometry.box.half_extents = (mo_vec3){size, i % 7 ? size / 3 : 0, i % 5 ? 2 * size : 1};
    } else {
      def.geometry.sphere.radius = size;
    }
    if (i % 11 == 0) {
      def.geometry.box.center.x = size;
    }
    if (i % 17 == 0) {
      def.geometry.rounding = i % 2 ? size : 0.5f;
    }
    mo_shape_id ids[2];
    mo_transform moved = def.transform;
    moved.origin = rng_vec3(&r, -1, 1);
    moved.origin.x = ldexpf(moved.origin.x, far);
    moved.origin.y = i % 4 ? moved.origin.y : -def.geometry.box.half_extents.y;
    if (i % 13 == 0) {
      moved.y_axis.z = -0.0f;
    }
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[0]), MO_OK);
    cr_assert_eq(i % 2 ? mo_scene_set_transforms(scene, ids, &moved, 1, NULL)
                       : mo_scene_set_transform(scene, ids[0], &moved),
                 MO_OK);
    def.transform = moved;
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[1]), MO_OK);
    mo_aabb boxes[2];
    mo_shape_def got;
    cr_assert_eq(mo_scene_get_bounds(scene, ids[0], &boxes[0]), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(scene, ids[1], &boxes[1]), MO_OK);
    cr_assert_eq(memcmp(&boxes[0], &boxes[1], sizeof boxes[0]), 0, "round %d", i);
    cr_assert_eq(mo_scene_get_shape(scene, ids[0], &got), MO_OK);
    cr_assert_eq(memcmp(&got.transform, &moved, sizeof moved), 0);
    cr_assert_eq(mo_scene_remove_shapes(scene, ids, 2, NULL), MO_OK);
  }
  mo_scene_destroy(scene);
}

Test(scene_shapes, bulk_removal_is_all_or_none) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def defs[40];
  mo_shape_id ids[40];
  for (int i = 0; i < 40; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
    defs[i].transform.origin.x = (float)i * 3;
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, 40, ids, NULL), MO_OK);
  for (uint32_t i = 0; i < 40; i++) {
    cr_assert_eq(ids[i].index, i);
  }
  mo_shape_id twice[3] = {ids[3], ids[9], ids[3]};
  cr_assert_eq(mo_scene_remove_shapes(scene, twice, 3, NULL), MO_ERROR_STALE_ID);
  mo_shape_id stale[3] = {ids[3], ids[9], {9, 2}};
  cr_assert_eq(mo_scene_remove_shapes(scene, stale, 3, NULL), MO_ERROR_STALE_ID);
  cr_assert_eq(mo_scene_shape_count(scene), 40);
  cr_assert(mo_scene_is_valid(scene, ids[3]) && mo_scene_is_valid(scene, ids[9]));
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  cr_assert_eq(mo_scene_remove_shapes(scene, ids, 40, NULL), MO_OK);
  cr_assert_eq(mo_scene_shape_count(scene), 0);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
}

Test(scene_shapes, the_last_of_several_moves_counts) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id id, ids[50];
  mo_transform transforms[50];
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  for (int i = 0; i < 50; i++) {
    ids[i] = id;
    transforms[i] = world_translation((float)i, 0, 0);
  }
  cr_assert_eq(mo_scene_set_transforms(scene, ids, transforms, 50, NULL), MO_OK);
  mo_aabb box;
  cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
  cr_assert(box.lower.x == 48 && box.upper.x == 50 && box.lower.y == -1 && box.upper.y == 1);
  mo_scene_destroy(scene);
}

Test(scene_shapes, enumeration_is_in_slot_order) {
  mo_scene *scene = test_scene_empty();
  mo_shape_id ids[10], found[10];
  uint32_t total = 77;
  cr_assert_eq(mo_scene_get_shapes(scene, NULL, 0, &total), MO_OK);
  cr_assert_eq(total, 0);
  for (int i = 0; i < 10; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
  }
  cr_assert_eq(mo_scene_remove_shape(scene, ids[4]), MO_OK);
  cr_assert_eq(mo_scene_get_shapes(scene, found, 5, &total), MO_OK);
  cr_assert_eq(total, 9);
  for (uint32_t i = 0; i < 5; i++) {
    cr_assert_eq(found[i].index, i < 4 ? i : 5);
    cr_assert(mo_scene_is_valid(scene, found[i]));
  }
  mo_scene_destroy(scene);
}

Test(scene_shapes, meshes_are_retained_and_released) {
  world *w = world_create(MO_TREE_IRREGULAR, 1);
  mo_host host = counting_allocator_host(&w->counter);
  size_t before = w->counter.outstanding_bytes;
  static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = soup;
  mesh_def.vertex_count = 3;
  mesh_def.index_type = MO_INDEX_NONE;
  mesh_def.triangle_count = 1;
  mesh_def.host = host;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  mo_shape_id a, b;
  cr_assert_eq(mo_scene_add_shape(w->scene, &def, &a), MO_OK);
  cr_assert_eq(mo_scene_add_shape(w->scene, &def, &b), MO_OK);
  mo_mesh_release(mesh);
  mo_aabb box;
  cr_assert_eq(mo_scene_get_bounds(w->scene, a, &box), MO_OK);
  cr_assert(box.lower.x == 0 && box.upper.x == 1 && box.upper.y == 1 && box.upper.z == 0);
  /* The same mesh again, while the shape holds the last reference but one. */
  cr_assert_eq(mo_scene_set_geometry(w->scene, a, &def.geometry), MO_OK);
  mo_geometry sphere = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
  cr_assert_eq(mo_scene_set_geometry(w->scene, a, &sphere), MO_OK);
  size_t with_mesh = w->counter.outstanding_bytes;
  cr_assert_eq(mo_scene_set_geometry(w->scene, b, &def.geometry), MO_OK);
  cr_assert_eq(w->counter.outstanding_bytes, with_mesh);
  cr_assert_eq(mo_scene_remove_shape(w->scene, b), MO_OK);
  cr_assert_lt(w->counter.outstanding_bytes, with_mesh, "the mesh is gone");
  (void)before;
  world_destroy(w);
}

Test(scene_shapes, an_empty_mesh_is_a_point) {
  mo_scene *scene = test_scene_empty();
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  def.transform = world_translation(1, 2, 3);
  mo_shape_id id;
  mo_aabb box;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
  cr_assert(box.lower.x == 1 && box.upper.y == 2 && box.lower.z == 3 && box.upper.z == 3);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_mesh_release(mesh);
  mo_scene_destroy(scene);
}

/* The fast path for the bounds of balls and boxes gives the bits of the general one. */
Test(scene_shapes, bounds_are_those_of_the_geometry) {
  rng r = rng_make(rng_seed("bounds", 11));
  for (uint64_t i = 0; i < rng_rounds(100000, 3000000); i++) {
    mo_transform map = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS), 9);
    if (rng_chance(&r, 0.5)) {
      /* Round numbers. */
      float *m = &map.x_axis.x;
      for (int k = 0; k < 12; k++) {
        m[k] = k < 9 && k % 4 && rng_chance(&r, 0.8) ? 0 : (float)rng_below(&r, 33) * 0.125f - 2;
      }
    }
    mo_affine affine;
    mo_vec3 center = rng_chance(&r, 0.5) ? mo_vec(0, 0, 0) : rng_vec3(&r, -3, 3);
    mo_vec3 half = rng_chance(&r, 0.5) ? mo_vec(0.5f, 0.25f, 0) : rng_vec3(&r, 0, 3);
    bool ball = rng_chance(&r, 0.5);
    mo_geometry g = {.type = ball ? MO_SHAPE_SPHERE : MO_SHAPE_BOX};
    if (ball) {
      g.sphere = (mo_sphere){center, half.x};
    } else {
      g.box.center = center;
      g.box.half_extents = half;
    }
    if (rng_chance(&r, 0.3)) {
      g.rounding = rng_chance(&r, 0.5) ? 0.25f : rng_float(&r, 0, 1);
    }
    mo_solid solid = mo_solid_read(mo_solid_kind_of(g.type), &g);
    mo_convex convex = mo_convex_make(&solid, &map);
    mo_aabb box, expected = mo_convex_bounds(&convex);
    if (mo_affine_init(&affine, &map) == MO_OK && mo_geometry_bounds(&g, &affine, &box) == MO_OK) {
      /* Where the origin of the frame is farther away than the shape is large, its bounds have a
       * margin for rays. */
      mo_vec3 near = mo_aabb_max_coordinates(expected),
              far = mo_vec(fabsf(map.origin.x), fabsf(map.origin.y), fabsf(map.origin.z));
      float reach = fmaxf(fmaxf(near.x, near.y), near.z);
      bool margin = fmaxf(fmaxf(far.x, far.y), far.z) > 2 * reach;
      cr_assert(mo_aabb_contains(box, expected) && (margin || mo_aabb_contains(expected, box)),
                "%llu: %a %a, not %a %a", (unsigned long long)i, (double)box.lower.x,
                (double)box.upper.x, (double)expected.lower.x, (double)expected.upper.x);
    }
  }
}
