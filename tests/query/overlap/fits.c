/* Whether a shape fits between others: against loops over all shapes and all their triangles. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/near.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/solids.h"
#include "support/defs.h"
#include "support/scenes.h"

static test_scene scene;

/* The box under which a shape would be stored. */
static bool bounds_of(const mo_shape_def *def, mo_aabb *bounds) {
  mo_scene *alone;
  mo_shape_id id;
  mo_scene_def scene_def = mo_default_scene_def();
  oracle_expect(mo_scene_create(&scene_def, &alone), "a scene");
  mo_result result = mo_scene_add_shape(alone, def, &id);
  if (result == MO_OK) {
    result = mo_scene_get_bounds(alone, id, bounds);
  }
  mo_scene_destroy(alone);
  return result == MO_OK;
}

static void check_shape(const mo_shape_def *def, const mo_fit_def *fit, uint32_t *in_all) {
  enum { MAX = 512 };
  static mo_shape_id found[MAX];
  uint32_t total = 77;
  mo_aabb bounds;
  bool fits = false;
  const mo_scene *first = scene.family.scenes[0];
  if (!bounds_of(def, &bounds)) {
    cr_assert_neq(mo_scene_shape_fits(first, OF_FIT(def, fit), &fits, NULL), MO_OK);
    return;
  }
  oracle_list obstacles = {0};
  oracle_scene_obstacles(&scene.oracle, def, bounds, fit, &obstacles);
  const mo_shape_id *expected = obstacles.items;
  uint32_t count = obstacles.count;
  for (uint32_t i = 0; i < scene.family.count; i++) {
    const mo_scene *subject = scene.family.scenes[i];
    cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(def, fit), found, MAX, &total, NULL),
                 MO_OK);
    cr_assert_eq(total, count, "%s: %u in the way, not %u", scene.family.names[i], total, count);
    cr_assert(count == 0 || memcmp(found, expected, count * sizeof *found) == 0);
    cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(def, fit), &fits, NULL), MO_OK);
    cr_assert(fits == (count == 0));
    cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(def, fit), found, count / 2, &total, NULL),
                 MO_OK);
    cr_assert_eq(total, count);
    cr_assert(count == 0 || memcmp(found, expected, count / 2 * sizeof *found) == 0);
  }
  *in_all += count;
  oracle_list_free(&obstacles);
}

Test(fits, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 12, 60};
  rng r = rng_make(rng_seed("fits/brute force", 231));
  uint64_t rounds = rng_rounds(10, 400);
  uint32_t in_all = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t j = 0; j < (sizes[i] > 1 ? rounds : 2); j++) {
        mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
        def.geometry = test_scene_geometry(&scene, &r);
        def.transform = test_scene_transform(&scene, &r);
        if (scene.count > 0 && rng_chance(&r, 0.5)) { /* of a shape that is there, beside it */
          mo_shape_id id = scene.ids[rng_below(&r, scene.count)];
          cr_assert_eq(mo_scene_get_shape(scene.family.scenes[0], id, &def), MO_OK);
          mo_vec3 d = rng_vec3(&r, -1, 1);
          def.transform.origin.x += d.x;
          def.transform.origin.y += d.y;
        }
        def.category = rng_chance(&r, 0.2) ? rng_u64(&r) & 0xff : UINT64_MAX;
        def.mask = rng_chance(&r, 0.2) ? rng_u64(&r) & rng_u64(&r) : UINT64_MAX;
        mo_fit_def fit = mo_default_fit_def();
        fit.filter = test_scene_filter(&scene, &r);
        fit.precision = rng_chance(&r, 0.2) ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
        fit.hit_volumes = rng_chance(&r, 0.5);
        fit.clearance = rng_chance(&r, 0.5) ? 0 : exp2f(rng_float(&r, -10, 2));
        check_shape(&def, &fit, &in_all);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
  cr_assert_gt(in_all, 100);
}

/* A crate slides into a row of others, a ball rolls under a slanted board. */
static bool count_asked(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)shape;
  (void)user_data;
  ++*(uint32_t *)context;
  return true;
}

