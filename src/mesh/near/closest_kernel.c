/* Finds the closest triangle; compiled once per instruction set. */
#include "mesh/culling/lanes.h"
#include "mesh/near/near.h"
#include "mesh/visit/visit.h"
#include "octree/moving_plane.h"

/* A bit for each box whose farthest point is still closer than the hits returned before. */
static inline uint32_t given_before(const mo_mesh_closest *q, const mo_bounds8 *bounds) {
  double far2[MO_WIDTH] = {0.0};
  for (int axis = 0; axis < 3; axis++) {
    double from = q->frame.from[axis], error = q->frame.error[axis], weight = q->frame.max[axis];
    for (int i = 0; i < MO_WIDTH; i++) {
      double above = (double)bounds->upper[axis][i] - from;
      double below = from - (double)bounds->lower[axis][i];
      double far = (above > below ? above : below) + error;
      far2[i] += weight * far * far;
    }
  }
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    mask |= (uint32_t)(far2[i] < q->before2) << i;
  }
  return mask;
}

static inline uint32_t keys(const mo_bounds8 *own, double key[MO_WIDTH], const void *query) {
  const mo_mesh_closest *q = query;
  if (q->by_plane) {
    return mo_plane_distance_keys(&q->plane, q->limit, own, key);
  }
  mo_bounds8 baked;
  const mo_bounds8 *bounds = mo_bounds_for(q->frame.bake, own, &baked);
  for (int i = 0; i < MO_WIDTH; i++) {
    key[i] = 0.0;
  }
  for (int axis = 0; axis < 3; axis++) {
    double from = q->frame.from[axis], error = q->frame.error[axis];
    double weight = q->frame.weight[axis];
    for (int i = 0; i < MO_WIDTH; i++) {
      double above = (double)bounds->lower[axis][i] - from;
      double below = from - (double)bounds->upper[axis][i];
      double gap = (above > below ? above : below) - error;
      key[i] += gap > 0.0 ? weight * gap * gap : 0.0;
    }
  }
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    mask |= (uint32_t)(key[i] <= q->limit) << i;
  }
  if (mask != 0 && q->lanes.tells_nodes) {
    const mo_lanes_boxes boxes = mo_lanes_take_boxes(own, &q->lanes.map);
    mask &= mo_lanes_raise(key, mo_lanes_box_distance2(&q->lanes, &boxes), q->limit);
  }
  return q->before2 > 0.0 ? mask & ~given_before(q, bounds) : mask;
}

static inline uint32_t narrow(const mo_triangle_block *block, double key[MO_WIDTH],
                              const void *query) {
  const mo_mesh_closest *q = query;
  const mo_bounds8 around = mo_block_bounds(block);
  const uint32_t mask = keys(&around, key, query);
  if (mask == 0 || !q->lanes.is_usable) {
    return mask;
  }
  const mo_block_corners8 triangles = mo_block_corners(block, &q->lanes.map);
  mo_f8 bound = mo_lanes_distance2(&q->lanes, &triangles);
  if (q->lanes.tells_nodes) {
    const mo_lanes_boxes boxes = mo_lanes_around(&triangles);
    bound = mo_f8_max(bound, mo_lanes_box_distance2(&q->lanes, &boxes));
  }
  return mask & mo_lanes_raise(key, bound, q->limit);
}

static inline bool once(const void *query) {
  const mo_distances *found = ((const mo_mesh_closest *)query)->found;
  return found != NULL && (found->count_all || found->hits.capacity > 1);
}

static const mo_triangle_nearest_visitor visitor = {keys, narrow, mo_mesh_closest_test, once};

void MO_ISA_FN(mo_mesh_closest_full)(const mo_mesh *mesh, mo_mesh_closest *query,
                                     mo_query_stats *stats) {
  mo_visit_triangles_nearest(mesh, MO_MESH_FULL, &visitor, &query->limit, stats, query);
}

void MO_ISA_FN(mo_mesh_closest_compact)(const mo_mesh *mesh, mo_mesh_closest *query,
                                        mo_query_stats *stats) {
  mo_visit_triangles_nearest(mesh, MO_MESH_COMPACT, &visitor, &query->limit, stats, query);
}
