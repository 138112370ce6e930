/* The triangles that a moving ball or convex body touches; compiled once per instruction set. */
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
  return mo_path_keys(q->path, q->limit, mo_bounds_for(q->frame.bake, own, &baked), key);
}

static inline uint32_t cull(const mo_bounds8 *own, const void *query) {
  double key[MO_WIDTH];
  return keys(own, key, query);
}

static const mo_triangle_nearest_visitor nearest = {keys, mo_mesh_cast_test, NULL};
static const mo_triangle_visitor all = {cull, NULL, mo_mesh_cast_meets, mo_mesh_cast_list};

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
