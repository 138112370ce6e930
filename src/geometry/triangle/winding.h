/* The winding number of a surface of triangles around a point: how often it encloses it. */
#ifndef MO_GEOMETRY_TRIANGLE_WINDING_H
#define MO_GEOMETRY_TRIANGLE_WINDING_H

#include "math/vector.h"

/* What a triangle adds to the winding number around the origin: 1 where the ray from there along +x
 * leaves through it, as its normal (right-hand rule) says, -1 where it enters, else 0; degenerate
 * triangles add nothing. A ray that meets an edge or a corner counts as one beside it, the same one
 * for all triangles, so that of a closed surface the sum over all triangles is its winding number;
 * all decisions are exact. Where the origin lies on the surface, the sum is that of one side. */
int mo_triangle_winding(const mo_dvec3 corners[3]);

#endif
