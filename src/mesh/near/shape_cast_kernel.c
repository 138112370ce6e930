/* The first triangle that a moving convex body touches; compiled once per instruction set. */
#include "mesh/near/near.h"
#include "mesh/visit/visit.h"
#include "octree/moving_ball.h"

static inline uint32_t keys(const mo_bounds8 *own, double key[MO_WIDTH], const void *query) {
  const mo_mesh_shape_cast *q = query;
  mo_bounds8 baked;
  return mo_path_keys(q->path, q->limit, mo_bounds_for(q->frame.bake, own, &baked), key);
}

static const mo_triangle_nearest_visitor visitor = {keys, mo_mesh_shape_cast_test};

void MO_ISA_FN(mo_mesh_shape_cast_full)(const mo_mesh *mesh, mo_mesh_shape_cast *query,
                                        mo_query_stats *stats) {
  mo_visit_triangles_nearest(mesh, MO_MESH_FULL, &visitor, &query->limit, stats, query);
}

void MO_ISA_FN(mo_mesh_shape_cast_compact)(const mo_mesh *mesh, mo_mesh_shape_cast *query,
                                           mo_query_stats *stats) {
  mo_visit_triangles_nearest(mesh, MO_MESH_COMPACT, &visitor, &query->limit, stats, query);
}
