/* Refusals of motte/query.h and motte/batch.h. */
#include <motte/motte.h>

#include "../support/defs.h"
#include "refusals.h"

static size_t first_bad;
static mo_ray_hit hit;
static bool yes;
static uint32_t total;

/* A row for each query that takes a ray. */
#define ON_RAYS(code, told, ray)                                                                   \
  do {                                                                                             \
    mo_ray_cursor from_start;                                                                      \
    mo_ray_cursor_init(&from_start, NULL);                                                         \
    REFUSED(code, told, mo_scene_cast_ray, w->scene, ray, &hit, NULL);                             \
    REFUSED(code, told, mo_scene_test_ray, w->scene, ray, &yes, NULL);                             \
    REFUSED(code, told, mo_scene_cast_ray_all, w->scene, ray, NULL, 0, &total, NULL);              \
    REFUSED(code, told, mo_scene_cast_ray_first, w->scene, ray, &hit, 1, &total, NULL);            \
    REFUSED(code, told, mo_scene_next_hit, w->scene, ray, &from_start, &hit, NULL);                \
    REFUSED(code, told, mo_mesh_cast_ray, w->mesh, ray, &hit, NULL);                               \
    REFUSED(code, told, mo_mesh_test_ray, w->mesh, ray, &yes, NULL);                               \
    REFUSED(code, told, mo_mesh_cast_ray_all, w->mesh, ray, NULL, 0, &total, NULL);                \
    REFUSED(code, told, mo_mesh_cast_ray_first, w->mesh, ray, &hit, 1, &total, NULL);              \
    REFUSED(code, told, mo_mesh_next_hit, w->mesh, ray, &from_start, &hit, NULL);                  \
  } while (0)

static mo_ray_def good_ray(void) {
  mo_ray_def ray = mo_default_ray_def();
  ray.direction = (mo_vec3){1, 0.25f, 0.5f};
  return ray;
}

#define BAD_RAY(code, told, change)                                                                \
  do {                                                                                             \
    mo_ray_def ray = good_ray();                                                                   \
    change;                                                                                        \
    ON_RAYS(code, told, &ray);                                                                     \
  } while (0)

static void refuse_single_rays(const refusal_world *w) {
  const mo_ray_def good = good_ray();
  mo_ray_cursor cursor = {0};
  ON_RAYS(MO_ERROR_NULL_ARGUMENT, "ray is null", NULL);
  BAD_RAY(MO_ERROR_UNINITIALIZED_DEF, "ray was not made by mo_default_ray_def or mo_segment_def",
          ray.cookie = 0);
  BAD_RAY(MO_ERROR_UNINITIALIZED_DEF, "ray.filter was not made by mo_default_filter",
          ray.filter.cookie = 0);
  BAD_RAY(MO_ERROR_INVALID_ARGUMENT, "ray.direction is zero", ray.direction = ray.origin);
  BAD_RAY(MO_ERROR_INVALID_ARGUMENT, "ray.min_t is -1, which is negative", ray.min_t = -1);
  BAD_RAY(MO_ERROR_NOT_FINITE, "ray.origin.y is NaN", ray.origin.y = NAN);
  BAD_RAY(MO_ERROR_NOT_FINITE, "ray.direction.z is infinite", ray.direction.z = INFINITY);
  BAD_RAY(MO_ERROR_NOT_FINITE, "ray.min_t is NaN", ray.min_t = NAN);
  BAD_RAY(MO_ERROR_NOT_FINITE, "ray.max_t is NaN", ray.max_t = NAN);
  BAD_RAY(MO_ERROR_OUT_OF_RANGE, "ray.origin.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          ray.origin.x = 2e30f);

  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_cast_ray, NULL, &good, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_scene_cast_ray, w->scene, &good, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_cast_ray, NULL, &good, &hit, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_mesh_cast_ray, w->mesh, &good, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_scene_test_ray, w->scene, &good, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hit is null", mo_mesh_test_ray, w->mesh, &good, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hits is null", mo_scene_cast_ray_all, w->scene, &good, NULL, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_cast_ray_all, w->scene, &good, NULL, 0,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hits is null", mo_mesh_cast_ray_all, w->mesh, &good, NULL, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hits is null", mo_scene_cast_ray_first, w->scene, &good, NULL, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "count is null", mo_mesh_cast_ray_first, w->mesh, &good, &hit, 1,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "cursor is null", mo_scene_next_hit, w->scene, &good, NULL, &hit,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "cursor is null", mo_mesh_next_hit, w->mesh, &good, NULL, &hit,
          NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "cursor was not set by mo_ray_cursor_init", mo_scene_next_hit,
          w->scene, &good, &cursor, &hit, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "cursor was not set by mo_ray_cursor_init", mo_mesh_next_hit,
          w->mesh, &good, &cursor, &hit, NULL);
  mo_ray_hit after = {.t = NAN};
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_ray_cursor_init, NULL, NULL);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_ray_cursor_init, &cursor, &after);
}

