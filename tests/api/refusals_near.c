/* Refusals of motte/near.h, motte/distance.h, motte/separation.h, motte/cast.h, motte/pairs.h,
 * motte/pair_tracker.h, motte/watch.h and motte/contact.h. */
#include "../support/defs.h"
#include "refusals.h"

static uint32_t total;
static bool yes;

static bool no_shape(const mo_near_shape *shape, void *context) {
  (void)shape, (void)context;
  return false;
}

static bool no_pair(const mo_pair *pair, void *context) {
  (void)pair, (void)context;
  return false;
}

static void refuse_near(const refusal_world *w) {
  mo_near_def def = mo_default_near_def();
  mo_near_shape after = {.distance2 = NAN};
  const mo_near_def good = def;
#define ON_NEAR(code, told, def)                                                                   \
  REFUSED(code, told, mo_scene_find_near, w->scene, def, NULL, 0, &total, NULL);                   \
  REFUSED(code, told, mo_scene_find_nearest, w->scene, def, NULL, 0, &total, NULL);                \
  REFUSED(code, told, mo_scene_visit_nearest, w->scene, def, no_shape, NULL, NULL)
#define BAD_NEAR(code, told, change)                                                               \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    ON_NEAR(code, told, &def);                                                                     \
  } while (0)
  ON_NEAR(MO_ERROR_NULL_ARGUMENT, "def is null", NULL);
  BAD_NEAR(MO_ERROR_UNINITIALIZED_DEF,
           "def was not made by mo_default_near_def or mo_near_def_of_shape", def.cookie = 0);
  BAD_NEAR(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
           def.filter.cookie = 0);
  BAD_NEAR(MO_ERROR_NOT_FINITE, "def.from.lower.x is NaN", def.from.lower.x = NAN);
  BAD_NEAR(MO_ERROR_NOT_FINITE, "def.max_distance is NaN", def.max_distance = NAN);
  BAD_NEAR(MO_ERROR_NOT_FINITE, "def.after->distance2 is NaN", def.after = &after);
  BAD_NEAR(MO_ERROR_OUT_OF_RANGE, "def.from.upper.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
           def.from.upper.x = 2e30f);
  BAD_NEAR(MO_ERROR_INVALID_ARGUMENT, "def.from.lower.x is 1, above .upper.x, 0",
           def.from.lower.x = 1);
  BAD_NEAR(MO_ERROR_INVALID_ARGUMENT, "def.max_distance is -1, which is negative",
           def.max_distance = -1);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_near, NULL, &good, NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "shapes is null", mo_scene_find_near, w->scene, &good, NULL, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "count is null", mo_scene_find_nearest, w->scene, &good, NULL, 0,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_nearest, w->scene, &good, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_near_def_of_shape, NULL, w->ids[0], &def);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_near_def_of_shape, w->scene, w->ids[0], NULL);
  REFUSED(MO_ERROR_STALE_ID, "id = {index 5, generation 1} is stale", mo_near_def_of_shape,
          w->scene, w->stale, &def);
  mo_scene_def scene_def = refusal_scene_def();
  mo_scene *scene = NULL;
  mo_shape_id id;
  mo_shape_def half_space = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  if (mo_scene_create(&scene_def, &scene) == MO_OK &&
      mo_scene_add_shape(scene, &half_space, &id) == MO_OK) { /* or the row is missed */
    REFUSED(MO_ERROR_INVALID_ARGUMENT, "id is a half-space, which has no box", mo_near_def_of_shape,
            scene, id, &def);
  }
  mo_scene_destroy(scene);
}

static void refuse_levels(const refusal_world *w) {
  static const float rising[] = {0, 1, 2}, falling[] = {1, 0.5f}, negative[] = {-1, 1};
  static const float undefined[] = {0, NAN};
  const mo_plane plane = {{1, 0, NAN}, 0};
  mo_level_def good = mo_default_level_def(), def;
  good.thresholds = rising;
  good.level_count = 3;
#define BAD_LEVELS(code, told, change)                                                             \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    REFUSED(code, told, mo_scene_find_levels, w->scene, &def, NULL, 0, &total, NULL);              \
  } while (0)
  BAD_LEVELS(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_level_def",
             def.cookie = 0);
  BAD_LEVELS(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
             def.filter.cookie = 0);
  BAD_LEVELS(MO_ERROR_NULL_ARGUMENT, "def.thresholds is null", def.thresholds = NULL);
  BAD_LEVELS(MO_ERROR_NULL_ARGUMENT, "def.planes is null", def.plane_count = 1);
  BAD_LEVELS(MO_ERROR_NOT_FINITE, "def.eye.z is NaN", def.eye.z = NAN);
  BAD_LEVELS(MO_ERROR_NOT_FINITE, "def.thresholds[1] is NaN",
             (def.thresholds = undefined, def.level_count = 2));
  BAD_LEVELS(MO_ERROR_NOT_FINITE, "def.planes[0].normal.z is NaN",
             (def.planes = &plane, def.plane_count = 1));
  BAD_LEVELS(MO_ERROR_OUT_OF_RANGE, "def.eye.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
             def.eye.x = 2e30f);
  BAD_LEVELS(MO_ERROR_INVALID_ARGUMENT, "def.measure is 9, which is no such choice",
             def.measure = (mo_level_measure)9);
  BAD_LEVELS(MO_ERROR_INVALID_ARGUMENT, "def.level_count is 0, not 1 to MO_MAX_LEVELS",
             def.level_count = 0);
  BAD_LEVELS(MO_ERROR_INVALID_ARGUMENT, "def.level_count is 33, not 1 to MO_MAX_LEVELS",
             def.level_count = MO_MAX_LEVELS + 1);
  BAD_LEVELS(MO_ERROR_INVALID_ARGUMENT, "def.thresholds[1] is 0.5, below the one before",
             (def.thresholds = falling, def.level_count = 2));
  BAD_LEVELS(MO_ERROR_INVALID_ARGUMENT, "def.thresholds[0] is -1, which is negative",
             (def.thresholds = negative, def.level_count = 2));
  BAD_LEVELS(MO_ERROR_INVALID_ARGUMENT, "def.planes are 33, more than MO_MAX_PLANES",
             (def.planes = &plane, def.plane_count = MO_MAX_PLANES + 1));
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_find_levels, w->scene, NULL, NULL, 0,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "levels is null", mo_scene_find_levels, w->scene, &good, NULL, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_levels, NULL, &good, NULL, 0, &total, NULL);
}

