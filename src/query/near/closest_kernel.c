/* Finds the closest shapes to a point or body, or the shape with the smallest signed distance from
 * a point: culls the boxes of the shape octree by distance. Compiled once per instruction set. */
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
  const uint32_t mask = mo_near_keys_within(distance2, q->limit);
  return q->skip_distance2 > 0.0 ? mask & ~boxes_before_start(q, bounds) : mask;
}

/* Keys are signed squares: the squared distance of a box, or, if the point is in the box, the
 * negative squared depth. No shape in a box encloses the point deeper than the box does. */
static inline uint32_t signed_box_keys(const mo_bounds8 *bounds, double key[MO_LANE_COUNT],
                                       const void *query) {
  const mo_closest_query *q = query;
  mo_near_distances(&q->from, bounds, key);
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    if (!(key[i] > 0.0)) {
      double depth = mo_depth_in_box(mo_bounds8_get(bounds, i), q->point);
      key[i] = -(depth * depth);
    }
  }
  return mo_near_keys_within(key, q->limit);
}

static const mo_shape_nearest_visitor visitor = {.keys = box_keys,
                                                 .visit_shape = mo_scene_closest_test_shape};
static const mo_shape_nearest_visitor signed_visitor = {.keys = signed_box_keys,
                                                        .visit_shape = mo_scene_closest_test_shape};

void MO_ISA_FN(mo_scene_closest)(mo_closest_query *q) {
  q->box_keys = box_keys;
  mo_visit_shapes_nearest(q->scene, &visitor, &q->limit, q->stats, q);
}

void MO_ISA_FN(mo_scene_signed)(mo_closest_query *q) {
  q->box_keys = signed_box_keys;
  mo_visit_shapes_nearest(q->scene, &signed_visitor, &q->limit, q->stats, q);
}
