/** \defgroup movement Movements (motte/movement.h)
 *
 * Single convex shapes that turn while they move. In no scene; the functions keep no state, any
 * number of threads may call them at once, and nothing is written where an error is returned. */
#ifndef MOTTE_MOVEMENT_H
#define MOTTE_MOVEMENT_H

#include <motte/geometry.h>

/** \{ */

/// How something moves while t goes from 0 to 1: a point p to pivot + t * displacement + R(p -
/// pivot), where R turns by t * angle about the axis. So it turns evenly about an axis that moves
/// evenly.
typedef struct mo_movement {
  mo_vec3 displacement; ///< world; may be 0
  mo_vec3 pivot;        ///< a point on the axis at t = 0, world
  mo_vec3 axis;         ///< of any length; not zero where `angle` is not 0
  float angle; ///< radians, from -2 pi to 2 pi; by the right-hand rule. 0: it does not turn
} mo_movement;

MO_BEGIN_DECLS

/// mo_primitive_cast of a primitive that may turn while it moves: the same contact, to the bit, as
/// of mo_scene_cast_shape with a shape like that. By conservative advancement (Mirtich 1996): t is
/// never later than the first contact, to within rounding, however thin the primitives; at t they
/// are less than 2^-23 of the extents of the moving one's world AABB (around all its orientations)
/// apart, or 2^-45 of the coordinates; more, if 65,536 steps do not suffice, as where it glides
/// along the other at less than 1e-4 of its size. Of a half-space that turns, what stands still
/// counts for the extents; it meets another half-space at t = 0 unless the axis is along its
/// normal, as it then touches it from the start, however far away. Errors: those of
/// mo_primitive_cast; MO_ERROR_INVALID_ARGUMENT for an angle beyond 2 pi or without an axis;
/// MO_ERROR_OUT_OF_RANGE where it turns beyond MO_MAX_COORDINATE. Cost: some 20 to 40 distances
/// where they meet.
MO_API mo_result mo_primitive_cast_turning(const mo_primitive *still, const mo_primitive *moving,
                                           const mo_movement *movement,
                                           mo_primitive_contact *contact);

/// The motion from one pose to another, both transforms of the same shape: its origin moves along a
/// straight line, and it turns about that by the shortest way. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (the linear part of `from`
/// has no inverse, or no rotation leads from it to that of `to`, to within 1e-3).
MO_API mo_result mo_movement_between(const mo_transform *from, const mo_transform *to,
                                     mo_movement *movement);

/// Where a movement has taken a shape, which was at `from`, at some t: say, to the time of an
/// impact (motte/continuous.h). Rounded to floats once. `to` may be `from`. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE (also of t); MO_ERROR_OUT_OF_RANGE (also of what is
/// beyond MO_MAX_COORDINATE then); MO_ERROR_INVALID_ARGUMENT (a movement as of
/// mo_primitive_cast_turning; t not from 0 to 1).
MO_API mo_result mo_movement_transform(const mo_movement *movement, float t,
                                       const mo_transform *from, mo_transform *to);

MO_END_DECLS

/** \} */

#endif
