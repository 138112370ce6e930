/** \defgroup math Vectors and transforms (motte/math.h)
 *
 * Plain structs of floats for the API, and how to make transforms and planes.
 *
 * Frames: right or left handed is the host's choice; nothing here depends on it. Lengths are in
 * the host's unit. "Local" is the frame a mesh or geometry was given in; "world" the scene's.
 *
 * The functions read nothing but their arguments and take constant time: any thread may call
 * them. Those that return no mo_result check nothing: their pointers must not be null, and of
 * numbers that are not finite comes what arithmetic makes of them; what takes a transform checks
 * it. */
#ifndef MOTTE_MATH_H
#define MOTTE_MATH_H

#include <motte/base.h>

/** \{ */

/// A point, a direction or a size per axis.
typedef struct mo_vec3 {
  float x; ///< along the first axis
  float y; ///< along the second axis
  float z; ///< along the third axis
} mo_vec3;

/// A rotation; need not be of unit length (it is normalised on use) but must not be zero.
typedef struct mo_quat {
  float x; ///< factor of i
  float y; ///< factor of j
  float z; ///< factor of k
  float w; ///< the real part
} mo_quat;

/// A closed axis-aligned box, lower <= upper on every axis. Empty where lower > upper.
typedef struct mo_aabb {
  mo_vec3 lower; ///< least coordinate per axis
  mo_vec3 upper; ///< greatest coordinate per axis
} mo_aabb;

/// A closed ball.
typedef struct mo_sphere {
  mo_vec3 center; ///< of the ball
  float radius;   ///< not negative
} mo_sphere;

/// The half-space of points p with dot(normal, p) + offset >= 0. The normal points inside and need
/// not be of unit length.
typedef struct mo_plane {
  mo_vec3 normal; ///< points inside; of any length
  float offset;   ///< in units of the normal's length
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

/// The map that leaves every point where it is.
MO_API mo_transform mo_transform_identity(void);

/// Scale by `scale` per local axis, then rotate, then translate. A zero quaternion rotates nothing.
MO_API mo_transform mo_transform_make(mo_vec3 translation, mo_quat rotation, mo_vec3 scale);

/// A transform from a column-major 4x4 matrix (translation in m[12..14], as OpenGL and cglm).
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_PROJECTIVE_MATRIX unless the
/// last row is (0, 0, 0, 1).
MO_API mo_result mo_transform_from_matrix(const float matrix[16], mo_transform *transform);

/// First `inner`, then `outer`.
MO_API mo_transform mo_transform_compose(const mo_transform *outer, const mo_transform *inner);

/// The inverse: the map that leads back from the world to the frame that `transform` comes from.
/// Each number is computed in double precision from the floats of `transform` and rounded to float
/// once. What double precision loses shows only where the axes nearly lie in a plane, or where the
/// three terms of a coordinate of the origin cancel; taking a point there and back rounds it twice.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_INVALID_ARGUMENT (no inverse: the
/// axes lie in a plane, or so nearly that their determinant is not above 2^-48 of the sum of the
/// magnitudes of its six products); MO_ERROR_OUT_OF_RANGE (a number of the inverse exceeds
/// MO_MAX_COORDINATE).
MO_API mo_result mo_transform_inverse(const mo_transform *transform, mo_transform *inverse);

/// The image of a point.
MO_API mo_vec3 mo_transform_point(const mo_transform *transform, mo_vec3 point);

/// The image of a direction (the translation left out).
MO_API mo_vec3 mo_transform_direction(const mo_transform *transform, mo_vec3 direction);

/// The six planes, normals inside, of a column-major view-projection matrix with clip-space depth
/// in [-w, w], in the order left, right, bottom, top, near, far. Not normalised.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE.
MO_API mo_result mo_frustum_planes(const float view_projection[16], mo_plane planes[6]);

/// The eight corners of the same frustum. Corner i is on the right where i has the bit 1, at the
/// top where it has 2, at the far end where it has 4. Each is where three of the planes meet,
/// computed in double precision and rounded to float once. Their convex hull (motte/hull.h) is the
/// frustum as an exact region of queries (motte/overlap.h). Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_NOT_FINITE; MO_ERROR_INVALID_ARGUMENT (three planes meet in no one point, as where the
/// far plane is infinitely far away, or their determinant is not above 2^-48 of the sum of the
/// magnitudes of its products); MO_ERROR_OUT_OF_RANGE (a corner beyond MO_MAX_COORDINATE).
MO_API mo_result mo_frustum_corners(const float view_projection[16], mo_vec3 corners[8]);

MO_END_DECLS

/** \} */

#endif
