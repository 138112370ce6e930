/* Refusals of motte/scene.h. */
#include "../support/defs.h"
#include "refusals.h"

static size_t first_bad;

/* What both single and bulk additions refuse. */
static void refuse_shapes(const refusal_world *w) {
  mo_shape_id id;
  const mo_shape_def good = mo_default_shape_def(MO_SHAPE_SPHERE);
  static const struct {
    mo_result code;
    const char *told; /* of the def */
  } expected[] = {
      {MO_ERROR_UNINITIALIZED_DEF, " was not made by mo_default_shape_def"},
      {MO_ERROR_INVALID_ARGUMENT, ".geometry.type is 99, which is no such choice"},
      {MO_ERROR_INVALID_ARGUMENT, ".motion is 9, which is no such choice"},
      {MO_ERROR_INVALID_ARGUMENT, ".geometry.sphere.radius is -1, which is negative"},
      {MO_ERROR_INVALID_ARGUMENT, ".margin is -2, which is negative"},
      {MO_ERROR_INVALID_ARGUMENT, ".geometry.box.half_extents.y is -1, which is negative"},
      {MO_ERROR_INVALID_ARGUMENT, ".geometry.volume.lower.y is 2, above .upper.y, 1"},
      {MO_ERROR_NULL_ARGUMENT, ".geometry.mesh is null"},
      {MO_ERROR_NOT_FINITE, ".geometry.sphere.radius is NaN"},
      {MO_ERROR_NOT_FINITE, ".transform.y_axis.z is infinite"},
      {MO_ERROR_NOT_FINITE, ".margin is NaN"},
      {MO_ERROR_OUT_OF_RANGE, ".transform.origin.x is 2.00000003e+30, beyond MO_MAX_COORDINATE"},
      {MO_ERROR_OUT_OF_RANGE,
       ".transform takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE"},
      {MO_ERROR_OUT_OF_RANGE,
       ".geometry.sphere.center.z is -2.00000003e+30, beyond MO_MAX_COORDINATE"},
      {MO_ERROR_INVALID_ARGUMENT, ".geometry.cone.radius is -1, which is negative"},
      {MO_ERROR_INVALID_ARGUMENT, ".geometry.cone has its apex in its base"},
      {MO_ERROR_NOT_FINITE, ".geometry.cone.a.y is NaN"},
      {MO_ERROR_OUT_OF_RANGE, ".geometry.cone.b.x is 2.00000003e+30, beyond MO_MAX_COORDINATE"},
      {MO_ERROR_NULL_ARGUMENT, ".geometry.hull is null"},
      {MO_ERROR_INVALID_ARGUMENT, ".geometry.half_space.normal is zero"},
      {MO_ERROR_NOT_FINITE, ".geometry.half_space.normal.y is NaN"},
      {MO_ERROR_NOT_FINITE, ".geometry.half_space.offset is infinite"},
      {MO_ERROR_INVALID_ARGUMENT,
       ".geometry.rounding is 1, but meshes, volumes, half-spaces and compounds have none"},
      {MO_ERROR_INVALID_ARGUMENT, ".transform has no inverse, as that of a half-space must"},
      {MO_ERROR_OUT_OF_RANGE,
       ".transform takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE"},
  };
  enum { BAD = sizeof expected / sizeof *expected };
  mo_shape_def bad[BAD];
  for (int i = 0; i < BAD; i++) {
    bad[i] = good;
  }
  bad[0].cookie = 0;
  bad[1].geometry.type = (mo_shape_type)99;
  bad[2].motion = (mo_motion)9;
  bad[3].geometry.sphere.radius = -1;
  bad[4].margin = -2;
  bad[5] = mo_default_shape_def(MO_SHAPE_BOX);
  bad[5].geometry.box.half_extents.y = -1;
  bad[6] = mo_default_shape_def(MO_SHAPE_VOLUME);
  bad[6].geometry.volume = (mo_aabb){{0, 2, 0}, {1, 1, 1}};
  bad[7] = mo_default_shape_def(MO_SHAPE_MESH);
  bad[8].geometry.sphere.radius = NAN;
  bad[9].transform.y_axis.z = INFINITY;
  bad[10].margin = NAN;
  bad[11].transform.origin.x = 2e30f;
  bad[12].geometry.sphere.radius = 1e20f;
  bad[12].transform.x_axis.x = 1e20f;
  bad[13].geometry.sphere.center.z = -2e30f;
  for (int i = 14; i < BAD; i++) {
    bad[i] = mo_default_shape_def(MO_SHAPE_CONE);
  }
  bad[14].geometry.cone.radius = -1;
  bad[15].geometry.cone.b = bad[15].geometry.cone.a;
  bad[16].geometry.cone.a.y = NAN;
  bad[17].geometry.cone.b.x = 2e30f;
  bad[18] = mo_default_shape_def(MO_SHAPE_HULL);
  for (int i = 19; i < BAD; i++) {
    bad[i] = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  }
  bad[19].geometry.half_space.normal.y = 0;
  bad[20].geometry.half_space.normal.y = NAN;
  bad[21].geometry.half_space.offset = INFINITY;
  bad[22].geometry.rounding = 1;
  bad[23].transform.z_axis = bad[23].transform.y_axis;
  bad[24].geometry.half_space.offset = 2e30f;
  char text[200];
  for (int i = 0; i < BAD; i++) {
    mo_shape_def defs[3] = {good, bad[i], bad[i]};
    mo_shape_id ids[3];
    strcat(strcpy(text, "def"), expected[i].told);
    REFUSED(expected[i].code, text, mo_scene_add_shape, w->scene, &bad[i], &id);
    strcat(strcpy(text, "defs[1]"), expected[i].told);
    REFUSED_AT(1, expected[i].code, text, mo_scene_add_shapes, w->scene, defs, 3, ids, &first_bad);
    strcat(strcpy(text, "def.shape"), expected[i].told);
    bool fits;
    uint32_t total;
    REFUSED(expected[i].code, text, mo_scene_shape_fits, w->scene, OF_FIT(&bad[i], NULL), &fits,
            NULL);
    REFUSED(expected[i].code, text, mo_scene_find_obstacles, w->scene, OF_FIT(&bad[i], NULL), NULL,
            0, &total, NULL);
  }
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_add_shape, NULL, &good, &id);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_add_shape, w->scene, NULL, &id);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "id is null", mo_scene_add_shape, w->scene, &good, NULL);
  mo_shape_id ids[1];
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_add_shapes, NULL, &good, 1, ids,
             &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "defs is null", mo_scene_add_shapes, w->scene,
             NULL, 1, ids, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "ids is null", mo_scene_add_shapes, w->scene,
             &good, 1, NULL, &first_bad);
}

