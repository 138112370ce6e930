/* Refused calls: a def that its default function did not make, what the host's log is told, and
 * which element of an array is named. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <string.h>

#include "support/defs.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SHAPES = 5 };

static mo_scene *scene, *other_scene;
static mo_mesh *mesh, *top_down;
static mo_pair_tracker *tracker;
static mo_watch *watch;
static mo_shape_id ids[SHAPES];
static mo_region_id region;

/* The last line of the log, and how many there were. */
static char told[300];
static int lines;

static void listen(mo_log_level level, const char *message, void *context) {
  (void)context;
  cr_assert_eq(level, MO_LOG_INFO);
  strncpy(told, message, sizeof told - 1);
  lines++;
}

static const float square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};

static mo_mesh_def mesh_def(void) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = square;
  def.vertex_count = 4;
  def.indices = halves;
  def.triangle_count = 2;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  def.host.log = listen;
  return def;
}

static mo_mesh_def top_down_def(void) {
  mo_mesh_def def = mesh_def();
  def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  def.build.deformable = false;
  def.build.bounds = (mo_aabb){{0, 0, 0}, {1, 1, 1}};
  return def;
}

static mo_scene_def scene_def(void) {
  mo_scene_def def = mo_default_scene_def();
  def.host.log = listen;
  return def;
}

static void setup(void) {
  mo_mesh_def plain = mesh_def(), declared = top_down_def();
  mo_scene_def def = scene_def();
  cr_assert_eq(mo_mesh_create(&plain, &mesh), MO_OK);
  cr_assert_eq(mo_mesh_create(&declared, &top_down), MO_OK);
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  cr_assert_eq(mo_scene_create(&def, &other_scene), MO_OK);
  for (int i = 0; i < SHAPES; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
    shape.transform.origin.x = (float)(3 * i);
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &ids[i]), MO_OK);
  }
  cr_assert_eq(mo_pair_tracker_create(scene, NULL, &tracker), MO_OK);
  cr_assert_eq(mo_watch_create(scene, &watch), MO_OK);
  mo_region_def region_def = mo_default_region_def();
  cr_assert_eq(mo_watch_add_region(watch, &region_def, &region), MO_OK);
  lines = 0;
}

static void teardown(void) {
  mo_watch_destroy(watch);
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  mo_scene_destroy(other_scene);
  mo_mesh_release(mesh);
  mo_mesh_release(top_down);
}

TestSuite(refusals, .init = setup, .fini = teardown);

static const float ends[] = {0, 0, 1};
static mo_shape_id found[8];
static uint32_t total;

/* One call for each def that a call takes, good but for what the case has done to it. */

typedef struct cases {
  uint32_t spoil;     /* 1 for the def's own cookie, 2 for that of the def inside it */
  mo_mesh *made_mesh; /* of calls that were not refused */
  mo_scene *made_scene;
} cases;

#define SPOIL(bit, cookie) ((void)((c->spoil & (bit)) ? (cookie) = 0 : 0))

static mo_result call_mesh(cases *c) {
  mo_mesh_def def = mesh_def();
  SPOIL(1, def.cookie);
  SPOIL(2, def.build.cookie);
  return mo_mesh_create(&def, &c->made_mesh);
}

static mo_result call_rebuild(cases *c) {
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  SPOIL(1, options.cookie);
  return mo_mesh_rebuild_parts(mesh, &options, NULL);
}

static mo_result call_scene(cases *c) {
  mo_scene_def def = scene_def();
  SPOIL(1, def.cookie);
  SPOIL(2, def.tree.cookie);
  return mo_scene_create(&def, &c->made_scene);
}

static mo_result call_add(cases *c) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  SPOIL(1, def.cookie);
  return mo_scene_add_shape(scene, &def, found);
}

static mo_result call_add_all(cases *c) {
  mo_shape_def defs[2] = {mo_default_shape_def(MO_SHAPE_BOX), mo_default_shape_def(MO_SHAPE_BOX)};
  SPOIL(1, defs[1].cookie);
  return mo_scene_add_shapes(scene, defs, 2, found, NULL);
}

