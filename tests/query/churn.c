/* Random churn: shapes come, go, move a little, teleport, grow, shrink and change their geometry,
 * one by one and in bulk. After every step the scenes are valid; now and then they answer as brute
 * force does. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/scenes.h"

static test_scene scene;

static mo_vec3 times(float s, mo_vec3 v) {
  return (mo_vec3){s * v.x, s * v.y, s * v.z};
}

static void transform_of(mo_shape_id id, mo_transform *t) {
  mo_shape_def def;
  cr_assert_eq(mo_scene_get_shape(scene.family.scenes[0], id, &def), MO_OK);
  *t = def.transform;
}

/* A small step, as things move in a frame. */
static mo_transform step(mo_shape_id id, rng *r) {
  mo_transform t;
  transform_of(id, &t);
  mo_vec3 d = rng_vec3(r, -0.3f, 0.3f);
  t.origin = (mo_vec3){t.origin.x + d.x, t.origin.y + d.y, t.origin.z + d.z};
  return t;
}

/* Grown or shrunk by up to `max` times. */
static mo_transform rescaled(mo_shape_id id, float max, rng *r) {
  mo_transform t;
  transform_of(id, &t);
  float s = rng_below(r, 2) ? rng_float(r, 1, max) : 1 / rng_float(r, 1, max);
  t.x_axis = times(s, t.x_axis);
  t.y_axis = times(s, t.y_axis);
  t.z_axis = times(s, t.z_axis);
  return t;
}

/* Moves a share of the shapes by one call, some of them twice. */
static void move_in_bulk(rng *r) {
  uint32_t count = 1 + rng_below(r, scene.count);
  mo_shape_id *ids = malloc(count * sizeof *ids);
  mo_transform *transforms = malloc(count * sizeof *transforms);
  for (uint32_t i = 0; i < count; i++) {
    ids[i] = scene.ids[rng_below(r, scene.count)];
    transforms[i] = rng_below(r, 8) ? step(ids[i], r) : test_scene_transform(&scene, r);
  }
  for (uint32_t i = 0; i < scene.family.count; i++) {
    cr_assert_eq(mo_scene_set_transforms(scene.family.scenes[i], ids, transforms, count, NULL),
                 MO_OK);
  }
  free(ids);
  free(transforms);
}

static void add_in_bulk(rng *r) {
  mo_shape_def defs[20];
  mo_shape_id ids[20] = {{0, 0}}, others[20];
  uint32_t count = rng_below(r, 21);
  for (uint32_t i = 0; i < count; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
    defs[i].geometry = test_scene_geometry(&scene, r);
    defs[i].transform = test_scene_transform(&scene, r);
    defs[i].user_data = rng_u64(r);
  }
  for (uint32_t i = 0; i < scene.family.count; i++) {
    mo_shape_id *made = i == 0 ? ids : others;
    cr_assert_eq(mo_scene_add_shapes(scene.family.scenes[i], defs, count, made, NULL), MO_OK);
    for (uint32_t j = 0; j < count; j++) {
      cr_assert(made[j].index == ids[j].index && made[j].generation == ids[j].generation);
    }
  }
  while (scene.count + count > scene.capacity) {
    scene.capacity = 2 * scene.capacity + 64;
    scene.ids = oracle_need(realloc(scene.ids, scene.capacity * sizeof *scene.ids));
  }
  for (uint32_t i = 0; i < count; i++) {
    scene.ids[scene.count++] = ids[i];
  }
}

static void remove_in_bulk(rng *r) {
  uint32_t count = rng_below(r, scene.count < 30 ? scene.count + 1 : 30);
  mo_shape_id ids[30];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t which = rng_below(r, scene.count);
    ids[i] = scene.ids[which];
    scene.ids[which] = scene.ids[--scene.count];
  }
  for (uint32_t i = 0; i < scene.family.count; i++) {
    cr_assert_eq(mo_scene_remove_shapes(scene.family.scenes[i], ids, count, NULL), MO_OK);
  }
}

/* One random change; returns how many shapes it touched at least. */
static void change(rng *r, uint32_t wanted) {
  uint32_t kind = rng_below(r, 100);
  if (scene.count == 0 || (kind < 16 && scene.count < 2 * wanted)) {
    test_scene_add(&scene, r);
  } else if (kind < 30) {
    test_scene_remove(&scene, rng_below(r, scene.count));
  } else if (kind < 32) {
    add_in_bulk(r);
  } else if (kind < 34 && scene.count > wanted / 2) {
    remove_in_bulk(r);
  } else if (kind < 36) {
    move_in_bulk(r);
  } else {
    mo_shape_id id = scene.ids[rng_below(r, scene.count)];
    if (kind < 40) {
      mo_geometry geometry = test_scene_geometry(&scene, r);
      cr_assert_eq(scene_family_reshape(&scene.family, id, &geometry), MO_OK);
      return;
    }
    mo_transform t = kind < 70   ? step(id, r)
                     : kind < 85 ? test_scene_transform(&scene, r)
                     : kind < 95 ? rescaled(id, 2, r)
                                 : rescaled(id, 100, r);
    mo_result result = scene_family_move(&scene.family, id, &t);
    /* Shapes that grow again and again leave the range of coordinates one day. */
    cr_assert(result == MO_OK || (kind >= 85 && result == MO_ERROR_OUT_OF_RANGE), "%s",
              mo_result_name(result));
    if (result != MO_OK) {
      t = test_scene_transform(&scene, r);
      cr_assert_eq(scene_family_move(&scene.family, id, &t), MO_OK);
    }
  }
}