static void refuse_closest(const refusal_world *w) {
  const mo_vec3 zero = {0, 0, 0}, nowhere = {0, 0, NAN}, far = {2e30f, 0, 0};
  mo_closest_hit hit;
  mo_closest_def def = mo_default_closest_def();
  const mo_closest_def good = def;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_closest_point, NULL, zero, 1, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_mesh_closest_point, w->mesh, zero, 1, NULL,
          NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "point.z is NaN", mo_mesh_closest_point, w->mesh, nowhere, 1, &hit,
          NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "max_distance is NaN", mo_mesh_closest_point, w->mesh, zero, NAN,
          &hit, NULL);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "point.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          mo_mesh_closest_point, w->mesh, far, 1, &hit, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "max_distance is -1, which is negative", mo_mesh_closest_point,
          w->mesh, zero, -1, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_closest_point, NULL, &def, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_closest_point, w->scene, NULL, &hit,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_scene_closest_point, w->scene, &def, NULL,
          NULL);
#define BAD_CLOSEST(code, told, change)                                                            \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    REFUSED(code, told, mo_scene_closest_point, w->scene, &def, &hit, NULL);                       \
  } while (0)
  BAD_CLOSEST(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_closest_def",
              def.cookie = 0);
  BAD_CLOSEST(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
              def.filter.cookie = 0);
  BAD_CLOSEST(MO_ERROR_NOT_FINITE, "def.point.y is NaN", def.point.y = NAN);
  BAD_CLOSEST(MO_ERROR_NOT_FINITE, "def.max_distance is NaN", def.max_distance = NAN);
  BAD_CLOSEST(MO_ERROR_OUT_OF_RANGE, "def.point.y is 2.00000003e+30, beyond MO_MAX_COORDINATE",
              def.point.y = 2e30f);
  BAD_CLOSEST(MO_ERROR_INVALID_ARGUMENT, "def.max_distance is -1, which is negative",
              def.max_distance = -1);
}