static mo_result call_update(cases *c) {
  mo_update_def def = mo_default_update_def();
  SPOIL(1, def.cookie);
  return mo_scene_update(scene, &def);
}

static mo_ray_def ray_of(cases *c) {
  mo_ray_def ray = mo_default_ray_def();
  ray.direction = (mo_vec3){1, 0.25f, 0.5f};
  SPOIL(1, ray.cookie);
  SPOIL(2, ray.filter.cookie);
  return ray;
}

static mo_result call_cast(cases *c) {
  mo_ray_def ray = ray_of(c);
  mo_ray_hit hit;
  return mo_scene_cast_ray(scene, &ray, &hit, NULL);
}

static mo_result call_cast_counting(cases *c) {
  mo_ray_def ray = ray_of(c);
  mo_ray_hit hit;
  mo_query_stats stats = {0};
  return mo_scene_cast_ray(scene, &ray, &hit, &stats);
}

static mo_result call_test(cases *c) {
  mo_ray_def ray = ray_of(c);
  bool hit;
  return mo_scene_test_ray(scene, &ray, &hit, NULL);
}

static mo_result call_cast_all(cases *c) {
  mo_ray_def ray = ray_of(c);
  return mo_scene_cast_ray_all(scene, &ray, NULL, 0, &total, NULL);
}

static mo_result call_cast_first(cases *c) {
  mo_ray_def ray = ray_of(c);
  mo_ray_hit hit;
  return mo_scene_cast_ray_first(scene, &ray, &hit, 1, &total, NULL);
}

static mo_result call_next(cases *c) {
  mo_ray_def ray = ray_of(c);
  mo_ray_hit hit;
  mo_ray_cursor cursor;
  mo_ray_cursor_init(&cursor, NULL);
  return mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL);
}

static mo_result call_mesh_cast(cases *c) {
  mo_ray_def ray = ray_of(c);
  mo_ray_hit hit;
  return mo_mesh_cast_ray(mesh, &ray, &hit, NULL);
}

static mo_result call_mesh_test(cases *c) {
  mo_ray_def ray = ray_of(c);
  bool hit;
  return mo_mesh_test_ray(mesh, &ray, &hit, NULL);
}

static mo_result call_mesh_all(cases *c) {
  mo_ray_def ray = ray_of(c);
  return mo_mesh_cast_ray_all(mesh, &ray, NULL, 0, &total, NULL);
}

static mo_batch_def batch_of(cases *c) {
  static const mo_vec3 vectors[1] = {{1, 0, 0}};
  mo_batch_def def = mo_default_batch_def();
  def.count = 1;
  def.origins = def.directions = mo_vec3_array_of(vectors, sizeof *vectors);
  SPOIL(1, def.cookie);
  SPOIL(2, def.options.cookie);
  SPOIL(4, def.options.filter.cookie);
  return def;
}

static mo_result call_batch(cases *c) {
  mo_batch_def def = batch_of(c);
  mo_batch_output output = {0};
  return mo_scene_cast_rays(scene, &def, &output, NULL, NULL);
}

static mo_result call_mesh_batch(cases *c) {
  mo_batch_def def = batch_of(c);
  mo_batch_output output = {0};
  return mo_mesh_test_rays(mesh, &def, &output, NULL, NULL);
}

static mo_result call_sight(cases *c) {
  mo_filter filter = mo_default_filter();
  SPOIL(1, filter.cookie);
  bool visible;
  return mo_scene_line_of_sight(scene, (mo_vec3){0, 0, 0}, (mo_vec3){1, 0, 0}, &filter, &visible,
                                NULL);
}

static mo_result call_height(cases *c) {
  mo_filter filter = mo_default_filter();
  SPOIL(1, filter.cookie);
  mo_ground ground;
  return mo_scene_height_below(scene, (mo_vec3){0, 0, 0}, (mo_vec3){0, 0, 1}, &filter, &ground,
                               NULL);
}

static mo_overlap_def overlap_of(cases *c) {
  mo_overlap_def def = mo_default_overlap_def();
  SPOIL(1, def.cookie);
  SPOIL(2, def.filter.cookie);
  return def;
}

