/** \defgroup movement Movements (motte/movement.h)
 *
 * Single convex shapes that rotate while they move, without a scene. The functions keep no state;
 * any number of threads may call them at once. If a function returns an error, it writes
 * nothing. */
#ifndef MOTTE_MOVEMENT_H
#define MOTTE_MOVEMENT_H

#include <motte/geometry.h>

/** \{ */

/// A rigid motion while t goes from 0 to 1: a point p moves to pivot + t * displacement + R(p -
/// pivot), where R rotates by t * angle about the axis. So a shape rotates at a constant rate about
/// an axis that moves at a constant velocity.
typedef struct mo_movement {
  mo_vec3 displacement; ///< the translation of the axis, world; may be 0
  mo_vec3 pivot;        ///< a point on the axis at t = 0, world
  mo_vec3 axis;         ///< direction of the axis, of any length; not zero where `angle` is not 0
  /// Angle of the rotation, in radians, from -2 pi to 2 pi, by the right-hand rule; 0: no rotation.
  float angle;
} mo_movement;

MO_BEGIN_DECLS

/// Like mo_primitive_cast, for a primitive that may rotate while it moves; to cull back faces, the
/// velocity of the contact point takes the place of the displacement. The contact has the same bits
/// as that of mo_scene_cast_shape against the same shape. By conservative advancement (Mirtich
/// 1996): t is never later than the first contact, up to rounding, however thin the primitives are.
/// At t the primitives are less than 2^-23 of the extents of the moving one's world AABB (around
/// all its orientations) apart, or 2^-45 of the coordinates. They are farther apart if 65,536 steps
/// do not suffice, for example if the primitive slides along the other at a distance below 1e-4 of
/// its size. If a half-space rotates, the extents are those of the stationary primitive. A rotating
/// half-space meets another half-space at t = 0 unless the axis is along its normal, since
/// otherwise the two touch from the start, however far away. Errors: those of mo_primitive_cast;
/// MO_ERROR_INVALID_ARGUMENT for an angle beyond 2 pi or without an axis; MO_ERROR_OUT_OF_RANGE if
/// it rotates beyond MO_MAX_COORDINATE. Cost: about 20 to 40 distance computations if they meet.
MO_API mo_result mo_primitive_cast_turning(const mo_primitive *still, const mo_primitive *moving,
                                           const mo_movement *movement, bool cull_back_faces,
                                           mo_primitive_contact *contact);

/// The motion from one transform of a shape to another: the origin moves along a straight line, and
/// the shape rotates about it by the smallest angle. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (the linear part of `from`
/// has no inverse, or no rotation maps it to the linear part of `to`, to within 1e-3).
MO_API mo_result mo_movement_between(const mo_transform *from, const mo_transform *to,
                                     mo_movement *movement);

/// The transform at time t of a shape that starts at `from` and follows a movement, for example at
/// the time of an impact (motte/continuous.h). Rounded to floats once. `to` may alias `from`.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE (also of t); MO_ERROR_OUT_OF_RANGE (also if
/// the result is beyond MO_MAX_COORDINATE); MO_ERROR_INVALID_ARGUMENT (a movement that
/// mo_primitive_cast_turning refuses; t not from 0 to 1).
MO_API mo_result mo_movement_transform(const mo_movement *movement, float t,
                                       const mo_transform *from, mo_transform *to);

MO_END_DECLS

/** \} */

#endif