/* Every form of a cast: the first contact, any and all, on a scene and on a mesh. */
#define ON_CASTS(code, told, kind, def)                                                            \
  REFUSED(code, told, mo_scene_cast_##kind, w->scene, def, &cast, NULL);                           \
  REFUSED(code, told, mo_scene_test_##kind##_cast, w->scene, def, &yes, NULL);                     \
  REFUSED(code, told, mo_scene_cast_##kind##_all, w->scene, def, NULL, 0, &total, NULL);           \
  REFUSED(code, told, mo_mesh_cast_##kind, w->mesh, def, &cast, NULL);                             \
  REFUSED(code, told, mo_mesh_test_##kind##_cast, w->mesh, def, &yes, NULL);                       \
  REFUSED(code, told, mo_mesh_cast_##kind##_all, w->mesh, def, NULL, 0, &total, NULL)
#define ON_NULL_OUTPUTS(on, subject, kind, def)                                                    \
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_##on##_cast_##kind, NULL, def, &cast, NULL);            \
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_##on##_test_##kind##_cast, NULL, def, &yes, NULL);      \
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_##on##_cast_##kind##_all, NULL, def, NULL, 0, &total,   \
          NULL);                                                                                   \
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_##on##_cast_##kind, subject, def, NULL, NULL); \
  REFUSED(MO_ERROR_NULL_ARGUMENT, "found is null", mo_##on##_test_##kind##_cast, subject, def,     \
          NULL, NULL);                                                                             \
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_##on##_cast_##kind##_all, subject, def,      \
          NULL, 0, NULL, NULL);                                                                    \
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hits is null", mo_##on##_cast_##kind##_all, subject, def, NULL, \
          1, &total, NULL)

static mo_cast_hit cast;

static void refuse_casts(const refusal_world *w) {
  const mo_sphere_cast_def good = mo_default_sphere_cast_def();
  mo_sphere_cast_def def;
#define BAD_CAST(code, told, change)                                                               \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    ON_CASTS(code, told, sphere, &def);                                                            \
  } while (0)
  ON_CASTS(MO_ERROR_NULL_ARGUMENT, "def is null", sphere, NULL);
  ON_NULL_OUTPUTS(scene, w->scene, sphere, &good);
  ON_NULL_OUTPUTS(mesh, w->mesh, sphere, &good);
  BAD_CAST(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_sphere_cast_def",
           def.cookie = 0);
  BAD_CAST(MO_ERROR_UNINITIALIZED_DEF, "def.options.filter was not made by mo_default_filter",
           def.options.filter.cookie = 0);
  BAD_CAST(MO_ERROR_INVALID_ARGUMENT, "def.sphere.radius is -1, which is negative",
           def.sphere.radius = -1);
  BAD_CAST(MO_ERROR_NOT_FINITE, "def.sphere.radius is infinite", def.sphere.radius = INFINITY);
  BAD_CAST(MO_ERROR_NOT_FINITE, "def.sphere.center.y is NaN", def.sphere.center.y = NAN);
  BAD_CAST(MO_ERROR_NOT_FINITE, "def.displacement.z is infinite", def.displacement.z = INFINITY);
  BAD_CAST(MO_ERROR_NOT_FINITE, "def.options.min_approach is NaN", def.options.min_approach = NAN);
  BAD_CAST(MO_ERROR_OUT_OF_RANGE, "def.displacement.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
           def.displacement.x = 2e30f);
}

static void refuse_shape_casts(const refusal_world *w) {
  const mo_vec3 nowhere = {0, 0, NAN}, far = {2e30f, 0, 0};
  const mo_shape_cast_def good = mo_default_shape_cast_def();
  mo_shape_cast_def def;
#define BAD_SHAPE_CAST(code, told, change)                                                         \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    ON_CASTS(code, told, shape, &def);                                                             \
  } while (0)
  ON_CASTS(MO_ERROR_NULL_ARGUMENT, "def is null", shape, NULL);
  ON_NULL_OUTPUTS(scene, w->scene, shape, &good);
  ON_NULL_OUTPUTS(mesh, w->mesh, shape, &good);
  BAD_SHAPE_CAST(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_shape_cast_def",
                 def.cookie = 0);
  BAD_SHAPE_CAST(MO_ERROR_UNINITIALIZED_DEF, "def.options.filter was not made by mo_default_filter",
                 def.options.filter.cookie = 0);
  BAD_SHAPE_CAST(MO_ERROR_NOT_FINITE, "def.displacement.z is NaN", def.displacement = nowhere);
  BAD_SHAPE_CAST(MO_ERROR_OUT_OF_RANGE,
                 "def.displacement.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
                 def.displacement = far);
  BAD_SHAPE_CAST(MO_ERROR_NOT_FINITE, "def.primitive.points[0].z is NaN",
                 def.primitive.points[0] = nowhere);
  BAD_SHAPE_CAST(MO_ERROR_OUT_OF_RANGE,
                 "def.primitive.points[0].x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
                 def.primitive.points[0] = far);
  BAD_SHAPE_CAST(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.hull is null",
                 (def.primitive.type = MO_PRIMITIVE_GEOMETRY,
                  def.primitive.geometry = (mo_geometry){.type = MO_SHAPE_HULL}));
  BAD_SHAPE_CAST(MO_ERROR_INVALID_ARGUMENT, "def.primitive.type is 7, which is no such choice",
                 def.primitive.type = (mo_primitive_type)7);
  BAD_SHAPE_CAST(MO_ERROR_NOT_FINITE, "def.options.min_approach is NaN",
                 def.options.min_approach = NAN);
  BAD_SHAPE_CAST(MO_ERROR_NOT_FINITE, "def.angle is infinite", def.angle = INFINITY);
  BAD_SHAPE_CAST(MO_ERROR_INVALID_ARGUMENT, "def.axis is zero", def.angle = 1);
  BAD_SHAPE_CAST(MO_ERROR_NOT_FINITE, "def.axis.z is NaN", (def.axis = nowhere, def.angle = 1));
  BAD_SHAPE_CAST(MO_ERROR_NOT_FINITE, "def.pivot.z is NaN", (def.pivot = nowhere, def.angle = 1));
  BAD_SHAPE_CAST(MO_ERROR_INVALID_ARGUMENT, "def.angle is 7, beyond a full turn",
                 (def.axis.x = 1, def.angle = 7));
  BAD_SHAPE_CAST(MO_ERROR_OUT_OF_RANGE, "def.angle turns it beyond MO_MAX_COORDINATE",
                 (def.pivot.x = 0.9e30f, def.axis.y = 1, def.angle = 3));
  BAD_SHAPE_CAST(MO_ERROR_INVALID_ARGUMENT, "def.precision is 5, which is no such choice",
                 def.precision = (mo_precision)5);
}

/* What the shape is refused for: refusals_scene.c. */
static void refuse_fits(const refusal_world *w) {
  const mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_fit_def def = mo_default_fit_def();
  const mo_fit_def good = def;
#define BAD_FIT(code, told, change)                                                                \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    REFUSED(code, told, mo_scene_shape_fits, w->scene, OF_FIT(&shape, &def), &yes, NULL);          \
    REFUSED(code, told, mo_scene_find_obstacles, w->scene, OF_FIT(&shape, &def), NULL, 0, &total,  \
            NULL);                                                                                 \
  } while (0)
  BAD_FIT(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_fit_def", def.cookie = 0);
  BAD_FIT(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
          def.filter.cookie = 0);
  BAD_FIT(MO_ERROR_NOT_FINITE, "def.clearance is NaN", def.clearance = NAN);
  BAD_FIT(MO_ERROR_INVALID_ARGUMENT, "def.clearance is -1, which is negative", def.clearance = -1);
  BAD_FIT(MO_ERROR_OUT_OF_RANGE, "def.clearance is 2.00000003e+30, which is above 1e+30",
          def.clearance = 2e30f);
  BAD_FIT(MO_ERROR_INVALID_ARGUMENT, "def.precision is 9, which is no such choice",
          def.precision = (mo_precision)9);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_shape_fits, NULL, OF_FIT(&shape, &good), &yes,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def.shape is null", mo_scene_shape_fits, w->scene,
          OF_FIT(NULL, &good), &yes, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_shape_fits, w->scene, NULL, &yes, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "fits is null", mo_scene_shape_fits, w->scene,
          OF_FIT(&shape, &good), NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "shapes is null", mo_scene_find_obstacles, w->scene,
          OF_FIT(&shape, &good), NULL, 1, &total, NULL);
}

static void refuse_signed(const refusal_world *w) {
  const mo_vec3 zero = {0, 0, 0}, nowhere = {0, 0, NAN}, far = {2e30f, 0, 0};
  int32_t winding;
  mo_closest_hit hit;
  mo_closest_def def = mo_default_closest_def();
  const mo_closest_def good = def;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_winding_number, NULL, zero, &winding, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "winding is null", mo_mesh_winding_number, w->mesh, zero, NULL,
          NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "point.z is NaN", mo_mesh_winding_number, w->mesh, nowhere, &winding,
          NULL);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "point.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          mo_mesh_winding_number, w->mesh, far, &winding, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_signed_distance, NULL, zero, 1, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_mesh_signed_distance, w->mesh, zero, 1, NULL,
          NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "point.z is NaN", mo_mesh_signed_distance, w->mesh, nowhere, 1, &hit,
          NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "max_distance is NaN", mo_mesh_signed_distance, w->mesh, zero, NAN,
          &hit, NULL);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "point.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          mo_mesh_signed_distance, w->mesh, far, 1, &hit, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "max_distance is -1, which is negative",
          mo_mesh_signed_distance, w->mesh, zero, -1, &hit, NULL);