static void refuse_sights(const refusal_world *w) {
  const mo_vec3 zero = {0, 0, 0}, up = {0, 0, 1}, nowhere = {0, NAN, 0}, far = {0, 0, 2e30f};
  mo_filter unmade = mo_default_filter();
  unmade.cookie = 0;
  mo_ground ground;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_line_of_sight, NULL, zero, up, NULL, &yes, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visible is null", mo_scene_line_of_sight, w->scene, zero, up,
          NULL, NULL, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "filter was not made by mo_default_filter",
          mo_scene_line_of_sight, w->scene, zero, up, &unmade, &yes, NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "from.y is NaN", mo_scene_line_of_sight, w->scene, nowhere, up, NULL,
          &yes, NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "to.y is NaN", mo_scene_line_of_sight, w->scene, up, nowhere, NULL,
          &yes, NULL);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "to.z is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          mo_scene_line_of_sight, w->scene, zero, far, NULL, &yes, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_height_below, NULL, zero, up, NULL, &ground, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "ground is null", mo_scene_height_below, w->scene, zero, up, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "filter was not made by mo_default_filter",
          mo_scene_height_below, w->scene, zero, up, &unmade, &ground, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "up is zero", mo_scene_height_below, w->scene, zero, zero,
          NULL, &ground, NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "point.y is NaN", mo_scene_height_below, w->scene, nowhere, up, NULL,
          &ground, NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "up.y is NaN", mo_scene_height_below, w->scene, zero, nowhere, NULL,
          &ground, NULL);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "point.z is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          mo_scene_height_below, w->scene, far, up, NULL, &ground, NULL);
}

/* A row for each batch of rays. */
#define ON_BATCHES(at, code, told, def)                                                            \
  do {                                                                                             \
    REFUSED_AT(at, code, told, mo_scene_cast_rays, w->scene, def, &output, &first_bad, NULL);      \
    REFUSED_AT(at, code, told, mo_scene_test_rays, w->scene, def, &output, &first_bad, NULL);      \
    REFUSED_AT(at, code, told, mo_mesh_cast_rays, w->mesh, def, &output, &first_bad, NULL);        \
    REFUSED_AT(at, code, told, mo_mesh_test_rays, w->mesh, def, &output, &first_bad, NULL);        \
  } while (0)

