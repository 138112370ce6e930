/** \defgroup math Vectors and transforms (motte/math.h)
 *
 * Plain structs of floats that the API uses, and functions that make transforms and planes.
 *
 * Frames may be right-handed or left-handed; nothing here depends on it. Lengths are in units that
 * the host chooses. "Local" is the frame in which a mesh or geometry was defined; "world" is the
 * frame of the scene.
 *
 * The functions read nothing but their arguments and take constant time; any thread may call them.
 * Functions that return no mo_result check nothing: their pointers must not be null, and NaN and
 * infinities propagate as in ordinary arithmetic. Calls that take a transform later check it. */
#ifndef MOTTE_MATH_H
#define MOTTE_MATH_H

#include <motte/base.h>

/** \{ */

/// A point, a direction, or one size per axis.
typedef struct mo_vec3 {
  float x; ///< along the first axis
  float y; ///< along the second axis
  float z; ///< along the third axis
} mo_vec3;

/// A rotation. It is normalised on use, so it need not have unit length, but it must not be zero.
typedef struct mo_quat {
  float x; ///< factor of i
  float y; ///< factor of j
  float z; ///< factor of k
  float w; ///< the real part
} mo_quat;

/// A closed axis-aligned box with lower <= upper on every axis. If lower > upper on an axis, it is
/// empty.
typedef struct mo_aabb {
  mo_vec3 lower; ///< smallest coordinate per axis
  mo_vec3 upper; ///< largest coordinate per axis
} mo_aabb;

/// A closed ball.
typedef struct mo_sphere {
  mo_vec3 center; ///< of the ball
  float radius;   ///< not negative
} mo_sphere;

/// The half-space of points p with dot(normal, p) + offset >= 0. The normal points into the
/// half-space and need not have unit length.
typedef struct mo_plane {
  mo_vec3 normal; ///< points into the half-space; of any length
  float offset;   ///< height of the origin above the plane, times the normal's length
} mo_plane;

/// An affine map from local to world: p -> origin + p.x * x_axis + p.y * y_axis + p.z * z_axis.
/// Rotation, non-uniform scale, shear, mirroring and singular (flattening) maps are all legal.
typedef struct mo_transform {
  mo_vec3 x_axis; ///< image of the direction (1, 0, 0)
  mo_vec3 y_axis; ///< image of the direction (0, 1, 0)
  mo_vec3 z_axis; ///< image of the direction (0, 0, 1)
  mo_vec3 origin; ///< image of the point (0, 0, 0)
} mo_transform;

MO_BEGIN_DECLS

/// The identity: maps every point to itself.
MO_API mo_transform mo_transform_identity(void);

/// Scales by `scale` along each local axis, then rotates, then translates. A zero quaternion means
/// no rotation.
MO_API mo_transform mo_transform_make(mo_vec3 translation, mo_quat rotation, mo_vec3 scale);

/// Makes a transform from a column-major 4x4 matrix (translation in m[12..14], as in OpenGL and
/// cglm). Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_PROJECTIVE_MATRIX unless
/// the last row is (0, 0, 0, 1).
MO_API mo_result mo_transform_from_matrix(const float matrix[16], mo_transform *transform);

/// The transform that applies `inner` first, then `outer`.
MO_API mo_transform mo_transform_compose(const mo_transform *outer, const mo_transform *inner);

/// The inverse: maps from the world back to the local frame of `transform`. Each number is computed
/// in double precision from the floats of `transform` and rounded to float once. The error of
/// double precision matters only if the axes are nearly coplanar, or if the three terms of a
/// coordinate of the origin cancel. Mapping a point forth and back rounds it twice. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_INVALID_ARGUMENT (no inverse: the axes are
/// coplanar, or so nearly that their determinant is not above 2^-48 of the sum of the magnitudes of
/// its six products); MO_ERROR_OUT_OF_RANGE (a number of the inverse exceeds MO_MAX_COORDINATE).
MO_API mo_result mo_transform_inverse(const mo_transform *transform, mo_transform *inverse);

/// The image of a point.
MO_API mo_vec3 mo_transform_point(const mo_transform *transform, mo_vec3 point);

/// The image of a direction (without the translation).
MO_API mo_vec3 mo_transform_direction(const mo_transform *transform, mo_vec3 direction);

/// The six frustum planes of a column-major view-projection matrix with clip-space depth in [-w,
/// w], in the order left, right, bottom, top, near, far. Normals point into the frustum and are not
/// normalised. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE.
MO_API mo_result mo_frustum_planes(const float view_projection[16], mo_plane planes[6]);

/// The eight corners of the frustum of mo_frustum_planes. Corner i is on the right if i & 1, at the
/// top if i & 2, and at the far end if i & 4. Each is the intersection of three planes, computed in
/// double precision and rounded to float once. Their convex hull (motte/hull.h) is the frustum as
/// an exact region of queries (motte/overlap.h). Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_NOT_FINITE; MO_ERROR_INVALID_ARGUMENT (three planes have no single point in common, as
/// when the far plane is at infinity, or their determinant is not above 2^-48 of the sum of the
/// magnitudes of its products); MO_ERROR_OUT_OF_RANGE (a corner beyond MO_MAX_COORDINATE).
MO_API mo_result mo_frustum_corners(const float view_projection[16], mo_vec3 corners[8]);

MO_END_DECLS

/** \} */

#endif