/* What moves of one and of many shapes refuse. */
static void refuse_moves(const refusal_world *w) {
  const mo_transform good = mo_transform_identity();
  mo_transform maps[3] = {good, good, good};
  mo_shape_id ids[3] = {w->ids[1], w->ids[2], w->ids[3]};
  mo_update_def def = mo_default_update_def();
  def.ids = ids;
  def.count = 3;
  def.first_bad = &first_bad;

  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_set_transform, NULL, ids[0], &good);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "transform is null", mo_scene_set_transform, w->scene, ids[0],
          NULL);
  REFUSED(MO_ERROR_STALE_ID, "id = {index 5, generation 1} is stale", mo_scene_set_transform,
          w->scene, w->stale, &good);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_set_transforms, NULL, ids, maps, 3,
             &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "ids is null", mo_scene_set_transforms, w->scene,
             NULL, maps, 3, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "transforms is null", mo_scene_set_transforms,
             w->scene, ids, NULL, 3, &first_bad);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_update, NULL, &def);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.transforms is null", mo_scene_update,
             w->scene, &def);
  def.transforms = maps;
  def.ids = NULL;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.ids is null", mo_scene_update, w->scene,
             &def);
  def.ids = ids;

  ids[1] = w->stale;
  REFUSED_AT(1, MO_ERROR_STALE_ID, "ids[1] = {index 5, generation 1} is stale",
             mo_scene_set_transforms, w->scene, ids, maps, 3, &first_bad);
  REFUSED_AT(1, MO_ERROR_STALE_ID, "def.ids[1] = {index 5, generation 1} is stale", mo_scene_update,
             w->scene, &def);
  ids[1] = w->ids[2];

  static const struct {
    float value;
    mo_result code;
    const char *told;
  } bad[] = {
      {NAN, MO_ERROR_NOT_FINITE, ".origin.y is NaN"},
      {2e30f, MO_ERROR_OUT_OF_RANGE, ".origin.y is 2.00000003e+30, beyond MO_MAX_COORDINATE"},
  };
  char text[200];
  for (int i = 0; i < 2; i++) {
    maps[1].origin.y = bad[i].value;
    strcat(strcpy(text, "transform"), bad[i].told);
    REFUSED(bad[i].code, text, mo_scene_set_transform, w->scene, ids[1], &maps[1]);
    strcat(strcpy(text, "transforms[1]"), bad[i].told);
    REFUSED_AT(1, bad[i].code, text, mo_scene_set_transforms, w->scene, ids, maps, 3, &first_bad);
    strcat(strcpy(text, "def.transforms[1]"), bad[i].told);
    REFUSED_AT(1, bad[i].code, text, mo_scene_update, w->scene, &def);
  }
  maps[1] = good;
  maps[2].x_axis.x = 1e30f;
  maps[2].origin.x = 1e30f;
  REFUSED(MO_ERROR_OUT_OF_RANGE,
          "transform takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE",
          mo_scene_set_transform, w->scene, ids[2], &maps[2]);
  REFUSED_AT(2, MO_ERROR_OUT_OF_RANGE,
             "transforms[2] takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE",
             mo_scene_set_transforms, w->scene, ids, maps, 3, &first_bad);
  REFUSED_AT(2, MO_ERROR_OUT_OF_RANGE,
             "def.transforms[2] takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE",
             mo_scene_update, w->scene, &def);
  maps[2] = good;

  mo_vec3 vectors[3] = {{0, 0, 0}, {0, 0, NAN}, {0, 0, 0}};
  def.origins = vectors;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def has .transforms and .origins",
             mo_scene_update, w->scene, &def);
  def.transforms = NULL;
  REFUSED_AT(1, MO_ERROR_NOT_FINITE, "def.origins[1].z is NaN", mo_scene_update, w->scene, &def);
  vectors[1].z = -2e30f;
  REFUSED_AT(1, MO_ERROR_OUT_OF_RANGE,
             "def.origins[1].z is -2.00000003e+30, beyond MO_MAX_COORDINATE", mo_scene_update,
             w->scene, &def);
  def.transforms = maps;
  def.origins = NULL;
  def.velocities = vectors;
  def.lookahead = 1;
  REFUSED_AT(1, MO_ERROR_OUT_OF_RANGE, "def.velocities[1] goes beyond 1e+14 within the lookahead",
             mo_scene_update, w->scene, &def);
  vectors[1].z = INFINITY;
  REFUSED_AT(1, MO_ERROR_NOT_FINITE, "def.velocities[1].z is infinite", mo_scene_update, w->scene,
             &def);
  def.lookahead = -1;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.lookahead is -1, which is negative",
             mo_scene_update, w->scene, &def);
  def.lookahead = NAN;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.lookahead is NaN", mo_scene_update,
             w->scene, &def);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_update_def", mo_scene_update,
          w->scene, &def);
}

