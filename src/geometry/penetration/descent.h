/* Shortens a translation that separates two bodies, by local descent. */
#ifndef MO_GEOMETRY_PENETRATION_DESCENT_H
#define MO_GEOMETRY_PENETRATION_DESCENT_H

#include "geometry/difference/difference.h"

/* The translation of the second body of a difference by `depth` along a unit vector; the depth is
 * how far the difference reaches along it. */
typedef struct mo_difference_exit {
  mo_dvec3 normal;
  double depth; /* positive */
} mo_difference_exit;

/* Rotates a translation to a local minimum of its depth, where the deepest points of the two bodies
 * differ by the translation. Never makes it longer. `size`: the sum of the reaches of both bodies
 * along the three axes. */
void mo_difference_shorten_exit(mo_difference *d, double size, mo_difference_exit *out);

#endif
