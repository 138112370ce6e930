/* The planes of the triangles near a body, and which of them end below others.
 *
 * A body on the top of a block is above the planes of its sides in no useful sense: its centre is
 * behind them. So a side of a block must not hold a body that lies on the top and reaches over it,
 * or is about to slide off. Such a side ends at an edge that is in the plane of the top; as seen
 * from the body's centre, the surface rises there, and the side is on the other side of the top's
 * plane than the centre. What else lies in the plane of the side, such as a wall that stands on the
 * block, is not below the top, and counts. */
#ifndef MO_CONTACT_PAIR_PLANES_H
#define MO_CONTACT_PAIR_PLANES_H

#include "contact/pair/surface.h"

enum { MO_NEAR_TRIANGLES = 2048, MO_NEAR_PLANES = 64, MO_NO_PLANE = MO_NEAR_PLANES };

/* Triangles in one plane, with the same user data. */
typedef struct mo_near_plane {
  mo_surface_side side; /* of the first of them */
  uint32_t user_data, count;
  bool has_above, has_carries; /* whether these have been found */
  uint64_t above; /* a bit for each plane that triangles of this one end at, from below */
  bool carries;   /* whether the body lies over a triangle of the plane */
} mo_near_plane;

struct mo_near_planes {
  double size;    /* of the body */
  uint32_t count; /* of triangles; ascending */
  uint32_t triangles[MO_NEAR_TRIANGLES];
  uint8_t plane_of[MO_NEAR_TRIANGLES]; /* MO_NO_PLANE: degenerate, or there are more planes */
  mo_near_plane planes[MO_NEAR_PLANES];
  int plane_count;
};

/* Finds the planes of triangles that are listed already. */
void mo_near_planes_find(mo_near_planes *near, const mo_surface *s);

/* Whether some triangle in the plane of this one ends below another plane. */
bool mo_surface_plane_ends(const mo_surface *s, uint32_t triangle);

/* Whether a triangle is nowhere above a plane that triangles of its own plane end at from below,
 * and the body is on the top: it lies over a triangle in that plane, or if it is itself a triangle
 * of a mesh, the mesh is hardly below that plane. With `anywhere`, wherever the body is. */
bool mo_surface_is_below_top(const mo_surface *s, uint32_t triangle, const mo_triangle_contact *m,
                             bool anywhere);

#endif
