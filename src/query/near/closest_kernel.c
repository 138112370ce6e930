/* Finds the closest shapes to a point or body: culls the boxes of the shape octree by distance.
 * Compiled once per instruction set. */
#include "octree/moving_plane.h"
#include "query/near/near.h"

/* Returns bits of the eight boxes that lie wholly before the start of a continued enumeration: all
 * their points are nearer. */
static inline uint32_t boxes_before_start(const mo_closest_query *q, const mo_bounds8 *bounds) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    double far2 = mo_aabb_max_distance2(mo_bounds8_get(bounds, (int)i), q->distances->body.bounds);
    mask |= (uint32_t)(far2 < q->skip_distance2) << i;
  }
  return mask;
}

static inline uint32_t box_keys(const mo_bounds8 *bounds, double distance2[MO_LANE_COUNT],
                                const void *query) {
  const mo_closest_query *q = query;
  if (q->culls_by_plane) {
    return mo_plane_distance_keys(&q->plane, q->limit, bounds, distance2);
  }
  mo_near_distances(&q->from, bounds, distance2);
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    mask |= (uint32_t)(distance2[i] <= q->limit) << i;
  }
  return q->skip_distance2 > 0.0 ? mask & ~boxes_before_start(q, bounds) : mask;
}

static const mo_shape_nearest_visitor visitor = {.keys = box_keys,
                                                 .visit_shape = mo_scene_closest_test_shape};

void MO_ISA_FN(mo_scene_closest)(mo_closest_query *q) {
  q->box_keys = box_keys;
  mo_visit_shapes_nearest(q->scene, &visitor, &q->limit, q->stats, q);
}
