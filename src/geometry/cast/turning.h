/* Convex bodies that turn while they move. */
#ifndef MO_GEOMETRY_CAST_TURNING_H
#define MO_GEOMETRY_CAST_TURNING_H

#include <motte/movement.h>

#include "geometry/cast/convex.h"

/* A primitive that moves; refers to it. Checks the motion: MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE, MO_ERROR_INVALID_ARGUMENT. */
mo_result mo_moving_body_make(mo_moving_body *moving, const mo_prepared_primitive *primitive,
                              const mo_movement *movement, const mo_refusal *refusal);

/* mo_cast_convex for a body that turns, by the same rules. Up to t the bodies come no closer than
 * touching, to within 2^-44 of the sizes and coordinates; at t they are at most 2^-23 of the
 * extents of the bounds apart, but after MO_TURNING_STEPS steps. */
mo_convex_contact mo_cast_turning(const mo_distance_body *still, mo_aabb bounds,
                                  const mo_moving_body *moving, double limit);

/* Sets what a turn has to know of a body, which is no half-space. Returns the largest distance of
 * its points from the axis. */
double mo_turn_measure(mo_turn *turn, const mo_distance_body *body);

/* A vector turned as at t. */
mo_dvec3 mo_turned(const mo_turn *turn, double t, mo_dvec3 v);

enum { MO_TURNING_STEPS = 1 << 16 };

#endif
