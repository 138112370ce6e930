/* Blocks of eight boxes against one box, for the searches for pairs. */
#ifndef MO_SCENE_PAIRS_ROWS_H
#define MO_SCENE_PAIRS_ROWS_H

#include <math.h>

#include "base/inline.h"
#include "octree/cull.h"
#include "scene/octree/octree.h"
#include "scene/pairs/search.h"

enum { MO_ALL_LANES = 0xff };

/* A box to be compared with others. */
typedef struct mo_row_box {
  mo_f8 lower[3], upper[3];
} mo_row_box;

MO_INLINE mo_row_box mo_row_box_of(const mo_bounds8 *bounds, uint32_t lane) {
  mo_row_box box;
  for (int axis = 0; axis < 3; axis++) {
    box.lower[axis] = mo_f8_all(bounds->lower[axis][lane]);
    box.upper[axis] = mo_f8_all(bounds->upper[axis][lane]);
  }
  return box;
}

MO_INLINE mo_row_box mo_row_box_around(const mo_aabb *box) {
  mo_row_box rows;
  for (int axis = 0; axis < 3; axis++) {
    rows.lower[axis] = mo_f8_all(mo_get(box->lower, axis));
    rows.upper[axis] = mo_f8_all(mo_get(box->upper, axis));
  }
  return rows;
}

/* By how much to grow a coordinate: `reach`, and more than the rounding of the sum. */
MO_INLINE float mo_reach_more(float x, float reach) {
  return reach + (fabsf(x) + reach) * 0x1p-22f;
}

/* The box in a lane, grown by `reach`. */
MO_INLINE mo_row_box mo_row_box_near(const mo_bounds8 *bounds, uint32_t lane, float reach) {
  if (reach == 0) {
    return mo_row_box_of(bounds, lane);
  }
  mo_row_box box;
  for (int axis = 0; axis < 3; axis++) {
    float lower = bounds->lower[axis][lane], upper = bounds->upper[axis][lane];
    box.lower[axis] = mo_f8_all(lower - mo_reach_more(lower, reach));
    box.upper[axis] = mo_f8_all(upper + mo_reach_more(upper, reach));
  }
  return box;
}

/* A bit per box that it touches, of eight whose rows are `stride` floats apart. */
MO_INLINE uint32_t mo_row_touching_at(const mo_row_box *box, const float *lower, const float *upper,
                                      size_t stride) {
  mo_m8 part[3];
  for (size_t axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(mo_f8_load(lower + axis * stride), box->upper[axis]),
                           mo_f8_le(box->lower[axis], mo_f8_load(upper + axis * stride)));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

MO_INLINE uint32_t mo_row_touching(const mo_row_box *box, const mo_bounds8 *boxes) {
  return mo_row_touching_at(box, boxes->lower[0], boxes->upper[0], MO_WIDTH);
}

/* A bit per box of the first that touches the box in a lane of the second. */
MO_INLINE uint32_t mo_touching(const mo_bounds8 *boxes, const mo_bounds8 *bounds, uint32_t lane) {
  mo_row_box box = mo_row_box_of(bounds, lane);
  return mo_row_touching(&box, boxes);
}

/* A bit per box of the first that is within reach of the box in a lane of the second. */
MO_INLINE uint32_t mo_touching_near(const mo_bounds8 *boxes, const mo_bounds8 *bounds,
                                    uint32_t lane, float reach) {
  mo_row_box box = mo_row_box_near(bounds, lane, reach);
  return mo_row_touching(&box, boxes);
}

/* Empties `keys`. Once the search is stopped, further pairs are dropped. */
MO_INLINE void mo_pair_make_room(mo_pair_search *q) {
  q->stopped = q->stopped || !q->take(q);
  q->count = 0;
}

#endif
