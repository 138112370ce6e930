/* Translations that separate two bodies: the second is moved along the normal. */
#ifndef MO_GEOMETRY_PENETRATION_PUSH_OUTS_H
#define MO_GEOMETRY_PENETRATION_PUSH_OUTS_H

#include "geometry/difference/difference.h"
#include "geometry/penetration/penetration.h"

/* Rotates a translation to a local minimum of its depth, where the deepest points of the two bodies
 * differ by the translation. Never makes it longer. `size`: the sum of the reaches of both bodies
 * along the three axes. */
void mo_difference_shorten_push_out(mo_difference *d, double size, mo_push_out *out);

/* Finds the shortest way of the origin out of a difference, in closed form, if one body is a point
 * inside the other body, and that other body is a cylinder or cone without rounding, whose cross
 * sections are circles perpendicular to its axis (as under rotations, mirrorings, uniform scales,
 * and scales along the axis). The rounding errors of a rotation in floats may make the cross
 * sections slightly elliptical: then the depth, a lower bound, is too low by as much. On the axis,
 * where all radial directions are equally short, the same numbers always give the same one. Returns
 * false for all other differences, and if the point is not inside. */
bool mo_difference_push_out_of_round_solid(mo_difference *d, mo_push_out *found);

#endif
