/* Queries on single primitives: motte/geometry.h. They have no host, so errors are not logged. */
#include "geometry/body/body.h"
#include "geometry/cast/convex.h"
#include "geometry/cast/rotating.h"
#include "geometry/overlap/overlap.h"
#include "geometry/penetration/penetration.h"
#include "geometry/ray/body.h"
#include "geometry/ray/triangle.h"
#include "geometry/solid/solids.h"
#include "geometry/triangle/degenerate.h"
#include "geometry/triangle/normal.h"

mo_primitive mo_primitive_of_geometry(const mo_geometry *geometry, const mo_transform *transform) {
  return (mo_primitive){.type = MO_PRIMITIVE_GEOMETRY,
                        .transform = transform != NULL ? *transform : mo_transform_identity(),
                        .geometry = geometry != NULL ? *geometry : (mo_geometry){.mesh = NULL}};
}

mo_primitive mo_primitive_of_point(mo_vec3 point) {
  return (mo_primitive){.type = MO_PRIMITIVE_POINT,
                        .transform = mo_transform_identity(),
                        .points = {point, point, point}};
}

mo_primitive mo_primitive_of_segment(mo_vec3 a, mo_vec3 b) {
  return (mo_primitive){
      .type = MO_PRIMITIVE_SEGMENT, .transform = mo_transform_identity(), .points = {a, b, b}};
}

mo_primitive mo_primitive_of_triangle(mo_vec3 a, mo_vec3 b, mo_vec3 c) {
  return (mo_primitive){
      .type = MO_PRIMITIVE_TRIANGLE, .transform = mo_transform_identity(), .points = {a, b, c}};
}

mo_primitive mo_primitive_of_half_space(mo_vec3 normal, float offset) {
  return (mo_primitive){.type = MO_PRIMITIVE_HALF_SPACE,
                        .transform = mo_transform_identity(),
                        .half_space = {normal, offset}};
}

static bool cast_at_triangle(const mo_prepared_primitive *p, mo_vec3 origin, mo_vec3 direction,
                             float max_t, mo_primitive_hit *hit) {
  if (direction.x == 0.0f && direction.y == 0.0f && direction.z == 0.0f) {
    return false;
  }
  mo_vec3 axis_sizes = mo_vec(1.0f, 1.0f, 1.0f), corners[3];
  bool local = mo_affine_ray_to_local(&p->affine, &origin, &direction, &axis_sizes);
  for (int i = 0; i < 3; ++i) {
    corners[i] = local ? p->local_corners[i]
                       : mo_affine_point_to_world_float(&p->affine, p->local_corners[i]);
  }
  const mo_vec3 reach = {0.0f, 0.0f, 0.0f}; /* only matters for culling, which is not done here */
  mo_ray ray;
  mo_ray_init(&ray, &origin, &direction, 0.0f, &axis_sizes, &reach, 0.0f);
  mo_triangle_hit found;
  if (!mo_ray_test_triangle(&ray, corners, max_t, MO_CULL_NONE, &found)) {
    return false;
  }
  hit->t = found.t;
  mo_dvec3 normal = mo_triangle_cross(corners);
  if (!local && mo_affine_mirrors(&p->affine)) {
    normal = mo_dscale(-1.0, normal);
  }
  hit->normal = local ? mo_affine_normal_to_world(&p->affine, normal) : mo_unit_normal(normal);
  return true;
}

static bool cast_at_volume(const mo_body *volume, const mo_ray_line *ray, mo_primitive_hit *hit) {
  mo_dvec3 normal;
  if (!mo_ray_test_convex(ray, &volume->convex, &hit->t, &normal)) {
    return false;
  }
  hit->normal = mo_unit_normal(normal);
  return true;
}

mo_result mo_primitive_cast_ray(const mo_primitive *primitive, mo_vec3 origin, mo_vec3 direction,
                                float max_t, mo_primitive_hit *hit) {
  if (primitive == NULL || hit == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!mo_is_finite(origin) || !mo_is_finite(direction) || isnan(max_t)) {
    return MO_ERROR_NOT_FINITE;
  }
  if (max_t < 0.0f) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  if (!mo_is_in_range(origin) || !mo_is_in_range(direction)) {
    return MO_ERROR_OUT_OF_RANGE;
  }
  mo_prepared_primitive p;
  mo_result result = mo_primitive_prepare(&p, primitive, NULL);
  if (result != MO_OK) {
    return result;
  }
  *hit = (mo_primitive_hit){.found = false};
  const mo_ray_line ray = {origin, direction, 0.0f, max_t};
  switch (p.body.kind) {
  case MO_BODY_SOLID:
    hit->found =
        mo_ray_test_placed_solid(&ray, &p.body.convex.solid, &p.affine, &hit->t, &hit->normal);
    break;
  case MO_BODY_AABB:
    hit->found = cast_at_volume(&p.body, &ray, hit);
    break;
  case MO_BODY_TRIANGLE:
    hit->found = cast_at_triangle(&p, origin, direction, max_t, hit);
    break;
  case MO_BODY_HALF_SPACE:
    hit->found = mo_ray_test_half_space(&ray, &p.body.half_space, &hit->t, &hit->normal);
  }
  if (hit->found) {
    hit->point = mo_add(origin, mo_scale(hit->t, direction));
  }
  return MO_OK;
}