/* Half-spaces that a transform would flatten. */
static void refuse_flat_half_spaces(void) {
  mo_scene_def def = refusal_scene_def();
  mo_scene *scene = NULL;
  mo_shape_id ids[2];
  mo_shape_def flat = mo_default_shape_def(MO_SHAPE_BOX),
               whole = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  flat.transform.x_axis.x = 0;
  if (mo_scene_create(&def, &scene) != MO_OK || mo_scene_add_shape(scene, &whole, ids) != MO_OK ||
      mo_scene_add_shape(scene, &flat, &ids[1]) != MO_OK) {
    return; /* and the rows are missed */
  }
  const mo_transform maps[2] = {flat.transform, flat.transform};
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "transform has no inverse, as that of a half-space must",
          mo_scene_set_transform, scene, ids[0], maps);
  REFUSED_AT(0, MO_ERROR_INVALID_ARGUMENT,
             "transforms[0] has no inverse, as that of a half-space must", mo_scene_set_transforms,
             scene, ids, maps, 2, &first_bad);
  mo_update_def update = mo_default_update_def();
  update.ids = ids;
  update.transforms = maps;
  update.count = 2;
  update.first_bad = &first_bad;
  REFUSED_AT(0, MO_ERROR_INVALID_ARGUMENT,
             "def.transforms[0] has no inverse, as that of a half-space must", mo_scene_update,
             scene, &update);
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "the shape's transform has no inverse, as that of a half-space must",
          mo_scene_set_geometry, scene, ids[1], &whole.geometry);
  whole.geometry.half_space.normal.y = 0;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "geometry.half_space.normal is zero", mo_scene_set_geometry,
          scene, ids[1], &whole.geometry);
  mo_scene_destroy(scene);
}