#define BAD_SIGNED(code, told, change)                                                             \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    REFUSED(code, told, mo_scene_signed_distance, w->scene, &def, &hit, NULL);                     \
  } while (0)
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_signed_distance, NULL, &good, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_scene_signed_distance, w->scene, &good, NULL,
          NULL);
  BAD_SIGNED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_closest_def",
             def.cookie = 0);
  BAD_SIGNED(MO_ERROR_NOT_FINITE, "def.point.y is NaN", def.point.y = NAN);
  BAD_SIGNED(MO_ERROR_OUT_OF_RANGE, "def.point.y is 2.00000003e+30, beyond MO_MAX_COORDINATE",
             def.point.y = 2e30f);
  BAD_SIGNED(MO_ERROR_INVALID_ARGUMENT, "def.max_distance is -1, which is negative",
             def.max_distance = -1);
}

static void refuse_separations(const refusal_world *w) {
  mo_separation s;
  mo_shape_cast_def def = mo_default_shape_cast_def();
  const mo_shape_cast_def good = def;
  mo_geometry mesh = {.type = MO_SHAPE_MESH, .rounding = 1, .mesh = w->mesh};
#define BAD_SEPARATION(code, told, change)                                                         \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    REFUSED(code, told, mo_scene_find_separation, w->scene, &def, &s, NULL);                       \
    REFUSED(code, told, mo_mesh_find_separation, w->mesh, &def, &s, NULL);                         \
  } while (0)
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_separation, NULL, &good, &s, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_find_separation, NULL, &good, &s, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_find_separation, w->scene, NULL, &s,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "separation is null", mo_mesh_find_separation, w->mesh, &good,
          NULL, NULL);
  BAD_SEPARATION(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_shape_cast_def",
                 def.cookie = 0);
  BAD_SEPARATION(MO_ERROR_NOT_FINITE, "def.primitive.points[0].x is NaN",
                 def.primitive.points[0].x = NAN);
  BAD_SEPARATION(MO_ERROR_OUT_OF_RANGE,
                 "def.primitive.points[0].x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
                 def.primitive.points[0].x = 2e30f);
  BAD_SEPARATION(MO_ERROR_INVALID_ARGUMENT,
                 "def.primitive.geometry.rounding is 1, which a mesh has not",
                 def.primitive = mo_primitive_of_geometry(&mesh, NULL));
  mesh = (mo_geometry){.type = MO_SHAPE_MESH};
  BAD_SEPARATION(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.mesh is null",
                 def.primitive = mo_primitive_of_geometry(&mesh, NULL));
}

static bool no_hit(const mo_closest_hit *hit, void *context) {
  (void)hit, (void)context;
  return false;
}

