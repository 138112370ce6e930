/* Shortens a translation that separates two bodies, by local descent. */
#ifndef MO_GEOMETRY_PENETRATION_DESCENT_H
#define MO_GEOMETRY_PENETRATION_DESCENT_H

#include "geometry/difference/difference.h"

/* The translation of the second body of a difference by `depth` along a unit vector; the depth is
 * how far the difference reaches along it. */
typedef struct mo_way_out {
  mo_dvec3 normal;
  double depth; /* positive */
} mo_way_out;

/* Rotates a way out to that of locally least depth. There the deepest points of the two bodies
 * differ by the translation: in other directions they also differ sideways. Never makes it longer.
 * `size`: the sum of the reaches of both bodies along three axes. */
void mo_difference_shorten(mo_difference *d, double size, mo_way_out *out);

#endif
