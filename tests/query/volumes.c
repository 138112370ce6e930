/* Volumes under every query, by default and on demand: queries that list what is there list them,
 * queries for obstacles ignore them. The table is in include/docs/queries.md. */
#include <criterion/criterion.h>
#include <motte/cast.h>
#include <motte/near.h>
#include <motte/pairs.h>
#include <motte/watch.h>

#include "support/defs.h"

static mo_scene *scene;
static mo_shape_id volume, ball;

/* A ball in a volume, and nothing else. */
static void setup(void) {
  mo_scene_def def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_VOLUME);
  shape.geometry.volume = (mo_aabb){{-4, -4, -4}, {4, 4, 4}};
  shape.category = 2;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &volume), MO_OK);
  shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &ball), MO_OK);
}

static void teardown(void) {
  mo_scene_destroy(scene);
}

TestSuite(volumes, .init = setup, .fini = teardown);

Test(volumes, are_not_in_the_way_of_rays) {
  for (int hit_volumes = 0; hit_volumes < 2; hit_volumes++) {
    mo_ray_def ray = mo_default_ray_def();
    cr_assert_not(ray.hit_volumes);
    ray.hit_volumes = hit_volumes;
    ray.origin = (mo_vec3){3, 10, 0}; /* past the ball */
    ray.direction = (mo_vec3){0, -1, 0};
    mo_ray_hit hit, hits[2];
    bool any = !hit_volumes;
    uint32_t count = 77;
    cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
    cr_assert_eq(hit.found, hit_volumes);
    cr_assert_eq(mo_scene_test_ray(scene, &ray, &any, NULL), MO_OK);
    cr_assert_eq(any, hit_volumes);
    cr_assert_eq(mo_scene_cast_ray_all(scene, &ray, hits, 2, &count, NULL), MO_OK);
    cr_assert_eq(count, (uint32_t)hit_volumes);
    cr_assert_eq(mo_scene_cast_ray_first(scene, &ray, hits, 2, &count, NULL), MO_OK);
    cr_assert_eq(count, (uint32_t)hit_volumes);
    mo_ray_cursor cursor;
    cr_assert_eq(mo_ray_cursor_init(&cursor, NULL), MO_OK);
    cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_OK);
    cr_assert_eq(hit.found, hit_volumes);
  }
  bool visible = false;
  mo_ground ground = {0};
  const mo_vec3 from = {3, 10, 0}, to = {3, -10, 0}, up = {0, 1, 0};
  cr_assert_eq(mo_scene_line_of_sight(scene, from, to, NULL, &visible, NULL), MO_OK);
  cr_assert(visible);
  cr_assert_eq(mo_scene_height_below(scene, from, up, NULL, &ground, NULL), MO_OK);
  cr_assert_not(ground.hit.found);
}

Test(volumes, are_not_in_the_way_of_shapes) {
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.transform.origin = (mo_vec3){3, 0, 0};
  bool fits = false;
  cr_assert_eq(mo_scene_shape_fits(scene, OF_FIT(&shape, NULL), &fits, NULL), MO_OK);
  cr_assert(fits);
  mo_fit_def fit = mo_default_fit_def();
  cr_assert_not(fit.hit_volumes);
  fit.hit_volumes = true;
  mo_shape_id found[2];
  uint32_t total;
  cr_assert_eq(mo_scene_find_obstacles(scene, OF_FIT(&shape, &fit), found, 2, &total, NULL), MO_OK);
  cr_assert(total == 1 && found[0].index == volume.index);
}

