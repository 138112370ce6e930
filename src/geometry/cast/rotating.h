/* Convex bodies that rotate while they move. */
#ifndef MO_GEOMETRY_CAST_ROTATING_H
#define MO_GEOMETRY_CAST_ROTATING_H

#include <motte/movement.h>

#include "geometry/cast/convex.h"

/* Validates a movement. Errors: MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
 MO_ERROR_INVALID_ARGUMENT. */
mo_result mo_movement_check(const mo_movement *movement, const mo_refusal *refusal);

/* The rotation of a legal movement; all zero if the movement is a translation. The members that
 * depend on the body are 0 until mo_movement_rotation_measure sets them. */
mo_movement_rotation mo_rotation_of_movement(const mo_movement *movement);

/* A stationary body in the form of a moving one. */
mo_moving_body mo_still_body(const mo_body *body);

/* Makes a moving body. Errors as mo_movement_check, and MO_ERROR_OUT_OF_RANGE if the body rotates
 * beyond the coordinate range. */
mo_result mo_moving_body_make(mo_moving_body *moving, const mo_body *body,
                              const mo_movement *movement, const mo_refusal *refusal);

/* mo_cast_convex for a body that rotates, by the same rules. Up to t the bodies come no closer than
 * touching, to within 2^-44 of the sizes and coordinates. At t they are at most 2^-23 of the
 * extents of the bounds apart, unless MO_MAX_ROTATING_CAST_STEPS steps did not suffice. */
mo_convex_contact mo_cast_rotating(const mo_body *still, const mo_moving_body *moving,
                                   double limit);

/* Measures a body, which is not a half-space, for a rotation: sets `reach`,
 * `round_radius` and `round_reach`. Returns the largest distance of its points from the axis. */
double mo_movement_rotation_measure(mo_movement_rotation *rotation, const mo_body *body);

/* Gives a body the rotation `like`, whose members that depend on the body need not be set. Enlarges
 * the body's bounds, which must be those of its pose at t = 0, to contain all its orientations. */
void mo_moving_body_set_rotation(mo_moving_body *moving, const mo_movement_rotation *like);

/* The rotation of a body at some time, as sine and cosine of its angle. */
typedef struct mo_sine_cosine {
  double sine, cosine;
} mo_sine_cosine;
mo_sine_cosine mo_rotation_at(const mo_movement_rotation *rotation, double t);
mo_dvec3 mo_rotate_by(const mo_movement_rotation *rotation, const mo_sine_cosine *angle,
                      mo_dvec3 v);

/* A vector, rotated by the angle at time t. */
mo_dvec3 mo_rotate_at(const mo_movement_rotation *rotation, double t, mo_dvec3 v);

/* A point of the body, rotated by the angle at time t and translated by `shift`. */
mo_dvec3 mo_moving_point_at(const mo_moving_body *moving, double t, mo_dvec3 shift, mo_dvec3 p);

/* The body at time t. The bounds of a solid are not computed. */
mo_body mo_body_at(const mo_moving_body *moving, double t);

/* The magnitude of the coordinates in a cast of a moving body against a stationary one with
 * `bounds`, to which rounding errors are relative. */
double mo_rotating_coordinate_magnitude(const mo_moving_body *moving, mo_aabb bounds);

/* An upper bound of the speed at which a body approaches a plane whose normal points towards it. */
double mo_rotating_approach_speed(const mo_moving_body *moving, mo_dvec3 normal);

/* The largest number of steps of the conservative advancement in a cast with rotation. */
enum { MO_MAX_ROTATING_CAST_STEPS = 1 << 16 };

#endif