static mo_result call_box(cases *c) {
  mo_overlap_def def = overlap_of(c);
  mo_aabb box = {{0, 0, 0}, {1, 1, 1}};
  return mo_scene_overlap_shapes(scene, IN_AABB(box, &def), NULL, 0, &total, NULL);
}

static mo_result call_ball_triangles(cases *c) {
  mo_overlap_def def = overlap_of(c);
  mo_sphere ball = {{0, 0, 0}, 1};
  return mo_scene_overlap_triangles(scene, IN_SPHERE(ball, &def), NULL, 0, &total, NULL);
}

static mo_result call_point(cases *c) {
  mo_overlap_def def = overlap_of(c);
  return mo_scene_overlap_shapes(scene, AT_POINT((mo_vec3){0, 0, 0}, &def), NULL, 0, &total, NULL);
}

static mo_result call_cull(cases *c) {
  mo_filter filter = mo_default_filter();
  SPOIL(1, filter.cookie);
  return mo_scene_cull_planes(scene, OF_PLANES(NULL, 0, &filter), NULL, 0, &total, NULL);
}

static bool no_cell(const mo_cell *cell, void *context) {
  (void)cell, (void)context;
  return false;
}

static mo_result call_cells(cases *c) {
  mo_filter filter = mo_default_filter();
  SPOIL(1, filter.cookie);
  mo_aabb box = {{0, 0, 0}, {1, 1, 1}};
  bool complete;
  return mo_scene_visit_cells(scene, OF_CELLS(box, &filter, false, NULL, 0), no_cell, NULL,
                              &complete, NULL);
}

static mo_result call_near(cases *c) {
  mo_near_def def = mo_default_near_def();
  SPOIL(1, def.cookie);
  SPOIL(2, def.filter.cookie);
  return mo_scene_find_near(scene, &def, NULL, 0, &total, NULL);
}

static mo_result call_closest(cases *c) {
  mo_closest_def def = mo_default_closest_def();
  mo_closest_hit hit;
  SPOIL(1, def.cookie);
  SPOIL(2, def.filter.cookie);
  return mo_scene_closest_point(scene, &def, &hit, NULL);
}

static mo_result call_distance(cases *c) {
  mo_distance_def def = mo_default_distance_def();
  mo_closest_hit hit;
  SPOIL(1, def.cookie);
  SPOIL(2, def.filter.cookie);
  return mo_scene_find_closest(scene, &def, &hit, NULL);
}

static mo_result call_cast_ball(cases *c) {
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  mo_cast_hit hit;
  SPOIL(1, def.cookie);
  SPOIL(2, def.options.filter.cookie);
  return mo_scene_cast_sphere(scene, &def, &hit, NULL);
}

static bool no_shape(const mo_near_shape *shape, void *context) {
  (void)shape, (void)context;
  return false;
}

static mo_result call_visit_nearest(cases *c) {
  mo_near_def def;
  cr_assert_eq(mo_near_def_of_shape(scene, ids[0], &def), MO_OK);
  SPOIL(1, def.cookie);
  SPOIL(2, def.filter.cookie);
  return mo_scene_visit_nearest(scene, &def, no_shape, NULL, NULL);
}

static mo_result call_levels(cases *c) {
  mo_level_def def = mo_default_level_def();
  def.thresholds = ends;
  def.level_count = 3;
  SPOIL(1, def.cookie);
  SPOIL(2, def.filter.cookie);
  return mo_scene_find_levels(scene, &def, NULL, 0, &total, NULL);
}

/* Spoils the shape's def (1), that of the question (2), its filter (4). */
static mo_result call_fits(cases *c) {
  mo_shape_def shape;
  cr_assert_eq(mo_scene_get_shape(scene, ids[0], &shape), MO_OK);
  mo_fit_def def = mo_default_fit_def();
  SPOIL(1, shape.cookie);
  SPOIL(2, def.cookie);
  SPOIL(4, def.filter.cookie);
  bool fits;
  return mo_scene_shape_fits(scene, OF_FIT(&shape, &def), &fits, NULL);
}

