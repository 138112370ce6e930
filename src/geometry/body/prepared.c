/* Validates primitives and prepares them for queries. */
#include "geometry/body/body.h"

#include "geometry/solid/solids.h"
#include "math/check.h"

static mo_result check_bounds(mo_aabb bounds, const mo_refusal *refusal) {
  return mo_is_in_range(bounds.lower) && mo_is_in_range(bounds.upper)
             ? MO_OK
             : mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE,
                         ".transform takes it beyond MO_MAX_COORDINATE");
}

/* Whether the image of a solid with coordinates up to `reach` is certainly within the coordinate
 * range. */
static bool is_safely_in_range(const mo_transform *map, float reach) {
  const float max = 1e14f; /* images are below 3 * 1e28 + 1e14, so below MO_MAX_COORDINATE */
  return reach <= max && mo_max_magnitude(map->x_axis) <= max &&
         mo_max_magnitude(map->y_axis) <= max && mo_max_magnitude(map->z_axis) <= max &&
         mo_max_magnitude(map->origin) <= max;
}

/* Prepares a primitive that is a solid. `reach`: the largest magnitude of its local coordinates. */
static mo_result prepare_solid(mo_prepared_primitive *p, const mo_solid *solid, float reach,
                               const mo_refusal *refusal) {
  p->body = mo_body_of_solid(solid, &p->affine.to_world);
  return is_safely_in_range(&p->affine.to_world, reach)
             ? MO_OK
             : check_bounds(mo_body_bounds(&p->body), refusal);
}

static mo_result prepare_volume(mo_prepared_primitive *p, const mo_geometry *geometry,
                                const mo_refusal *refusal) {
  mo_refusal member = mo_refusal_in(refusal, ".geometry.volume", MO_NO_INDEX);
  mo_result result = mo_check_aabb(&geometry->volume, &member);
  if (result == MO_OK && geometry->rounding != 0.0f) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".geometry.rounding",
                              geometry->rounding, "which a volume has not");
  }
  if (result == MO_OK) {
    p->body = mo_body_of_aabb(mo_affine_aabb_to_world(&p->affine, geometry->volume));
    result = check_bounds(p->body.bounds, refusal);
  }
  return result;
}

/* Prepares a primitive that is a half-space. For error messages, `member` names the half-space, and
 * `refusal` the primitive. */
static mo_result prepare_half_space(mo_prepared_primitive *p, const mo_half_space *half_space,
                                    const mo_refusal *member, const mo_refusal *refusal) {
  mo_half_space_body made;
  mo_result result = mo_half_space_check(half_space, member);
  if (result == MO_OK) {
    result = mo_half_space_make(&made, half_space, &p->affine.to_world, refusal);
  }
  if (result == MO_OK) {
    p->body = mo_body_of_half_space(&made);
  }
  return result;
}

static mo_result prepare_geometry(mo_prepared_primitive *p, const mo_geometry *geometry,
                                  const mo_refusal *refusal) {
  mo_refusal member = mo_refusal_in(refusal, ".geometry", MO_NO_INDEX);
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return mo_refuse(&member, MO_ERROR_INVALID_ARGUMENT, ".type is MO_SHAPE_MESH");
  case MO_SHAPE_COMPOUND:
    return mo_refuse(&member, MO_ERROR_INVALID_ARGUMENT, ".type is MO_SHAPE_COMPOUND");
  case MO_SHAPE_VOLUME:
    return prepare_volume(p, geometry, refusal);
  case MO_SHAPE_HALF_SPACE: {
    mo_refusal half_space = mo_refusal_in(&member, ".half_space", MO_NO_INDEX);
    if (geometry->rounding != 0.0f) {
      return mo_refuse_number(&member, MO_ERROR_INVALID_ARGUMENT, ".rounding", geometry->rounding,
                              "which a half-space has not");
    }
    return prepare_half_space(p, &geometry->half_space, &half_space, refusal);
  }
    MO_CASES_OF_SOLIDS {
      mo_result result = mo_solid_check(mo_solid_kind_of(geometry->type), geometry, &member);
      if (result != MO_OK) {
        return result;
      }
      const mo_solid solid = mo_solid_read(mo_solid_kind_of(geometry->type), geometry);
      return prepare_solid(p, &solid, mo_solid_max_coordinate(solid.kind, geometry), refusal);
    }
  }
  return mo_refuse_number(&member, MO_ERROR_INVALID_ARGUMENT, ".type",
                          (double)(unsigned)geometry->type, "which is no such choice");
}

static mo_result prepare_points(mo_prepared_primitive *p, const mo_vec3 *points, int count,
                                const mo_refusal *refusal) {
  for (int i = 0; i < count; ++i) {
    mo_refusal member = mo_refusal_in(refusal, ".points", (size_t)i);
    mo_result result = mo_check_point(points[i], &member, "");
    if (result != MO_OK) {
      return result;
    }
  }
  if (count < 3) {
    const mo_solid solid = {
        .kind = MO_SOLID_CAPSULE, .a = mo_widen(points[0]), .b = mo_widen(points[count - 1])};
    float reach = mo_max(mo_max_magnitude(points[0]), mo_max_magnitude(points[count - 1]));
    return prepare_solid(p, &solid, reach, refusal);
  }
  mo_dvec3 corners[3];
  for (int i = 0; i < 3; ++i) {
    p->local_corners[i] = points[i];
    corners[i] = mo_affine_point_to_world(&p->affine, points[i]);
  }
  p->body = mo_body_of_triangle(corners);
  return check_bounds(p->body.bounds, refusal);
}

mo_result mo_primitive_to_body(mo_prepared_primitive *p, const mo_primitive *primitive,
                               const mo_refusal *refusal) {
  p->affine = (mo_affine){.to_world = primitive->transform};
  p->mesh = NULL;
  p->compound = NULL;
  mo_refusal transform = mo_refusal_in(refusal, ".transform", MO_NO_INDEX);
  mo_result result = mo_check_transform(&primitive->transform, &transform);
  if (result != MO_OK) {
    return result;
  }
  switch (primitive->type) {
  case MO_PRIMITIVE_GEOMETRY:
    return prepare_geometry(p, &primitive->geometry, refusal);
  case MO_PRIMITIVE_POINT:
    return prepare_points(p, primitive->points, 1, refusal);
  case MO_PRIMITIVE_SEGMENT:
    return prepare_points(p, primitive->points, 2, refusal);
  case MO_PRIMITIVE_TRIANGLE:
    return prepare_points(p, primitive->points, 3, refusal);
  case MO_PRIMITIVE_HALF_SPACE: {
    mo_refusal half_space = mo_refusal_in(refusal, ".half_space", MO_NO_INDEX);
    return prepare_half_space(p, &primitive->half_space, &half_space, refusal);
  }
  }
  return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".type",
                          (double)(unsigned)primitive->type, "which is no such choice");
}

mo_result mo_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                               const mo_refusal *refusal) {
  mo_result result = mo_primitive_to_body(p, primitive, refusal);
  return result == MO_OK ? mo_affine_init(&p->affine, &primitive->transform) : result;
}
