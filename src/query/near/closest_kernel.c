/* The closest shape; compiled once per instruction set. */
#include "query/near/near.h"

static inline uint32_t keys(const mo_bounds8 *bounds, double distance2[MO_WIDTH],
                            const void *query) {
  const mo_closest_query *q = query;
  mo_near_distances(&q->from, bounds, distance2);
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    mask |= (uint32_t)(distance2[i] <= q->limit) << i;
  }
  return mask;
}

static const mo_shape_nearest_visitor visitor = {keys, mo_scene_closest_test};

void MO_ISA_FN(mo_scene_closest)(mo_closest_query *q) {
  mo_visit_shapes_nearest(q->scene, &visitor, &q->limit, q->stats, q);
}
