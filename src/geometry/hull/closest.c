/* The closest point of a hull, by GJK on its support points. */
#include "geometry/gjk.h"
#include "geometry/hull/hull.h"

/* The Minkowski difference of a hull and a point. */
typedef struct hull_and_point {
  const mo_hull *hull;
  mo_dvec3 point;
  uint32_t last_vertex; /* the support vertex that was found last, or MO_NONE */
} hull_and_point;

static mo_difference_point support(void *body, mo_dvec3 direction) {
  hull_and_point *b = body;
  b->last_vertex = mo_hull_farthest_vertex(b->hull, direction, b->last_vertex);
  mo_dvec3 vertex = mo_hull_centered_vertex(b->hull, b->last_vertex);
  return (mo_difference_point){mo_dsub(vertex, b->point), vertex, b->point};
}

mo_dvec3 mo_hull_vector_to(const mo_hull *hull, mo_dvec3 point) {
  hull_and_point body = {hull, point, MO_NONE};
  mo_convex_gap gap = mo_gjk_distance(support, &body, mo_dscale(-1.0, point), INFINITY, NULL);
  return mo_dscale(gap.distance, gap.normal);
}
