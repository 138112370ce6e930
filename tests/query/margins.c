/* Margins and velocities make stored boxes larger. Queries by geometry must not notice; queries by
 * boxes use the boxes of mo_scene_get_bounds. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/watch.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/box_distances.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/defs.h"
#include "support/scenes.h"

/* The same shapes under the same ids: stored as they are, with margins, with velocities. */
enum { PLAIN, FAT, FAST, SUBJECTS };
static const char *const names[SUBJECTS] = {"plain", "with margins", "with velocities"};

static test_scene scene;
static mo_scene *subjects[SUBJECTS];

static const mo_scene *const *all_subjects(void) {
  return (const mo_scene *const *)subjects;
}

static float some_reach(rng *r) {
  return powf(10, rng_float(r, -3, 2));
}

static void make_subjects(rng *r) {
  const oracle_scene *oracle = &scene.oracle;
  uint32_t count = oracle->shape_count;
  mo_shape_id *ids = oracle_need(calloc(count + 1, sizeof *ids));
  mo_transform *transforms = oracle_need(calloc(count + 1, sizeof *transforms));
  mo_vec3 *velocities = oracle_need(calloc(count + 1, sizeof *velocities));
  for (int i = 0; i < SUBJECTS; i++) {
    mo_scene_def def = mo_default_scene_def();
    def.tree.policy = (mo_tree_policy)rng_below(r, 3);
    cr_assert_eq(mo_scene_create(&def, &subjects[i]), MO_OK);
  }
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_def def = oracle->shapes[i].def;
    mo_vec3 along = rng_vec3(r, -1, 1);
    ids[i] = oracle->shapes[i].id;
    transforms[i] = def.transform;
    velocities[i] = mo_scale(some_reach(r), along);
    for (int j = 0; j < SUBJECTS; j++) {
      mo_shape_id id;
      def.margin = j == FAT && rng_below(r, 4) ? some_reach(r) : 0;
      cr_assert_eq(mo_scene_add_shape(subjects[j], &def, &id), MO_OK);
      cr_assert(id.index == ids[i].index && id.generation == ids[i].generation);
    }
  }
  mo_update_def update = mo_default_update_def();
  update.ids = ids;
  update.transforms = transforms;
  update.velocities = velocities;
  update.lookahead = 1;
  update.count = count;
  cr_assert_eq(mo_scene_update(subjects[FAST], &update), MO_OK);
  free(ids);
  free(transforms);
  free(velocities);
}

/* Queries that do not decide by boxes. */
static void check_geometry(rng *r) {
  const mo_scene *const *all = all_subjects();
  sample_target target = test_scene_target(&scene, r);
  mo_overlap_def def = mo_default_overlap_def();
  mo_ray_def ray = sample_any_ray(r, &target);
  mo_aabb box = sample_box(r, &target);
  mo_sphere ball = sample_sphere(r, &target);
  mo_vec3 point = sample_point(r, &target), other = sample_point(r, &target);
  def.filter = ray.filter = test_scene_filter(&scene, r);
  ray.hit_volumes = rng_below(r, 2);
  const oracle_scene *oracle = &scene.oracle;
  cr_assert(check_scene_ray(all, SUBJECTS, oracle, &ray, CHECK_FAST), "%s", check_why());
  cr_assert(check_scene_aabb(all, SUBJECTS, oracle, &box, &def), "%s", check_why());
  cr_assert(check_scene_sphere(all, SUBJECTS, oracle, &ball, &def), "%s", check_why());
  cr_assert(check_scene_point(all, SUBJECTS, oracle, point, &def), "%s", check_why());
  mo_closest_def closest = mo_default_closest_def();
  closest.point = point;
  closest.filter = def.filter;
  closest.hit_volumes = ray.hit_volumes;
  cr_assert(check_scene_closest(all, SUBJECTS, oracle, &closest), "%s", check_why());
  mo_sphere_cast_def cast = mo_default_sphere_cast_def();
  cast.sphere = ball;
  cast.displacement = mo_sub(other, ball.center);
  cast.options.filter = def.filter;
  cast.options.hit_volumes = ray.hit_volumes;
  cr_assert(check_scene_cast(all, SUBJECTS, oracle, &cast), "%s", check_why());
  bool visible[SUBJECTS];
  mo_ground ground[SUBJECTS];
  for (int i = 0; i < SUBJECTS; i++) {
    cr_assert_eq(mo_scene_line_of_sight(subjects[i], point, other, &def.filter, &visible[i], NULL),
                 MO_OK);
    cr_assert_eq(mo_scene_height_below(subjects[i], point, (mo_vec3){0, 0, 1}, &def.filter,
                                       &ground[i], NULL),
                 MO_OK);
    cr_assert_eq(visible[i], visible[0], "%s", names[i]);
    cr_assert(ground[i].height == ground[0].height &&
                  check_same_hit(&ground[i].hit, &ground[0].hit),
              "%s", names[i]);
  }
}