static bool no_pair(const mo_pair *pair, void *context) {
  (void)pair, (void)context;
  return false;
}

static mo_pair_query_def pair_def_of(cases *c) {
  mo_pair_query_def def = mo_default_pair_query_def();
  SPOIL(1, def.cookie);
  return def;
}

static mo_result call_pairs(cases *c) {
  mo_pair_query_def def = pair_def_of(c);
  return mo_scene_find_pairs(scene, &def, NULL, 0, &total);
}

static mo_result call_visit_pairs(cases *c) {
  mo_pair_query_def def = pair_def_of(c);
  return mo_scene_visit_pairs(scene, &def, no_pair, NULL);
}

static mo_result call_between(cases *c) {
  mo_pair_query_def def = pair_def_of(c);
  return mo_scene_find_pairs_between(scene, other_scene, &def, NULL, 0, &total);
}

static mo_result call_near_pairs(cases *c) {
  mo_pair_query_def def = pair_def_of(c);
  return mo_scene_find_near_pairs(scene, 1, &def, NULL, 0, &total);
}

static mo_result call_tracker(cases *c) {
  mo_pair_tracker_def def = mo_default_pair_tracker_def();
  SPOIL(1, def.cookie);
  mo_pair_tracker *made = NULL;
  mo_result result = mo_pair_tracker_create(scene, &def, &made);
  mo_pair_tracker_destroy(made);
  return result;
}

static mo_result call_region(cases *c) {
  mo_region_def def;
  mo_region_id id;
  cr_assert_eq(mo_watch_get_region(watch, region, &def), MO_OK);
  SPOIL(1, def.cookie);
  SPOIL(2, def.filter.cookie);
  return mo_watch_add_region(watch, &def, &id);
}

static mo_result call_region_filter(cases *c) {
  mo_filter filter = mo_default_filter();
  SPOIL(1, filter.cookie);
  return mo_watch_set_filter(watch, region, &filter);
}

static void no_line(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context) {
  (void)from, (void)to, (void)rgba, (void)context;
}

static mo_result call_draw(cases *c) {
  mo_debug_def def = mo_default_debug_def();
  SPOIL(1, def.cookie);
  mo_line_sink sink = {no_line, NULL};
  mo_result on_mesh = mo_mesh_draw(mesh, &def, &sink);
  cr_assert_eq(mo_scene_draw(scene, &def, &sink), on_mesh);
  return on_mesh;
}

static mo_result call_draw_buffers(cases *c) {
  mo_debug_def def = mo_default_debug_def();
  SPOIL(1, def.cookie);
  mo_debug_buffers buffers = {0};
  return mo_scene_draw_buffers(scene, &def, &buffers);
}

static const struct {
  const char *name;
  mo_result (*call)(cases *c);
  uint32_t spoils; /* the bits that mean something */
} table[] = {
    {"mesh", call_mesh, 3},
    {"rebuild", call_rebuild, 1},
    {"scene", call_scene, 3},
    {"add", call_add, 1},
    {"add all", call_add_all, 1},
    {"update", call_update, 1},
    {"cast", call_cast, 3},
    {"cast, counting", call_cast_counting, 3},
    {"test", call_test, 3},
    {"cast all", call_cast_all, 3},
    {"cast first", call_cast_first, 3},
    {"next hit", call_next, 3},
    {"mesh: cast", call_mesh_cast, 3},
    {"mesh: test", call_mesh_test, 3},
    {"mesh: cast all", call_mesh_all, 3},
    {"batch", call_batch, 7},
    {"mesh: batch", call_mesh_batch, 7},
    {"sight", call_sight, 1},
    {"height", call_height, 1},
    {"box", call_box, 3},
    {"ball, triangles", call_ball_triangles, 3},
    {"point", call_point, 3},
    {"cull", call_cull, 1},
    {"cells", call_cells, 1},
    {"near", call_near, 3},
    {"nearest", call_visit_nearest, 3},
    {"closest", call_closest, 3},
    {"distance", call_distance, 3},
    {"cast of a ball", call_cast_ball, 3},
    {"levels", call_levels, 3},
    {"fits", call_fits, 7},
    {"pairs", call_pairs, 1},
    {"visit pairs", call_visit_pairs, 1},
    {"pairs between", call_between, 1},
    {"near pairs", call_near_pairs, 1},
    {"tracker", call_tracker, 1},
    {"region", call_region, 3},
    {"region filter", call_region_filter, 1},
    {"draw", call_draw, 1},
    {"draw buffers", call_draw_buffers, 1},
};