static void refuse_batches(const refusal_world *w) {
  enum { RAYS = 40 };
  mo_vec3 from[RAYS], along[RAYS];
  float near[RAYS];
  bool found[RAYS];
  for (int i = 0; i < RAYS; i++) {
    from[i] = (mo_vec3){0, 0, 0};
    along[i] = (mo_vec3){1, 0, 0};
    near[i] = 0;
  }
  mo_batch_output output = {.found = {found, 0}};
  mo_batch_def def = mo_default_batch_def();
  def.count = RAYS;
  def.origins = mo_vec3_array_of(from, sizeof *from);
  def.directions = mo_vec3_array_of(along, sizeof *along);
  const mo_batch_def good = def;
  ON_BATCHES(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "rays is null", NULL);
  def.directions.y = NULL;
  ON_BATCHES(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "rays.directions: a component is null", &def);
  def = good;
  def.cookie = 0;
  ON_BATCHES(MO_NO_INDEX, MO_ERROR_UNINITIALIZED_DEF, "rays was not made by mo_default_batch_def",
             &def);
  def = good;
  def.options.cookie = 0;
  ON_BATCHES(MO_NO_INDEX, MO_ERROR_UNINITIALIZED_DEF,
             "rays.options was not made by mo_default_ray_def or mo_segment_def", &def);
  def = good;
  def.coherence = (mo_coherence)9;
  ON_BATCHES(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "rays.coherence is 9, which is no such choice",
             &def);
  def = good;

  output.t = (mo_output){near, 2};
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
             "output.t.stride is 2, below the 4 bytes of an element", mo_scene_cast_rays, w->scene,
             &def, &output, &first_bad, NULL);
  output.t.stride = 0;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
             "output.t is given, but a test of rays does not have it", mo_mesh_test_rays, w->mesh,
             &def, &output, &first_bad, NULL);
  output.t.data = NULL;
  along[35] = (mo_vec3){0, 0, 0};
  ON_BATCHES(35, MO_ERROR_INVALID_ARGUMENT, "rays[35].direction is zero", &def);
  from[34].y = 2e30f;
  ON_BATCHES(34, MO_ERROR_OUT_OF_RANGE,
             "rays[34].origin.y is 2.00000003e+30, beyond MO_MAX_COORDINATE", &def);
  from[33].z = NAN;
  ON_BATCHES(33, MO_ERROR_NOT_FINITE, "rays[33].origin.z is NaN", &def);
  near[32] = -1;
  def.min_t = (mo_float_array){near, sizeof *near};
  ON_BATCHES(32, MO_ERROR_INVALID_ARGUMENT, "rays[32].min_t is -1, which is negative", &def);
  def = good;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_cast_rays, NULL, &def, &output,
             &first_bad, NULL);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_test_rays, NULL, &def, &output,
             &first_bad, NULL);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "output is null", mo_scene_test_rays, w->scene,
             &def, NULL, &first_bad, NULL);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "rays.ends: a component is null",
             mo_scene_lines_of_sight, w->scene, &def, &output, &first_bad, NULL);
  from[33].z = 0;
  from[34].y = 0;
  def.ends = mo_vec3_array_of(from, sizeof *from);
  from[20].x = INFINITY;
  REFUSED_AT(20, MO_ERROR_NOT_FINITE, "rays[20].end.x is infinite", mo_scene_lines_of_sight,
             w->scene, &def, &output, &first_bad, NULL);
}

void refuse_rays(const refusal_world *w) {
  refuse_single_rays(w);
  refuse_sights(w);
  refuse_batches(w);
}

static bool no_cell(const mo_cell *cell, void *context) {
  (void)cell, (void)context;
  return false;
}

