/* Finds the triangles that a moving ball or convex body touches; compiled once per instruction
 * set. */
#include "mesh/cast/cast.h"
#include "mesh/culling/lanes.h"
#include "mesh/visit/visit.h"
#include "octree/moving_ball.h"
#include "octree/moving_plane.h"

static inline mo_lanes_boxes load_boxes(const mo_bounds8 *bounds) {
  mo_lanes_boxes boxes;
  for (int axis = 0; axis < 3; axis++) {
    boxes.lower.at[axis] = mo_f8_load(bounds->lower[axis]);
    boxes.upper.at[axis] = mo_f8_load(bounds->upper[axis]);
  }
  return boxes;
}

static inline uint32_t box_keys(const mo_bounds8 *own, double key[MO_LANE_COUNT],
                                const void *query) {
  const mo_mesh_cast *q = query;
  if (q->culls_by_plane) {
    return mo_plane_time_keys(&q->plane, q->limit, own, key);
  }
  if (!q->culls_nodes_by_box) {
    mo_bounds8 in_world;
    return mo_path_time_keys(q->path, q->limit,
                             mo_bounds_to_query_space(q->frame.world_map, own, &in_world), key);
  }
  const mo_lanes_boxes local = load_boxes(own);
  mo_f8 time = mo_lanes_path_time(&q->lane_path, &local);
  if (!q->culling_box.is_aligned) {
    const mo_lanes_boxes boxes = mo_lanes_transform_boxes(own, &q->culling_box.map);
    time = mo_f8_max(time, mo_lanes_path_time(&q->culling_box.path, &boxes));
  }
  return mo_lanes_set_keys(key, time, q->limit);
}

static inline uint32_t block_keys(const mo_triangle_block *block, double key[MO_LANE_COUNT],
                                  const void *query) {
  const mo_mesh_cast *q = query;
  uint32_t mask = 0xff;
  if (!q->culls_nodes_by_box) {
    const mo_bounds8 bounds = mo_block_bounds(block);
    mask = box_keys(&bounds, key, query);
  }
  if (mask == 0 || !q->culling_box.is_usable) {
    return mask;
  }
  const mo_block_corners8 triangles = mo_block_corners(block, &q->culling_box.map);
  const float min_depth = (float)(q->min_depth - q->cast->depth_error) * (1.0f - MO_LANES_ROUNDING);
  const float limit = (float)q->limit;
  const bool is_round = q->culling_box.radius > 0.0f,
             has_sides = !q->cast->is_ball && q->cast->has_bounding_planes,
             is_swept_first =
                 has_sides || (q->culls_nodes_by_box && (!is_round || min_depth > 0.0f));
  uint32_t shallow = 0;
  if (is_swept_first) {
    const mo_f8 time =
        mo_lanes_sweep_time(&q->culling_box, has_sides ? &q->cast->bounding_planes : NULL,
                            &triangles, limit, min_depth, &shallow);
    mask = q->culls_nodes_by_box ? mo_lanes_set_keys(key, time, q->limit)
                                 : mask & mo_lanes_raise_keys(key, time, q->limit);
    mask &= ~shallow;
  } else if (q->culls_nodes_by_box) {
    const mo_lanes_boxes boxes = mo_lanes_triangle_boxes(&triangles);
    mask = mo_lanes_set_keys(key, mo_lanes_path_time(&q->culling_box.path, &boxes), q->limit);
  }
  if (is_round && mask != 0) {
    mask &= mo_lanes_raise_keys(key, mo_lanes_triangle_time(&q->culling_box, &triangles, key),
                                q->limit);
    if (mask != 0 && !is_swept_first) { /* the axes cost more than the directions before */
      const mo_f8 time =
          mo_lanes_sweep_time(&q->culling_box, NULL, &triangles, limit, 0.0f, &shallow);
      mask &= mo_lanes_raise_keys(key, time, q->limit);
    }
  }
  return mask;
}

static inline uint32_t cull_boxes(const mo_bounds8 *own, const void *query) {
  double key[MO_LANE_COUNT];
  return box_keys(own, key, query);
}

/* Culls the triangles of a block, for casts that list all hits. */
static inline uint32_t cull_block(const mo_triangle_block *block, uint32_t lanes,
                                  uint32_t *sure_lanes, const void *query) {
  double key[MO_LANE_COUNT];
  *sure_lanes = 0;
  return lanes & block_keys(block, key, query);
}

static const mo_triangle_nearest_visitor first_contact_visitor = {box_keys, block_keys,
                                                                  mo_mesh_cast_test, NULL};
static const mo_triangle_visitor all_contacts_visitor = {
    cull_boxes, NULL, cull_block, mo_mesh_cast_hits_triangle, mo_mesh_cast_list_contact};

MO_INLINE void visit_mesh(mo_mesh_cast *query, mo_mesh_format format, mo_query_stats *stats) {
  if (query->hits != NULL) {
    mo_visit_triangles(query->mesh, format, &all_contacts_visitor, stats, query);
  } else {
    mo_visit_triangles_nearest(query->mesh, format, &first_contact_visitor, &query->limit, stats,
                               query);
  }
}

void MO_ISA_FN(mo_mesh_cast_full)(mo_mesh_cast *query, mo_query_stats *stats) {
  visit_mesh(query, MO_MESH_FULL, stats);
}

void MO_ISA_FN(mo_mesh_cast_decoded)(mo_mesh_cast *query, mo_query_stats *stats) {
  visit_mesh(query, mo_decoded_format(query->mesh), stats);
}
