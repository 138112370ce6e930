/* Finds the shapes of the octree that have a level of detail, with their levels; compiled once per
 * instruction set. */
#include "octree/cull.h"
#include "query/near/near.h"
#include "query/planes.h"

/* The squared diagonals of eight boxes. */
MO_INLINE void squared_diagonals(const mo_bounds8 *bounds, double diagonal2[MO_LANE_COUNT]) {
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    double x = (double)bounds->upper[0][i] - (double)bounds->lower[0][i];
    double y = (double)bounds->upper[1][i] - (double)bounds->lower[1][i];
    double z = (double)bounds->upper[2][i] - (double)bounds->lower[2][i];
    diagonal2[i] = x * x + y * y + z * z;
  }
}

/* Whether a box with a given diagonal and distance reaches the threshold of a level. */
static inline bool reaches_level(const mo_level_query *q, double diagonal2, double distance2,
                                 uint32_t level) {
  return q->def->measure == MO_LEVEL_BY_DISTANCE ? distance2 <= q->threshold2[level]
                                                 : diagonal2 >= q->threshold2[level] * distance2;
}

/* Returns bits of the eight boxes that are not empty, reach the last level, and are not culled by a
 * plane. Octants pass with the size of their largest shape as `diagonal2`; their boxes are no
 * farther than their contents. So the bit of an octant is set if it is set for any shape in it. */
MO_INLINE uint32_t boxes_reaching_last_level(const mo_level_query *q, const mo_bounds8 *bounds,
                                             bool inside, uint32_t *contained,
                                             const double diagonal2[MO_LANE_COUNT],
                                             double distance2[MO_LANE_COUNT]) {
  mo_near_distances(&q->eye, bounds, distance2);
  uint32_t mask = 0, last = q->def->level_count - 1;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    bool any = distance2[i] <= DBL_MAX && reaches_level(q, diagonal2[i], distance2[i], last);
    mask |= (uint32_t)any << i;
  }
  *contained = 0xff;
  if (!inside && mask != 0) {
    mask &= mo_boxes_not_outside_planes(bounds, q->def->planes, q->slack, q->def->plane_count,
                                        contained);
  }
  return mask;
}

static inline uint32_t cull(const mo_bounds8 *bounds, uint32_t node, bool inside,
                            uint32_t *contained, const void *query) {
  const mo_level_query *q = query;
  double diagonal2[MO_LANE_COUNT], distance2[MO_LANE_COUNT];
  for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
    diagonal2[octant] = mo_box_size_diagonal2(q->scene->sizes[node].octant[octant]);
  }
  return boxes_reaching_last_level(q, bounds, inside, contained, diagonal2, distance2);
}

/* Adds a shape that reaches the last level to the list; the squares are those of its box's diagonal
 * and distance. */
static inline void add_shape(mo_level_query *q, uint32_t slot, double diagonal2, double distance2) {
  q->stats->shape_count++;
  uint32_t level = 0;
  while (!reaches_level(q, diagonal2, distance2, level)) {
    level++;
  }
  mo_level_result result = {mo_shape_id_of(q->scene, slot), level};
  mo_bounded_offer(&q->list, &result, sizeof result, mo_level_before);
}

static inline bool visit_unbounded(uint32_t slot, void *query) {
  mo_level_query *q = query;
  double distance2 = mo_near_half_space_distance2(mo_slot_half_space(q->scene, slot), &q->eye);
  if (reaches_level(q, INFINITY, distance2, q->def->level_count - 1) &&
      mo_filter_passes(q->scene, &q->def->filter, slot)) {
    add_shape(q, slot, INFINITY, distance2);
  }
  return true;
}

static inline bool visit_block(uint32_t at, bool inside, void *query) {
  mo_level_query *q = query;
  const mo_level_def *def = q->def;
  const mo_shape_block *block = mo_shape_block_at(q->scene, at);
  double diagonal2[MO_LANE_COUNT], distance2[MO_LANE_COUNT];
  uint32_t contained;
  squared_diagonals(&block->bounds, diagonal2);
  uint32_t mask =
      boxes_reaching_last_level(q, &block->bounds, inside, &contained, diagonal2, distance2);
  for (; mask != 0; mask &= mask - 1) {
    int lane = __builtin_ctz(mask);
    uint32_t slot = block->shape[lane];
    bool sure = inside || (contained >> lane & 1);
    if (!(sure ||
          mo_planes_touch(def->planes, def->plane_count, mo_bounds8_get(&block->bounds, lane))) ||
        !mo_filter_passes(q->scene, &def->filter, slot)) {
      continue;
    }
    add_shape(q, slot, diagonal2[lane], distance2[lane]);
  }
  return true;
}

static const mo_shape_visitor visitor = {cull, visit_block, visit_unbounded};

void MO_ISA_FN(mo_level_list)(mo_level_query *q) {
  mo_visit_shapes(q->scene, &visitor, q->def->plane_count == 0, false, q->stats, q);
}
