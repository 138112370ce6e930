/* Finds the triangles that a moving ball or convex body touches; compiled once per instruction
 * set. */
#include "mesh/cast/cast.h"
#include "mesh/culling/swept_lanes.h"
#include "mesh/visit/visit.h"
#include "octree/moving_plane.h"

static inline uint32_t box_keys(const mo_bounds8 *own, double key[MO_LANE_COUNT],
                                const void *query) {
  const mo_mesh_cast *q = query;
  return q->culls_by_plane ? mo_plane_time_keys(&q->plane, q->limit, own, key)
                           : mo_swept_box_keys(&q->culling, q->limit, own, key);
}

static inline uint32_t block_keys(const mo_triangle_block *block, double key[MO_LANE_COUNT],
                                  const void *query) {
  const mo_mesh_cast *q = query;
  if (q->culls_by_plane) {
    const mo_bounds8 bounds = mo_block_bounds(block);
    return mo_plane_time_keys(&q->plane, q->limit, &bounds, key);
  }
  const float min_depth = (float)(q->min_depth - q->cast->depth_error) * (1.0f - MO_LANES_ROUNDING);
  return mo_swept_block_keys(&q->culling, q->limit, min_depth, block, key);
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

void MO_ISA_FN(mo_mesh_cast_visit)(mo_mesh_cast *query, mo_query_stats *stats) {
  if (query->hits != NULL) {
    mo_visit_triangles(query->mesh, &all_contacts_visitor, stats, query);
  } else {
    mo_visit_triangles_nearest(query->mesh, &first_contact_visitor, &query->limit, stats, query);
  }
}
