/* Culling by a half-space at rest or moving: keys (squared distances or times) for a best-first
 * traversal. */
#ifndef MO_OCTREE_MOVING_PLANE_H
#define MO_OCTREE_MOVING_PLANE_H

#include "geometry/cast/half_space.h"
#include "octree/visit.h"

/* Lower bounds of the heights of eight boxes above the plane; INFINITY for empty boxes. */
MO_INLINE void mo_plane_heights(const mo_plane_path *path, const mo_bounds8 *bounds,
                                double height[MO_LANE_COUNT]) {
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    height[i] = bounds->lower[0][i] <= bounds->upper[0][i] ? path->offset : INFINITY;
  }
  for (int axis = 0; axis < 3; axis++) {
    double n = path->normal[axis];
    const float *row = n > 0.0 ? bounds->lower[axis] : bounds->upper[axis];
    for (int i = 0; n != 0.0 && i < MO_LANE_COUNT; i++) {
      height[i] += height[i] < INFINITY ? n * (double)row[i] : 0.0;
    }
  }
}

/* Computes the squared distances of eight boxes from the half-space. Returns bits of the boxes
 * within the limit, which is finite. */
MO_INLINE uint32_t mo_plane_distance_keys(const mo_plane_path *path, double limit,
                                          const mo_bounds8 *bounds, double key[MO_LANE_COUNT]) {
  uint32_t mask = 0;
  mo_plane_heights(path, bounds, key);
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    key[i] = key[i] > 0.0 ? key[i] * key[i] : 0.0;
    mask |= (uint32_t)(key[i] <= limit) << i;
  }
  return mask;
}

/* Computes the times, from t = 0 on, at which the moving half-space reaches eight boxes. Returns
 * bits of the boxes that it reaches up to the limit. */
MO_INLINE uint32_t mo_plane_time_keys(const mo_plane_path *path, double limit,
                                      const mo_bounds8 *bounds, double key[MO_LANE_COUNT]) {
  uint32_t mask = 0;
  mo_plane_heights(path, bounds, key);
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    key[i] = key[i] > 0.0 ? key[i] / path->speed : 0.0;
    mask |= (uint32_t)(key[i] <= limit) << i;
  }
  return mask;
}

#endif