static void compare(rng *r) {
  const mo_scene *const *subjects = test_scene_subjects(&scene);
  uint32_t count = scene.family.count;
  oracle_scene_read(&scene.oracle, subjects[0]);
  cr_assert_eq(scene.oracle.shape_count, scene.count);
  for (int i = 0; i < 2; i++) {
    sample_target target = test_scene_target(&scene, r);
    mo_ray_def ray = sample_any_ray(r, &target);
    mo_aabb box = sample_box(r, &target);
    mo_sphere sphere = sample_sphere(r, &target);
    mo_plane planes[8];
    uint32_t plane_count = sample_planes(r, &target, planes);
    mo_overlap_def def = mo_default_overlap_def();
    mo_filter all = mo_default_filter();
    ray.hit_volumes = i == 0;
    cr_assert(check_scene_ray(subjects, count, &scene.oracle, &ray, i ? CHECK_FULL : CHECK_FAST),
              "%s", check_why());
    cr_assert(check_scene_aabb(subjects, count, &scene.oracle, &box, &def), "%s", check_why());
    cr_assert(check_scene_sphere(subjects, count, &scene.oracle, &sphere, &def), "%s", check_why());
    cr_assert(check_scene_point(subjects, count, &scene.oracle, target.corners[0], &def), "%s",
              check_why());
    cr_assert(check_scene_planes(subjects, count, &scene.oracle, planes, plane_count, &all), "%s",
              check_why());
  }
  sample_target target = test_scene_target(&scene, r);
  mo_aabb box = sample_box(r, &target);
  mo_filter all = mo_default_filter();
  cr_assert(check_scene_cells(subjects, count, &scene.oracle, &box, &all), "%s", check_why());
}

static void churn(test_scene_kind kind, uint32_t shapes, uint64_t operations, rng *r) {
  test_scene_make(&scene, kind, shapes, r);
  for (uint64_t i = 0; i < operations; i++) {
    change(r, shapes);
    const char *corrupt =
        i % 4 == 0 || operations < 1000 ? scene_family_validate(&scene.family) : NULL;
    cr_assert_null(corrupt, "operation %lu: %s is corrupt", (unsigned long)i, corrupt);
    if (rng_below(r, 32) == 0) {
      scene_family_update(&scene.family);
      corrupt = scene_family_validate(&scene.family);
      cr_assert_null(corrupt, "after the update %s is corrupt", corrupt);
    }
    if (rng_below(r, 24) == 0) {
      compare(r);
    }
  }
  for (uint32_t i = 0; i < scene.family.count; i++) {
    mo_scene_stats stats;
    cr_assert_eq(mo_scene_get_stats(scene.family.scenes[i], &stats), MO_OK);
    cr_assert_eq(stats.rebuild_count, 0);
    cr_assert_eq(stats.shape_count, scene.count);
    cr_assert_eq(stats.leaf_shape_count + stats.inner_shape_count, scene.count);
  }
  /* Emptied again, nothing of the tree is left. */
  while (scene.count > 0) {
    test_scene_remove(&scene, rng_below(r, scene.count));
    if (scene.count % 16 == 0) {
      const char *corrupt = scene_family_validate(&scene.family);
      cr_assert_null(corrupt, "emptying: %s is corrupt", corrupt);
    }
  }
  scene_family_update(&scene.family);
  cr_assert_null(scene_family_validate(&scene.family));
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}

Test(scene_churn, plain) {
  rng r = rng_make(rng_seed("scene_churn/plain", 81));
  churn(TEST_SCENE_PLAIN, 120, rng_few_rounds(800, 60000), &r);
}

Test(scene_churn, crowded) {
  rng r = rng_make(rng_seed("scene_churn/crowded", 82));
  churn(TEST_SCENE_CROWDED, 60, rng_few_rounds(300, 10000), &r);
}

Test(scene_churn, flat) {
  rng r = rng_make(rng_seed("scene_churn/flat", 83));
  churn(TEST_SCENE_FLAT, 80, rng_few_rounds(300, 10000), &r);
}

Test(scene_churn, far) {
  rng r = rng_make(rng_seed("scene_churn/far", 84));
  churn(TEST_SCENE_FAR, 80, rng_few_rounds(300, 10000), &r);
}

Test(scene_churn, extreme) {
  rng r = rng_make(rng_seed("scene_churn/extreme", 85));
  churn(TEST_SCENE_EXTREME, 60, rng_few_rounds(300, 5000), &r);
}

Test(scene_churn, equal) {
  rng r = rng_make(rng_seed("scene_churn/equal", 86));
  churn(TEST_SCENE_EQUAL, 100, rng_few_rounds(300, 5000), &r);
}

/* Many shapes, few questions: splits and merges at depth. */
Test(scene_churn, many) {
  rng r = rng_make(rng_seed("scene_churn/many", 87));
  churn(TEST_SCENE_PLAIN, 1500, rng_few_rounds(60, 3000), &r);
}
