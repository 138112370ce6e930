/* The first hits of a ray and cursors: what the comparison with brute force (check_rays.c) leaves
 * open. Bad input, resuming, changes in between, and that no more is visited than necessary. */
#include <criterion/criterion.h>
#include <math.h>

#include <motte/query.h>

enum { BALLS = 1000 };

/* Balls in a row along x, ball i around 10 i. */
static mo_scene *make_row(mo_shape_id ids[BALLS]) {
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  for (uint32_t i = 0; i < BALLS; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
    shape.geometry.sphere = (mo_sphere){{10 * (float)i, 0, 0}, 1};
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &ids[i]), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  return scene;
}

static mo_ray_def along_x(void) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = (mo_vec3){-5, 0, 0};
  ray.direction = (mo_vec3){1, 0, 0};
  return ray;
}

static mo_shape_id row_ids[BALLS];

Test(hits, bad_input) {
  mo_scene *scene = make_row(row_ids);
  mo_ray_def ray = along_x(), bad = ray;
  bad.origin.x = NAN;
  mo_ray_cursor cursor = {0};
  mo_ray_hit hit = {0};
  uint32_t count = 77;
  cr_assert_eq(mo_ray_cursor_init(NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  hit.t = NAN;
  cr_assert_eq(mo_ray_cursor_init(&cursor, &hit), MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_ERROR_INVALID_ARGUMENT,
               "the cursor was never set");
  cr_assert_eq(mo_ray_cursor_init(&cursor, NULL), MO_OK);
  cr_assert_eq(mo_scene_next_hit(NULL, &ray, &cursor, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_next_hit(scene, NULL, &cursor, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_next_hit(scene, &ray, NULL, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_next_hit(scene, &bad, &cursor, &hit, NULL), MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_mesh_next_hit(NULL, &ray, &cursor, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_ray_first(NULL, &ray, &hit, 1, &count, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_ray_first(scene, NULL, &hit, 1, &count, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_ray_first(scene, &ray, NULL, 1, &count, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_ray_first(scene, &ray, &hit, 1, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_ray_first(scene, &bad, &hit, 1, &count, NULL), MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_mesh_cast_ray_first(NULL, &ray, &hit, 1, &count, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(count, 77, "a failed call writes nothing");
  cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == row_ids[0].index, "failed calls left the cursor alone");
  cr_assert_eq(mo_scene_cast_ray_first(scene, &ray, NULL, 0, &count, NULL), MO_OK);
  cr_assert_eq(count, 0);
  mo_scene_destroy(scene);
}

Test(hits, nothing_beyond_the_first_hits_is_visited) {
  mo_scene *scene = make_row(row_ids);
  mo_ray_def ray = along_x();
  mo_ray_hit hits[4];
  mo_query_stats stats = {0};
  uint32_t count;
  cr_assert_eq(mo_scene_cast_ray_first(scene, &ray, hits, 4, &count, &stats), MO_OK);
  cr_assert_eq(count, 4);
  cr_assert_leq(stats.shape_count, 40, "%u shapes tested for 4", (unsigned)stats.shape_count);
  stats = (mo_query_stats){0};
  mo_ray_cursor cursor;
  mo_ray_cursor_init(&cursor, NULL);
  for (uint32_t i = 0; i < BALLS; i++) {
    mo_ray_hit hit;
    cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, &stats), MO_OK);
    cr_assert_eq(hit.shape.index, row_ids[i].index);
    cr_assert_eq(hit.t, 10 * (float)i + 4);
  }
  cr_assert_leq(stats.shape_count, 8 * BALLS, "%u shapes tested for 1000",
                (unsigned)stats.shape_count);
  mo_scene_destroy(scene);
}

Test(hits, a_cursor_is_a_value) {
  mo_scene *scene = make_row(row_ids);
  mo_ray_def ray = along_x();
  mo_ray_cursor cursor, copy;
  mo_ray_hit a, b;
  mo_ray_cursor_init(&cursor, NULL);
  for (uint32_t i = 0; i < 6; i++) {
    mo_scene_next_hit(scene, &ray, &cursor, &a, NULL);
  }
  copy = cursor;
  for (uint32_t i = 6; i < 30; i++) {
    mo_scene_next_hit(scene, &ray, &cursor, &a, NULL);
    mo_scene_next_hit(scene, &ray, &copy, &b, NULL);
    cr_assert_eq(a.shape.index, row_ids[i].index);
    cr_assert_eq(b.shape.index, row_ids[i].index);
  }
  mo_scene_destroy(scene);
}

Test(hits, changes_show_after_setting_the_cursor_again) {
  mo_scene *scene = make_row(row_ids);
  mo_ray_def ray = along_x();
  mo_ray_cursor cursor;
  mo_ray_hit hit;
  mo_ray_cursor_init(&cursor, NULL);
  cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_OK);
  cr_assert_eq(mo_scene_remove_shape(scene, row_ids[1]), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_ray_cursor_init(&cursor, &hit);
  cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_OK);
  cr_assert_eq(hit.shape.index, row_ids[2].index);
  hit.t = INFINITY;
  mo_ray_cursor_init(&cursor, &hit);
  cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_OK);
  cr_assert(!hit.found, "nothing lies beyond infinity");
  mo_scene_destroy(scene);
}

/* Solids that the ray starts in are hit where it starts, once. */
Test(hits, equal_t_of_many_shapes) {
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  enum { N = 100 };
  mo_shape_id ids[N];
  for (uint32_t i = 0; i < N; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
    shape.geometry.sphere = (mo_sphere){{0, 0, 0}, 10 + (float)i};
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &ids[i]), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_ray_def ray = along_x();
  ray.min_t = 2;
  mo_ray_cursor cursor;
  mo_ray_cursor_init(&cursor, NULL);
  for (uint32_t i = 0; i <= N; i++) {
    mo_ray_hit hit;
    cr_assert_eq(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_OK);
    cr_assert_eq(hit.found, i < N);
    cr_assert(!hit.found || (hit.t == 2 && hit.shape.index == ids[i].index));
  }
  mo_scene_destroy(scene);
}
