/* Segments and points, the cores of capsules and balls, with each other, with boxes and with
 * triangles. */
#ifndef MO_CONTACT_NORMAL_SEGMENTS_H
#define MO_CONTACT_NORMAL_SEGMENTS_H

#include "contact/normal/contact_normal.h"
#include "geometry/difference/difference.h"

/* A segment from `center` - `half` to `center` + `half`; for a point, `half` is zero. */
typedef struct mo_contact_line {
  mo_dvec3 center, half;
} mo_contact_line;

/* Clamps a parameter of a segment to -1 (its start) to 1 (its end). */
static inline double mo_clamp_to_segment(double t) {
  return t < -1.0 ? -1.0 : t > 1.0 ? 1.0 : t;
}

/* The distance of two segments, and their closest points. */
double mo_contact_closest_of_lines(mo_contact_line a, mo_contact_line b, mo_dvec3 points[2]);

/* Finds the point `closest` of a box with the half axes `axis` that is closest to the point
 * `point`; both points are relative to the centre of the box. Minimises over one box coordinate
 * after the other; further passes correct for axes that are perpendicular but for rounding. Returns
 * false where the axes are not perpendicular. */
bool mo_contact_closest_of_box(const mo_dvec3 axis[3], mo_dvec3 point, mo_dvec3 *closest);

/* Whether a body is a ball or capsule, or a point or segment without rounding. */
static inline bool mo_contact_is_segment(const mo_contact_body *body) {
  return (body->kind == MO_CORE_POINT || body->kind == MO_CORE_SEGMENT) &&
         body->ellipsoid_radius == 0.0;
}

/* The segment that is the core of such a body. */
mo_contact_line mo_contact_line_of(const mo_contact_body *body);

/* The closest points of a segment and a triangle that do not cross. Returns their distance. */
MO_ISA_DECLARE(double, mo_closest_of_segment_and_triangle,
               (const mo_contact_line *l, const mo_dvec3 corner[3], mo_dvec3 points[2]));

/* The contact normal of two such bodies. */
mo_contact_axis mo_contact_axis_of_segments(const mo_contact_body *a, const mo_contact_body *b,
                                            double max);

/* The distance of the cores of such a body and of a triangle or box. Returns false for other
 * bodies, flat or skewed boxes, and boxes that the segment touches. */
bool mo_contact_segment_gap(const mo_contact_body *l, const mo_contact_body *other,
                            mo_convex_gap *gap);

#endif
