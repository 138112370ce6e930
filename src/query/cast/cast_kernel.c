/* Culling of the shapes that a moving ball or convex body touches; compiled once per instruction
 * set. */
#include "query/cast/cast.h"

static inline uint32_t box_keys(const mo_bounds8 *bounds, double key[MO_LANE_COUNT],
                                const void *query) {
  const mo_scene_cast *q = query;
  return q->culls_by_plane ? mo_plane_time_keys(&q->plane, q->limit, bounds, key)
                           : mo_path_time_keys(q->path, q->limit, bounds, key);
}

static inline double raise_time(const mo_bounds8 *bounds, int lane, double t, const void *query) {
  const mo_scene_cast *q = query;
  return q->has_bound
             ? mo_moving_bound_min_time(&q->bound, mo_bounds8_get(bounds, lane), t, q->bound_margin)
             : t;
}

static const mo_shape_nearest_visitor visitor = {
    .keys = box_keys, .visit_shape = mo_scene_cast_test_shape, .raise_key = raise_time};

void MO_ISA_FN(mo_scene_cast_find)(mo_scene_cast *q) {
  q->box_keys = box_keys;
  mo_visit_shapes_nearest(q->scene, &visitor, &q->limit, q->stats, q);
}
