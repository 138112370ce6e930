/* Points on triangles, and heights of triangles along a normal. Positions are relative to the
 * reference point of the body. */
#ifndef MO_CONTACT_SURFACE_HEIGHTS_H
#define MO_CONTACT_SURFACE_HEIGHTS_H

#include "contact/surface/gathered.h"
#include "geometry/triangle/triangle.h"

/* Sine of an angle: a triangle that rises by less above the plane of a contact does not hide it. */
static const double MO_MIN_HIDING_RISE_SINE = 0x1p-10;

static inline const mo_dvec3 *mo_gathered_corners(const mo_gathered_triangles *gathered, uint32_t i,
                                                  mo_gathered_face *made) {
  return mo_gathered_face_of(gathered, i, made)->corner;
}

/* The squared distance of a point from the edge from `start` to `end`, up to rounding. */
static inline double mo_squared_distance_from_edge(mo_dvec3 start, mo_dvec3 end, mo_dvec3 point) {
  const mo_dvec3 edge = mo_dsub(end, start), from = mo_dsub(point, start);
  const double along = mo_ddot(from, edge), length2 = mo_ddot(edge, edge);
  const double part = along <= 0.0 ? 0.0 : along >= length2 ? 1.0 : along / length2;
  const mo_dvec3 gap = mo_dsub(from, mo_dscale(part, edge));
  return mo_ddot(gap, gap);
}

static inline bool mo_is_closest_point_within(const mo_dvec3 corner[3], mo_dvec3 point,
                                              double distance) {
  return mo_dlength(mo_dsub(mo_triangle_closest_point(corner, point), point)) <= distance;
}

/* Whether a point is on the edge from `start` to `end`, to within `distance`, which must be larger
 * than rounding errors of the coordinates. */
static inline bool mo_is_point_on_edge(mo_dvec3 start, mo_dvec3 end, mo_dvec3 point,
                                       double distance) {
  const mo_dvec3 edge[3] = {start, end, start};
  const double distance2 = mo_squared_distance_from_edge(start, end, point);
  return distance2 <= 4.0 * distance * distance &&
         (distance2 <= 0.25 * distance * distance ||
          mo_is_closest_point_within(edge, point, distance));
}

/* Whether a point is on the triangle with the corners `corner`, to within `distance`, which must be
 * larger than rounding errors of the coordinates. Nearly all points that are on a triangle are on
 * its edges, as contact points of its neighbours are; so the edges are tested first. */
static inline bool mo_is_point_on_corners(const mo_dvec3 corner[3], mo_dvec3 point,
                                          double distance) {
  const double surely_within = 0.25 * distance * distance;
  return mo_gathered_may_be_within(corner, point, distance) &&
         (mo_squared_distance_from_edge(corner[0], corner[1], point) <= surely_within ||
          mo_squared_distance_from_edge(corner[1], corner[2], point) <= surely_within ||
          mo_squared_distance_from_edge(corner[2], corner[0], point) <= surely_within ||
          mo_is_closest_point_within(corner, point, distance));
}

static inline bool mo_is_point_on_face(const mo_gathered_face *face, mo_dvec3 point,
                                       double distance) {
  return !mo_gathered_face_is_far(face, point, distance) &&
         mo_is_point_on_corners(face->corner, point, distance);
}

/* Whether a point is on item `i`, a triangle, to within `distance`. */
static inline bool mo_is_point_on_item(const mo_gathered_triangles *gathered, uint32_t i,
                                       mo_dvec3 point, double distance) {
  mo_gathered_face made;
  return mo_is_point_on_face(mo_gathered_face_of(gathered, i, &made), point, distance);
}

/* How steeply a triangle rises above the plane through `point` with the normal `normal`: the
 * greatest sine of the angle between the plane and the direction from the point to a corner. */
static inline double mo_rise_sine(const mo_gathered_triangles *gathered, const mo_dvec3 corner[3],
                                  mo_dvec3 point, mo_dvec3 normal) {
  double rise = 0.0;
  for (int k = 0; k < 3; k++) {
    const mo_dvec3 to = mo_dsub(corner[k], point);
    const double length = mo_dlength(to);
    rise = length > gathered->tolerance ? mo_dmax(rise, mo_ddot(normal, to) / length) : rise;
  }
  return rise;
}

/* The range of heights of a triangle along a normal. */
typedef struct mo_height_range {
  double min, max;
} mo_height_range;

static inline mo_height_range mo_height_range_of(const mo_gathered_triangles *gathered, uint32_t i,
                                                 mo_dvec3 normal) {
  mo_gathered_face made;
  const mo_dvec3 *corner = mo_gathered_corners(gathered, i, &made);
  const double a = mo_ddot(normal, corner[0]), b = mo_ddot(normal, corner[1]),
               c = mo_ddot(normal, corner[2]);
  return (mo_height_range){mo_dmin(a, mo_dmin(b, c)), mo_dmax(a, mo_dmax(b, c))};
}

#endif
