/* The winding number of a triangle surface around a point: how often the surface encloses the
 * point. */
#ifndef MO_GEOMETRY_TRIANGLE_WINDING_H
#define MO_GEOMETRY_TRIANGLE_WINDING_H

#include "math/vector.h"

/* The contribution of a triangle to the winding number around the origin: 1 if the ray from the
 * origin along +x exits through it, by its normal (right-hand rule), -1 if it enters, else 0;
 * degenerate triangles contribute 0. A ray that meets an edge or a corner is treated as a slightly
 * shifted ray, the same for all triangles, so for a closed surface the sum over all triangles is
 * its winding number. All decisions are exact. If the origin lies on the surface, the sum is that
 * of one side. */
int mo_triangle_winding(const mo_dvec3 corners[3]);

#endif
