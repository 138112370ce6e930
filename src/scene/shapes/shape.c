/* Checks of the geometry of shapes, and their world AABBs. */
#include "scene/shapes/shape.h"

#include "geometry/body/body.h"
#include "geometry/hull/hull.h"
#include "geometry/solid/solids.h"
#include "math/four.h"
#include "mesh/mesh.h"
#include "scene/compound.h"
#include "scene/policy.h"
#include "scene/shapes/bounds.h"

static mo_result check_no_rounding(const mo_geometry *geometry, const mo_refusal *refusal) {
  return geometry->rounding == 0
             ? MO_OK
             : mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".rounding",
                                (double)geometry->rounding,
                                "but meshes, volumes, half-spaces and compounds have none");
}

mo_result mo_geometry_check(const mo_geometry *geometry, const mo_refusal *refusal) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return geometry->mesh != NULL ? check_no_rounding(geometry, refusal)
                                  : mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".mesh is null");
  case MO_SHAPE_COMPOUND:
    return geometry->compound != NULL
               ? check_no_rounding(geometry, refusal)
               : mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".compound is null");
  case MO_SHAPE_VOLUME: {
    mo_refusal member = mo_refusal_in(refusal, ".volume", MO_NO_INDEX);
    mo_result result = mo_check_aabb(&geometry->volume, &member);
    return result == MO_OK ? check_no_rounding(geometry, refusal) : result;
  }
  case MO_SHAPE_HALF_SPACE: {
    mo_refusal member = mo_refusal_in(refusal, ".half_space", MO_NO_INDEX);
    mo_result result = mo_half_space_check(&geometry->half_space, &member);
    return result == MO_OK ? check_no_rounding(geometry, refusal) : result;
  }
    MO_CASES_OF_SOLIDS {
      mo_solid_kind kind = mo_solid_kind_of(geometry->type);
      return mo_solid_check(kind, geometry, refusal);
    }
  }
  return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".type",
                          (double)(unsigned)geometry->type, "which is no such choice");
}

bool mo_geometry_has_triangle(const mo_geometry *geometry, uint32_t triangle) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return mo_mesh_has_triangle(geometry->mesh, triangle);
  case MO_SHAPE_COMPOUND: /* its children may have */
    MO_CASES_OF_BODIES
    return false;
  }
  __builtin_unreachable();
}

uint32_t mo_geometry_triangle_user_data(const mo_geometry *geometry, uint32_t triangle) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return triangle != MO_NO_TRIANGLE ? mo_mesh_user_data(geometry->mesh, triangle) : 0;
  case MO_SHAPE_COMPOUND:
    MO_CASES_OF_BODIES
    return 0;
  }
  __builtin_unreachable();
}

/* If a geometry has a mesh, hull or compound, calls the function of that name for it. */
static void call_for_reference(const mo_geometry *geometry, void (*mesh)(mo_mesh *),
                               void (*hull)(mo_hull *), void (*compound)(mo_compound *)) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    mesh(geometry->mesh);
    return;
  case MO_SHAPE_COMPOUND:
    compound(geometry->compound);
    return;
  case MO_SHAPE_VOLUME:
  case MO_SHAPE_HALF_SPACE:
    return;
    MO_CASES_OF_SOLIDS
    if (geometry->type == MO_SHAPE_HULL) {
      hull(geometry->hull);
    }
  }
}

void mo_geometry_retain(const mo_geometry *geometry) {
  call_for_reference(geometry, mo_mesh_retain, mo_hull_retain, mo_compound_retain);
}

void mo_geometry_release(const mo_geometry *geometry) {
  call_for_reference(geometry, mo_mesh_release, mo_hull_release, mo_compound_release);
}

mo_result mo_refuse_bounds(mo_result result, const mo_refusal *refusal, const char *member) {
  return mo_refuse(refusal, result,
                   result == MO_ERROR_OUT_OF_RANGE
                       ? "%s takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE"
                       : "%s has no inverse, as that of a half-space must",
                   member);
}

mo_result mo_shape_def_check(const mo_shape_def *def, const mo_refusal *refusal) {
  mo_refusal geometry = mo_refusal_in(refusal, ".geometry", MO_NO_INDEX);
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_shape_def");
  if (result == MO_OK) {
    result = mo_geometry_check(&def->geometry, &geometry);
  }
  if (result == MO_OK) {
    result = mo_motion_check(def->motion, refusal, ".motion");
  }
  return result == MO_OK && def->margin != MO_MARGIN_OF_SCENE
             ? mo_margin_check(def->margin, refusal)
             : result;
}

