/* The planes of the triangles near a body, and the planes at which each of them ends.
 *
 * A body rests on the top of a block, close to a side or reaching over it. Its centre is behind the
 * plane of that side, so the inner face of the side would push it back onto the block. The side
 * must not: it is below the top. It is recognized by the edge that it shares with the top. As seen
 * from the body's centre, the surface rises at that edge, and the side and the centre lie on
 * opposite sides of the plane of the top. A wall in the same plane that rises above the top still
 * counts. */
#ifndef MO_CONTACT_PAIR_PLANES_H
#define MO_CONTACT_PAIR_PLANES_H

#include "contact/pair/surface.h"

enum { MO_NEAR_TRIANGLES = 2048, MO_NEAR_PLANES = 64, MO_NO_PLANE = MO_NEAR_PLANES };

/* Triangles in one plane, with the same user data. */
typedef struct mo_near_plane {
  mo_surface_side side; /* of the first of them */
  uint32_t user_data;
  uint32_t count;                     /* of triangles */
  bool knows_above, knows_under_body; /* whether the following are known */
  uint64_t above;     /* a bit for each plane that triangles of this one end at, from below */
  bool is_under_body; /* whether the body lies over a triangle of the plane */
} mo_near_plane;

/* The triangles near a body, and their planes. */
struct mo_near_planes {
  double size;                           /* of the body */
  uint32_t count;                        /* of triangles */
  uint32_t triangles[MO_NEAR_TRIANGLES]; /* ascending */
  uint8_t plane_of[MO_NEAR_TRIANGLES];   /* MO_NO_PLANE: degenerate, or there are more planes */
  mo_near_plane planes[MO_NEAR_PLANES];
  int plane_count;
};

/* Finds the planes of triangles that are listed already. */
void mo_near_planes_find(mo_near_planes *near, const mo_surface *s);

/* Whether some triangle in the plane of this one ends at the plane of a top, and is below it. */
bool mo_surface_plane_ends(const mo_surface *s, uint32_t triangle);

/* Whether a triangle is below a top at which its plane ends (no corner is above the top), and the
 * body rests on that top: a convex body lies over a triangle of the top; a mesh, of which the body
 * is one triangle, is nowhere far below it. With `anywhere`, the place of the body does not matter.
 */
bool mo_surface_is_below_top(const mo_surface *s, uint32_t triangle, const mo_dvec3 corner[3],
                             bool anywhere);

#endif
