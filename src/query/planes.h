/* Boxes against planes, exactly as mo_scene_cull_planes documents it. */
#ifndef MO_QUERY_PLANES_H
#define MO_QUERY_PLANES_H

#include "math/aabb.h"

/* The value of a plane at the corner of a box that lies farthest along its normal, or against it.
 */
static inline double mo_plane_value_at(const mo_plane *plane, mo_aabb box, bool along) {
  mo_vec3 n = plane->normal;
  double x = (n.x >= 0.0f) == along ? box.upper.x : box.lower.x;
  double y = (n.y >= 0.0f) == along ? box.upper.y : box.lower.y;
  double z = (n.z >= 0.0f) == along ? box.upper.z : box.lower.z;
  return n.x * x + n.y * y + n.z * z + plane->offset;
}

/* Whether no single plane excludes a box. */
static inline bool mo_planes_touch(const mo_plane *planes, uint32_t count, mo_aabb box) {
  for (uint32_t i = 0; i < count; i++) {
    if (mo_plane_value_at(&planes[i], box, true) < 0.0) {
      return false;
    }
  }
  return true;
}

/* Whether all planes contain it. */
static inline bool mo_planes_contain(const mo_plane *planes, uint32_t count, mo_aabb box) {
  for (uint32_t i = 0; i < count; i++) {
    if (!(mo_plane_value_at(&planes[i], box, false) >= 0.0)) {
      return false;
    }
  }
  return true;
}

#endif