static void refuse_boxes(const refusal_world *w) {
  const mo_aabb good = {{0, 0, 0}, {1, 1, 1}};
  mo_overlap_def def = mo_default_overlap_def();
  mo_filter unmade = mo_default_filter();
  unmade.cookie = 0;
#define ON_BOXES(code, told, box)                                                                  \
  REFUSED(code, "def." told, mo_scene_overlap_shapes, w->scene, IN_AABB(box, NULL), NULL, 0,       \
          &total, NULL);                                                                           \
  REFUSED(code, "def." told, mo_scene_overlap_triangles, w->scene, IN_AABB(box, NULL), NULL, 0,    \
          &total, NULL);                                                                           \
  REFUSED(code, told, mo_mesh_overlap_aabb, w->mesh, &box, NULL, 0, &total, NULL);                 \
  REFUSED(code, "def." told, mo_scene_visit_cells, w->scene, OF_CELLS(box, NULL, false, NULL, 0),  \
          no_cell, NULL, &yes, NULL)
  mo_aabb bad = good;
  bad.lower.y = 2;
  ON_BOXES(MO_ERROR_INVALID_ARGUMENT, "box.lower.y is 2, above .upper.y, 1", bad);
  bad.lower.y = NAN;
  ON_BOXES(MO_ERROR_NOT_FINITE, "box.lower.y is NaN", bad);
  bad.lower.y = -2e30f;
  ON_BOXES(MO_ERROR_OUT_OF_RANGE, "box.lower.y is -2.00000003e+30, beyond MO_MAX_COORDINATE", bad);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_overlap_shapes, w->scene, NULL, NULL, 0,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_overlap_triangles, w->scene, NULL, NULL,
          0, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "box is null", mo_mesh_overlap_aabb, w->mesh, NULL, NULL, 0,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_visit_cells, w->scene, NULL, no_cell,
          NULL, &yes, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_overlap_shapes, NULL, IN_AABB(good, NULL), NULL, 0,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "shapes is null", mo_scene_overlap_shapes, w->scene,
          IN_AABB(good, NULL), NULL, 1, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_overlap_triangles, w->scene,
          IN_AABB(good, NULL), NULL, 0, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "triangles is null", mo_mesh_overlap_aabb, w->mesh, &good, NULL,
          1, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_scene_visit_cells, w->scene,
          OF_CELLS(good, NULL, false, NULL, 0), NULL, NULL, &yes, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def.scratch is null", mo_scene_visit_cells, w->scene,
          OF_CELLS(good, NULL, false, NULL, 1), no_cell, NULL, &yes, NULL);
  mo_cell_query_def cells = mo_default_cell_query_def();
  cells.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_cell_query_def",
          mo_scene_visit_cells, w->scene, &cells, no_cell, NULL, &yes, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
          mo_scene_visit_cells, w->scene, OF_CELLS(good, &unmade, false, NULL, 0), no_cell, NULL,
          &yes, NULL);
  def.type = (mo_overlap_type)9;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "def.type is 9, which is no such choice",
          mo_scene_overlap_shapes, w->scene, &def, NULL, 0, &total, NULL);
  def.type = MO_OVERLAP_POINT;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "def.type is MO_OVERLAP_POINT", mo_scene_overlap_triangles,
          w->scene, &def, NULL, 0, &total, NULL);
  def.precision = (mo_precision)9;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "def.precision is 9, which is no such choice",
          mo_scene_overlap_shapes, w->scene, IN_AABB(good, &def), NULL, 0, &total, NULL);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_overlap_def",
          mo_scene_overlap_shapes, w->scene, IN_AABB(good, &def), NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_overlap_def",
          mo_scene_overlap_triangles, w->scene, IN_AABB(good, &def), NULL, 0, &total, NULL);
}

static void refuse_balls(const refusal_world *w) {
  const mo_sphere good = {{0, 0, 0}, 1};
  mo_overlap_def unmade = mo_default_overlap_def();
  unmade.filter.cookie = 0;
#define ON_BALLS(code, told, ball)                                                                 \
  REFUSED(code, "def." told, mo_scene_overlap_shapes, w->scene, IN_SPHERE(ball, NULL), NULL, 0,    \
          &total, NULL);                                                                           \
  REFUSED(code, "def." told, mo_scene_overlap_triangles, w->scene, IN_SPHERE(ball, NULL), NULL, 0, \
          &total, NULL);                                                                           \
  REFUSED(code, told, mo_mesh_overlap_sphere, w->mesh, &ball, NULL, 0, &total, NULL)
  mo_sphere bad = good;
  REFUSED(MO_ERROR_NULL_ARGUMENT, "sphere is null", mo_mesh_overlap_sphere, w->mesh, NULL, NULL, 0,
          &total, NULL);
  bad.radius = -3;
  ON_BALLS(MO_ERROR_INVALID_ARGUMENT, "sphere.radius is -3, which is negative", bad);
  bad.radius = NAN;
  ON_BALLS(MO_ERROR_NOT_FINITE, "sphere.radius is NaN", bad);
  bad.radius = 2e30f;
  ON_BALLS(MO_ERROR_OUT_OF_RANGE, "sphere.radius is 2.00000003e+30, which is above 1e+30", bad);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
          mo_scene_overlap_shapes, w->scene, IN_SPHERE(good, &unmade), NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
          mo_scene_overlap_triangles, w->scene, IN_SPHERE(good, &unmade), NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "triangles is null", mo_mesh_overlap_sphere, w->mesh, &good, NULL,
          1, &total, NULL);

  const mo_vec3 zero = {0, 0, 0}, nowhere = {NAN, 0, 0}, far = {0, 2e30f, 0};
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_overlap_shapes, w->scene,
          AT_POINT(zero, NULL), NULL, 0, NULL, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
          mo_scene_overlap_shapes, w->scene, AT_POINT(zero, &unmade), NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "def.point.x is NaN", mo_scene_overlap_shapes, w->scene,
          AT_POINT(nowhere, NULL), NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "def.point.y is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          mo_scene_overlap_shapes, w->scene, AT_POINT(far, NULL), NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "inside is null", mo_mesh_contains_point, w->mesh, zero, NULL,
          NULL);
  REFUSED(MO_ERROR_NOT_FINITE, "point.x is NaN", mo_mesh_contains_point, w->mesh, nowhere, &yes,
          NULL);
  REFUSED(MO_ERROR_OUT_OF_RANGE, "point.y is 2.00000003e+30, beyond MO_MAX_COORDINATE",
          mo_mesh_contains_point, w->mesh, far, &yes, NULL);
}