static void refuse_shifts(const refusal_world *w) {
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_trim, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_shift_origin, NULL, (mo_vec3){1, 0, 0});
  REFUSED(MO_ERROR_NOT_FINITE, "displacement.y is NaN", mo_scene_shift_origin, w->scene,
          (mo_vec3){0, NAN, 0});
  REFUSED(MO_ERROR_OUT_OF_RANGE,
          "displacement takes shape {index 0, generation 1} beyond MO_MAX_COORDINATE",
          mo_scene_shift_origin, w->scene, (mo_vec3){0, 0, -2e30f});
}

/* Calls on one shape or several, and what they read and set. */
static void refuse_ids(const refusal_world *w) {
  mo_scene *const scene = w->scene;
  const mo_shape_id id = w->ids[1], stale = w->stale;
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 1}};
  mo_geometry bad = ball;
  mo_shape_def def;
  mo_geometry geometry;
  mo_transform transform;
  uint64_t word, mask;
  mo_motion motion;
  float margin;
  mo_aabb bounds;
  uint32_t total;
  mo_scene_stats stats;
  /* The id as the log spells it. */
  char stale_text[80];
  snprintf(stale_text, sizeof stale_text, "id = {index %u, generation %u} is stale", stale.index,
           stale.generation);
#define ON_A_SHAPE(function, ...)                                                                  \
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, function, NULL, id, __VA_ARGS__);                          \
  REFUSED(MO_ERROR_STALE_ID, stale_text, function, scene, stale, __VA_ARGS__);                     \
  REFUSED(MO_ERROR_STALE_ID, "id = {index 0, generation 0} is stale", function, scene,             \
          (mo_shape_id){0, 0}, __VA_ARGS__)
