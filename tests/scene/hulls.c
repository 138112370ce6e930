/* Hulls as shapes: references, by a host that counts; one hull for thousands of shapes; how it
 * behaves beside a box with the same corners. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "geometry/hull/hull.h"
#include "support/counting_allocator.h"
#include "support/hulls.h"
#include "support/scenes.h"

static counting_allocator counter;
static mo_hull *cube;
static mo_scene *scene;

static void setup(void) {
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  cube = test_hull_make(TEST_HULL_CUBE, &host);
  mo_scene_def def = mo_default_scene_def();
  def.host = host;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
}

static void teardown(void) {
  mo_scene_destroy(scene);
  cr_assert_eq(cube->references, 1);
  mo_hull_release(cube);
  cr_assert(counting_allocator_is_clean(&counter));
}

TestSuite(scene_hulls, .init = setup, .fini = teardown);

static mo_shape_def def_of(mo_hull *hull) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_HULL);
  def.geometry.hull = hull;
  return def;
}

Test(scene_hulls, are_retained_and_released) {
  mo_shape_def def = def_of(cube), copy;
  mo_shape_id a, b;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &a), MO_OK);
  cr_assert_eq(mo_scene_add_shape(scene, &def, &b), MO_OK);
  cr_assert_eq(cube->references, 3);
  cr_assert_eq(mo_scene_get_shape(scene, a, &copy), MO_OK);
  cr_assert(copy.geometry.hull == cube && cube->references == 3, "reading does not retain");
  mo_geometry ball = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
  cr_assert_eq(mo_scene_set_geometry(scene, a, &ball), MO_OK);
  cr_assert_eq(cube->references, 2);
  cr_assert_eq(mo_scene_set_geometry(scene, a, &def.geometry), MO_OK);
  cr_assert_eq(mo_scene_set_geometry(scene, a, &def.geometry), MO_OK, "the same one again");
  cr_assert_eq(cube->references, 3);
  mo_geometry bad = def.geometry;
  bad.rounding = -1;
  cr_assert_eq(mo_scene_set_geometry(scene, a, &bad), MO_ERROR_INVALID_ARGUMENT);
  bad.hull = NULL;
  bad.rounding = 0;
  cr_assert_eq(mo_scene_set_geometry(scene, a, &bad), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(cube->references, 3);
  cr_assert_eq(mo_scene_remove_shape(scene, b), MO_OK);
  cr_assert_eq(cube->references, 2);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
}

Test(scene_hulls, are_given_back_by_what_fails) {
  mo_shape_def defs[40];
  mo_shape_id ids[40];
  size_t bad;
  for (int i = 0; i < 40; i++) {
    defs[i] = def_of(cube);
  }
  defs[30].geometry.rounding = NAN;
  cr_assert_eq(mo_scene_add_shapes(scene, defs, 40, ids, &bad), MO_ERROR_NOT_FINITE);
  cr_assert(bad == 30 && cube->references == 1);
  defs[30] = def_of(NULL);
  cr_assert_eq(mo_scene_add_shapes(scene, defs, 40, ids, &bad), MO_ERROR_NULL_ARGUMENT);
  cr_assert(bad == 30 && cube->references == 1);
  defs[30] = def_of(cube);
  defs[30].transform.origin.x = 1e30f;
  cr_assert_eq(mo_scene_add_shapes(scene, defs, 40, ids, &bad), MO_ERROR_OUT_OF_RANGE);
  cr_assert(bad == 30 && cube->references == 1);
  cr_assert_eq(mo_scene_add_shape(scene, &defs[30], ids), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(cube->references, 1);
  defs[30] = def_of(cube);
  for (size_t nth = 1;; nth++) { /* every allocation fails in turn */
    counting_allocator_fail_at(&counter, nth, true);
    mo_result result = mo_scene_add_shapes(scene, defs, 40, ids, &bad);
    counting_allocator_fail_at(&counter, 0, false);
    cr_assert_eq(cube->references, result == MO_OK ? 41 : 1);
    if (result == MO_OK) {
      break;
    }
    cr_assert(result == MO_ERROR_OUT_OF_MEMORY && nth < 100);
  }
  cr_assert_eq(mo_scene_remove_shapes(scene, ids, 20, &bad), MO_OK);
  cr_assert_eq(cube->references, 21);
}

