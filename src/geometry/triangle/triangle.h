/* Exact-as-possible tests of one triangle against regions, in double precision.
 *
 * What these say is what queries answer; trees only skip triangles for which they would say no.
 * Each therefore keeps two promises. When it says yes, some point of the triangle lies in the
 * region to within a few units in the last place of a float of the coordinates involved, so that
 * culling with a float margin never loses it (box, planes: axis by axis; ball: to within 1e-14 of
 * the coordinates of all axes, along any of them). When a point of the triangle lies in the
 * (closed) region, it says yes: every comparison that rounding could tip leans to yes by a bound on
 * that rounding, some 1e-14 of the coordinates. Corners with |coordinate| <= MO_MAX_COORDINATE;
 * degenerate triangles (segments, points) are tested as what they are. */
#ifndef MO_GEOMETRY_TRIANGLE_TRIANGLE_H
#define MO_GEOMETRY_TRIANGLE_TRIANGLE_H

#include "math/aabb.h"

/* Whether a triangle touches a closed box, flat ones and points included: separating axes
 * (Akenine-Moeller 2001). The axes of the box are compared exactly, so a triangle whose corners'
 * AABB misses the box never touches it. False for an empty box. */
bool mo_triangle_overlaps_aabb(const mo_dvec3 corners[3], mo_aabb box);

/* The point of a triangle that is closest to `point`. Always a convex combination of the corners,
 * and exactly inside their AABB. Off by at most rounding of the edge lengths in distance, for
 * slivers too; degenerate triangles are reduced to their edges. */
mo_dvec3 mo_triangle_closest_point(const mo_dvec3 corners[3], mo_dvec3 point);

/* The weights (not negative, sum 1 up to rounding) of the corners in that point; those of corners
 * that do not take part are exactly 0. */
void mo_triangle_closest_weights(const mo_dvec3 corners[3], mo_dvec3 point, double weights[3]);

/* Whether a triangle touches a closed ball, points (radius 0) included. */
bool mo_triangle_overlaps_sphere(const mo_dvec3 corners[3], mo_sphere sphere);

enum { MO_TRIANGLE_MAX_PLANES = 32 };

/* Whether a triangle has a point inside all planes: it is clipped by one after the other
 * (Sutherland and Hodgman 1974). Yes means that some point of it satisfies every plane to within
 * rounding (where planes meet at a sharp angle, such a point may lie farther from all of the region
 * than from each plane). A plane without a normal keeps all or nothing, by its offset. At most
 * MO_TRIANGLE_MAX_PLANES planes (MO_MAX_PLANES of motte/query.h). */
bool mo_triangle_overlaps_planes(const mo_dvec3 corners[3], const mo_plane *planes, uint32_t count);

/* The tight box, rounded outward to floats, of the part of a triangle inside `box`; empty if none.
 * It contains every point of the triangle that lies in the box, and lies in the box itself.
 * For references split across a plane (Stich, Friedrich and Dietrich 2009). */
mo_aabb mo_triangle_clip_bounds(const mo_vec3 corners[3], mo_aabb box);

#endif
