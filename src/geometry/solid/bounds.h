/* AABBs of the images of solids, four lanes at a time: one solid along the three world axes, or
 * four solids along one world axis. */
#ifndef MO_GEOMETRY_SOLID_BOUNDS_H
#define MO_GEOMETRY_SOLID_BOUNDS_H

#include "base/inline.h"
#include "geometry/solid/solids.h"
#include "geometry/sum.h"

/* Computes the lower and upper sides of the images, each lane along one world axis, given the rows
 * of the maps' linear parts and the coordinates of their origins; for hulls also the vertices that
 * are farthest along the rows and against them (mo_hull_row_support_points). */
MO_INLINE void mo_image_sides(const mo_solid4 *s, const mo_d4vec *row, mo_d4 origin,
                              const mo_d4vec *vertices, mo_f4 *lower, mo_f4 *upper) {
  mo_f4 below = mo_f4_splat(-INFINITY), above = below; /* `below`: the lower sides, negated */
  const int count = mo_solid_bound_point_count(s->kind);
  for (int i = 0; i < count; i++) {
    const mo_d4vec *end = s->kind == MO_SOLID_HULL ? &vertices[i] : i == 0 ? &s->a : &s->b;
    mo_sum4 low = {.value = 0.0 + origin};
    mo_sum4_add(&low, row->x * end->x);
    mo_sum4_add(&low, row->y * end->y);
    mo_sum4_add(&low, row->z * end->z);
    mo_sum4 high = low;
    mo_d4 extent[4];
    int terms = mo_solid_extents(s, i, row, extent);
    if (terms > 0) {
      mo_sum4 half = {.value = extent[0]};
      for (int k = 1; k < terms; k++) {
        mo_sum4_add(&half, extent[k]);
      }
      low.bound += half.bound;
      high.bound = low.bound;
      mo_sum4_add(&low, -half.value);
      mo_sum4_add(&high, half.value);
    }
    below = mo_f4_max(below, mo_d4_round_up_beyond(-low.value, low.bound));
    above = mo_f4_max(above, mo_d4_round_up_beyond(high.value, high.bound));
  }
  *lower = -below;
  *upper = above;
}

/* As mo_convex_bounds, given the rows of the map's linear part: row i in lane i. */
MO_INLINE void mo_image_bounds(const mo_solid *s, const mo_d4vec *row, mo_d4 origin, mo_f4 *lower,
                               mo_f4 *upper) {
  mo_solid4 same = mo_solid4_splat(s);
  mo_d4vec vertices[2];
  if (s->kind == MO_SOLID_HULL) {
    mo_hull_row_support_points(s->hull, row, vertices);
  }
  mo_image_sides(&same, row, origin, vertices, lower, upper);
}

#endif
