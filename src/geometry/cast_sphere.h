/* A moving ball against a triangle. */
#ifndef MO_GEOMETRY_CAST_SPHERE_H
#define MO_GEOMETRY_CAST_SPHERE_H

#include "math/vector.h"

/* When a ball first touches a triangle, degenerate ones included. Corners are relative to the
 * centre of the ball at t = 0; it moves by `displacement` until t = 1. Returns a t that is not
 * negative, 0 where they touch at the start, or INFINITY if they do not meet (t may be found beyond
 * 1). In double precision: at t the ball is as close to the triangle as its radius, to within some
 * 2^-48 of the coordinates and the displacement. */
double mo_cast_sphere_triangle(const mo_dvec3 corners[3], double radius, mo_dvec3 displacement);

#endif
