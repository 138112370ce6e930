/* Visits the shapes along the path of a mover, and the triangles along the path of a body. Compiled
 * once per instruction set. */
#include "contact/impact/impact.h"
#include "mesh/culling/swept_lanes.h"
#include "mesh/visit/visit.h"
#include "octree/cull.h"
#include "octree/moving_ball.h"
#include "octree/moving_plane.h"

/* Computes, for eight boxes around shapes, the times at which the mover reaches them: the keys by
 * which the visit is ordered. Returns bits of the boxes that are reached in time. */
static inline uint32_t shape_box_arrival_times(const mo_bounds8 *bounds, double key[MO_LANE_COUNT],
                                               const void *query) {
  const mo_impact_finder *f = query;
  return f->culls_by_plane ? mo_plane_time_keys(&f->plane, f->limit, bounds, key)
                           : mo_path_time_keys(f->path, f->limit, bounds, key);
}

static const mo_shape_nearest_visitor shape_visitor = {.keys = shape_box_arrival_times,
                                                       .visit_shape = mo_impact_test_still_shape};

void MO_ISA_FN(mo_impact_visit_shapes)(mo_impact_finder *f) {
  mo_visit_shapes_nearest(f->scene, &shape_visitor, &f->limit, f->stats, f);
}

/* Computes keys for eight boxes around triangles: the start time of the first slice whose box
 * (mo_slice_boxes) touches the box. */
static inline uint32_t slice_begin_times(const mo_slice_boxes *boxes, double limit,
                                         const mo_bounds8 *bounds, double key[MO_LANE_COUNT]) {
  uint32_t left = mo_boxes_touching_box(bounds, &boxes->union_of_slices), mask = 0;
  for (int slice = 0; slice < MO_TIME_SLICES && left != 0; slice++) {
    const double begin = (double)slice / MO_TIME_SLICES;
    if (!(begin <= limit)) {
      break;
    }
    uint32_t met = mo_boxes_touching_box(bounds, &boxes->slice_box[slice]) & left;
    left ^= met;
    mask |= met;
    for (; met != 0; met &= met - 1) {
      key[__builtin_ctz(met)] = begin;
    }
  }
  return mask;
}

/* Culled boxes get an infinite time, as a triangle in several leaves may pass in another leaf. */
static inline uint32_t set_culled_times_to_infinity(uint32_t mask, double key[MO_LANE_COUNT]) {
  for (uint32_t lanes = ~mask & 0xff; lanes != 0; lanes &= lanes - 1) {
    key[__builtin_ctz(lanes)] = INFINITY;
  }
  return mask;
}

static inline uint32_t find_arrival_times(const mo_impact_triangles *q, const mo_bounds8 *own,
                                          double key[MO_LANE_COUNT]) {
  const double limit = q->finder->limit;
  if (q->culls_by_plane) {
    return mo_plane_time_keys(&q->plane, limit, own, key);
  }
  if (q->slices != NULL) {
    mo_bounds8 in_world;
    return slice_begin_times(&q->boxes, limit,
                             mo_bounds_to_query_space(q->slices->frame.world_map, own, &in_world),
                             key);
  }
  uint32_t mask = mo_swept_box_keys(&q->culling, limit, own, key);
  if (q->culls_by_core && mask != 0) {
    double reached[MO_LANE_COUNT];
    mask &= mo_swept_box_keys(&q->core_culling, 1.0, own, reached);
  }
  return mask;
}

static inline uint32_t box_arrival_times(const mo_bounds8 *own, double key[MO_LANE_COUNT],
                                         const void *query) {
  return set_culled_times_to_infinity(find_arrival_times(query, own, key), key);
}

static inline uint32_t triangle_arrival_times(const mo_triangle_block *block,
                                              double key[MO_LANE_COUNT], const void *query) {
  const mo_impact_triangles *q = query;
  if (q->culls_by_plane || q->slices != NULL) {
    const mo_bounds8 bounds = mo_block_bounds(block);
    return find_arrival_times(q, &bounds, key);
  }
  uint32_t mask = mo_swept_block_keys(&q->culling, q->finder->limit, -INFINITY, block, key);
  if (q->culls_by_core && mask != 0) {
    double reached[MO_LANE_COUNT];
    mask &= mo_swept_block_keys(&q->core_culling, 1.0, -INFINITY, block, reached);
  }
  return mask;
}

static bool tests_each_triangle_once(const void *query) {
  (void)query;
  return true;
}

static const mo_triangle_nearest_visitor triangle_visitor = {
    box_arrival_times, triangle_arrival_times, mo_impact_test_triangle, tests_each_triangle_once};

void MO_ISA_FN(mo_impact_visit_triangles)(mo_impact_triangles *q) {
  const mo_mesh *mesh = q->mesh->mesh;
  mo_query_stats *stats = q->finder->stats;
  const double *limit = &q->finder->limit;
  mo_visit_triangles_nearest(mesh, &triangle_visitor, limit, stats, q);
}
