/* Cylinders and cones with circular cross sections, seen from their own axis. */
#ifndef MO_CONTACT_NORMAL_ROUND_H
#define MO_CONTACT_NORMAL_ROUND_H

#include "contact/body/body.h"
#include "geometry/gjk.h"

/* In its frame the axis is z, and the centre is 0. */
typedef struct mo_round {
  mo_dvec3 center, frame[3];
  double radius, half;
  bool tapers;             /* to the end below */
  double side_rho, side_z; /* unit normal of the side of a cone */
} mo_round;

/* False of other bodies, and where the base is no circle across the axis. */
bool mo_round_of(mo_round *round, const mo_contact_body *body);

/* The distance of the cores of a cylinder or cone and of a body with corners alone, with the points
 * that have it; 0 where they overlap, and some distance beyond the limit where they are that far
 * apart. The first is moved by `shift` before. False where this is not known: of other bodies, and
 * where rounding leaves the answer open. */
bool mo_round_gap(const mo_contact_body *round, const mo_contact_body *other, mo_dvec3 shift,
                  double limit, mo_convex_gap *gap);

/* The point of the solid that is closest to another point. */
mo_dvec3 mo_round_closest(const mo_round *round, mo_dvec3 point);

/* The distance of the cores of two cylinders or cones; the points are set if it is positive and not
 * above the limit. Where they overlap it is negative: the depth of a local minimum, and no
 * direction has a depth that is less by more than 2^-12 of the sizes. Above the limit it is some
 * distance beyond that. False where this is not known: of other bodies, and where the search did
 * not end. */
bool mo_round_pair_gap(const mo_contact_body *a, const mo_contact_body *b, double limit,
                       mo_convex_gap *gap);

/* The deepest points of two along the normal of their depth. */
bool mo_round_pair_deepest(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 normal,
                           double depth, mo_dvec3 points[2]);

/* Where the cores of a cylinder or cone and of a polytope overlap: the direction of the shortest
 * translation that parts them, unit, from the first to the polytope, and its length. False of
 * other bodies, and of polytopes without volume. */
bool mo_round_depth(const mo_contact_body *round, const mo_contact_body *other, mo_dvec3 *normal,
                    double *depth);

#endif
