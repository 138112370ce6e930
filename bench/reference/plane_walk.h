/* The classical octree traversal by planes, as a reference: visit the octant that contains the
 * ray's origin, cross the nearest plane ahead, visit the octant on its other side, and so on until
 * the ray leaves the node. With three planes a ray crosses up to four octants.
 *
 * It is implemented as a recursion over the nested planes of a node: at each plane, first the side
 * where the ray is first, then the other. Each side extends as far as the bounds of its content, so
 * that trees whose items reach out of their octants (each item stored once, loose cells) are
 * traversed correctly too. If all items lie within their octants, both sides end at the plane. */
#ifndef BENCH_REFERENCE_PLANE_WALK_H
#define BENCH_REFERENCE_PLANE_WALK_H

#include "geometry/ray/ray.h"
#include "octree/order.h"

/* Called for each octant that the ray crosses between t0 and t1 (the ray's own t). Returns true to
 * stop the walk. */
typedef bool reference_visit_octant(uint32_t slot, float t0, float t1, void *context);

/* A ray through a node. */
typedef struct reference_plane_walk {
  const mo_ray *ray;
  const mo_bounds8 *bounds;
  const mo_nested_planes *planes; /* only their axes and nesting are used */
  reference_visit_octant *visit;
  void *context; /* passed to `visit` */
} reference_plane_walk;

/* Visits the octants that the ray crosses between t0 and t1. Returns true if `visit` has stopped
 * the walk. */
bool reference_walk_planes(const reference_plane_walk *walk, float t0, float t1);

#endif
