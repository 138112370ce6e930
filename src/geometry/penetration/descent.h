/* Shortens a translation that separates two bodies, by local descent. */
#ifndef MO_GEOMETRY_PENETRATION_DESCENT_H
#define MO_GEOMETRY_PENETRATION_DESCENT_H

#include "geometry/difference/difference.h"

/* A translation that separates two bodies: the second is moved by `depth` along the unit vector
 * `normal`. The depth is how far the difference of the bodies reaches along the normal. */
typedef struct mo_difference_push_out {
  mo_dvec3 normal;
  double depth; /* positive */
} mo_difference_push_out;

/* Rotates a translation to a local minimum of its depth, where the deepest points of the two bodies
 * differ by the translation. Never makes it longer. `size`: the sum of the reaches of both bodies
 * along the three axes. */
void mo_difference_shorten_push_out(mo_difference *d, double size, mo_difference_push_out *out);

#endif
