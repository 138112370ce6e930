/* Finds the shape with the smallest signed distance from a point: culls the boxes of the shape
 * octree. Compiled once per instruction set. */
#include "query/near/near.h"

/* Keys are signed squares: the squared distance of a box, or, if the point is in the box, the
 * negative squared depth. No shape in a box encloses the point deeper than the box does. */
static inline uint32_t box_keys(const mo_bounds8 *bounds, double key[MO_LANE_COUNT],
                                const void *query) {
  const mo_closest_query *q = query;
  mo_near_distances(&q->from, bounds, key);
  uint32_t mask = 0;
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    if (!(key[i] > 0.0)) {
      double depth = mo_depth_in_box(mo_bounds8_get(bounds, i), q->point);
      key[i] = -(depth * depth);
    }
    mask |= (uint32_t)(key[i] <= q->limit) << i;
  }
  return mask;
}

static const mo_shape_nearest_visitor visitor = {.keys = box_keys,
                                                 .visit_shape = mo_scene_closest_test_shape};

void MO_ISA_FN(mo_scene_signed)(mo_closest_query *q) {
  q->box_keys = box_keys;
  mo_visit_shapes_nearest(q->scene, &visitor, &q->limit, q->stats, q);
}
