/* Tests of one triangle against regions, in double precision, as exact as possible.
 *
 * These tests define the results of queries; trees only skip triangles for which they would return
 * false. Each therefore gives two guarantees. If it returns true, some point of the triangle lies
 * in the region to within a few float ulp of the coordinates involved, so that culling with a float
 * margin never loses it (box, planes: axis by axis; ball: to within 1e-14 of the coordinates of all
 * axes, along any of them). If a point of the triangle lies in the (closed) region, it returns
 * true: every comparison that rounding could change is conservative by a bound of that rounding
 * error, about 1e-14 of the coordinates. Corners must have |coordinate| <= MO_MAX_COORDINATE;
 * degenerate triangles are tested as the segments or points that they are. */
#ifndef MO_GEOMETRY_TRIANGLE_TRIANGLE_H
#define MO_GEOMETRY_TRIANGLE_TRIANGLE_H

#include "math/aabb.h"

/* Whether a triangle touches a closed box, which may be flat or a point. By separating axes
 * (Akenine-Moeller 2001). The axes of the box are compared exactly, so a triangle whose corners'
 * AABB misses the box never touches it. False for an empty box. */
bool mo_triangle_overlaps_aabb(const mo_dvec3 corners[3], mo_aabb box);

/* The point of a triangle that is closest to `point`. Always a convex combination of the corners,
 * and exactly inside their AABB. The error of its distance is at most the rounding error of the
 * edge lengths, for slivers too; degenerate triangles are reduced to their edges. */
mo_dvec3 mo_triangle_closest_point(const mo_dvec3 corners[3], mo_dvec3 point);

/* The barycentric weights of mo_triangle_closest_point (not negative, with the sum 1 up to
 * rounding); weights of corners that do not contribute are exactly 0. */
void mo_triangle_closest_weights(const mo_dvec3 corners[3], mo_dvec3 point, double weights[3]);

/* The point of a triangle with given barycentric weights, those of mo_triangle_closest_weights. */
mo_dvec3 mo_triangle_point_at(const mo_dvec3 corners[3], const double weights[3]);

/* Whether a triangle touches a closed ball; the radius may be 0. */
bool mo_triangle_overlaps_sphere(const mo_dvec3 corners[3], mo_sphere sphere);

enum { MO_TRIANGLE_MAX_PLANES = 32 };

/* Whether a triangle has a point inside all planes. The triangle is clipped by one plane after the
 * other (Sutherland and Hodgman 1974). True means that some point of it is inside every plane to
 * within rounding (if planes meet at a sharp angle, that point may be farther from the region than
 * from each plane). A plane with a zero normal keeps all or nothing, depending on its offset. At
 * most MO_TRIANGLE_MAX_PLANES planes (MO_MAX_PLANES of motte/query.h). */
bool mo_triangle_overlaps_planes(const mo_dvec3 corners[3], const mo_plane *planes, uint32_t count);

/* The mean of the corners, to within rounding, of the part of a triangle inside a box. Returns
 * false if no part is inside. */
bool mo_triangle_find_clipped_middle(const mo_dvec3 corners[3], mo_dvec3 lower, mo_dvec3 upper,
                                     mo_dvec3 *middle);

/* The tight AABB, rounded outward to floats, of the part of a triangle inside `box`; empty if there
 * is none. It contains every point of the triangle that lies in the box, and lies in the box
 * itself. Used for spatial splits of references (Stich, Friedrich and Dietrich 2009). */
mo_aabb mo_triangle_clip_bounds(const mo_vec3 corners[3], mo_aabb box);

#endif