static void check_batches(rng *r) {
  sample_target target = test_scene_target(&scene, r);
  mo_ray_def options = mo_default_ray_def();
  test_batch batch;
  test_batch_make(&batch, TEST_BUNDLE_PATCHES, 60, rng_below(r, 2), &options, &target, r);
  for (int i = 0; i < SUBJECTS; i++) {
    cr_assert(check_scene_batch(subjects[i], &batch, r), "%s: %s", names[i], check_why());
  }
  test_batch_free(&batch);
}

static void check_obstacles(rng *r) {
  enum { MAX = 512 };
  static mo_shape_id found[SUBJECTS][MAX];
  uint32_t total[SUBJECTS];
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.geometry = test_scene_geometry(&scene, r);
  def.transform = test_scene_transform(&scene, r);
  mo_fit_def fit = mo_default_fit_def();
  fit.hit_volumes = rng_below(r, 2);
  fit.clearance = rng_below(r, 2) ? 0 : rng_float(r, 0, 1);
  for (int i = 0; i < SUBJECTS; i++) {
    def.margin = i == FAT ? 3 : 0; /* its own margin makes no difference either */
    cr_assert_eq(
        mo_scene_find_obstacles(subjects[i], OF_FIT(&def, &fit), found[i], MAX, &total[i], NULL),
        MO_OK);
    cr_assert(total[i] == total[0] && memcmp(found[i], found[0], total[0] * sizeof **found) == 0,
              "%s: %u in the way, not %u", names[i], total[i], total[0]);
  }
}

static void check_watches(rng *r) {
  enum { MAX = 512, REGIONS = 6 };
  static mo_shape_id found[SUBJECTS][REGIONS][MAX];
  uint32_t total[SUBJECTS][REGIONS];
  mo_region_def defs[REGIONS];
  for (int j = 0; j < REGIONS; j++) {
    sample_target target = test_scene_target(&scene, r);
    defs[j] = mo_default_region_def();
    defs[j].form.type = j % 2 ? MO_REGION_AABB : MO_REGION_SPHERE;
    if (j % 2) {
      defs[j].form.box = sample_box(r, &target);
    } else {
      defs[j].form.sphere = sample_sphere(r, &target);
    }
  }
  for (int i = 0; i < SUBJECTS; i++) {
    mo_watch *watch;
    mo_region_id ids[REGIONS];
    cr_assert_eq(mo_watch_create(subjects[i], &watch), MO_OK);
    for (int j = 0; j < REGIONS; j++) {
      cr_assert_eq(mo_watch_add_region(watch, &defs[j], &ids[j]), MO_OK);
    }
    cr_assert_eq(mo_watch_update(watch, NULL), MO_OK);
    for (int j = 0; j < REGIONS; j++) {
      uint32_t *count = &total[i][j];
      cr_assert_eq(mo_watch_get_shapes(watch, ids[j], found[i][j], MAX, count), MO_OK);
      cr_assert(*count == total[0][j] &&
                    memcmp(found[i][j], found[0][j], *count * sizeof ***found) == 0,
                "%s: %u in region %d, not %u", names[i], *count, j, total[0][j]);
    }
    mo_watch_destroy(watch);
  }
}

/* Queries that decide by boxes: by those of the scene itself. */
static void check_bounds(const mo_scene *subject, const oracle_scene *oracle,
                         const near_shapes *shapes, rng *r) {
  sample_target target = test_scene_target(&scene, r);
  mo_overlap_def def = mo_default_overlap_def();
  def.precision = MO_PRECISION_BOUNDS;
  mo_aabb box = sample_box(r, &target);
  mo_sphere ball = sample_sphere(r, &target);
  mo_vec3 point = sample_point(r, &target);
  mo_plane planes[8];
  uint32_t plane_count = sample_planes(r, &target, planes);
  cr_assert(check_scene_aabb(&subject, 1, oracle, &box, &def), "%s", check_why());
  cr_assert(check_scene_sphere(&subject, 1, oracle, &ball, &def), "%s", check_why());
  cr_assert(check_scene_point(&subject, 1, oracle, point, &def), "%s", check_why());
  cr_assert(check_scene_planes(&subject, 1, oracle, planes, plane_count, &def.filter), "%s",
            check_why());
  cr_assert(check_scene_cells(&subject, 1, oracle, &box, &def.filter), "%s", check_why());
  mo_near_def near = mo_default_near_def();
  near.from = box;
  near_check(subject, shapes, &near, r);
  const float thresholds[2] = {1, 10};
  mo_level_def levels = mo_default_level_def();
  levels.eye = point;
  levels.thresholds = thresholds;
  levels.level_count = 2;
  near_check_levels(subject, shapes, &levels, r);
  mo_pair_query_def pairs = mo_default_pair_query_def();
  near_check_pairs(subject, shapes, rng_below(r, 2) ? 0 : 1, &pairs, r);
}

