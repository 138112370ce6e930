/* Tests of boxes against planes, exactly as documented for mo_scene_cull_planes. */
#ifndef MO_QUERY_PLANES_H
#define MO_QUERY_PLANES_H

#include "math/aabb.h"

/* The value dot(normal, p) + offset of a plane, at the corner p of a box that is farthest along the
 * normal or, if not `along`, farthest in the opposite direction. */
static inline double mo_plane_value_at_corner(const mo_plane *plane, mo_aabb box, bool along) {
  mo_vec3 n = plane->normal;
  double x = (n.x >= 0.0f) == along ? box.upper.x : box.lower.x;
  double y = (n.y >= 0.0f) == along ? box.upper.y : box.lower.y;
  double z = (n.z >= 0.0f) == along ? box.upper.z : box.lower.z;
  return n.x * x + n.y * y + n.z * z + plane->offset;
}

/* Whether a box is not wholly outside of any single plane. */
static inline bool mo_planes_touch(const mo_plane *planes, uint32_t count, mo_aabb box) {
  for (uint32_t i = 0; i < count; i++) {
    if (mo_plane_value_at_corner(&planes[i], box, true) < 0.0) {
      return false;
    }
  }
  return true;
}

/* Whether a box is wholly inside all planes. */
static inline bool mo_planes_contain(const mo_plane *planes, uint32_t count, mo_aabb box) {
  for (uint32_t i = 0; i < count; i++) {
    if (!(mo_plane_value_at_corner(&planes[i], box, false) >= 0.0)) {
      return false;
    }
  }
  return true;
}

#endif