Test(refusals, defs_that_their_default_function_did_not_make) {
  for (size_t i = 0; i < COUNT(table); i++) {
    cases good = {0};
    mo_result result = table[i].call(&good);
    cr_assert_eq(result, MO_OK, "%s: %s", table[i].name, mo_result_name(result));
    mo_mesh_release(good.made_mesh);
    mo_scene_destroy(good.made_scene);
    cr_assert_eq(lines, 0, "%s: %s", table[i].name, told);
    for (uint32_t bit = 1; bit <= table[i].spoils; bit <<= 1) {
      cases bad = {.spoil = bit};
      result = table[i].call(&bad);
      cr_assert_eq(result, MO_ERROR_UNINITIALIZED_DEF, "%s %u: %s", table[i].name, bit,
                   mo_result_name(result));
      bool no_host = bit == 1 && (table[i].call == call_mesh || table[i].call == call_scene);
      cr_assert(no_host || strstr(told, "was not made by mo_default_") != NULL, "%s: %s",
                table[i].name, told);
      told[0] = 0;
    }
    lines = 0;
  }
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
}

/* A def of nothing but its geometry would be a shape that nothing finds. */
Test(refusals, a_shape_written_by_hand) {
  mo_shape_def def = {.geometry = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 1}}};
  cr_assert_eq(mo_scene_add_shape(scene, &def, found), MO_ERROR_UNINITIALIZED_DEF);
  cr_assert_str_eq(told, "mo_scene_add_shape: def was not made by mo_default_shape_def");
  def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.mask = def.category = 0; /* on purpose */
  cr_assert_eq(mo_scene_add_shape(scene, &def, found), MO_OK);
}

/* The line that the log got. */
#define TOLD(result, expected, text)                                                               \
  do {                                                                                             \
    lines = 0;                                                                                     \
    cr_assert_eq(result, expected);                                                                \
    cr_assert_str_eq(told, text);                                                                  \
    cr_assert_eq(lines, 1);                                                                        \
  } while (0)

