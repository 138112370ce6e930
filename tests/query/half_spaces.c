/* Half-spaces as shapes of scenes, in every query: known answers, with other shapes in the octree
 * and without any. Random ones are among the scenes of the other tests. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/motte.h>

#include "support/check.h"
#include "support/defs.h"
#include "support/scenes.h"

enum { MAX = 8 };

/* The ground: y <= 1, as the image of another half-space. */
static mo_scene *ground_scene(bool with_ball, mo_shape_id *ground, mo_shape_id *ball) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  def.geometry.half_space = (mo_half_space){{3, 0, 0}, 1.5f};
  def.transform = (mo_transform){{0, 2, 0}, {0, 0, -1}, {5, 0, 0}, {7, 0, 9}};
  def.user_data = 42;
  cr_assert_eq(mo_scene_add_shape(scene, &def, ground), MO_OK);
  if (with_ball) {
    def = mo_default_shape_def(MO_SHAPE_SPHERE);
    def.transform.origin = (mo_vec3){0, 5, 0};
    cr_assert_eq(mo_scene_add_shape(scene, &def, ball), MO_OK);
  }
  return scene;
}

static bool is(mo_vec3 v, float x, float y, float z) {
  return v.x == x && v.y == y && v.z == z;
}

static void check_rays(const mo_scene *scene, mo_shape_id ground) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = (mo_vec3){3, 10, 0};
  ray.direction = (mo_vec3){0, -2, 0};
  mo_ray_hit hit;
  bool any;
  cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.t == 4.5f && hit.shape.index == ground.index && hit.user_data == 42);
  cr_assert(is(hit.normal, 0, 1, 0) && is(hit.point, 3, 1, 0) && hit.triangle == MO_NO_TRIANGLE);
  cr_assert_eq(mo_scene_test_ray(scene, &ray, &any, NULL), MO_OK);
  cr_assert(any);
  ray.max_t = 4.49f;
  cr_assert_eq(mo_scene_test_ray(scene, &ray, &any, NULL), MO_OK);
  cr_assert(!any);
  ray.max_t = INFINITY;
  ray.min_t = 6;
  cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.t == 6 && is(hit.normal, 0, 0, 0), "it begins inside");
  ray.origin.y = -10;
  ray.direction.y = 1;
  cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.t == 6, "it has not left yet");
  ray.min_t = 12;
  cr_assert_eq(mo_scene_test_ray(scene, &ray, &any, NULL), MO_OK);
  cr_assert(!any, "it has left");
  ray = mo_default_ray_def();
  ray.origin = (mo_vec3){3, 1.5f, 0};
  ray.direction = (mo_vec3){1, 0, 1};
  cr_assert_eq(mo_scene_test_ray(scene, &ray, &any, NULL), MO_OK);
  cr_assert(!any, "parallel");
  ray.direction.y = -1;
  ray.filter.ignore = ground;
  cr_assert_eq(mo_scene_test_ray(scene, &ray, &any, NULL), MO_OK);
  cr_assert(!any);
  mo_ground below;
  cr_assert_eq(mo_scene_height_below(scene, mo_vec(-4, 3, 0), mo_vec(0, 5, 0), NULL, &below, NULL),
               MO_OK);
  cr_assert(below.hit.found && below.height == 2);
}

static uint32_t overlaps(const mo_scene *scene, mo_overlap_def def) {
  uint32_t total = 77;
  bool any;
  cr_assert_eq(mo_scene_overlap_shapes(scene, &def, NULL, 0, &total, NULL), MO_OK);
  cr_assert_eq(mo_scene_test_overlap(scene, &def, &any, NULL), MO_OK);
  cr_assert_eq(any, total > 0);
  return total;
}

static void check_overlaps(const mo_scene *scene) {
  for (int precision = 0; precision < 2; precision++) {
    mo_overlap_def defs[6] = {
        mo_overlap_aabb_def((mo_aabb){{20, 1, 20}, {21, 2, 21}}),
        mo_overlap_sphere_def((mo_sphere){{20, 2, 0}, 1}),
        mo_overlap_point_def(mo_vec(20, 1, 0)),
        mo_overlap_aabb_def((mo_aabb){{20, 1.001f, 20}, {21, 2, 21}}),
        mo_overlap_sphere_def((mo_sphere){{20, 2, 0}, 0.999f}),
        mo_overlap_point_def(mo_vec(20, 1.001f, 0)),
    };
    for (int i = 0; i < 6; i++) {
      defs[i].precision = (mo_precision)precision;
      cr_assert_eq(overlaps(scene, defs[i]), i < 3 ? 1 : 0, "region %d", i);
    }
  }
  const mo_plane planes[2] = {{{0, 1, 0}, -100}, {{0, 0, 1}, 0}};
  mo_cull_result culled[MAX];
  uint32_t total;
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(planes, 2, NULL), culled, MAX, &total, NULL),
               MO_OK);
  cr_assert(total == 1 && !culled[0].inside, "never excluded, never inside");
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(NULL, 0, NULL), culled, MAX, &total, NULL),
               MO_OK);
  cr_assert(total == mo_scene_shape_count(scene) && culled[0].inside);
}