#define ON_A_SHAPE_ALONE(function)                                                                 \
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, function, NULL, id);                                       \
  REFUSED(MO_ERROR_STALE_ID, stale_text, function, scene, stale)
  ON_A_SHAPE(mo_scene_set_geometry, &ball);
  ON_A_SHAPE(mo_scene_set_filter, 1, 1);
  ON_A_SHAPE(mo_scene_set_margin, 1);
  ON_A_SHAPE(mo_scene_set_body, 1);
  ON_A_SHAPE(mo_scene_set_user_data, 1);
  ON_A_SHAPE_ALONE(mo_scene_remove_shape);
  ON_A_SHAPE_ALONE(mo_scene_refresh_shape);
  ON_A_SHAPE(mo_scene_get_shape, &def);
  ON_A_SHAPE(mo_scene_get_geometry, &geometry);
  ON_A_SHAPE(mo_scene_get_transform, &transform);
  ON_A_SHAPE(mo_scene_get_filter, &word, &mask);
  ON_A_SHAPE(mo_scene_get_user_data, &word);
  ON_A_SHAPE(mo_scene_get_motion, &motion);
  ON_A_SHAPE(mo_scene_get_margin, &margin);
  ON_A_SHAPE(mo_scene_get_body, &word);
  ON_A_SHAPE(mo_scene_get_bounds, &bounds);
  ON_A_SHAPE(mo_scene_get_tight_bounds, &bounds);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "geometry is null", mo_scene_set_geometry, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_get_shape, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "geometry is null", mo_scene_get_geometry, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "transform is null", mo_scene_get_transform, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "user_data is null", mo_scene_get_user_data, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "motion is null", mo_scene_get_motion, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "margin is null", mo_scene_get_margin, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "body is null", mo_scene_get_body, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "bounds is null", mo_scene_get_bounds, scene, id, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "bounds is null", mo_scene_get_tight_bounds, scene, id, NULL);

  bad.type = (mo_shape_type)99;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "geometry.type is 99, which is no such choice",
          mo_scene_set_geometry, scene, id, &bad);
  bad = ball;
  bad.sphere.radius = -1;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "geometry.sphere.radius is -1, which is negative",
          mo_scene_set_geometry, scene, id, &bad);
  bad.sphere.radius = NAN;
  REFUSED(MO_ERROR_NOT_FINITE, "geometry.sphere.radius is NaN", mo_scene_set_geometry, scene, id,
          &bad);
  bad.sphere.radius = 2e30f;
  REFUSED(MO_ERROR_OUT_OF_RANGE, "geometry.sphere.radius is 2.00000003e+30, which is above 1e+30",
          mo_scene_set_geometry, scene, id, &bad);
  bad = (mo_geometry){.type = MO_SHAPE_MESH};
  REFUSED(MO_ERROR_NULL_ARGUMENT, "geometry.mesh is null", mo_scene_set_geometry, scene, id, &bad);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "margin is -3, which is negative", mo_scene_set_margin, scene,
          id, -3);
  REFUSED(MO_ERROR_NOT_FINITE, "margin is NaN", mo_scene_set_margin, scene, id, NAN);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "margin is 2.00000003e+30, which is above 1e+14",
          mo_scene_set_margin, scene, id, 2e30f);

  mo_shape_id ids[3] = {id, w->ids[2], stale};
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_remove_shapes, NULL, ids, 3,
             &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "ids is null", mo_scene_remove_shapes, scene,
             NULL, 3, &first_bad);
  REFUSED_AT(2, MO_ERROR_STALE_ID, "ids[2] = {index 5, generation 1} is stale",
             mo_scene_remove_shapes, scene, ids, 3, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_set_motion, NULL, ids, 3,
             MO_MOTION_STATIC, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "ids is null", mo_scene_set_motion, scene, NULL,
             3, MO_MOTION_STATIC, &first_bad);
  REFUSED_AT(2, MO_ERROR_STALE_ID, "ids[2] = {index 5, generation 1} is stale", mo_scene_set_motion,
             scene, ids, 3, MO_MOTION_STATIC, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "motion is 9, which is no such choice",
             mo_scene_set_motion, scene, ids, 2, (mo_motion)9, &first_bad);
  ids[2] = id;
  REFUSED_AT(2, MO_ERROR_STALE_ID, "ids[2] = {index 1, generation 1} is stale",
             mo_scene_remove_shapes, scene, ids, 3, &first_bad);

  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_get_shapes, NULL, ids, 3, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "ids is null", mo_scene_get_shapes, scene, NULL, 3, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_get_shapes, scene, ids, 3, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_get_body_shapes, NULL, 1, ids, 3, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "ids is null", mo_scene_get_body_shapes, scene, 1, NULL, 3,
          &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_get_body_shapes, scene, 1, ids, 3,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_get_stats, NULL, &stats);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "stats is null", mo_scene_get_stats, scene, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_validate, NULL);
}

