/* Convex bodies that turn while they move. */
#ifndef MO_GEOMETRY_CAST_TURNING_H
#define MO_GEOMETRY_CAST_TURNING_H

#include <motte/movement.h>

#include "geometry/cast/convex.h"

/* MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE, MO_ERROR_INVALID_ARGUMENT. */
mo_result mo_movement_check(const mo_movement *movement, const mo_refusal *refusal);

/* The turn of a legal movement, which has measured no body; all zero if it does not turn. */
mo_turn mo_turn_of(const mo_movement *movement);

/* A primitive that moves; refers to it. Errors as mo_movement_check, and MO_ERROR_OUT_OF_RANGE
 * where it turns too far out. */
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

/* Lets a body turn, about the axis of a turn that need not be measured: grows its bounds, those of
 * the body as it stands, to contain all orientations. */
void mo_moving_body_turn(mo_moving_body *moving, const mo_turn *like);

/* How far a body has turned at some time. */
typedef struct mo_rotation {
  double sine, cosine;
} mo_rotation;
mo_rotation mo_rotation_at(const mo_turn *turn, double t);
mo_dvec3 mo_turned_by(const mo_turn *turn, const mo_rotation *rotation, mo_dvec3 v);

/* A vector turned as at t. */
mo_dvec3 mo_turned(const mo_turn *turn, double t, mo_dvec3 v);

/* A point, or the body, turned as at t and moved by `shift`; the body refers to `convex`. */
mo_dvec3 mo_placed_point(const mo_moving_body *moving, double t, mo_dvec3 shift, mo_dvec3 p);
mo_distance_body mo_placed_body(const mo_moving_body *moving, double t, mo_dvec3 shift,
                                mo_convex *convex);

/* The size of the numbers that go into places of a body beside one in bounds. */
double mo_turning_magnitude(const mo_moving_body *moving, mo_aabb bounds);

/* A bound on how fast the body approaches a plane with a normal that points to it. */
double mo_turning_approach(const mo_moving_body *moving, mo_dvec3 normal);

enum { MO_TURNING_STEPS = 1 << 16 };

#endif
