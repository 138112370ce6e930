/* The first triangle that a moving ball touches; compiled once per instruction set. */
#include "mesh/near/near.h"
#include "mesh/visit/visit.h"

/* When the way of the centre enters boxes grown for the ball. */
static inline uint32_t keys(const mo_bounds8 *own, double key[MO_WIDTH], const void *query) {
  const mo_mesh_cast *q = query;
  mo_bounds8 baked;
  const mo_bounds8 *bounds = mo_bounds_for(q->frame.bake, own, &baked);
  double leave[MO_WIDTH];
  for (int i = 0; i < MO_WIDTH; i++) {
    key[i] = 0.0;
    leave[i] = q->limit;
  }
  for (int axis = 0; axis < 3; axis++) {
    double from = q->frame.from[axis], way = q->frame.way[axis], grow = q->grow[axis];
    for (int i = 0; i < MO_WIDTH; i++) {
      double below = (double)bounds->lower[axis][i] - grow - from;
      double above = (double)bounds->upper[axis][i] + grow - from;
      double a = below / way, b = above / way;
      bool within = below <= 0.0 && 0.0 <= above; /* all along, if it does not move here */
      double first = way > 0.0 ? a : way < 0.0 ? b : within ? -INFINITY : INFINITY;
      double last = way > 0.0 ? b : way < 0.0 ? a : within ? INFINITY : -INFINITY;
      key[i] = first > key[i] ? first : key[i];
      leave[i] = last < leave[i] ? last : leave[i];
    }
  }
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    mask |= (uint32_t)(key[i] <= leave[i]) << i;
  }
  return mask;
}

static const mo_triangle_nearest_visitor visitor = {keys, mo_mesh_cast_test};

void MO_ISA_FN(mo_mesh_cast_full)(const mo_mesh *mesh, mo_mesh_cast *query, mo_query_stats *stats) {
  mo_visit_triangles_nearest(mesh, MO_MESH_FULL, &visitor, &query->limit, stats, query);
}

void MO_ISA_FN(mo_mesh_cast_compact)(const mo_mesh *mesh, mo_mesh_cast *query,
                                     mo_query_stats *stats) {
  mo_visit_triangles_nearest(mesh, MO_MESH_COMPACT, &visitor, &query->limit, stats, query);
}
