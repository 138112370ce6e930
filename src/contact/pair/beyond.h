/* Sides of a surface that a body reaches over, as a crate on a block reaches over the sides of the
 * block: its centre is behind their planes, but above the top. Such a side does not push the body
 * along its plane's normal. */
#ifndef MO_CONTACT_PAIR_BEYOND_H
#define MO_CONTACT_PAIR_BEYOND_H

#include "contact/pair/surface.h"

enum { MO_BEYOND_PLANES = 64 };

/* A mesh whose triangles are the bodies on a surface. A small one of them may touch only triangles
 * of a side that do not reach the edge where the side ends. So the planes of such sides are found
 * for the whole mesh, when they are first needed, up to MO_BEYOND_PLANES of them in the order of
 * triangles. */
struct mo_whole_body {
  mo_dvec3 center;  /* of its bounds; world */
  double size;      /* diagonal of its bounds */
  mo_region region; /* all its contacts are there */
  bool has_planes;
  int plane_count;
  mo_surface_side planes[MO_BEYOND_PLANES];
};

/* Whether the body's centre is beyond a neighbour of a triangle, at an edge where the surface rises
 * as seen from the side of the triangle that the centre is on (`in_front`): on the other side of
 * the neighbour's plane than the triangle. `size`: of the body. */
bool mo_surface_is_beyond_neighbour(const mo_surface *s, uint32_t triangle,
                                    const mo_dvec3 corner[3], bool in_front, double size);

/* Whether the body is a triangle of a mesh, and the mesh is beyond a neighbour of some triangle in
 * this plane. */
bool mo_surface_is_beyond_plane(const mo_surface *s, const mo_surface_side *side);

#endif