static void refuse_overlap_primitives(const refusal_world *w) {
  const mo_primitive good = mo_primitive_of_point((mo_vec3){0, 0, 0});
  bool found;
#define ON_PRIMITIVES(code, told, bad)                                                             \
  do {                                                                                             \
    mo_overlap_def in_bad = mo_overlap_primitive_def(bad);                                         \
    REFUSED(code, "def." told, mo_scene_overlap_shapes, w->scene, &in_bad, NULL, 0, &total, NULL); \
    REFUSED(code, "def." told, mo_scene_overlap_triangles, w->scene, &in_bad, NULL, 0, &total,     \
            NULL);                                                                                 \
    REFUSED(code, "def." told, mo_scene_test_overlap, w->scene, &in_bad, &found, NULL);            \
    REFUSED(code, told, mo_mesh_overlap_primitive, w->mesh, &bad, NULL, 0, &total, NULL);          \
  } while (0)
  mo_primitive bad = good;
  bad.points[0].y = NAN;
  ON_PRIMITIVES(MO_ERROR_NOT_FINITE, "primitive.points[0].y is NaN", bad);
  bad.points[0].y = 2e30f;
  ON_PRIMITIVES(MO_ERROR_OUT_OF_RANGE,
                "primitive.points[0].y is 2.00000003e+30, beyond MO_MAX_COORDINATE", bad);
  bad = good;
  bad.transform.y_axis.x = INFINITY;
  ON_PRIMITIVES(MO_ERROR_NOT_FINITE, "primitive.transform.y_axis.x is infinite", bad);
  bad = good;
  bad.type = MO_PRIMITIVE_GEOMETRY;
  bad.geometry = (mo_geometry){.type = MO_SHAPE_MESH, .mesh = NULL};
  ON_PRIMITIVES(MO_ERROR_NULL_ARGUMENT, "primitive.geometry.mesh is null", bad);
  bad.geometry = (mo_geometry){.type = MO_SHAPE_MESH, .rounding = 1, .mesh = w->mesh};
  ON_PRIMITIVES(MO_ERROR_INVALID_ARGUMENT, "primitive.geometry.rounding is 1, which a mesh has not",
                bad);
  bad.geometry.rounding = 0;
  bad.transform.origin.x = 2e30f;
  ON_PRIMITIVES(MO_ERROR_OUT_OF_RANGE,
                "primitive.transform.origin.x is 2.00000003e+30, beyond MO_MAX_COORDINATE", bad);
  bad.transform = mo_transform_identity();
  bad.transform.x_axis.x = 1e30f;
  bad.transform.x_axis.y = 9e29f;
  bad.transform.y_axis.y = 1e30f;
  ON_PRIMITIVES(MO_ERROR_OUT_OF_RANGE,
                "primitive.transform takes a corner of the bounds beyond MO_MAX_COORDINATE", bad);
  bad.transform = mo_transform_identity();
  bad.geometry = (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, -1}};
  ON_PRIMITIVES(MO_ERROR_INVALID_ARGUMENT,
                "primitive.geometry.sphere.radius is -1, which is negative", bad);
  bad.geometry = (mo_geometry){.type = MO_SHAPE_HULL, .hull = NULL};
  ON_PRIMITIVES(MO_ERROR_NULL_ARGUMENT, "primitive.geometry.hull is null", bad);
  bad = mo_primitive_of_half_space((mo_vec3){0, 0, 0}, 1);
  ON_PRIMITIVES(MO_ERROR_INVALID_ARGUMENT, "primitive.half_space.normal is zero", bad);
  bad.half_space.normal.x = NAN;
  ON_PRIMITIVES(MO_ERROR_NOT_FINITE, "primitive.half_space.normal.x is NaN", bad);
  bad = mo_primitive_of_half_space((mo_vec3){0, 0, 1}, INFINITY);
  ON_PRIMITIVES(MO_ERROR_NOT_FINITE, "primitive.half_space.offset is infinite", bad);
  bad.half_space.offset = 2e30f;
  ON_PRIMITIVES(MO_ERROR_OUT_OF_RANGE, "primitive.transform takes it beyond MO_MAX_COORDINATE",
                bad);
  bad.half_space.offset = 0;
  bad.transform.y_axis = bad.transform.x_axis;
  ON_PRIMITIVES(MO_ERROR_INVALID_ARGUMENT,
                "primitive.transform has no inverse, as that of a half-space must", bad);
  bad = mo_primitive_of_geometry(
      &(mo_geometry){.type = MO_SHAPE_HALF_SPACE, .half_space = {{0, 0, 0}, 1}}, NULL);
  ON_PRIMITIVES(MO_ERROR_INVALID_ARGUMENT, "primitive.geometry.half_space.normal is zero", bad);
  bad.geometry.half_space.normal.y = 1;
  bad.geometry.rounding = 1;
  ON_PRIMITIVES(MO_ERROR_INVALID_ARGUMENT,
                "primitive.geometry.rounding is 1, which a half-space has not", bad);
  bad.type = (mo_primitive_type)9;
  ON_PRIMITIVES(MO_ERROR_INVALID_ARGUMENT, "primitive.type is 9, which is no such choice", bad);
  mo_overlap_def unmade = mo_overlap_primitive_def(good);
  unmade.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_overlap_def",
          mo_scene_test_overlap, w->scene, &unmade, &found, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_test_overlap, w->scene, NULL, &found,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "found is null", mo_scene_test_overlap, w->scene, &unmade, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "primitive is null", mo_mesh_overlap_primitive, w->mesh, NULL,
          NULL, 0, &total, NULL);
}

