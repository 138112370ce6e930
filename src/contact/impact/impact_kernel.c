/* Visits the shapes along the path of a mover, and the triangles along the path of a body. Compiled
 * once per instruction set. */
#include "contact/impact/impact.h"
#include "mesh/visit/visit.h"
#include "octree/moving_ball.h"
#include "octree/moving_plane.h"

static inline uint32_t shape_keys(const mo_bounds8 *bounds, double key[MO_WIDTH],
                                  const void *query) {
  const mo_impact_finder *f = query;
  return f->by_plane ? mo_plane_time_keys(&f->plane, f->limit, bounds, key)
                     : mo_path_keys(f->path, f->limit, bounds, key);
}

static const mo_shape_nearest_visitor by_shape = {shape_keys, mo_impact_meet_still, NULL};

void MO_ISA_FN(mo_impact_visit_shapes)(mo_impact_finder *f) {
  mo_visit_shapes_nearest(f->scene, &by_shape, &f->limit, f->stats, f);
}

static inline uint32_t triangle_keys(const mo_bounds8 *own, double key[MO_WIDTH],
                                     const void *query) {
  const mo_impact_triangles *q = query;
  if (q->by_plane) {
    return mo_plane_time_keys(&q->plane, q->finder->limit, own, key);
  }
  mo_bounds8 baked;
  const mo_bounds8 *bounds = mo_bounds_for(q->bake, own, &baked);
  uint32_t mask = mo_path_keys(q->path, q->finder->limit, bounds, key);
  if (q->has_core_path && mask != 0) {
    double reached[MO_WIDTH];
    mask &= mo_path_keys(q->core_path, 1.0, bounds, reached);
  }
  return mask;
}

static const mo_triangle_nearest_visitor by_triangle = {triangle_keys, NULL,
                                                        mo_impact_test_triangle, NULL};

void MO_ISA_FN(mo_impact_visit_triangles)(mo_impact_triangles *q) {
  const mo_mesh *mesh = q->mesh->mesh;
  mo_query_stats *stats = q->finder->stats;
  const double *limit = &q->finder->limit;
  if (mesh->format == MO_MESH_FULL) {
    mo_visit_triangles_nearest(mesh, MO_MESH_FULL, &by_triangle, limit, stats, q);
  } else {
    mo_visit_triangles_nearest(mesh, MO_MESH_COMPACT, &by_triangle, limit, stats, q);
  }
}
