/* The geometry of shapes: whether it is legal, and the world box it fills. */
#include "scene/shape.h"

#include "geometry/convex.h"

static bool in_range(mo_vec3 v) {
  return fabsf(v.x) <= MO_MAX_COORDINATE && fabsf(v.y) <= MO_MAX_COORDINATE &&
         fabsf(v.z) <= MO_MAX_COORDINATE;
}

/* Two points and a scalar that must not be negative. */
static mo_result check(mo_vec3 a, mo_vec3 b, float size) {
  if (!mo_is_finite(a) || !mo_is_finite(b) || !isfinite(size)) {
    return MO_ERROR_NOT_FINITE;
  }
  if (size < 0) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  return in_range(a) && in_range(b) && size <= MO_MAX_COORDINATE ? MO_OK : MO_ERROR_OUT_OF_RANGE;
}

mo_result mo_geometry_check(const mo_geometry *geometry) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return geometry->mesh ? MO_OK : MO_ERROR_NULL_ARGUMENT;
  case MO_SHAPE_SPHERE:
    return check(geometry->sphere.center, geometry->sphere.center, geometry->sphere.radius);
  case MO_SHAPE_BOX: {
    mo_vec3 half = geometry->box.half_extents;
    float least = mo_min(mo_min(half.x, half.y), half.z);
    mo_result result = check(geometry->box.center, half, 0);
    return result != MO_ERROR_NOT_FINITE && least < 0 ? MO_ERROR_INVALID_ARGUMENT : result;
  }
  case MO_SHAPE_CAPSULE:
    return check(geometry->capsule.a, geometry->capsule.b, geometry->capsule.radius);
  case MO_SHAPE_VOLUME: {
    mo_aabb box = geometry->volume;
    mo_result result = check(box.lower, box.upper, 0);
    return result != MO_ERROR_NOT_FINITE && mo_aabb_is_empty(box) ? MO_ERROR_INVALID_ARGUMENT
                                                                  : result;
  }
  }
  return MO_ERROR_INVALID_ARGUMENT;
}

mo_result mo_geometry_bounds(const mo_geometry *geometry, const mo_affine *affine,
                             mo_aabb *bounds) {
  const mo_transform *map = &affine->to_world;
  mo_aabb box = mo_aabb_empty();
  mo_convex convex;
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    box = mo_affine_aabb_to_world(affine, mo_mesh_bounds(geometry->mesh));
    if (mo_aabb_is_empty(box)) {
      /* A mesh without triangles is nowhere; as it needs a place, that is where its frame is. */
      box = (mo_aabb){map->origin, map->origin};
    }
    break;
  case MO_SHAPE_SPHERE:
    convex = mo_convex_sphere(geometry->sphere, map);
    box = mo_convex_bounds(&convex);
    break;
  case MO_SHAPE_BOX:
    convex = mo_convex_box(geometry->box.center, geometry->box.half_extents, map);
    box = mo_convex_bounds(&convex);
    break;
  case MO_SHAPE_CAPSULE:
    convex = mo_convex_capsule(geometry->capsule.a, geometry->capsule.b, geometry->capsule.radius,
                               map);
    box = mo_convex_bounds(&convex);
    break;
  case MO_SHAPE_VOLUME:
    box = mo_affine_aabb_to_world(affine, geometry->volume);
    break;
  }
  if (!in_range(box.lower) || !in_range(box.upper)) {
    return MO_ERROR_OUT_OF_RANGE;
  }
  *bounds = box;
  return MO_OK;
}

static float largest(mo_vec3 v) {
  return mo_max(mo_max(fabsf(v.x), fabsf(v.y)), fabsf(v.z));
}

float mo_geometry_reach(const mo_geometry *geometry) {
  switch (geometry->type) {
  case MO_SHAPE_MESH: {
    mo_aabb box = mo_mesh_bounds(geometry->mesh);
    return mo_aabb_is_empty(box) ? 0 : largest(mo_aabb_reach(box));
  }
  case MO_SHAPE_SPHERE:
    return largest(geometry->sphere.center) + geometry->sphere.radius;
  case MO_SHAPE_BOX:
    return largest(geometry->box.center) + largest(geometry->box.half_extents);
  case MO_SHAPE_CAPSULE:
    return mo_max(largest(geometry->capsule.a), largest(geometry->capsule.b)) +
           geometry->capsule.radius;
  case MO_SHAPE_VOLUME:
    return largest(mo_aabb_reach(geometry->volume));
  }
  return INFINITY;
}