Test(fits, by_hand) {
  mo_scene *subject;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
  mo_shape_def crate = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id left, right, board, found[4];
  cr_assert_eq(mo_scene_add_shape(subject, &crate, &left), MO_OK);
  crate.transform.origin.x = 5;
  cr_assert_eq(mo_scene_add_shape(subject, &crate, &right), MO_OK);
  mo_shape_def plank = mo_default_shape_def(MO_SHAPE_BOX);
  plank.geometry.box.half_extents = (mo_vec3){10, 1, 0.01f};
  mo_quat slant = {0, 0.38268343f, 0, 0.92387953f}; /* 45 degrees about y */
  plank.transform = mo_transform_make((mo_vec3){0, 20, 0}, slant, (mo_vec3){1, 1, 1});
  cr_assert_eq(mo_scene_add_shape(subject, &plank, &board), MO_OK);

  mo_fit_def fit = mo_default_fit_def();
  bool fits = false;
  uint32_t total;
  crate.transform.origin.x = 2.5f;
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&crate, NULL), &fits, NULL), MO_OK);
  cr_assert(fits);
  fit.clearance = 0.49f;
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&crate, &fit), &fits, NULL), MO_OK);
  cr_assert(fits);
  fit.clearance = 0.5f;
  cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(&crate, &fit), found, 4, &total, NULL),
               MO_OK);
  cr_assert(total == 2 && found[0].index == left.index && found[1].index == right.index);
  uint32_t asked = 0;
  fit.filter.accept = count_asked;
  fit.filter.context = &asked;
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&crate, &fit), &fits, NULL), MO_OK);
  cr_assert(!fits && asked == 1, "the first in the way is enough, not %u", asked);
  fit.filter.accept = NULL;
  fit.filter.ignore = left;
  cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(&crate, &fit), found, 4, &total, NULL),
               MO_OK);
  cr_assert(total == 1 && found[0].index == right.index);
  crate.mask = 2; /* collides with others than crates */
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&crate, &fit), &fits, NULL), MO_OK);
  cr_assert(fits);

  /* Well inside the board's box, and beside the board. */
  mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE);
  ball.transform.origin = (mo_vec3){4, 20, 4};
  fit = mo_default_fit_def();
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&ball, &fit), &fits, NULL), MO_OK);
  cr_assert(fits);
  fit.precision = MO_PRECISION_BOUNDS;
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&ball, &fit), &fits, NULL), MO_OK);
  cr_assert_not(fits);
  mo_scene_destroy(subject);
}

/* Small numbers, so that much just touches. */
static float small_number(rng *r) {
  return (float)rng_below(r, 5) - 1;
}

/* Triangles as long as 1e7 and more that touch what lies at exactly 0 on an axis: whether they do
 * must not depend on the margin of either. */
Test(fits, long_triangles_beside_flat_ones) {
  enum { TRIANGLES = 6, CORNERS = 3 * TRIANGLES };
  rng r = rng_make(rng_seed("fits/long", 233));
  uint32_t in_all = 0;
  for (uint64_t i = 0; i < rng_rounds(6000, 300000); i++) {
    mo_vec3 p[CORNERS];
    for (int k = 0; k < CORNERS; k++) {
      p[k].x = small_number(&r);
      p[k].y = small_number(&r);
      p[k].z = small_number(&r);
    }
    mo_mesh_def mesh_def = mo_default_mesh_def();
    mesh_def.positions = &p[0].x;
    mesh_def.vertex_count = CORNERS;
    mesh_def.triangle_count = TRIANGLES;
    mesh_def.index_type = MO_INDEX_NONE;
    mo_mesh *mesh;
    cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
    mo_shape_def there = mo_default_shape_def(MO_SHAPE_MESH), here;
    there.geometry.mesh = mesh;
    float length = powf(10, rng_float(&r, 5, 12));
    there.transform = (mo_transform){.origin = {10 + rng_float(&r, 0, 1), 0, 0}};
    there.transform.x_axis.y = rng_below(&r, 2) ? 0 : small_number(&r);
    here = there;
    mo_vec3 along = {length, rng_float(&r, 1, 9), rng_float(&r, 1, 9)};
    here.transform.x_axis = (mo_vec3){-along.x, along.y, along.z};
    here.transform.y_axis = along;
    here.transform.origin.x = 7;
    mo_affine a, b;
    cr_assert_eq(mo_affine_init(&a, &here.transform), MO_OK);
    cr_assert_eq(mo_affine_init(&b, &there.transform), MO_OK);
    mo_fit_def fit = mo_default_fit_def();
    fit.clearance = rng_below(&r, 2) ? 0 : 1e-6f;
    bool expected = true, fits[2];
    for (int j = 0; j < CORNERS; j += 3) {
      for (int k = 0; k < CORNERS; k += 3) {
        mo_dvec3 left[3], right[3];
        for (int corner = 0; corner < 3; corner++) {
          left[corner] = mo_affine_point_to_world(&a, p[j + corner]);
          right[corner] = mo_affine_point_to_world(&b, p[k + corner]);
        }
        expected = expected && !triangles_within(left, right, fit.clearance);
      }
    }
    for (int fat = 0; fat < 2; fat++) {
      mo_scene_def scene_def = mo_default_scene_def();
      mo_scene *subject;
      mo_shape_id id;
      cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
      there.margin = fat ? 4 : 0;
      cr_assert_eq(mo_scene_add_shape(subject, &there, &id), MO_OK);
      cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&here, &fit), &fits[fat], NULL), MO_OK);
      mo_scene_destroy(subject);
    }
    cr_assert(fits[0] == expected && fits[1] == expected, "length %g: %d, not %d; with a margin %d",
              (double)length, fits[0], expected, fits[1]);
    in_all += !expected;
    mo_mesh_release(mesh);
  }
  cr_assert_gt(in_all, 100);
}

