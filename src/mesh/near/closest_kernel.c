/* Finds the triangle of a mesh that is closest to a point or body; compiled once per instruction
 * set. */
#include "mesh/culling/lanes.h"
#include "mesh/near/near.h"
#include "mesh/visit/visit.h"
#include "octree/moving_plane.h"

/* Bits of the boxes that can be skipped, in a query for hits after a given hit: all their points
 * are closer than it. */
static inline uint32_t boxes_to_skip(const mo_mesh_closest *q, const mo_bounds8 *bounds) {
  double far2[MO_LANE_COUNT] = {0.0};
  for (int axis = 0; axis < 3; axis++) {
    double from = q->frame.from[axis], error = q->frame.error[axis],
           weight = q->frame.max_weight[axis];
    for (int i = 0; i < MO_LANE_COUNT; i++) {
      double above = (double)bounds->upper[axis][i] - from;
      double below = from - (double)bounds->lower[axis][i];
      double far = (above > below ? above : below) + error;
      far2[i] += weight * far * far;
    }
  }
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    mask |= (uint32_t)(far2[i] < q->skip_distance2) << i;
  }
  return mask;
}

/* Lower bounds of the squared distances of eight boxes. Squares may overflow, or lose bits to
 * underflow. */
static inline mo_f8 box_distances2(const mo_mesh_closest *q, const mo_bounds8 *bounds) {
  const mo_f8 zero = mo_f8_splat(0.0f);
  mo_f8 sum = zero;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 above = mo_f8_sub(mo_f8_load(bounds->lower[axis]), mo_f8_splat(q->upper[axis]));
    mo_f8 below = mo_f8_sub(mo_f8_splat(q->lower[axis]), mo_f8_load(bounds->upper[axis]));
    mo_f8 gap = mo_f8_max(mo_f8_max(above, below), zero);
    gap = mo_f8_mul(gap, mo_f8_splat(q->scale[axis]));
    sum = mo_f8_add(sum, mo_f8_mul(gap, gap));
  }
  return mo_lanes_clamp(mo_lanes_square_below(sum), zero, mo_f8_splat(FLT_MAX));
}

static inline uint32_t box_keys(const mo_bounds8 *own, double key[MO_LANE_COUNT],
                                const void *query) {
  const mo_mesh_closest *q = query;
  if (q->culls_by_plane) {
    return mo_plane_distance_keys(&q->plane, q->limit, own, key);
  }
  mo_bounds8 in_world;
  const mo_bounds8 *bounds = mo_bounds_to_query_space(q->frame.world_map, own, &in_world);
  uint32_t mask = mo_lanes_set_keys(key, box_distances2(q, bounds), q->limit);
  if (mask != 0 && q->culling_box.culls_nodes) {
    const mo_lanes_boxes boxes = mo_lanes_transform_boxes(own, &q->culling_box.map);
    mask &= mo_lanes_raise_keys(key, mo_lanes_box_distance2(&q->culling_box, &boxes), q->limit);
  }
  return q->skip_distance2 > 0.0 ? mask & ~boxes_to_skip(q, bounds) : mask;
}

static inline uint32_t block_keys(const mo_triangle_block *block, double key[MO_LANE_COUNT],
                                  const void *query) {
  const mo_mesh_closest *q = query;
  const mo_bounds8 around = mo_block_bounds(block);
  const uint32_t mask = box_keys(&around, key, query);
  if (mask == 0 || !q->culling_box.is_usable) {
    return mask;
  }
  const mo_block_corners8 triangles = mo_block_corners(block, &q->culling_box.map);
  mo_f8 bound = mo_lanes_triangle_distance2(&q->culling_box, &triangles);
  if (q->culling_box.culls_nodes) {
    const mo_lanes_boxes boxes = mo_lanes_triangle_boxes(&triangles);
    bound = mo_f8_max(bound, mo_lanes_box_distance2(&q->culling_box, &boxes));
  }
  return mask & mo_lanes_raise_keys(key, bound, q->limit);
}

static inline bool must_test_once(const void *query) {
  const mo_distance_query *found = ((const mo_mesh_closest *)query)->body_query;
  return found != NULL && (found->count_all || found->hits.capacity > 1);
}

static const mo_triangle_nearest_visitor visitor = {box_keys, block_keys, mo_mesh_closest_test,
                                                    must_test_once};

void MO_ISA_FN(mo_mesh_closest_visit)(const mo_mesh *mesh, mo_mesh_closest *query,
                                      mo_query_stats *stats) {
  mo_visit_triangles_nearest(mesh, &visitor, &query->limit, stats, query);
}
