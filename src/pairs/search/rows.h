/* Tests of eight boxes against one box, for the searches for pairs. */
#ifndef MO_PAIRS_SEARCH_ROWS_H
#define MO_PAIRS_SEARCH_ROWS_H

#include <math.h>

#include "base/inline.h"
#include "octree/cull.h"
#include "pairs/search/search.h"
#include "scene/octree/octree.h"

enum { MO_ALL_LANES = 0xff };

/* A shape that is to be tested against a block. (mo_block_hit: with the lanes of the block that the
 * shape touches.) */
typedef struct mo_block_probe {
  mo_shape_place shape_place;
  uint32_t block;
} mo_block_probe;

typedef struct mo_block_hit {
  mo_shape_place shape_place;
  uint32_t block, lanes;
} mo_block_hit;

/* The box in one lane of `bounds`, broadcast to all lanes. */
MO_INLINE mo_box_lanes mo_lane_box(const mo_bounds8 *bounds, uint32_t lane) {
  mo_box_lanes box;
  for (int axis = 0; axis < 3; axis++) {
    box.lower[axis] = mo_f8_splat(bounds->lower[axis][lane]);
    box.upper[axis] = mo_f8_splat(bounds->upper[axis][lane]);
  }
  return box;
}

/* By how much to move the coordinate x outward: `max_distance` plus more than the rounding error of
 * the sum. */
MO_INLINE float mo_outward_shift(float x, float max_distance) {
  return max_distance + (fabsf(x) + max_distance) * 0x1p-22f;
}

/* The box in one lane of `bounds`, enlarged by `max_distance`, broadcast to all lanes. */
MO_INLINE mo_box_lanes mo_enlarged_lane_box(const mo_bounds8 *bounds, uint32_t lane,
                                            float max_distance) {
  if (max_distance == 0) {
    return mo_lane_box(bounds, lane);
  }
  mo_box_lanes box;
  for (int axis = 0; axis < 3; axis++) {
    float lower = bounds->lower[axis][lane], upper = bounds->upper[axis][lane];
    box.lower[axis] = mo_f8_splat(lower - mo_outward_shift(lower, max_distance));
    box.upper[axis] = mo_f8_splat(upper + mo_outward_shift(upper, max_distance));
  }
  return box;
}

/* Returns a bit for each of the eight `boxes` that touches the box in a lane of `bounds`. */
MO_INLINE uint32_t mo_boxes_touching_lane(const mo_bounds8 *boxes, const mo_bounds8 *bounds,
                                          uint32_t lane) {
  mo_box_lanes box = mo_lane_box(bounds, lane);
  return mo_boxes_touching_box_lanes(boxes, &box);
}

/* Returns a bit for each of the eight `boxes` that is within `max_distance` of the box in a lane of
 * `bounds`. */
MO_INLINE uint32_t mo_boxes_near_lane(const mo_bounds8 *boxes, const mo_bounds8 *bounds,
                                      uint32_t lane, float max_distance) {
  mo_box_lanes box = mo_enlarged_lane_box(bounds, lane, max_distance);
  return mo_boxes_touching_box_lanes(boxes, &box);
}

#endif