/* A mesh that is refitted beyond what a shape of it may reach. */
static void refuse_grown_meshes(void) {
  mo_scene_def scene_def = refusal_scene_def();
  mo_mesh_def mesh_def = refusal_mesh_def();
  mesh_def.build.builder = MO_MESH_BUILDER_SINGLE;
  mesh_def.build.deformable = true;
  mo_scene *scene;
  mo_mesh *mesh;
  mo_shape_id id;
  const float far[4][3] = {{1e20f, 0, 0}, {0, 1e20f, 0}, {0, 0, 1e20f}, {0, 0, 0}};
  mo_aabb bounds;
  if (mo_scene_create(&scene_def, &scene) != MO_OK || mo_mesh_create(&mesh_def, &mesh) != MO_OK) {
    REFUSED(MO_OK, NULL, mo_scene_create, &scene_def, &scene);
    return;
  }
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  def.transform.x_axis.x = 1e20f;
  if (mo_scene_add_shape(scene, &def, &id) == MO_OK &&
      mo_mesh_refit(mesh, far, sizeof *far, 4, NULL, NULL) == MO_OK) {
    REFUSED(
        MO_ERROR_OUT_OF_RANGE,
        "the shape's transform takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE",
        mo_scene_refresh_shape, scene, id);
    REFUSED(
        MO_ERROR_OUT_OF_RANGE,
        "the shape's transform takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE",
        mo_scene_set_margin, scene, id, 1);
    REFUSED(
        MO_ERROR_OUT_OF_RANGE,
        "the shape's transform takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE",
        mo_scene_get_tight_bounds, scene, id, &bounds);
    REFUSED(MO_OK, NULL, mo_scene_validate, scene);
  }
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
}

static void refuse_creation(void) {
  mo_scene *made;
  mo_scene_def def = refusal_scene_def();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_create, NULL, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "scene is null", mo_scene_create, &def, NULL);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, NULL, mo_scene_create, &def, &made);
#define BAD_SCENE(code, told, change)                                                              \
  do {                                                                                             \
    def = refusal_scene_def();                                                                     \
    change;                                                                                        \
    REFUSED(code, told, mo_scene_create, &def, &made);                                             \
  } while (0)
  BAD_SCENE(MO_ERROR_UNINITIALIZED_DEF, "def.tree was not made by mo_default_tree_options",
            def.tree.cookie = 0);
  BAD_SCENE(MO_ERROR_INVALID_ARGUMENT, "def.tree.policy is 7, which is no such choice",
            def.tree.policy = (mo_tree_policy)7);
  BAD_SCENE(MO_ERROR_INVALID_ARGUMENT, "def.tree.capacity is 0, not 1 to 1024",
            def.tree.capacity = 0);
  BAD_SCENE(MO_ERROR_INVALID_ARGUMENT, "def.tree.max_depth is 33, not 1 to MO_SCENE_MAX_DEPTH",
            def.tree.max_depth = MO_SCENE_MAX_DEPTH + 1);
  BAD_SCENE(MO_ERROR_INVALID_ARGUMENT, "def.tree.max_straddlers is 1.5, not 0 to 1",
            def.tree.max_straddlers = 1.5f);
  BAD_SCENE(MO_ERROR_INVALID_ARGUMENT, "def.tree.looseness is NaN, not 1 to 4",
            def.tree.looseness = NAN);
  BAD_SCENE(MO_ERROR_INVALID_ARGUMENT,
            "def.isa = 99 (unknown) is not what this machine and build have", def.isa = (mo_isa)99);
  BAD_SCENE(MO_ERROR_INVALID_ARGUMENT, "def.margin is -1, which is negative", def.margin = -1);
  BAD_SCENE(MO_ERROR_NOT_FINITE, "def.margin is NaN", def.margin = NAN);
  BAD_SCENE(MO_ERROR_OUT_OF_RANGE, "def.margin is 2.00000003e+30, which is above 1e+14",
            def.margin = 2e30f);
  BAD_SCENE(MO_ERROR_TOO_MANY, "def.expected_shape_count is 4.2949673e+09, above MO_MAX_SHAPES",
            def.expected_shape_count = UINT32_MAX);
  BAD_SCENE(MO_ERROR_NULL_ARGUMENT, "def.host.allocator.allocate is null",
            def.host.allocator.allocate = NULL);
}

void refuse_scenes(const refusal_world *w) {
  refuse_creation();
  refuse_shapes(w);
  refuse_moves(w);
  refuse_flat_half_spaces();
  refuse_shifts(w);
  refuse_ids(w);
  refuse_grown_meshes();
}
