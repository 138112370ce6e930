/* Exact-as-possible tests of one triangle against regions, in double precision.
 *
 * What these say is what queries answer; trees only skip triangles for which they would say no.
 * Each therefore keeps one promise: when it says yes, some point of the triangle lies in the region
 * to within a few units in the last place of a float of the coordinates involved, so that culling
 * with a float margin never loses it. Corners with |coordinate| <= MO_MAX_COORDINATE; degenerate
 * triangles (segments, points) are tested as what they are. */
#ifndef MO_GEOMETRY_TRIANGLE_H
#define MO_GEOMETRY_TRIANGLE_H

#include "math/aabb.h"

/* Whether a triangle touches a closed box: separating axes (Akenine-Moeller 2001). */
bool mo_triangle_overlaps_aabb(const mo_dvec3 corners[3], mo_aabb box);

/* The point of a triangle that is closest to `point`: by Voronoi regions (Ericson 2005, 5.1.5), with
 * degenerate triangles reduced to their edges. Always a convex combination of the corners. */
mo_dvec3 mo_triangle_closest_point(const mo_dvec3 corners[3], mo_dvec3 point);

/* Whether a triangle touches a closed ball. */
bool mo_triangle_overlaps_sphere(const mo_dvec3 corners[3], mo_sphere sphere);

/* Whether a triangle has a point inside all planes: it is clipped by one after the other
 * (Sutherland and Hodgman 1974). At most MO_MAX_PLANES planes (motte/query.h). */
bool mo_triangle_overlaps_planes(const mo_dvec3 corners[3], const mo_plane *planes, uint32_t count);

/* The tight box, rounded outward to floats, of the part of a triangle inside `box`; empty if none.
 * For references split across a plane (Stich, Friedrich and Dietrich 2009). */
mo_aabb mo_triangle_clip_bounds(const mo_vec3 corners[3], mo_aabb box);

#endif