mo_result mo_shape_def_check_all(const mo_shape_def *def, const mo_refusal *refusal,
                                 mo_affine *affine, mo_aabb *bounds) {
  mo_refusal transform = mo_refusal_in(refusal, ".transform", MO_NO_INDEX);
  mo_result result = mo_shape_def_check(def, refusal);
  if (result == MO_OK) {
    result = mo_check_transform(&def->transform, &transform);
  }
  if (result == MO_OK) {
    result = mo_affine_init(affine, &def->transform);
  }
  if (result == MO_OK && (result = mo_geometry_bounds(&def->geometry, affine, bounds)) != MO_OK) {
    result = mo_refuse_bounds(result, &transform, "");
  }
  return result;
}

mo_aabb mo_centred_bounds(const mo_geometry *geometry, mo_vec3 origin) {
  mo_f4 lower, upper;
  mo_centred_box(geometry, mo_f4_from(&origin, 0), &lower, &upper);
  return (mo_aabb){mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)};
}

static mo_result half_space_bounds(const mo_half_space *half_space, const mo_transform *map,
                                   mo_aabb *bounds) {
  mo_half_space_body body;
  mo_result result = mo_half_space_make(&body, half_space, map, NULL);
  if (result == MO_OK) {
    *bounds = mo_half_space_bounds(&body);
  }
  return result;
}

mo_result mo_geometry_bounds(const mo_geometry *geometry, const mo_affine *affine,
                             mo_aabb *bounds) {
  const mo_transform *map = &affine->to_world;
  if (mo_geometry_is_centred(geometry) && mo_has_identity_axes(map) &&
      mo_vec_is_in_safe_range(map->origin) &&
      mo_geometry_max_coordinate(geometry) <= MO_MAX_SAFE_COORDINATE) {
    *bounds = mo_centred_bounds(geometry, map->origin);
    return MO_OK;
  }
  if (geometry->type == MO_SHAPE_HALF_SPACE) {
    return half_space_bounds(&geometry->half_space, map, bounds);
  }
  mo_f4 lower, upper;
  mo_geometry_world_box(geometry, affine, &lower, &upper);
  const mo_f4 max = mo_f4_splat(MO_MAX_COORDINATE);
  if (!mo_f4_every(mo_f4_le(mo_f4_abs(lower), max) & mo_f4_le(mo_f4_abs(upper), max))) {
    return MO_ERROR_OUT_OF_RANGE;
  }
  *bounds = (mo_aabb){mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)};
  return MO_OK;
}

float mo_geometry_max_coordinate(const mo_geometry *geometry) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
  case MO_SHAPE_COMPOUND: {
    const mo_aabb box = geometry->type == MO_SHAPE_MESH ? mo_mesh_bounds(geometry->mesh)
                                                        : geometry->compound->bounds;
    return mo_aabb_is_empty(box) ? 0 : mo_max_magnitude(mo_aabb_max_coordinates(box));
  }
  case MO_SHAPE_VOLUME:
    return mo_max_magnitude(mo_aabb_max_coordinates(geometry->volume));
  case MO_SHAPE_HALF_SPACE:
    return INFINITY;
    MO_CASES_OF_SOLIDS {
      return mo_solid_max_coordinate(mo_solid_kind_of(geometry->type), geometry);
    }
  }
  __builtin_unreachable();
}

bool mo_geometry_has_safe_size(const mo_geometry *geometry) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    if (geometry->mesh->deformation != NULL) {
      return false;
    }
    break;
  case MO_SHAPE_COMPOUND:
    return false;
    MO_CASES_OF_BODIES
    break;
  }
  return mo_geometry_max_coordinate(geometry) <= MO_MAX_SAFE_COORDINATE;
}

mo_result mo_margin_check(float margin, const mo_refusal *refusal) {
  return mo_check_size(margin, MO_MAX_SAFE_COORDINATE, refusal, ".margin");
}

mo_enlarged_bounds mo_bounds_enlarge(const mo_aabb *box, mo_vec3 motion, float margin,
                                     const mo_aabb *stored) {
  /* Lower sides are negated, so that all sums round upward. */
  mo_f4 zero = mo_f4_splat(0), along = mo_f4_from(&motion, 0);
  mo_f4 lower = mo_f4_add_upward(-mo_f4_from(&box->lower, 0), mo_f4_max(-along, zero));
  mo_f4 upper = mo_f4_add_upward(mo_f4_from(&box->upper, 0), mo_f4_max(along, zero));
  if (stored != NULL) {
    mo_f4 max = mo_f4_splat((float)MO_MAX_EXCESS_MARGINS * margin);
    mo_f4 below = -mo_f4_from(&stored->lower, 0), above = mo_f4_from(&stored->upper, 0);
    if (mo_f4_every((below >= lower) & (above >= upper) & (below <= mo_f4_add_upward(lower, max)) &
                    (above <= mo_f4_add_upward(upper, max)))) {
      return (mo_enlarged_bounds){*stored, true};
    }
  }
  lower = -mo_f4_add_upward(lower, mo_f4_splat(margin));
  upper = mo_f4_add_upward(upper, mo_f4_splat(margin));
  return (mo_enlarged_bounds){{mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)}, false};
}