Test(margins, make_no_difference_to_geometry) {
  static const uint32_t sizes[] = {1, 12, 120};
  rng r = rng_make(rng_seed("margins/geometry", 241));
  uint64_t rounds = rng_rounds(40, 3000);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      make_subjects(&r);
      for (uint64_t j = 0; j < rounds; j++) {
        check_geometry(&r);
        check_obstacles(&r);
        if (j % 16 == 0) {
          check_batches(&r);
          check_watches(&r);
        }
      }
      for (int j = 0; j < SUBJECTS; j++) {
        oracle_scene oracle = {0};
        near_shapes shapes;
        oracle_scene_read(&oracle, subjects[j]);
        near_shapes_read(&shapes, subjects[j]);
        for (uint64_t k = 0; k < rounds / 8; k++) {
          check_bounds(subjects[j], &oracle, &shapes, &r);
        }
        near_shapes_free(&shapes);
        oracle_scene_free(&oracle);
        mo_scene_destroy(subjects[j]);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* A ray along x from this side of a triangle crosses it once, but encloses nothing: points are
 * tested in the bounds of the mesh only, however large the stored ones are. */
Test(margins, open_meshes_end_with_their_bounds) {
  static const float positions[] = {0, -1, -1, 0, 1, -1, 0, 0, 1};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = positions;
  mesh_def.vertex_count = 3;
  mesh_def.triangle_count = 1;
  mesh_def.index_type = MO_INDEX_NONE;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  bool inside = true;
  cr_assert_eq(mo_mesh_contains_point(mesh, (mo_vec3){-1.5f, 0, 0}, &inside, NULL), MO_OK);
  cr_assert_not(inside);
  for (int i = 0; i < SUBJECTS; i++) {
    mo_scene_def scene_def = mo_default_scene_def();
    mo_scene *subject;
    mo_shape_id id, found;
    uint32_t total;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = mesh;
    def.margin = i == FAT ? 2 : 0;
    cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
    const mo_vec3 origin = {0, 0, 0}, velocity = {-4, 0, 0};
    mo_update_def update = mo_default_update_def();
    update.ids = &id;
    update.origins = &origin;
    update.velocities = i == FAST ? &velocity : NULL;
    update.lookahead = 1;
    update.count = 1;
    cr_assert_eq(mo_scene_update(subject, &update), MO_OK);
    for (int j = 0; j < 3; j++) { /* a part of the box that is stored because of them */
      mo_vec3 point = {-0.5f - 0.5f * (float)j, 0, 0};
      cr_assert_eq(mo_scene_overlap_shapes(subject, AT_POINT(point, NULL), &found, 1, &total, NULL),
                   MO_OK);
      cr_assert_eq(total, 0, "%s, at %g", names[i], (double)point.x);
    }
    mo_scene_destroy(subject);
  }
  mo_mesh_release(mesh);
}

/* A rotated triangle whose world box does not reach as far as its local one: a point beside the
 * former, in the latter, from which a ray meets the triangle. */
Test(margins, open_meshes_end_with_their_world_boxes) {
  static const float positions[] = {0, 0, 0, 1, 1, 0, 1, 0, 1};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = positions;
  mesh_def.vertex_count = 3;
  mesh_def.triangle_count = 1;
  mesh_def.index_type = MO_INDEX_NONE;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  const mo_vec3 local = {0.05f, 0.6f, 0.2f};
  bool inside = false;
  cr_assert_eq(mo_mesh_contains_point(mesh, local, &inside, NULL), MO_OK);
  cr_assert(inside);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  mo_quat turn = {0, 0, 0.38268343f, 0.92387953f}; /* 45 degrees about z */
  def.transform = mo_transform_make((mo_vec3){0, 0, 0}, turn, (mo_vec3){1, 1, 1});
  mo_vec3 point = mo_transform_point(&def.transform, local);
  uint32_t total[2];
  for (int fat = 0; fat < 2; fat++) {
    mo_scene_def scene_def = mo_default_scene_def();
    mo_scene *subject;
    mo_shape_id id, found;
    mo_aabb bounds;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    def.margin = fat ? 2 : 0;
    cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(subject, id, &bounds), MO_OK);
    cr_assert_eq(bounds.lower.x <= point.x, fat);
    cr_assert_eq(
        mo_scene_overlap_shapes(subject, AT_POINT(point, NULL), &found, 1, &total[fat], NULL),
        MO_OK);
    mo_scene_destroy(subject);
  }
  cr_assert(total[0] == 0 && total[1] == 0, "%u, with a margin %u", total[0], total[1]);
  mo_mesh_release(mesh);
}
