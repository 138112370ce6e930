/* The shortest way of a point out of a cylinder or cone with circular cross sections. */
#ifndef MO_GEOMETRY_PENETRATION_ROUND_PUSH_OUT_H
#define MO_GEOMETRY_PENETRATION_ROUND_PUSH_OUT_H

#include "geometry/difference/difference.h"

/* The direction of the shortest translation out of a solid. */
typedef struct mo_round_push_out {
  mo_dvec3 normal; /* unit */
  double lower;    /* lower bound of the depth: no shorter translation leads out, up to rounding */
} mo_round_push_out;

/* Finds the shortest way of the origin out of a difference, in closed form, if one body is a point
 * inside the other body, and that other body is a cylinder or cone without rounding, whose cross
 * sections are circles perpendicular to its axis (as under rotations, mirrorings, uniform scales,
 * and scales along the axis). The rounding errors of a rotation in floats may make the cross
 * sections slightly elliptical: then `lower` is too low by as much. On the axis, where all radial
 * directions are equally short, the same numbers always give the same one. Returns false for all
 * other differences, and if the point is not inside. */
bool mo_difference_push_out_of_round_solid(mo_difference *d, mo_round_push_out *found);

#endif
