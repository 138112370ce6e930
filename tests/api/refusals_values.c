/* Refusals of motte/base.h, motte/math.h, motte/geometry.h, motte/mass.h, motte/contact.h,
 * motte/cglm.h and motte/debug.h. Calls without a scene or a mesh have no host, and tell nobody. */
#include <motte/cglm.h>

#include "refusals.h"

static void refuse_base(void) {
  mo_task_pool *pool;
  mo_isa isa;
  mo_allocator allocator = mo_default_allocator();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_task_pool_create, NULL, 1, NULL);
  REFUSED(MO_ERROR_TOO_MANY, NULL, mo_task_pool_create, NULL, MO_MAX_TASK_WORKERS + 1, &pool);
  allocator.allocate = NULL;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_task_pool_create, &allocator, 1, &pool);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_isa_resolve, MO_ISA_AUTO, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_isa_resolve, (mo_isa)99, &isa);
#if defined(__x86_64__) || defined(__i386__)
  REFUSED(MO_ERROR_UNSUPPORTED, NULL, mo_isa_resolve, MO_ISA_NEON, &isa);
#else
  REFUSED(MO_ERROR_UNSUPPORTED, NULL, mo_isa_resolve, MO_ISA_SSE4, &isa);
#endif
}

static void refuse_math(void) {
  float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  mo_transform transform = mo_transform_identity(), flat = transform, tiny = transform;
  mo_plane planes[6];
  mat4 glm = GLM_MAT4_IDENTITY_INIT;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_transform_from_matrix, NULL, &transform);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_transform_from_matrix, matrix, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_transform_inverse, NULL, &transform);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_transform_inverse, &transform, NULL);
  flat.z_axis = flat.x_axis;
  tiny.y_axis.y = 1e-31f;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_transform_inverse, &flat, &transform);
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_transform_inverse, &tiny, &transform);
  flat.origin.x = NAN;
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_transform_inverse, &flat, &transform);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_frustum_planes, NULL, planes);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_frustum_planes, matrix, NULL);
  mo_vec3 corners[8];
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_frustum_corners, NULL, corners);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_frustum_corners, matrix, NULL);
  matrix[0] = 0;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_frustum_corners, matrix, corners);
  matrix[0] = 1e-31f;
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_frustum_corners, matrix, corners);
  matrix[0] = NAN;
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_frustum_corners, matrix, corners);
  matrix[0] = 1;
  matrix[3] = 0.5f;
  glm[0][3] = 0.5f;
  REFUSED(MO_ERROR_PROJECTIVE_MATRIX, NULL, mo_transform_from_matrix, matrix, &transform);
  REFUSED(MO_ERROR_PROJECTIVE_MATRIX, NULL, mo_from_glm_mat4, glm, &transform);
  matrix[5] = INFINITY;
  glm[1][1] = NAN;
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_transform_from_matrix, matrix, &transform);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_frustum_planes, matrix, planes);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_from_glm_mat4, glm, &transform);
}