static void refuse_separation_of_meshes(const refusal_world *w) {
  mo_mesh_separation separation;
  mo_separation_mesh_def good = mo_default_separation_mesh_def();
  good.other = w->mesh;
#define ON_MESHES(code, told, def)                                                                 \
  REFUSED(code, told, mo_mesh_find_separation_mesh, w->mesh, def, &separation, NULL)
  mo_separation_mesh_def bad = good;
  bad.cookie = 0;
  ON_MESHES(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_separation_mesh_def", &bad);
  bad = good;
  bad.other = NULL;
  ON_MESHES(MO_ERROR_NULL_ARGUMENT, "def.other is null", &bad);
  bad = good;
  bad.transform.y_axis.z = INFINITY;
  ON_MESHES(MO_ERROR_NOT_FINITE, "def.transform.y_axis.z is infinite", &bad);
  bad = good;
  bad.other_transform.origin.x = 2e30f;
  ON_MESHES(MO_ERROR_OUT_OF_RANGE,
            "def.other_transform.origin.x is 2.00000003e+30, beyond MO_MAX_COORDINATE", &bad);
  ON_MESHES(MO_ERROR_NULL_ARGUMENT, "def is null", NULL);
#undef ON_MESHES
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_find_separation_mesh, NULL, &good, &separation,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "separation is null", mo_mesh_find_separation_mesh, w->mesh,
          &good, NULL, NULL);
}

static void refuse_two_meshes(const refusal_world *w) {
  bool found;
  mo_closest_hit hits[2];
  mo_distance_mesh_def good = mo_default_distance_mesh_def();
  good.other = w->mesh;
#define ON_MESHES(code, told, change)                                                              \
  do {                                                                                             \
    mo_distance_mesh_def def = good;                                                               \
    change;                                                                                        \
    REFUSED(code, told, mo_mesh_find_closest_mesh, w->mesh, &def, hits, NULL);                     \
    REFUSED(code, told, mo_mesh_test_within_mesh, w->mesh, &def, &found, NULL);                    \
  } while (0)
  ON_MESHES(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_distance_mesh_def",
            def.cookie = 0);
  ON_MESHES(MO_ERROR_NULL_ARGUMENT, "def.other is null", def.other = NULL);
  ON_MESHES(MO_ERROR_NOT_FINITE, "def.transform.y_axis.z is infinite",
            def.transform.y_axis.z = INFINITY);
  ON_MESHES(MO_ERROR_OUT_OF_RANGE,
            "def.other_transform.origin.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
            def.other_transform.origin.x = 2e30f);
  ON_MESHES(MO_ERROR_OUT_OF_RANGE,
            "def.transform takes a corner of the bounds beyond MO_MAX_COORDINATE",
            def.transform.origin.x = def.transform.x_axis.x = def.transform.y_axis.x =
                def.transform.z_axis.x = 1e30f);
  ON_MESHES(MO_ERROR_NOT_FINITE, "def.max_distance is NaN", def.max_distance = NAN);
  ON_MESHES(MO_ERROR_INVALID_ARGUMENT, "def.max_distance is -1, which is negative",
            def.max_distance = -1);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_find_closest_mesh, NULL, &good, hits, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_test_within_mesh, NULL, &good, &found, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_mesh_test_within_mesh, w->mesh, NULL, &found,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "found is null", mo_mesh_test_within_mesh, w->mesh, &good, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_mesh_find_closest_mesh, w->mesh, NULL, hits,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hits is null", mo_mesh_find_closest_mesh, w->mesh, &good, NULL,
          NULL);
}

static void refuse_primitive_distances(const refusal_world *w) {
  mo_closest_hit hit;
  mo_distance_def def = mo_default_distance_def();
  const mo_distance_def good = def;
  mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1, -1, 1}}};
  mo_geometry mesh = {.type = MO_SHAPE_MESH, .rounding = 1, .mesh = w->mesh};
#define ON_DISTANCES(code, told, def)                                                              \
  REFUSED(code, told, mo_scene_find_closest, w->scene, def, &hit, NULL);                           \
  REFUSED(code, told, mo_mesh_find_closest, w->mesh, def, &hit, NULL);                             \
  REFUSED(code, told, mo_scene_find_within, w->scene, def, NULL, 0, &total, NULL);                 \
  REFUSED(code, told, mo_mesh_find_within, w->mesh, def, NULL, 0, &total, NULL);                   \
  REFUSED(code, told, mo_scene_find_closest_few, w->scene, def, NULL, 0, &total, NULL);            \
  REFUSED(code, told, mo_mesh_find_closest_few, w->mesh, def, NULL, 0, &total, NULL);              \
  REFUSED(code, told, mo_scene_visit_closest, w->scene, def, no_hit, NULL, NULL);                  \
  REFUSED(code, told, mo_mesh_visit_closest, w->mesh, def, no_hit, NULL, NULL)
