/* Finds shapes of the octree by the distance of their boxes; compiled once per instruction set. */
#include "query/near/near.h"

static inline bool passes_filter(const mo_near_query *q, uint32_t slot) {
  return mo_filter_passes_by_traits(q->scene, q->filter, q->filter_passes_defaults, slot);
}

/* Computes the squared distances of eight boxes. Returns bits of the boxes within the limit that do
 * not lie wholly before the start of the enumeration. */
static inline uint32_t box_keys(const mo_bounds8 *bounds, double distance2[MO_LANE_COUNT],
                                const void *query) {
  const mo_near_query *q = query;
  mo_near_distances(&q->from, bounds, distance2);
  uint32_t mask = mo_near_keys_within(distance2, q->limit);
  if (q->begin.key > 0.0) {
    double farthest[MO_LANE_COUNT];
    mo_near_max_distances(&q->from, bounds, farthest);
    for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
      mask &= ~((uint32_t)(farthest[i] < q->begin.key) << i);
    }
  }
  return mask;
}

static inline double half_space_key(uint32_t slot, const void *query) {
  const mo_near_query *q = query;
  return mo_near_half_space_distance2(mo_slot_half_space(q->scene, slot), &q->from);
}

/* --- the nearest shapes as a list --- */

/* Adds a shape to the list. If the list is full, the limit becomes the distance of its farthest
 * shape. */
static inline void list_shape(uint32_t slot, double distance2, void *query) {
  mo_near_query *q = query;
  mo_distance_key key = {distance2, MO_FIRST_SHAPE_RANK | slot};
  if (mo_distance_key_before(&key, &q->begin) || !passes_filter(q, slot)) {
    return;
  }
  q->stats->shape_count++;
  mo_near_shape shape = {.shape = mo_shape_id_of(q->scene, slot), .distance2 = distance2};
  mo_bounded_offer(&q->list, &shape, sizeof shape, mo_near_shape_before);
  if (!q->count_all && q->list.count == q->list.capacity) {
    q->limit = ((const mo_near_shape *)q->list.items)->distance2;
  }
}

static const mo_shape_nearest_visitor list_visitor = {.keys = box_keys,
                                                      .visit_shape = list_shape,
                                                      .unbounded_key = half_space_key,
                                                      .visits_unsorted = true};

void MO_ISA_FN(mo_near_list)(mo_near_query *q) {
  mo_visit_shapes_nearest(q->scene, &list_visitor, &q->limit, q->stats, q);
}

/* --- shapes one by one, the nearest first --- */

static inline bool report_shape(uint32_t slot, double distance2, void *query) {
  mo_near_query *q = query;
  if (!passes_filter(q, slot)) {
    return true;
  }
  q->stats->shape_count++;
  mo_near_shape shape = {mo_shape_id_of(q->scene, slot), q->scene->shapes[slot].user_data,
                         sqrt(distance2), distance2};
  return q->visit(&shape, q->context);
}

static const mo_shape_order_visitor order_visitor = {box_keys, report_shape, half_space_key};

void MO_ISA_FN(mo_near_visit)(mo_near_query *q) {
  mo_shape_order_state order;
  order.scene = q->scene;
  order.stats = q->stats;
  order.begin = &q->begin;
  order.limit = q->limit;
  mo_visit_shapes_in_order(&order, &order_visitor, q);
}
