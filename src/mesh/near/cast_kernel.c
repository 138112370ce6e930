/* Finds the triangles that a moving ball or convex body touches; compiled once per instruction
 * set. */
#include "mesh/near/lanes.h"
#include "mesh/near/near.h"
#include "mesh/visit/visit.h"
#include "octree/moving_ball.h"
#include "octree/moving_plane.h"

static inline uint32_t keys(const mo_bounds8 *own, double key[MO_WIDTH], const void *query) {
  const mo_mesh_cast *q = query;
  if (q->by_plane) {
    return mo_plane_time_keys(&q->plane, q->limit, own, key);
  }
  mo_bounds8 baked;
  uint32_t mask = mo_path_keys(q->path, q->limit, mo_bounds_for(q->frame.bake, own, &baked), key);
  if (mask != 0 && q->lanes.tells_nodes) {
    const mo_lanes_boxes boxes = mo_lanes_take_boxes(own, &q->lanes.map);
    mask &= mo_lanes_raise(key, mo_lanes_box_time(&q->lanes, &boxes), q->limit);
  }
  return mask;
}

static inline uint32_t narrow(const mo_triangle_block *block, double key[MO_WIDTH],
                              const void *query) {
  const mo_mesh_cast *q = query;
  if (!q->lanes.is_usable) {
    return 0xff;
  }
  const mo_block_corners8 triangles = mo_block_corners(block, &q->lanes.map);
  uint32_t mask = 0xff;
  if (q->lanes.tells_nodes) {
    const mo_lanes_boxes boxes = mo_lanes_around(&triangles);
    mask = mo_lanes_raise(key, mo_lanes_box_time(&q->lanes, &boxes), q->limit);
  }
  return mask & mo_lanes_raise(key, mo_lanes_time(&q->lanes, &triangles, key), q->limit);
}

static inline uint32_t cull(const mo_bounds8 *own, const void *query) {
  double key[MO_WIDTH];
  return keys(own, key, query);
}

/* Culls lanes for casts that list all hits. */
static inline uint32_t narrow_lanes(const mo_triangle_block *block, uint32_t lanes, uint32_t *sure,
                                    const void *query) {
  double key[MO_WIDTH];
  const mo_bounds8 bounds = mo_block_bounds(block);
  *sure = 0;
  lanes &= keys(&bounds, key, query);
  return lanes != 0 ? lanes & narrow(block, key, query) : 0;
}

static const mo_triangle_nearest_visitor nearest = {keys, narrow, mo_mesh_cast_test, NULL};
static const mo_triangle_visitor all = {cull, narrow_lanes, mo_mesh_cast_meets, mo_mesh_cast_list};

MO_INLINE void visit(mo_mesh_cast *query, mo_mesh_format format, mo_query_stats *stats) {
  if (query->hits != NULL) {
    mo_visit_triangles(query->mesh, format, &all, stats, query);
  } else {
    mo_visit_triangles_nearest(query->mesh, format, &nearest, &query->limit, stats, query);
  }
}

void MO_ISA_FN(mo_mesh_cast_full)(mo_mesh_cast *query, mo_query_stats *stats) {
  visit(query, MO_MESH_FULL, stats);
}

void MO_ISA_FN(mo_mesh_cast_compact)(mo_mesh_cast *query, mo_query_stats *stats) {
  visit(query, MO_MESH_COMPACT, stats);
}