/* A trigger volume around a door is no obstacle, unless volumes are to count. */
Test(fits, volumes_are_in_the_way_on_demand) {
  mo_scene *subject;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
  mo_shape_def trigger = mo_default_shape_def(MO_SHAPE_VOLUME);
  mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_shape_id id, found;
  cr_assert_eq(mo_scene_add_shape(subject, &trigger, &id), MO_OK);
  mo_fit_def fit = mo_default_fit_def();
  for (int i = 0; i < 4; i++) {
    fit.precision = i < 2 ? MO_PRECISION_GEOMETRY : MO_PRECISION_BOUNDS;
    fit.hit_volumes = i % 2;
    bool fits = i % 2;
    uint32_t total = 77;
    cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&ball, &fit), &fits, NULL), MO_OK);
    cr_assert(fits == !fit.hit_volumes);
    cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(&ball, &fit), &found, 1, &total, NULL),
                 MO_OK);
    cr_assert_eq(total, fit.hit_volumes);
  }
  bool fits = false;
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&ball, NULL), &fits, NULL), MO_OK);
  cr_assert(fits, "by default");
  mo_scene_destroy(subject);
}

static void refuse(const mo_scene *subject, const mo_shape_def *shape, const mo_fit_def *def,
                   mo_result expected, int line) {
  bool fits = true;
  mo_shape_id found = {77, 77};
  uint32_t total = 77;
  mo_query_stats stats = {0}, none = {0};
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(shape, def), &fits, &stats), expected, "%d",
               line);
  cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(shape, def), &found, 1, &total, &stats),
               expected, "%d", line);
  cr_assert(fits && found.index == 77 && total == 77);
  cr_assert_eq(memcmp(&stats, &none, sizeof none), 0);
}

Test(fits, errors) {
  const mo_result null = MO_ERROR_NULL_ARGUMENT, invalid = MO_ERROR_INVALID_ARGUMENT;
  mo_scene *subject;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
  mo_shape_def good = mo_default_shape_def(MO_SHAPE_BOX), shape = good;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(subject, &good, &id), MO_OK);
  mo_fit_def fit = mo_default_fit_def();
  bool fits;
  uint32_t total;
  refuse(NULL, &good, &fit, null, __LINE__);
  refuse(subject, NULL, &fit, null, __LINE__);
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&good, &fit), NULL, NULL), null);
  cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(&good, &fit), NULL, 1, &total, NULL), null);
  cr_assert_eq(mo_scene_find_obstacles(subject, OF_FIT(&good, &fit), &id, 1, NULL, NULL), null);
  shape.geometry.box.half_extents.y = -1;
  refuse(subject, &shape, &fit, invalid, __LINE__);
  shape.geometry.box.half_extents.y = NAN;
  refuse(subject, &shape, NULL, MO_ERROR_NOT_FINITE, __LINE__);
  shape = good;
  shape.transform.origin.x = INFINITY;
  refuse(subject, &shape, &fit, MO_ERROR_NOT_FINITE, __LINE__);
  shape.transform.origin.x = 1e30f;
  shape.transform.x_axis.x = 1e30f;
  refuse(subject, &shape, &fit, MO_ERROR_OUT_OF_RANGE, __LINE__);
  shape = good;
  shape.motion = (mo_motion)4;
  refuse(subject, &shape, &fit, invalid, __LINE__);
  shape = mo_default_shape_def(MO_SHAPE_MESH);
  refuse(subject, &shape, &fit, null, __LINE__);
  /* As the shape could not be added, so it cannot fit. */
  const float margins[] = {-2, NAN, INFINITY, 1e20f, MO_MARGIN_OF_SCENE, 0, 3};
  for (size_t i = 0; i < sizeof margins / sizeof *margins; i++) {
    shape = good;
    shape.margin = margins[i];
    mo_result result = mo_scene_add_shape(subject, &shape, &id);
    if (i < 4) {
      cr_assert_neq(result, MO_OK);
      refuse(subject, &shape, &fit, result, __LINE__);
      continue;
    }
    cr_assert_eq(result, MO_OK);
    cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&shape, &fit), &fits, NULL), MO_OK);
    cr_assert_eq(mo_scene_remove_shape(subject, id), MO_OK);
  }
  fit.clearance = -1;
  refuse(subject, &good, &fit, invalid, __LINE__);
  fit.clearance = NAN;
  refuse(subject, &good, &fit, MO_ERROR_NOT_FINITE, __LINE__);
  fit.clearance = INFINITY;
  refuse(subject, &good, &fit, MO_ERROR_OUT_OF_RANGE, __LINE__);
  fit = mo_default_fit_def();
  fit.precision = (mo_precision)2;
  refuse(subject, &good, &fit, invalid, __LINE__);
  cr_assert_eq(mo_scene_shape_fits(subject, OF_FIT(&good, NULL), &fits, NULL), MO_OK);
  cr_assert_not(fits);
  mo_scene_destroy(subject);
}