#define BAD_DISTANCE(code, told, change)                                                           \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    ON_DISTANCES(code, told, &def);                                                                \
  } while (0)
  ON_DISTANCES(MO_ERROR_NULL_ARGUMENT, "def is null", NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_closest, NULL, &good, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_find_closest, NULL, &good, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_scene_find_closest, w->scene, &good, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_mesh_find_closest, w->mesh, &good, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hits is null", mo_scene_find_within, w->scene, &good, NULL, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_mesh_find_within, w->mesh, &good, NULL, 0,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "count is null", mo_scene_find_closest_few, w->scene, &good, NULL,
          0, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hits is null", mo_mesh_find_closest_few, w->mesh, &good, NULL, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_closest, w->scene, &good, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_mesh_visit_closest, w->mesh, &good, NULL,
          NULL, NULL);
  mo_closest_hit nowhere = {.distance = NAN}, behind = {.distance = -1};
  BAD_DISTANCE(MO_ERROR_NOT_FINITE, "def.after->distance is NaN", def.after = &nowhere);
  BAD_DISTANCE(MO_ERROR_INVALID_ARGUMENT, "def.after->distance is -1, which is negative",
               def.after = &behind);
  BAD_DISTANCE(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_distance_def",
               def.cookie = 0);
  BAD_DISTANCE(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
               def.filter.cookie = 0);
  BAD_DISTANCE(MO_ERROR_NOT_FINITE, "def.primitive.points[0].x is NaN",
               def.primitive.points[0].x = NAN);
  BAD_DISTANCE(MO_ERROR_NOT_FINITE, "def.max_distance is NaN", def.max_distance = NAN);
  BAD_DISTANCE(MO_ERROR_OUT_OF_RANGE,
               "def.primitive.points[0].x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
               def.primitive.points[0].x = 2e30f);
  BAD_DISTANCE(MO_ERROR_INVALID_ARGUMENT, "def.max_distance is -1, which is negative",
               def.max_distance = -1);
  BAD_DISTANCE(MO_ERROR_INVALID_ARGUMENT,
               "def.primitive.geometry.box.half_extents.y is -1, which is negative",
               def.primitive = mo_primitive_of_geometry(&box, NULL));
  BAD_DISTANCE(MO_ERROR_INVALID_ARGUMENT,
               "def.primitive.geometry.rounding is 1, which a mesh has not",
               def.primitive = mo_primitive_of_geometry(&mesh, NULL));
  mesh = (mo_geometry){.type = MO_SHAPE_MESH};
  BAD_DISTANCE(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.mesh is null",
               def.primitive = mo_primitive_of_geometry(&mesh, NULL));
}

static void refuse_contacts(const refusal_world *w) {
  mo_collide_def unmade = mo_default_collide_def(), def = unmade;
  mo_pair pair = {w->ids[0], w->ids[1]}, twice = {w->ids[0], w->ids[0]};
  const mo_pair first = {w->stale, w->ids[1]}, second = {w->ids[0], w->stale};
  const char *stale[] = {"pair.a = {index 5, generation 1} is stale",
                         "pair.b = {index 5, generation 1} is stale"};
#define ON_PAIR(code, told, pair, def)                                                             \
  REFUSED(code, told, mo_scene_collide_pair, w->scene, pair, def, NULL, 0, &total)
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_collide_pair, NULL, &pair, &def, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_collide_pair, w->scene, &pair, &def,
          NULL, 0, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "contacts is null", mo_scene_collide_pair, w->scene, &pair, &def,
          NULL, 1, &total);
  ON_PAIR(MO_ERROR_NULL_ARGUMENT, "pair is null", NULL, &def);
  ON_PAIR(MO_ERROR_NULL_ARGUMENT, "def is null", &pair, NULL);
  ON_PAIR(MO_ERROR_STALE_ID, stale[0], &first, &def);
  ON_PAIR(MO_ERROR_STALE_ID, stale[1], &second, &def);
  ON_PAIR(MO_ERROR_INVALID_ARGUMENT, "pair is one shape twice", &twice, &def);
  unmade.cookie = 0;
  ON_PAIR(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_collide_def", &pair, &unmade);
  const struct {
    mo_result code;
    float distance;
    const char *told;
  } distances[] = {
      {MO_ERROR_INVALID_ARGUMENT, -1, "def.speculative_distance is -1, which is negative"},
      {MO_ERROR_NOT_FINITE, NAN, "def.speculative_distance is NaN"},
      {MO_ERROR_OUT_OF_RANGE, 2e30f,
       "def.speculative_distance is 2.00000003e+30, which is above 1e+30"},
  };
  mo_collide_shape_def good = mo_default_collide_shape_def(), bad;
#define ON_SHAPE(code, told, def)                                                                  \
  REFUSED(code, told, mo_scene_collide_shape, w->scene, def, NULL, 0, &total, NULL)
#define BAD_SHAPE(code, told, change)                                                              \
  do {                                                                                             \
    bad = good;                                                                                    \
    change;                                                                                        \
    ON_SHAPE(code, told, &bad);                                                                    \
  } while (0)
  for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
    def.speculative_distance = distances[i].distance;
    ON_PAIR(distances[i].code, distances[i].told, &pair, &def);
    BAD_SHAPE(distances[i].code, distances[i].told,
              bad.speculative_distance = distances[i].distance);
  }
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_collide_shape, NULL, &good, NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_collide_shape, w->scene, &good, NULL, 0,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "contacts is null", mo_scene_collide_shape, w->scene, &good, NULL,
          1, &total, NULL);
  ON_SHAPE(MO_ERROR_NULL_ARGUMENT, "def is null", NULL);
  BAD_SHAPE(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_collide_shape_def",
            bad.cookie = 0);
  BAD_SHAPE(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
            bad.filter.cookie = 0);
  BAD_SHAPE(MO_ERROR_NOT_FINITE, "def.primitive.transform.origin.y is NaN",
            bad.primitive.transform.origin.y = NAN);
  BAD_SHAPE(MO_ERROR_OUT_OF_RANGE,
            "def.primitive.points[0].x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
            bad.primitive.points[0].x = 2e30f);
  mo_geometry geometry = {.type = MO_SHAPE_HULL};
  BAD_SHAPE(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.hull is null",
            bad.primitive = mo_primitive_of_geometry(&geometry, NULL));
  geometry.type = MO_SHAPE_MESH;
  BAD_SHAPE(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.mesh is null",
            bad.primitive = mo_primitive_of_geometry(&geometry, NULL));
  geometry.mesh = w->mesh;
  geometry.rounding = 1;
  BAD_SHAPE(MO_ERROR_INVALID_ARGUMENT, "def.primitive.geometry.rounding is 1, which a mesh has not",
            bad.primitive = mo_primitive_of_geometry(&geometry, NULL));
}

