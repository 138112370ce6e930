/* Manifolds of balls with balls, capsules and boxes, and of two capsules, without contact bodies.
 */
#ifndef MO_CONTACT_MANIFOLD_BALLS_AND_CAPSULES_H
#define MO_CONTACT_MANIFOLD_BALLS_AND_CAPSULES_H

#include "contact/manifold/boxes.h"

/* A ball or a capsule without further rounding, prepared once for use with several other shapes. */
typedef struct mo_contact_ball {
  mo_dvec3 origin; /* of its transform, world */
  mo_dvec3 center; /* relative to `origin` */
  mo_dvec3 half;   /* half of the axis of a capsule; zero for a ball */
  double length;   /* of `half` */
  double radius;   /* world */
} mo_contact_ball;

/* Returns false if the radius is 0, or the map makes the ball an ellipsoid. */
bool mo_contact_ball_set(mo_contact_ball *ball, const mo_placed_solid *from);

/* The manifold of two balls or capsules, or of a ball and a box (`ball_first`: whether the ball is
 * the first); the same as by mo_manifold_of with the origin of the first as the reference. Return
 * false, with nothing written, where the general path is needed: centres or axes touch, two
 * capsules may be parallel as seen along the normal, the ball is a capsule, its centre lies in the
 * box, or the box is flat or sheared. */
bool mo_manifold_of_balls(const mo_contact_ball *a, const mo_contact_ball *b, double max,
                          mo_manifold *manifold);
bool mo_manifold_of_ball_and_box(const mo_contact_ball *ball, const mo_contact_box *box,
                                 bool ball_first, double max, mo_manifold *manifold);

#endif
