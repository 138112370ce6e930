/* Whether a hull is the convex hull of points, by definition and by whole numbers of many digits.
 * Shares no rule and no arithmetic with the builder or with mo_hull_validate. */
#ifndef TEST_GEOMETRY_HULL_POLYTOPE_H
#define TEST_GEOMETRY_HULL_POLYTOPE_H

#include <motte/hull.h>

enum { POLYTOPE_MAX_VERTICES = 64 };

/* What is wrong with a hull of some points, read by public functions; null if nothing is.
 *
 * - Every index is in range. Vertices are points that were given, in ascending order.
 * - Each face is a convex polygon in one plane; the surface is closed, and Euler's formula holds.
 * - All vertices lie below each face's plane, except its own. All points do too, or lie in it,
 *   unless `limited`: then a vertex limit may have left some outside.
 * - A hull is flat exactly if all points lie in one plane.
 * - The volume is the sum of tetrahedra, to 1e-9.
 *
 * At most POLYTOPE_MAX_VERTICES vertices. */
const char *polytope_fault(const mo_hull *hull, const mo_vec3 *points, uint32_t count,
                           bool limited);

/* Whether all points are equal or lie on one line: they have no hull. */
bool polytope_is_line(const mo_vec3 *points, uint32_t count);

#endif
