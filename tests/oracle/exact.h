/* A second opinion on what is exact, by whole numbers of many digits. */
#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include <motte/math.h>

/* Whether the corners of a triangle lie on a line, exactly. False where they are not finite. */
bool exact_is_degenerate(const mo_vec3 corners[3]);

/* The sign, -1, 0 or 1, of six times the volume of a tetrahedron of finite points: 1 where the last
 * one lies on the side of the others that (b - a) x (c - a) points to. */
int exact_orientation(const mo_vec3 points[4]);

/* Six times the volume of a tetrahedron of finite points, of the same sign, rounded once or twice.
 */
long double exact_volume(const mo_vec3 points[4]);

/* The sign of the inner product of a direction with a - b, all finite. */
int exact_comparison(mo_vec3 direction, mo_vec3 a, mo_vec3 b);

#endif