void refuse_distances(const refusal_world *w) {
  refuse_near(w);
  refuse_levels(w);
  refuse_closest(w);
  refuse_two_meshes(w);
  refuse_primitive_distances(w);
  refuse_signed(w);
  refuse_separations(w);
  refuse_separation_of_meshes(w);
  refuse_casts(w);
  refuse_shape_casts(w);
  refuse_fits(w);
  refuse_contacts(w);
}

static void refuse_pair_queries(const refusal_world *w) {
  mo_pair_query_def unmade = mo_default_pair_query_def();
  unmade.cookie = 0;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_pairs, NULL, NULL, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pairs is null", mo_scene_find_pairs, w->scene, NULL, NULL, 1,
          &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_find_pairs, w->scene, NULL, NULL, 0,
          NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_pair_query_def",
          mo_scene_find_pairs, w->scene, &unmade, NULL, 0, &total);
  const mo_pair gone[] = {{w->ids[0], w->ids[1]}, {w->ids[0], w->stale}, {w->stale, w->ids[1]}};
  uint64_t user_data[2][2];
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_get_pair_user_data, NULL, gone, 1, user_data);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pairs is null", mo_scene_get_pair_user_data, w->scene, NULL, 1,
          user_data);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "user_data is null", mo_scene_get_pair_user_data, w->scene, gone,
          1, NULL);
  REFUSED(MO_ERROR_STALE_ID, "pairs[1].b = {index 5, generation 1} is stale",
          mo_scene_get_pair_user_data, w->scene, gone, 2, user_data);
  REFUSED(MO_ERROR_STALE_ID, "pairs[0].a = {index 5, generation 1} is stale",
          mo_scene_get_pair_user_data, w->scene, &gone[2], 1, user_data);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_visit_pairs, NULL, NULL, no_pair, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_pairs, w->scene, NULL, NULL,
          NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_pair_query_def",
          mo_scene_visit_pairs, w->scene, &unmade, no_pair, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_pairs_between, NULL, w->other, NULL, NULL, 0,
          &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "second is null", mo_scene_find_pairs_between, w->scene, NULL,
          NULL, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_find_pairs_between, w->scene, w->other,
          NULL, NULL, 0, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "second is the same scene as first",
          mo_scene_find_pairs_between, w->scene, w->scene, NULL, NULL, 0, &total);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_pair_query_def",
          mo_scene_find_pairs_between, w->scene, w->other, &unmade, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "second is null", mo_scene_visit_pairs_between, w->scene, NULL,
          NULL, no_pair, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_pairs_between, w->scene, w->other,
          NULL, NULL, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "second is the same scene as first",
          mo_scene_visit_pairs_between, w->scene, w->scene, NULL, no_pair, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_pair_query_def",
          mo_scene_visit_pairs_between, w->scene, w->other, &unmade, no_pair, NULL);
#define ON_NEAR_PAIRS(code, told, distance, def)                                                   \
  REFUSED(code, told, mo_scene_find_near_pairs, w->scene, distance, def, NULL, 0, &total);         \
  REFUSED(code, told, mo_scene_visit_near_pairs, w->scene, distance, def, no_pair, NULL)
  ON_NEAR_PAIRS(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_pair_query_def", 1,
                &unmade);
  ON_NEAR_PAIRS(MO_ERROR_INVALID_ARGUMENT, "distance is -1, which is negative", -1, NULL);
  ON_NEAR_PAIRS(MO_ERROR_INVALID_ARGUMENT, "distance is NaN", NAN, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_near_pairs, NULL, 1, NULL, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pairs is null", mo_scene_find_near_pairs, w->scene, 1, NULL,
          NULL, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_near_pairs, w->scene, 1, NULL,
          NULL, NULL);
}

void refuse_pairs(const refusal_world *w) {
  mo_pair_tracker *made;
  mo_pair_tracker_def def = mo_default_pair_tracker_def();
  mo_pair_tracker_stats stats;
  refuse_pair_queries(w);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_pair_tracker_create, NULL, &def, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "tracker is null", mo_pair_tracker_create, w->scene, &def, NULL);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_pair_tracker_def",
          mo_pair_tracker_create, w->scene, &def, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_pair_tracker_update, NULL, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_pair_tracker_update,
          w->orphan_tracker, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_pair_tracker_get_pairs, NULL, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pairs is null", mo_pair_tracker_get_pairs, w->tracker, NULL, 1,
          &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_pair_tracker_get_pairs, w->tracker, NULL, 0,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_pair_tracker_get_partners, NULL, w->ids[0], NULL, 0,
          &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_pair_tracker_get_partners, w->tracker,
          w->ids[0], NULL, 0, NULL);
  REFUSED(MO_ERROR_STALE_ID, "id = {index 5, generation 1} is stale", mo_pair_tracker_get_partners,
          w->tracker, w->stale, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_pair_tracker_get_stats, NULL, &stats);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "stats is null", mo_pair_tracker_get_stats, w->tracker, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_pair_tracker_validate, NULL);
}

