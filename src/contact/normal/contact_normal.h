/* The contact normal of two bodies: the direction of least penetration if they overlap, else the
 * direction between their closest points. */
#ifndef MO_CONTACT_NORMAL_CONTACT_NORMAL_H
#define MO_CONTACT_NORMAL_CONTACT_NORMAL_H

#include "contact/body/body.h"

/* The faces of A and B that support the bodies along a normal, each as face index plus 1, or 0 if
 * it is not known. Where an edge supports, it is the face beside the edge whose normal is closer to
 * the contact normal; of equal ones the first. */
typedef struct mo_supporting_faces {
  uint32_t face[2];
} mo_supporting_faces;

typedef struct mo_contact_axis {
  /* false: the bodies are farther apart than the limit, and only `normal` is set */
  bool within_limit;
  mo_dvec3 normal;      /* unit, from A to B; beyond the limit: a separating axis, or zero */
  double separation;    /* separation of the bodies along `normal`, with their rounding */
  bool has_face;        /* whether some face normal has nearly the same separation */
  mo_dvec3 face_normal; /* the face normal with that separation; unit, from A to B */
  mo_supporting_faces supports, face_normal_supports; /* faces along `normal`, `face_normal` */
  bool is_certain;    /* the bodies are proven to be near, and the points can be computed */
  bool has_points;    /* `points` are set; else mo_contact_axis_find_points sets them */
  mo_dvec3 points[2]; /* the closest or deepest points of A and of B */
  double depth;       /* penetration depth of the cores; only set if not `has_points` */
} mo_contact_axis;

/* Finds the contact normal of two bodies: the direction of their least distance if they are apart
 * by at most `max`, or of the shortest translation that separates them if they overlap. Two
 * polytopes without rounding are tested by separating axes. That result is not certain: where its
 * separation is positive, the true distance may be larger. `start`: a unit vector that may be near
 * the result, or zero. Only which separating axis is found depends on it. */
mo_contact_axis mo_contact_axis_of(const mo_contact_body *a, const mo_contact_body *b, double max,
                                   mo_dvec3 start);

/* Whether mo_contact_axis_of tests two bodies by separating axes. */
bool mo_contact_uses_separating_axes(const mo_contact_body *a, const mo_contact_body *b);

/* As mo_contact_axis_of, but uses distance and penetration depth for all bodies, no separating
 * axes. The result is certain. */
mo_contact_axis mo_contact_axis_by_distance(const mo_contact_body *a, const mo_contact_body *b,
                                            double max);

/* The separation of two bodies along a unit vector from A to B, with their rounding. */
double mo_contact_separation_along(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 n);

/* The greatest separation along a face normal; `normal` receives that face normal (unit, from A to
 * B). All faces of a box are tried; of other bodies only the face whose normal is closest to the
 * line between the centres. -INFINITY if there is no face. */
double mo_contact_best_face(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 *normal);

/* Whether two bodies overlap in every direction by at least `depth`, which must be positive. */
bool mo_contact_overlap_deeper(const mo_contact_body *a, const mo_contact_body *b, double depth);

/* Sets `points` of an axis (`is_certain`) to the closest or deepest points, unless they are set. */
void mo_contact_axis_find_points(const mo_contact_body *a, const mo_contact_body *b,
                                 mo_contact_axis *axis);

#endif