/* A hull that only shapes hold lives as long as they do. */
Test(scene_hulls, live_as_long_as_their_shapes) {
  mo_host host = counting_allocator_host(&counter);
  size_t before = counter.outstanding_bytes;
  mo_hull *hull = test_hull_make(TEST_HULL_STONE, &host);
  size_t bytes = counter.outstanding_bytes - before;
  mo_hull_info info;
  cr_assert_eq(mo_hull_get_info(hull, &info), MO_OK);
  cr_assert_eq(info.bytes, bytes);
  mo_shape_def def = def_of(hull);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_hull_release(hull);
  mo_aabb box;
  cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
  cr_assert(box.lower.x <= info.bounds.lower.x && box.upper.z >= info.bounds.upper.z);
  size_t with_hull = counter.outstanding_bytes;
  cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
  cr_assert_eq(counter.outstanding_bytes, with_hull - bytes);
}

/* Thousands of shapes, moved and asked about, cost the same memory with a large hull as with balls,
 * and the hull once. */
Test(scene_hulls, are_shared_by_thousands) {
  enum { SHAPES = 4000 };
  mo_host host = counting_allocator_host(&counter);
  mo_hull *hull = test_hull_make(TEST_HULL_LARGE, &host);
  mo_shape_def *defs = malloc(SHAPES * sizeof *defs);
  mo_shape_id *ids = malloc(SHAPES * sizeof *ids);
  size_t bytes[2];
  for (int large = 0; large < 2; large++) {
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.host = host;
    mo_scene *many;
    size_t before = counter.outstanding_bytes;
    cr_assert_eq(mo_scene_create(&scene_def, &many), MO_OK);
    for (uint32_t i = 0; i < SHAPES; i++) {
      defs[i] = large ? def_of(hull) : mo_default_shape_def(MO_SHAPE_SPHERE);
      defs[i].transform.origin = (mo_vec3){3.0f * (float)(i % 64), 3.0f * (float)(i / 64), 0};
    }
    cr_assert_eq(mo_scene_add_shapes(many, defs, SHAPES, ids, NULL), MO_OK);
    cr_assert_eq(hull->references, large ? SHAPES + 1 : 1);
    bytes[large] = counter.outstanding_bytes - before;
    for (uint32_t i = 0; i < 100; i++) {
      defs[i].transform.origin.z = 50;
      cr_assert_eq(mo_scene_set_transform(many, ids[i], &defs[i].transform), MO_OK);
    }
    size_t calls = counter.calls;
    uint32_t total;
    mo_overlap_def overlap = mo_overlap_aabb_def((mo_aabb){{0, 0, -1}, {90, 90, 1}});
    cr_assert_eq(mo_scene_overlap_shapes(many, &overlap, NULL, 0, &total, NULL), MO_OK);
    cr_assert_gt(total, 700);
    cr_assert_eq(counter.calls, calls, "queries allocate nothing");
    mo_scene_destroy(many);
    cr_assert_eq(counter.outstanding_bytes, before);
  }
  cr_assert_leq(bytes[1], bytes[0] + bytes[0] / 8, "%zu, with balls %zu", bytes[1], bytes[0]);
  mo_hull_release(hull);
  free(defs);
  free(ids);
}

/* A cube as hull and as box have the same bounds, under any map, and answer alike. */
Test(scene_hulls, a_cube_is_a_box) {
  rng r = rng_make(rng_seed("scene_hulls/cube", 320));
  uint64_t rounds = rng_rounds(2000, 100000);
  for (uint64_t i = 0; i < rounds; i++) {
    mo_shape_def defs[2] = {def_of(cube), mo_default_shape_def(MO_SHAPE_BOX)};
    defs[0].transform = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TINY), 3);
    defs[0].geometry.rounding = rng_chance(&r, 0.3) ? rng_float(&r, 0, 1) : 0;
    defs[1].transform = defs[0].transform;
    defs[1].geometry.rounding = defs[0].geometry.rounding;
    mo_aabb box[2];
    mo_ray_hit hits[2];
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = rng_vec3(&r, -6, 6);
    mo_vec3 near = mo_add(defs[0].transform.origin, rng_vec3(&r, -1, 1));
    ray.direction = mo_sub(near, ray.origin);
    ray.max_t = INFINITY;
    for (int k = 0; k < 2; k++) {
      mo_shape_id id;
      cr_assert_eq(mo_scene_add_shape(scene, &defs[k], &id), MO_OK);
      cr_assert_eq(mo_scene_get_bounds(scene, id, &box[k]), MO_OK);
      cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hits[k], NULL), MO_OK);
      cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
    }
    float max = 1e-5f * (1 + mo_max_magnitude(mo_aabb_max_coordinates(box[1])));
    cr_assert(mo_max_magnitude(mo_sub(box[0].lower, box[1].lower)) <= max &&
                  mo_max_magnitude(mo_sub(box[0].upper, box[1].upper)) <= max,
              "round %llu", (unsigned long long)i);
    if (hits[0].found && hits[1].found) {
      cr_assert_float_eq(hits[0].t, hits[1].t, 1e-3, "round %llu", (unsigned long long)i);
    }
  }
}