static void check_near(const mo_scene *scene, mo_shape_id ground, bool with_ball) {
  mo_near_def def = mo_default_near_def();
  mo_near_shape near[MAX];
  uint32_t count;
  def.from = (mo_aabb){{0, 4, 6}, {0, 11, 6}};
  cr_assert_eq(mo_scene_find_nearest(scene, &def, near, MAX, &count, NULL), MO_OK);
  cr_assert_eq(count, with_ball ? 2 : 1);
  cr_assert(near[0].shape.index == ground.index && near[0].distance == 3 &&
            near[0].user_data == 42);
  def.max_distance = 2.99f;
  cr_assert_eq(mo_scene_find_near(scene, &def, near, MAX, &count, NULL), MO_OK);
  cr_assert_eq(count, 0);
  cr_assert_eq(mo_near_def_of_shape(scene, ground, &def), MO_ERROR_INVALID_ARGUMENT);
  mo_closest_def to = mo_default_closest_def();
  mo_closest_hit hit;
  to.point = (mo_vec3){10, 4, 0};
  cr_assert_eq(mo_scene_closest_point(scene, &to, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.distance == 3 && is(hit.point, 10, 1, 0) && is(hit.normal, 0, 1, 0));
  to.point.y = -1;
  cr_assert_eq(mo_scene_closest_point(scene, &to, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.distance == 0 && is(hit.point, 10, -1, 0));
  cr_assert_eq(mo_scene_signed_distance(scene, &to, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.distance == -2 && is(hit.point, 10, 1, 0) && is(hit.normal, 0, 1, 0));
  const float thresholds[2] = {1, 4};
  mo_level_def levels = mo_default_level_def();
  mo_level_result level[MAX];
  levels.eye = (mo_vec3){1000, 3, 0};
  levels.thresholds = thresholds;
  levels.level_count = 2;
  cr_assert_eq(mo_scene_find_levels(scene, &levels, level, MAX, &count, NULL), MO_OK);
  cr_assert(count == 1 && level[0].shape.index == ground.index && level[0].level == 1);
}

static void check_casts(const mo_scene *scene) {
  mo_cast_hit hit;
  mo_sphere_cast_def ball = mo_default_sphere_cast_def();
  ball.sphere = (mo_sphere){{9, 5, 0}, 2};
  ball.displacement = (mo_vec3){1, -4, 0};
  cr_assert_eq(mo_scene_cast_sphere(scene, &ball, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.t == 0.5f && is(hit.point, 9.5f, 1, 0) && is(hit.normal, 0, 1, 0));
  cr_assert(hit.depth == 0 && hit.feature == MO_FEATURE_FACE && hit.feature_index == 0);
  ball.sphere.center.y = -1;
  cr_assert_eq(mo_scene_cast_sphere(scene, &ball, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.t == 0 && hit.depth == 4 && is(hit.normal, 0, 1, 0));
  mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1, 1}}};
  mo_transform at = mo_transform_identity();
  at.origin = (mo_vec3){9, 4, 0};
  for (int precision = 0; precision < 2; precision++) {
    mo_shape_cast_def def = mo_default_shape_cast_def();
    def.primitive = mo_primitive_of_geometry(&box, &at);
    def.displacement = (mo_vec3){0, -4, 0};
    def.precision = (mo_precision)precision;
    cr_assert_eq(mo_scene_cast_shape(scene, &def, &hit, NULL), MO_OK);
    cr_assert(hit.found && hit.t == 0.5f && hit.point.y == 1 && is(hit.normal, 0, 1, 0));
    cr_assert(hit.feature == MO_FEATURE_FACE && hit.own_feature == MO_FEATURE_FACE);
  }
  mo_shape_cast_def turning = mo_default_shape_cast_def();
  turning.primitive = mo_primitive_of_segment(mo_vec(9, 2, 0), mo_vec(11, 2, 0));
  turning.pivot = (mo_vec3){9, 2, 0};
  turning.axis = (mo_vec3){0, 0, 1};
  turning.angle = -1.5707964f;
  cr_assert_eq(mo_scene_cast_shape(scene, &turning, &hit, NULL), MO_OK);
  cr_assert(hit.found && fabsf(hit.t - 1 / 3.0f) < 1e-5f, "its end is at 30 degrees: %g",
            (double)hit.t);
  mo_shape_cast_def sunk = mo_default_shape_cast_def();
  at.origin.y = 0;
  sunk.primitive = mo_primitive_of_geometry(&box, &at);
  mo_separation out;
  cr_assert_eq(mo_scene_find_separation(scene, &sunk, &out, NULL), MO_OK);
  cr_assert(out.found && fabsf(out.translation.y - 2) < 1e-4f);
}

static bool name(const mo_cell *cell, void *context) {
  *(uint32_t *)context += cell->visitor_count;
  cr_assert(cell->occupant_count == 0 || cell->bounds.upper.y >= 4);
  return true;
}

static void check_places(const mo_scene *scene) {
  mo_shape_id scratch[MAX], found[MAX];
  uint32_t named = 0, total;
  bool complete, fits;
  cr_assert_eq(mo_scene_visit_cells(
                   scene,
                   OF_CELLS(((mo_aabb){{50, -9, 50}, {60, -5, 60}}), NULL, true, scratch, MAX),
                   name, &named, &complete, NULL),
               MO_OK);
  cr_assert(named >= 1 && complete);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_fit_def fit = mo_default_fit_def();
  fit.shape = &def;
  for (int precision = 0; precision < 2; precision++) {
    fit.precision = (mo_precision)precision;
    def.transform.origin = (mo_vec3){20, 2.5f, 0};
    fit.clearance = 0.49f;
    cr_assert_eq(mo_scene_shape_fits(scene, &fit, &fits, NULL), MO_OK);
    cr_assert(fits);
    fit.clearance = 0.5f;
    cr_assert_eq(mo_scene_find_obstacles(scene, &fit, found, MAX, &total, NULL), MO_OK);
    cr_assert_eq(total, 1);
  }
  def = mo_default_shape_def(MO_SHAPE_HALF_SPACE); /* a ceiling above the ground */
  def.geometry.half_space = (mo_half_space){{0, -1, 0}, -7};
  fit = mo_default_fit_def();
  fit.shape = &def;
  cr_assert_eq(mo_scene_find_obstacles(scene, &fit, found, MAX, &total, NULL), MO_OK);
  cr_assert_eq(total, 0);
  fit.clearance = 6;
  cr_assert_eq(mo_scene_find_obstacles(scene, &fit, found, MAX, &total, NULL), MO_OK);
  cr_assert_eq(total, mo_scene_shape_count(scene));
}

Test(half_spaces, in_every_query) {
  for (int with_ball = 0; with_ball < 2; with_ball++) {
    mo_shape_id ground, ball;
    mo_scene *scene = ground_scene(with_ball, &ground, &ball);
    check_rays(scene, ground);
    check_overlaps(scene);
    check_near(scene, ground, with_ball);
    check_casts(scene);
    check_places(scene);
    mo_scene_destroy(scene);
  }
}

static mo_impact impact_of(const mo_scene *scene, mo_shape_id id, mo_movement movement) {
  const mo_mover mover = {.shape = id, .movement = movement};
  mo_mover_memory memory[1];
  mo_impact_search search = mo_default_impact_search();
  search.movers = &mover;
  search.memory = memory;
  search.count = 1;
  mo_impact impact;
  cr_assert_eq(mo_scene_find_impacts(scene, &search, &impact, NULL, NULL), MO_OK);
  return impact;
}

/* A ball falls, and the ground rises; a mesh falls and turns. */
Test(half_spaces, stop_movers) {
  mo_shape_id ground, ball, solid;
  mo_scene *scene = ground_scene(true, &ground, &ball);
  mo_impact impact = impact_of(scene, ball, (mo_movement){.displacement = {0, -100, 0}});
  cr_assert(impact.found && impact.other.index == ground.index && impact.normal.y == -1);
  cr_assert(impact.t <= 0.03f && impact.t >= 0.0299f, "%g", (double)impact.t);
  impact = impact_of(scene, ground, (mo_movement){.displacement = {0, 100, 0}});
  cr_assert(impact.found && impact.other.index == ball.index && impact.normal.y == 1);
  cr_assert(impact.t <= 0.03f && impact.t >= 0.0299f, "%g", (double)impact.t);
  impact = impact_of(scene, ground, (mo_movement){.displacement = {100, -1, 0}});
  cr_assert(!impact.found);
  rng r = rng_make(7);
  test_mesh source = test_mesh_make(TEST_MESH_BOX, 300, &r);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = test_mesh_build(&source);
  test_mesh_free(&source);
  def.transform.origin = (mo_vec3){50, 30, 0};
  cr_assert_eq(mo_scene_add_shape(scene, &def, &solid), MO_OK);
  mo_movement turning = {.displacement = {0, -60, 0}, .pivot = {50, 30, 0}, .axis = {0, 0, 1}};
  for (int i = 0; i < 2; i++) {
    turning.angle = (float)i;
    mo_query_stats stats = {0};
    const mo_mover mover = {.shape = solid, .movement = turning};
    mo_mover_memory memory[1];
    mo_impact_search search = mo_default_impact_search();
    search.movers = &mover;
    search.memory = memory;
    search.count = 1;
    cr_assert_eq(mo_scene_find_impacts(scene, &search, &impact, NULL, &stats), MO_OK);
    cr_assert(impact.found && impact.other.index == ground.index && impact.t > 0.3f);
    cr_assert(impact.t < 0.5f && impact.triangle != MO_NO_TRIANGLE);
  }
  mo_mesh_release(def.geometry.mesh);
  mo_scene_destroy(scene);
}

/* Batches by every route, with a ground and walls, are the rays one by one. */
Test(half_spaces, in_batches) {
  enum { RAYS = 3000 };
  static mo_vec3 from[RAYS], along[RAYS];
  static mo_ray_hit hits[RAYS];
  static bool found[RAYS];
  static unsigned char scratch[2 * MO_BATCH_SCRATCH_SIZE];
  rng r = rng_make(rng_seed("half_spaces/batches", 331));
  test_mesh source = test_mesh_make(TEST_MESH_SPHERE, 300, &r);
  mo_mesh *mesh = test_mesh_build(&source);
  test_mesh_free(&source);
  for (uint32_t round = 0; round < 16; round++) {
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.isa = family_isa(rng_below(&r, family_isa_count()));
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
    mo_shape_id id;
    const uint32_t counts[4] = {0, 1, 12, 400}, walls = 1 + round % 3;
    for (uint32_t i = 0; i < counts[round / 4] + walls; i++) {
      bool wall = i < walls;
      mo_shape_def def = mo_default_shape_def(wall ? MO_SHAPE_HALF_SPACE : MO_SHAPE_MESH);
      if (wall) {
        def.geometry.half_space = (mo_half_space){rng_direction(&r), rng_float(&r, -12, -4)};
      } else {
        def.geometry.mesh = mesh;
        def.transform.origin = rng_vec3(&r, -10, 10);
      }
      cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
    }
    for (uint32_t i = 0; i < RAYS; i++) { /* a picture, then any */
      bool seen = i < RAYS / 2;
      from[i] = seen ? mo_vec(0, 0, -2) : rng_vec3(&r, -10, 10);
      along[i] =
          seen ? mo_vec((float)(i % 50) / 25 - 1, (float)(i / 50) / 15 - 1, 1) : rng_direction(&r);
    }
    mo_batch_def def = mo_default_batch_def();
    def.count = RAYS;
    def.origins = mo_vec3_array_of(from, sizeof *from);
    def.directions = mo_vec3_array_of(along, sizeof *along);
    def.coherence = (mo_coherence)(round % 3);
    def.scratch = round % 2 ? scratch : NULL;
    def.scratch_size = round % 2 ? sizeof scratch : 0;
    const mo_batch_output closest = {.hit = {hits, 0}}, any = {.found = {found, 0}};
    cr_assert_eq(mo_scene_cast_rays(scene, &def, &closest, NULL, NULL), MO_OK);
    cr_assert_eq(mo_scene_test_rays(scene, &def, &any, NULL, NULL), MO_OK);
    for (uint32_t i = 0; i < RAYS; i++) {
      mo_ray_def ray = mo_default_ray_def();
      mo_ray_hit hit;
      ray.origin = from[i];
      ray.direction = along[i];
      cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
      cr_assert(check_same_hit(&hits[i], &hit), "round %u, ray %u: %s", round, i, check_why());
      cr_assert_eq(found[i], hit.found, "round %u, ray %u", round, i);
    }
    mo_scene_destroy(scene);
  }
  mo_mesh_release(mesh);
}
