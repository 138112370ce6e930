/* The geometry of shapes: whether it is legal, and the world box it fills. */
#ifndef MO_SCENE_SHAPE_H
#define MO_SCENE_SHAPE_H

#include <string.h>

#include "scene/scene.h"

/* MO_ERROR_NULL_ARGUMENT (mesh), MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. */
mo_result mo_geometry_check(const mo_geometry *geometry);

/* A box in the world that contains a legal geometry, rounded outward. MO_ERROR_OUT_OF_RANGE. */
mo_result mo_geometry_bounds(const mo_geometry *geometry, const mo_affine *affine, mo_aabb *bounds);

/* The largest magnitude of a local coordinate of a legal geometry. */
float mo_geometry_reach(const mo_geometry *geometry);

/* Below these magnitudes no image of a shape under a transform can leave MO_MAX_COORDINATE. */
static const float MO_SAFE_MAP = 1e14f, MO_SAFE_REACH = 1e14f;

/* A box or a ball around the origin of its frame. */
static inline bool mo_geometry_is_centred(const mo_geometry *geometry) {
  /* Boxes and balls have their centre in the same place. */
  const mo_vec3 *c = &geometry->box.center;
  return (geometry->type == MO_SHAPE_BOX || geometry->type == MO_SHAPE_SPHERE) && c->x == 0 &&
         c->y == 0 && c->z == 0;
}

/* To the bit, so that -0 is not one. */
static inline bool mo_is_unturned(const mo_transform *map) {
  static const mo_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return memcmp(&map->x_axis, axes, sizeof axes) == 0;
}

/* Finite and small; comparisons are written so that NaN fails them. */
static inline bool mo_is_safe(mo_vec3 v) {
  return (fabsf(v.x) <= MO_SAFE_MAP) & (fabsf(v.y) <= MO_SAFE_MAP) & (fabsf(v.z) <= MO_SAFE_MAP);
}

/* mo_geometry_bounds of a centred geometry at a place, unturned, where nothing is out of range. */
mo_aabb mo_centred_bounds(const mo_geometry *geometry, mo_vec3 place);

#endif
