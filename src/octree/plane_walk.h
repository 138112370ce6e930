/* The plain traversal by planes, kept as a reference: visit the octant of the ray's origin, go on
 * across the nearest plane ahead, on its other side visit the next, until the ray leaves the node;
 * a ray crosses up to four octants of three planes.
 *
 * It is written as a walk over the nested planes of a node: at each, the side where the ray is
 * first, then the other. Planes have thickness here: each side reaches as far as the bounds of what
 * it holds, so that trees whose items stick out of their octant (each item stored once, loose
 * cells) are walked too. Where all items keep to their octants the two reaches meet at the plane.
 */
#ifndef MO_OCTREE_PLANE_WALK_H
#define MO_OCTREE_PLANE_WALK_H

#include "geometry/ray/ray.h"
#include "octree/order.h"

/* Called for each octant that the ray crosses between t0 and t1 (the ray's own t). Returns true to
 * stop the walk. */
typedef bool mo_visit_octant(uint32_t slot, float t0, float t1, void *context);

/* A ray through a node. */
typedef struct mo_plane_walk {
  const mo_ray *ray;
  const mo_bounds8 *bounds;
  const mo_nested *planes; /* only their axes and their nesting are used */
  mo_visit_octant *visit;
  void *context; /* for visit */
} mo_plane_walk;

/* Visits the octants that the ray crosses between t0 and t1. Returns true if `visit` has stopped
 * the walk. */
bool mo_walk_planes(const mo_plane_walk *walk, float t0, float t1);

#endif