static void refuse_planes(const refusal_world *w) {
  mo_plane planes[MO_MAX_PLANES + 1] = {{{1, 0, 0}, 0}};
  mo_filter unmade = mo_default_filter();
  unmade.cookie = 0;
#define ON_PLANES(code, told, planes, count)                                                       \
  REFUSED(code, told, mo_scene_cull_planes, w->scene, OF_PLANES(planes, count, NULL), NULL, 0,     \
          &total, NULL);                                                                           \
  REFUSED(code, told, mo_mesh_cull_planes, w->mesh, OF_PLANES(planes, count, NULL), NULL, 0,       \
          &total, NULL)
  ON_PLANES(MO_ERROR_NULL_ARGUMENT, "def.planes is null", NULL, 1);
  ON_PLANES(MO_ERROR_INVALID_ARGUMENT, "def.planes are 33, more than MO_MAX_PLANES", planes,
            MO_MAX_PLANES + 1);
  planes[1].normal.x = NAN;
  ON_PLANES(MO_ERROR_NOT_FINITE, "def.planes[1].normal.x is NaN", planes, 2);
  planes[1].normal.x = 2e6f;
  ON_PLANES(MO_ERROR_OUT_OF_RANGE,
            "def.planes[1].normal: the largest component is 2000000, which is above 1e+06", planes,
            2);
  mo_cull_def made = mo_default_cull_def();
  made.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_cull_def",
          mo_scene_cull_planes, w->scene, &made, NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_cull_def",
          mo_mesh_cull_planes, w->mesh, &made, NULL, 0, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_cull_planes, w->scene, NULL, NULL, 0,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_mesh_cull_planes, w->mesh, NULL, NULL, 0,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_cull_planes, w->scene,
          OF_PLANES(planes, 1, NULL), NULL, 0, NULL, NULL);
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
          mo_scene_cull_planes, w->scene, OF_PLANES(planes, 1, &unmade), NULL, 0, &total, NULL);
}

void refuse_regions(const refusal_world *w) {
  refuse_boxes(w);
  refuse_balls(w);
  refuse_overlap_primitives(w);
  refuse_planes(w);
}
