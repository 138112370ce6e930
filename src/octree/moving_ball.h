/* Culling by a moving ball: keys (times) for a best-first traversal. */
#ifndef MO_OCTREE_MOVING_BALL_H
#define MO_OCTREE_MOVING_BALL_H

#include "geometry/cast/sphere.h"
#include "octree/visit.h"

/* Computes the times, from t = 0 on, at which the centre of a moving ball enters eight boxes that
 * are enlarged by its radius. Returns bits of the boxes that it enters up to the limit. */
MO_INLINE uint32_t mo_path_time_keys(const mo_path_axis axes[3], double limit,
                                     const mo_bounds8 *bounds, double key[MO_LANE_COUNT]) {
  double leave[MO_LANE_COUNT];
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    key[i] = 0.0;
    leave[i] = limit;
  }
  for (int axis = 0; axis < 3; axis++) {
    const mo_path_axis path = axes[axis];
    for (int i = 0; i < MO_LANE_COUNT; i++) {
      mo_path_clip_interval(&path, bounds->lower[axis][i], bounds->upper[axis][i], &key[i],
                            &leave[i]);
    }
  }
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    mask |= (uint32_t)(key[i] <= leave[i]) << i;
  }
  return mask;
}

#endif