static void refuse_primitives(void) {
  const mo_transform identity = mo_transform_identity();
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 1}};
  const mo_vec3 zero = {0, 0, 0}, x = {1, 0, 0}, nowhere = {0, NAN, 0}, far = {2e30f, 0, 0};
  const mo_primitive good = mo_primitive_of_geometry(&ball, &identity);
  mo_primitive_hit hit;
  mo_primitive_distance distance;
  mo_primitive_penetration depth;
  mo_primitive_signed_distance either;
  mo_primitive_contact contact;
  mo_collide_def collide = mo_default_collide_def();
  mo_manifold manifold;
  const mo_impact_def impacts = mo_default_impact_def();
  mo_impact impact;
  mo_movement movement = {.displacement = {1, 0, 0}};
  bool overlap;
  static const struct {
    mo_result code;
    mo_shape_type type;
    float radius, origin;
  } bad[] = {
      {MO_ERROR_INVALID_ARGUMENT, MO_SHAPE_MESH, 1, 0},
      {MO_ERROR_INVALID_ARGUMENT, MO_SHAPE_SPHERE, -1, 0},
      {MO_ERROR_NULL_ARGUMENT, MO_SHAPE_HULL, 1, 0},
      {MO_ERROR_NOT_FINITE, MO_SHAPE_SPHERE, NAN, 0},
      {MO_ERROR_NOT_FINITE, MO_SHAPE_SPHERE, 1, INFINITY},
      {MO_ERROR_OUT_OF_RANGE, MO_SHAPE_SPHERE, 2e30f, 0},
      {MO_ERROR_OUT_OF_RANGE, MO_SHAPE_SPHERE, 1, 2e30f},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mo_primitive p = good;
    p.geometry.type = bad[i].type;
    if (p.geometry.type == MO_SHAPE_HULL) {
      p.geometry.hull = NULL;
    }
    p.geometry.sphere.radius = bad[i].radius;
    p.transform.origin.y = bad[i].origin;
    REFUSED(bad[i].code, NULL, mo_primitive_cast_ray, &p, zero, x, 1, &hit);
    REFUSED(bad[i].code, NULL, mo_primitive_overlap, &p, &good, &overlap);
    REFUSED(bad[i].code, NULL, mo_primitive_overlap, &good, &p, &overlap);
    REFUSED(bad[i].code, NULL, mo_primitive_find_distance, &p, &good, 1, &distance);
    REFUSED(bad[i].code, NULL, mo_primitive_find_distance, &good, &p, 1, &distance);
    REFUSED(bad[i].code, NULL, mo_primitive_find_penetration, &p, &good, &depth);
    REFUSED(bad[i].code, NULL, mo_primitive_find_signed_distance, &p, &good, 1, &either);
    REFUSED(bad[i].code, NULL, mo_primitive_find_signed_distance, &good, &p, 1, &either);
    REFUSED(bad[i].code, NULL, mo_primitive_cast, &p, &good, x, false, &contact);
    REFUSED(bad[i].code, NULL, mo_primitive_cast, &good, &p, x, false, &contact);
    REFUSED(bad[i].code, NULL, mo_primitive_cast_turning, &good, &p, &movement, false, &contact);
    REFUSED(bad[i].code, NULL, mo_primitive_find_penetration, &good, &p, &depth);
    REFUSED(bad[i].code, NULL, mo_primitive_closest_point, &p, zero, 1, &distance);
    REFUSED(bad[i].code, NULL, mo_collide, &p, &good, &collide, &manifold);
    REFUSED(bad[i].code, NULL, mo_collide, &good, &p, &collide, &manifold);
    REFUSED(bad[i].code, NULL, mo_find_impact, &p, NULL, &good, NULL, &impacts, &impact);
    REFUSED(bad[i].code, NULL, mo_find_impact, &good, NULL, &p, NULL, &impacts, &impact);
  }
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_collide, NULL, &good, &collide, &manifold);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_collide, &good, NULL, &collide, &manifold);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_collide, &good, &good, NULL, &manifold);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_collide, &good, &good, &collide, NULL);
  const mo_collide_def unmade = {.speculative_distance = 1};
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, NULL, mo_collide, &good, &good, &unmade, &manifold);
  const float distances[] = {-1, NAN, INFINITY, 2e30f};
  const mo_result refused[] = {MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE, MO_ERROR_NOT_FINITE,
                               MO_ERROR_OUT_OF_RANGE};
  for (int i = 0; i < 4; i++) {
    collide.speculative_distance = distances[i];
    REFUSED(refused[i], NULL, mo_collide, &good, &good, &collide, &manifold);
  }
  mo_primitive level = mo_primitive_of_half_space(x, 1),
               nothing = mo_primitive_of_half_space(zero, 1);
  level.transform.x_axis.x = 0;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_cast_ray, &level, zero, x, 1, &hit);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_overlap, &good, &level, &overlap);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_find_distance, &level, &good, 1, &distance);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_find_penetration, &nothing, &good, &depth);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_cast, &good, &nothing, x, false, &contact);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_cast_ray, NULL, zero, x, 1, &hit);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_cast_ray, &good, zero, x, 1, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_cast_ray, &good, zero, x, -1, &hit);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_primitive_cast_ray, &good, nowhere, x, 1, &hit);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_primitive_cast_ray, &good, zero, nowhere, 1, &hit);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_primitive_cast_ray, &good, zero, x, NAN, &hit);
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_primitive_cast_ray, &good, far, x, 1, &hit);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_overlap, NULL, &good, &overlap);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_overlap, &good, &good, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_find_distance, &good, NULL, 1, &distance);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_find_distance, &good, &good, -1, &distance);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_primitive_find_distance, &good, &good, (double)NAN,
          &distance);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_find_penetration, NULL, &good, &depth);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_find_signed_distance, &good, NULL, 1, &either);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_find_signed_distance, &good, &good, 1, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_primitive_find_signed_distance, &good, &good, -1,
          &either);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_primitive_find_signed_distance, &good, &good, (double)NAN,
          &either);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_cast, &good, NULL, x, false, &contact);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_cast, &good, &good, x, false, NULL);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_primitive_cast, &good, &good, nowhere, false, &contact);
  const mo_movement sweeps[] = {{.displacement = {NAN, 0, 0}},
                                {.angle = 1},
                                {.axis = {0, 1, 0}, .angle = -7},
                                {.axis = {0, 1, 0}, .angle = 3, .pivot = {0.9e30f, 0, 0}}};
  const mo_result codes[] = {MO_ERROR_NOT_FINITE, MO_ERROR_INVALID_ARGUMENT,
                             MO_ERROR_INVALID_ARGUMENT, MO_ERROR_OUT_OF_RANGE};
  for (int i = 0; i < 4; i++) {
    REFUSED(codes[i], NULL, mo_primitive_cast_turning, &good, &good, &sweeps[i], false, &contact);
  }
  mo_transform place = mo_transform_identity(), outside = place, moved;
  outside.origin.x = 2e30f;
  const mo_movement turn = {.axis = {0, 1, 0}, .angle = 3}, off = {.displacement = {1e30f, 0, 0}};
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_movement_transform, NULL, 1, &place, &moved);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_movement_transform, &turn, 1, NULL, &moved);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_movement_transform, &turn, 1, &place, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_movement_transform, &turn, -0.1f, &place, &moved);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_movement_transform, &turn, 1.1f, &place, &moved);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_movement_transform, &turn, NAN, &place, &moved);
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_movement_transform, &turn, 1, &outside, &moved);
  outside.origin.x = 0.9e30f;
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_movement_transform, &off, 1, &outside, &moved);
  for (int i = 0; i < 3; i++) {
    REFUSED(codes[i], NULL, mo_movement_transform, &sweeps[i], 1, &place, &moved);
  }
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_cast_turning, &good, &good, NULL, false,
          &contact);
  mo_transform flat = mo_transform_identity(), undefined = flat, distant = flat;
  flat.x_axis.x = 0;
  undefined.origin.y = NAN;
  distant.origin.y = 2e30f;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_movement_between, &flat, NULL, &movement);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_movement_between, &flat, &flat, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_movement_between, &flat, &flat, &movement);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_movement_between, &flat, &undefined, &movement);
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_movement_between, &flat, &distant, &movement);
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_primitive_cast, &good, &good, far, false, &contact);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_find_penetration, &good, &good, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_primitive_closest_point, NULL, zero, 1, &distance);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_primitive_closest_point, &good, nowhere, 1, &distance);
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_primitive_closest_point, &good, far, 1, &distance);
}