Test(refusals, bulk_calls_name_the_first_bad_element) {
  enum { MANY = 5000 };
  static mo_shape_def defs[MANY];
  static mo_shape_id names[MANY];
  static mo_transform transforms[MANY];
  for (int i = 0; i < MANY; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
    defs[i].transform.origin.y = (float)(10 + i);
    transforms[i] = defs[i].transform;
  }
  size_t bad = 77;
  defs[17].transform.x_axis.y = NAN;
  defs[18].margin = -2;
  TOLD(mo_scene_add_shapes(scene, defs, MANY, names, &bad), MO_ERROR_NOT_FINITE,
       "mo_scene_add_shapes: defs[17].transform.x_axis.y is NaN");
  cr_assert_eq(bad, 17);
  defs[17].transform.x_axis.y = 0;
  TOLD(mo_scene_add_shapes(scene, defs, MANY, names, &bad), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_add_shapes: defs[18].margin is -2, which is negative");
  cr_assert_eq(bad, 18);
  defs[18].margin = 0;
  TOLD(mo_scene_add_shapes(scene, NULL, MANY, names, &bad), MO_ERROR_NULL_ARGUMENT,
       "mo_scene_add_shapes: defs is null");
  cr_assert_eq(bad, MO_NO_INDEX);
  bad = 77;
  cr_assert_eq(mo_scene_add_shapes(scene, defs, MANY, names, &bad), MO_OK);
  cr_assert_eq(bad, 77, "nothing is written without an error");

  transforms[4321].origin.z = INFINITY;
  transforms[4900].origin.x = 2e30f;
  TOLD(mo_scene_set_transforms(scene, names, transforms, MANY, &bad), MO_ERROR_NOT_FINITE,
       "mo_scene_set_transforms: transforms[4321].origin.z is infinite");
  cr_assert_eq(bad, 4321);
  mo_update_def update = mo_default_update_def();
  mo_vec3 origins[3] = {{0, 0, 0}, {0, 2e30f, 0}, {NAN, 0, 0}};
  update.ids = names;
  update.origins = origins;
  update.count = 3;
  update.first_bad = &bad;
  TOLD(mo_scene_update(scene, &update), MO_ERROR_OUT_OF_RANGE,
       "mo_scene_update: def.origins[1].y is 2.00000003e+30, beyond MO_MAX_COORDINATE");
  cr_assert_eq(bad, 1);
  origins[1].y = 0;
  mo_vec3 velocities[3] = {{0, 0, 0}, {0, 0, 0}, {0, NAN, 0}};
  update.velocities = velocities;
  TOLD(mo_scene_update(scene, &update), MO_ERROR_NOT_FINITE,
       "mo_scene_update: def.velocities[2].y is NaN");
  cr_assert_eq(bad, 2);
  update.lookahead = -1;
  TOLD(mo_scene_update(scene, &update), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_update: def.lookahead is -1, which is negative");
  cr_assert_eq(bad, MO_NO_INDEX);

  mo_shape_id again[4] = {names[0], names[1], names[2], names[1]};
  char text[120];
  snprintf(text, sizeof text, "mo_scene_remove_shapes: ids[3] = {index %u, generation %u} is stale",
           names[1].index, names[1].generation);
  TOLD(mo_scene_remove_shapes(scene, again, 4, &bad), MO_ERROR_STALE_ID, text);
  cr_assert_eq(bad, 3);
  again[2] = (mo_shape_id){7, 200};
  TOLD(mo_scene_set_motion(scene, again, 4, MO_MOTION_STATIC, &bad), MO_ERROR_STALE_ID,
       "mo_scene_set_motion: ids[2] = {index 7, generation 200} is stale");
  cr_assert_eq(bad, 2);
  TOLD(mo_scene_set_motion(scene, again, 4, (mo_motion)9, &bad), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_set_motion: motion is 9, which is no such choice");
  cr_assert_eq(bad, MO_NO_INDEX);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
}

Test(refusals, vertices_and_indices_of_meshes) {
  size_t bad = 77;
  float positions[5][3];
  uint32_t indices[6];
  memcpy(positions, square, sizeof square);
  memcpy(indices, halves, sizeof halves);
  mo_mesh_def def = mesh_def();
  mo_mesh *made;
  def.positions = positions;
  def.indices = indices;
  def.first_bad = &bad;
  positions[3][1] = NAN;
  positions[2][0] = -INFINITY;
  TOLD(mo_mesh_create(&def, &made), MO_ERROR_NOT_FINITE,
       "mo_mesh_create: def.positions[2].x is infinite");
  cr_assert_eq(bad, 2);
  indices[4] = 9;
  TOLD(mo_mesh_create(&def, &made), MO_ERROR_INVALID_INDEX,
       "mo_mesh_create: def.indices[4] is 9, but def.vertex_count is 4");
  cr_assert_eq(bad, 4);
  def.build.leaf_capacity = 0;
  TOLD(mo_mesh_create(&def, &made), MO_ERROR_INVALID_ARGUMENT,
       "mo_mesh_create: def.build.leaf_capacity is 0, not 1 to 256");
  cr_assert_eq(bad, MO_NO_INDEX);
  def = mesh_def();
  def.index_type = MO_INDEX_NONE;
  TOLD(mo_mesh_create(&def, &made), MO_ERROR_INVALID_INDEX,
       "mo_mesh_create: def.vertex_count is 4, not three for each of 2 triangles");

  TOLD(mo_mesh_refit(mesh, positions, sizeof *positions, 4, NULL, &bad), MO_ERROR_NOT_FINITE,
       "mo_mesh_refit: positions[2].x is infinite");
  cr_assert_eq(bad, 2);
  TOLD(mo_mesh_refit(mesh, positions, sizeof *positions, 5, NULL, &bad), MO_ERROR_INVALID_ARGUMENT,
       "mo_mesh_refit: vertex_count is 5, but the mesh was made with 4");
  cr_assert_eq(bad, MO_NO_INDEX);
  bad = 77;
  cr_assert_eq(mo_mesh_refit(mesh, square, sizeof *square, 4, NULL, &bad), MO_OK);
  cr_assert_eq(bad, 77);

  mo_vec3 corners[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 2}, {0, 1, 0}};
  uint32_t first;
  TOLD(mo_mesh_insert_triangles(top_down, corners, 2, NULL, &first, &bad), MO_ERROR_OUT_OF_RANGE,
       "mo_mesh_insert_triangles: positions[4] = (1, 0, 2) is outside build.bounds");
  cr_assert_eq(bad, 4);
  TOLD(mo_mesh_insert_triangles(mesh, corners, 1, NULL, &first, &bad), MO_ERROR_UNSUPPORTED,
       "mo_mesh_insert_triangles: mesh was not built by MO_MESH_BUILDER_TOP_DOWN");
  cr_assert_eq(bad, MO_NO_INDEX);
}

Test(refusals, single_calls_name_argument_and_value) {
  const mo_vec3 nowhere = {0, NAN, 0}, somewhere = {1, 2, 3};
  mo_ray_hit hit;
  bool yes;
  mo_ray_def ray = mo_segment_def(somewhere, somewhere);
  ray.max_t = INFINITY;
  TOLD(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_cast_ray: ray.direction is zero");
  ray.min_t = -1;
  ray.direction = somewhere;
  TOLD(mo_mesh_test_ray(mesh, &ray, &yes, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_mesh_test_ray: ray.min_t is -1, which is negative");
  TOLD(mo_scene_test_ray(scene, &ray, NULL, NULL), MO_ERROR_NULL_ARGUMENT,
       "mo_scene_test_ray: hit is null");
  TOLD(mo_scene_line_of_sight(scene, somewhere, nowhere, NULL, &yes, NULL), MO_ERROR_NOT_FINITE,
       "mo_scene_line_of_sight: to.y is NaN");
  mo_ray_cursor cursor = {0};
  ray.min_t = 0;
  TOLD(mo_scene_next_hit(scene, &ray, &cursor, &hit, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_next_hit: cursor was not set by mo_ray_cursor_init");
  mo_aabb box = {{0, 2, 0}, {1, 1, 1}};
  TOLD(mo_scene_overlap_shapes(scene, IN_AABB(box, NULL), NULL, 0, &total, NULL),
       MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_overlap_shapes: def.box.lower.y is 2, above .upper.y, 1");
  mo_sphere ball = {{0, 0, 0}, -3};
  TOLD(mo_mesh_overlap_sphere(mesh, &ball, NULL, 0, &total, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_mesh_overlap_sphere: sphere.radius is -3, which is negative");
  mo_plane planes[3] = {{{1, 0, 0}, 0}, {{1, 0, 0}, 0}, {{1, 0, NAN}, 0}};
  TOLD(mo_scene_cull_planes(scene, OF_PLANES(planes, 3, NULL), NULL, 0, &total, NULL),
       MO_ERROR_NOT_FINITE, "mo_scene_cull_planes: def.planes[2].normal.z is NaN");
  mo_level_def level = mo_default_level_def();
  float falling[] = {1, 0.5f};
  level.thresholds = falling;
  level.level_count = 2;
  TOLD(mo_scene_find_levels(scene, &level, NULL, 0, &total, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_find_levels: def.thresholds[1] is 0.5, below the one before");
  mo_near_def near = mo_default_near_def();
  near.max_distance = -1;
  TOLD(mo_scene_find_near(scene, &near, NULL, 0, &total, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_find_near: def.max_distance is -1, which is negative");
  mo_closest_def closest = mo_default_closest_def();
  mo_closest_hit closest_hit;
  closest.point.y = NAN;
  TOLD(mo_scene_closest_point(scene, &closest, &closest_hit, NULL), MO_ERROR_NOT_FINITE,
       "mo_scene_closest_point: def.point.y is NaN");
  closest.point.y = 0;
  closest.max_distance = -2;
  TOLD(mo_scene_closest_point(scene, &closest, &closest_hit, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_closest_point: def.max_distance is -2, which is negative");
  mo_sphere_cast_def cast = mo_default_sphere_cast_def();
  mo_cast_hit cast_hit;
  cast.sphere.radius = -4;
  TOLD(mo_scene_cast_sphere(scene, &cast, &cast_hit, NULL), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_cast_sphere: def.sphere.radius is -4, which is negative");
  cast.sphere.radius = 4;
  cast.displacement.z = NAN;
  TOLD(mo_scene_cast_sphere(scene, &cast, &cast_hit, NULL), MO_ERROR_NOT_FINITE,
       "mo_scene_cast_sphere: def.displacement.z is NaN");
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.margin = NAN;
  TOLD(mo_scene_shape_fits(scene, OF_FIT(&shape, NULL), &yes, NULL), MO_ERROR_NOT_FINITE,
       "mo_scene_shape_fits: def.shape.margin is NaN");
  shape.margin = 0;
  shape.geometry.sphere.radius = 1e20f;
  shape.transform.x_axis.x = 1e20f;
  TOLD(mo_scene_add_shape(scene, &shape, found), MO_ERROR_OUT_OF_RANGE,
       "mo_scene_add_shape: def.transform takes the shape, or a corner of its box, beyond "
       "MO_MAX_COORDINATE");
  mo_transform map = mo_transform_identity();
  TOLD(mo_scene_set_transform(scene, (mo_shape_id){0, 0}, &map), MO_ERROR_STALE_ID,
       "mo_scene_set_transform: id = {index 0, generation 0} is stale");
  map.y_axis.x = NAN;
  TOLD(mo_scene_set_transform(scene, ids[0], &map), MO_ERROR_NOT_FINITE,
       "mo_scene_set_transform: transform.y_axis.x is NaN");
  TOLD(mo_scene_find_pairs_between(scene, scene, NULL, NULL, 0, &total), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_find_pairs_between: second is the same scene as first");
  mo_region_form form = {.type = MO_REGION_SPHERE, .sphere = {{0, 0, 0}, NAN}};
  TOLD(mo_watch_set_form(watch, region, &form), MO_ERROR_NOT_FINITE,
       "mo_watch_set_form: form.sphere.radius is NaN");
  mo_scene_def bad_scene = scene_def();
  bad_scene.tree.looseness = 9;
  mo_scene *made;
  TOLD(mo_scene_create(&bad_scene, &made), MO_ERROR_INVALID_ARGUMENT,
       "mo_scene_create: def.tree.looseness is 9, not 1 to 4");
  mo_vec3 corners[3];
  TOLD(mo_mesh_get_triangle(mesh, 2, corners, NULL), MO_ERROR_INVALID_INDEX,
       "mo_mesh_get_triangle: triangle is 2, but there are 2");
}

Test(refusals, rays_of_batches) {
  mo_vec3 from[40] = {{0, 0, 0}}, along[40];
  for (int i = 0; i < 40; i++) {
    along[i] = (mo_vec3){1, 0, 0};
  }
  from[33].z = NAN;
  mo_batch_def def = mo_default_batch_def();
  def.count = 40;
  def.origins = mo_vec3_array_of(from, sizeof *from);
  def.directions = mo_vec3_array_of(along, sizeof *along);
  mo_batch_output output = {0};
  bool hits[40];
  output.found = (mo_output){hits, 0};
  size_t bad;
  TOLD(mo_scene_test_rays(scene, &def, &output, &bad, NULL), MO_ERROR_NOT_FINITE,
       "mo_scene_test_rays: rays[33].origin.z is NaN");
  cr_assert_eq(bad, 33);
  def.directions.y = NULL;
  TOLD(mo_mesh_cast_rays(mesh, &def, &output, &bad, NULL), MO_ERROR_NULL_ARGUMENT,
       "mo_mesh_cast_rays: rays.directions: a component is null");
  cr_assert_eq(bad, MO_NO_INDEX);
}