/* Forms of regions, as defs of new ones and for one that is there. */
static void refuse_forms(const refusal_world *w) {
  const mo_plane plane = {{0, NAN, 0}, 0}, steep = {{0, 2e6f, 0}, 0};
  const struct {
    mo_result code;
    mo_region_form form;
    const char *told;
  } bad[] = {
      {MO_ERROR_INVALID_ARGUMENT,
       {.type = (mo_region_type)9},
       ".type is 9, which is no such choice"},
      {MO_ERROR_INVALID_ARGUMENT,
       {.type = MO_REGION_AABB, .box = {{0, 2, 0}, {1, 1, 1}}},
       ".box.lower.y is 2, above .upper.y, 1"},
      {MO_ERROR_INVALID_ARGUMENT,
       {.type = MO_REGION_SPHERE, .sphere = {{0, 0, 0}, -1}},
       ".sphere.radius is -1, which is negative"},
      {MO_ERROR_INVALID_ARGUMENT,
       {.type = MO_REGION_CONVEX, .convex = {&plane, MO_MAX_PLANES + 1}},
       ".convex.planes are 33, more than MO_MAX_PLANES"},
      {MO_ERROR_NULL_ARGUMENT,
       {.type = MO_REGION_CONVEX, .convex = {NULL, 1}},
       ".convex.planes is null"},
      {MO_ERROR_NOT_FINITE,
       {.type = MO_REGION_SPHERE, .sphere = {{0, 0, 0}, NAN}},
       ".sphere.radius is NaN"},
      {MO_ERROR_NOT_FINITE,
       {.type = MO_REGION_CONVEX, .convex = {&plane, 1}},
       ".convex.planes[0].normal.y is NaN"},
      {MO_ERROR_OUT_OF_RANGE,
       {.type = MO_REGION_SPHERE, .sphere = {{0, 0, 2e30f}, 1}},
       ".sphere.center.z is 2.00000003e+30, beyond MO_MAX_COORDINATE"},
      {MO_ERROR_OUT_OF_RANGE,
       {.type = MO_REGION_CONVEX, .convex = {&steep, 1}},
       ".convex.planes[0].normal: the largest component is 2000000, which is above 1e+06"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mo_region_def def = mo_default_region_def();
    mo_region_id id;
    char text[200];
    def.form = bad[i].form;
    strcat(strcpy(text, "def.form"), bad[i].told);
    REFUSED(bad[i].code, text, mo_watch_add_region, w->watch, &def, &id);
    strcat(strcpy(text, "form"), bad[i].told);
    REFUSED(bad[i].code, text, mo_watch_set_form, w->watch, w->region, &bad[i].form);
  }
}

void refuse_watches(const refusal_world *w) {
  mo_watch *made;
  mo_region_def good = mo_default_region_def(), def = good;
  mo_region_id id;
  mo_filter filter = mo_default_filter(), unmade = filter;
  mo_watch_stats stats;
  unmade.cookie = 0;
  char stale[80];
  snprintf(stale, sizeof stale, "id = {index %u, generation %u} is stale", w->stale_region.index,
           w->stale_region.generation);
  refuse_forms(w);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_watch_create, NULL, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "watch is null", mo_watch_create, w->scene, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_watch_add_region, NULL, &good, &id);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_watch_add_region, w->watch, NULL, &id);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "id is null", mo_watch_add_region, w->watch, &good, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "watch has lost its scene", mo_watch_add_region,
          w->orphan_watch, &good, &id);
  def.precision = (mo_precision)9;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "def.precision is 9, which is no such choice",
          mo_watch_add_region, w->watch, &def, &id);
  def = good;
  def.filter.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
          mo_watch_add_region, w->watch, &def, &id);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_region_def",
          mo_watch_add_region, w->watch, &def, &id);
#define ON_A_REGION(function, ...)                                                                 \
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, function, NULL, w->region, __VA_ARGS__);                   \
  REFUSED(MO_ERROR_STALE_ID, stale, function, w->watch, w->stale_region, __VA_ARGS__)
  ON_A_REGION(mo_watch_set_form, &good.form);
  ON_A_REGION(mo_watch_set_filter, &filter);
  ON_A_REGION(mo_watch_get_region, &def);
  ON_A_REGION(mo_watch_get_shapes, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_watch_remove_region, NULL, w->region);
  REFUSED(MO_ERROR_STALE_ID, stale, mo_watch_remove_region, w->watch, w->stale_region);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "form is null", mo_watch_set_form, w->watch, w->region, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "filter is null", mo_watch_set_filter, w->watch, w->region, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "filter was not made by mo_default_filter",
          mo_watch_set_filter, w->watch, w->region, &unmade);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_watch_get_region, w->watch, w->region, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "shapes is null", mo_watch_get_shapes, w->watch, w->region, NULL,
          1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_watch_get_regions, NULL, w->ids[0], NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_watch_get_regions, w->watch, w->ids[0], NULL,
          0, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_watch_update, NULL, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "watch has lost its scene", mo_watch_update, w->orphan_watch,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_watch_get_stats, NULL, &stats);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "stats is null", mo_watch_get_stats, w->watch, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_watch_validate, NULL);
}