static void refuse_masses(const refusal_world *w) {
  const mo_transform identity = mo_transform_identity();
  mo_transform wide = identity, nowhere = identity;
  wide.x_axis.x = 2e30f;
  nowhere.origin.z = NAN;
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 1}},
                    negative = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, -1}},
                    endless = {.type = MO_SHAPE_HALF_SPACE, .half_space = {{0, 0, 1}, 0}},
                    surface = {.type = MO_SHAPE_MESH, .mesh = w->mesh},
                    rounded = {.type = MO_SHAPE_MESH, .rounding = 1, .mesh = w->mesh},
                    no_mesh = {.type = MO_SHAPE_MESH}, no_hull = {.type = MO_SHAPE_HULL};
  mo_mass_properties mass;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_geometry_get_mass_properties, NULL, &identity, &mass);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_geometry_get_mass_properties, &ball, &identity, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_geometry_get_mass_properties, &no_mesh, NULL, &mass);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_geometry_get_mass_properties, &no_hull, NULL, &mass);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_geometry_get_mass_properties, &negative, NULL, &mass);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_geometry_get_mass_properties, &endless, NULL, &mass);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_geometry_get_mass_properties, &rounded, NULL, &mass);
  const mo_geometry *const both[] = {&ball, &surface};
  for (int i = 0; i < 2; i++) {
    REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_geometry_get_mass_properties, both[i], &nowhere, &mass);
    REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_geometry_get_mass_properties, both[i], &wide, &mass);
  }
}

static void no_line(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context) {
  (void)from, (void)to, (void)rgba, (void)context;
}

static void refuse_drawings(const refusal_world *w) {
  const mo_debug_def good = mo_default_debug_def();
  const mo_line_sink sink = {no_line, NULL}, none = {NULL, NULL};
  mo_debug_buffers empty = {0}, no_vertices = {.vertex_capacity = 1},
                   no_indices = {.index_capacity = 1};
#define ON_DRAWINGS(code, told, def)                                                               \
  REFUSED(code, told, mo_scene_draw, w->scene, def, &sink);                                        \
  REFUSED(code, told, mo_mesh_draw, w->mesh, def, &sink);                                          \
  REFUSED(code, told, mo_scene_draw_buffers, w->scene, def, &empty);                               \
  REFUSED(code, told, mo_mesh_draw_buffers, w->mesh, def, &empty)
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_draw, NULL, &good, &sink);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_draw, NULL, &good, &sink);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_draw_buffers, NULL, &good, &empty);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_draw_buffers, NULL, &good, &empty);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "sink is null", mo_scene_draw, w->scene, &good, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "sink->line is null", mo_mesh_draw, w->mesh, &good, &none);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "buffers is null", mo_scene_draw_buffers, w->scene, &good, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "buffers->vertices is null", mo_scene_draw_buffers, w->scene,
          &good, &no_vertices);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "buffers->indices is null", mo_mesh_draw_buffers, w->mesh, &good,
          &no_indices);
  mo_debug_def bad = good;
  bad.cookie = 0;
  ON_DRAWINGS(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_debug_def", &bad);
  bad = good;
  bad.boxes = (mo_debug_boxes)9;
  ON_DRAWINGS(MO_ERROR_INVALID_ARGUMENT, "def.boxes is 9, which is no such choice", &bad);
  bad = good;
  bad.transform.z_axis.x = NAN;
  ON_DRAWINGS(MO_ERROR_NOT_FINITE, "def.transform.z_axis.x is NaN", &bad);
}

void refuse_values(const refusal_world *w) {
  refuse_base();
  refuse_math();
  refuse_primitives();
  refuse_masses(w);
  refuse_drawings(w);
}
