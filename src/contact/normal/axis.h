/* The normal of a contact: which way out is shortest, or where two bodies are closest. */
#ifndef MO_CONTACT_NORMAL_AXIS_H
#define MO_CONTACT_NORMAL_AXIS_H

#include "contact/body/body.h"

typedef struct mo_contact_axis {
  bool near;         /* false: the bodies are farther apart, and nothing but the normal is set */
  mo_dvec3 normal;   /* unit, from A to B; if not near, along which they are apart, or zero */
  double separation; /* of the bodies along it, rounding included */
  bool has_face;     /* whether a face's normal is nearly as good */
  mo_dvec3 face_normal;
  bool is_certain;    /* the bodies are near beyond doubt, and points can be had */
  bool has_points;    /* those below are set: else mo_contact_axis_find_points sets them */
  mo_dvec3 points[2]; /* of A and of B, closest or deepest */
  double depth;       /* of the cores; set where points are not */
} mo_contact_axis;

/* The direction of the least distance of two bodies that are at most `most` apart, or of the
 * shortest translation that parts them. Two polytopes that are not rounded by separating axes,
 * which is not certain: where the separation is positive they may be farther apart. */
mo_contact_axis mo_contact_axis_of(const mo_contact_body *a, const mo_contact_body *b, double most);

/* The same by distance and penetration alone, whatever the bodies: certain. */
mo_contact_axis mo_contact_axis_by_distance(const mo_contact_body *a, const mo_contact_body *b,
                                            double most);

/* How far two bodies are apart along a unit vector, rounding included. */
double mo_contact_separation_along(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 n);

/* The greatest separation along normals of faces, all of boxes, and of others those that are most
 * aligned with the line between the centres; and that normal, unit, from A to B. -INFINITY where
 * there are none. */
double mo_contact_best_face(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 *normal);

/* The point of a box with these axes that is closest to a place, both from its centre: by one
 * coordinate after the other. Where the axes are perpendicular but for rounding, the second round
 * changes nothing but that. False where they are not. */
bool mo_contact_closest_of_box(const mo_dvec3 axis[3], mo_dvec3 place, mo_dvec3 *closest);

/* Whether the bodies overlap by at least a depth that is positive, in all directions. */
bool mo_contact_overlap_deeper(const mo_contact_body *a, const mo_contact_body *b, double depth);

/* Sets the points of an axis that is certain, unless it has them. */
void mo_contact_axis_find_points(const mo_contact_body *a, const mo_contact_body *b,
                                 mo_contact_axis *axis);

#endif
