/* Computes the winding number of a mesh around a point; compiled once per instruction set. */
#include "mesh/near/near.h"
#include "mesh/visit/visit.h"
#include "octree/cull.h"

static inline uint32_t cull_boxes(const mo_bounds8 *bounds, const void *query) {
  const mo_mesh_winding *q = query;
  mo_bounds8 in_world;
  return mo_boxes_touching_box(mo_bounds_to_query_space(q->affine, bounds, &in_world), &q->ray);
}

static const mo_triangle_visitor visitor = {cull_boxes, NULL, NULL, mo_mesh_winding_test,
                                            mo_mesh_winding_add};

void MO_ISA_FN(mo_mesh_winding_find)(const mo_mesh *mesh, mo_mesh_winding *query,
                                     mo_query_stats *stats) {
  mo_visit_triangles(mesh, &visitor, stats, query);
}