Test(volumes, are_not_the_closest_point) {
  mo_closest_def closest = mo_default_closest_def();
  mo_closest_hit hit;
  cr_assert_not(closest.hit_volumes);
  closest.point = (mo_vec3){6, 0, 0};
  cr_assert_eq(mo_scene_closest_point(scene, &closest, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == ball.index && hit.distance == 5);
  closest.hit_volumes = true;
  cr_assert_eq(mo_scene_closest_point(scene, &closest, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == volume.index && hit.distance == 2);
}

Test(volumes, are_not_the_closest_to_shapes) {
  mo_distance_def def = mo_default_distance_def();
  mo_closest_hit hit;
  cr_assert_not(def.hit_volumes);
  mo_geometry sphere = {.type = MO_SHAPE_SPHERE, .sphere = {{6, 0, 0}, 1}};
  def.primitive = mo_primitive_of_geometry(&sphere, NULL);
  cr_assert_eq(mo_scene_find_closest(scene, &def, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == ball.index && hit.distance == 4);
  def.hit_volumes = true;
  cr_assert_eq(mo_scene_find_closest(scene, &def, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == volume.index && hit.distance == 1);
}

Test(volumes, are_not_in_the_way_of_balls) {
  mo_sphere_cast_def cast = mo_default_sphere_cast_def();
  mo_cast_hit hit;
  cr_assert_not(cast.options.hit_volumes);
  cast.sphere = (mo_sphere){{10, 0, 0}, 1};
  cast.displacement = (mo_vec3){-16, 0, 0};
  cr_assert_eq(mo_scene_cast_sphere(scene, &cast, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == ball.index && hit.t == 0.5f);
  cast.options.hit_volumes = true;
  cr_assert_eq(mo_scene_cast_sphere(scene, &cast, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == volume.index && hit.t == 0.3125f);
}

static bool count_cell(const mo_cell *cell, void *context) {
  *(uint32_t *)context += cell->occupant_count;
  return true;
}

static void expect_found(const mo_shape_id *found, uint32_t total, bool listed, int line) {
  cr_assert(total == 1u + listed, "line %d: %u found", line, total);
  cr_assert_eq(found[total - 1].index, ball.index);
  cr_assert(!listed || found[0].index == volume.index);
}

/* Where both are: by default, and without the volumes' category. */
Test(volumes, are_listed) {
  const mo_aabb box = {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
  const mo_sphere region = {{0, 0, 0}, 0.5f};
  const mo_vec3 point = {0, 0, 0};
  const mo_plane plane = {{1, 0, 0}, 1};
  for (uint32_t listed = 0; listed < 2; listed++) {
    mo_overlap_def def = mo_default_overlap_def();
    def.filter.mask = listed ? def.filter.mask : ~2ull;
    mo_shape_id found[2], scratch[4];
    uint32_t total;
    cr_assert_eq(mo_scene_overlap_shapes(scene, IN_AABB(box, &def), found, 2, &total, NULL), MO_OK);
    expect_found(found, total, listed, __LINE__);
    cr_assert_eq(mo_scene_overlap_shapes(scene, IN_SPHERE(region, &def), found, 2, &total, NULL),
                 MO_OK);
    expect_found(found, total, listed, __LINE__);
    cr_assert_eq(mo_scene_overlap_shapes(scene, AT_POINT(point, &def), found, 2, &total, NULL),
                 MO_OK);
    expect_found(found, total, listed, __LINE__);
    mo_cull_result culled[2];
    cr_assert_eq(
        mo_scene_cull_planes(scene, OF_PLANES(&plane, 1, &def.filter), culled, 2, &total, NULL),
        MO_OK);
    cr_assert_eq(total, 1u + listed);
    uint32_t occupants = 0;
    bool complete;
    cr_assert_eq(mo_scene_visit_cells(scene, OF_CELLS(box, &def.filter, false, scratch, 4),
                                      count_cell, &occupants, &complete, NULL),
                 MO_OK);
    cr_assert_eq(occupants, 1u + listed);
    mo_near_def near = mo_default_near_def();
    near.filter = def.filter;
    mo_near_shape shapes[2];
    cr_assert_eq(mo_scene_find_near(scene, &near, shapes, 2, &total, NULL), MO_OK);
    cr_assert_eq(total, 1u + listed);
    cr_assert_eq(mo_scene_find_nearest(scene, &near, shapes, 2, &total, NULL), MO_OK);
    cr_assert_eq(total, 1u + listed);
    const float threshold = 10;
    mo_level_def levels = mo_default_level_def();
    levels.filter = def.filter;
    levels.thresholds = &threshold;
    levels.level_count = 1;
    mo_level_result level[2];
    cr_assert_eq(mo_scene_find_levels(scene, &levels, level, 2, &total, NULL), MO_OK);
    cr_assert_eq(total, 1u + listed);
    mo_watch *watch;
    mo_region_id id;
    mo_region_def watched = mo_default_region_def();
    watched.filter = def.filter;
    cr_assert_eq(mo_watch_create(scene, &watch), MO_OK);
    cr_assert_eq(mo_watch_add_region(watch, &watched, &id), MO_OK);
    cr_assert_eq(mo_watch_update(watch, NULL), MO_OK);
    cr_assert_eq(mo_watch_get_shapes(watch, id, found, 2, &total), MO_OK);
    expect_found(found, total, listed, __LINE__);
    mo_watch_destroy(watch);
  }
  uint32_t pairs;
  cr_assert_eq(mo_scene_find_pairs(scene, NULL, NULL, 0, &pairs), MO_OK);
  cr_assert_eq(pairs, 1);
  cr_assert_eq(mo_scene_find_near_pairs(scene, 1, NULL, NULL, 0, &pairs), MO_OK);
  cr_assert_eq(pairs, 1);
}