static mo_result prepare_both(mo_prepared_primitive p[2], const mo_primitive *a,
                              const mo_primitive *b) {
  mo_result result = mo_primitive_to_body(&p[0], a, NULL);
  return result == MO_OK ? mo_primitive_to_body(&p[1], b, NULL) : result;
}

mo_result mo_primitive_overlap(const mo_primitive *a, const mo_primitive *b, bool *overlap) {
  if (a == NULL || b == NULL || overlap == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_prepared_primitive p[2];
  mo_result result = prepare_both(p, a, b);
  if (result == MO_OK) {
    *overlap = mo_bodies_within(&p[0].body, &p[1].body, 0.0);
  }
  return result;
}

/* The features of two primitives that reach farthest towards each other, along a unit normal from
 * the first to the second. */
typedef struct pair_features {
  mo_body_feature first, second;
} pair_features;

static pair_features features_of(const mo_body *a, const mo_body *b, mo_vec3 normal) {
  mo_dvec3 out = mo_widen(normal);
  return (pair_features){mo_feature_along(a, out), mo_feature_along(b, mo_dscale(-1.0, out))};
}

static mo_primitive_distance distance_of(const mo_body *a, const mo_body *b, double max_distance) {
  mo_convex_gap gap = mo_bodies_distance(a, b, max_distance);
  if (!(gap.distance <= max_distance)) {
    return (mo_primitive_distance){.found = false};
  }
  return (mo_primitive_distance){.found = true,
                                 .distance = gap.distance,
                                 .lower = gap.lower,
                                 .point_a = mo_narrow(gap.points[0]),
                                 .point_b = mo_narrow(gap.points[1]),
                                 .normal = mo_narrow(gap.normal)};
}

static mo_result prepare_search(mo_prepared_primitive p[2], const mo_primitive *a,
                                const mo_primitive *b, double max_distance, const void *output) {
  if (a == NULL || b == NULL || output == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  const mo_result result = mo_check_distance(max_distance, NULL, "");
  return result == MO_OK ? prepare_both(p, a, b) : result;
}

mo_result mo_primitive_find_distance(const mo_primitive *a, const mo_primitive *b,
                                     double max_distance, mo_primitive_distance *distance) {
  mo_prepared_primitive p[2];
  const mo_result result = prepare_search(p, a, b, max_distance, distance);
  if (result == MO_OK) {
    *distance = distance_of(&p[0].body, &p[1].body, max_distance);
  }
  return result;
}

static mo_primitive_penetration penetration_of(const mo_body *a, const mo_body *b) {
  mo_convex_penetration found = mo_convex_find_penetration(a, b);
  mo_primitive_penetration penetration = {.found = true,
                                          .depth = found.depth,
                                          .lower = found.lower,
                                          .normal = mo_narrow(found.normal),
                                          .point_a = mo_narrow(found.points[0]),
                                          .point_b = mo_narrow(found.points[1])};
  if (found.depth < INFINITY) {
    pair_features features = features_of(a, b, penetration.normal);
    penetration.feature = features.first.kind;
    penetration.feature_index = features.first.index;
    penetration.other_feature = features.second.kind;
    penetration.other_feature_index = features.second.index;
  }
  return penetration;
}

mo_result mo_primitive_find_penetration(const mo_primitive *a, const mo_primitive *b,
                                        mo_primitive_penetration *penetration) {
  if (a == NULL || b == NULL || penetration == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_prepared_primitive p[2];
  mo_result result = prepare_both(p, a, b);
  if (result == MO_OK) {
    *penetration = mo_bodies_within(&p[0].body, &p[1].body, 0.0)
                       ? penetration_of(&p[0].body, &p[1].body)
                       : (mo_primitive_penetration){.found = false};
  }
  return result;
}

static mo_primitive_signed_distance penetration_as_distance(const mo_body *a, const mo_body *b) {
  mo_primitive_penetration inside = penetration_of(a, b);
  return (mo_primitive_signed_distance){
      .found = true,
      .distance = 0.0 - inside.depth,
      .error = inside.depth < INFINITY ? inside.depth - inside.lower : 0.0,
      .point_a = inside.point_a,
      .point_b = inside.point_b,
      .normal = inside.normal,
      .feature = inside.feature,
      .feature_index = inside.feature_index,
      .other_feature = inside.other_feature,
      .other_feature_index = inside.other_feature_index,
  };
}

/* The distance is 0 exactly if the bodies overlap, so no separate overlap test is needed. */
static mo_primitive_signed_distance signed_distance_of(const mo_body *a, const mo_body *b,
                                                       double max_distance) {
  mo_primitive_distance outside = distance_of(a, b, max_distance);
  if (!outside.found) {
    return (mo_primitive_signed_distance){.found = false};
  }
  if (outside.distance == 0.0) {
    return penetration_as_distance(a, b);
  }
  pair_features features = features_of(a, b, outside.normal);
  return (mo_primitive_signed_distance){
      .found = true,
      .distance = outside.distance,
      .error = outside.distance - outside.lower,
      .point_a = outside.point_a,
      .point_b = outside.point_b,
      .normal = outside.normal,
      .feature = features.first.kind,
      .feature_index = features.first.index,
      .other_feature = features.second.kind,
      .other_feature_index = features.second.index,
  };
}

mo_result mo_primitive_find_signed_distance(const mo_primitive *a, const mo_primitive *b,
                                            double max_distance,
                                            mo_primitive_signed_distance *distance) {
  mo_prepared_primitive p[2];
  const mo_result result = prepare_search(p, a, b, max_distance, distance);
  if (result == MO_OK) {
    *distance = signed_distance_of(&p[0].body, &p[1].body, max_distance);
  }
  return result;
}

/* Whether a contact is with the back of a stationary triangle: the touching point of the moving
 * body moves in the direction of the triangle's normal. */
static bool is_back_face(const mo_prepared_primitive *still, const mo_moving_body *moving,
                         const mo_convex_contact *contact) {
  if (still->body.kind != MO_BODY_TRIANGLE) {
    return false;
  }
  mo_vec3 normal =
      mo_triangle_world_normal(&still->affine, still->local_corners, still->body.corners);
  return mo_ddot(mo_widen(normal), mo_velocity_at(moving, contact->t, contact->point)) > 0.0;
}

mo_result mo_primitive_cast_turning(const mo_primitive *still, const mo_primitive *moving,
                                    const mo_movement *movement, bool cull_back_faces,
                                    mo_primitive_contact *contact) {
  if (still == NULL || moving == NULL || movement == NULL || contact == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_prepared_primitive p[2];
  mo_moving_body mover;
  mo_result result = prepare_both(p, still, moving);
  if (result == MO_OK) {
    result = mo_moving_body_make(&mover, &p[1].body, movement, NULL);
  }
  if (result != MO_OK) {
    return result;
  }
  const mo_body *body = &p[0].body;
  mo_convex_contact met = mo_cast_convex(body, &mover, 1.0 + 0x1p-20);
  *contact = (mo_primitive_contact){
      .found = (float)met.t <= 1.0f && !(cull_back_faces && is_back_face(&p[0], &mover, &met))};
  if (contact->found) {
    contact->t = (float)met.t;
    contact->point = mo_narrow(met.point);
    contact->normal = mo_narrow(met.normal);
    contact->depth = (float)met.depth;
    mo_contact_features features =
        mo_find_contact_features(body, &mover, contact->t, contact->normal);
    contact->feature = features.still.kind;
    contact->feature_index = features.still.index;
    contact->own_feature = features.moving.kind;
    contact->own_feature_index = features.moving.index;
  }
  return MO_OK;
}

mo_result mo_primitive_cast(const mo_primitive *still, const mo_primitive *moving,
                            mo_vec3 displacement, bool cull_back_faces,
                            mo_primitive_contact *contact) {
  const mo_movement movement = {.displacement = displacement};
  return mo_primitive_cast_turning(still, moving, &movement, cull_back_faces, contact);
}

mo_result mo_primitive_closest_point(const mo_primitive *primitive, mo_vec3 point,
                                     double max_distance, mo_primitive_distance *distance) {
  mo_primitive other = mo_primitive_of_point(point);
  return mo_primitive_find_distance(primitive, &other, max_distance, distance);
}
